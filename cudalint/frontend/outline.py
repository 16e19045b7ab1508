"""The text of a file as a tree with its functions, constants and names of types; made where a rule asks for it."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from cudalint.frontend.header_names import NO_NAMES, HeaderNames
from cudalint.frontend.loop_heads import plain_loop_heads
from cudalint.frontend.macro_blocks import plain_blocks
from cudalint.frontend.plain_forms import Places, joined, places, plain_pieces
from cudalint.ir.syntax import Outline, Syntax, TextFunction
from cudalint.source import SourceFile

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, TreeCursor

LARGEST = 1_500_000
_TRANSPARENT = {"parenthesized_expression", "condition_clause", "subscript_argument_list", "expression_statement"}
_PRAGMA = re.compile(
    r"^[ \t]*[A-Z_][A-Z0-9_]{3,}(?:\([^()\n]*\))?[ \t]*\n(?=[ \t]*(?:for|while|if|do)\b)", re.MULTILINE
)
_ALIGNED = re.compile(r"\b__shared__\s+((?:__align__|alignas)\s*\()")
_OFF = re.compile(r"^[ \t]*//[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_ON = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_CONDITION = re.compile(r"[ \t]*#[ \t]*(if|ifdef|ifndef|else|elif|elifdef|endif)\b[ \t]*(\w*)")
_LOOPS = re.compile(r"LOOP|STRIDE")
_MARK = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+[^\n(]*__device__", re.MULTILINE)
_DEVICE = re.compile(
    r"__device__|_DEVICE\b|_DEVICE_INLINE\b|DEVICE_INLINE\b|\bHOSTDEVICE\b|DEVICE_FUNC(?:TION)?\b|_XINLINE\b"
)
_WORD = re.compile(r"\w+")
_DEFINED = re.compile(r"[ \t]*#[ \t]*if[ \t]+(!?)[ \t]*defined[ \t]*\(?[ \t]*(\w+)[ \t]*\)?[ \t]*(?://.*|/\*.*)?$")
_OF_HIP = frozenset(
    ("__HIP__", "__HIPCC__", "__HIP_DEVICE_COMPILE__", "__HIP_PLATFORM_AMD__", "__HIP_PLATFORM_HCC__", "USE_ROCM")
)  # what its compiler defines, or a build for it, and no other
_DIM3 = re.compile(r"\bdim3\s+(?:const\s+)?\w+\s*\(")
_NEXT_DIM3 = re.compile(r"\s*,\s*\w+\s*\(")
_ASIDE = re.compile(r"//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|\"[^\"\n]*\"", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.DOTALL)
_NUMBER = re.compile(r"[()\s+\-*/%<>|&0-9xXa-fA-FuUlL]+")
_SUFFIX = re.compile(r"(?<=[0-9a-fA-F])[uUlL]+\b")
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\n/]+?)[ \t]*(?://[^\n]*|/\*[^\n]*)?$", re.MULTILINE)


def outline(source: SourceFile, headers: HeaderNames = NO_NAMES) -> Outline:
    """The outline of a file; empty for one that is too large. What the file says itself counts before its headers."""
    text = _switched_on(source.text) if len(source.text) <= LARGEST else ""
    text = _with_first_branches(text)
    text = plain_blocks(text, _unquoted(text))
    text = plain_loop_heads(text, _unquoted(text)) if _LOOPS.search(text) else text
    parsed = _braced(_unaligned(text))
    root = _Reader(source).convert(_parser().parse(parsed.encode("ascii", "replace")).root_node)
    pieces = plain_pieces(root, len(parsed))
    if pieces:
        written = SourceFile(source.path, source.absolute, joined(pieces, source.text))
        tree = _parser().parse(joined(pieces, parsed).encode("ascii", "replace"))
        root = _Reader(written, _Lines(source.text, places(pieces))).convert(tree.root_node)
    constants = _constants(text, root)
    types: dict[str, str] = {}
    members: dict[str, str] = {}
    for node in root.walk():
        _note_type(node, types)
        if node.kind == "field_declaration":
            _note_member(node, members)
    types, members = {**headers.types, **types}, {**headers.members, **members}
    return Outline(
        source.path, root, tuple(_functions(root, frozenset(_MARK.findall(text)))), constants, types, members
    )


def _switched_on(text: str) -> str:
    """Without what stands under `#ifdef X` where the file holds `//#define X` only: somebody has switched it off.

    What is for HIP alone is off, too, but in files that are written for it.
    """
    off = set(_OFF.findall(text)) | (set() if "hip_runtime" in text else {x for x in _OF_HIP if x in text})
    off -= {match[1] for match in _ON.finditer(text)}
    if not off:
        return text
    lines = text.split("\n")
    depths: list[bool] = []  # for each open condition, whether it stands for code that is off
    opposite: list[bool] = []  # whether what its `#else` is for does
    for number, line in enumerate(lines):
        directive = _CONDITION.match(line)
        if directive is None:
            lines[number] = " " * len(line) if any(depths) else line
        elif directive[1].startswith("if"):
            asked, name = _asked(line, directive[1], directive[2])
            depths.append(asked == "ifdef" and name in off)
            opposite.append(asked == "ifndef" and name in _OF_HIP & off)
        elif depths and directive[1] == "endif":
            depths.pop()
            opposite.pop()
        elif depths:
            depths[-1] = opposite[-1]
    return "\n".join(lines)


def _asked(line: str, kind: str, name: str) -> tuple[str, str]:
    """`#if defined(X)` is `#ifdef X`."""
    defined = _DEFINED.match(line)
    return (kind, name) if defined is None else ("ifndef" if defined[1] else "ifdef", defined[2])


def _with_first_branches(text: str) -> str:
    """Of conditions that open or close blocks in one branch only, the first branch: a tree needs every brace once.

    #ifdef FAST                                       if (fast) {
        if (fast) {                         ->
    #else
        {
    #endif
    """
    if "#" not in text:
        return text
    clean = _unquoted(text).split("\n")
    lines = text.split("\n")
    open_groups: list[list[int]] = []  # the lines of the directives of each condition
    nets: list[list[int]] = []  # how many braces each of its branches leaves open
    for number, line in enumerate(clean):
        directive = _CONDITION.match(line)
        if directive is None:
            if nets:
                nets[-1][-1] += line.count("{") - line.count("}")
        elif directive[1] in ("if", "ifdef", "ifndef"):
            open_groups.append([number])
            nets.append([0])
        elif open_groups and directive[1] != "endif":
            open_groups[-1].append(number)
            nets[-1].append(0)
        elif open_groups:
            group, net = [*open_groups.pop(), number], nets.pop()
            if any(net):
                _blank_but_first(lines, group)
            if nets:
                nets[-1][-1] += net[0]
    return "\n".join(lines)


def _unquoted(text: str) -> str:
    """What is quoted or commented is blank."""
    return _QUOTED.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def _blank_but_first(lines: list[str], group: list[int]) -> None:
    lines[group[0]] = " " * len(lines[group[0]])
    for number in range(group[1], group[-1] + 1):
        lines[number] = " " * len(lines[number])


def _braced(text: str) -> str:
    """`dim3 grid(rows, cols)` with braces, since it reads as a function's declaration; macros before loops are blank."""
    text = _PRAGMA.sub(lambda m: " " * (len(m[0]) - 1) + "\n", text)
    pieces: list[str] = []
    at = 0
    for match in _DIM3.finditer(text):
        begin, end = match.end() - 1, _closing(text, match.end() - 1)
        if match.start() < at or end is None:
            continue
        while end is not None:
            pieces += [text[at:begin], "{", text[begin + 1 : end], "}"]
            at = end + 1
            following = _NEXT_DIM3.match(text, at)
            begin = following.end() - 1 if following is not None else at
            end = _closing(text, begin) if following is not None else None
    return "".join([*pieces, text[at:]])


def _unaligned(text: str) -> str:
    """Shared arrays without `__align__(alignof(T))`, which reads as their name."""
    for match in reversed(list(_ALIGNED.finditer(text))):
        end = _closing(text, match.end() - 1)
        if end is not None:
            blank = re.sub(r"[^\n]", " ", text[match.start(1) : end + 1])
            text = text[: match.start(1)] + blank + text[end + 1 :]
    return text


def _closing(text: str, start: int) -> int | None:
    depth = 0
    for position in range(start, min(len(text), start + 2_000)):
        if text[position] == "(":
            depth += 1
        elif text[position] == ")":
            depth -= 1
            if depth == 0:
                return position
    return None


@cache
def _parser() -> Parser:
    import tree_sitter_cuda
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_cuda.language()))


