"""Include folders, definitions and the language standard of each file from a compile_commands.json."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_WITH_VALUE = (
    "-I",
    "-isystem",
    "-iquote",
    "-D",
    "--include-path",
    "--system-include",
    "--define-macro",
    "-std",
    "--std",
)
_INCLUDES = frozenset({"-I", "-isystem", "-iquote", "--include-path", "--system-include"})
_DEFINES = frozenset({"-D", "--define-macro"})


@dataclass(frozen=True, slots=True)
class FileFlags:
    """`includes` are absolute folders, `defines` are `NAME` or `NAME=value`, `std` is `c++17` or the like."""

    includes: tuple[str, ...]
    defines: tuple[str, ...]
    std: str | None


@dataclass(frozen=True, slots=True)
class CompileDatabase:
    """Flags by absolute path."""

    flags: dict[str, FileFlags]

    @staticmethod
    def load(path: str) -> CompileDatabase:
        """Read a compile_commands.json, or the one in a folder. Raises OSError, or ValueError that says what is wrong."""
        file = Path(path, "compile_commands.json") if os.path.isdir(path) else Path(path)
        try:
            entries = json.loads(file.read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            raise ValueError(f"line {error.lineno}: not JSON: {error.msg}") from None
        if not isinstance(entries, list):
            raise ValueError("not a list of compile commands")
        base = os.path.dirname(os.path.abspath(file))
        found: dict[str, FileFlags] = {}
        for number, entry in enumerate(entries):
            name, flags = _entry(entry, base, number)
            found.setdefault(name, flags)
        return CompileDatabase(found)

    def flags_for(self, absolute: str) -> FileFlags | None:
        """The flags of a file; for one that is not listed (a header) those of the listed file that is nearest to it."""
        wanted = os.path.normpath(absolute)
        if wanted in self.flags:
            return self.flags[wanted]
        if not self.flags:
            return None
        return self.flags[min(self.flags, key=lambda path: _distance(path, wanted))]


def _distance(path: str, other: str) -> tuple[int, bool, str]:
    """Orders listed paths by how many folders they share with another one, then by the name without its ending."""
    parts, others = Path(path).parts[:-1], Path(other).parts[:-1]
    shared = next((i for i, (a, b) in enumerate(zip(parts, others)) if a != b), min(len(parts), len(others)))
    return -shared, Path(path).stem != Path(other).stem, path


def _entry(entry: Any, base: str, number: int) -> tuple[str, FileFlags]:
    if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
        raise ValueError(f"entry {number}: no file")
    folder = os.path.normpath(os.path.join(base, str(entry.get("directory", "."))))
    arguments = entry.get("arguments")
    if arguments is None:
        try:
            arguments = shlex.split(str(entry.get("command", "")))
        except ValueError as error:
            raise ValueError(f"entry {number}: {error}") from None
    if not isinstance(arguments, list):
        raise ValueError(f"entry {number}: arguments are not a list")
    name = os.path.normpath(os.path.join(folder, entry["file"]))
    return name, _flags([str(a) for a in arguments], folder)


def _flags(arguments: list[str], folder: str) -> FileFlags:
    includes: list[str] = []
    defines: list[str] = []
    std: str | None = None
    rest = iter(arguments)
    for argument in rest:
        option, value = _split(argument)
        if option is None:
            continue
        if value is None:
            value = next(rest, "")
        if option in _INCLUDES:
            includes.append(os.path.normpath(os.path.join(folder, value)))
        elif option in _DEFINES:
            defines.append(value)
        else:
            std = value
    return FileFlags(tuple(dict.fromkeys(includes)), tuple(dict.fromkeys(defines)), std)


def _split(argument: str) -> tuple[str | None, str | None]:
    """The option and the value that is part of the argument, if it is; (None, None) for what does not matter here."""
    if argument in _WITH_VALUE:
        return argument, None
    for option in _WITH_VALUE:
        if argument.startswith(option + "=") and option not in ("-I", "-D"):
            return option, argument[len(option) + 1 :]
        if argument.startswith(option) and option in ("-I", "-D", "-isystem", "-iquote"):
            return option, argument[len(option) :]
    return None, None
