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

from cudalint import ir
from cudalint.symbolic.model import MEMORY_PREFIX, Access, WarpBarrier
from cudalint.symbolic.synchronization.pairs import Threads, different_groups
from cudalint.term import TRUE, Term, add, conjunction, disjunction, equal, less, negation, number

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
    sure = [w for w in near if w.size is not None and (_passes(w, early, late) or _passes(w, late, early))]
    order = _Order(threads, early.serial, late.serial, sure)
    together: list[Term] = []
    cases: list[Term] = []
    for depth, loop in enumerate(common):
        inside = [w for w in sure if w.loops[: depth + 1] == tuple(common[: depth + 1])]
        cases.append(conjunction(*together, order.across(seen_early(loop), seen_late(loop), inside)))
        together.append(equal(seen_early(loop), seen_late(loop)))
    cases.append(conjunction(*together, order.within()))
    return disjunction(*cases), any(w.handed is None for w in near if w not in sure)


def _is_handed_over(shuffle: WarpBarrier, early: Access, late: Access) -> bool:
    """What one of them reads is handed over before the other writes."""
    read = early if early.kind == "read" else late
    if read.kind != "read" or shuffle.serial < read.serial or (read is early and late.serial < shuffle.serial):
        return False
    name = f"{MEMORY_PREFIX}{read.object.name}"
    return any(label == name or label.startswith(f"{name}@") for label in shuffle.handed or ())


def _is_between(barrier: WarpBarrier, early: Access, late: Access) -> bool:
    return early.serial < barrier.serial < late.serial


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
        sizes = {w.size for w in barriers if w.size is not None}
        return different_groups(self.threads.decider, max(sizes)) if sizes else TRUE


def _different(a: Term, b: Term) -> Term:
    return disjunction(less(a, b), less(b, a))
