"""The project's own settings: cudalint.toml, or [tool.cudalint] in pyproject.toml.

    select = ["IDX", "SYN101"]
    block-dim = [16, 16]
    [hints]
    my_kernel = ["extent(x) = n", "launch grid=(ceil_div(n, 256)) block=(256)"]
    [vocabulary]
    checks = ["MY_CHECK"]

The file comes with the code that is scanned, so that it may not ask for anything that runs it on the machine. A key
that is not known is an error: a setting that is silently without effect is worse than none.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROFILES = ("default", "audit")
FAIL_LEVELS = ("error", "warning", "note", "never")
CONFIRMATIONS = ("emulator", "off")

Dim3 = tuple[int, int, int]


class ConfigurationError(Exception):
    """A mistake in a configuration file; `line` is 1-based, None where no line is to blame."""

    def __init__(self, path: str, line: int | None, message: str) -> None:
        super().__init__(path, line, message)
        self.path, self.line, self.message = path, line, message

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Hint:
    """An annotation of a kernel, and where the file has it: the first character behind the quote."""

    text: str
    path: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the project says; None and empty where it says nothing. `path` is the file, relative to the root."""

    path: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    profile: str | None = None
    fail_level: str | None = None
    include: tuple[str, ...] = ()
    define: tuple[str, ...] = ()
    std: str | None = None
    targets: tuple[str, ...] = ()
    compile_commands: str | None = None
    block_dim: Dim3 | None = None
    grid_dim: Dim3 | None = None
    exclude: tuple[str, ...] = ()
    confirm: str | None = None
    hints: Mapping[str, tuple[Hint, ...]] = field(default_factory=dict)
    vocabulary: dict[str, Any] = field(default_factory=dict)


def load(root: str) -> Configuration:
    """The configuration in a project's root; cudalint.toml wins over pyproject.toml. Raises ConfigurationError."""
    own = Path(root, "cudalint.toml")
    if own.is_file():
        text = _read(own)
        return _Reader("cudalint.toml", text).read(_parse("cudalint.toml", text))
    shared = Path(root, "pyproject.toml")
    if shared.is_file():
        text = _read(shared)
        if re.search(r"cudalint", text):
            table = _parse("pyproject.toml", text).get("tool", {})
            table = table.get("cudalint") if isinstance(table, dict) else None
            if isinstance(table, dict):
                return _Reader("pyproject.toml", text).read(table)
    return Configuration()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise ConfigurationError(path.name, None, f"cannot be read: {reason}") from None


def _parse(path: str, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+)", str(error))
        line = int(place[1]) if place else text.count("\n") + 1
        raise ConfigurationError(path, line, re.sub(r" \(at .*\)", "", str(error))) from None


class _Reader:
    """Reads one table; every mistake has the line of its key."""

    def __init__(self, path: str, text: str) -> None:
        self._path, self._text = path, text

    def read(self, table: dict[str, Any]) -> Configuration:
        values: dict[str, Any] = {}
        for key, value in table.items():
            if key not in self._KEYS:
                near = difflib.get_close_matches(key, self._KEYS, 1, 0.5)
                raise self._error(key, f"unknown key `{key}`" + (f"; did you mean `{near[0]}`?" if near else ""))
            values[key.replace("-", "_")] = self._KEYS[key](self, key, value)
        return Configuration(path=self._path, **values)

    def _error(self, key: str, message: str) -> ConfigurationError:
        found = re.search(
            rf'^[ \t]*(?:\[(?:tool\.cudalint\.)?)?["\']?{re.escape(key)}["\']?[ \t]*[=\].]', self._text, re.MULTILINE
        )
        line = self._text.count("\n", 0, found.start()) + 1 if found else None
        return ConfigurationError(self._path, line, message)

    def _string(self, key: str, value: Any) -> str:
        if not isinstance(value, str):
            raise self._error(key, f"`{key}` is a string")
        return value

    def _strings(self, key: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._error(key, f"`{key}` is a list of strings")
        return tuple(value)

    def _dimensions(self, key: str, value: Any) -> Dim3:
        items = value if isinstance(value, list) else [value]
        if not 1 <= len(items) <= 3 or not all(type(item) is int and item > 0 for item in items):
            raise self._error(key, f"`{key}` is a positive integer or a list of one to three of them")
        x, y, z = [*items, 1, 1][:3]
        return x, y, z

    def _choice(self, key: str, value: Any, choices: tuple[str, ...]) -> str:
        if value not in choices:
            raise self._error(key, f"`{key}` is one of {', '.join(choices)}")
        return str(value)

    def _profile(self, key: str, value: Any) -> str:
        return self._choice(key, value, PROFILES)

    def _fail_level(self, key: str, value: Any) -> str:
        return self._choice(key, value, FAIL_LEVELS)

    def _confirm(self, key: str, value: Any) -> str:
        if value == "gpu":
            raise self._error(
                key, '`confirm = "gpu"` runs scanned code: ask for it on the command line (`--confirm gpu`)'
            )
        return self._choice(key, value, CONFIRMATIONS)

    def _hints(self, key: str, value: Any) -> Mapping[str, tuple[Hint, ...]]:
        if not isinstance(value, dict):
            raise self._error(key, f"`{key}` is a table from the name of a kernel to annotation lines")
        return {name: tuple(self._placed(name, self._strings(name, lines))) for name, lines in value.items()}

    def _placed(self, name: str, lines: tuple[str, ...]) -> Iterator[Hint]:
        """The lines behind the name's key; one that is spelt with escapes is said to be at the key."""
        key = re.search(rf'^[ \t]*["\']?{re.escape(name)}["\']?[ \t]*=', self._text, re.MULTILINE)
        at = key.start() + len(key[0]) - len(key[0].lstrip()) if key else 0
        for line in lines:
            found = self._text.find(line, key.end() if key else 0)
            at = found if found >= 0 else at
            yield Hint(line, self._path, self._text.count("\n", 0, at) + 1, at - self._text.rfind("\n", 0, at))

    def _vocabulary(self, key: str, value: Any) -> dict[str, Any]:
        from cudalint.symbolic.host_vocabulary import VocabularyError, extended, shipped

        if not isinstance(value, dict):
            raise self._error(key, f"`{key}` is a table of words for host libraries")
        try:
            extended(shipped(), value)
        except VocabularyError as error:
            named = re.search("`([^`]+)`", str(error))
            placed = self._error(named[1] if named else key, str(error))
            raise placed if placed.line is not None else self._error(key, str(error)) from None
        return value

    _KEYS: Mapping[str, Callable[[_Reader, str, Any], Any]] = {
        "select": _strings,
        "ignore": _strings,
        "profile": _profile,
        "fail-level": _fail_level,
        "include": _strings,
        "define": _strings,
        "std": _string,
        "targets": _strings,
        "compile-commands": _string,
        "block-dim": _dimensions,
        "grid-dim": _dimensions,
        "exclude": _strings,
        "confirm": _confirm,
        "hints": _hints,
        "vocabulary": _vocabulary,
    }
