"""Which kernel an annotation stands before: with blank lines, other comments and directives between, or before its declaration.

// cudalint: extent(x) = n

#pragma unroll
__global__ void k(float *x, int n);
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cudalint.frontend.lexical import Blanked

_CODE = re.compile(r"\S")
_DECLARED = re.compile(r"[^;{}]*?\b__global__\b[^;{}]*?\b(\w+)\s*\([^;{}]*\)[^;{}]*;")


class Placed(Protocol):
    """A kernel by where its declaration starts and its name stands."""

    @property
    def start(self) -> int: ...
    @property
    def name_start(self) -> int: ...
    @property
    def name_end(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Following:
    """The kernels of one text, in its order."""

    blanked: Blanked
    kernels: Sequence[Placed]

    def kernel_after(self, end: int) -> int | None:
        """The number of the kernel that the code after `end` defines, or declares for all of its name."""
        code = self.blanked.code
        first = _CODE.search(code, end)
        if first is None:
            return None
        for position, kernel in enumerate(self.kernels):
            if kernel.start == first.start():
                return position
        declared = _DECLARED.match(code, first.start())
        if declared is None:
            return None
        named = (at for at, k in enumerate(self.kernels) if code[k.name_start : k.name_end] == declared[1])
        return next(named, None)
