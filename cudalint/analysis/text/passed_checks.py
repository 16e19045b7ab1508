"""What all callers of a function make sure of what they pass, as conditions of the function, read from their text alone.

    void score(int n) { k<<<n, 256>>>(table); }            static void declared_score(int n) { if (!(n <= most())) abort(); }
    CHECK(iterations <= most()); ... score(iterations);    void score(int n) { declared_score(n); k<<<n, 256>>>(table); }

A check counts where it stands on every way to the call, and the definition of a constant; both speak only of what is passed by
its name and never changed, and of names that the file of the function knows. So a caller whose sizes are lost still says how
they relate.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from cudalint.analysis.operators import DECLARED

LONGEST = 300  # characters of a condition
_CHECK = re.compile(r"\b(?:\w*[a-z_])?(?:ASSERT|Assert|CHECK|Check|ENFORCE|Enforce|REQUIRE|Require)(?:[A-Z_]\w*)?\s*\(")
_CONSTANT = re.compile(r"\bconst(?:expr)?\s+\w[\w:]*\s+(\w+)\s*=\s*([^;{}]+);")
_COMPARES = re.compile(r"[<>]|[=!]=|^!?\s*[\w:]+\s*\(")
_NAME = re.compile(r"(->\s*|\.\s*)?\b([A-Za-z_]\w*)")
_LOCAL = re.compile(r"\b(?!return\b|else\b|case\b)[A-Za-z_]\w*[\s*&]+(\w+)\s*[=;\[{(]")
_LAST_NAME = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)?(?:=[^=].*)?$", re.DOTALL)
_CAST = re.compile(r"\(\s*[\w: ]+\s*\)\s*(?=\w+$)")
_KNOWN = frozenset(("abs", "sizeof", "int", "long", "unsigned", "size_t", "int64_t", "int32_t", "true", "false"))
_CONSTANT_NAME = re.compile(r"k?[A-Z]")
_ENDS_BEFORE = re.compile(r"(?:\A|[;{}]|\*/|^[ \t]*(?:#|//)[^\n]*)\s*\Z", re.MULTILINE)
_INSIDE = re.compile(r"\0\s*(?:\.|->|\[)")  # what is passed may have another type here than there
_BRACKETS = re.compile(r"[()\[\]{}]")


@dataclass(frozen=True, slots=True)
class PassedCheck:
    """The conditions of what comes to a function of a file; `parameter(number)` stands for each of its parameters."""

    path: str
    function: str
    conditions: tuple[str, ...]


def parameter(number: int) -> str:
    """A parameter in a condition."""
    return f"\0{number}\0"


def passed_conditions(function: str, count: int, callers: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
    """What all calls of a function with so many parameters make sure of; `callers` are functions, each from its name on."""
    sets = [found for chunk in callers for found in _at_calls(function, count, chunk, known)]
    return tuple(dict.fromkeys(each for each in sets[0] if all(each in other for other in sets[1:]))) if sets else ()


def _at_calls(function: str, count: int, chunk: str, known: Collection[str]) -> Iterator[list[str]]:
    body = chunk[_opening_of(chunk) :] if function in chunk else ""
    for call in re.finditer(rf"{_CALLED}{function}\s*\(", body):
        args = arguments_of(body[call.end() : closing(body, call.end() - 1)])
        names = [_CAST.sub("", arg) for arg in args] if len(args) == count else []
        kept = {name: parameter(at) for at, name in reversed(list(enumerate(names))) if name.isidentifier()}
        yield list(dict.fromkeys(_before(chunk, body[: call.start()], kept, known)))


def _before(chunk: str, before: str, kept: dict[str, str], known: Collection[str]) -> Iterator[str]:
    """The checks on the way to a call, and the constants that it passes."""
    body = chunk[_opening_of(chunk) :]
    constants = {name: value for name, value in _CONSTANT.findall(before) if name in kept}
    lasting = {n: place for n, place in kept.items() if n in constants or not is_changed(n, body)}
    own = {*parameter_names(chunk), *locals_in(body)} - lasting.keys()
    said = [*checks_in("".join(outermost(before)))]
    said += [f"{name} == ({value})" for name, value in constants.items() if _NAME.search(value)]
    for each in said:
        condition = told(each, lasting, own, known)
        if condition is not None and not _INSIDE.search(condition):
            yield condition


def checks_in(outer: str) -> Iterator[str]:
    """The conditions of the checks among the statements of a body."""
    for check in _CHECK.finditer(outer):
        if outer[: check.start()].rstrip()[-1:] in ("{", ";", "}"):
            args = arguments_of(outer[check.end() : closing(outer, check.end() - 1)])
            if args and _COMPARES.search(args[0]):
                yield args[0]


def told(condition: str, kept: Mapping[str, str], own: Set[str], known: Collection[str]) -> str | None:
    """The condition of what is kept; None where it speaks of anything else that is not known elsewhere."""
    condition = re.sub(r"&&\s*\"[^\"]*\"", "", condition)
    spoken = [name for name in _NAME.finditer(condition) if not name[1]]
    others = {name[2]: name for name in spoken if name[2] not in kept}
    if all(name[2] in others for name in spoken) or not own.isdisjoint(others):
        return None
    if not all(name in _KNOWN or (name in known and _is_no_variable(found)) for name, found in others.items()):
        return None
    if len(condition) > LONGEST or '"' in condition or "=" in re.sub(r"[=!<>]=", "", condition):
        return None
    return " ".join(_NAME.sub(lambda n: n[0] if n[1] else kept.get(n[2], n[2]), condition).split())


def _is_no_variable(name: re.Match[str]) -> bool:
    """A constant as most code writes one, a function, or what a scope says more of: a variable may be another one elsewhere."""
    text = name.string
    followed = text[name.end() :].lstrip()
    return (
        bool(_CONSTANT_NAME.match(name[2])) or followed.startswith(("(", "::")) or text[: name.start(2)].endswith("::")
    )


def with_checks(text: str, checks: Collection[PassedCheck]) -> str:
    """The text of a file with a declaring function before each of these functions, and a call of it in that; lines stay."""
    for check in checks:
        heads = list(_head(check.function).finditer(text))
        if len(heads) != 1 or not _ENDS_BEFORE.search(text[max(0, heads[0].start() - LONGEST) : heads[0].start()]):
            continue
        head = heads[0]
        parameters = arguments_of(head[1])
        used = [at for at in range(len(parameters)) if any(parameter(at) in each for each in check.conditions)]
        names = {at: name[1] for at in used if (name := _LAST_NAME.search(parameters[at]))}
        said = [
            each for each in check.conditions if each.count("\0") == 2 * sum(each.count(parameter(at)) for at in names)
        ]
        if not said or "//" in head[1] or "/*" in head[1]:
            continue
        conditions = [_named(each, names) for each in said]
        declared = f"{DECLARED}{check.function}"
        taken = " ".join(", ".join(parameters[at].partition("=")[0] for at in names).split())
        checked = " ".join(f"if (!({each})) __builtin_trap();" for each in conditions)
        made = f"static void {declared}({taken}) {{ {checked} }} "
        call = f" {declared}({', '.join(names.values())}); "
        text = f"{text[: head.start()]}{made}{head[0]}{call}{text[head.end() :]}"
    return text


def _named(condition: str, names: Mapping[int, str]) -> str:
    for at, name in names.items():
        condition = condition.replace(parameter(at), name)
    return condition


_CALLED = r"(?:(?<=[;{}:)=(,!])|(?<=\breturn\b)|(?<=\n))\s*(?:\w+::)*"


def calls_of(function: str, text: str) -> int | None:
    """How often a text calls a function, definitions and declarations apart; None where it hands it on, or to any language."""
    if re.search(rf"\b{function}\b(?!\s*\()|\bextern\s+\"C\"[^;{{}}()]*\b{function}\b", text):
        return None
    return len(re.findall(rf"(?:[;{{}}:)=(,!?]|\breturn)\s*(?:\w+::)*{function}\s*\(", text))


def is_defined_once(function: str, text: str) -> bool:
    """Whether a text has one function of this name that is no template and no member of a class elsewhere."""
    return len(_head(function).findall(text)) == 1


def _head(function: str) -> re.Pattern[str]:
    """The head of a function's definition, from the beginning of its line to the brace, with what it takes."""
    head = rf"^[ \t]*(?!template\b|return\b|else\b)[A-Za-z_][^\n;{{}}()#=]*(?<!:)\b{function}\s*\(([^;{{}}]*)\)\s*\{{"
    return re.compile(head, re.MULTILINE)


