"""One source file to IR: parse, guess what is missing, lower, and say of each kernel how much was understood."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from cudalint.analysis.text.passed_checks import with_checks
from cudalint.finding import LOST
from cudalint.frontend import clang, guess
from cudalint.frontend.clang import Diagnostic, Locator, ParsedUnit
from cudalint.frontend.dialect import accepted
from cudalint.frontend.instances import (
    CALLABLE,
    USED,
    alternatives,
    class_line,
    explicit_instances,
    failing_lines,
    instance_text,
    member_text,
    named_instances,
    taken,
)
from cudalint.frontend.launch_text import braced_dimensions_named
from cudalint.frontend.lowering.context import Gap, Program
from cudalint.frontend.lowering.functions import MOST_INSTANCES, name_span
from cudalint.frontend.lowering.names import qualified_name
from cudalint.frontend.lowering.types import Types
from cudalint.frontend.lowering.unit import (
    called_by_others,
    is_kernel,
    leading_to,
    lower_unit,
    survey,
    without_instance,
)
from cudalint.frontend.made import Made, lost
from cudalint.frontend.parsing import ALONE, GUESSES, ParseOptions, Parsing, Surroundings, architecture
from cudalint.frontend.syntax import KernelSyntax, SyntaxIndex, index
from cudalint.ir import nodes as ir
from cudalint.source import SourceFile, Span

__all__ = [
    "ALONE",
    "Gap",
    "KernelEntry",
    "ParseOptions",
    "Surroundings",
    "Translation",
    "architecture",
    "translate",
]

NAMING = "(void)&"  # in a line that makes an instance
HIDDEN = 4  # errors that one which is mended may have hidden
_DEFINED = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
MOST_EXPLICIT, MOST_EXPLICIT_OF_HOST = 24, 96  # instances of host code are cheap
MOST_KERNELS = 2_000
MOST_SETTLED = 12  # kernel templates whose guessed arguments are tried again
MOST_TRIED = 40  # arguments that are tried for all of them together
TRIAL = "-fconstexpr-steps=10000"  # arguments that make a constant function run on and on are no likely ones
DEEP = 12_000


@dataclass(frozen=True)
class KernelEntry:
    """A kernel's definition in the file. `functions` are its ids in the unit: one, or one per template instance.

    `complete`: every statement of the kernel and of what it calls is in the IR, with no gap; `exact`: no opaque value
    either. `opaque` names what is understood but has no modelled value. A `device` function that nobody calls has one, too.
    Of one that is `unseen` in part, instances are not in the unit, or kernels or files that nobody reads launch it; one that
    is launched `by_name` is so by code that may not be understood. Of a `launched` one the files have a launch as text; all
    launches of a `single` one that the project writes are by one thread.
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
    device: bool = False
    unseen: bool = False
    by_name: bool = False
    launched: bool = False
    single: bool = False


@dataclass(frozen=True)
class Translation:
    """`indexes` are those of the file and of the wanted headers; `kernels` holds those of all of them.

    `missing` are includes that were not found, as written, with their places; `folders` those in which the others were found.
    """

    source: SourceFile
    unit: ir.Unit
    kernels: tuple[KernelEntry, ...]
    index: SyntaxIndex
    notes: tuple[str, ...]
    indexes: tuple[SyntaxIndex, ...] = ()
    missing: tuple[tuple[str, Span], ...] = ()
    folders: tuple[str, ...] = ()


def translate(
    source: SourceFile, options: ParseOptions, project_root: str, around: Surroundings = ALONE
) -> Translation:
    """The IR of a file and of what it includes. Never raises for what the file holds."""
    found = index(source)
    if not _is_worth_a_parse(source, found, around):
        return Translation(source, ir.Unit(source.path, {}, {}), (), found, (), (found,))
    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEP))
    try:
        return _Translator(source, options, project_root, found, around).run()
    except OSError as error:
        return _nothing(source, found, str(error))


