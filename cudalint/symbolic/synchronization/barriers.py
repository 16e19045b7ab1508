"""Barriers that some threads of a block do not reach: divergence, and exits before a barrier (SEMANTICS 12 and 15)."""

from __future__ import annotations

from dataclasses import replace

from cudalint.finding import Confidence, Reason, Related, Verdict
from cudalint.source import Span
from cudalint.symbolic.issues import Analysis, BarrierIssue
from cudalint.symbolic.model import (
    APPROXIMATE_PREFIX,
    MEMORY_PREFIX,
    Access,
    BarrierPoint,
    BarrierVisit,
    Conjunct,
    Obligation,
    rests_on,
    scope_of,
)
from cudalint.symbolic.solver.question import Model
from cudalint.symbolic.synchronization.pairs import (
    decide_pair,
    different_threads,
    different_warps,
    is_approximate,
    loosened,
    memory_values,
    pair_facts,
    renamed,
    varying_contents,
    witness_of_two,
)
from cudalint.symbolic.synchronization.settled_reads import with_settled_reads
from cudalint.symbolic.verdicts.checked import contents_in
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.walk import integers
from cudalint.symbolic.walk.collectives import COLLECTIVE
from cudalint.symbolic.walk.execute import Walk
from cudalint.symbolic.walk.phases import PHASE, is_followed
from cudalint.term import (
    FALSE,
    TRUE,
    Symbol,
    Term,
    conjunction,
    equal,
    free_symbols,
    negation,
    number,
    substitute,
    symbol,
)

BRANCHES = ("branch", "loop")
GRID = "grid"
ELEMENTS_TRIED = 3
MOST_RELATED = 4
DEEPEST_LOOPS = 4
_SIDES = ("waits", "does not arrive")


def find_divergence(walk: Walk, decider: Decider, analysis: Analysis) -> None:
    """Fill `analysis.barriers` with one issue per barrier statement and cause, and a result per barrier."""
    reported: set[tuple[Span, str]] = set()
    told: set[Term] = set()  # the conditions of the defects that have a finding
    left: set[Term] = set()  # and those of the returns
    results: dict[Span, tuple[Verdict, Reason | None]] = {}
    inside = [_inside(access) for access in walk.accesses if access.order == COLLECTIVE]
    for visit in (*walk.visits, *inside):
        kind = visit.point.kind
        if kind in walk.split_phases or (kind.startswith(PHASE) and not is_followed(walk, kind)):
            continue  # others may arrive for those that do not come
        for cause in ("branch", "exit"):
            if (visit.span, cause) in reported:
                continue
            issue, decided = _diverges(with_settled_reads(walk, visit), cause, decider)
            if issue is not None and visit.point.kind == COLLECTIVE:
                issue = replace(issue, primitive=True, needed=cause == "exit")
            elif issue is not None and visit.point.kind.startswith(PHASE):
                issue = replace(issue, needed=cause == "exit")  # so does this one
            elif issue is not None and visit.point.kind == GRID:
                issue = replace(issue, grid=True, needed=cause == "exit")  # it counts threads: those that left, too
            elif issue is not None and cause == "exit":
                returns = {c.term for c in visit.path if c.cause == "exit" and _differs_between_threads(c.term)}
                if returns.isdisjoint(left):  # an earlier barrier tells of those that return there
                    issue = _needed(walk, visit, issue, decider)
                left |= returns if issue.needed else set()
            if issue is not None:
                reported.add((visit.span, cause))
                issue = replace(issue, stack=visit.stack)
                if cause == "branch":
                    others = _other_branch if visit.balanced else _meeting
                    issue = replace(issue, related=others(visit, walk.visits))
                if cause == "exit":
                    issue = replace(issue, related=(*_returns(walk, visit), *issue.related))
                if cause == "exit" or told.isdisjoint(_parting(visit)):
                    analysis.barriers.append(issue)
                    told |= _parting(visit) if cause == "branch" else set()
                    told |= (
                        {negation(term) for term in told} if visit.balanced else set()
                    )  # the other barrier of the two
            if cause == "branch":
                _note(results, visit.span, issue is not None, decided)
    for span, (verdict, reason) in results.items():
        analysis.sync_results.append(
            Obligation(
                "divergence", "barrier", None, span, (), TRUE, number(0), None, 1, verdict=verdict, reason=reason
            )
        )


def _returns(walk: Walk, visit: BarrierVisit) -> tuple[Related, ...]:
    """Where some threads of a block leave the kernel before they come to the barrier."""
    places = {
        span: None
        for span, serial, path in walk.exits
        if serial <= visit.serial and any(_differs_between_threads(c.term) for c in path)
    }
    return tuple(Related(span, "threads return here") for span in list(places)[:MOST_RELATED])


def _inside(call: Access) -> BarrierVisit:
    """A block-wide primitive waits for all threads of the block, and uses what each of them brings.

    So they are in the same round of the loops around it.
    """
    common: dict[Term, Term] = {
        loop: symbol(f"{loop.name}'", loop.parts[1], loop.parts[2], "block") for loop in call.loops
    }
    path = tuple(Conjunct(substitute(c.term, common), c.cause) for c in call.path)
    return BarrierVisit(BarrierPoint(-1, call.span, COLLECTIVE), call.span, path, False, call.stack, call.serial)