class _Lines:
    """Lines and columns in the text of the file, of offsets in the text in plain words."""

    def __init__(self, text: str, places: Places) -> None:
        self._places = places
        self._begins = [0, *(match.end() for match in re.finditer("\n", text))]

    def place(self, start: int, end: int) -> tuple[int, int, int, int]:
        first, last = sorted((self._places.start(start), self._places.end(end)))
        return (*self._point(first), *self._point(last))

    def _point(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._begins, offset)
        return line, offset - self._begins[line - 1] + 1


class _Reader:
    """Converts the nodes of one tree, whose offsets are those of the characters."""

    def __init__(self, source: SourceFile, lines: _Lines | None = None) -> None:
        self._source = source
        self._lines = lines

    def convert(self, node: Node) -> Syntax:
        cursor = node.walk()
        children: list[list[Syntax]] = [[]]
        fields: list[list[str]] = [[]]
        ops: list[str] = [""]
        nodes: list[tuple[Node, str]] = [(node, "")]
        descending = True
        while True:
            if descending and cursor.goto_first_child():
                nodes.append((self._enter(cursor, ops), cursor.field_name or ""))
                children.append([])
                fields.append([])
                ops.append("")
                continue
            closed, field = nodes.pop()
            made = self._made(closed, children.pop(), fields.pop(), ops.pop())
            if not nodes:
                return made
            if closed.is_named and closed.type != "comment":
                children[-1].append(made)
                fields[-1].append(field)
            descending = cursor.goto_next_sibling()
            if descending:
                nodes.append((self._enter(cursor, ops), cursor.field_name or ""))
                children.append([])
                fields.append([])
                ops.append("")
            else:
                cursor.goto_parent()

    def _enter(self, cursor: TreeCursor, ops: list[str]) -> Node:
        node = cursor.node
        assert node is not None
        written = _SPELLED.get(node.type, node.type)
        if not node.is_named and not ops[-1] and written in _OPERATORS:
            ops[-1] = written
        return node

    def _made(self, node: Node, children: list[Syntax], fields: list[str], op: str) -> Syntax:
        kind = node.type
        if kind in _TRANSPARENT and len(children) == 1:
            return children[0]
        if len(children) != _SIDES.get(kind, len(children)):  # an error stands between its sides
            kind = "ERROR"
        if self._lines is None:
            (line, column), (end_line, end_column) = node.start_point, node.end_point
            place = (line + 1, column + 1, end_line + 1, end_column + 1)
        else:
            place = self._lines.place(node.start_byte, node.end_byte)
        return Syntax(kind, self._source, node.start_byte, node.end_byte, place, tuple(children), tuple(fields), op)


