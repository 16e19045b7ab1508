"""One source file to IR: parse, guess what is missing, lower, and say of each kernel how much was understood."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

from cudalint.finding import LOST
from cudalint.frontend import clang, guess
from cudalint.frontend.absent_types import absent_types
from cudalint.frontend.clang import Diagnostic, Locator, ParsedUnit
from cudalint.frontend.dialect import accepted, headers_of_old_c
from cudalint.frontend.dialect_errors import respelled
from cudalint.frontend.headers import (
    class_attributes,
    missing_folders,
    missing_includes,
    needed_folders,
    shadowed_folders,
)
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
from cudalint.frontend.launch_macros import definitions, launching_calls, rewritten
from cudalint.frontend.launch_text import braced_dimensions_named
from cudalint.frontend.lowering.context import Gap, Program
from cudalint.frontend.lowering.functions import MOST_INSTANCES, name_span
from cudalint.frontend.lowering.names import qualified_name
from cudalint.frontend.lowering.types import Types
from cudalint.frontend.lowering.unit import called_by_others, leading_to, lower_unit, survey, without_instance
from cudalint.frontend.made import Made, lost
from cudalint.frontend.syntax import KernelSyntax, SyntaxIndex, index
from cudalint.ir import nodes as ir
from cudalint.source import SourceFile, Span

__all__ = ["ALONE", "Gap", "KernelEntry", "ParseOptions", "Surroundings", "Translation", "translate"]

NAMING = "(void)&"  # in a line that makes an instance
GUESSES = "/cudalint_guesses.h"
MACROS = "/cudalint_macros.h"
ROUNDS = 3
FARTHEST_HEADERS = 3  # rounds of headers that others include
HIDDEN = 4  # errors that one which is mended may have hidden
PROBLEMS = 60
_DEFINED = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
MOST_EXPLICIT, MOST_EXPLICIT_OF_HOST = 24, 96  # instances of host code are cheap
MOST_KERNELS = 2_000
MOST_SETTLED = 12  # kernel templates whose guessed arguments are tried again
MOST_TRIED = 40  # arguments that are tried for all of them together
TRIAL = "-fconstexpr-steps=10000"  # arguments that make a constant function run on and on are no likely ones
LARGE = 2_000_000  # a file that is longer is parsed once: nothing in it is guessed
DEEP = 12_000


@dataclass(frozen=True)
class ParseOptions:
    """`includes` are folders, `defines` are `NAME` or `NAME=VALUE`; `target` sets `__CUDA_ARCH__`."""

    includes: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    std: str = "c++17"
    target: str = "sm_80"
    instances: tuple[str, ...] = ()  # `kernel<arguments>` that are lowered besides those that are launched
    called: frozenset[str] = frozenset()  # functions that other files call: those that prepare something are lowered
    note: str = ""  # said of the file, such as under which settings it is read
    other_values: bool = False  # templates that nothing instantiates get other numbers than the usual ones


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
class Surroundings:
    """What a file is read together with: headers whose kernels are wanted too, and the project's files that it includes.

    Paths are as shown. Host functions that launch count in all of `included`, those that are or mention one `asked` for, with
    who mentions them, and those named in `defining`.
    Without `kernels` the file is read for its host functions: of a kernel that they launch only the declaration is lowered.
    """

    headers: tuple[SourceFile, ...] = ()
    included: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    defining: frozenset[str] = frozenset()
    kernels: bool = True


ALONE = Surroundings()


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
        self.source = replace(source, text=accepted(source.path, braced_dimensions_named(_cut(source, found))))
        self.around = around
        self.texts = {each.path: each.text for each in (source, *around.headers)}
        self.indexes = (found, *(index(header) for header in around.headers))
        self.root = os.path.abspath(root)
        self.index = found
        self.flags = _flags(options, self.root)
        self.known = guess.Guesses()
        self.named, self.options = options.instances, options
        self.notes: list[str] = [options.note] if options.note else []
        self.overlays = _known_overlays(self.root)
        self.before: clang.SavedUnit | None = None  # what instances are parsed behind
        kernels = [kernel for each in self.indexes for kernel in each.kernels]
        self.macros = launching_calls(self.source.text, kernels)
        self.name = source.absolute or source.path
        if opened := headers_of_old_c(self.name, source.text):
            self.overlays = {**opened, **self.overlays}
        self._shown: dict[str, str] = {}
        self.lines = source.text.count("\n") + 1

    def run(self) -> Translation:
        parsed, program = self.with_instances(self.parse_with_guesses())
        lower_unit(program)
        made = Made(program, {name_span(program, t): qualified_name(t) for t in program.templates})
        entries = tuple(self.entry(made, kernel) for each in self.indexes for kernel in each.kernels)
        for name, count in sorted(program.instances.items()):
            if count > MOST_INSTANCES:
                self.notes.append(f"{count - MOST_INSTANCES} of {count} instances of {name} are not walked")
        unit = ir.Unit(self.source.path, program.functions, program.globals)
        folders = tuple(flag[2:] for flag in self.flags if flag.startswith("-I"))
        absent = self.absent(parsed)
        return Translation(self.source, unit, entries, self.index, tuple(self.notes), self.indexes, absent, folders)

    def with_instances(self, parsed: ParsedUnit) -> tuple[ParsedUnit, Program]:
        """The file with an instance of each template that nothing in it instantiates, launching host functions first."""
        program, behind = self.program(parsed), ""
        project = "\n".join(self.texts.values())
        used_by_templates = called_by_others(program, [*program.members, *program.launching])
        called = {name_span(program, m) for m in used_by_templates}
        parsed, behind, program = self.with_members(parsed, behind, program, called)
        templates = program.templates
        named = (*self.named, *named_instances(self.indexes))
        other = self.options.other_values
        launching, missing = self.wanting(program)
        if launching or missing:
            self.before = self.saved()
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
            behind, parsed = self.instantiated(behind, extra, program.templates, apart=bool(behind))
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
            program.members if explicit else [], unused, self.source.text, "\n".join(self.texts.values())
        )
        if not members:
            return parsed, behind, program
        if self.before is None:
            self.before = self.saved()
        made = behind + (
            f"\nnamespace cudalint_members{behind.count('namespace')} {{{members}}}\n" if behind else members
        )
        parsed = self.parse(made)
        parsed = self.guessed(made, parsed) if self.is_guessed() else parsed
        behind, parsed = self.without_failing(made, parsed)
        return parsed, behind, self.program(parsed, behind)

    def wanting(self, program: Program) -> tuple[list[clang.Cursor], list[clang.Cursor]]:
        """Templates without an instance: those of launching host functions, and those of kernels.

        A host function that is only included counts where a kernel has none.
        """
        own = [t for t in program.launching if program.locator.shown(program.file_of(t)) in self.texts]
        lacking = without_instance(program, [*own, *(program.templates if self.around.kernels else ())])
        kernels = [t for t in lacking if t in program.templates]
        if kernels and len(own) < len(program.launching):
            return without_instance(program, leading_to(program, kernels)), kernels
        return [t for t in lacking if t not in kernels], kernels

    def explicit(self, parsed: ParsedUnit, templates: list[clang.Cursor]) -> tuple[str, ...]:
        """The explicit instantiations of these templates in the file."""
        names = {t.spelling for t in templates}
        found = explicit_instances(taken(self.source.text, self.defined(parsed))) if names else ()
        return tuple(e for e in found if e.partition("<")[0].rsplit("::", 1)[-1] in names)[
            : MOST_EXPLICIT if self.around.kernels else MOST_EXPLICIT_OF_HOST
        ]

    def defined(self, parsed: ParsedUnit) -> set[str]:
        """The macros that the flags, the file or what it includes define, wherever."""
        given = {flag[2:].partition("=")[0] for flag in self.flags if flag.startswith("-D")}
        locator = Locator(self.name, self.source.text, self.source.path, self.root)
        texts = [self.source.text.encode(), *map(locator.content, clang.included_files(parsed.handle.cursor))]
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
        parsed = self.parse(made)
        if self.known.names:  # members of guessed templates are missed only where there are instances
            parsed = self.guessed(made, parsed)
        wrong = failing_lines(parsed, self.source.text + made)
        broken = {line: t for line in lines if wrong[line] for t in missing if f"::{qualified_name(t)}<" in line}
        project = "\n".join(self.texts.values())
        most = MOST_TRIED // max(1, min(len(broken), MOST_SETTLED))
        tried = {
            line: alternatives(t, project, self.options.other_values)[:most]
            for line, t in list(broken.items())[:MOST_SETTLED]
        }
        if any(tried.values()):
            everything = appended([*lines[:2], *dict.fromkeys(o for each in tried.values() for o in each), "}", ""])
            worse = failing_lines(self.parse(everything, TRIAL), self.source.text + everything)
            best = {line: min(each, key=lambda o: (worse[o], CALLABLE in o)) for line, each in tried.items() if each}
            taken = {line: option for line, option in best.items() if worse[option] < wrong[line]}
            errors = {line: worse[taken[line]] if line in taken else wrong[line] for line in lines if NAMING in line}
            broken = {taken.get(line, line): t for line, t in broken.items() if errors[line]}
            lines = [taken.get(line, line) for line in lines if not (without and errors.get(line))]
            better = appended(lines)
            parsed = parsed if made == better else self.parse(better)
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
        project = "\n".join(self.texts.values())
        made = {line: found for line, t in broken.items() if (found := class_line(t, self.text_of(t), project))}
        if not made:
            return None
        before = self.known, self.before
        wrong = failing_lines(parsed, self.source.text + appended(lines))
        self.known = guess.with_classes(self.known, [name for _, names in made.values() for name in names])
        self.before = self.saved()
        tried = appended([made[line][0] if line in made else line for line in lines])
        parsed = self.guessed(tried, self.parse(tried), HIDDEN)
        left = failing_lines(parsed, self.source.text + tried)
        better = {line for line, (option, _) in made.items() if left[option] < wrong[line] + HIDDEN}
        if better == set(made):
            return tried, parsed
        if not better:
            self.known, self.before = before
            return None
        tried = appended([made[line][0] if line in better else line for line in lines])
        return tried, self.parse(tried)

    def text_of(self, template: clang.Cursor) -> str:
        """The text of a template in one of the files that are wanted."""
        extent = template.extent
        text = self.texts.get(self.shown(extent.start.file.name) if extent.start.file is not None else "", "")
        return "\n".join(text.split("\n")[extent.start.line - 1 : extent.end.line])

    def guessed(self, behind: str, parsed: ParsedUnit, hidden: int = 0) -> ParsedUnit:
        """With guesses of what is missing; what they uncover, such as members of a guessed struct, is guessed in turn.

        Of all rounds that one is kept which leaves the fewest errors, or the last that leaves up to `hidden` more.
        """
        best = parsed, self.known, self.before
        for _ in range(ROUNDS):
            more = self.known
            for path, found in self.problems(parsed).items():
                more = guess.guesses(found, self.texts.get(path) or _text_at(path), more)
            if more == self.known:
                break
            self.known = more
            self.before = self.saved() if self.before is not None else None
            parsed = self.parse(behind)
            if len(self.own(parsed)) <= len(self.own(best[0])) + hidden:
                best = parsed, self.known, self.before
        parsed, self.known, self.before = best
        return parsed

    def without_failing(self, behind: str, parsed: ParsedUnit) -> tuple[str, ParsedUnit]:
        """Without guessed instances that are errors: what they call has instances of its own, or gets them.

        What the project itself uses stays where the errors are in the code of the instance.
        """
        wrong = failing_lines(parsed, self.source.text + behind)
        unnamed = failing_lines(parsed, self.source.text + behind, direct=True)
        kept = [
            line
            for line in behind.split("\n")
            if not (NAMING in line and (unnamed if line.endswith(USED) else wrong)[line])
        ]
        less = "\n".join(kept)
        return (behind, parsed) if less == behind else (less, self.parse(less))

    def absent(self, parsed: ParsedUnit) -> tuple[tuple[str, Span], ...]:
        """The includes that were not found; those of our own headers are nobody's business."""
        found = []
        for include, error in missing_includes(parsed.errors):
            if not error.path.startswith(str(clang.STUBS)):
                place = Span(self.shown(error.path), error.line, error.column, error.line, error.column + 1)
                found.append((include, place))
        return tuple(found)

    def parse(self, behind: str = "", *more: str) -> ParsedUnit:
        """The file with a text behind it, parsed again where clang refused what nvcc takes."""
        parsed = self.parse_once(behind, *more)
        made = respelled(parsed.errors, {**self.overlays, self.name: self.source.text})
        if not made:
            return parsed
        if self.name in made:
            self.source = replace(self.source, text=made.pop(self.name))
        self.overlays.update(made)
        if self.before is not None:
            self.before = self.saved()
        return self.parse_once(behind, *more)

    def parse_once(self, behind: str, *more: str) -> ParsedUnit:
        if behind and self.before is not None:
            with suppress(OSError):
                return self.before.parse_behind(behind, *more)
        arguments, extra = self.inputs()
        return clang.parse(self.name, self.source.text + behind, (*arguments, *more), extra)

    def inputs(self) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
        """The arguments of a parse, and the files in memory besides the file itself."""
        made = {GUESSES: self.known.text, MACROS: definitions(self.macros)}
        before = {path: text for path, text in made.items() if text}
        flags = [part for path in before for part in ("-include", path)]
        return (*self.flags, *flags), (*before.items(), *self.overlays.items())

    def saved(self) -> clang.SavedUnit | None:
        """The file as it is known by now, to parse instances behind it; None where it cannot be saved."""
        inputs = self.inputs()
        if self.before is not None and self.before.is_of(self.source.text, *inputs):
            return self.before
        with suppress(OSError):
            return clang.saved(self.name, self.source.text, *inputs)
        return None

    def parse_with_guesses(self) -> ParsedUnit:
        self.add_folders(needed_folders(self.source.text, self.root, self.flags, self.name))
        parsed = self.parse()
        folders = missing_folders(parsed.errors, self.root, self.flags)
        if folders:
            self.add_folders(folders)
            parsed = self.parse()
        if self.own(parsed):
            parsed = self.with_shadowed_headers(parsed)
        parsed = self.with_farther_headers(parsed)
        if self.macros and (found := self.launching_headers(parsed)):
            self.overlays.update(found)
            parsed = self.parse()
        if any(_LATER.search(error.message) for error in parsed.errors) and f"-std={OLDER}" in self.flags:
            older, self.flags = self.flags, tuple(flag.replace(OLDER, NEWER) for flag in self.flags)
            try:
                parsed = self.parse()
            except OSError:  # the parser gave up
                self.flags = older
        return self.guessed("", parsed) if self.is_guessed() else parsed

    def with_shadowed_headers(self, parsed: ParsedUnit) -> ParsedUnit:
        """With the project's own headers for stubs of the same name, unless less is understood then: `mma.h` may be another."""
        folders = shadowed_folders(self.source.text, self.root, self.flags, self.name)
        if not folders:
            return parsed
        flags = self.flags
        self.add_folders(folders)
        again = self.parse()
        if len(self.own(again)) <= len(self.own(parsed)):
            return again
        self.flags = flags
        return parsed

    def with_farther_headers(self, parsed: ParsedUnit) -> ParsedUnit:
        """With the headers that headers include, and without what they write between `class` and a name for the linker."""
        for _ in range(FARTHEST_HEADERS):
            folders = missing_folders(parsed.errors, self.root, self.flags)
            added = (
                *(f"-I{folder}" for folder in folders),
                *(f"-D{name}=" for name in class_attributes(parsed.errors)),
            )
            if not set(added) - set(self.flags):
                break
            self.flags += added
            parsed = self.parse()
        return parsed

    def launching_headers(self, parsed: ParsedUnit) -> dict[str, str]:
        """Headers of the project whose macros launch through functions, with macros that launch at sight."""
        found: dict[str, str] = {}
        for path in clang.included_files(parsed.handle.cursor):
            if path.startswith(str(clang.STUBS)) or path in (GUESSES, MACROS):
                continue
            with suppress(OSError, UnicodeDecodeError):
                text = self.overlays.get(path) or Path(path).read_text("utf-8")
                if (made := rewritten(text, self.macros)) != text:
                    found[path] = made
        return found

    def add_folders(self, folders: tuple[str, ...]) -> None:
        self.flags += tuple(f"-I{folder}" for folder in folders)

    def is_guessed(self) -> bool:
        """Names are guessed for kernels and for the host functions that launch or that somebody asks for."""
        wanted = any(each.kernels or each.launches for each in self.indexes) or bool(
            self.around.asked or self.around.defining
        )
        return wanted and len(self.source.text) <= LARGE

    def own(self, parsed: ParsedUnit) -> list[tuple[str, Diagnostic]]:
        """The errors in the file and in the wanted headers, with the paths as shown."""
        located = ((self.shown(error.path), error) for error in parsed.errors)
        return [(path, error) for path, error in located if path in self.texts]

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the wanted files."""
        return frozenset(word for text in self.texts.values() for word in re.findall(r"\w+", text))

    def shown(self, path: str) -> str:
        """The path of a file as libclang names it, from the root."""
        if path == self.name:
            return self.source.path
        if path not in self._shown:
            absolute = os.path.normpath(path)
            inside = absolute.startswith(os.path.join(self.root, ""))
            self._shown[path] = os.path.relpath(absolute, self.root).replace(os.sep, "/") if inside else absolute
        return self._shown[path]

    def problems(self, parsed: ParsedUnit) -> dict[str, list[guess.Problem]]:
        """What is worth a guess, by file: errors in kernels first, one of each message, not more than a few."""
        kernels = [kernel for each in self.indexes for kernel in each.kernels]
        found: dict[str, tuple[str, guess.Problem]] = {}
        for path, error in sorted(self.own(parsed), key=lambda each: not _in_kernel(each[0], each[1], kernels)):
            found.setdefault(error.message, (path, guess.Problem(error.message, error.line, error.column)))
        problems: dict[str, list[guess.Problem]] = {}
        for path, problem in list(found.values())[:PROBLEMS]:
            problems.setdefault(path, []).append(problem)
        others = (e for e in parsed.errors if self.shown(e.path) not in self.texts and e.path.startswith(self.root))
        own = [error for _, error in self.own(parsed)]
        return problems | absent_types(own, others, self.words, _text_at)

    def program(self, parsed: ParsedUnit, behind: str = "") -> Program:
        """A parsed file with a text behind it, surveyed."""
        errors: dict[str, list[Diagnostic]] = {}
        for error in parsed.errors:
            if error.path != self.name or error.line <= self.lines:
                errors.setdefault(error.path, []).append(error)
        locator = Locator(self.name, self.source.text + behind, self.source.path, self.root)
        program = Program(locator, Types(GUESSES), self.name, str(clang.STUBS), GUESSES, errors)
        program.has_guesses = bool(self.known.entries)
        program.strict = bool(os.environ.get("CUDALINT_STRICT_LOWERING"))
        program.wanted = frozenset(self.texts)
        program.included = self.around.included | program.wanted
        program.kernels = self.around.kernels
        program.asked = frozenset(name.encode() for name in self.around.asked)
        program.defining, program.called = self.around.defining, self.options.called
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
        )  # fmt: skip

    def why_lost(self, kernel: KernelSyntax, template: str | None) -> str:
        beyond = self.index.kernels[MOST_KERNELS:]
        if beyond and kernel.span.path == self.source.path and kernel.span >= beyond[0].span:
            return f"not parsed: beyond the first {MOST_KERNELS:,} kernels of one file"
        return LOST if template is None else "template without instance"

    def guessed_macros(self, kernel: KernelSyntax) -> list[Gap]:
        """Unknown macros that became nothing: no trace of them is in the tree."""
        macros = [e.name for e in self.known.entries if e.shape == "macro" and "__global__" not in e.text]
        if not macros:
            return []
        lines = self.text_lines[kernel.span.path][kernel.span.line - 1 : kernel.span.end_line]
        used = set(re.findall(r"\w+", "\n".join(lines)))
        return [Gap(f"unknown name {m}", kernel.span) for m in macros if m in used]

    @cached_property
    def text_lines(self) -> dict[str, list[str]]:
        return {path: text.split("\n") for path, text in self.texts.items()}


_LATER = re.compile(r"unknown type name 'concept'|use of undeclared identifier 'requires'")
OLDER, NEWER = "c++17", "c++20"  # what is parsed as the newer one says so by its keywords

_CUDA = re.compile(r"__global__|<<<|\w*Launch\w*Kernel")


def _is_worth_a_parse(source: SourceFile, found: SyntaxIndex, around: Surroundings) -> bool:
    """Whether anything of the file can be lowered: explicit instantiations of another file's templates cost seconds."""
    wanted = found.kernels or found.launches or around.headers or around.asked or around.defining
    return bool(wanted) or len(around.included) > 1 or _CUDA.search(source.text) is not None