def _meeting(visit: BarrierVisit, visits: list[BarrierVisit]) -> tuple[Related, ...]:
    """The other barriers of the defect: threads that part here wait at one of these at the same time, and may be seen there."""
    parting = _parting(visit)
    others: dict[Span, str] = {}
    for other in visits:
        shares = not parting.isdisjoint(_parting(other))
        if shares and not other.balanced:
            others.setdefault(other.span, "this barrier stands under the same condition")
        elif not shares and other.serial > visit.serial:
            others.setdefault(other.span, "threads that do not arrive may wait at this barrier instead")
            break
    others.pop(visit.span, None)
    return tuple(Related(span, text) for span, text in list(others.items())[:MOST_RELATED])


def _other_branch(visit: BarrierVisit, visits: list[BarrierVisit]) -> tuple[Related, ...]:
    """The barriers that stand under the opposite condition."""
    opposite = {negation(term) for term in _parting(visit)}
    spans = dict.fromkeys(v.span for v in visits if v.balanced and not opposite.isdisjoint(_parting(v)))
    return tuple(Related(span, "the other lanes wait at this barrier") for span in list(spans)[:MOST_RELATED])


def _parting(visit: BarrierVisit) -> set[Term]:
    """The conditions of branches and loops around it that differ between threads."""
    return {c.term for c in visit.path if c.cause in BRANCHES and _differs_between_threads(c.term)}


def _needed(walk: Walk, visit: BarrierVisit, issue: BarrierIssue, decider: Decider) -> BarrierIssue:
    """The same issue, told by an element that only threads that have left would have written and that a survivor reads."""
    shared = [_in_first_rounds(walk, a) for a in walk.accesses if a.object.memory == "shared"]
    writes = [a for a in shared if a.kind == "write" and a.serial < visit.serial]
    reads = [a for a in shared if a.kind == "read" and a.serial > visit.serial]
    seen: set[tuple[Term, Term]] = set()
    for write in writes:
        for read in reads:
            if read.object is not write.object or (write.offset, read.offset) in seen:
                continue
            if any(rests_on(a.offset, prefix) for a in (write, read) for prefix in (MEMORY_PREFIX, APPROXIMATE_PREFIX)):
                continue  # which elements these are is a matter of data
            seen.add((write.offset, read.offset))
            terms = _reads_of_exited(write, read)
            model, confidence = _unwritten(writes, read, terms, decider)
            if model is not None and confidence is not None:
                text = f"read of `{read.object.name}`, which the threads that left would have written"
                return replace(
                    issue, witness=witness_of_two(decider, model, visit.span, _SIDES), confidence=confidence, needed=True,
                    related=(Related(read.span, text),), approximate=is_approximate(terms),
                )  # fmt: skip
    return issue


def _in_first_rounds(walk: Walk, access: Access) -> Access:
    """Where a loop's later rounds are not known exactly, `for (h = blockDim.x / 2; h > 0; h /= 2)`, the access in the first."""
    for _ in range(DEEPEST_LOOPS):
        changed = [atom for atom in free_symbols(access.offset) if atom in walk.first_rounds]
        if not changed:
            break
        first: dict[Term, Term] = {atom: walk.first_rounds[atom][0] for atom in changed}
        first |= {walk.first_rounds[atom][1]: number(0) for atom in changed}
        path = tuple(replace(c, term=substitute(c.term, first)) for c in access.path)
        access = replace(access, offset=substitute(access.offset, first), path=path)
    return access


def _unwritten(
    writes: list[Access], read: Access, terms: list[Term], decider: Decider
) -> tuple[Model | None, Confidence | None]:
    """A launch and an element that no thread that has stayed writes."""
    place = renamed(read.offset, "@1")
    for _ in range(ELEMENTS_TRIED):
        model, confidence, _ = decide_pair(decider, "read of what nobody wrote", terms)
        if model is None or not _survivor_writes(writes, read, terms, model, decider):
            return model, confidence
        terms = [*terms, negation(equal(place, number(model.value(place))))]
    return None, None


def _survivor_writes(writes: list[Access], read: Access, terms: list[Term], model: Model, decider: Decider) -> bool:
    """In this launch a thread that has stayed writes the element, too."""
    atoms = sorted(frozenset().union(*(free_symbols(term) for term in terms)), key=lambda atom: atom.digest)
    same = [equal(a, number(model.value(a))) for a in atoms if isinstance(a, Symbol) and a.scope in ("launch", "block")]
    same += [equal(v, number(model.value(v))) for v in contents_in(terms) if scope_of(v) in ("launch", "block")]
    place = number(model.value(renamed(read.offset, "@1")))
    for write in writes:
        if write.object is read.object:
            meets = integers.overlap(place, read.size, renamed(write.offset, "@2"), write.size)
            way = [renamed(conjunct.term, "@2") for conjunct in write.path]
            if decide_pair(decider, "written by a survivor", [*same, *way, meets])[0] is not None:
                return True
    return False


