"""Where things are: files and spans. Imports nothing of ours.

Lines and columns are 1-based, ends are exclusive, columns count code points. Paths are POSIX and relative to the
project root, so that the same input gives the same bytes in any directory.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A region of one file."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"

    def covers_line(self, line: int) -> bool:
        return self.line <= line <= self.end_line


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The text of one file as analysed: `path` is shown and compared, `absolute` is where it was read."""

    path: str
    absolute: str
    text: str

    def lines(self) -> list[str]:
        """The lines without their ends; a lone carriage return does not end a line."""
        return self.text.replace("\r\n", "\n").split("\n")
