"""What all threads of a block have read before they meet in a block-wide primitive, and the block writes only behind it.

    if (done[b] == k) return;  total = BlockReduce(storage).Sum(x);  if (t == 0) done[b] += total;

The primitive gives nobody a result before each thread has brought its part, so that all of them read what was there before,
however often they do. It may stand in a loop that all threads of the block go through equally often: where one of them waits
in it, who writes behind the loop has waited there, too.
"""

from __future__ import annotations

from dataclasses import replace

from cudalint.symbolic.model import ITERATION_PREFIX, MEMORY_PREFIX, Access, BarrierVisit, Conjunct, base_name, scope_of
from cudalint.symbolic.synchronization.pairs import memory_values
from cudalint.symbolic.walk.collectives import COLLECTIVE
from cudalint.symbolic.walk.execute import Walk
from cudalint.term import Flag, Term, flag, interval, labels, rewrite, symbol


def with_settled_reads(walk: Walk, visit: BarrierVisit) -> BarrierVisit:
    """The visit where each read of such an element gives one value, which is that of all threads of the block."""
    values = memory_values(*(c.term for c in visit.path))
    rounds = {c.term for c in visit.path if _is_of_common_loop(c)}
    named = {value: name for value in values if _is_settled(walk, name := _array_of(value), rounds)}
    if not named:
        return visit

    def leaf(part: Term) -> Term | None:
        if (name := named.get(part)) is None:
            return None
        label = f"{MEMORY_PREFIX}{name}#settled"
        return flag(label, "block") if isinstance(part, Flag) else symbol(label, *interval(part), "block")

    return replace(visit, path=tuple(replace(c, term=rewrite(c.term, leaf)) for c in visit.path))


def _array_of(value: Term) -> str:
    return base_name(str(value.parts[0]).removeprefix(MEMORY_PREFIX))


def _is_of_common_loop(conjunct: Conjunct) -> bool:
    """All threads of the block go on, or what a check says of numbers of rounds: that keeps nobody from entering a loop."""
    common = scope_of(conjunct.term) in ("launch", "block")
    return (conjunct.cause == "loop" and common) or (
        conjunct.cause == "check" and any(label.startswith(ITERATION_PREFIX) for label in labels(conjunct.term))
    )


def _is_settled(walk: Walk, name: str, rounds: set[Term]) -> bool:
    own = [a for a in walk.accesses if a.object.name == name]
    reads, writes = [a for a in own if a.kind == "read"], [a for a in own if a.kind != "read"]
    meetings = [a for a in walk.accesses if a.order == COLLECTIVE]
    return bool(writes) and any(_parts(meeting, reads, writes, rounds) for meeting in meetings)


def _parts(meeting: Access, reads: list[Access], writes: list[Access], rounds: set[Term]) -> bool:
    """All threads read one element before the meeting, and not in a later round of a loop; who writes has come through it."""
    before = [read for read in reads if read.serial < meeting.serial]
    if len({(read.offset, read.size) for read in before}) != 1 or scope_of(before[0].offset) not in ("launch", "block"):
        return False
    way = {c.term for c in meeting.path} - rounds
    behind = all(w.serial > meeting.serial and way <= {c.term for c in w.path} for w in writes)
    return behind and all(set(r.loops).isdisjoint(w.loops) for r in before for w in writes)
