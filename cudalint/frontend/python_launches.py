"""The launches of the kernels in one compiled text, as host code in C++ behind that text.

    k = cp.RawKernel(source, "k")                 namespace py_host {
    def run(x):                                   void run(cupy::ndarray x) {
        k((x.size,), (256,), (x, x.size))         ::k<<<dim3(x.numel(), 1, 1), dim3(256, 1, 1), 0>>>((float *)(x.data_ptr()), ...);

What a kernel gets has the type of its parameter in the text. A number that is narrower than that is not known there, for the
library hands on the bytes that the number has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from cudalint.frontend.lexical import blank
from cudalint.frontend.python_host import Program, Signatures
from cudalint.frontend.python_host_arrays import address
from cudalint.frontend.python_host_values import (
    ITEMS,
    Array,
    Lost,
    Nothing,
    Number,
    Pointer,
    Real,
    Truth,
    Value,
    settings,
)
from cudalint.frontend.python_host_writer import LOST, AnyLine, LaunchLine, Line, Written
from cudalint.frontend.python_passed_numbers import PassedNumber, mistaken
from cudalint.frontend.python_text import NOWHERE, Text, joined, synthetic
from cudalint.frontend.python_values import HOLE, Compiled
from cudalint.source import SourceFile, Span

HEADER = "#include <cudalint_stubs/cupy.h>\n"
SPACE = "py_host"
_LAUNCHED = re.compile(r"(?P<scope>(?:\w+::)*)(?P<name>\w+)\s*(?:<(?P<given>.*)>)?\s*\Z", re.DOTALL)
_PARAMETER = re.compile(
    r"(?P<type>.*[\w\s*&>])(?<=[\s*&>])(?P<name>\w+)\s*(?P<array>(?:\[\s*\w*\s*\])?)\s*\Z", re.DOTALL
)
_ORDINARY = "float"  # where a template's types are worked out while the program runs
_NARROW = frozenset(
    ("int", "unsigned", "unsigned int", "signed", "int32_t", "uint32_t", "std::int32_t", "std::uint32_t")
)
_BYTES = {
    **dict.fromkeys(_NARROW, 4),
    **dict.fromkeys(("char", "signed char", "unsigned char", "int8_t", "uint8_t", "bool"), 1),
    **dict.fromkeys(("short", "unsigned short", "int16_t", "uint16_t"), 2),
    **dict.fromkeys(
        ("long", "unsigned long", "long long", "unsigned long long", "long int", "long long int", "size_t", "int64_t",
         "uint64_t", "ptrdiff_t", "ssize_t"), 8,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class HostText:
    """`words` are Python's for the names in it; `kernels` are those that it launches, `numbers` what these mistake."""

    text: Text
    words: Mapping[str, str]
    kernels: frozenset[str]
    numbers: tuple[PassedNumber, ...] = ()


def in_python(text: str, words: Mapping[str, str]) -> str:
    """What is said of the host code, in Python's words: `x.numel()` is `x.size`."""
    text = text.replace(f"{SPACE}::", "").replace("cupy::", "cupy.")
    for cpp, python in _METHODS:
        text = cpp.sub(python, text)
    text = re.sub(rf"result of ({LOST}\d+)", lambda m: f"{words.get(m[1], m[1])} is not known", text)
    return re.sub(r"\b\w+\b", lambda m: words.get(m[0], m[0]), text)


_METHODS = (
    (re.compile(r"\.numel\(\)"), ".size"),
    (re.compile(r"\.size\((-?\d+)\)"), r".shape[\1]"),
    (re.compile(r"\.dim\(\)"), ".ndim"),
    (re.compile(r"\.scalar_type\(\)"), ".dtype"),
    (re.compile(r"\.element_size\(\)"), ".itemsize"),
)


@dataclass(slots=True)
class KernelHeads(Signatures):
    """The kernels' parameters as their texts have them."""

    _known: dict[tuple[int, str], tuple[str, ...] | None] = field(default_factory=dict)
    _plain: dict[int, tuple[Text, str]] = field(default_factory=dict)

    def has_holes(self, compiled: Compiled) -> bool:
        return HOLE in compiled.text.chars or bool(compiled.text.through)

    def parameters(self, compiled: Compiled) -> tuple[str, ...] | None:
        key = id(compiled.text), compiled.kernel or ""
        if key not in self._known:
            if id(compiled.text) not in self._plain:
                self._plain[id(compiled.text)] = compiled.text, blank(compiled.text.chars).plain
            self._known[key] = _types(self._plain[id(compiled.text)][1], compiled.kernel or "")
        return self._known[key]

    def instance(self, compiled: Compiled) -> str | None:
        name = compiled.kernel or ""
        head = re.search(rf"\btemplate\s*<([^<>]*)>[^;{{}}()]*\b{re.escape(name)}\s*\(", compiled.text.chars)
        parts = _pieces(head[1]) if head else []
        only = parts and all(re.fullmatch(r"\s*(?:typename|class)\s+\w+\s*", part) for part in parts)
        return f"{name}<{', '.join(_ORDINARY for _ in parts)}>" if only else None


