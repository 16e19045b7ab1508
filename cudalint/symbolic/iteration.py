"""One iteration of a loop: its test, its body and step, and runs of which nothing is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic.state import State
from cudalint.term import (
    FALSE,
    Term,
)

if TYPE_CHECKING:
    from cudalint.symbolic.execute import Frame, Walk


def test(walk: Walk, loop: ir.Loop, state: State, frame: Frame) -> Term:
    walk.block(loop.pre, state, frame)
    return FALSE if state.dead else walk.evaluator.truth(loop.cond, state, frame)


def run_body(walk: Walk, loop: ir.Loop, state: State, frame: Frame) -> list[State]:
    """Run body and step in place; gives the states that break out."""
    from cudalint.symbolic.execute import LoopExits

    base = state.copy()
    exits = LoopExits()
    frame.loops.append(exits)
    walk.block(loop.body, state, frame)
    frame.loops.pop()
    if exits.continues:
        sides = exits.continues if state.dead else [*exits.continues, state]
        state.adopt(walk.merge(base, sides))
    if not state.dead:
        walk.block(loop.step, state, frame)
    return exits.breaks


class silence:
    """Nothing is recorded inside: a probe or a trial."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk

    def __enter__(self) -> None:
        self.before = self.walk.recording, len(self.walk.axioms), self.walk.sync_unknown
        self.walk.recording = False

    def __exit__(self, *_: object) -> None:
        self.walk.recording = self.before[0]
        del self.walk.axioms[self.before[1] :]
