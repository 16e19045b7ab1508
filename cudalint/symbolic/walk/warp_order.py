"""What `__syncwarp` orders: threads of one warp (or tile) where one passes it between its access and the other's.

    s[t] = v;  __syncwarp();  w = s[t ^ 1];           ordered
    for (...) { s[t] = v;  __syncwarp();  w = s[t ^ 1]; }    the read against the store of the next iteration is not

A shuffle orders what a thread reads and hands over before what others write behind it:

    v = s[t];  v += __shfl_xor_sync(ALL, v, 1);  s[0] = v;    ordered

Each thread counts the iterations of a loop without block barriers alone, so accesses inside are compared by iteration:
of the same one what stands between them orders them, of neighbouring ones what stands behind the one or before the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from cudalint import ir
from cudalint.symbolic.model import MEMORY_PREFIX, Access, WarpBarrier
from cudalint.symbolic.synchronization.pairs import Threads, different_groups, is_by_thread_number
from cudalint.symbolic.walk.environment import Environment
from cudalint.symbolic.walk.integers import between
from cudalint.term import TRUE, Term, add, conjunction, disjunction, equal, less, negation, number, remainder

FULL_MASKS = (-1, (1 << 32) - 1)
WARP = 32
View = Callable[[Term], Term]


def lanes_of(mask: ir.Expr | None) -> int | None:
    """How many lanes wait for each other: all of the warp, those of a tile of it, or nobody knows (None)."""
    while isinstance(mask, ir.Cast):
        mask = mask.operand
    if mask is None or (isinstance(mask, ir.Const) and mask.value in FULL_MASKS):
        return WARP
    if isinstance(mask, ir.Binary) and mask.op is ir.BinaryOp.SHIFT_LEFT and isinstance(mask.left, ir.Const):
        size = int(mask.left.value or 0).bit_length()
        first = ir.Const(0xFFFFFFFF & ~(size - 1), mask.type)
        own = ir.Binary(ir.BinaryOp.AND, ir.Builtin("laneid", mask.type), first, mask.type)
        return size if mask.right == own and mask.left.value == (1 << size) - 1 else None
    return None


def groups_of(mask: ir.Expr | None, environment: Environment) -> tuple[int | None, Term]:
    """How many lanes of a warp wait for each other, and which: a constant mask names them."""
    size, named = lanes_of(mask), _constant(mask)
    if size is not None or named is None or not named:
        return size, TRUE
    lane = remainder(environment.linear_thread(), number(WARP))
    return WARP, disjunction(*(between(first, lane, last) for first, last in _runs(named)))


def _constant(mask: ir.Expr | None) -> int | None:
    while isinstance(mask, ir.Cast):
        mask = mask.operand
    return int(mask.value) & FULL_MASKS[1] if isinstance(mask, ir.Const) and mask.value is not None else None


def _runs(named: int) -> list[tuple[int, int]]:
    """The first and last lane of each run of neighbours in a mask."""
    lanes = [lane for lane in range(WARP) if named >> lane & 1]
    firsts = [lane for lane in lanes if lane - 1 not in lanes]
    return list(zip(firsts, (lane for lane in lanes if lane + 1 not in lanes)))


def unordered(barriers: list[WarpBarrier], threads: Threads, a: Access, b: Access) -> tuple[Term, bool]:
    """When no barrier of a warp orders the accesses of two threads of one block; whether some other might order them, too."""
    if not barriers:
        return TRUE, False
    (early, seen_early), (late, seen_late) = sorted(
        ((a, threads.first), (b, threads.second)), key=lambda side: side[0].serial
    )
    common = [x for x, y in zip(early.loops, late.loops) if x is y]
    near = [
        w
        for w in barriers
        if (w.handed is None or _is_handed_over(w, early, late))
        and (_is_between(w, early, late) or (common and w.loops[:1] == (common[0],)))
    ]
    passed = [(w, None if w.size is None else _as_passed(w, early, late)) for w in near]
    sure = [found for _, found in passed if found is not None]
    order = _Order(threads, early.serial, late.serial, sure)
    together: list[Term] = []
    cases: list[Term] = []
    for depth, loop in enumerate(common):
        inside = [w for w in sure if w.loops[: depth + 1] == tuple(common[: depth + 1])]
        cases.append(conjunction(*together, order.across(seen_early(loop), seen_late(loop), inside)))
        together.append(equal(seen_early(loop), seen_late(loop)))
    cases.append(conjunction(*together, order.within()))
    return disjunction(*cases), any(found is None and w.handed is None for w, found in passed)


def _is_handed_over(shuffle: WarpBarrier, early: Access, late: Access) -> bool:
    """What one of them reads is handed over before the other writes."""
    read = early if early.kind == "read" else late
    if read.kind != "read" or shuffle.serial < read.serial or (read is early and late.serial < shuffle.serial):
        return False
    name = f"{MEMORY_PREFIX}{read.object.name}"
    return any(label == name or label.startswith(f"{name}@") for label in shuffle.handed or ())


def _is_between(barrier: WarpBarrier, early: Access, late: Access) -> bool:
    return early.serial < barrier.serial < late.serial


def _as_passed(barrier: WarpBarrier, early: Access, late: Access) -> WarpBarrier | None:
    """The barrier with those as members that come to it by their number; None where nobody knows who of the two comes."""
    if _passes(barrier, early, late) or _passes(barrier, late, early):
        return barrier
    both = {c.term for c in early.path} & {c.term for c in late.path}
    further = [c for c in barrier.path if c.term not in both]
    if barrier.handed is not None or not all(is_by_thread_number(c.term) for c in further):
        return None
    return replace(barrier, members=conjunction(barrier.members, *(c.term for c in further)))


def _passes(barrier: WarpBarrier, one: Access, other: Access) -> bool:
    """Whoever makes the one access passes the barrier as well, and who makes the other may."""
    own, others = ({c.term for c in access.path} for access in (one, other))
    needed = {c.term for c in barrier.path}
    return needed <= own and not any(negation(term) in others for term in needed - others)


class _Order:
    def __init__(self, threads: Threads, early: int, late: int, sure: list[WarpBarrier]) -> None:
        self.threads, self.early, self.late, self.sure = threads, early, late, sure

    def within(self) -> Term:
        """Of one iteration."""
        return self._apart(w for w in self.sure if self.early < w.serial < self.late)

    def across(self, early: Term, late: Term, inside: list[WarpBarrier]) -> Term:
        """Of different iterations of a loop that holds these barriers."""
        if not inside:
            return negation(equal(early, late))
        any_ = self._apart(inside)
        around = self._apart(w for w in inside if not self.early < w.serial < self.late)
        following = equal(early, add(late, number(1)))
        if any_ is around:
            return conjunction(negation(equal(early, late)), any_)
        return disjunction(
            conjunction(following, around), conjunction(negation(following), any_, _different(early, late))
        )

    def _apart(self, barriers: Iterable[WarpBarrier]) -> Term:
        """The two are in groups that none of the barriers joins."""
        passed = list(barriers)
        sizes = {w.size for w in passed if w.size is not None and w.members is TRUE}
        apart = [different_groups(self.threads.decider, max(sizes))] if sizes else []
        for size, members in dict.fromkeys((w.size, w.members) for w in passed if w.members is not TRUE):
            both = conjunction(self.threads.first(members), self.threads.second(members))
            apart.append(disjunction(different_groups(self.threads.decider, size or WARP), negation(both)))
        return conjunction(*apart)


def _different(a: Term, b: Term) -> Term:
    return disjunction(less(a, b), less(b, a))
