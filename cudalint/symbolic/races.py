"""Data races in shared memory: two threads of a block, one barrier interval (SEMANTICS 10 to 14).

Nodes are pairs of barrier points, one for each thread. From a node all accesses that both reach without another barrier may race,
under both path conditions; edges lead to the barriers that they meet next.
"""

from __future__ import annotations

from dataclasses import dataclass

from cudalint.finding import Confidence, Reason, Related, ThreadAccess, Verdict, Witness
from cudalint.symbolic import integers
from cudalint.symbolic.decide import Decider
from cudalint.symbolic.execute import Walk
from cudalint.symbolic.model import (
    Access,
    Analysis,
    BarrierPoint,
    Edge,
    MemoryObject,
    Obligation,
    Race,
    scope_of,
)
from cudalint.symbolic.pairs import decide_pair, different_threads, different_warps, is_approximate, renamed
from cudalint.symbolic.query import Model
from cudalint.term import FALSE, TRUE, Term, conjunction, number, quotient

Node = tuple[BarrierPoint, BarrierPoint]
PAIR_LIMIT = 4000


@dataclass(slots=True)
class _Found:
    node: Node
    race: Race


def find_races(walk: Walk, decider: Decider, analysis: Analysis) -> None:
    """Fill `analysis.races` with one race per missing barrier, and a result per array."""
    nodes = _reachable_nodes(walk, decider)
    shared = [o for o in dict.fromkeys(a.object for a in walk.accesses) if o.memory == "shared"]
    found: list[_Found] = []
    for array in shared:
        accesses = [a for a in walk.accesses if a.object is array]
        races, reason = _races_of(array, accesses, nodes, decider)
        found += races
        verdict = Verdict.VIOLATED if races else (Verdict.SAFE if reason is None else Verdict.UNKNOWN)
        analysis.sync_results.append(_result(array, accesses[0], verdict, reason))
    analysis.races += _one_per_barrier(found)


def _result(array: MemoryObject, first: Access, verdict: Verdict, reason: Reason | None) -> Obligation:
    return Obligation(
        "race", "access", array, first.span, (), TRUE, number(0), None, 1, root=f"{array.name}:race",
        verdict=verdict, reason=reason,
    )  # fmt: skip


# --- which barrier points two threads stand at together ----------------------------------------------------------------


def _reachable_nodes(walk: Walk, decider: Decider) -> list[Node]:
    edges: dict[BarrierPoint, list[Edge]] = {}
    for edge in walk.edges:
        edges.setdefault(edge.source, []).append(edge)
    nodes: dict[Node, None] = {(root, root): None for root in walk.roots}
    work = list(nodes)
    while work:
        p, q = work.pop()
        for first in edges.get(p, []):
            for second in edges.get(q, []):
                node = (first.target, second.target)
                if node not in nodes and _meet(walk, decider, first, second):
                    nodes[node] = None
                    work.append(node)
    return list(nodes)


def _meet(walk: Walk, decider: Decider, first: Edge, second: Edge) -> bool:
    """Whether one thread can arrive at one barrier while another arrives at the other."""
    if walk.exit in (first.target, second.target) or first.target.kind != second.target.kind:
        return False
    if first.target is second.target:
        return True
    terms = [renamed(first.cond, "@1"), renamed(second.cond, "@2")]
    model, _, decided = decide_pair(decider, "meet", terms)
    return model is not None or not decided


# --- pairs of accesses --------------------------------------------------------------------------------------------------


def _races_of(
    array: MemoryObject, accesses: list[Access], nodes: list[Node], decider: Decider
) -> tuple[list[_Found], Reason | None]:
    by_point: dict[BarrierPoint, list[tuple[Access, Term]]] = {}
    for access in accesses:
        for point, cond in access.phases:
            if cond is not FALSE:
                by_point.setdefault(point, []).append((access, cond))
    found: list[_Found] = []
    settled: set[tuple[object, ...]] = set()
    reason: Reason | None = None
    asked = 0
    for node in nodes:
        for first, first_cond in by_point.get(node[0], []):
            for second, second_cond in by_point.get(node[1], []):
                if not _may_conflict(first, second) or _key(first, second) in settled:
                    continue
                if first.order == second.order == "volatile":
                    reason = reason or Reason.UNMODELLED  # warp-synchronous code: neither a race nor free of one
                    continue
                asked += 1
                if asked > PAIR_LIMIT:
                    return found, Reason.SIZE_LIMIT
                race, decided = _compare(array, first, first_cond, second, second_cond, decider)
                if not decided:
                    reason = Reason.SOLVER_LIMIT
                if race is not None:
                    settled.update((_key(first, second), _key(second, first)))
                    found.append(_Found(node, race))
    return found, reason