def _reads_of_exited(write: Access, read: Access) -> list[Term]:
    """Thread 1 reads what thread 2, which has left on its way there, would have written.

    Whether the threads part where a value was lost that they leave by, nobody knows.
    """
    leaving = [c.term for c in write.path if c.cause == "exit" and _differs_between_threads(c.term)]
    leaving = [term for term in leaving if not rests_on(term, APPROXIMATE_PREFIX)]
    terms = [renamed(c.term, "@1") for c in read.path]
    terms += [renamed(c.term, "@2") for c in write.path if c.cause != "exit"]
    terms.append(negation(conjunction(*(renamed(term, "@2") for term in leaving))))
    left, right = renamed(read.offset, "@1"), renamed(write.offset, "@2")
    return [*terms, integers.overlap(left, read.size, right, write.size)]


def _note(results: dict[Span, tuple[Verdict, Reason | None]], span: Span, violated: bool, decided: bool) -> None:
    before = results.get(span, (Verdict.SAFE, None))
    if violated:
        results[span] = (Verdict.VIOLATED, None)
    elif not decided and before[0] is Verdict.SAFE:
        results[span] = (Verdict.UNKNOWN, Reason.SOLVER_LIMIT)
    else:
        results[span] = before


def _diverges(visit: BarrierVisit, cause: str, decider: Decider) -> tuple[BarrierIssue | None, bool]:
    """One thread arrives, another of its block, or of any where all of the grid meet, does not because of `cause`."""
    issue, decided = _diverges_among(visit, cause, decider, same_block=True)
    if issue is not None or visit.point.kind != GRID:
        return issue, decided
    issue, among_blocks = _diverges_among(visit, cause, decider, same_block=False)
    return issue, decided and among_blocks


def _diverges_among(
    visit: BarrierVisit, cause: str, decider: Decider, same_block: bool
) -> tuple[BarrierIssue | None, bool]:
    causes = BRANCHES if cause == "branch" else ("exit",)
    dividing = [c for c in visit.path if c.cause in causes and _differs_between_threads(c.term, same_block)]
    if not dividing:
        return None, True
    if not same_block:
        if memory_values(*(c.term for c in visit.path), same_block=False):
            return None, False  # what blocks read at different times is not followed
        return _parted(visit, list(visit.path), dividing, cause, decider, same_block=False)
    contents = frozenset(varying_contents(decider, *(c.term for c in visit.path)))
    if contents:  # do they part even where both have read the same?
        common = [replace(c, term=loosened(c.term, contents)) for c in visit.path]
        parting = [replace(c, term=loosened(c.term, contents)) for c in dividing]
        issue, _ = _parted(visit, common, parting, cause, decider)
        if issue is not None:
            return issue, True
    issue, decided = _parted(visit, list(visit.path), dividing, cause, decider)
    return issue if issue is None or not contents else replace(issue, approximate=True), decided


def _parted(
    visit: BarrierVisit, path: list[Conjunct], dividing: list[Conjunct], cause: str, decider: Decider,
    same_block: bool = True,
) -> tuple[BarrierIssue | None, bool]:  # fmt: skip
    terms = [renamed(c.term, "@1", same_block) for c in path]
    terms += [renamed(c.term, "@2", same_block) for c in _still_there(path, cause)]
    terms.append(negation(conjunction(*(renamed(c.term, "@2", same_block) for c in dividing))))
    if cause == "branch" and visit.balanced:  # warps may meet at two barriers, lanes of one may not
        terms.append(negation(different_warps(decider)))
        cause = "split warp"
    if conjunction(*terms) is FALSE:
        return None, True
    model, confidence, decided = decide_pair(decider, f"{cause} divergence", terms, same_block)
    if model is not None and decider.place(model, "@1") == decider.place(model, "@2"):
        terms.append(different_threads(decider, same_block))  # one thread alone parts from itself in another round only
        model, confidence, decided = decide_pair(decider, f"{cause} divergence of two", terms, same_block)
    if model is None or confidence is None:
        return None, decided
    if confidence is Confidence.HIGH and decider.rests_on_files(*pair_facts(decider, terms, same_block), *terms):
        confidence = Confidence.MEDIUM
    _, assumptions = decider.relevant(*(c.term for c in visit.path))
    witness = witness_of_two(decider, model, visit.span, _SIDES)
    facts = tuple(dict.fromkeys(assumptions))
    inside = (
        visit.point.kind == COLLECTIVE
    )  # no run shows what a primitive does: it is enough that they part for certain
    approximate = is_approximate([c.term for c in dividing] if inside else terms)
    return BarrierIssue(visit.span, cause, witness, facts, confidence, approximate), True


def _still_there(path: list[Conjunct], cause: str) -> list[Conjunct]:
    """What is said of the thread that does not arrive: before its branch it took no exit, and passed the checks."""
    if cause == "exit":
        return []
    return [c for c in path if c.cause in ("exit", "check")]


def _differs_between_threads(term: Term, same_block: bool = True) -> bool:
    return renamed(term, "@1", same_block) is not renamed(term, "@2", same_block)