_SIDES = {"binary_expression": 2, "assignment_expression": 2, "conditional_expression": 3}
_SPELLED = {"and": "&&", "or": "||", "not": "!"}
_OPERATORS = frozenset(
    [
        "*",
        "&",
        "|",
        "^",
        "~",
        "!",
        "+",
        "-",
        "/",
        "%",
        "<<",
        ">>",
        "<",
        "<=",
        ">",
        ">=",
        "==",
        "!=",
        "&&",
        "||",
        "++",
        "--",
        "=",
        "+=",
        "-=",
        "*=",
        "/=",
        "%=",
        "<<=",
        ">>=",
        "|=",
        "&=",
        "^=",
    ]
)


# --- functions ---------------------------------------------------------------------------------------------------------


def _functions(root: Syntax, marks: frozenset[str]) -> list[TextFunction]:
    """Every definition; `marks` are macros of the file that stand for `__device__`."""
    found: list[TextFunction] = []
    stack: list[tuple[Syntax, frozenset[str]]] = [(root, frozenset())]
    while stack:
        node, template = stack.pop()
        if node.kind == "template_declaration":
            parameters = node.child("parameters")
            template |= {n.text for n in (parameters.walk() if parameters else ()) if n.kind.endswith("identifier")}
        if node.kind == "function_definition":
            function = _function(node, template, marks)
            if function is not None:
                found.append(function)
                continue
        stack.extend((child, template) for child in reversed(node.children))
    return found


def _function(node: Syntax, template: frozenset[str], marks: frozenset[str]) -> TextFunction | None:
    body, declarator = node.child("body"), _function_declarator(node.child("declarator"))
    if body is None or body.kind != "compound_statement" or declarator is None:
        return None
    name, parameters, result = declarator.child("declarator"), declarator.child("parameters"), node.child("type")
    return TextFunction(
        name.text if name else "",
        _role(_head(node.file.text, node.start, body.start), body.text, marks),
        result.text if result is not None and declarator is node.child("declarator") else "",
        () if parameters is None else parameters.children,
        body,
        node.span,
        template,
    )


