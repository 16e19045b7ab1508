"""What every iteration of a loop leaves as it found it: `half = dim3(a, b); grid = half;` keeps `grid.z` at 1.

The variable is written as a whole, so no text says it: one iteration is run that begins with the number, and it is there again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cudalint.symbolic.host.cells import Cell, Content
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import is_lost
from cudalint.term import Number

_TRIALS = 3


def keep_steady(before: Mapping[Cell, Content], state: State, run: Callable[[State], object]) -> None:
    """Put back the numbers in members of variables that the loop writes and does not change.

    `state` is the one at the start of an arbitrary iteration, `run` changes such a state to the one after it. All numbers that
    are tried hold together: what fails is left out, and the others are tried again.
    """
    held = {cell: content for cell, content in before.items() if _is_forgotten(cell, content, state)}
    for _ in range(_TRIALS):
        if not held:
            return
        trial = state.copy()
        _hold(held, trial)
        run(trial)
        kept = {cell: content for cell, content in held.items() if _holds(cell, content, trial)}
        if kept == held:
            _hold(held, state)
            return
        held = kept


def _is_forgotten(cell: Cell, content: Content, state: State) -> bool:
    object_, fields, _ = cell
    if object_.kind != "variable" or not fields or not isinstance(content[1], Number):
        return False
    return cell not in state.cells or is_lost(state.cells[cell][1])


def _hold(held: Mapping[Cell, Content], state: State) -> None:
    for cell, content in held.items():
        state.cells[cell] = content


def _holds(cell: Cell, content: Content, state: State) -> bool:
    return cell in state.cells and state.cells[cell][1] == content[1]
