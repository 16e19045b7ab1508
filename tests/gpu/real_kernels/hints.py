"""Hint files: facts about kernels of a repository, and the small launches in which they are compared.

repository = "llm.c"                     folder below CUDALINT_CORPORA
[[kernel]]
file = "dev/cuda/gelu_forward.cu"
name = "gelu_forward_kernel1"
facts = ["extent(out) = N", "launch grid=(ceil_div(N, 128)) block=(128)"]     as in cudalint.toml
launches = [{ N = 33 }, { N = 300, block = [64], grid = [5] }]     arguments; a float is one of floating point
instance = "kernel<float, 4>"            of a template
with = { eps = 1e-5 }                    arguments of every launch
draw = { x = [0.1, 1.0], y = "whole" }   contents of floating point: a range, or whole numbers
constants = ["table"]                    __constant__ variables that get drawn contents
defines = ["N=4"]                        and includes, folders below the repository
exact_sums = true                        sums by atomics are of whole numbers: their order decides nothing
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
GEOMETRY = ("grid", "block", "shared")
Drawn = tuple[float, float] | str


class HintError(Exception):
    """A mistake in a hint file; one line."""


@dataclass(frozen=True, slots=True)
class Launch:
    """Arguments by name; a dimension that is None is as the facts have it."""

    values: dict[str, int]
    reals: dict[str, float]
    grid: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None
    shared: int | None = None


@dataclass(frozen=True, slots=True)
class Hint:
    """One kernel, its facts, and the launches to compare."""

    repository: str
    file: str
    name: str
    facts: tuple[str, ...]
    launches: tuple[Launch, ...]
    instance: str | None = None
    draw: Mapping[str, Drawn] = field(default_factory=dict)
    constants: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    exact_sums: bool = False

    @property
    def label(self) -> tuple[str, str, str]:
        return self.repository, self.file, self.instance or self.name


def hint_files() -> list[Path]:
    return sorted(HERE.glob("*.toml"))


def read_hints(path: Path) -> list[Hint]:
    """Raises HintError."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return [_hint(table, entry) for entry in table["kernel"]]
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise HintError(f"{path.name}: {type(error).__name__}: {error}") from None


def _hint(table: Mapping[str, Any], entry: Mapping[str, Any]) -> Hint:
    known = {"file", "name", "facts", "launches", "instance", "with", "draw", "constants", "defines", "includes"}
    unknown = set(entry) - known - {"exact_sums"}
    if unknown:
        raise ValueError(f"{entry.get('name')}: unknown key {sorted(unknown)[0]}")
    everywhere = entry.get("with", {})
    return Hint(
        repository=table["repository"],
        file=entry["file"],
        name=entry["name"],
        facts=tuple(entry["facts"]),
        launches=tuple(_launch({**everywhere, **launch}) for launch in entry["launches"]),
        instance=entry.get("instance"),
        draw={
            name: d if isinstance(d, str) else (float(d[0]), float(d[1])) for name, d in entry.get("draw", {}).items()
        },
        constants=tuple(entry.get("constants", ())),
        defines=(*table.get("defines", ()), *entry.get("defines", ())),
        includes=(*table.get("includes", ()), *entry.get("includes", ())),
        exact_sums=entry.get("exact_sums", False),
    )


def _launch(table: Mapping[str, Any]) -> Launch:
    named = {name: value for name, value in table.items() if name not in GEOMETRY}
    return Launch(
        values={name: int(v) for name, v in named.items() if not isinstance(v, float)},
        reals={name: v for name, v in named.items() if isinstance(v, float)},
        grid=_dimensions(table.get("grid")),
        block=_dimensions(table.get("block")),
        shared=table.get("shared"),
    )


def _dimensions(given: list[int] | None) -> tuple[int, int, int] | None:
    if given is None:
        return None
    x, y, z = [*given, 1, 1][:3]
    return x, y, z
