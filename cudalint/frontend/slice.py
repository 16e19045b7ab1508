"""Cut one kernel out of its file: a source that NVRTC takes as it is, with every line where it was.

    #include <vector>                    (blank)
    constexpr int B = 64;                constexpr int B = 64;
    __device__ float f(float);    ->     __device__ float f(float);
    __global__ void k(float* x) {...}    __global__ void k(float* x) {...}
    int main() { k<<<1, B>>>(x); }       (blank)

The text is split into top-level items by matching brackets; from the kernel on, an item is kept when an item that is
kept names something that it declares. Directives stay, apart from headers that only a host compiler has. Headers in
quotes are put in their place where they exist, with `#line`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from cudalint.frontend.dialect_errors import as_written
from cudalint.frontend.lexical import Blanked, Brackets, blank
from cudalint.frontend.slice_prelude import prelude_of
from cudalint.source import SourceFile

MAX_HEADERS = 64
MAX_BYTES = 4_000_000
DEVICE_HEADERS = re.compile(
    r"cuda_(?:fp16|bf16|fp8|fp6|fp4|pipeline|awbarrier)(?:_\w+)?\.hp?p?|cooperative_groups[\w/]*\.h|mma\.h"
    r"|curand_(?:kernel|uniform|normal|lognormal|poisson|discrete\w*|philox4x32_x|globals|mtgp32\w*|precalc)\.h"
    r"|cuda/(?!memory_resource|stream).*|(?:cub|nv)/.*"  # those two are for the host
)
_INCLUDE = re.compile(r"[ \t]*#[ \t]*include[ \t]*(<[^>\n]+>|\"[^\"\n]+\")")
_INCLUDED = re.compile(r"<([^>\n]+)>")
_DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)((?:[^\n\\]|\\\r?\n|\\.)*)")
_PRAGMA_ONCE = re.compile(r"[ \t]*#[ \t]*pragma[ \t]+once\b")
_WORD = re.compile(r"[A-Za-z_]\w*")
_STOP = re.compile(r"[(\[{;}]")
_NAMESPACE = re.compile(r"\s*(?:inline\s+)?namespace\b\s*(?:\[\[.*?\]\]\s*|[A-Z][A-Z0-9_]*\s+(?=\w))*([\w:]*)\s*$")
_LINKAGE = re.compile(r"\s*extern\s*$")
_DECLARED = re.compile(r"([A-Za-z_]\w*)\s*(?=[;\[=,({<]|:(?!:)|$)")
_DEVICE_NAMESPACES = {"cooperative_groups", "nvcuda", "cuda", "cub"}
_ALIAS = re.compile(r"\s*using\s+(\w+)\s*=")
_INITIALISER = re.compile(r"=[^=,;<>]*")
_OTHER_DECLARATION = re.compile(
    r"\b(?:typedef|using|struct|class|union|enum|template|namespace|static_assert|concept)\b|^[\s;}]*$"
)
_CONSTANT = re.compile(r"\b(?:const|constexpr|constinit|__shared__|__constant__|__device__|__managed__)\b|\[\[")
_MADE_INSTANCES = re.compile(r"(?:\([^)]*\))?(?:\s|\\)*template\b(?!\s*<)")
_CALLED = re.compile(r"\s*(\w+)\s*\(")
_CALL = re.compile(r"\b(\w+)\s*\(")
_TEMPLATE = re.compile(r"\s*template\s*<")
_VALUE_PARAMETER = re.compile(r"(?!typename\b|class\b|template\b)([\w:]+(?:\s+\w+)*?)\s+\w+")
_ARITHMETIC = re.compile(r"(?:(?:unsigned|signed|int|long|short|char|size_t|u?int\d+_t|auto)\s?)+")
_INSTANTIATION = re.compile(r"\s*(?:extern\s+)?template\b(?!\s*<)")
_NOT_NAMES = {
    *("template", "operator", "requires", "decltype", "sizeof", "alignas", "__align__", "__launch_bounds__"),
    *("__attribute__", "enum", "struct", "class", "union", "int", "unsigned", "float", "double", "void", "const"),
    *("noexcept", "override", "final", "default", "delete", "nullptr", "auto", "typename", "explicit", "bool", "const"),
    *("static", "constexpr", "__device__", "__global__", "__constant__", "__host__", "inline", "__forceinline__"),
}
_MEMORY_OR_SPACE = re.compile(r"\b__(?:device|global)__\b")
_HOST_TYPE = re.compile(
    r"\bstd::(?:string|w?ostream|\w*stringstream|vector|map|set|unordered_\w+|list|deque|function|exception|\w+_error"
    r"|(?:shared|unique)_ptr|thread|mutex|basic_string)\b|\bthrust::\w+"
)
_POINTER_TO_FUNCTION = re.compile(r"\(\s*\*\s*(\w+)\s*\)\s*\(")
_HOST = re.compile(r"\b__host__\b|\boperator\s+(?:new|delete)\b")
_ACCESSOR = re.compile(r"\b\w*TensorAccessor\w*")  # of torch: pointer, sizes and strides in one parameter
_MEMBER_END = re.compile(r"[{;]")
_ACCESS = re.compile(r"\s*(?:public|private|protected)\s*:")
_DEVICE = re.compile(r"\b(?:__device__|__global__|constexpr|consteval)\b")

MATRICES = "mma.h"  # asks for a header that some installations lack
MATRIX_WORDS = {
    "nvcuda", "wmma", "fragment", "load_matrix_sync", "store_matrix_sync", "fill_fragment", "mma_sync", "bmma_sync",
}  # fmt: skip

CUB = re.compile(r"cub/(?:cub\.cuh|device/.*)")  # hold host code, these do not
CUB_HEADERS = (
    *(f"cub/block/block_{n}.cuh" for n in ("load", "store", "reduce", "scan", "exchange", "radix_sort", "shuffle")),
    *(f"cub/warp/warp_{n}.cuh" for n in ("reduce", "scan", "load", "store", "exchange")),
)


class CannotSlice(Exception):
    """The kernel cannot be cut out; the text says why."""


@dataclass(frozen=True, slots=True)
class Slice:
    """`text` for NVRTC; `name_expression` names the instance; `includes` are the headers that it asks the toolkit for."""

    text: str
    name_expression: str
    includes: tuple[str, ...]


def slice_for_nvrtc(
    source: SourceFile, kernel_name: str, template_args: tuple[str, ...] = (), includes: tuple[str, ...] = ()
) -> Slice:
    """The slice of one kernel; `kernel_name` may be qualified. Headers are looked for beside their file, then in `includes`.

    Raises CannotSlice.
    """
    files = _Files(replace(source, text=as_written(source.text)), includes)
    simple = kernel_name.split("<")[0].split("::")[-1]
    kernel = files.kernel(simple)
    if accessor := _ACCESSOR.search(files.header(kernel)):
        raise CannotSlice(f"it takes a `{accessor[0]}`, which no device header has")
    kept = _reachable(files, kernel, frozenset(_WORD.findall(" ".join(template_args))))
    kept -= {item for item in kept if simple in item.names and files.is_wrapper(item)}
    files.leave_out_matrices(kept)
    files.leave_out_cub(kept)
    written = "\n".join(line.rstrip() for line in files.render(kept, kernel).split("\n"))
    qualified = "::".join((*kernel.namespaces, simple))
    header = files.header(kernel)
    template = f"<{', '.join(_written_arguments(header, template_args))}>" if template_args else ""
    prelude = prelude_of(written)
    path = source.path.replace("\\", "/").replace('"', "'")
    return Slice(f'{prelude}#line 1 "{path}"\n{written}', qualified + template, tuple(sorted(files.device_headers)))


def _written_arguments(header: str, arguments: tuple[str, ...]) -> list[str]:
    """Values in the types of their parameters: libclang gives numbers for truth values and enumerators."""
    types = _parameter_types(header)
    written = []
    for place, argument in enumerate(arguments):
        type_ = types[place] if place < len(types) else ""
        if type_ == "bool" and argument.lstrip("-").isdigit():
            argument = "false" if argument == "0" else "true"
        elif argument.lstrip("-").isdigit() and type_ and not _ARITHMETIC.fullmatch(type_):
            argument = f"({type_}){argument}"
        written.append(argument)
    return written


def _parameter_types(header: str) -> list[str]:
    """Of `template <typename T, bool Full = true, Kind kind>`: `` (a type), `bool`, `Kind`."""
    pieces = [piece.split("=")[0].strip() for piece in _template_parameters(header)[0]]
    declared = map(_VALUE_PARAMETER.fullmatch, pieces)
    return [" ".join(each[1].split()).removeprefix("const ") if each else "" for each in declared]


def _template_parameters(header: str) -> tuple[list[str], int]:
    """The parameters as written, and where `template <...>` ends; 0 where the text does not begin with it."""
    begin = _TEMPLATE.match(header)
    if begin is None:
        return [], 0
    pieces, depth = [""], 1
    for place, letter in enumerate(header[begin.end() :], begin.end()):
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(letter, 0)
        if depth == 0:
            return pieces, place + 1
        if letter == "," and depth == 1:
            pieces.append("")
        else:
            pieces[-1] += letter
    return pieces, 0


# --- files and items ---------------------------------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class _Item:
    """`text[start:end]` at the top level or in a namespace. A directive is an item that is always written."""

    start: int
    end: int
    names: frozenset[str]
    uses: frozenset[str]
    namespaces: tuple[str, ...] = ()
    function: bool = False
    device: bool = True
    directive: bool = False
    always: bool = False


@dataclass(slots=True)
class _Macros:
    """The macros whose calls say what an item is."""

    device: set[str] = field(default_factory=set)
    instantiations: set[str] = field(default_factory=set)
    openers: set[str] = field(default_factory=set)  # `TABLE_BEGIN(int, squares, 4)`: an initialiser up to a closer
    closers: set[str] = field(default_factory=set)


@dataclass(eq=False, slots=True)
class _File:
    path: str
    blanked: Blanked
    brackets: Brackets
    items: list[_Item]
    headers: dict[int, tuple[int, _File | None, bool]] = field(default_factory=dict)  # start: end, inlined, kept
    replaced: dict[int, tuple[int, str]] = field(default_factory=dict)  # directives and what stands for them


class _Files:
    """The file and the project headers that it includes."""

    def __init__(self, source: SourceFile, includes: tuple[str, ...]) -> None:
        self._includes = includes
        self.device_headers: set[str] = set()
        self._seen: set[str] = set()
        self._size = 0
        self.macros = _Macros()
        self.all: list[_File] = []
        self._matrices: list[tuple[_File, int]] = []
        self._cub: list[tuple[_File, int]] = []
        self.main = self._read(source.path, source.text, Path(source.absolute))

    def kernel(self, name: str) -> _Item:
        for file in self.all:
            for item in file.items:
                if item.function and name in item.names and self._is_kernel(file, item):
                    return item
        raise CannotSlice(f"no definition of kernel `{name}` was found in its file")

    def is_wrapper(self, item: _Item) -> bool:
        """The host declares a function of its own, which may have the name of a kernel."""
        return not item.function and not item.directive and not item.uses & {"__global__", *self.macros.device, "using"}

    def header(self, item: _Item) -> str:
        """The item's text up to its body."""
        file = next(file for file in self.all if item in file.items)
        return file.blanked.code[item.start : item.end].split("{")[0]

    def _is_kernel(self, file: _File, item: _Item) -> bool:
        header = file.blanked.code[item.start : item.end].split("{")[0]
        words = set(_WORD.findall(header))
        return "__global__" in words or bool(words & self.macros.device)

    def _read(self, path: str, text: str, absolute: Path) -> _File:
        self._seen.add(str(absolute))
        self._size += len(text)
        if self._size > MAX_BYTES or len(self._seen) > MAX_HEADERS:
            raise CannotSlice(f"the file and its headers are larger than {MAX_BYTES} characters or {MAX_HEADERS} files")
        blanked = blank(text)
        file = _File(path, blanked, Brackets(blanked), [])
        self._directives(file, absolute)
        file.items += _items(blanked, file.brackets, self.macros)
        self.all.append(file)
        return file

    def _directives(self, file: _File, absolute: Path) -> None:
        text = file.blanked.plain
        for match in re.finditer(r"^[ \t]*#", text, re.MULTILINE):
            if include := _INCLUDE.match(text, match.start()):
                self._include(file, include, absolute)
            elif define := _DEFINE.match(text, match.start()):
                body = frozenset(_WORD.findall(define[2]))
                if _MADE_INSTANCES.match(define[2]):
                    self.macros.instantiations.add(define[1])
                if body & {"__global__", "__device__"}:
                    self.macros.device.add(define[1])
                if unclosed := define[2].count("{") - define[2].count("}"):
                    (self.macros.openers if unclosed > 0 else self.macros.closers).add(define[1])
                item = _Item(define.start(), define.end(), frozenset({define[1]}), body, directive=True)
                file.items.append(item)
            elif once := _PRAGMA_ONCE.match(text, match.start()):
                file.headers[once.start()] = (once.end(), None, False)

    def _include(self, file: _File, include: re.Match[str], absolute: Path) -> None:
        name = include[1][1:-1]
        if CUB.fullmatch(name):
            self.device_headers.update(CUB_HEADERS)
            lines = "\n".join(f"#include <{header}>" for header in CUB_HEADERS)
            file.replaced[include.start()] = (include.end(), lines)
            self._cub.append((file, include.start()))
            return
        if DEVICE_HEADERS.fullmatch(name):
            self.device_headers.add(name)
            file.headers[include.start()] = (include.end(), None, True)
            if name == MATRICES:
                self._matrices.append((file, include.start()))
            return
        header = self._header(absolute.parent, name, include[1].startswith('"'))
        inlined = None
        if header is not None and str(header) not in self._seen:
            try:
                inlined = self._read(name, header.read_text(encoding="utf-8").replace("\r\n", "\n"), header)
            except (OSError, UnicodeDecodeError):
                raise CannotSlice(f"the header {name} cannot be read") from None
        file.headers[include.start()] = (include.end(), inlined, False)

    def leave_out_matrices(self, kept: set[_Item]) -> None:
        """The header of matrix fragments and the names of its namespace go where nothing uses them."""
        named = {item for item in kept if item.uses & MATRIX_WORDS}
        if any(item.function or not item.always for item in named):
            return
        kept -= named
        self.device_headers.discard(MATRICES)
        for file, start in self._matrices:
            file.headers[start] = (file.headers[start][0], None, False)

    def leave_out_cub(self, kept: set[_Item]) -> None:
        """What stands for all of CUB goes where nothing names it."""
        if any("cub" in item.uses for item in kept):
            return
        for file, start in self._cub:
            end, lines = file.replaced.pop(start)
            self.device_headers.difference_update(_INCLUDED.findall(lines))
            file.headers[start] = (end, None, False)

    def _header(self, beside: Path, name: str, quoted: bool) -> Path | None:
        """Beside its file first or, in angle brackets, last: that folder is often one of those that the project's build names."""
        named = tuple(map(Path, self._includes))
        folders = (beside, *named) if quoted else (*named, beside)
        return next((folder / name for folder in folders if (folder / name).is_file()), None)

    def render(self, kept: set[_Item], kernel: _Item) -> str:
        return _render(self.main, kept, kernel)


