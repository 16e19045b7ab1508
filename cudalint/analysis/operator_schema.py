"""Schemas of PyTorch operators: what an operator takes, writes and gives, as its registration writes it.

    rms_norm(Tensor! out, Tensor input, Tensor? weight, float eps=1e-5) -> (Tensor(a!), Tensor)

The grammar is that of torch's native functions: `Tensor!` and `Tensor(a!)` are written, `Tensor?` may be missing, `int` has
64 bits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ARGUMENT = re.compile(
    r"(?P<base>\w+)(?P<alias>\([^()]*\))?(?P<mark>!)?(?P<list>\[\d*\])?(?P<after>\([^()]*\))?(?P<optional>\?)?"
    r"(?:\s+(?P<name>\w+)\s*(?:=\s*(?P<default>.+))?)?",
    re.DOTALL,
)


_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


@dataclass(frozen=True, slots=True)
class SchemaArgument:
    """`type` is without its marks: `Tensor`, `int`, `int[]`; `default` as it is written, None where there is none."""

    name: str
    type: str
    written: bool = False
    optional: bool = False
    default: str | None = None
    by_name: bool = False  # behind the `*`: callers must name it


@dataclass(frozen=True, slots=True)
class Schema:
    """`name` is without namespace and overload."""

    name: str
    arguments: tuple[SchemaArgument, ...]
    results: tuple[str, ...]
    text: str


def read_schema(text: str, name: str = "") -> Schema | None:
    """The schema, with the `name` where the text has none of its own; None where it is not one."""
    text = " ".join(text.split())
    found = re.match(r"(?:(?:\w+::)?(\w+)(?:\.\w+)?)?\s*\(", text)
    if found is None or not (found[1] or name):
        return None
    end = closing(text, found.end() - 1)
    if end is None:
        return None
    arguments: list[SchemaArgument] = []
    by_name = False
    for part in split(text[found.end() : end]):
        if part == "*":
            by_name = True
            continue
        argument = _argument(part, by_name)
        if argument is None or not argument.name:
            return None
        arguments.append(argument)
    results = _results(text[end + 1 :])
    return None if results is None else Schema(found[1] or name, tuple(arguments), results, text)


def _argument(text: str, by_name: bool = False) -> SchemaArgument | None:
    found = _ARGUMENT.fullmatch(text)
    if found is None:
        return None
    marks = "".join(found[part] or "" for part in ("alias", "mark", "after"))
    listed = found["list"] or ""
    return SchemaArgument(
        found["name"] or "", found["base"] + ("[]" if listed else ""), "!" in marks, bool(found["optional"]),
        found["default"], by_name,
    )  # fmt: skip


def _results(text: str) -> tuple[str, ...] | None:
    arrow, _, written = text.partition("->")
    if arrow.strip() or not written.strip():
        return () if not text.strip() else None
    written = written.strip()
    if written.startswith("(") and closing(written, 0) == len(written) - 1:
        written = written[1:-1]
    parts = [_argument(part) for part in split(written)]
    return None if None in parts else tuple(part.type for part in parts if part is not None)


_TOKEN = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|->|[()\[\]{}<>,]", re.DOTALL)


def closing(text: str, opening: int) -> int | None:
    """The place of the bracket that closes the one at `opening`, outside of literals; None where nothing does."""
    depth = 0
    for found in _TOKEN.finditer(text, opening):
        token = found[0]
        depth += (token in _OPENING) - (token in _CLOSING)
        if depth == 0:
            return found.start()
    return None


def split(text: str) -> list[str]:
    """The parts between the commas that stand in no brackets, angle brackets of templates among them."""
    parts, depth, start = list[str](), 0, 0
    for found in _TOKEN.finditer(text):
        token = found[0]
        depth += (token in _OPENING or token == "<") - (token in _CLOSING or token == ">")
        if token == "," and depth == 0:
            parts.append(text[start : found.start()].strip())
            start = found.end()
    last = text[start:].strip()
    return [*parts, last] if last or parts else []
