"""CUDA source in the strings of a Python file: found, put together as the library would, each character with its place.

    kernel = cp.RawKernel(r'''extern "C" __global__ void f(float *x) { x[threadIdx.x] = 0; }''', "f")

Understood are cupy's RawKernel, RawModule, ElementwiseKernel and ReductionKernel, torch's `load_inline`, PyCUDA's
SourceModule and what compiles text through NVRTC. A string that defines a kernel and reaches none of these (it is
written to a file, say) counts as well. A file that is no Python 3 is searched for such strings only.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from cudalint.frontend import python_kernels
from cudalint.frontend.lowering.unit import INSTANCES
from cudalint.frontend.python_evaluate import Evaluator
from cudalint.frontend.python_host import Program
from cudalint.frontend.python_launches import HEADER, HostText, KernelHeads, host_text, span_at
from cudalint.frontend.python_passed_numbers import PassedNumber
from cudalint.frontend.python_text import NOWHERE, Text, joined, literal_end, literals, synthetic
from cudalint.frontend.python_tree import tree_of
from cudalint.frontend.python_values import HOLE, Arguments, Compiled, Reader, Value
from cudalint.frontend.syntax import index
from cudalint.source import SourceFile, Span

LARGEST_PARSED = 2_000_000
MOST_UNITS = 256
MOST_VARIANTS = 3
TORCH_HEADERS = "#include <torch/types.h>\n#include <torch/extension.h>\n#include <cuda.h>\n#include <cuda_runtime.h>\n"

_KERNEL = re.compile(r"\b__global__\b")
_CODE_START = re.compile(
    r"(?:\s|//[^\n]*|/\*.*?\*/)*(?:#\s*(?:include|define|pragma|if|ifdef|ifndef|undef)\b|extern\b|template\b|__\w+__|"
    r"typedef\b|using\b|namespace\b|static\b|inline\b|struct\b|const\b|constexpr\b|enum\b|class\b|texture\s*<|py_|"
    r"(?:void|int|float|double|bool|unsigned|auto|half)\b[^.]*\()",
    re.DOTALL,
)
_STRING = re.compile(r"#[^\n]*|[rRbBuUfF]{0,3}(?:\"\"\"|'''|\"|')")


@dataclass(frozen=True, slots=True)
class EmbeddedSource:
    """One translation unit from a Python file. `source` has the path of the file and the text that is compiled.

    `holes` maps the names that stand for what is filled in at run time to the Python expressions.
    """

    source: SourceFile
    host: SourceFile
    at: tuple[int, ...]
    defines: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    std: str | None = None
    holes: Mapping[str, str] = field(default_factory=dict)
    through: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)  # Python's, for names of the worded host code
    host_line: int | None = None  # the first line of the worded host code
    unread: tuple[tuple[Span, str], ...] = ()  # launches of the file that are not told, and why
    numbers: tuple[tuple[Span, PassedNumber], ...] = ()  # that kernels take for another type

    def places(self) -> Places:
        return Places(self)


class Places:
    """Maps lines and columns of the compiled text to those of the Python file."""

    def __init__(self, embedded: EmbeddedSource) -> None:
        self._at = embedded.at
        self._starts = _line_starts(embedded.source.text)
        self._host_starts = _line_starts(embedded.host.text)
        self._path = embedded.host.path
        self._first = next((at for at in embedded.at if at != NOWHERE), 0)

    def place(self, line: int, column: int) -> tuple[int, int]:
        """A place that no literal holds is that of the nearest character before it that one does."""
        return self._shown(self._origin(self._offset(line, column)))

    def line(self, line: int) -> int:
        """The line of the first character of a line that a literal holds."""
        start = self._offset(line, 1)
        end = self._starts[line] if line < len(self._starts) else len(self._at)
        at = next((each for each in self._at[start:end] if each != NOWHERE), None)
        return self._shown(self._origin(start) if at is None else at)[0]

    def span(self, span: Span) -> Span:
        start = self._offset(span.line, span.column)
        end = max(start, self._offset(span.end_line, span.end_column) - 1)
        line, column = self._shown(self._origin(start))
        end_line, end_column = self._shown(self._origin(end))
        if (end_line, end_column) < (line, column):
            end_line, end_column = line, column
        return Span(self._path, line, column, end_line, end_column + 1)

    def _offset(self, line: int, column: int) -> int:
        start = self._starts[min(max(line, 1), len(self._starts)) - 1]
        return min(start + column - 1, len(self._at))

    def _origin(self, offset: int) -> int:
        at = min(offset, len(self._at) - 1)
        while at >= 0 and self._at[at] == NOWHERE:
            at -= 1
        return self._at[at] if at >= 0 else self._first

    def _shown(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._host_starts, offset)
        return line, offset - self._host_starts[line - 1] + 1


def _line_starts(text: str) -> list[int]:
    return [0, *(m.end() for m in re.finditer("\n", text))]


def embedded_sources(host: SourceFile) -> tuple[EmbeddedSource, ...]:
    """The CUDA sources of a Python file, in the order of their first characters. Never raises for what it holds."""
    finder = _Finder(host)
    finder.search()
    return finder.units()


# --- what a call compiles ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Unit:
    text: Text
    strong: bool
    flags: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()
    host: HostText | None = None


class _Finder:
    """Every unit of one file, first those that a compiling call settles."""

    def __init__(self, host: SourceFile) -> None:
        self._host = host
        self._found: dict[tuple[str, tuple[int, ...]], _Unit] = {}
        self._holes: dict[str, str] = {}
        self._compiled: dict[ast.Call, list[Compiled]] = {}
        self._called: dict[int, Compiled] = {}
        self._module: ast.Module | None = None

    def search(self) -> None:
        text = self._host.text
        module = self._module = _parsed(text)
        if module is not None:
            evaluator = Evaluator(text, module, self._seen, self._launched)
            self._evaluator = evaluator
            evaluator.run()
            self._holes = evaluator.holes
        for literal in _strings(text):
            if _defines_kernel(literal):
                self._add(_Unit(literal, False))

    def _add(self, unit: _Unit) -> None:
        key = unit.text.chars, unit.text.at
        known = self._found.get(key)
        if known is None and len(self._found) < MOST_UNITS:
            self._found[key] = unit
        elif known is not None and unit.strong:
            instances = tuple(dict.fromkeys((*known.instances, *unit.instances)))
            flags = unit.flags if len(unit.flags) >= len(known.flags) else known.flags
            self._found[key] = _Unit(unit.text, True, flags, unit.folders or known.folders, instances)

    def _seen(self, node: ast.Call, arguments: Arguments) -> Value:
        written = self._evaluator.written(node.func)
        name = self._evaluator.imports.get(written, written)
        last = name.rsplit(".", 1)[-1]
        reader = _READERS.get(last)
        if reader is not None:
            unit = reader(arguments, self._evaluator.start(node))
            if unit is None:
                return None
            self._add(unit)
            if last not in _GIVE_KERNELS or (last == "ElementwiseKernel" and not _is_of_cupy(arguments)):
                return None
            compiled = Compiled(unit.text, _kernel_name(last, arguments), unit.instances)
            self._compiled.setdefault(node, []).append(compiled)
            return compiled
        for value in (*arguments.positional, *arguments.named.values()):
            for text in _texts(value):
                if _KERNEL.search(text.chars) and _defines_kernel(text) and isinstance(value, Text):
                    self._add(_Unit(text, False))
        return None

    def _launched(self, compiled: Compiled, at: int) -> None:
        self._called.setdefault(at, compiled)

    def units(self) -> tuple[EmbeddedSource, ...]:
        kept = list(_kept(self._host, list(self._found.values())))
        program = self._program()
        made = [_embedded(self._host, self._with_host(unit, program), self._holes) for unit in kept]
        made = [replace(each, unread=self._unread(each, program)) for each in made]
        return tuple(sorted(made, key=lambda e: next((at for at in e.at if at != NOWHERE), NOWHERE)))

    def _program(self) -> Program | None:
        """The file as a host program, where it compiles kernels that it may launch."""
        if self._module is None or not self._compiled:
            return None
        reserved = frozenset(re.findall(r"#[ \t]*define[ \t]+(\w+)", self._host.text))
        compiled = {node: tuple(found) for node, found in self._compiled.items()}
        program = Program(Reader(self._host.text), self._module, compiled, KernelHeads(), reserved)
        program.write()
        return program

    def _with_host(self, unit: _Unit, program: Program | None) -> _Unit:
        """The unit with the host code that launches its kernels behind it."""
        if program is None:
            return unit
        source = SourceFile(self._host.path, self._host.absolute, unit.text.chars)
        host = host_text(program, unit.text, frozenset(kernel.name for kernel in index(source).kernels))
        return unit if host is None else replace(unit, host=host)

    def _unread(self, embedded: EmbeddedSource, program: Program | None) -> tuple[tuple[Span, str], ...]:
        """Calls of the unit's kernels that the host code does not tell."""
        if program is None:
            return ()
        launched = {at for made in program.written for at in made.launches()}
        texts = dict(program.unread)
        for at in self._called:
            if at not in launched:
                texts.setdefault(at, "it is not understood")
        own = [(at, why) for at, why in sorted(texts.items()) if self._is_of(embedded, self._called.get(at))]
        return tuple((span_at(self._host, at), why) for at, why in own)

    def _is_of(self, embedded: EmbeddedSource, compiled: Compiled | None) -> bool:
        """Whether a call may launch a kernel of the unit."""
        if compiled is None:
            return True
        first = next((at for at in compiled.text.at if at != NOWHERE), NOWHERE)
        return first in embedded.at