@lru_cache(maxsize=4)
def _known_overlays(root: str) -> dict[str, str]:
    """Headers of a project that were found to need another text; later files parse them once."""
    return {}


def _cut(source: SourceFile, found: SyntaxIndex) -> str:
    """The text up to the last kernel that is analysed: a file with thousands of them is generated."""
    if len(found.kernels) <= MOST_KERNELS:
        return source.text
    last = found.kernels[MOST_KERNELS - 1].span.end_line
    return "\n".join(source.text.split("\n")[:last]) + "\n"


def architecture(target: str) -> int:
    """`__CUDA_ARCH__` for a target such as `sm_90a`."""
    arch = re.search(r"\d+", target)
    return int(arch[0]) * 10 if arch else 800


WITH_CUDA = ("HAVE_CUDA=1", "USE_CUDA=1", "WITH_CUDA=1", "ENABLE_CUDA=1")
"""What the builds of many projects define where they compile CUDA code, and their headers ask for."""


def _flags(options: ParseOptions, root: str) -> tuple[str, ...]:
    number = architecture(options.target)
    folders = [*options.includes, root, os.path.join(root, "include"), os.path.join(root, "src")]
    includes = [f"-I{folder}" for folder in dict.fromkeys(folders) if os.path.isdir(folder)]
    defines = [f"-D{d}" for d in (*WITH_CUDA, *options.defines)]
    return (f"-std={options.std}", "-U__CUDA_ARCH__", f"-D__CUDA_ARCH__={number}", *defines, *includes)


@lru_cache(maxsize=4)
def _text_at(path: str) -> str:
    """The text of a header that the parser has read."""
    with suppress(OSError, UnicodeDecodeError):
        return Path(path).read_text("utf-8")
    return ""


def _in_kernel(path: str, error: Diagnostic, kernels: list[KernelSyntax]) -> bool:
    return any(k.span.path == path and k.span.covers_line(error.line) for k in kernels)


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
