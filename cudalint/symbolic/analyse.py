"""One kernel under one contract: walk it, decide its obligations, look for races and divergence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace

from cudalint import ir
from cudalint.contract import Contract, Fact, Geometry, Origin
from cudalint.finding import Confidence, Reason, Verdict
from cudalint.source import Span
from cudalint.symbolic.indexing.first_wraps import mark_first_wraps
from cudalint.symbolic.indexing.lost_halves import find_lost_halves
from cudalint.symbolic.indexing.lost_work import find_lost_work
from cudalint.symbolic.indexing.misaligned import find_misaligned
from cudalint.symbolic.indexing.overflow import overflow_obligations
from cudalint.symbolic.indexing.row_ends import find_row_ends
from cudalint.symbolic.indexing.unguarded_sides import find_unguarded_sides
from cudalint.symbolic.indexing.unset_elements import find_unset_elements
from cudalint.symbolic.indexing.unset_locals import find_unset_locals
from cudalint.symbolic.indexing.wrapped_guards import wrapped_guards
from cudalint.symbolic.issues import Analysis, BarrierIssue
from cudalint.symbolic.model import MEMORY_PREFIX, MemoryObject, Obligation, ResultKey, is_proved, rests_on, result_key
from cudalint.symbolic.ordinary import ordinary_blocks
from cudalint.symbolic.solver.effort import ORDER_RESERVE, Effort
from cudalint.symbolic.solver.query import Solver
from cudalint.symbolic.synchronization.barrier_counts import miscounted
from cudalint.symbolic.synchronization.barriers import find_divergence
from cudalint.symbolic.synchronization.collectives import miscounted_collectives
from cudalint.symbolic.synchronization.left_to_callers import leave_order_to_callers
from cudalint.symbolic.synchronization.lock_waits import find_lock_waits
from cudalint.symbolic.synchronization.races import find_races
from cudalint.symbolic.synchronization.warps import find_warp_issues
from cudalint.symbolic.verdicts.chosen_branches import leave_branches_to_host
from cudalint.symbolic.verdicts.chosen_entries import chooses_entry, mark_conditional, take_inside
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.verdicts.facts import wrapped_parts
from cudalint.symbolic.verdicts.intended_block import (
    block_of_collectives,
    block_of_overloads,
    goes_round_in_blocks,
    intended_block,
    intended_tile,
    is_flat,
)
from cudalint.symbolic.verdicts.left_to_callers import is_left_to_callers, leave_bounds_to_callers
from cudalint.symbolic.verdicts.preconditions import find_preconditions
from cudalint.symbolic.verdicts.touched import Touched
from cudalint.symbolic.walk.environment import Environment
from cudalint.symbolic.walk.execute import Walk, WalkLimit
from cudalint.symbolic.walk.members import EVERYWHERE, Places, few, places_of
from cudalint.symbolic.walk.parameters import THREADS_PER_BLOCK
from cudalint.term import FALSE, number

WALKED_STEPS = 60  # of one statement
OPEN_COPIES = 2  # of one access that the solver may leave open
BOUNDS_SHARE = 0.6  # of the effort for a kernel
LEFT_OPEN = (Reason.SOLVER_LIMIT,)
PLACES = ("threadIdx.", "laneid", "warpid")
USUAL_THREADS = 256
WALKED_TWICE = 4_000  # statements of a kernel that is walked again with the block that it is made for


def analyse(unit: ir.Unit, kernel: ir.Function, contract: Contract, effort: Effort | None = None) -> Analysis:
    """All verdicts about one kernel instance under one contract; `effort` is shared with its other contracts."""
    effort = effort or Effort()
    environment = Environment(unit, kernel, contract)
    analysis = Analysis(kernel.id)
    walk = _walked(unit, kernel, environment)
    effort.steps += WALKED_STEPS * walk.serial
    if walk.stopped:
        analysis.obligations.append(_limit(kernel.span))
        analysis.notes.append("the walk stopped at its limit; what lies behind is unknown")
    decider = _bounds_decider(walk, environment, effort)
    if (contract.facts or not contract.device) and decider.contradictory():  # limits alone contradict nothing
        analysis.contradictory = True
    overflows = overflow_obligations(walk.obligations)
    chosen = [o for o in walk.obligations if chooses_entry(o)]
    others = [o for o in walk.obligations if not chooses_entry(o)]
    _decide_all(chosen, overflows, decider)
    taken = take_inside(chosen, environment)
    _decide_all(others, overflows, decider)
    mark_conditional(others, taken)
    leave_branches_to_host(walk.obligations)
    guards = list(wrapped_guards(walk.obligations))
    _decide_guards(guards, [overflow for _, overflow in overflows], decider)
    mark_first_wraps((*(overflow for _, overflow in overflows), *guards), walk.computed, environment)
    missed = (guard for guard in guards if guard.verdict is Verdict.VIOLATED)  # the rest is told of the access
    analysis.obligations += [*walk.obligations, *(overflow for _, overflow in overflows), *missed]
    beyond = {(o.span, o.object) for o in walk.obligations if o.verdict is Verdict.VIOLATED}
    if not environment.contract.first:
        analysis.lost += find_lost_work(walk, decider, beyond)
    analysis.sides += find_unguarded_sides(walk, decider)
    analysis.rows += find_row_ends(walk, decider)
    analysis.halves += find_lost_halves(walk, decider)
    analysis.misaligned += find_misaligned(walk, decider)
    analysis.order_unknown = walk.sync_unknown is not None or bool(walk.possible_barriers)
    blocks = _order_blocks(walk)
    if walk.sync_unknown is None:
        environment.assume_flat_launch(walk.builtins)
        pairs = Decider(environment, walk.axioms, Solver(effort, reserve=ORDER_RESERVE), blocks)
        find_divergence(walk, pairs, analysis)
        find_races(walk, pairs, analysis)
        analysis.barriers += miscounted_collectives(walk)
        analysis.barriers += find_lock_waits(walk, pairs)
        if walk.possible_barriers and walk.visits:
            analysis.notes.append(f"freedom from races is not decided: {walk.possible_barriers[0]}")
    elif walk.visits:
        analysis.notes.append(f"synchronisation is not decided: {walk.sync_unknown}")
    known, of_known = _with_block(walk, decider)
    if walk.sync_unknown is None:
        analysis.barriers += miscounted(known, of_known)
    left = {found for _, found in beyond}  # what is set beyond an array is a defect of its own
    if not any(issue.needed for issue in analysis.barriers):  # and so is what threads that have left do not set
        analysis.unset += (unset for unset in find_unset_elements(known, of_known) if unset.object not in left)
    analysis.unset += find_unset_locals(walk, decider)
    if not walk.stopped:
        find_warp_issues(walk, Decider(environment, walk.axioms, Solver(effort), blocks), analysis)
        if not analysis.contradictory and not contract.device:
            analysis.preconditions += find_preconditions(walk, overflows, effort)
    analysis.notes += walk.notes
    if contract.device:
        leave_bounds_to_callers(analysis.obligations, decider, all_come=bool(walk.visits))
        leave_order_to_callers(analysis, walk, lambda: _barriers_as_launched(unit, kernel, contract, blocks, effort))
    return analysis


def proofs_under(
    unit: ir.Unit, kernel: ir.Function, contract: Contract, open_: Collection[ResultKey], effort: Effort
) -> Analysis:
    """What is proved under one more contract; nobody looks for a witness, or at the places that are open under others."""
    environment = Environment(unit, kernel, contract)
    walk = _walked(unit, kernel, environment)
    effort.steps += WALKED_STEPS * walk.serial
    decider = _bounds_decider(walk, environment, effort)
    analysis = Analysis(kernel.id)
    if walk.stopped or (contract.facts and decider.contradictory()):
        analysis.contradictory = True
        return analysis
    overflows = overflow_obligations(walk.obligations)
    chosen = [o for o in walk.obligations if chooses_entry(o)]
    _decide_all(chosen, overflows, decider)
    taken = take_inside(chosen, environment)
    decider.proofs_only = True
    wraps, left = {id(access): overflow for access, overflow in overflows}, set(open_)
    for access in walk.obligations:
        overflow = wraps.get(id(access))
        for each, wrap in ((overflow, None), (access, overflow)):
            if each is not None and (key := result_key(each)) not in left:
                decider.decide(each, wrap)
                if not is_proved(each):
                    left.add(key)
    analysis.obligations += [*walk.obligations, *(overflow for _, overflow in overflows)]
    mark_conditional(analysis.obligations, taken)
    analysis.order_unknown = walk.sync_unknown is not None
    if walk.sync_unknown is None:
        environment.assume_flat_launch(walk.builtins)
        pairs = Decider(environment, walk.axioms, Solver(effort, reserve=ORDER_RESERVE), _order_blocks(walk))
        pairs.proofs_only = True
        find_divergence(walk, pairs, analysis)
        find_races(walk, pairs, analysis, left)
    return analysis


def _barriers_as_launched(
    unit: ir.Unit, kernel: ir.Function, contract: Contract, blocks: tuple[tuple[int, int, int], ...], effort: Effort
) -> list[BarrierIssue]:
    """The barriers of a device function at which threads part that all pass the same arguments."""
    environment = Environment(unit, kernel, replace(contract, device=False))
    walk = _walked(unit, kernel, environment)
    found = Analysis(kernel.id)
    if walk.sync_unknown is None:
        environment.assume_flat_launch(walk.builtins)
        find_divergence(walk, Decider(environment, walk.axioms, Solver(effort, reserve=ORDER_RESERVE), blocks), found)
    return found.barriers


def _walked(unit: ir.Unit, kernel: ir.Function, environment: Environment) -> Walk:
    """The walk; a second one where it read as unchanging what the launch turned out to write."""
    written: dict[MemoryObject, frozenset[Places]] = {}
    while True:
        walk = Walk(unit, kernel, environment, written=written)
        try:
            walk.run()
        except (WalkLimit, RecursionError):
            walk.stopped = True
            walk.sync_unknown = "the walk stopped at its limit"
        changed = _changed(walk)
        wrong = {found for found, here in walk.trusted if any(p.meet(here) for p in changed.get(found, ()))}
        if not wrong:
            return walk
        for found, places in changed.items():
            known = {EVERYWHERE} if found in wrong and found in written else written.get(found, frozenset())
            written[found] = few(places | known)


def _changed(walk: Walk) -> dict[MemoryObject, frozenset[Places]]:
    """What the launch may write, by array."""
    found: dict[MemoryObject, set[Places]] = {each: {EVERYWHERE} for each in walk.disturbed}
    for access in walk.accesses:
        if access.kind != "read":
            found.setdefault(access.object, set()).add(places_of(access.offset, access.size))
    for each in list(found):
        for other in walk.environment.overlapping(each):
            found.setdefault(other, set()).add(EVERYWHERE)
    return {each: frozenset(places) for each, places in found.items()}


def _most_threads(kernel: ir.Function) -> int:
    return min(THREADS_PER_BLOCK, *kernel.launch_bounds[:1], THREADS_PER_BLOCK)


def _order_blocks(walk: Walk) -> tuple[tuple[int, int, int], ...]:
    """The blocks under which what goes wrong has to: one warp alone shows no race between warps.

    A kernel that is launched and never asks which thread it runs as is made for one.
    """
    kernel = walk.environment.kernel
    together = walk.visits or walk.warp_visits or walk.warp_barriers or walk.counted
    alone = not together and not any(name.startswith(PLACES) for name in walk.builtins)
    if alone and walk.environment.contract.launch_site is not None:
        return ((1, 1, 1),)
    meant = _meant_block(walk)
    uses_y = _uses(kernel, "threadIdx.y") or ("threadIdx.y" in walk.builtins and not _uses(kernel, "threadIdx.x"))
    return (meant,) if meant else ordinary_blocks(uses_y, walk.shared_shapes() if uses_y else (), _most_threads(kernel))


def _bounds_decider(walk: Walk, environment: Environment, effort: Effort) -> Decider:
    kernel = environment.kernel
    meant = _meant_block(walk)
    uses_y = "threadIdx.y" in walk.builtins
    blocks = (meant,) if meant else ordinary_blocks(uses_y, walk.shared_shapes(), _most_threads(kernel))
    touched = Touched(walk.obligations, environment)
    return Decider(environment, walk.axioms, Solver(effort, BOUNDS_SHARE), blocks, touched, walked=walk.accesses)


def bounds_of(
    unit: ir.Unit, kernel: ir.Function, contract: Contract, asked: Callable[[Obligation], bool], effort: Effort
) -> list[Obligation]:
    """The verdicts about some of the accesses alone."""
    environment = Environment(unit, kernel, contract)
    walk = _walked(unit, kernel, environment)
    decider = _bounds_decider(walk, environment, effort)
    chosen = [o for o in walk.obligations if asked(o)]
    if decider.contradictory():
        return []
    _decide_all(chosen, overflow_obligations(chosen), decider)
    return chosen


def _decide_all(accesses: list[Obligation], overflows: list[tuple[Obligation, Obligation]], decider: Decider) -> None:
    """Whether an index overflows is asked before whether it is in bounds, which is simpler to answer then.

    An index that memory chooses may take all the steps that there are: it comes behind those that it does not.
    """
    overflow_of = {id(access): overflow for access, overflow in overflows}
    copies, device = _Copies(), decider.environment.contract.device
    for access in sorted(accesses, key=lambda each: rests_on(each.index, MEMORY_PREFIX)):
        overflow = overflow_of.get(id(access))
        if overflow is not None and not copies.share(overflow):
            if not (device and is_left_to_callers(overflow, decider)):
                decider.decide(overflow)
            copies.learn(overflow)
        if not copies.share(access) and not (device and is_left_to_callers(access, decider)):
            decider.decide(access, overflow)
            copies.learn(access)


def _decide_guards(guards: list[Obligation], overflows: list[Obligation], decider: Decider) -> None:
    """Where the same access goes to another element by the same values, that tells it."""
    told = {o.span for o in overflows if o.verdict is Verdict.VIOLATED}
    copies = _Copies()
    for guard in guards:
        if guard.span not in told and not copies.share(guard):
            decider.decide(guard)
            copies.learn(guard)


class _Copies:
    """Copies of one access, from rounds of a loop that was unrolled, share a verdict: the worst of them (DESIGN 5).

    What a copy has settled for certain, or earlier copies could not settle, is not asked again of the others; nor is whether
    the same values wrap on the way to another access.
    """

    def __init__(self) -> None:
        self._settled: dict[tuple[object, ...], Obligation] = {}
        self._open: Counter[tuple[object, ...]] = Counter()

    def share(self, obligation: Obligation) -> bool:
        """Whether the question was settled with an earlier one."""
        earlier = next((self._settled[key] for key in _keys(obligation) if key in self._settled), None)
        if earlier is not None:
            told = Reason.OVERFLOW if obligation.kind == "overflow" else Reason.SOLVER_LIMIT  # by the finding there
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, earlier.reason or told
            obligation.facts = earlier.facts
        return earlier is not None

    def learn(self, obligation: Obligation) -> None:
        keys = _keys(obligation)
        certain = obligation.confidence is Confidence.HIGH and not obligation.approximate
        if obligation.verdict is Verdict.VIOLATED and certain:
            self._settled[keys[0]] = obligation
        elif obligation.reason in LEFT_OPEN:
            self._open.update(keys)
            self._settled |= {key: obligation for key in keys if self._open[key] >= OPEN_COPIES}


def _keys(obligation: Obligation) -> tuple[tuple[object, ...], ...]:
    """The values that wrap, and the place."""
    place = obligation.kind, obligation.access, obligation.object, obligation.span, obligation.stack
    if obligation.kind != "overflow":
        return (place,)
    return (obligation.kind, frozenset(wrapped_parts(obligation.holds))), place


def _limit(span: Span) -> Obligation:
    return Obligation(
        "bounds", "read", None, span, (), FALSE, number(0), None, 1, verdict=Verdict.UNKNOWN, reason=Reason.SIZE_LIMIT
    )


def _meant_block(walk: Walk) -> tuple[int, int, int] | None:
    """The block that the kernel is made for: what it demands, what its arrays say, what its overloads have."""
    unit, kernel = walk.environment.unit, walk.environment.kernel
    return block_of_collectives(unit, kernel) or _block_of_arrays(walk) or block_of_overloads(unit, kernel)


def _with_block(walk: Walk, decider: Decider) -> tuple[Walk, Decider]:
    """Another walk with the block that the kernel is made for, where no launch says it and it makes a difference.

    One that goes round in its block is made for any: an ordinary one is taken.
    """
    environment = walk.environment
    contract = environment.contract
    told = contract.launch_site is not None or any(isinstance(fact.what, Geometry) for fact in contract.facts)
    shared = any(access.object.memory == "shared" for access in walk.accesses)
    if told or walk.stopped or walk.serial > WALKED_TWICE or not (shared or walk.counted):
        return walk, decider
    block = _meant_block(walk)
    if block is None and goes_round_in_blocks(walk.accesses):
        block = min(USUAL_THREADS, _most_threads(environment.kernel)), 1, 1
    if block is None:
        return walk, decider
    x, y, z = map(number, block)
    fact = Fact(
        Geometry((None, None, None), (x, y, z)),
        Origin.ORDINARY,
        f"a block of {' x '.join(map(str, block))}, as it is made for",
    )
    meant = Environment(environment.unit, environment.kernel, replace(contract, facts=(fact, *contract.facts)))
    again = _walked(environment.unit, environment.kernel, meant)
    return again, Decider(meant, again.axioms, decider.solver, (block,), walked=again.accesses)


def _block_of_arrays(walk: Walk) -> tuple[int, int, int] | None:
    if "threadIdx.y" not in walk.builtins or is_flat(walk.accesses):
        row = intended_block(walk.accesses)
        return (row, 1, 1) if row else None
    sides = intended_tile(walk.accesses)
    return (*sides, 1) if sides else None


def _uses(kernel: ir.Function, name: str) -> bool:
    """The kernel's own text reads it; what its helpers read says less of how rows and threads are laid out."""
    return repr(name) in repr(kernel.body)
