"""The texts that reports quote, read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from cudalint.engine import ScanOptions
from cudalint.project.discovery import STDIN_PATH, find_root
from cudalint.source import SourceFile


class ProjectSources(Mapping[str, SourceFile]):
    """Files by their path from the project root, and standard input; what cannot be read is absent."""

    def __init__(self, options: ScanOptions) -> None:
        self._root = project_root(options)
        self._stdin = options.stdin
        self._known: dict[str, SourceFile | None] = {}

    def __getitem__(self, path: str) -> SourceFile:
        if path not in self._known:
            self._known[path] = self._read(path)
        source = self._known[path]
        if source is None:
            raise KeyError(path)
        return source

    def __iter__(self) -> Iterator[str]:
        return (path for path, source in self._known.items() if source is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _read(self, path: str) -> SourceFile | None:
        if self._stdin is not None and path == STDIN_PATH:
            return SourceFile(path, path, self._stdin)
        absolute = self._root / path
        try:
            content = absolute.read_bytes()
        except OSError:
            return None
        try:
            return SourceFile(path, str(absolute), content.decode("utf-8-sig"))
        except UnicodeDecodeError:  # read as discovery does
            return SourceFile(path, str(absolute), content.decode("latin-1"))


def project_root(options: ScanOptions) -> Path:
    """Where the paths of a scan start, as discovery sees it."""
    return Path(options.project_root or find_root(path for path in options.paths if path != "-")).absolute()
