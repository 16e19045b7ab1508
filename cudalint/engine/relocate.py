"""Results of an embedded source, moved to the places of the file that holds it.

Spans, lines beside a path, and `path:line:column` in messages all speak of the compiled text until they come here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, TypeVar

from cudalint.frontend.python_launches import in_python
from cudalint.frontend.python_strings import Places
from cudalint.source import Span

T = TypeVar("T")


class Relocation:
    """Moves what is said of `path`, whose text is embedded, to where the text was written.

    `words` are those of Python for names of the host code that words it.
    """

    def __init__(self, path: str, places: Places, words: Mapping[str, str] = MappingProxyType({})) -> None:
        self._path, self._places, self._words = path, places, words
        self._mention = re.compile(re.escape(path) + r":(\d+)(?::(\d+))?")

    def moved(self, value: T) -> T:
        """The same data with every place of the embedded text replaced."""
        result: T = self._moved(value)
        return result

    def _moved(self, value: Any) -> Any:
        if isinstance(value, str):
            text = self._mention.sub(self._mentioned, value) if self._path in value else value
            return in_python(text, self._words) if self._words else text
        if value is None or isinstance(value, int | float | Enum):
            return value
        if isinstance(value, Span):
            return self._places.span(value) if value.path == self._path else value
        if isinstance(value, tuple):
            return tuple(self._moved(each) for each in value)
        if isinstance(value, dict):
            return {self._moved(key): self._moved(each) for key, each in value.items()}
        if is_dataclass(value) and not isinstance(value, type):
            return self._data(value)
        return value

    def _data(self, value: Any) -> Any:
        changed = {}
        for each in fields(value):
            old = getattr(value, each.name)
            new = self._moved(old)
            if new is not old and new != old:
                changed[each.name] = new
        line = getattr(value, "line", None)
        if isinstance(line, int) and self._is_here(value):
            changed["line"] = self._places.line(line)
        return replace(value, **changed) if changed else value

    def _is_here(self, value: Any) -> bool:
        span = getattr(value, "span", None)
        return getattr(value, "path", span.path if isinstance(span, Span) else None) == self._path

    def _mentioned(self, match: re.Match[str]) -> str:
        line, column = int(match[1]), match[2]
        if column is None:
            return f"{self._path}:{self._places.line(line)}"
        return "{}:{}:{}".format(self._path, *self._places.place(line, int(column)))