def _key(a: Access, b: Access) -> tuple[object, ...]:
    return a.span, a.kind, b.span, b.kind


def _may_conflict(a: Access, b: Access) -> bool:
    return (a.kind, b.kind) not in (("read", "read"), ("atomic", "atomic"))


def _compare(
    array: MemoryObject, a: Access, a_cond: Term, b: Access, b_cond: Term, decider: Decider
) -> tuple[Race | None, bool]:
    if _same_value(a, b, ("launch", "block")):
        return None, True
    terms = [renamed(c.term, "@1") for c in a.path] + [renamed(c.term, "@2") for c in b.path]
    terms += [renamed(a_cond, "@1"), renamed(b_cond, "@2"), different_threads(decider)]
    left, right = renamed(a.offset, "@1"), renamed(b.offset, "@2")
    terms.append(integers.overlap(left, a.size, right, b.size))
    if a.warp_epoch != b.warp_epoch or _same_value(a, b, ("warp",)):
        terms.append(different_warps(decider))
    if conjunction(*terms) is FALSE:
        return None, True
    model, confidence, decided = decide_pair(decider, "race", terms)
    if model is None or confidence is None:
        return None, decided
    return _race(array, a, b, left, right, model, confidence, terms, decider), True


def _same_value(a: Access, b: Access, scopes: tuple[str, ...]) -> bool:
    """Both store one and the same value, equal for all threads of a scope: benign (SEMANTICS 16)."""
    if a.kind != "write" or b.kind != "write" or a.value is None:
        return False
    return a.value is b.value and scope_of(a.value) in scopes


def _race(
    array: MemoryObject, a: Access, b: Access, left: Term, right: Term, model: Model, confidence: Confidence,
    terms: list[Term], decider: Decider,
) -> Race:  # fmt: skip
    if decider.rests_on_contents(left) or decider.rests_on_contents(right):
        confidence = Confidence.LOW
    sides: list[ThreadAccess] = []
    for access, offset, suffix in ((a, left, "@1"), (b, right, "@2")):
        block, thread = decider.place(model, suffix)
        index = model.value(quotient(offset, number(access.size)))
        sides.append(ThreadAccess(block, thread, access.kind, access.span.path, access.span.line, index))
    witness = Witness(
        launch=decider.shape(model),
        values=decider.input_values(model),
        block=sides[0].block,
        thread=sides[0].thread,
        threads=tuple(sides),
        index=sides[0].index,
    )
    _, assumptions = decider.relevant(*(c.term for c in (*a.path, *b.path)), a.offset, b.offset)
    return Race(array, a, b, witness, tuple(dict.fromkeys(assumptions)), confidence, is_approximate(terms))


def _one_per_barrier(found: list[_Found]) -> list[Race]:
    """Pairs that meet in one barrier interval are one race, told by its first pair (SEMANTICS 9)."""
    groups: dict[Node, list[Race]] = {}
    seen: set[frozenset[object]] = set()
    for item in sorted(found, key=lambda f: _priority(f.race)):
        spans = frozenset((item.race.first.span, item.race.second.span))
        if spans in seen:
            continue
        seen.add(spans)
        groups.setdefault(item.node, []).append(item.race)
    return [_grouped(races) for races in groups.values()]


def _priority(race: Race) -> tuple[object, ...]:
    spans = sorted((race.first.span, race.second.span))
    rank = {Confidence.HIGH: 0, Confidence.MEDIUM: 1, Confidence.LOW: 2}[race.confidence]
    return race.approximate, rank, *spans


def _grouped(races: list[Race]) -> Race:
    first = races[0]
    spans = {first.first.span, first.second.span}
    related: dict[object, Related] = {}
    for race in races[1:]:
        for access in (race.first, race.second):
            if access.span not in spans:
                text = f"{access.kind} of `{race.object.name}` in the same barrier interval"
                related.setdefault(access.span, Related(access.span, text))
    return Race(
        first.object, first.first, first.second, first.witness, first.facts, first.confidence, first.approximate,
        tuple(related.values()),
    )  # fmt: skip
