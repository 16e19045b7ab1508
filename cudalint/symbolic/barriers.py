"""Barriers that some threads of a block do not reach: divergence, and exits before a barrier (SEMANTICS 12 and 15)."""

from __future__ import annotations

from cudalint.finding import Confidence, Reason, ThreadAccess, Verdict, Witness
from cudalint.source import Span
from cudalint.symbolic.decide import Decider
from cudalint.symbolic.execute import Walk
from cudalint.symbolic.model import Analysis, BarrierIssue, BarrierVisit, Conjunct, Obligation
from cudalint.symbolic.pairs import decide_pair, is_approximate, renamed
from cudalint.symbolic.query import Model
from cudalint.term import FALSE, TRUE, Term, conjunction, negation, number

BRANCHES = ("branch", "loop")


def find_divergence(walk: Walk, decider: Decider, analysis: Analysis) -> None:
    """Fill `analysis.barriers` with one issue per barrier statement and cause, and a result per barrier."""
    reported: set[tuple[Span, str]] = set()
    results: dict[Span, tuple[Verdict, Reason | None]] = {}
    for visit in walk.visits:
        for cause in ("branch", "exit"):
            if (visit.span, cause) in reported or (cause == "branch" and visit.balanced):
                continue
            issue, decided = _diverges(visit, cause, decider)
            if issue is not None:
                reported.add((visit.span, cause))
                analysis.barriers.append(issue)
            if cause == "branch":
                _note(results, visit.span, issue is not None, decided)
    for span, (verdict, reason) in results.items():
        analysis.sync_results.append(
            Obligation(
                "divergence", "barrier", None, span, (), TRUE, number(0), None, 1, verdict=verdict, reason=reason
            )
        )


def _note(results: dict[Span, tuple[Verdict, Reason | None]], span: Span, violated: bool, decided: bool) -> None:
    before = results.get(span, (Verdict.SAFE, None))
    if violated:
        results[span] = (Verdict.VIOLATED, None)
    elif not decided and before[0] is Verdict.SAFE:
        results[span] = (Verdict.UNKNOWN, Reason.SOLVER_LIMIT)
    else:
        results[span] = before


def _diverges(visit: BarrierVisit, cause: str, decider: Decider) -> tuple[BarrierIssue | None, bool]:
    """One thread arrives, another of its block does not because of `cause`."""
    causes = BRANCHES if cause == "branch" else ("exit",)
    dividing = [c for c in visit.path if c.cause in causes and _differs_between_threads(c.term)]
    if not dividing:
        return None, True
    terms = [renamed(c.term, "@1") for c in visit.path]
    terms += [renamed(c.term, "@2") for c in _still_there(visit.path, cause)]
    missing: Term = negation(conjunction(*(renamed(c.term, "@2") for c in dividing)))
    terms.append(missing)
    if conjunction(*terms) is FALSE:
        return None, True
    model, confidence, decided = decide_pair(decider, f"{cause} divergence", terms)
    if model is None or confidence is None:
        return None, decided
    if decider.rests_on_contents(missing):
        confidence = Confidence.LOW
    _, assumptions = decider.relevant(*(c.term for c in visit.path))
    witness = _witness(visit, model, decider)
    facts = tuple(dict.fromkeys(assumptions))
    return BarrierIssue(visit.span, cause, witness, facts, confidence, is_approximate(terms)), True


def _still_there(path: tuple[Conjunct, ...], cause: str) -> list[Conjunct]:
    """What is said of the thread that does not arrive: before its branch it took no exit, and passed the checks."""
    if cause == "exit":
        return []
    return [c for c in path if c.cause in ("exit", "check")]


def _differs_between_threads(term: Term) -> bool:
    return renamed(term, "@1") is not renamed(term, "@2")


def _witness(visit: BarrierVisit, model: Model, decider: Decider) -> Witness:
    sides: list[ThreadAccess] = []
    for suffix, kind in (("@1", "waits"), ("@2", "does not arrive")):
        block, thread = decider.place(model, suffix)
        sides.append(ThreadAccess(block, thread, kind, visit.span.path, visit.span.line))
    return Witness(
        launch=decider.shape(model),
        values=decider.input_values(model),
        block=sides[0].block,
        thread=sides[0].thread,
        threads=tuple(sides),
    )
