"""Which barrier points two threads of a block stand at together."""

from __future__ import annotations

from cudalint.symbolic.model import BarrierPoint, Edge
from cudalint.symbolic.synchronization.pairs import Threads
from cudalint.symbolic.walk.execute import Walk

Node = tuple[BarrierPoint, BarrierPoint]


def reachable_nodes(walk: Walk, threads: Threads) -> list[Node]:
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
                if node not in nodes and _meet(walk, threads, first, second):
                    nodes[node] = None
                    work.append(node)
    return list(nodes)


def _meet(walk: Walk, threads: Threads, first: Edge, second: Edge) -> bool:
    """Whether one thread can arrive at one barrier while another arrives at the other."""
    if walk.exit in (first.target, second.target) or first.target.kind != second.target.kind:
        return False
    if first.target is second.target:
        return True
    return not threads.excludes("meet", [threads.first(first.cond), threads.second(second.cond)])
