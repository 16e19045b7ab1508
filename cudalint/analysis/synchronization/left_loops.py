"""Loops with a barrier for all threads of the block that the threads leave one by one.

for (int tile = 0; tile < n; tile++) { s[t] = x[tile][t];  __syncthreads();  ...;  if (found) break;  __syncthreads(); }

The others wait for those who have left, or go on without what these would have loaded.
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.shared_events import Events, Guard, shared_events
from cudalint.analysis.text.shared_names import handed_arrays, shared_arrays, shared_rows
from cudalint.analysis.text.synchronising_functions import synchronising_functions
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.analysis.text.thread_text import LOOPS, THREAD, ThreadText, thread_text
from cudalint.analysis.text.varying import Varying
from cudalint.ir.syntax import Outline, Syntax

_LEFT = {"break_statement": "leaves the loop", "continue_statement": "goes on to the next round"}
_BREAKABLE = (*LOOPS, "for_range_loop", "switch_statement")


def left_loops(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop."""
    text = outline.root.file.text
    if "__syncthreads" not in text or not any(word in text for word in ("break", "continue")):
        return
    synchronising = synchronising_functions(outline)
    every = list(bodies(program_of(outline), ("kernel", "device", "host")))
    handed = handed_arrays(every)
    for body in every:
        ways = [
            (node, loop) for node in body.nodes if node.kind in _LEFT and (loop := _loop_of(node, body)) is not None
        ]
        if not ways:
            continue
        arrays = shared_arrays(body, handed)
        events = shared_events(body, arrays, synchronising, shared_rows(body, arrays))
        if not events.barriers:
            continue
        threads = thread_text(body)
        varying: Varying | None = None
        told: set[int] = set()
        for node, loop in ways:
            if id(loop) in told or not _loads_together(loop, events, threads):
                continue
            varying = varying or Varying(body, threads, arrays)
            condition = _parting(node, loop, body, varying)
            barrier = None if condition is None else _barrier(node, loop, events, varying)
            if condition is not None and barrier is not None:
                told.add(id(loop))
                what = f"not all threads of the block reach the barrier at line {barrier.place[0]}"
                what = f"{what}: who passes this condition {_LEFT[node.kind]}"
                yield GuardIssue(body.function, condition, what, barrier)


def _loop_of(node: Syntax, body: Body) -> Syntax | None:
    """The loop that the statement leaves or goes on with."""
    around = _BREAKABLE if node.kind == "break_statement" else _BREAKABLE[:-1]
    found = next((parent for parent, _ in body.ancestors(node) if parent.kind in around), None)
    return found if found is not None and found.kind in LOOPS else None


def _loads_together(loop: Syntax, events: Events, threads: ThreadText) -> bool:
    """In the loop each thread writes an element of its own into shared memory."""
    written = (e for e in events.accesses if e.kind == "write" and loop.start <= e.node.start < loop.end)
    return any(threads.kind(index) == THREAD for event in written for index in event.indices)


def _parting(node: Syntax, loop: Syntax, body: Body, varying: Varying) -> Syntax | None:
    """The condition between the loop and the statement on which threads differ."""
    for parent, child in body.ancestors(node):
        if parent is loop:
            return None
        condition = parent.child("condition") if parent.kind == "if_statement" else None
        if condition is not None and child is not condition and varying.differs(condition):
            return condition
    return None


def _barrier(node: Syntax, loop: Syntax, events: Events, varying: Varying) -> Syntax | None:
    """A barrier of the loop for all threads that stay: behind the statement where that goes on with the next round."""
    for barrier, guards in events.barriers:
        inside = loop.start <= barrier.start < loop.end
        behind = node.kind == "break_statement" or barrier.start > node.end
        if inside and behind and not any(_parts(guard, loop, varying) for guard in guards):
            return barrier
    return None


def _parts(guard: Guard, loop: Syntax, varying: Varying) -> bool:
    """A condition inside the loop around the barrier, other than that of a way out."""
    within = loop.start < guard.owner.start and guard.owner.end <= loop.end
    return within and guard.holds and varying.differs(guard.condition)
