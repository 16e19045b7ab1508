"""How one file is parsed: with the headers that it needs, and with guesses of what no header gives."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

from cudalint.analysis.text.passed_checks import PassedCheck
from cudalint.frontend import clang, guess
from cudalint.frontend.absent_types import absent_types
from cudalint.frontend.clang import Diagnostic, ParsedUnit
from cudalint.frontend.dialect import headers_of_old_c
from cudalint.frontend.dialect_errors import respelled
from cudalint.frontend.headers import (
    class_attributes,
    missing_folders,
    missing_includes,
    needed_folders,
    shadowed_folders,
)
from cudalint.frontend.launch_macros import definitions, launching_calls, rewritten
from cudalint.frontend.syntax import KernelSyntax, SyntaxIndex
from cudalint.source import SourceFile, Span

GUESSES = "/cudalint_guesses.h"
MACROS = "/cudalint_macros.h"
ROUNDS = 3
FARTHEST_HEADERS = 3  # rounds of headers that others include
PROBLEMS = 60
LIGHT = 100_000  # bytes of a file and its headers that are parsed anew in less time than they are saved in
LARGE = 2_000_000  # a file that is longer is parsed once: nothing in it is guessed
OLDER, NEWER = "c++17", "c++20"  # what is parsed as the newer one says so by its keywords
_TOO_OLD = re.compile(r"(?:c|gnu)\+\+(?:98|03|0x|11|1y|14)")  # the stubs of the libraries are written in the next one
_LATER = re.compile(r"unknown type name 'concept'|use of undeclared identifier 'requires'")
WITH_CUDA = ("HAVE_CUDA=1", "USE_CUDA=1", "WITH_CUDA=1", "ENABLE_CUDA=1")
"""What the builds of many projects define where they compile CUDA code, and their headers ask for."""


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
    checks: tuple[PassedCheck, ...] = ()  # of what the callers of its functions pass, as their text says


@dataclass(frozen=True)
class Surroundings:
    """What a file is read together with: headers whose kernels are wanted too, and the project's files that it includes.

    Paths are as shown. Host functions that launch count in all of `included`, those that are or mention one `asked` for, with
    who mentions them, and those named in `defining`.
    Without `kernels` the file is read for its host functions: of a kernel that they launch only the declaration is lowered.
    The kernels named in `elsewhere` are launched by further files, which nobody reads; those in `by_name` are taken out of a
    module by their names, which may be all that is known of their launches. Each launch of one in `single` that the project
    writes is by one thread.
    With `uncalled` device functions are wanted that nobody calls: those whose names stand nowhere else, and are none of these.
    """

    headers: tuple[SourceFile, ...] = ()
    included: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    defining: frozenset[str] = frozenset()
    kernels: bool = True
    uncalled: frozenset[str] | None = None
    elsewhere: frozenset[str] = frozenset()
    by_name: frozenset[str] = frozenset()
    single: frozenset[str] = frozenset()


ALONE = Surroundings()


class Parsing:
    """One file and how it is parsed: flags, headers found on the way, guesses of what is missing, texts in memory.

    `text` is what is parsed of the source, `indexes` are those of the file and of the wanted headers. Each parse may add to
    what is known; the next one begins with it.
    """

    def __init__(
        self,
        source: SourceFile,
        text: str,
        options: ParseOptions,
        root: str,
        indexes: tuple[SyntaxIndex, ...],
        around: Surroundings,
    ) -> None:
        self.source, self.around, self.indexes = replace(source, text=text), around, indexes
        self.texts = {each.path: each.text for each in (source, *around.headers)}
        self.root = os.path.abspath(root)
        self.flags = _flags(options, self.root)
        self.known = guess.Guesses()
        self.overlays = _known_overlays(self.root)
        self.before: clang.SavedUnit | None = None  # what instances are parsed behind
        self.is_heavy = False  # so much is read that a parse is to be saved
        self._savable: tuple[tuple[object, ...], ParsedUnit] | None = None  # the latest parse, and of what it is
        kernels = [kernel for each in indexes for kernel in each.kernels]
        self.macros = launching_calls(text, kernels)
        self.name = source.absolute or source.path
        if opened := headers_of_old_c(self.name, source.text):
            self.overlays = {**opened, **self.overlays}
        self._shown: dict[str, str] = {}

    def parse_with_guesses(self) -> ParsedUnit:
        self.add_folders(needed_folders(self.source.text, self.root, self.flags, self.name))
        parsed = self.parse()
        self.is_heavy = self.is_worth_saving(parsed)
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
        if not self.is_heavy or behind or more:
            return clang.parse(self.name, self.source.text + behind, (*arguments, *more), extra)
        self._savable = None
        parsed = clang.parse(self.name, self.source.text, arguments, extra, savable=True)
        self._savable = (self.source.text, arguments, extra), parsed
        return parsed

    def inputs(self) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
        """The arguments of a parse, and the files in memory besides the file itself."""
        made = {GUESSES: self.known.text, MACROS: definitions(self.macros)}
        before = {path: text for path, text in made.items() if text}
        flags = [part for path in before for part in ("-include", path)]
        return (*self.flags, *flags), (*before.items(), *self.overlays.items())

    def is_worth_saving(self, parsed: ParsedUnit) -> bool:
        """Whether a parse behind the saved file would cost much less than one of the whole."""
        sizes = (_size(path, self.overlays) for path in clang.included_files(parsed.handle.cursor))
        return len(self.source.text) + sum(sizes) > LIGHT

    def saved(self) -> clang.SavedUnit | None:
        """The file as it is known by now, to parse instances behind it; None where it cannot be saved."""
        inputs = self.inputs()
        if self.before is not None and self.before.is_of(self.source.text, *inputs):
            return self.before
        known, self._savable = self._savable, None
        parsed = known[1] if known is not None and known[0] == (self.source.text, *inputs) else None
        with suppress(OSError):
            return clang.saved(self.name, self.source.text, *inputs, parsed)
        return None

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

    def is_guessed(self) -> bool:
        """Names are guessed for kernels and for the host functions that launch or that somebody asks for."""
        wanted = any(each.kernels or each.launches for each in self.indexes) or bool(
            self.around.asked or self.around.defining
        )
        return wanted and len(self.source.text) <= LARGE

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

    def own(self, parsed: ParsedUnit) -> list[tuple[str, Diagnostic]]:
        """The errors in the file and in the wanted headers, with the paths as shown."""
        located = ((self.shown(error.path), error) for error in parsed.errors)
        return [(path, error) for path, error in located if path in self.texts]

    def absent(self, parsed: ParsedUnit) -> tuple[tuple[str, Span], ...]:
        """The includes that were not found; those of our own headers are nobody's business."""
        found = []
        for include, error in missing_includes(parsed.errors):
            if not error.path.startswith(str(clang.STUBS)):
                place = Span(self.shown(error.path), error.line, error.column, error.line, error.column + 1)
                found.append((include, place))
        return tuple(found)

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