def _parsed(text: str) -> ast.Module | None:
    """The tree of the file; None for what is no Python 3, and for tables of data that would take seconds."""
    return None if len(text) > LARGEST_PARSED else tree_of(text)


def _strings(text: str) -> Iterator[Text]:
    """Every literal, without parsing; the fields of f-strings are holes."""
    at = 0
    while (found := _STRING.search(text, at)) is not None:
        if found[0].startswith("#"):
            at = found.end()
            continue
        match = re.compile(r"([rRbBuUfF]{0,3})(\"\"\"|'''|\"|')").match(text, found.start())
        at = literal_end(text, match) if match else found.end()
        if text.find("__global__", found.start(), at) >= 0:
            pieces = literals(text, found.start(), at)
            yield joined(p if isinstance(p, Text) else synthetic(HOLE + _slug(p.content), p.at) for p in pieces)


def _slug(written: str) -> str:
    return re.sub(r"\W+", "_", written, flags=re.ASCII).strip("_")[:40] or "value"


def _defines_kernel(text: Text) -> bool:
    """Whether it is code that defines a kernel, and not prose about one."""
    return _CODE_START.match(text.chars) is not None and any(map(_is_head, text.chars.split("{")[:-1]))


def _is_head(before: str) -> bool:
    """Whether what stands before a brace ends in the head of a kernel."""
    head = before[max(before.rfind(";"), before.rfind("}")) + 1 :]
    return head.rstrip().endswith(")") and _KERNEL.search(head) is not None