class _Translator:
    """The parses of one file, and the program that the last one became."""

    def __init__(
        self, source: SourceFile, options: ParseOptions, root: str, found: SyntaxIndex, around: Surroundings
    ) -> None:
        text = accepted(source.path, braced_dimensions_named(with_checks(_cut(source, found), options.checks)))
        indexes = (found, *(index(header) for header in around.headers))
        self.parsing = Parsing(source, text, options, root, indexes, around)
        self.index, self.around, self.options = found, around, options
        self.notes: list[str] = [options.note] if options.note else []
        self.lines = source.text.count("\n") + 1

    def run(self) -> Translation:
        parsed, program = self.with_instances(self.parsing.parse_with_guesses())
        lower_unit(program)
        made = Made(program, {name_span(program, t): qualified_name(t) for t in program.templates})
        entries = tuple(self.entry(made, kernel) for each in self.parsing.indexes for kernel in each.kernels)
        entries += tuple(self.uncalled(made, declaration) for declaration in program.uncalled)
        if program.unchecked:
            self.notes.append(f"{program.unchecked} further device functions that nobody calls are not checked")
        for name, count in sorted(program.instances.items()):
            if count > MOST_INSTANCES:
                self.notes.append(f"{count - MOST_INSTANCES} of {count} instances of {name} are not walked")
        unit = ir.Unit(self.parsing.source.path, program.functions, program.globals)
        folders = tuple(flag[2:] for flag in self.parsing.flags if flag.startswith("-I"))
        absent = self.parsing.absent(parsed)
        return Translation(
            self.parsing.source, unit, entries, self.index, tuple(self.notes), self.parsing.indexes, absent, folders
        )

    def with_instances(self, parsed: ParsedUnit) -> tuple[ParsedUnit, Program]:
        """The file with an instance of each template that nothing in it instantiates, launching host functions first."""
        program, behind = self.program(parsed), ""
        project = "\n".join(self.parsing.texts.values())
        used_by_templates = called_by_others(program, [*program.members, *program.launching])
        called = {name_span(program, m) for m in used_by_templates}
        parsed, behind, program = self.with_members(parsed, behind, program, called)
        templates = program.templates
        named = (*self.options.instances, *named_instances(self.parsing.indexes))
        other = self.options.other_values
        launching, missing = self.wanting(program)
        if (launching or missing) and self.parsing.is_worth_saving(parsed):
            self.parsing.before = self.parsing.saved()
        explicit = self.explicit(parsed, [*launching, *missing])
        inner = {qualified_name(t) for t in called_by_others(program, launching)}
        for is_inner in (False, True):  # what others call has the arguments of the call, where it comes to that
            hosts = [t for t in launching if (qualified_name(t) in inner) == is_inner]
            if hosts:  # their launches say which instances of kernels there are
                extra = instance_text(hosts, [*launching, *templates], (*named, *explicit), project, other=other)
                made = self.instantiated(behind, extra, hosts, apart=bool(behind), without=True)
                behind, parsed = self.without_failing(*made)
                program, explicit = self.program(parsed, behind), ()
                launching, missing = self.wanting(program)
        if called:
            before = behind
            parsed, behind, program = self.with_members(parsed, behind, program, set(), explicit=False)
            if behind != before:
                launching, missing = self.wanting(program)
        extra = instance_text(missing, program.templates, (*named, *explicit), project, other=other)
        if extra:
            behind, parsed = self.instantiated(
                behind, extra, list(filter(is_kernel, program.templates)), apart=bool(behind)
            )
            program = self.program(parsed, behind)
        return parsed, program

    def with_members(
        self, parsed: ParsedUnit, behind: str, program: Program, waiting: set[Span], explicit: bool = True
    ) -> tuple[ParsedUnit, str, Program]:
        """With members of class templates that launch: of explicit instances, and guessed ones of those that nothing uses.

        Those that are `waiting` may be used by instances of other templates, which are not there yet.
        """
        unused = [m for m in without_instance(program, program.members) if name_span(program, m) not in waiting]
        members = member_text(
            program.members if explicit else [],
            unused,
            self.parsing.source.text,
            "\n".join(self.parsing.texts.values()),
        )
        if not members:
            return parsed, behind, program
        if self.parsing.before is None and self.parsing.is_worth_saving(parsed):
            self.parsing.before = self.parsing.saved()
        made = behind + (
            f"\nnamespace cudalint_members{behind.count('namespace')} {{{members}}}\n" if behind else members
        )
        parsed = self.parsing.parse(made)
        parsed = self.parsing.guessed(made, parsed) if self.parsing.is_guessed() else parsed
        behind, parsed = self.without_failing(made, parsed)
        return parsed, behind, self.program(parsed, behind)

    def wanting(self, program: Program) -> tuple[list[clang.Cursor], list[clang.Cursor]]:
        """Templates without an instance: those of launching host functions, and those of kernels.

        A host function that is only included counts where a kernel has none.
        """
        own = [t for t in program.launching if program.locator.shown(program.file_of(t)) in self.parsing.texts]
        lacking = without_instance(program, [*own, *(program.templates if self.around.kernels else ())])
        kernels = [t for t in lacking if t in program.templates]
        if any(map(is_kernel, kernels)) and len(own) < len(program.launching):
            return without_instance(program, leading_to(program, list(filter(is_kernel, kernels)))), kernels
        return [t for t in lacking if t not in kernels], kernels

    def explicit(self, parsed: ParsedUnit, templates: list[clang.Cursor]) -> tuple[str, ...]:
        """The explicit instantiations of these templates in the file."""
        names = {t.spelling for t in templates}
        found = explicit_instances(taken(self.parsing.source.text, self.defined(parsed))) if names else ()
        return tuple(e for e in found if e.partition("<")[0].rsplit("::", 1)[-1] in names)[
            : MOST_EXPLICIT if self.around.kernels else MOST_EXPLICIT_OF_HOST
        ]

    def defined(self, parsed: ParsedUnit) -> set[str]:
        """The macros that the flags, the file or what it includes define, wherever."""
        given = {flag[2:].partition("=")[0] for flag in self.parsing.flags if flag.startswith("-D")}
        locator = Locator(self.parsing.name, self.parsing.source.text, self.parsing.source.path, self.parsing.root)
        texts = [self.parsing.source.text.encode(), *map(locator.content, clang.included_files(parsed.handle.cursor))]
        return given.union(*((name.decode() for name in _DEFINED.findall(text)) for text in texts))

    def instantiated(
        self, behind: str, extra: str, missing: list[clang.Cursor], *, apart: bool = False, without: bool = False
    ) -> tuple[str, ParsedUnit]:
        """What is behind the text with instances; other arguments where the guessed ones are errors and others are not.

        `without`: those that are errors with any arguments are left out.
        """

        def appended(lines: list[str]) -> str:
            whole = "\n".join(lines)
            return behind + (f"\nnamespace cudalint_more{behind.count('namespace')} {{{whole}}}\n" if apart else whole)

        lines = extra.split("\n")
        made = appended(lines)
        parsed = self.parsing.parse(made)
        if self.parsing.known.names:  # members of guessed templates are missed only where there are instances
            parsed = self.parsing.guessed(made, parsed)
        wrong = failing_lines(parsed, self.parsing.source.text + made)
        broken = {line: t for line in lines if wrong[line] for t in missing if f"::{qualified_name(t)}<" in line}
        project = "\n".join(self.parsing.texts.values())
        most = MOST_TRIED // max(1, min(len(broken), MOST_SETTLED))
        tried = {
            line: alternatives(t, project, self.options.other_values)[:most]
            for line, t in list(broken.items())[:MOST_SETTLED]
        }
        if any(tried.values()):
            everything = appended([*lines[:2], *dict.fromkeys(o for each in tried.values() for o in each), "}", ""])
            worse = failing_lines(self.parsing.parse(everything, TRIAL), self.parsing.source.text + everything)
            best = {line: min(each, key=lambda o: (worse[o], CALLABLE in o)) for line, each in tried.items() if each}
            taken = {line: option for line, option in best.items() if worse[option] < wrong[line]}
            errors = {line: worse[taken[line]] if line in taken else wrong[line] for line in lines if NAMING in line}
            broken = {taken.get(line, line): t for line, t in broken.items() if errors[line]}
            lines = [taken.get(line, line) for line in lines if not (without and errors.get(line))]
            better = appended(lines)
            parsed = parsed if made == better else self.parsing.parse(better)
            made = better
        if without or not broken:
            return made, parsed
        return self.of_classes(lines, broken, appended, parsed) or (made, parsed)

    def of_classes(
        self,
        lines: list[str],
        broken: dict[str, clang.Cursor],
        appended: Callable[[list[str]], str],
        parsed: ParsedUnit,
    ) -> tuple[str, ParsedUnit] | None:
        """Instances of templates that ask their parameters for members (`Traits::SIZE`), of classes made up for them.

        `parsed` is the file with the lines as they are.
        """
        project = "\n".join(self.parsing.texts.values())
        made = {line: found for line, t in broken.items() if (found := class_line(t, self.text_of(t), project))}
        if not made:
            return None
        before = self.parsing.known, self.parsing.before
        wrong = failing_lines(parsed, self.parsing.source.text + appended(lines))
        self.parsing.known = guess.with_classes(
            self.parsing.known, [name for _, names in made.values() for name in names]
        )
        self.parsing.before = self.parsing.saved() if self.parsing.before is not None else None
        tried = appended([made[line][0] if line in made else line for line in lines])
        parsed = self.parsing.guessed(tried, self.parsing.parse(tried), HIDDEN)
        left = failing_lines(parsed, self.parsing.source.text + tried)
        better = {line for line, (option, _) in made.items() if left[option] < wrong[line] + HIDDEN}
        if better == set(made):
            return tried, parsed
        if not better:
            self.parsing.known, self.parsing.before = before
            return None
        tried = appended([made[line][0] if line in better else line for line in lines])
        return tried, self.parsing.parse(tried)

    def text_of(self, template: clang.Cursor) -> str:
        """The text of a template in one of the files that are wanted."""
        extent = template.extent
        text = self.parsing.texts.get(
            self.parsing.shown(extent.start.file.name) if extent.start.file is not None else "", ""
        )
        return "\n".join(text.split("\n")[extent.start.line - 1 : extent.end.line])

    def without_failing(self, behind: str, parsed: ParsedUnit) -> tuple[str, ParsedUnit]:
        """Without guessed instances that are errors: what they call has instances of its own, or gets them.

        What the project itself uses stays where the errors are in the code of the instance.
        """
        wrong = failing_lines(parsed, self.parsing.source.text + behind)
        unnamed = failing_lines(parsed, self.parsing.source.text + behind, direct=True)
        kept = [
            line
            for line in behind.split("\n")
            if not (NAMING in line and (unnamed if line.endswith(USED) else wrong)[line])
        ]
        less = "\n".join(kept)
        return (behind, parsed) if less == behind else (less, self.parsing.parse(less))

    def program(self, parsed: ParsedUnit, behind: str = "") -> Program:
        """A parsed file with a text behind it, surveyed."""
        errors: dict[str, list[Diagnostic]] = {}
        for error in parsed.errors:
            if error.path != self.parsing.name or error.line <= self.lines:
                errors.setdefault(error.path, []).append(error)
        locator = Locator(
            self.parsing.name, self.parsing.source.text + behind, self.parsing.source.path, self.parsing.root
        )
        program = Program(locator, Types(GUESSES), self.parsing.name, str(clang.STUBS), GUESSES, errors)
        program.has_guesses = bool(self.parsing.known.entries)
        program.strict = bool(os.environ.get("CUDALINT_STRICT_LOWERING"))
        program.wanted = frozenset(self.parsing.texts)
        program.included = self.around.included | program.wanted
        program.kernels = self.around.kernels
        program.asked = frozenset(name.encode() for name in self.around.asked)
        program.defining, program.called = self.around.defining, self.options.called
        program.length = len(self.parsing.source.text.encode())
        program.alone = self.around.uncalled is not None
        program.named_elsewhere = self.around.uncalled or frozenset()
        survey(program, parsed.handle.cursor)
        return program

    def entry(self, made: Made, kernel: KernelSyntax) -> KernelEntry:
        program, ids, template = made.program, made.functions_at(kernel.name_span), made.template_at(kernel.name_span)
        gaps, opaque = _closure(program, ids)
        gaps += made.lost_lines(kernel.span, gaps) + self.guessed_macros(kernel)
        if ids and not gaps:
            gaps += lost(program, _reached(program, ids))
        if not ids:
            gaps.append(Gap(self.why_lost(kernel, template), kernel.span))
        qualified = program.functions[ids[0]].name if ids else template or kernel.name
        return KernelEntry(
            kernel.name, qualified, kernel.span, kernel.name_span, ids, not gaps, not gaps and not opaque,
            tuple(gaps), tuple(opaque), template is not None,
            unseen=program.instances[qualified] > MOST_INSTANCES or kernel.name in self.launched_unseen,
            by_name=kernel.name in self.around.by_name, launched=kernel.name in self.launched,
            single=kernel.name in self.around.single,
        )  # fmt: skip

    def uncalled(self, made: Made, declaration: clang.Cursor) -> KernelEntry:
        locator, name = made.program.locator, name_span(made.program, declaration)
        whole = locator.span(declaration)
        return replace(self.entry(made, KernelSyntax(declaration.spelling, whole, name, whole)), device=True)

    def why_lost(self, kernel: KernelSyntax, template: str | None) -> str:
        beyond = self.index.kernels[MOST_KERNELS:]
        if beyond and kernel.span.path == self.parsing.source.path and kernel.span >= beyond[0].span:
            return f"not parsed: beyond the first {MOST_KERNELS:,} kernels of one file"
        return LOST if template is None else "template without instance"

    def guessed_macros(self, kernel: KernelSyntax) -> list[Gap]:
        """Unknown macros that became nothing: no trace of them is in the tree."""
        macros = [e.name for e in self.parsing.known.entries if e.shape == "macro" and "__global__" not in e.text]
        if not macros:
            return []
        lines = self.text_lines[kernel.span.path][kernel.span.line - 1 : kernel.span.end_line]
        used = set(re.findall(r"\w+", "\n".join(lines)))
        return [Gap(f"unknown name {m}", kernel.span) for m in macros if m in used]

    @cached_property
    def launched(self) -> frozenset[str]:
        """Names of the kernels that the files launch, as far as their text says."""
        launches = (launch for found in self.parsing.indexes for launch in found.launches)
        return frozenset(launch.callee.rpartition("::")[2] for launch in launches)

    @cached_property
    def launched_unseen(self) -> frozenset[str]:
        """Names of kernels that are launched where nobody looks: in files that are not read, and by kernels."""
        by_kernels = (
            launch.callee.rpartition("::")[2]
            for found in self.parsing.indexes
            for launch in found.launches
            if any(kernel.span.line <= launch.span.line <= kernel.span.end_line for kernel in found.kernels)
        )
        return self.around.elsewhere | frozenset(by_kernels)

    @cached_property
    def text_lines(self) -> dict[str, list[str]]:
        return {path: text.split("\n") for path, text in self.parsing.texts.items()}


_CUDA = re.compile(r"__global__|<<<|\w*Launch\w*Kernel|GraphAddKernelNode")


def _is_worth_a_parse(source: SourceFile, found: SyntaxIndex, around: Surroundings) -> bool:
    """Whether anything of the file can be lowered: explicit instantiations of another file's templates cost seconds."""
    wanted = found.kernels or found.launches or around.headers or around.asked or around.defining
    if around.uncalled is not None and "__device__" in source.text:
        return True
    return bool(wanted) or len(around.included) > 1 or _CUDA.search(source.text) is not None


def _cut(source: SourceFile, found: SyntaxIndex) -> str:
    """The text up to the last kernel that is analysed: a file with thousands of them is generated."""
    if len(found.kernels) <= MOST_KERNELS:
        return source.text
    last = found.kernels[MOST_KERNELS - 1].span.end_line
    return "\n".join(source.text.split("\n")[:last]) + "\n"


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
    return Translation(source, ir.Unit(source.path, {}, {}), entries, found, (reason,), (found,))