@lru_cache(maxsize=4)
def _known_overlays(root: str) -> dict[str, str]:
    """Headers of a project that were found to need another text; later files parse them once."""
    return {}


def architecture(target: str) -> int:
    """`__CUDA_ARCH__` for a target such as `sm_90a`."""
    arch = re.search(r"\d+", target)
    return int(arch[0]) * 10 if arch else 800


def _flags(options: ParseOptions, root: str) -> tuple[str, ...]:
    number = architecture(options.target)
    folders = [*options.includes, root, os.path.join(root, "include"), os.path.join(root, "src")]
    includes = [f"-I{folder}" for folder in dict.fromkeys(folders) if os.path.isdir(folder)]
    defines = [f"-D{d}" for d in (*WITH_CUDA, *options.defines)]
    std = OLDER if _TOO_OLD.fullmatch(options.std) else options.std
    return (f"-std={std}", "-U__CUDA_ARCH__", f"-D__CUDA_ARCH__={number}", *defines, *includes)


@lru_cache(maxsize=4)
def _text_at(path: str) -> str:
    """The text of a header that the parser has read."""
    with suppress(OSError, UnicodeDecodeError):
        return Path(path).read_text("utf-8")
    return ""


def _size(path: str, overlays: dict[str, str]) -> int:
    """Bytes of a header, 0 where it is in memory only."""
    with suppress(OSError):
        return len(overlays[path]) if path in overlays else os.path.getsize(path)
    return 0


def _in_kernel(path: str, error: Diagnostic, kernels: list[KernelSyntax]) -> bool:
    return any(k.span.path == path and k.span.covers_line(error.line) for k in kernels)