def _kept(host: SourceFile, units: list[_Unit]) -> Iterator[_Unit]:
    """Settled units with few holes first; a unit all of whose kernels others hold already says nothing new."""
    seen: dict[int, int] = {}
    whole: set[int] = set()
    for unit in sorted(units, key=lambda u: (not u.strong, _hole_count(u.text), bool(u.text.through))):
        kernels = _kernel_places(host, unit.text)
        complete = unit.strong and not _hole_count(unit.text)
        new = {k for k in kernels if seen.get(k, 0) < (MOST_VARIANTS if complete and k in whole else 1)}
        if not kernels or not new:
            continue
        for kernel in kernels:
            seen[kernel] = seen.get(kernel, 0) + 1
        if complete:
            whole |= kernels
        yield unit


def _hole_count(text: Text) -> int:
    return len(set(re.findall(rf"{HOLE}\w+", text.chars)))


def _kernel_places(host: SourceFile, text: Text) -> set[int]:
    """Offsets in the Python file of the names of its kernels."""
    source = SourceFile(host.path, host.absolute, text.chars)
    starts = _line_starts(text.chars)
    places = set()
    for kernel in index(source).kernels:
        offset = starts[kernel.name_span.line - 1] + kernel.name_span.column - 1
        places.add(next((at for at in text.at[offset:] if at != NOWHERE), NOWHERE))
    return places


