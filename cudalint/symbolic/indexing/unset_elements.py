"""Elements of shared arrays that a thread reads and that no thread of its block ever writes, where the block is known.

    __shared__ float part[32];  if (lane == 0) part[warp] = v;  __syncthreads();  v = part[lane];         block of 256

Every thread of one block is tried. A write whose place or condition rests on more than the thread's own number counts for all
elements, so what is left is certain; the order of writes and reads is that of the barriers, and not looked at here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from cudalint.compiled import Compiled, compiled
from cudalint.finding import LaunchShape, Witness
from cudalint.symbolic.issues import UnsetElement
from cudalint.symbolic.model import ITERATION_PREFIX, Access, MemoryObject, applications
from cudalint.symbolic.ordinary import is_input
from cudalint.symbolic.solver.question import Model
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.verdicts.reduced import ANY, reduced
from cudalint.symbolic.walk.atomics import SWAP
from cudalint.symbolic.walk.collectives import COLLECTIVE
from cudalint.symbolic.walk.execute import Walk
from cudalint.term import Number, Symbol, Term, Undefined, equal, free_symbols, number

MOST_ACCESSES = 96  # of one array
MOST_EVALUATIONS = 1 << 16
MOST_TRIED = 4  # threads that may come to a read
THREADS = ("threadIdx.x", "threadIdx.y", "threadIdx.z")
_NEIGHBOURS = ("shfl_down", "shfl_xor")


def find_unset_elements(walk: Walk, decider: Decider) -> Iterator[UnsetElement]:
    """One for each shared array, at the first read."""
    block = [decider.environment.builtin(f"blockDim.{axis}") for axis in "xyz"]
    sides = [size.value for size in block if isinstance(size, Number)]
    if len(sides) < 3 or walk.stopped or walk.possible_barriers:
        return
    arrays: dict[MemoryObject, list[Access]] = {}
    for access in walk.accesses:
        if access.object.memory == "shared":
            arrays.setdefault(access.object, []).append(access)
    for array, accesses in arrays.items():
        writes = [a for a in accesses if _sets(a)]
        if not writes or array in walk.disturbed or len(accesses) > MOST_ACCESSES:
            continue
        if all(_is_told(write) for write in writes) and len(accesses) * _volume(sides) <= MOST_EVALUATIONS:
            trial, uses = _Trial(sides, writes, walk), [a for a in accesses if not _sets(a)]
            found = [u for u in (trial.first(uses, decider), trial.beyond(uses, decider)) if u is not None]
            if found:
                yield min(found, key=lambda unset: unset.span)


def _volume(sides: list[int]) -> int:
    return sides[0] * sides[1] * sides[2]


def _sets(access: Access) -> bool:
    """It leaves nothing of what was there: an addition does, an exchange does not."""
    return access.kind == "write" or (access.kind == "atomic" and (access.value is not None or access.order == SWAP))


def _is_told(access: Access) -> bool:
    """The thread alone decides where it writes, at a place of known size."""
    return access.order not in ("async", COLLECTIVE) and _is_of_thread(access.offset)


def _is_of_thread(term: Term) -> bool:
    known = all(isinstance(atom, Symbol) and atom.name in THREADS for atom in free_symbols(term))
    return known and not applications(term)


def _may_be_chosen(term: Term, rounds: tuple[Symbol, ...] = ()) -> bool:
    """A condition on inputs, the block's place, the thread's and the rounds of its loops: for some launch it holds."""
    return not applications(term) and all(
        isinstance(a, Symbol)
        and (is_input(a) or a in rounds or a.name.startswith(("blockIdx.", ITERATION_PREFIX, *THREADS)))
        for a in free_symbols(term)
    )


def _told_conditions(access: Access) -> list[Compiled]:
    """Those on the way to it that say something of a thread; one without it holds for some launch."""
    return [compiled(c.term) for c in access.path if any(atom.parts[0] in THREADS for atom in free_symbols(c.term))]


def _may_hold(condition: Compiled, values: Mapping[str, int]) -> bool:
    try:
        return bool(condition(values))
    except Undefined:
        return True


class _Trial:
    """One array, with the bytes that the threads of a block write."""

    def __init__(self, sides: list[int], writes: list[Access], walk: Walk) -> None:
        self.sides = sides
        self.walk = walk
        self.written: set[int] = set()
        told = [(_told_conditions(write), compiled(write.offset), write.size) for write in writes]
        for values in self.threads():
            for conditions, offset, size in told:
                if all(_may_hold(condition, values) for condition in conditions):
                    start = offset(values)
                    self.written.update(range(start, start + size))

    def threads(self) -> Iterator[Mapping[str, int]]:
        for z, y, x in product(*(range(side) for side in reversed(self.sides))):
            yield dict(zip(THREADS, (x, y, z)))

    def first(self, reads: list[Access], decider: Decider) -> UnsetElement | None:
        for read in reads:
            known = [c.term for c in read.path if _is_of_thread(c.term)]
            asked = [
                c.term for c in read.path if c.cause != "check"
            ]  # whoever has passed a loop meets what is known behind it
            others = [term for term in asked if not _is_of_thread(term)]
            if not _is_told(read) or not all(map(_may_be_chosen, others)) or self._is_dropped(read):
                continue
            tried, here, offset = 0, [compiled(term) for term in known], compiled(read.offset)
            for values in self.threads():
                if tried == MOST_TRIED:
                    break
                if all(condition(values) for condition in here) and offset(values) not in self.written:
                    tried += 1
                    answer = self._comes(read, values, decider)
                    if answer is not None:
                        return self._found(read, values, offset(values), decider, answer)
        return None

    def beyond(self, uses: list[Access], decider: Decider) -> UnsetElement | None:
        """A use whose loop, or whose remainder of any data, comes to an element that none of the threads writes."""
        for use in uses:
            total, offset = use.object.size, reduced(use.offset)
            path = [c.term for c in use.path]
            chosen = [a for a in free_symbols(offset) if str(a.parts[0]).startswith(ANY)]
            rounds = (*use.loops, *(a for a in chosen if isinstance(a, Symbol)))
            told = all(_may_be_chosen(term, rounds) for term in (offset, *path))
            if not isinstance(total, Number) or not told or _is_told(use) or self._is_dropped(use):
                continue
            unset = [at for at in range(0, total.value, use.size) if at not in self.written]
            for at in dict.fromkeys((*unset[:1], *unset[-1:])):
                answer = decider.ask("use of an unset element", *path, equal(offset, number(at)))
                if isinstance(answer, Model):
                    _, thread = decider.place(answer)
                    return self._found(use, dict(zip(THREADS, thread)), at, decider, answer)
        return None

    def _comes(self, read: Access, values: Mapping[str, int], decider: Decider) -> Model | None:
        """A launch that lets this thread come to the read."""
        here = [equal(decider.environment.builtin(name), number(value)) for name, value in values.items()]
        answer = decider.ask("read of an unset element", *(c.term for c in read.path), *here)
        return answer if isinstance(answer, Model) else None

    def _is_dropped(self, read: Access) -> bool:
        """A shuffle by half of what was written follows: what the other lanes hold does not come to the first one."""
        after = [visit for visit in self.walk.warp_visits if visit.serial > read.serial and visit.op.startswith("shfl")]
        if not after or after[0].op not in _NEIGHBOURS or len(after[0].args) < 2:
            return False
        distance = after[0].args[1]
        return isinstance(distance, Number) and 2 * distance.value * read.size <= len(self.written)

    def _found(
        self, read: Access, values: Mapping[str, int], offset: int, decider: Decider, answer: Model
    ) -> UnsetElement:  # fmt: skip
        x, y, z = self.sides
        thread = values[THREADS[0]], values[THREADS[1]], values[THREADS[2]]
        shape = LaunchShape((1, 1, 1), (x, y, z), 0)
        index = offset // read.size
        witness = Witness(
            launch=shape, values=decider.input_values(answer), block=(0, 0, 0), thread=thread, index=index
        )
        _, assumptions = decider.relevant(*(c.term for c in read.path))
        return UnsetElement(read.span, read.object, witness, tuple(dict.fromkeys(assumptions)))
