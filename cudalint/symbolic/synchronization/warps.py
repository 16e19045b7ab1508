"""Warp operations that not all named lanes reach, or that read lanes which are not there (SEMANTICS 16).

A mask is a predicate over lanes: a constant's bits, or what a ballot was asked. Lanes that have left the kernel need not
arrive, but nothing can be read from them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from cudalint.finding import Confidence, Related, Witness
from cudalint.source import Span
from cudalint.symbolic.issues import Analysis, WarpIssue
from cudalint.symbolic.model import ITERATION_PREFIX, WarpVisit
from cudalint.symbolic.ordinary import is_input
from cudalint.symbolic.synchronization.pairs import Threads, is_approximate, pair_facts, witness_of_two
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.verdicts.facts import is_large_choice, is_lost_size
from cudalint.symbolic.walk.execute import Walk
from cudalint.symbolic.walk.integers import between
from cudalint.term import (
    FALSE,
    TRUE,
    Flag,
    Number,
    Symbol,
    Term,
    add,
    at_most,
    conjunction,
    disjunction,
    equal,
    free_symbols,
    interval,
    less,
    multiply,
    negation,
    number,
    remainder,
    subtract,
)

_SIDE_OF_ARGUMENT = re.compile(r":\w+\.[xyz]$")
LANES = 32
FULL = (1 << LANES) - 1
BRANCHES = ("branch", "loop")
SHUFFLES = ("shfl", "shfl_up", "shfl_down", "shfl_xor")
SHIFTS = SHUFFLES[1:]


@dataclass(frozen=True, slots=True)
class _Suspicion:
    """What would have to hold of the lane that calls (`@1`) and of another one (`@2`)."""

    cause: str
    terms: list[Term]
    as_a_rule: bool = True  # that it matters: the last lanes of a shift get what a reduction does not use


def find_warp_issues(walk: Walk, decider: Decider, analysis: Analysis) -> None:
    """Fill `analysis.warps` with one issue per defect: operations that go wrong for one reason are related to the first."""
    threads = Threads(decider, same_block=True)
    reported: set[Span] = set()
    told: dict[_Reason, WarpIssue] = {}
    for visit in walk.warp_visits:
        if visit.span in reported:
            continue
        issue = _surest(visit, _suspicions(walk, visit, threads), threads)
        if issue is not None:
            reported.add(visit.span)
            reason = _reason(visit, issue, threads)
            reason = next((known for known in told if _is_surer(known, reason)), reason)
            first = told.get(reason)
            told[reason] = issue if first is None else _with_another(first, visit)
    analysis.warps += told.values()


def _surest(visit: WarpVisit, suspicions: list[_Suspicion], threads: Threads) -> WarpIssue | None:
    """The first one that goes wrong with ordinary values; else the first that goes wrong at all."""
    found: WarpIssue | None = None
    for suspicion in suspicions:
        issue = _issue(visit, suspicion, threads)
        if issue is not None and issue.confidence is Confidence.HIGH:
            return issue
        found = found or issue
    return found


@dataclass(frozen=True, slots=True)
class _Reason:
    """Why an operation goes wrong: under which conditions lanes part, where that is why; else at which `place`."""

    cause: str
    confidence: Confidence
    approximate: bool
    mask: Term | None = None
    parting: frozenset[Term] = frozenset()
    place: Span | None = None


def _reason(visit: WarpVisit, issue: WarpIssue, threads: Threads) -> _Reason:
    """The same for operations that one change would put right."""
    found = _Reason(issue.cause, issue.confidence, issue.approximate)
    if issue.cause == "past the block":
        return found
    parting = frozenset(c.term for c in visit.path if c.cause in (*BRANCHES, "exit") and _differs(c.term, threads))
    if issue.cause in ("absent", "exited") and parting:
        return replace(found, mask=visit.mask, parting=parting)
    return replace(found, place=visit.span)


def _is_surer(known: _Reason, reason: _Reason) -> bool:
    """Lanes part there for certain under some of the conditions that part them here, where others rest on lost values."""
    part = bool(known.parting) and known.parting < reason.parting and reason.approximate and not known.approximate
    return part and (known.cause, known.confidence, known.mask) == (reason.cause, reason.confidence, reason.mask)


def _with_another(issue: WarpIssue, visit: WarpVisit) -> WarpIssue:
    return replace(issue, related=(*issue.related, Related(visit.span, f"so does this {visit.op}")))


def _suspicions(walk: Walk, visit: WarpVisit, threads: Threads) -> list[_Suspicion]:
    if visit.mask is None:
        return [_Suspicion("legacy", [])] if visit.op != "activemask" else []
    found: list[_Suspicion] = []
    width = visit.args[2] if visit.op in SHUFFLES and len(visit.args) > 2 else number(LANES)
    if isinstance(width, Number) and (width.value not in (1, 2, 4, 8, 16, 32)):
        found.append(_Suspicion("width", [threads.first(c.term) for c in visit.path]))
    distance = visit.args[1] if len(visit.args) > 1 else None
    if visit.op in SHIFTS and isinstance(width, Number) and isinstance(distance, Number) and 0 < width.value < LANES:
        if distance.value >= width.value:
            used = threads.first(visit.used)
            found.append(_Suspicion("distance", [*(threads.first(c.term) for c in visit.path), used]))
    if visit.mask in walk.active_masks and visit.op in SHIFTS:
        found.append(_Suspicion("activemask", [threads.first(c.term) for c in visit.path]))
    members = _members(walk, visit.mask, threads)
    if members is None:
        return found
    caller, other = members
    found.append(_Suspicion("caller", [threads.first(c.term) for c in visit.path] + [negation(caller)]))
    found.append(_Suspicion("absent", _named_but_elsewhere(visit, other, threads)))
    if visit.op in SHUFFLES and isinstance(width, Number):
        found += _reads_of_absent_lanes(visit, width.value, other, threads)
    return found


def _members(walk: Walk, mask: Term, threads: Threads) -> tuple[Term, Term] | None:
    """Whether the mask names the calling lane, and the other one; None where that is not known."""
    lane = threads.decider.environment.builtin("laneid")
    if isinstance(mask, Number):
        named = _has_bit(mask.value & FULL, lane)
        return threads.first(named), threads.second(named)
    asked = walk.ballots.get(mask)
    return None if asked is None else (threads.first(asked), threads.second(asked))


def _has_bit(mask: int, lane: Term) -> Term:
    """The mask names the lane: a disjunction over its runs of ones."""
    if mask == FULL:
        return TRUE
    runs: list[Term] = []
    start: int | None = None
    for position in range(LANES + 1):
        one = position < LANES and bool(mask >> position & 1)
        if one and start is None:
            start = position
        elif not one and start is not None:
            runs.append(between(start, lane, position - 1))
            start = None
    return disjunction(*runs)


def _named_but_elsewhere(visit: WarpVisit, named: Term, threads: Threads) -> list[Term]:
    """Another lane of the warp is named, is still in the kernel, and does not come here."""
    dividing = [c for c in visit.path if c.cause in BRANCHES and _differs(c.term, threads)]
    if not dividing:
        return [FALSE]
    terms = _both_in_one_warp(visit, threads)
    terms += [threads.second(c.term) for c in visit.path if c.cause not in BRANCHES]
    return [*terms, named, negation(conjunction(*(threads.second(c.term) for c in dividing)))]


def _reads_of_absent_lanes(visit: WarpVisit, width: int, named: Term, threads: Threads) -> list[_Suspicion]:
    """The source lane is past the end of the block, has left the kernel, or is not in the mask."""
    decider = threads.decider
    environment = decider.environment
    source = _source_lane(visit, width, threads)
    if source is None:
        return []
    lane, inside = source
    here = [threads.first(c.term) for c in visit.path]
    inside = conjunction(inside, threads.first(visit.used))
    as_a_rule = not decider.rests_on_contents(visit.used)  # a number that was read from memory may be that of the lanes
    first = threads.first(environment.linear_thread())
    base = subtract(first, remainder(first, number(LANES)))
    b = environment.builtin
    count = multiply(multiply(b("blockDim.x"), b("blockDim.y")), b("blockDim.z"))
    found: list[_Suspicion] = []
    if environment.launch_known and remainder(count, number(LANES)) is not number(0):
        beyond = [*here, inside, at_most(count, add(base, lane))]
        found.append(_Suspicion("past the block", beyond, as_a_rule))
    leaving = [c for c in visit.path if _differs(c.term, threads) and c.cause == "exit"]
    reads = equal(threads.second(environment.linear_thread()), add(base, lane))
    if leaving:
        gone = negation(conjunction(*(threads.second(c.term) for c in leaving)))
        found.append(_Suspicion("exited", [*_both_in_one_warp(visit, threads), inside, reads, gone], as_a_rule))
    if named is not TRUE:
        asked = [*_both_in_one_warp(visit, threads), inside, reads, negation(named)]
        found.append(_Suspicion("not named", asked, as_a_rule and not _is_half_of_a_run(visit)))
    return found


def _is_half_of_a_run(visit: WarpVisit) -> bool:
    """A shift by at most half of the lanes that the mask names in a row: the other half gets what those lanes hold."""
    if visit.op not in ("shfl_up", "shfl_down") or not isinstance(visit.mask, Number) or len(visit.args) < 2:
        return False
    runs = [len(run) for run in f"{visit.mask.value & FULL:b}".split("0") if run]
    _, farthest = interval(visit.args[1]) if isinstance(visit.args[1], Term) else (None, None)
    return farthest is not None and 2 * farthest <= min(runs, default=0)


def _source_lane(visit: WarpVisit, width: int, threads: Threads) -> tuple[Term, Term] | None:
    """The lane that the caller reads, and the condition under which that is another lane."""
    if len(visit.args) < 2 or width not in (1, 2, 4, 8, 16, 32):
        return None
    lane = threads.first(threads.decider.environment.builtin("laneid"))
    place = remainder(lane, number(width))
    operand = threads.first(visit.args[1])
    if visit.op == "shfl_down":
        return add(lane, operand), less(add(place, operand), number(width))
    if visit.op == "shfl_up":
        return subtract(lane, operand), at_most(operand, place)
    if visit.op == "shfl_xor" and isinstance(operand, Number) and operand.value & (operand.value - 1) == 0:
        flipped = remainder(lane, number(2 * operand.value)) if operand.value else number(0)
        return (add(lane, operand), less(flipped, operand)) if operand.value else None
    if visit.op == "shfl":
        return add(subtract(lane, place), remainder(operand, number(width))), TRUE
    return None


def _both_in_one_warp(visit: WarpVisit, threads: Threads) -> list[Term]:
    """The caller is here; the other lane shares its warp, its iterations and what is equal within a warp."""
    warp = threads.decider.environment.builtin("warpid")
    terms = [threads.first(c.term) for c in visit.path]
    terms.append(equal(threads.first(warp), threads.second(warp)))
    terms.append(threads.different())
    atoms = sorted(frozenset().union(*(free_symbols(c.term) for c in visit.path)), key=lambda a: a.digest)
    return [*terms, *(equal(threads.first(atom), threads.second(atom)) for atom in atoms if _is_common(atom))]


def _is_common(atom: Term) -> bool:
    if isinstance(atom, Symbol):
        return atom.scope == "warp" or (atom.scope == "thread" and atom.name.startswith(ITERATION_PREFIX))
    return isinstance(atom, Flag) and atom.parts[1] == "warp"


def _differs(term: Term, threads: Threads) -> bool:
    return threads.first(term) is not threads.second(term)


def _issue(visit: WarpVisit, suspicion: _Suspicion, threads: Threads) -> WarpIssue | None:
    decider = threads.decider
    confidence = Confidence.HIGH
    witness: Witness | None = None
    if suspicion.cause != "legacy":
        model, found, decided = threads.decide(f"warp {suspicion.cause}", suspicion.terms)
        if (model is None or found is None) and (decided or suspicion.cause != "distance"):
            return None  # of a distance the text alone says that it is wrong wherever a lane comes to it
        if model is not None and found is not None:
            confidence, witness = found, witness_of_two(decider, model, visit.span, ("calls", "is not there"))
    if confidence is Confidence.HIGH:
        known = pair_facts(decider, suspicion.terms, threads.same_block)
        lost = _is_handed_over(decider) and decider.rests_on_lost_block(known, *suspicion.terms)
        lost = lost or (suspicion.cause == "past the block" and _rests_on_lost_host_value(decider))
        if not suspicion.as_a_rule or lost:
            confidence = Confidence.MEDIUM
    scattered = any(decider.rests_on_contents(term) for term in suspicion.terms)
    _, assumptions = decider.relevant(*(c.term for c in visit.path))
    facts = tuple(dict.fromkeys(assumptions))
    approximate = scattered or is_approximate(suspicion.terms)  # a run decides whether lanes part
    return WarpIssue(visit.span, visit.op, suspicion.cause, witness, facts, confidence, approximate, stack=visit.stack)


def _rests_on_lost_host_value(decider: Decider) -> bool:
    """The block is computed with what is not known of the host code: `dim3(lanes_of_device() * 4)`, a function of another file."""
    builtin = decider.environment.builtin
    sizes = [atom for axis in "xyz" for atom in free_symbols(builtin(f"blockDim.{axis}")) if isinstance(atom, Symbol)]
    return any(is_lost_size(atom) and not is_large_choice(atom) for atom in sizes)


def _is_handed_over(decider: Decider) -> bool:
    """The block is a `dim3` that the host function is handed, and nothing else that it knows: no size, and no number of threads."""
    builtin = decider.environment.builtin
    sides = frozenset().union(*(free_symbols(builtin(f"blockDim.{axis}")) for axis in "xyz"))
    return bool(sides) and all(is_input(side) and _SIDE_OF_ARGUMENT.search(str(side.parts[0])) for side in sides)