def _types(text: str, kernel: str) -> tuple[str, ...] | None:
    """The types of a kernel's parameters, with the arguments of its template in place of their names."""
    asked = _LAUNCHED.match(kernel)
    if asked is None:
        return None
    head = re.search(rf"\b{re.escape(asked['name'])}\s*\((?P<list>[^(){{}};]*)\)\s*\{{", text)
    if head is None:
        return None
    before = text[max(text.rfind(end, 0, head.start()) for end in ";{}") + 1 : head.start()]
    if "__global__" not in before:
        return None
    pieces = _pieces(head["list"]) if head["list"].strip() else []
    found = []
    for piece in pieces:
        match = _PARAMETER.match(piece.strip())
        if match is None or not match["type"].strip():
            return None
        type_ = " ".join(match["type"].split()) + (" *" if match["array"] else "")
        found.append(type_.replace("__restrict__", "").replace("__restrict", "").strip())
    given = _pieces(asked["given"]) if asked["given"] else []
    named = re.search(r"template\s*<(?P<names>[^<>]*)>", before)
    names = [re.findall(r"\w+\s*\Z", part.split("=")[0].strip()) for part in _pieces(named["names"])] if named else []
    if len(given) != len(names):
        return None
    values = {name[0].strip(): value.strip() for name, value in zip(names, given) if name}
    return tuple(re.sub(r"\w+", lambda m: values.get(m[0], m[0]), type_) for type_ in found)


def _pieces(text: str) -> list[str]:
    """Parts between commas that stand in no angle brackets."""
    parts, depth, start = [], 0, 0
    for place, char in enumerate(text):
        depth += (char == "<") - (char == ">")
        if char == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]


def host_text(program: Program, unit: Text, kernels: frozenset[str]) -> HostText | None:
    """The functions of the file that lead to launches of the unit's kernels; None where none does."""
    return _Rendered(program, unit, kernels).text()


def _closure(calls: Mapping[str, set[str]], start: set[str]) -> set[str]:
    """The functions that these call, and they themselves."""
    found, pending = set(start), sorted(start)
    while pending:
        more = sorted(calls.get(pending.pop(), set()) - found)
        found |= set(more)
        pending += more
    return found