def _embedded(host: SourceFile, unit: _Unit, holes: Mapping[str, str]) -> EmbeddedSource:
    """The unit's text, moved down to the line that it has in the file where there is room."""
    text = unit.text
    if unit.instances:
        uses = " ".join(f"(void)&{name};" for name in unit.instances)
        text += synthetic(f"\nnamespace cudalint_named {{ static void {INSTANCES}() {{ {uses} }} }}\n")
    if unit.host is not None:
        text = synthetic(HEADER) + text
    first = next((i for i, at in enumerate(text.at) if at != NOWHERE), 0)
    wanted = host.text.count("\n", 0, max(0, text.at[first] if text.at else 0)) if text.at else 0
    above = text.chars.count("\n", 0, first)
    text = synthetic("\n" * max(0, wanted - above)) + text
    host_line, words = None, dict[str, str]()
    if unit.host is not None:
        host_line, words = text.chars.count("\n") + 2, dict(unit.host.words)
        text += unit.host.text
    defines, folders, std = _flags(unit.flags)
    used = {name: written for name, written in holes.items() if name in text.chars}
    source = SourceFile(host.path, host.absolute, text.chars)
    return EmbeddedSource(
        source, host, text.at, defines, (*unit.folders, *folders), std, used, text.through, words, host_line,
        numbers=() if unit.host is None else tuple((span_at(host, each.at), each) for each in unit.host.numbers),
    )  # fmt: skip


def _flags(flags: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...], str | None]:
    """Definitions, folders and the language standard of compiler options."""
    defines: list[str] = []
    folders: list[str] = []
    std: str | None = None
    rest = iter(flags)
    for flag in rest:
        match = re.match(r"(-D|--define-macro=?|-I|--include-path=?|-{1,2}std=?)(.*)", flag, re.DOTALL)
        if match is None:
            continue
        value = match[2] or next(rest, "")
        if match[1].startswith(("-D", "--def")):
            defines.append(value)
        elif "std" in match[1]:
            std = value
        else:
            folders.append(value)
    return tuple(defines), tuple(folders), std


# --- the libraries -----------------------------------------------------------------------------------------------------


def _texts(value: Value) -> list[Text]:
    if isinstance(value, Text):
        return [value]
    if isinstance(value, list | tuple):
        return [text for each in value for text in _texts(each)]
    return [text for each in value.values() for text in _texts(each)] if isinstance(value, dict) else []


def _words(value: Value) -> tuple[str, ...]:
    return tuple(text.chars for text in _texts(value))


def _source(value: Value) -> Text | None:
    """One source, or several one after the other."""
    texts = _texts(value)
    if not any(text.chars.strip() for text in texts):
        return None
    return joined(piece for text in texts for piece in (text, synthetic("\n")))


def _raw_kernel(arguments: Arguments, at: int) -> _Unit | None:
    text = _source(arguments.get("code", 0))
    names = [n for n in _words(arguments.get("name", 1)) if "<" in n]
    flags = _words(arguments.get("options", 2))
    return None if text is None else _Unit(text, True, flags, instances=_instances(names))


def _raw_module(arguments: Arguments, at: int) -> _Unit | None:
    text = _source(arguments.get("code", 0))
    names = _words(arguments.get("name_expressions"))
    flags = _words(arguments.get("options"))
    return None if text is None else _Unit(text, True, flags, instances=_instances(names))


