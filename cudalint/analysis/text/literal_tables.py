"""The largest values of members whose structs a file makes from tables of numbers alone, as tests do that run for each row.

    struct Shape { float tolerance; int rows, columns; };
    const std::vector<Shape> shapes = {{1e-3f, 128, 32}, {1e-3f, 1024, 64}};
    Shape params = GetParam();    run(x, params.rows);                            params.rows <= 1024

A struct that the file fills otherwise, by an assignment to a member or by a constructor, is not known.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from cudalint.analysis.text.passed_checks import arguments_of, closing

MOST_ROWS = 4096
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRUCT = re.compile(r"\b(?:struct|class)\s+(\w+)\s*(?:final\s*)?\{")
_MEMBER = re.compile(r"(?:[A-Za-z_].*[\s&*>])?[&*]*([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*(?:=.*|\{.*)?", re.DOTALL)
_NUMBER = re.compile(r"[\s\d()+*<>xXa-fA-F'uUlL-]+")
_SUFFIX = re.compile(r"(?<=[\da-fA-F])[uUlL]+\b")


@lru_cache(maxsize=4)
def table_limits(text: str) -> dict[str, int]:
    """By `object.member` the largest number that a table of the file has for it."""
    if "{{" not in "".join(text.split()) and "product<" not in text:
        return {}
    plain = _COMMENT.sub(" ", text)
    found: dict[str, int] = {}
    for struct in _STRUCT.finditer(plain):
        fields = _fields(plain[struct.end() : closing(plain, struct.end() - 1)])
        rows = _rows(struct[1], plain) if fields else None
        if rows:
            names = _objects(struct[1], plain)
            for place, field in enumerate(fields):
                limit = _largest([row[place] if place < len(row) else "0" for row in rows])
                if limit is not None and not re.search(rf"(?:\.|->)\s*{field}\s*(?:[-+*/]?=(?!=)|\+\+|--)", plain):
                    found.update({f"{name}.{field}": limit for name, others in names.items() if field not in others})
    return found


def _fields(body: str) -> list[str]:
    """The members of an aggregate in their order; none where it is no plain one."""
    names: list[str] = []
    for statement in filter(None, (part.strip() for part in body.split(";"))):
        found = [_MEMBER.fullmatch(part) for part in _declared(statement)]
        if not found or any(each is None for each in found) or "(" in statement.partition("=")[0]:
            return []
        names += [each[1] for each in found if each is not None]
    return names


def _declared(statement: str) -> list[str]:
    """`int m`, `n` of `int m, n`; what stands between the commas of a template's arguments is one."""
    found: list[str] = []
    for part in arguments_of(statement):
        if found and found[-1].count("<") > found[-1].count(">"):
            found[-1] += f",{part}"
        else:
            found.append(part)
    return found


def _rows(struct: str, plain: str) -> list[list[str]] | None:
    """What each object of the struct is made of; None where one is made of anything but a list."""
    named = rf"\b{struct}\b(?:\s*<[^<>;{{}}]*>)?"
    rows, plain = _products(named, plain)
    if re.search(
        rf"(?:{named}|<\s*{named}\s*>)\s*\(|\b{struct}\s*::|:\s*(?:public\s+)?{named}\s*\{{", _without_bases(plain)
    ):
        return None
    listed = rf"\b(?:vector|array|initializer_list)\s*<\s*{named}\s*(?:,[^<>;{{}}]*)?>\s*\w*"
    tables = rf"(?:{listed}|{named}\s+\w+\s*\[[^\]]*\])\s*=?\s*\{{"
    for table in re.finditer(tables, plain):
        inside = plain[table.end() : closing(plain, table.end() - 1)].strip()
        for row in filter(None, arguments_of(inside)):
            row = re.sub(rf"^{named}\s*", "", row).strip()
            if not (row.startswith("{") and row.endswith("}")) or len(rows) >= MOST_ROWS:
                return None
            rows.append([re.sub(r"^\.\s*\w+\s*=\s*", "", each) for each in arguments_of(row[1:-1])])
    return rows


def _products(named: str, plain: str) -> tuple[list[list[str]], str]:
    """Rows with all values of `product<Shape>({1, 2}, {64, 128})`, and the text without the calls."""
    rows: list[list[str]] = []
    while (call := re.search(rf"\bproduct\s*<\s*{named}\s*>\s*\(", plain)) is not None:
        end = closing(plain, call.end() - 1)
        columns = [arguments_of(each.strip()[1:-1]) for each in arguments_of(plain[call.end() : end])]
        longest = max(map(len, columns), default=0)
        rows += [[column[min(row, len(column) - 1)] if column else "" for column in columns] for row in range(longest)]
        plain = f"{plain[: call.start()]} {plain[end + 1 :]}"
    return rows, plain


def _without_bases(plain: str) -> str:
    """`TestWithParam<Shape>::GetParam()`, a parameter of a test, is one of the table."""
    return re.sub(r"[\w:]*TestWithParam\s*<[^;{}()]*>(?:\s*::\s*GetParam\s*\(\s*\))?", " ", plain)


def _objects(struct: str, plain: str) -> dict[str, set[str]]:
    """The variables and members of this type, each with the words in the file's other structs of which one has its name.

    One that shares its name with an object of any other type is left out.
    """
    declared = re.findall(rf"\b{struct}\b(?:\s*<[^<>;{{}}]*>)?(?:\s+const)?[\s&*]+(\w+)\s*[;=,){{(]", plain)
    other = rf"\b(?!{struct}\b|return\b|else\b|case\b|auto\b|const\b)([A-Za-z_]\w*)(?:\s*<[^<>;{{}}]*>)?[\s&*]+%s\s*[;=,){{]"
    without = _without(struct, plain)
    words = {each[1]: _words(plain[each.end() : closing(plain, each.end() - 1)]) for each in _STRUCT.finditer(plain)}
    found: dict[str, set[str]] = {}
    for name in dict.fromkeys(declared):
        types = set(re.findall(other % name, without))
        if types <= words.keys():
            found[name] = {word for each in types for word in words[each]}
    return found


def _words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", text))


def _without(struct: str, plain: str) -> str:
    return re.sub(rf"\b{struct}\b(?:\s*<[^<>;{{}}]*>)?(?:\s+const)?[\s&*]+\w+", f"{struct} ", plain)


def _largest(values: list[str]) -> int | None:
    numbers = [_number(value) for value in values]
    known = [number for number in numbers if number is not None]
    return max(known) if len(known) == len(numbers) and known else None


def _number(text: str) -> int | None:
    """The value of integers, their sums, products and shifts."""
    text = _SUFFIX.sub("", text.replace("'", ""))
    if not _NUMBER.fullmatch(text) or len(text) > 60:
        return {"true": 1, "false": 0}.get(text.strip())
    try:
        return _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError):
        return None


def _value(node: ast.expr) -> int | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _value(node.operand)
        return None if inner is None else -inner
    if not isinstance(node, ast.BinOp):
        return None
    left, right = _value(node.left), _value(node.right)
    if left is None or right is None:
        return None
    match node.op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.LShift():
            return left << right if 0 <= right < 63 else None
        case ast.RShift():
            return left >> right if 0 <= right < 63 else None
        case _:
            return None