def _render(file: _File, kept: set[_Item], kernel: _Item) -> str:
    """The file with what is not kept as blanks, and its headers in their places."""
    text = file.blanked.plain
    edits: list[tuple[int, int, str]] = []
    for item in file.items:
        if item not in kept and not item.directive:
            edits.append((item.start, item.end, _without_code(text[item.start : item.end])))
        elif item is kernel:
            header = re.sub(r"\bstatic\b", "      ", text[item.start : item.end].split("{")[0])
            edits.append((item.start, item.start + len(header), header))
        elif item in kept and not item.function:
            edits += ((a, b, _without_code(text[a:b])) for a, b in _host_members(file, item))
    for start, (end, inlined, keep) in file.headers.items():
        if inlined is not None:
            line = text.count("\n", 0, start) + 1
            path = inlined.path.replace('"', "'")
            edits.append(
                (start, end, f'#line 1 "{path}"\n{_render(inlined, kept, kernel)}\n#line {line} "{file.path}"\n')
            )
        elif not keep:
            edits.append((start, end, ""))
    for start, (end, lines) in file.replaced.items():
        line = text.count("\n", 0, start) + 1
        edits.append((start, end, f'{lines}\n#line {line} "{file.path}"\n'))
    return _edited(text, edits)


def _host_members(file: _File, item: _Item) -> Iterator[tuple[int, int]]:
    """Where a class has functions of the host alone, which NVRTC refuses."""
    code, match = file.blanked.code, file.brackets.match
    for word in _HOST.finditer(code, item.start, item.end):
        begin = max(code.rfind(mark, item.start, word.start()) for mark in ";{}") + 1
        opened = _MEMBER_END.search(code, word.end(), item.end)
        if begin == 0 or opened is None or _MEMORY_OR_SPACE.search(code, begin, opened.start()):
            continue
        access = _ACCESS.match(code, begin, word.start())
        end = match.get(opened.start()) if opened[0] == "{" else opened.start()
        if end is not None:
            yield access.end() if access else begin, end + 1