def _instances(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(n for n in dict.fromkeys(names) if "<" in n and re.fullmatch(r"[\w\s:<>,*&+-]+", n))


def _load_inline(arguments: Arguments, at: int) -> _Unit | None:
    """The CUDA sources, then the C++ sources, whose functions call those of the first."""
    cuda, cpp = _source(arguments.get("cuda_sources", 2)), _source(arguments.get("cpp_sources", 1))
    texts = [text for text in (cuda, cpp) if text is not None]
    if not any(_KERNEL.search(text.chars) or "<<<" in text.chars for text in texts):
        return None
    flags = (*_words(arguments.get("extra_cuda_cflags", 5)), *_words(arguments.get("extra_cflags", 4)))
    folders = _words(arguments.get("extra_include_paths", 7))
    return _Unit(joined([synthetic(TORCH_HEADERS), *texts]), True, flags, folders)


def _source_module(arguments: Arguments, at: int) -> _Unit | None:
    text = _source(arguments.get("source", 0))
    if text is None or not _KERNEL.search(text.chars):
        return None
    return _Unit(text, True, _words(arguments.get("options", 2)), _words(arguments.get("include_dirs", 8)))


def _compiled(arguments: Arguments, at: int) -> _Unit | None:
    """A source as the first argument, options by name."""
    first = arguments.positional[0] if arguments.positional else None
    text = _source(next((v for v in (first, *arguments.named.values()) if isinstance(v, Text)), None))
    if text is None or not _defines_kernel(text):
        return None
    return _Unit(text, True, (*_words(arguments.get("options", 1)), *_words(arguments.get("nvcc_options"))))


def _elementwise(arguments: Arguments, at: int) -> _Unit | None:
    first = arguments.get("in_params", 0)
    given = _text_or(arguments.get("name"), "kernel", at)
    preamble = _text_or(arguments.get("preamble"), "", at)
    if "arguments" in arguments.named or (isinstance(first, Text) and "*" in first.chars):
        operation = arguments.get("operation", 1)
        if not isinstance(operation, Text) or not _is_constant(operation):
            return None
        name = python_kernels.identifier(_text_or(arguments.get("name", 2), given.chars, at))
        text = python_kernels.pycuda_elementwise(
            _text_or(arguments.get("arguments", 0), "", at), operation, name, preamble
        )
        return _Unit(text, True, _words(arguments.get("options", 4)))
    outs, operation = arguments.get("out_params", 1), arguments.get("operation", 2)
    if not all(isinstance(each, Text) for each in (first, outs, operation)):
        return None
    name = python_kernels.identifier(_text_or(arguments.get("name", 3), "kernel", at))
    before, after = (_text_or(arguments.get(part), "", at) for part in ("loop_prep", "after_loop"))
    text = python_kernels.elementwise(first, outs, operation, name, python_kernels.Around(preamble, before, after))
    return _Unit(text, True, _words(arguments.get("options")))


def _reduction(arguments: Arguments, at: int) -> _Unit | None:
    names = ("in_params", "out_params", "map_expr", "reduce_expr", "post_map_expr")
    values = [arguments.get(name, position) for position, name in enumerate(names)]
    if not all(isinstance(each, Text) for each in values):
        return None
    identity = arguments.get("identity", 5)
    start = (
        identity if isinstance(identity, Text) else synthetic(str(identity) if isinstance(identity, int) else "0", at)
    )
    name = python_kernels.identifier(_text_or(arguments.get("name", 6), "reduce_kernel", at))
    preamble = _text_or(arguments.get("preamble"), "", at)
    steps = (values[2], values[3], values[4])
    text = python_kernels.reduction(values[0], values[1], steps, start, name, preamble)
    return _Unit(text, True, _words(arguments.get("options")))


def _is_of_cupy(arguments: Arguments) -> bool:
    """Whether an ElementwiseKernel has CuPy's parameters, and not PyCUDA's."""
    first = arguments.get("in_params", 0)
    return isinstance(first, Text) and "arguments" not in arguments.named and "*" not in first.chars


def _text_or(value: Value, default: str, at: int) -> Text:
    return value if isinstance(value, Text) else synthetic(default, at)


def _is_constant(text: Text) -> bool:
    return bool(text.chars.strip())


_GIVE_KERNELS = {
    "RawKernel": 1,
    "ElementwiseKernel": 3,
    "RawModule": None,
    "SourceModule": None,
    "DynamicSourceModule": None,
    "_compile_kernel": 1,
}


def _kernel_name(library: str, arguments: Arguments) -> str | None:
    """The kernel that a compiling call names; None where it gives a module."""
    position = _GIVE_KERNELS[library]
    name = None if position is None else arguments.get("name", position)
    if library == "ElementwiseKernel":
        return python_kernels.identifier(name).chars if isinstance(name, Text) else "kernel"
    return name.chars if isinstance(name, Text) else None


_Reader = Callable[[Arguments, int], "_Unit | None"]
_READERS: dict[str, _Reader] = {
    "RawKernel": _raw_kernel,
    "RawModule": _raw_module,
    "load_inline": _load_inline,
    "SourceModule": _source_module,
    "DynamicSourceModule": _source_module,
    "ElementwiseKernel": _elementwise,
    "ReductionKernel": _reduction,
    "compile_with_cache": _compiled,
    "compile_using_nvrtc": _compiled,
    "nvrtcCreateProgram": _compiled,
    "_compile_kernel": _compiled,
    "Program": _compiled,
}
