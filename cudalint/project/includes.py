"""Which files of a project include which, and which of them a header or fragment has to be read with.

A kernel in a header, or in a `.cu` that only makes sense inside another file, has its macros and launches in the files
that include it. Files are read for their include lines and launches only; conditionals are not evaluated.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from cudalint.analysis.operators import registers
from cudalint.project.discovery import CUDA_ENDINGS, HOST_ENDINGS, MAX_BYTES, PYTHON_ENDINGS, ROOT_MARKERS
from cudalint.source import SourceFile

MAIN_ENDINGS = (".cu", ".hip", ".cpp", ".cc", ".cxx", ".c")
OTHER_ENDINGS = (".inc", ".cuinc", ".impl", ".ipp", ".tpp", ".cu.h", ".cl")
SKIPPED_FOLDERS = frozenset({".git", "node_modules", "__pycache__", ".venv", "venv"})
MOST_FILES = 60_000
MOST_READ = 20_000
MOST_READ_UNMARKED = 6_000  # in a folder that nothing says is a project
MOST_CONTEXTS = 3
MOST_CANDIDATES = 64

_INCLUDE = re.compile(rb'#[ \t]*include(?:_next)?[ \t]*(["<])([^">\n]+)[">]')
_LAUNCH = re.compile(rb"(?<!<)<<<(?!<)")
_LAST_WORD = re.compile(rb"(\w+)\s*\Z")
_MAIN = re.compile(rb"main(?<!\wmain)\s*\(")
_LAUNCH_CALL = re.compile(
    rb"(?:cuda|hip)Launch(?:Cooperative)?Kernel(?:Ex|ExC|GGL)?\s*\(\s*(?:\(\s*(?:const\s+)?void\s*\*\s*\))?\s*&?\s*([\w:]+)"
)
_KERNEL_MARK = re.compile(rb"\b(?:__global__|[A-Z][A-Z0-9_]*_KERNEL)\b")
_CALLED = re.compile(rb"(\w+)\s*\(|[;{}]")
_CASE_SWITCH = re.compile(
    rb"^[ \t]*#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t]*\(?[ \t]*)(\w+)[ \t]*\)?[ \t\r]*\n"
    rb"[ \t]*#[ \t]*define[ \t]+(\w+)\([^()\n]*\)[ \t\r\n\\]*case\b(?:[^\n#][^\n]*\n|\n)*?"
    rb"[ \t]*#[ \t]*else[ \t\r]*\n[ \t]*#[ \t]*define[ \t]+\2\([^()\n]*\)[ \t\r]*\n",
    re.MULTILINE,
)
LONGEST_HEADER = 1_000


@dataclass(frozen=True, slots=True)
class Included:
    """What one file says: the files that it includes, the kernels that it launches, whether a program starts in it.

    It may register functions for Python where it `registers`, or was too large to be read.
    `switches` are the names without which a case of a dispatch is empty: `#ifdef WITH_HALF`, `#define CASE_HALF(...) case ...`.
    """

    includes: tuple[str, ...]
    launches: frozenset[bytes]
    starts: bool = False
    switches: tuple[str, ...] = ()
    registers: bool = False


@dataclass(frozen=True, slots=True)
class IncludeGraph:
    """By absolute path; only files below the root."""

    root: str
    files: Mapping[str, Included]
    includers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    _closures: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)
    _mains: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)
    _launched: dict[str, frozenset[bytes]] = field(default_factory=dict, repr=False, compare=False)

    def closure(self, path: str) -> tuple[str, ...]:
        """The file and all that it includes, nearest first."""
        if path not in self._closures:
            reached = _reached(path, lambda each: self.files[each].includes if each in self.files else ())
            self._closures[path] = tuple(reached)
        return self._closures[path]

    def mains(self, path: str) -> tuple[str, ...]:
        """The files that are compiled (nobody includes them, or a program starts there) and include this one, nearest first."""
        if path not in self._mains:
            above = _reached(path, lambda each: self.includers.get(each, ()))
            self._mains[path] = tuple(each for each in above if each != path and self._is_compiled(each))
        return self._mains[path]

    def _is_compiled(self, path: str) -> bool:
        return _is_main(path) and (not self.includers.get(path) or self.files[path].starts)

    def switches(self, path: str) -> tuple[str, ...]:
        """Names that switch cases of a dispatch on, in the file or in what it includes."""
        found = (name for each in self.closure(path) if each in self.files for name in self.files[each].switches)
        return tuple(sorted(set(found)))

    def launches(self, path: str) -> frozenset[bytes]:
        """Names that the file or what it includes launches."""
        if path not in self._launched:
            known = (self.files[each].launches for each in self.closure(path) if each in self.files)
            self._launched[path] = frozenset().union(*known)
        return self._launched[path]


def include_graph(root: str, folders: Iterable[str] = ()) -> IncludeGraph:
    """Read the include lines of every file below the root that can hold C++."""
    resolver = _Resolver(root, folders)
    files = {path: resolver.read(path) for path in resolver.paths}
    includers: dict[str, list[str]] = {}
    for path, found in files.items():
        for each in found.includes:
            includers.setdefault(each, []).append(path)
    return IncludeGraph(root, files, {path: tuple(found) for path, found in includers.items()})


def kernel_names(content: bytes) -> frozenset[bytes]:
    """Names that look like those of kernels."""
    names = (_kernel_name(content, mark.end()) for mark in _KERNEL_MARK.finditer(content))
    return frozenset(name for name in names if name is not None)


def _kernel_name(content: bytes, at: int) -> bytes | None:
    """The name before the parameters: attributes and macros in capitals have parentheses as well."""
    limit = at + LONGEST_HEADER
    in_capitals: bytes | None = None
    while (found := _CALLED.search(content, at, limit)) is not None:
        name: bytes | None = found[1]
        if name is None:
            break
        if not (name.startswith(b"__") or name.isupper()):
            return name
        in_capitals = in_capitals if name.startswith(b"__") else name
        at = found.end()
    return in_capitals


def launch_names(content: bytes) -> frozenset[bytes]:
    """Names of kernels that the text launches, without their namespaces."""
    names = {name.rsplit(b":", 1)[-1] for name in _LAUNCH_CALL.findall(content)} if b"Launch" in content else set()
    for launch in _LAUNCH.finditer(content) if b"<<<" in content else ():
        found = _LAST_WORD.search(_without_arguments(content[max(0, launch.start() - 200) : launch.start()]))
        if found is not None:
            names.add(found[1])
    return frozenset(names)


def _without_arguments(before: bytes) -> bytes:
    """The text without the template arguments that it ends with."""
    text = before.rstrip()
    if not text.endswith(b">"):
        return text
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at : at + 1] == b">") - (text[at : at + 1] == b"<")
        if depth == 0:
            return text[:at]
    return b""


def needs_context(source: SourceFile) -> bool:
    """Whether kernels of the file may be launched, or only make sense, in a file that includes it."""
    content = source.text.encode("utf-8", "replace")
    names = kernel_names(content)
    if not names:
        return False
    if not _is_main(source.absolute):
        return True
    return not names & launch_names(content)


def has_kernels(source: SourceFile) -> bool:
    return bool(kernel_names(source.text.encode("utf-8", "replace")))


def fragments(main: str, graph: IncludeGraph, has_kernels_itself: bool) -> tuple[str, ...]:
    """Included files whose kernels are part of this one: `.cu` files and, where it only launches, headers."""
    included = graph.closure(main)[1:]
    launches_only = not has_kernels_itself and main in graph.files and bool(graph.files[main].launches)
    return tuple(path for path in included if launches_only or (_is_cuda(path) and _is_main(path)))


def contexts(source: SourceFile, graph: IncludeGraph) -> tuple[str, ...]:
    """The main files to read the kernels of a header or fragment in: as many as launch further ones, at least one.

    Empty where no main file includes it: then it is read alone.
    """
    path = os.path.realpath(source.absolute)
    mains = graph.mains(path)[:MOST_CANDIDATES]
    if not mains:
        return ()
    names = kernel_names(source.text.encode("utf-8", "replace"))
    direct = {main: names & graph.files[main].launches for main in mains}
    reached = {main: names & graph.launches(main) for main in mains}
    chosen: list[str] = []
    covered: frozenset[bytes] = frozenset()
    while len(chosen) < MOST_CONTEXTS:
        order = sorted(
            (main for main in mains if main not in chosen),
            key=lambda m: (-len(reached[m] - covered), -len(direct[m] - covered), *_nearness(m, path, graph)),
        )
        if not order or (chosen and not reached[order[0]] - covered):
            break
        chosen.append(order[0])
        covered |= reached[order[0]]
    return tuple(chosen)


def _nearness(main: str, path: str, graph: IncludeGraph) -> tuple[bool, bool, int, str]:
    """The file of the same name first, then CUDA, then what includes least."""
    stem = os.path.splitext(os.path.basename(path))[0]
    same = os.path.splitext(os.path.basename(main))[0] == stem
    return not same, not _is_cuda(main), len(graph.closure(main)), main


def _is_main(path: str) -> bool:
    return path.lower().endswith(MAIN_ENDINGS)


def _is_cuda(path: str) -> bool:
    return path.lower().endswith(CUDA_ENDINGS)


def _reached(start: str, following: object) -> Iterator[str]:
    assert callable(following)
    seen = {start: None}
    waiting = [start]
    while waiting:
        level, waiting = waiting, []
        for path in level:
            yield path
            for other in following(path):
                if other not in seen:
                    seen[other] = None
                    waiting.append(other)


class _Resolver:
    """Finds what an include line means: beside the file, in a folder, or by the end of a path that only one file has."""

    def __init__(self, root: str, folders: Iterable[str]) -> None:
        self._folders = [os.path.abspath(folder) for folder in folders]
        self._folders += [root, os.path.join(root, "include"), os.path.join(root, "src")]
        self.paths = list(candidates(root))
        self._known = set(self.paths)
        self._by_name: dict[str, list[str]] = {}
        for path in self.paths:
            self._by_name.setdefault(os.path.basename(path), []).append(path)

    def read(self, path: str) -> Included:
        try:
            status = os.stat(path)
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
                return Included((), frozenset(), registers=stat.S_ISREG(status.st_mode))
            with open(path, "rb") as file:
                content = file.read()
        except OSError:
            return Included((), frozenset())
        includes: dict[str, None] = {}
        for line in _INCLUDE.finditer(content):
            if b"//" in content[content.rfind(b"\n", 0, line.start()) + 1 : line.start()]:
                continue  # a comment
            found = self._find(path, line[2].decode("utf-8", "replace"), line[1] == b'"')
            if found is not None and found != path:
                includes[found] = None
        cases = _CASE_SWITCH.finditer(content) if b"case" in content else ()
        switches = tuple(dict.fromkeys(match[1].decode() for match in cases))
        starts = _MAIN.search(content) is not None
        return Included(tuple(includes), launch_names(content), starts, switches, registers(content))

    def _find(self, includer: str, name: str, quoted: bool) -> str | None:
        named = self._by_name.get(os.path.basename(name))
        if not named:
            return None
        folders = [os.path.dirname(includer), *self._folders] if quoted else self._folders
        for folder in folders:
            path = os.path.normpath(os.path.join(folder, name))
            if path in self._known:
                return path
        ending = "/" + os.path.normpath(name).lstrip("./")
        return nearest([path for path in named if path.endswith(ending)], includer)


def nearest(paths: list[str], path: str) -> str | None:
    """The one that shares more leading folders with a path than any other; the only one in any case."""
    if len(paths) < 2:
        return paths[0] if paths else None
    order = sorted(((shared_folders(each, path), each) for each in paths), reverse=True)
    return order[0][1] if order[0][0] > order[1][0] else None


def shared_folders(path: str, other: str) -> int:
    """How many leading folders two paths share."""
    folders, others = os.path.dirname(path).split("/"), os.path.dirname(other).split("/")
    return next((i for i, (a, b) in enumerate(zip(folders, others)) if a != b), min(len(folders), len(others)))


def candidates(root: str) -> Iterator[str]:
    """Real paths of all files below a folder that can hold C++, in the order of their names; links to folders are not followed."""
    return _files(root, (*CUDA_ENDINGS, *HOST_ENDINGS, *OTHER_ENDINGS))


def python_files(root: str) -> Iterator[str]:
    """Real paths of the Python files below a folder, in the order of their names."""
    return _files(root, PYTHON_ENDINGS)


def _files(root: str, endings: tuple[str, ...]) -> Iterator[str]:
    entries = read = 0
    real_root = os.path.realpath(root)
    marked = any(os.path.lexists(os.path.join(real_root, marker)) for marker in ROOT_MARKERS)
    most = MOST_READ if marked else MOST_READ_UNMARKED
    for folder, names, files in os.walk(real_root):
        names[:] = sorted(n for n in names if n not in SKIPPED_FOLDERS and not n.startswith("."))
        entries += len(files)
        for file in sorted(files):
            if file.lower().endswith(endings):
                read += 1
                if read > most:
                    return
                path = os.path.join(folder, file)
                yield os.path.realpath(path) if os.path.islink(path) else path  # no folder on the way is a link
        if entries > MOST_FILES:
            return
