"""Values that all lanes of a warp have in common, so that an exchange between them leaves them as they are.

int warp = __shfl_sync(0xffffffff, threadIdx.x / 32, 0);       // as code says that it is uniform, for the compiler
"""

from __future__ import annotations

from cudalint.symbolic.model import MEMORY_PREFIX, Value, scope_of
from cudalint.symbolic.ordinary import WARP
from cudalint.symbolic.walk.environment import Environment
from cudalint.term import Number, Quotient, Term, equal, ideal, labels, number, rewrite, symbol

_WARP_NUMBER = symbol("the number of the warp", 0, None, "warp")


def is_of_warp(value: Value, environment: Environment) -> bool:
    """The value is made of the number of the warp, and of nothing else in which threads of a block differ."""
    if not isinstance(value, Term):
        return False
    if scope_of(value) == "warp":
        return True
    if any(label.startswith(MEMORY_PREFIX) for label in labels(value)):
        return False
    places = [ideal(environment.linear_thread())]
    if _has_whole_rows(environment):
        places.append(environment.builtin("threadIdx.x"))

    def number_of_warp(part: Term) -> Term | None:
        if not isinstance(part, Quotient) or not isinstance(part.parts[1], Number):
            return None
        return _WARP_NUMBER if part.parts[0] in places and part.parts[1].value % WARP == 0 else None

    return scope_of(rewrite(ideal(value), number_of_warp)) != "thread"


def _has_whole_rows(environment: Environment) -> bool:
    """No warp has threads of two rows: a row is a multiple of a warp long, or there is one row."""
    length = environment.builtin("blockDim.x")
    if isinstance(length, Number) and length.value % WARP == 0:
        return True
    facts = {fact.term for fact in environment.facts}
    sides = (environment.builtin(f"blockDim.{axis}") for axis in "yz")
    return all(side is number(1) or equal(side, number(1)) in facts for side in sides)
