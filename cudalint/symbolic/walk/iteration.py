"""One iteration of a loop: its test, its body and step, and runs of which nothing is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic.walk.loop_text import all_statements
from cudalint.symbolic.walk.state import State
from cudalint.term import (
    FALSE,
    Term,
)

if TYPE_CHECKING:
    from cudalint.symbolic.walk.execute import Frame, Walk

_PLAIN = ir.Declare | ir.Assign | ir.Load | ir.Store | ir.If | ir.Break | ir.Continue | ir.Return


def test(walk: Walk, loop: ir.Loop, state: State, frame: Frame) -> Term:
    walk.block(loop.pre, state, frame)
    return FALSE if state.dead else walk.evaluator.truth(loop.cond, state, frame)


def run_body(walk: Walk, loop: ir.Loop, state: State, frame: Frame) -> list[State]:
    """Run body and step in place; gives the states that break out."""
    from cudalint.symbolic.walk.execute import LoopExits

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


def passed_exits(walk: Walk, loop: ir.Loop, state: State, frame: Frame) -> None:
    """Run the body in place up to its last plain exit: the state of a thread that goes on."""
    from cudalint.symbolic.walk.execute import LoopExits

    frame.loops.append(LoopExits())
    returns = len(frame.returns)
    walk.block(_up_to_exits(loop.body), state, frame)
    del frame.returns[returns:]
    frame.loops.pop()


def _up_to_exits(body: tuple[ir.Stmt, ...]) -> tuple[ir.Stmt, ...]:
    """The first statements, to the last `if (...) break`; none where loops, calls or barriers are on the way."""
    last = 0
    for position, stmt in enumerate(body):
        inside = list(all_statements((stmt,)))
        if not all(isinstance(inner, _PLAIN) for inner in inside):
            break
        if isinstance(stmt, ir.If) and any(isinstance(inner, ir.Break | ir.Return) for inner in inside):
            last = position + 1
    return body[:last]


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