def is_changed(name: str, body: str) -> bool:
    """Whether a body may change a variable that it has been passed, or that it has made with its value."""
    changes = (
        rf"(?<![\w.>])(?:(?<!& )&\s*{name}\b|(?:\+\+|--)\s*{name}\b|{name}\s*(?:[-+*/%|&^]?=(?!=)|<<=|>>=|\+\+|--))"
    )
    made = rf"\b(?!return\b|else\b)[A-Za-z_]\w*[\s*&]+{name}\s*=(?!=)"
    return len(re.findall(changes, body)) > len(re.findall(made, body))


def locals_in(body: str) -> set[str]:
    """The variables that a body declares, and some other names."""
    return set(_LOCAL.findall(body))


def parameter_names(chunk: str) -> list[str]:
    """The parameters of a function, from its name on."""
    opening = chunk.index("(")
    found = (_LAST_NAME.search(each) for each in arguments_of(chunk[opening + 1 : closing(chunk, opening)]))
    return [name[1] for name in found if name is not None]


def _opening_of(chunk: str) -> int:
    """Where the body of a function begins."""
    return max(0, chunk.find("{", closing(chunk, chunk.find("("))))


def body_of(chunk: str) -> str:
    """The body of a function with its braces."""
    opening = _opening_of(chunk)
    return chunk[opening : closing(chunk, opening) + 1]


def arguments_of(text: str) -> list[str]:
    """What stands between the commas of a call, without those in brackets."""
    found, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            found.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return [*found, last] if last or found else []


def closing(text: str, opening: int) -> int:
    """Where the bracket is closed, or the end of the text."""
    depth = 0
    for bracket in _BRACKETS.finditer(text, opening):
        depth += 1 if bracket[0] in "([{" else -1
        if depth == 0:
            return bracket.start()
    return len(text)


def outermost(body: str) -> Iterator[str]:
    """The letters of a body outside of the blocks in it; of those only the braces."""
    depth = 0
    for letter in body:
        depth -= letter == "}"
        if depth <= 1:
            yield letter
        depth += letter == "{"
