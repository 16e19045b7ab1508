"""One source file to IR: parse, guess what is missing, lower, and say of each kernel how much was understood."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass

from cudalint.frontend import clang, guess
from cudalint.frontend.clang import Diagnostic, Locator, ParsedUnit
from cudalint.frontend.headers import missing_folders, shadowed_folders
from cudalint.frontend.instances import instance_text
from cudalint.frontend.lowering.context import Gap, Program
from cudalint.frontend.lowering.names import qualified_name
from cudalint.frontend.lowering.types import Types
from cudalint.frontend.lowering.unit import lower_unit
from cudalint.frontend.syntax import KernelSyntax, SyntaxIndex, index
from cudalint.ir import nodes as ir
from cudalint.source import SourceFile, Span

__all__ = ["Gap", "KernelEntry", "ParseOptions", "Translation", "translate"]

GUESSES = "/cudalint_guesses.h"
ROUNDS = 2
PROBLEMS = 60
DEEP = 12_000


@dataclass(frozen=True)
class ParseOptions:
    """`includes` are folders, `defines` are `NAME` or `NAME=VALUE`; `target` sets `__CUDA_ARCH__`."""

    includes: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    std: str = "c++17"
    target: str = "sm_80"


@dataclass(frozen=True)
class KernelEntry:
    """A kernel's definition in the file. `functions` are its ids in the unit: one, or one per template instance.

    `complete`: every statement of the kernel and of what it calls is in the IR, with no gap; `exact`: no opaque value
    either. `opaque` names what is understood but has no modelled value.
    """

    name: str
    qualified: str
    span: Span
    name_span: Span
    functions: tuple[str, ...]
    complete: bool
    exact: bool
    gaps: tuple[Gap, ...]
    opaque: tuple[Gap, ...]
    template: bool


@dataclass(frozen=True)
class Translation:
    source: SourceFile
    unit: ir.Unit
    kernels: tuple[KernelEntry, ...]
    index: SyntaxIndex
    notes: tuple[str, ...]


def translate(source: SourceFile, options: ParseOptions, project_root: str) -> Translation:
    """The IR of a file and of what it includes. Never raises for what the file holds."""
    found = index(source)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEP))
    try:
        return _Translator(source, options, project_root, found).run()
    except OSError as error:
        return _nothing(source, found, str(error))


class _Translator:
    """The parses of one file, and the program that the last one became."""

    def __init__(self, source: SourceFile, options: ParseOptions, root: str, found: SyntaxIndex) -> None:
        self.source = source
        self.root = os.path.abspath(root)
        self.index = found
        self.flags = _flags(options, self.root)
        self.known = guess.Guesses()
        self.notes: list[str] = []
        self.name = source.absolute or source.path
        self.lines = source.text.count("\n") + 1

    def run(self) -> Translation:
        parsed = self.parse_with_guesses()
        program, templates = self.lower(parsed, self.source.text)
        instantiated = {f.name_span for f in program.functions.values()}
        missing = [t for t in templates if _name_span(program, t) not in instantiated]
        names = {_name_span(program, t): qualified_name(t) for t in templates}
        extra = instance_text(missing)
        if extra:
            text = self.source.text + extra
            program, _ = self.lower(self.parse(text), text)
        entries = tuple(self.entry(program, kernel, names) for kernel in self.index.kernels)
        unit = ir.Unit(self.source.path, program.functions, program.globals)
        return Translation(self.source, unit, entries, self.index, tuple(self.notes))

    def parse(self, text: str) -> ParsedUnit:
        if not self.known.text:
            return clang.parse(self.name, text, self.flags)
        return clang.parse(self.name, text, (*self.flags, "-include", GUESSES), ((GUESSES, self.known.text),))

    def parse_with_guesses(self) -> ParsedUnit:
        parsed = self.parse(self.source.text)
        folders = missing_folders(parsed.errors, self.root, self.flags)
        if _own(parsed, self.name):
            folders += shadowed_folders(self.source.text, self.root, self.flags)
        if folders:
            self.flags += tuple(f"-I{folder}" for folder in folders)
            parsed = self.parse(self.source.text)
        for _ in range(ROUNDS):
            problems = self.problems(parsed)
            if not problems:
                break
            more = guess.guesses(problems, self.source.text, self.known)
            if more == self.known:
                break
            previous, self.known = self.known, more
            again = self.parse(self.source.text)
            if len(_own(again, self.name)) > len(_own(parsed, self.name)):
                self.known = previous
                break
            parsed = again
        return parsed

    def problems(self, parsed: ParsedUnit) -> list[guess.Problem]:
        """What is worth a guess: errors in kernels first, one of each message, not more than a few."""
        kernels = self.index.kernels
        found: dict[str, guess.Problem] = {}
        own = [e for e in parsed.errors if e.path == self.name]
        for error in sorted(own, key=lambda e: not any(k.span.covers_line(e.line) for k in kernels)):
            found.setdefault(error.message, guess.Problem(error.message, error.line, error.column))
        return list(found.values())[:PROBLEMS]

    def lower(self, parsed: ParsedUnit, text: str) -> tuple[Program, list[clang.Cursor]]:
        errors: dict[str, list[Diagnostic]] = {}
        for error in parsed.errors:
            if error.path != self.name or error.line <= self.lines:
                errors.setdefault(error.path, []).append(error)
        locator = Locator(self.name, text, self.source.path, self.root)
        program = Program(locator, Types(GUESSES), self.name, str(clang.STUBS), GUESSES, errors)
        program.has_guesses = bool(self.known.entries)
        program.strict = bool(os.environ.get("CUDALINT_STRICT_LOWERING"))
        return program, lower_unit(program, parsed.handle.cursor)

    def entry(self, program: Program, kernel: KernelSyntax, names: dict[Span | None, str]) -> KernelEntry:
        ids = tuple(f.id for f in program.functions.values() if _is_of(f, kernel))
        template = any(span is not None and _same_place(span, kernel) for span in names)
        gaps, opaque = _closure(program, ids)
        gaps += self.lost_lines(program, kernel, gaps) + self.guessed_macros(kernel)
        if not ids:
            gaps.append(Gap("template without instance" if template else "the parser lost this kernel", kernel.span))
        qualified = program.functions[ids[0]].name if ids else next(
            (n for s, n in names.items() if s is not None and _same_place(s, kernel)), kernel.name
        )  # fmt: skip
        return KernelEntry(
            kernel.name, qualified, kernel.span, kernel.name_span, ids, not gaps, not gaps and not opaque,
            tuple(gaps), tuple(opaque), template,
        )  # fmt: skip

    def lost_lines(self, program: Program, kernel: KernelSyntax, gaps: list[Gap]) -> list[Gap]:
        """Errors inside the kernel that no hole stands for."""
        held = {g.span.line for g in gaps if g.reason.startswith("parse error")}
        found = []
        for error in program.errors.get(self.name, ()):
            if kernel.span.covers_line(error.line) and error.line not in held:
                span = Span(self.source.path, error.line, error.column, error.line, error.column + 1)
                found.append(Gap(f"parse error: {error.message}", span))
        return found

    def guessed_macros(self, kernel: KernelSyntax) -> list[Gap]:
        """Unknown macros that became nothing: no trace of them is in the tree."""
        macros = [e.name for e in self.known.entries if e.shape == "macro"]
        if not macros:
            return []
        lines = self.source.text.split("\n")[kernel.span.line - 1 : kernel.span.end_line]
        used = set(re.findall(r"\w+", "\n".join(lines)))
        return [Gap(f"unknown name {m}", kernel.span) for m in macros if m in used]


def _flags(options: ParseOptions, root: str) -> tuple[str, ...]:
    arch = re.search(r"\d+", options.target)
    number = int(arch[0]) * 10 if arch else 800
    folders = [*options.includes, root, os.path.join(root, "include"), os.path.join(root, "src")]
    includes = [f"-I{folder}" for folder in dict.fromkeys(folders) if os.path.isdir(folder)]
    defines = [f"-D{d}" for d in options.defines]
    return (f"-std={options.std}", "-U__CUDA_ARCH__", f"-D__CUDA_ARCH__={number}", *defines, *includes)


def _own(parsed: ParsedUnit, name: str) -> list[Diagnostic]:
    return [e for e in parsed.errors if e.path == name]


def _name_span(program: Program, declaration: clang.Cursor) -> Span | None:
    file, line, column, _ = program.locator.position(declaration.location)
    return program.locator.make(file, line, column, line, column + len(declaration.spelling.encode()))


def _is_of(function: ir.Function, kernel: KernelSyntax) -> bool:
    return function.name_span is not None and _same_place(function.name_span, kernel)


def _same_place(span: Span, kernel: KernelSyntax) -> bool:
    """The name's place; a name made by a macro has that of the macro's use."""
    if span.path != kernel.name_span.path:
        return False
    return (span.line, span.column) == (kernel.name_span.line, kernel.name_span.column)


def _reached(program: Program, ids: tuple[str, ...]) -> list[str]:
    """These functions and all that they call, in the order of first use."""
    seen: dict[str, None] = {}
    waiting = list(ids)
    while waiting:
        name = waiting.pop(0)
        if name not in seen and name in program.records:
            seen[name] = None
            waiting += program.records[name].calls
    return list(seen)


def _closure(program: Program, ids: tuple[str, ...]) -> tuple[list[Gap], list[Gap]]:
    """What was not understood in these functions and in all that they call."""
    records = [program.records[name] for name in _reached(program, ids)]
    gaps = dict.fromkeys(gap for record in records for gap in record.gaps)
    return list(gaps), list(dict.fromkeys(gap for record in records for gap in record.opaque))


def _nothing(source: SourceFile, found: SyntaxIndex, reason: str) -> Translation:
    entries = tuple(
        KernelEntry(k.name, k.name, k.span, k.name_span, (), False, False, (Gap(reason, k.span),), (), False)
        for k in found.kernels
    )
    return Translation(source, ir.Unit(source.path, {}, {}), entries, found, (reason,))
