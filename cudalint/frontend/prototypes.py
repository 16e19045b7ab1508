"""The C functions that a text defines, without a parse of it: a library that Python calls has hundreds."""

from __future__ import annotations

import re
from collections.abc import Iterable

_DEFINITION = re.compile(r"\b(\w+)\s*\(([^(){};]*)\)\s*\{")


def written_prototypes(texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The types of the parameters of each C function that the texts define, as they are written; the first of a name counts."""
    found: dict[str, tuple[str, ...]] = {}
    for match in (match for text in texts for match in _DEFINITION.finditer(text)):
        name, parameters = match.groups()
        found.setdefault(name, tuple(part.strip() for part in parameters.split(",")) if parameters.strip() else ())
    return found