class _Rendered:
    def __init__(self, program: Program, unit: Text, kernels: frozenset[str]) -> None:
        self._program, self._unit, self._kernels = program, unit, kernels
        self._named = {each.name: each for each in program.written}
        self._launched: set[str] = set()
        self._numbers: list[PassedNumber] = []

    def text(self) -> HostText | None:
        wanted = self._wanted()
        if not wanted:
            return None
        pieces = [piece for made in self._program.written if made.name in wanted for piece in self._function(made)]
        body = "".join(piece.chars for piece in pieces)
        names = self._program.names
        used = sorted(set(re.findall(rf"\b{LOST}\d+\b", body)), key=lambda name: int(name[len(LOST) :]))
        at = next((at for piece in pieces for at in piece.at if at != NOWHERE), NOWHERE)
        declared = [synthetic(f"{names.lost[name]} {name}();\n", at) for name in used]
        opening, closing = synthetic(f"\nnamespace {SPACE} {{\n", at), synthetic("}\n", at)
        written = {*re.findall(r"\w+", body), *used}
        words = {name: said for name, said in names.shown.items() if name in written}
        words[SPACE] = ""
        text, numbers = joined([opening, *declared, *pieces, closing]), tuple(dict.fromkeys(self._numbers))
        return HostText(text, words, frozenset(self._launched), numbers)

    def _is_ours(self, line: LaunchLine) -> bool:
        asked = _LAUNCHED.match(line.kernel.kernel or "")
        text = line.kernel.text
        same = text is self._unit or (text.chars == self._unit.chars and text.at == self._unit.at)
        return asked is not None and asked["name"] in self._kernels and same

    def _wanted(self) -> set[str]:
        """Functions from which a launch of the unit is reached, and what these call."""
        calls = {m.name: {e.calls for e in m.lines if isinstance(e, Line) and e.calls} for m in self._program.written}
        reached = _closure(calls, {m.name for m in self._program.written if m.free})
        found = {
            m.name
            for m in self._program.written
            if any(isinstance(e, LaunchLine) and self._is_ours(e) for e in m.lines)
        }
        before = -1
        while len(found) != before:
            before = len(found)
            found |= {name for name, called in calls.items() if called & found}
        return _closure(calls, found & reached)

    def _function(self, made: Written) -> Iterator[Text]:
        results = made.results()
        type_ = "void"
        if len(results) == 1:
            type_ = results[0]
        elif results:
            type_ = f"{made.name}_result"
            members = " ".join(f"{each} part{place};" for place, each in enumerate(results))
            yield synthetic(f"struct {type_} {{ {members} }};\n", made.at)
        yield synthetic(f"{type_} {made.name}({', '.join(made.parameters)}) {{\n", made.at)
        for line in made.lines:
            yield from (synthetic(f"{text}\n", line.at) for text in self._lines(line, made))
        yield synthetic("}\n", made.at)

    def _lines(self, line: AnyLine, made: Written) -> Iterator[str]:
        if isinstance(line, Line):
            yield line.text
        elif isinstance(line, LaunchLine):
            if self._is_ours(line):
                yield self._launch(line)
        else:
            yield self._return(line.value, made)

    def _return(self, value: Value, made: Written) -> str:
        results = made.results()
        pairs = None if made.result is None else settings(made.result, value)
        if not results:
            taken = isinstance(value, Array) and value.text.isidentifier()  # by callers that nobody has seen
            return f"(void){value.text}; return;" if isinstance(value, Array) and taken else "return;"
        known = pairs is not None and len(pairs) == len(results)
        texts = (
            [self._plain(leaf) for _, leaf in pairs or ()] if known else [self._lost(t, "a result") for t in results]
        )
        return f"return {texts[0]};" if len(texts) == 1 else f"return {{{', '.join(texts)}}};"

    def _plain(self, leaf: Value) -> str:
        if isinstance(leaf, Array) and leaf.start is not None:
            return self._program.names.lose("cupy::ndarray", f"part of {leaf.text}")
        return str(getattr(leaf, "text", ""))

    # --- a launch ----------------------------------------------------------------------------------------------------------

    def _launch(self, line: LaunchLine) -> str:
        asked = _LAUNCHED.match(line.kernel.kernel or "")
        assert asked is not None
        self._launched.add(asked["name"])
        template = f"<{asked['given']}>" if asked["given"] else ""
        types = self._program.signatures.parameters(line.kernel)
        values = line.arguments
        if types is None:
            self._program.unread.setdefault(line.at, f"the parameters of `{asked['name']}` are not understood")
            return ""
        if values is None or len(values) != len(types):
            why = "its arguments" if values is None else f"{len(values)} arguments for {len(types)} parameters"
            given = [self._lost(type_, why) for type_ in types]
        else:
            given = [self._argument(type_, value) for type_, value in zip(types, values)]
            self._compare(line, asked["name"], types, values)
        name = f"::{asked['scope']}{asked['name']}{template}"
        return f"{name}<<<{line.grid}, {line.block}, {line.shared}>>>({', '.join(given)});"

    def _compare(self, line: LaunchLine, kernel: str, types: tuple[str, ...], values: tuple[Value, ...]) -> None:
        """The numbers whose bytes the kernel takes for another type."""
        for place, (type_, value) in enumerate(zip(types, values), 1):
            if not line.converts and (found := mistaken(type_, value)) is not None:
                self._numbers.append(PassedNumber(line.at, kernel, place, *found))

    def _argument(self, type_: str, value: Value) -> str:
        written = value.written if isinstance(value, Lost) else ""
        if "*" in type_:
            return self._pointer(type_, value)
        plain = type_.replace("const", "").strip()
        if isinstance(value, Number):
            passed = ITEMS[value.item][1] if value.item else 8
            if plain in _BYTES and _BYTES[plain] <= passed and plain != "bool":
                return f"({plain})({value.text})"
            return self._lost(type_, value.text)
        if isinstance(value, Truth) and plain == "bool":
            return value.text
        if isinstance(value, Real) and plain in ("float", "double"):
            return f"({plain})py_number()"
        return self._lost(type_, written or "a value of another type")

    def _pointer(self, type_: str, value: Value) -> str:
        match value:
            case Array():
                text = address(value)
            case Pointer():
                text = value.text
            case Nothing():
                text = "nullptr"
            case _:
                text = None
        if text is None:
            return self._lost(type_, value.written if isinstance(value, Lost) else "an address")
        return f"({type_})({text})"

    def _lost(self, type_: str, written: str) -> str:
        return self._program.names.lose(re.sub(r"\bconst\b(?![^*]*\*)", "", type_).strip(), written)


def span_at(host: SourceFile, offset: int) -> Span:
    """The place of an offset in a file."""
    line = host.text.count("\n", 0, offset) + 1
    column = offset - host.text.rfind("\n", 0, offset)
    return Span(host.path, line, column, line, column + 1)
