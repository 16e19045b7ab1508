"""Which files to analyse: the arguments choose, the endings and the first look at the bytes decide.

A directory is walked without what .gitignore, the configuration, hidden names and build folders leave out; a file that
is named is always taken. What cannot be read is listed with its reason, never raised: only a path that does not exist is.
"""

from __future__ import annotations

import codecs
import errno
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pathspec import GitIgnoreSpec

from cudalint.source import SourceFile

CUDA_ENDINGS = (".cu", ".cuh", ".hip")
HEADER_ENDINGS = (".h", ".hpp", ".hh", ".hxx", ".inl")
HOST_ENDINGS = (*HEADER_ENDINGS, ".c", ".cc", ".cpp", ".cxx")
PYTHON_ENDINGS = (".py",)
ROOT_MARKERS = ("cudalint.toml", ".git", "pyproject.toml")
SKIPPED_FOLDERS = frozenset({"node_modules", "build", "__pycache__"})
MAX_BYTES = 32 * 1024 * 1024
STDIN_PATH = "<stdin>"

_HOST_CUDA = re.compile(rb"__global__|__device__|(?<!<)<<<(?!<)|(?<!<)<<[ \t]+<(?!<)")
_SPLIT = re.compile(r"<<[ \t]+<|<[ \t]+<<|>>[ \t]+>[ \t]*\(|>[ \t]+>>[ \t]*\(")
_LAUNCH = re.compile(r"(?<!<)(<[ \t]*<[ \t]*<)(?![<=])((?:[^;<]|<(?![<\s])){1,400}?)(?<!>)(>[ \t]*>[ \t]*>)(?=\s*\()")
_PYTHON_CUDA = re.compile(
    rb"__global__|RawKernel|RawModule|load_inline|SourceModule|(?:Elementwise|Reduction)Kernel|compile_using_nvrtc"
)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not read as it is, and why. `failed`: it was named, and is not analysed at all."""

    path: str
    reason: str
    failed: bool


@dataclass(frozen=True, slots=True)
class Discovery:
    """`files` hold CUDA C++, `embedded` are Python files that hold it in strings; both in the order of their paths."""

    root: str
    files: tuple[SourceFile, ...]
    embedded: tuple[SourceFile, ...]
    skipped: tuple[Skipped, ...]


def discover(
    paths: Iterable[str],
    *,
    stdin: str | None = None,
    project_root: str | None = None,
    exclude: Iterable[str] = (),
    max_bytes: int = MAX_BYTES,
) -> Discovery:
    """The files that the paths (files, directories, `-`) choose. `stdin` is the text of `-`, read from the process if None.

    `exclude` are patterns in the syntax of .gitignore, relative to the root, for what is found in directories.
    Raises FileNotFoundError for a path that does not exist.
    """
    named = list(dict.fromkeys(paths))
    for path in named:
        if path != "-" and not os.path.lexists(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    root = os.path.abspath(project_root) if project_root is not None else find_root(p for p in named if p != "-")
    reader = _Reader(root, max_bytes)
    if "-" in named:
        reader.add_text(sys.stdin.buffer.read() if stdin is None else stdin.encode())
    excluded = GitIgnoreSpec.from_lines(exclude)
    for path in named:
        if path != "-" and not os.path.isdir(path):
            reader.add(os.path.abspath(path), named=True)
    for path in named:
        if path != "-" and os.path.isdir(path):
            for found in _walk(os.path.abspath(path), root, excluded, partial(reader.skip_folder, named=path)):
                reader.add(found, named=False)
    return reader.discovery()


def find_root(paths: Iterable[str]) -> str:
    """The nearest folder at or above what the paths share that holds cudalint.toml, .git or pyproject.toml, else that folder."""
    folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in map(os.path.abspath, paths)]
    try:
        start = os.path.commonpath(folders) if folders else os.getcwd()
    except ValueError:  # different drives
        start = folders[0]
    for folder in (Path(start), *Path(start).parents):
        if any((folder / marker).exists() for marker in ROOT_MARKERS):
            return str(folder)
    return start


def read_source(absolute: str, shown: str, max_bytes: int = MAX_BYTES) -> SourceFile | None:
    """One file as text; None where it cannot be read or is no text."""
    reader = _Reader(os.path.dirname(absolute), max_bytes)
    content = reader._bytes(absolute, shown, False, "")
    text = None if content is None else reader._text(content, shown, False)
    return None if text is None else SourceFile(shown, absolute, text)


# --- reading -----------------------------------------------------------------------------------------------------------


class _Reader:
    """Reads each file once, whatever the number of ways to it."""

    def __init__(self, root: str, max_bytes: int) -> None:
        self._root, self._max_bytes = root, max_bytes
        self._seen: set[str] = set()
        self._files: list[SourceFile] = []
        self._embedded: list[SourceFile] = []
        self._skipped: list[Skipped] = []

    def discovery(self) -> Discovery:
        files, embedded = (tuple(sorted(each, key=lambda s: s.path)) for each in (self._files, self._embedded))
        return Discovery(self._root, files, embedded, tuple(sorted(self._skipped, key=lambda s: (s.path, s.reason))))

    def add(self, absolute: str, named: bool) -> None:
        real = os.path.realpath(absolute)
        ending = os.path.splitext(absolute)[1].lower()
        if real in self._seen or ending not in (*CUDA_ENDINGS, *HOST_ENDINGS, *PYTHON_ENDINGS):
            return
        self._seen.add(real)
        shown = self._shown(absolute)
        content = self._bytes(absolute, shown, named, ending)
        if content is None or not (_holds_cuda(content, ending) or (named and _is_about_cuda(content, ending))):
            return
        text = self._text(content, shown, named)
        if text is not None:
            kept = self._embedded if ending in PYTHON_ENDINGS else self._files
            kept.append(SourceFile(shown, absolute, text))

    def skip_folder(self, absolute: str, error: OSError, named: str) -> None:
        """A folder that cannot be listed; one that was named is not analysed at all."""
        is_named = os.path.abspath(named) == absolute
        self._skipped.append(Skipped(self._shown(absolute), f"cannot be read: {error.strerror or error}", is_named))

    def add_text(self, content: bytes) -> None:
        text = self._text(content, STDIN_PATH, True)
        if text is not None:
            self._files.append(SourceFile(STDIN_PATH, os.path.join(self._root, "stdin.cu"), text))

    def _shown(self, absolute: str) -> str:
        try:
            return Path(os.path.relpath(absolute, self._root)).as_posix()
        except ValueError:  # another drive
            return Path(absolute).as_posix()

    def _bytes(self, absolute: str, shown: str, named: bool, ending: str) -> bytes | None:
        try:
            reason = self._refusal(absolute)
            if reason is None:
                return _in_bytes(Path(absolute).read_bytes())
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
        if named or ending in CUDA_ENDINGS:
            self._skipped.append(Skipped(shown, reason, named))
        return None

    def _refusal(self, absolute: str) -> str | None:
        if not os.path.isfile(absolute):
            return "not a regular file" if os.path.lexists(absolute) else "does not exist"
        size = os.path.getsize(absolute)
        return f"{size} bytes, more than the limit of {self._max_bytes}" if size > self._max_bytes else None

    def _text(self, content: bytes, shown: str, named: bool) -> str | None:
        if b"\0" in content:
            self._skipped.append(Skipped(shown, "a binary file", named))
            return None
        try:
            return with_whole_launches(content.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            self._skipped.append(Skipped(shown, f"not UTF-8 at byte {error.start}: read as Latin-1", False))
            return with_whole_launches(content.decode("latin-1"))


def _in_bytes(content: bytes) -> bytes:
    """The same text in UTF-8 where a mark says that it is in UTF-16, as some editors of Windows write it."""
    if not content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content
    try:
        return content.decode("utf-16").encode()
    except UnicodeDecodeError:
        return content


def with_whole_launches(text: str) -> str:
    """`k << <1, 2 >> > (x)`, as some formatters write it and nvcc reads it, with `<<<` and `>>>`; no place moves."""
    if _SPLIT.search(text) is None:
        return text
    return _LAUNCH.sub(lambda m: _gathered(m[1]) + m[2] + _gathered(m[3]), text)


def _gathered(brackets: str) -> str:
    return "".join(brackets.split()).ljust(len(brackets))


def _holds_cuda(content: bytes, ending: str) -> bool:
    if ending in CUDA_ENDINGS:
        return True
    return (_PYTHON_CUDA if ending in PYTHON_ENDINGS else _HOST_CUDA).search(content) is not None


def _is_about_cuda(content: bytes, ending: str) -> bool:
    """A header without a kernel that is named: it may compute the sizes and places of what kernels work on."""
    return ending in HEADER_ENDINGS and b"cuda" in content.lower()


# --- walking -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Ignore:
    """The patterns of one folder, for the paths below it."""

    folder: str
    spec: GitIgnoreSpec

    def says(self, path: str, is_folder: bool) -> bool | None:
        relative = Path(os.path.relpath(path, self.folder)).as_posix() + ("/" if is_folder else "")
        answer: bool | None = self.spec.check_file(relative).include
        return answer


def _walk(top: str, root: str, excluded: GitIgnoreSpec, unreadable: Callable[[str, OSError], None]) -> Iterator[str]:
    """Files below a folder in the order of their names; every real folder once, those that cannot be listed reported."""
    start = tuple(_ignores_above(top, root))
    if _ignored(start, top, True):  # named all the same
        start = ()
    seen: set[str] = set()
    pending: list[tuple[str, tuple[_Ignore, ...]]] = [(top, start)]
    while pending:
        folder, ignores = pending.pop()
        real = os.path.realpath(folder)
        if real in seen:
            continue
        seen.add(real)
        ignores += tuple(_ignores_in(folder))
        below: list[tuple[str, tuple[_Ignore, ...]]] = []
        try:
            entries = _entries(folder)
        except OSError as error:
            unreadable(folder, error)
            continue
        for name, is_folder in entries:
            path = os.path.join(folder, name)
            if _ignored(ignores, path, is_folder) or _Ignore(root, excluded).says(path, is_folder):
                continue
            if not is_folder:
                yield path
            elif not name.startswith(".") and name not in SKIPPED_FOLDERS:
                below.append((path, ignores))
        pending += reversed(below)


def _entries(folder: str) -> list[tuple[str, bool]]:
    """Names in a folder, and which are folders; a link that leads nowhere, or to itself, is none."""
    with os.scandir(folder) as entries:
        return sorted((entry.name, _is_folder(entry)) for entry in entries)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _ignored(ignores: tuple[_Ignore, ...], path: str, is_folder: bool) -> bool:
    """The deepest .gitignore that mentions the path decides."""
    said = (ignore.says(path, is_folder) for ignore in reversed(ignores))
    return next((answer for answer in said if answer is not None), False)


def _ignores_above(top: str, root: str) -> Iterator[_Ignore]:
    """The .gitignore files from the root (or the folder of .git, if that is nearer) down to above `top`."""
    above = []
    if not (Path(top) / ".git").exists() and top != root:
        for parent in Path(top).parents:
            above.append(str(parent))
            if (parent / ".git").exists() or str(parent) == root:
                break
        else:
            return
    for folder in reversed(above):
        yield from _ignores_in(folder)


def _ignores_in(folder: str) -> Iterator[_Ignore]:
    try:
        lines = Path(folder, ".gitignore").read_text(encoding="utf-8", errors="replace").splitlines()
        yield _Ignore(folder, GitIgnoreSpec.from_lines(lines))
    except (OSError, ValueError):  # none, or one that git would not read either
        return