def _without_code(piece: str) -> str:
    """Blanks for the code; conditionals and definitions between stay, because what follows may need them."""
    lines, continued = [], False
    for line in piece.split("\n"):
        directive = continued or line.lstrip().startswith("#")
        continued = directive and line.rstrip("\r").endswith("\\")
        lines.append(line if directive and "include" not in line else "")
    return "\n".join(lines)


def _edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    pieces, at = [], 0
    for start, end, replacement in sorted(edits):
        if start < at:
            continue
        pieces += [text[at:start], replacement]
        at = end
    return "".join((*pieces, text[at:]))


# --- splitting ---------------------------------------------------------------------------------------------------------


def _is_host_variable(outside: str) -> bool:
    """An object that device code cannot name: it is in no memory of the device and no constant."""
    return not (_OTHER_DECLARATION.search(outside) or _CONSTANT.search(outside) or "(" in outside)


def _items(blanked: Blanked, brackets: Brackets, macros: _Macros) -> Iterator[_Item]:
    """Top-level items in order; namespaces and linkage blocks are opened."""
    yield from _Splitter(blanked.code, brackets, macros).between(0, len(blanked.code), ())


class _Splitter:
    def __init__(self, code: str, brackets: Brackets, macros: _Macros) -> None:
        self._code = code
        self._match = brackets.match
        self._macros = macros

    def between(self, start: int, end: int, namespaces: tuple[str, ...]) -> Iterator[_Item]:
        at = start
        while (begin := self._skip(at, end)) < end:
            inner = self._opened(begin, end, namespaces)
            if inner is not None:
                brace, close, inside = inner
                yield from self.between(brace + 1, close, inside)
                at = close + 1
                continue
            stop, function = self._item_end(begin, end)
            if stop > begin + 1 or self._code[begin] != ";":
                yield self._item(begin, stop, namespaces, function)
            at = stop

    def _skip(self, at: int, end: int) -> int:
        while at < end and self._code[at].isspace():
            at += 1
        return at

    def _opened(self, begin: int, end: int, outer: tuple[str, ...]) -> tuple[int, int, tuple[str, ...]] | None:
        """The braces of a namespace or of `extern "C"`."""
        stop = _STOP.search(self._code, begin, end)
        if stop is None or stop[0] != "{" or (close := self._match.get(stop.start())) is None:
            return None
        header = self._code[begin : stop.start()]
        if namespace := _NAMESPACE.match(header):
            return stop.start(), close, (*outer, *(part for part in namespace[1].split("::") if part))
        return (stop.start(), close, outer) if _LINKAGE.match(header) else None

    def _item_end(self, begin: int, end: int) -> tuple[int, bool]:
        """Just after the item, and whether it is a function with a body."""
        at, parenthesised = begin, False
        if (call := _CALLED.match(self._code, begin)) and call[1] in self._macros.instantiations:
            return self._match.get(call.end() - 1, begin) + 1, False
        if call and call[1] in self._macros.openers and (close := self._closed(call.end(), end)) is not None:
            return close, False
        while (stop := _STOP.search(self._code, at, end)) is not None:
            place, what = stop.start(), stop[0]
            if what == ";":
                return place + 1, False
            if what == "}":
                return place + 1, False
            close = self._match.get(place)
            if close is None or close < place or close >= end:
                raise CannotSlice("the brackets of the file do not match")
            if what == "(":
                parenthesised = parenthesised or self._is_parameters(begin, place)
            if what == "{" and parenthesised and not self._is_initialiser(begin, place):
                return close + 1, True
            at = close + 1
        return end, False

    def _closed(self, begin: int, end: int) -> int | None:
        """Just after the call that closes what another one opened."""
        for call in _CALL.finditer(self._code, begin, end):
            if call[1] in self._macros.openers:
                return None
            if call[1] in self._macros.closers and (close := self._match.get(call.end() - 1)) is not None:
                return close + 1
        return None

    def _is_parameters(self, begin: int, place: int) -> bool:
        word = re.search(r"(\w+)\s*$", self._code[begin:place])
        return word is None or word[1] not in ("__align__", "alignas", "__attribute__", "__launch_bounds__", "decltype")

    def _is_initialiser(self, begin: int, brace: int) -> bool:
        return self._code[begin:brace].rstrip().endswith("=")

    def _item(self, begin: int, stop: int, namespaces: tuple[str, ...], function: bool) -> _Item:
        code = self._code[begin:stop]
        header = code.split("{")[0] if function else code
        words = frozenset(_WORD.findall(code))
        past_template = begin + _template_parameters(header)[1]
        outside = _INITIALISER.sub("", self._outside(past_template, stop, function))
        alias = _ALIAS.match(outside)
        names = {alias[1]} if alias is not None else set(_DECLARED.findall(outside))
        if re.match(r"\s*(?:typedef\s+)?enum\b", code):
            names |= words
        if not function:
            names |= set(_POINTER_TO_FUNCTION.findall(code))
        device = bool(_DEVICE.search(header)) or bool(words & self._macros.device)
        device = device and not ("__host__" in header and not _MEMORY_OR_SPACE.search(header))
        device = device or not (function or _is_host_variable(outside))
        device = device and (function or _MEMORY_OR_SPACE.search(code) is not None or _HOST_TYPE.search(code) is None)
        called = _CALLED.match(code)
        made = called is not None and called[1] in self._macros.instantiations
        if called is not None and called[1] in self._macros.openers:
            names = set(_WORD.findall(code[called.end() : code.find(")", called.end())]))
        device = device and not (made or _INSTANTIATION.match(code))
        return _Item(
            begin, stop, frozenset(names - _NOT_NAMES), words, namespaces, function,
            device=device and "<<<" not in code, always=self._is_nameless(header, function),
        )  # fmt: skip

    def _is_nameless(self, header: str, function: bool) -> bool:
        if function:
            return re.search(r"\boperator\b", header) is not None
        used = re.match(r"\s*using\s+namespace\s+(?:::)?(\w+)", header)
        return used is not None and (used[1] in _DEVICE_NAMESPACES or self._declares_namespace(used[1]))

    def _declares_namespace(self, name: str) -> bool:
        return re.search(rf"\bnamespace\s+{name}\s*(?:::\w+\s*)*[{{=]", self._code) is not None

    def _outside(self, begin: int, stop: int, function: bool) -> str:
        """The item's text outside of its brackets, the opening ones left in."""
        pieces, at = [], begin
        while (mark := _STOP.search(self._code, at, stop)) is not None:
            pieces.append(self._code[at : mark.end()])
            close = self._match.get(mark.start())
            at = mark.end() if mark[0] in ";}" or close is None else close + 1
            if function and mark[0] == "{":
                break
        else:
            pieces.append(self._code[at:stop])
        return " ".join(pieces)


# --- what the kernel needs ---------------------------------------------------------------------------------------------


def _reachable(files: _Files, kernel: _Item, named: frozenset[str]) -> set[_Item]:
    """The items that the kernel and its template arguments use, by name, as far as it goes.

    Operators and `using namespace` have no name to use and are kept always.
    """
    declared: dict[str, list[_Item]] = {}
    open_items = [kernel]
    for item in (item for file in files.all for item in file.items if item.device):
        if item.always:
            open_items.append(item)
        for name in item.names:
            declared.setdefault(name, []).append(item)
    kept = set(open_items)
    wanted = [named, *(item.uses for item in open_items)]
    open_items = []
    while wanted or open_items:
        words = wanted.pop() if wanted else open_items.pop().uses
        for word in sorted(words):
            for item in declared.pop(word, ()):
                if item not in kept:
                    kept.add(item)
                    open_items.append(item)
    return kept
