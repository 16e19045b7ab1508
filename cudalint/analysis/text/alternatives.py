"""What holds in each branch of a condition of the preprocessor: none of them runs after another.

#ifdef FAST
    total += __shfl_down_sync(mask, total, d);     // `total` is the first lane's
#else
    part[lane] = total;                            // here it is each lane's own
#endif
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from cudalint.ir.syntax import Syntax

_CONDITIONS = frozenset(("preproc_if", "preproc_ifdef"))
_FURTHER = frozenset(("preproc_else", "preproc_elif", "preproc_elifdef"))

What = TypeVar("What")


@dataclass(slots=True)
class _Condition(Generic[What]):
    end: int
    before: dict[str, What]
    left: dict[str, What]  # by the branches so far


@dataclass(slots=True)
class Alternatives(Generic[What]):
    """The conditions that are open where a walk in the order of the text stands."""

    _open: list[_Condition[What]] = field(default_factory=list)

    def at(self, node: Syntax, known: dict[str, What]) -> dict[str, What]:
        """What is known of names at the node, of what was behind the one before it: after the last branch, what any left."""
        while self._open and node.start >= self._open[-1].end:
            known = {**self._open.pop().left, **known}
        if node.kind in _CONDITIONS:
            self._open.append(_Condition(node.end, dict(known), {}))
        elif node.kind in _FURTHER and self._open:
            self._open[-1].left |= known
            known = dict(self._open[-1].before)
        return known