def _function_declarator(node: Syntax | None) -> Syntax | None:
    while node is not None and node.kind != "function_declarator":
        inner = node.child("declarator")
        node = inner if inner is not None else (node.children[0] if node.children else None)
    return node


def _head(text: str, start: int, end: int) -> str:
    """What stands before a body, with what a macro behind `__global__` has cut off: `__global__ BOUNDS(N) void f()`."""
    begin = max(text.rfind(mark, 0, start) for mark in ";{}") + 1
    return _ASIDE.sub(" ", text[begin:start]) + text[start:end]


def _role(head: str, body: str, marks: frozenset[str]) -> str:
    if "__global__" in head or re.search(r"\b[A-Z]\w*_KERNEL\b", head):
        return "kernel"
    named = _DEVICE.search(head) is not None or not marks.isdisjoint(_WORD.findall(head))
    return "device" if named and ("__device__" in head or "#pragma omp" not in body) else "host"


# --- names -------------------------------------------------------------------------------------------------------------


def _constants(text: str, root: Syntax) -> dict[str, int]:
    """`#define N 16` and `constexpr int N = 16;` outside functions; a name with two values is none."""
    found: dict[str, set[int]] = {}
    spelled = [(m[1], m[2]) for m in _DEFINE.finditer(text)]
    spelled += [pair for node in _outside_functions(root) for pair in _constant_declaration(node)]
    for _ in range(3):
        known = {name: next(iter(values)) for name, values in found.items() if len(values) == 1}
        for name, expression in spelled:
            value = number_of(expression, known)
            if value is not None:
                found.setdefault(name, set()).add(value)
    return {name: next(iter(values)) for name, values in found.items() if len(values) == 1}


def _outside_functions(node: Syntax) -> Iterator[Syntax]:
    for child in node.children:
        if child.kind == "declaration":
            yield child
        elif child.kind != "compound_statement":
            yield from _outside_functions(child)


def _constant_declaration(node: Syntax) -> list[tuple[str, str]]:
    head = node.text.partition("=")[0]
    if "const" not in head:
        return []
    pairs: list[tuple[str, str]] = []
    for declarator in node.all("declarator"):
        name, value = declarator.child("declarator"), declarator.child("value")
        if name is not None and value is not None and name.kind == "identifier":
            pairs.append((name.text, value.text))
    return pairs


def number_of(expression: str, known: dict[str, int]) -> int | None:
    """The value of a constant expression of integers and known names."""
    replaced = re.sub(r"\b[A-Za-z_]\w*\b", lambda m: str(known.get(m[0], m[0])), expression)
    if len(replaced) > 80 or not _NUMBER.fullmatch(replaced):
        return None
    try:
        return _fold(ast.parse(_SUFFIX.sub("", replaced).replace("/", "//").strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError):
        return None


def _fold(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_fold(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _FOLDS:
        left, right = _fold(node.left), _fold(node.right)
        if isinstance(node.op, ast.LShift) and not 0 <= right < 64:
            raise ValueError(node)
        return _FOLDS[type(node.op)](left, right)
    raise ValueError(node)


_FOLDS = {
    ast.Add: int.__add__,
    ast.Sub: int.__sub__,
    ast.Mult: int.__mul__,
    ast.FloorDiv: int.__floordiv__,
    ast.Mod: int.__mod__,
    ast.LShift: int.__lshift__,
    ast.RShift: int.__rshift__,
    ast.BitAnd: int.__and__,
    ast.BitOr: int.__or__,
}


def _note_type(node: Syntax, types: dict[str, str]) -> None:
    if node.kind == "type_definition":
        target, name = node.child("type"), node.child("declarator")
    elif node.kind == "alias_declaration":
        name, target = node.child("name"), node.child("type")
    else:
        return
    if target is not None and name is not None:
        types[name.text] = target.text


def _note_member(node: Syntax, members: dict[str, str]) -> None:
    """Members with one type in the whole file; of `qs[16]` the elements are noted as `qs[]`."""
    written = node.child("type")
    for declarator in node.all("declarator"):
        element = declarator.child("declarator") if declarator.kind == "array_declarator" else None
        if written is not None and element is not None and element.kind == "field_identifier":
            name = f"{element.text}[]"
            members[name] = written.text if members.get(name, written.text) == written.text else "?"
        if written is not None and declarator.kind in ("field_identifier", "pointer_declarator"):
            name = declarator.text.lstrip("* &")
            spelled = written.text + ("*" if declarator.kind == "pointer_declarator" else "")
            members[name] = spelled if members.get(name, spelled) == spelled else "?"
