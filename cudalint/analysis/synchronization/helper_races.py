"""Helpers with shared memory, of their own or given to them, that are called again before all threads have read the last result.

__device__ float block_sum(float v) { __shared__ float part[32]; ...; __syncthreads(); return part[lane]; }
a = block_sum(a);  b = block_sum(b);        // a fast warp writes part[w] of the second call while others read the first
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import islice, pairwise, product

from cudalint.analysis.synchronization.race_patterns import PAIR_LIMIT, Judge
from cudalint.analysis.synchronization.unordered_pairs import may_race
from cudalint.analysis.text.call_names import BARRIER
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.shared_events import Event, Events, shared_events
from cudalint.analysis.text.shared_names import declared_shared, handed_arrays
from cudalint.analysis.text.synchronising_functions import synchronising_functions
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.analysis.text.thread_text import LOOPS, thread_text
from cudalint.ir.syntax import Outline, Syntax, TextFunction


def repeated_helpers(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each helper that the file calls again without a barrier between."""
    if not any(word in outline.root.file.text for word in ("__shared__", "smem", "shared")):
        return
    synchronising = synchronising_functions(outline)
    every = list(bodies(program_of(outline), ("kernel", "device", "host")))
    names = [body.function.name for body in every]
    handed = handed_arrays(every)
    for body in every:
        own, given = declared_shared(body), handed.get(body.function.name, {})
        if body.function.role == "kernel" or not (own or given) or names.count(body.function.name) > 1:
            continue
        again = [(caller, *pair) for caller in every for pair in _called_again(body.function, caller, synchronising)]
        if not again:
            continue
        found = shared_events(body, own | given, synchronising)
        told = next(_told(body, again, _open_ends(found, body, own | given), own), None)
        if told is not None:
            yield told


def _told(
    body: Body, again: list[tuple[Body, Syntax, Syntax]], open_ends: Iterator[tuple[Event, Event]], own: Container[str]
) -> Iterator[GuardIssue]:
    """Where a later one of the calls comes to the memory of the one before it."""
    for late, early in open_ends:
        name = late.array.partition(".")[0]
        for caller, first, second in again:
            if name in own:
                same = _is_one_instance(body.function, first, second)
            else:
                place = body.scope.parameters.index(name)
                given, later = (_argument(call, place) for call in (first, second))
                same = given == later != "" and later not in caller.scope.grown
            if same:
                text = f"race on `{late.array}`: threads of the next call write it while others read here, with no barrier between"
                certain = not body.function.template or "<" in second.text.partition("(")[0] or name not in own
                yield GuardIssue(body.function, late.node, text, early.node, certain, (second,))


def _argument(call: Syntax, place: int) -> str:
    arguments = call.child("arguments")
    return arguments.children[place].bare if arguments is not None and place < len(arguments.children) else ""


def _open_ends(found: Events, body: Body, arrays: dict[str, bool]) -> Iterator[tuple[Event, Event]]:
    """What is read behind the last barrier and written before the first one, by different threads."""
    if not found.barriers:
        return
    judge = Judge(thread_text(body), found.loops)
    reads = [event for event in found.accesses if event.kind == "read" and event.barriers == found.count]
    writes = [event for event in found.accesses if event.kind == "write" and event.barriers == 0]
    pairs = (pair for pair in product(reads, writes) if may_race(*pair))
    for late, early in islice(pairs, PAIR_LIMIT):
        if judge.conflict(late, early, arrays[late.array.partition(".")[0]], body.function.body):
            yield late, early


def _called_again(
    helper: TextFunction, caller: Body, synchronising: frozenset[str]
) -> Iterator[tuple[Syntax, Syntax]]:  # fmt: skip
    """Calls that follow another one, or themselves in a loop, with nothing between that may synchronise."""
    name = helper.name
    if caller.function.body.text.count(name) == 0:
        return
    calls = [node for node in caller.nodes if _callee(node) == name]
    others = [node for node in caller.nodes if node not in calls and _may_order(node, name, synchronising)]
    for first, second in pairwise(calls):
        between = [node for node in others if first.end <= node.start < second.start]
        if not between and _block(first, caller) is _block(second, caller):
            yield first, second
    for call in calls:
        loop = next((parent for parent, _ in caller.ancestors(call) if parent.kind in LOOPS), None)
        if loop is not None and not any(loop.start <= node.start < loop.end for node in others):
            yield call, call


def _is_one_instance(helper: TextFunction, first: Syntax, second: Syntax) -> bool:
    """Each instance of a template has shared memory of its own; deduced ones that are spelled alike may be one."""
    callees = [node.child("function") for node in (first, second)]
    texts = [callee.bare for callee in callees if callee is not None]
    return not helper.template or texts[0] == texts[-1]


def _callee(node: Syntax) -> str:
    callee = node.child("function") if node.kind == "call_expression" else None
    return "" if callee is None else callee.text.partition("<")[0].rpartition("::")[2].strip()


def _may_order(node: Syntax, name: str, synchronising: frozenset[str]) -> bool:
    if node.kind == "identifier":
        return node.text.isupper() and BARRIER.search(node.text) is not None
    called = _callee(node)
    return bool(called) and called != name and (called in synchronising or BARRIER.search(called) is not None)


def _block(node: Syntax, body: Body) -> Syntax | None:
    return next((parent for parent, _ in body.ancestors(node) if parent.kind == "compound_statement"), None)
