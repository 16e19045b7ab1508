"""Barriers that the text shows under a condition on which the threads of a block differ, for functions that have no IR."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.call_names import WHOLE_BARRIER
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.launch_text import launches_of, text_launches
from cudalint.analysis.text.shared_events import Guard, shared_events
from cudalint.analysis.text.synchronising_functions import synchronising_functions
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.analysis.text.thread_text import LOOPS, THREAD, UNIFORM, ThreadText, thread_text
from cudalint.ir.syntax import Outline, Syntax

_ROUNDED = re.compile(r"/|round(ed|_?up)|align|pad|ceil|next_|pow|full|aligned|multiple", re.IGNORECASE)
_AXIS = re.compile(r"threadIdx\.([xyz])")
_PLAIN = re.compile(r"\(?threadIdx\.[xyz]\)?")
_NUMBER_IN_GRID = re.compile(r"(blockIdx\.x\*blockDim\.x\+|blockDim\.x\*blockIdx\.x\+)?threadIdx\.x")
_STATES = re.compile(r"assert|__builtin_assume|\w*(ASSERT|CHECK|ASSUME)\w*|__requires")
_DIVIDED = re.compile(r"(\w+)\s*%")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def divergent_barriers(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each condition under which a barrier stands."""
    if "__syncthreads" not in outline.root.file.text:
        return
    synchronising = synchronising_functions(outline)
    behind = _barriers_behind(outline, synchronising)
    program = program_of(outline)
    flat = _flat_axes(program)
    for body in bodies(program, ("kernel", "device", "host")):
        events = shared_events(body, frozenset(), synchronising)
        if not events.barriers:
            continue
        threads = thread_text(body, reads_alike=True)
        name = body.function.name.rpartition("::")[2]
        one, counted = (
            flat.get(name, frozenset()),
            _counted_by_launches(threads.scope.parameters, launches_of(name, program)),
        )
        whole = _whole_rows(body)
        seen: set[int] = set()
        for node, guards in events.barriers:
            parting = (g for g in guards if _holds(g, node) and _parts_threads(g, threads, synchronising))
            parting = (g for g in parting if not _is_for_all(g, counted, threads) and not _is_of_whole(g, whole))
            guard = next((g for g in parting if not _is_along(g, one, threads)), None)
            if guard is not None and id(guard.owner) not in seen:
                seen.add(id(guard.owner))
                text = "not all threads of the block reach this barrier: they differ on the condition around it"
                reached = behind.get(_callee(node), ())
                yield GuardIssue(body.function, node, text, guard.condition, _is_certain(guard, threads), reached)


def _flat_axes(program: Program) -> dict[str, frozenset[str]]:
    """By kernel: the sides of the block that every launch in the file leaves out, with the other sides in sight."""
    found: dict[str, frozenset[str]] = {}
    for launch in text_launches(program):
        sides = zip("xyz", launch.block)
        flat = frozenset(axis for axis, side in sides if side is None) if launch.block[0] is not None else frozenset()
        found[launch.kernel] = found.get(launch.kernel, flat) & flat
    return found


def _counted_by_launches(parameters: tuple[str, ...], launches: list[TextLaunch]) -> frozenset[str]:
    """The parameters that are given the number of threads of the only block: `k<<<1, n>>>(n, ...)`, in every launch."""
    found = dict(enumerate(parameters)) if launches else {}
    for launch in launches:
        one = (
            launch.grid[0] is not None and launch.grid[0].text == "1" and not any((*launch.grid[1:], *launch.block[1:]))
        )
        threads = launch.block[0].text if one and launch.block[0] is not None else None
        given = {place for place, argument in enumerate(launch.arguments) if argument.text == threads}
        found = {place: name for place, name in found.items() if place in given}
    return frozenset(found.values())


def _is_for_all(guard: Guard, counted: frozenset[str], threads: ThreadText) -> bool:
    """`i < n` where i numbers the threads of the one block, and there are n of them."""
    left, right = guard.condition.child("left"), guard.condition.child("right")
    if not guard.holds or guard.condition.op != "<" or left is None or right is None or right.text not in counted:
        return False
    return _NUMBER_IN_GRID.fullmatch(re.sub(r"[\s()]|\(\w+\)", "", threads.spelled(left))) is not None


def _whole_rows(body: Body) -> frozenset[str]:
    """The sizes of which the function itself states a divisor: `assert(n % 64 == 0)`."""
    stated = (node.text for node in body.nodes if _STATES.fullmatch(_callee(node)))
    return frozenset(name for text in stated for name in _DIVIDED.findall(text))


def _is_of_whole(guard: Guard, whole: frozenset[str]) -> bool:
    """A loop up to such a size: whether each thread has as many rounds hangs on the block."""
    named = (n.text for n in guard.condition.walk() if n.kind == "identifier")
    return guard.owner.kind in LOOPS and not whole.isdisjoint(named)


def _is_along(guard: Guard, flat: frozenset[str], threads: ThreadText) -> bool:
    """The condition tells threads apart on sides of the block that are one thread wide, and on no other."""
    axes = set(_AXIS.findall(threads.spelled(guard.condition)))
    return bool(axes) and axes <= flat


def _barriers_behind(outline: Outline, synchronising: frozenset[str]) -> dict[str, tuple[Syntax, ...]]:
    """The barriers that a call of these functions reaches, in the functions of that name themselves."""
    found: dict[str, tuple[Syntax, ...]] = {}
    for function in outline.functions:
        if function.name in synchronising:
            barriers = tuple(node for node in function.body.walk() if WHOLE_BARRIER.match(_callee(node)))
            found[function.name] = found.get(function.name, ()) + barriers
    return found


def _callee(node: Syntax) -> str:
    callee = node.child("function") if node.kind == "call_expression" else None
    return "" if callee is None else callee.text.partition("<")[0]


def _is_certain(guard: Guard, threads: ThreadText) -> bool:
    """Of loops only those that go on by one element for each thread: elsewhere the launch may fit the size."""
    if guard.owner.kind not in LOOPS:
        return True
    start = guard.owner.child("initializer")
    counters = [n for n in guard.condition.walk() if n.kind == "identifier" and threads.counter(n) is not None]
    found = [counter for name in counters if (counter := threads.counter(name)) is not None]
    plain = any(_PLAIN.fullmatch(threads.spelled(counter.init)) and "*" not in counter.step for counter in found)
    return start is not None and plain


def _holds(guard: Guard, barrier: Syntax) -> bool:
    """The barrier stands inside the statement, not behind one that left."""
    return guard.owner.start <= barrier.start and barrier.end <= guard.owner.end


def _parts_threads(guard: Guard, threads: ThreadText, synchronising: frozenset[str]) -> bool:
    if guard.owner.kind in LOOPS:
        return any(_ends_apart(part, threads) for part in _alternatives(guard.condition, "&&"))
    if guard.owner.kind != "if_statement" or _is_balanced(guard.owner, synchronising):
        return False
    parts = _alternatives(guard.condition, "&&" if guard.holds else "||")
    return any(_differs(part, threads) for part in parts)


def _alternatives(condition: Syntax, join: str) -> list[Syntax]:
    if condition.kind == "binary_expression" and condition.op == join:
        return [part for child in condition.children for part in _alternatives(child, join)]
    return [condition]


def _is_balanced(statement: Syntax, synchronising: frozenset[str]) -> bool:
    branches = [statement.child("consequence"), statement.child("alternative")]
    return all(branch is not None and _synchronises(branch, synchronising) for branch in branches)


def _synchronises(node: Syntax, synchronising: frozenset[str]) -> bool:
    return any(WHOLE_BARRIER.match(_callee(inner)) or _callee(inner) in synchronising for inner in node.walk())


def _differs(condition: Syntax, threads: ThreadText) -> bool:
    """A place in the block is compared with what does not depend on it."""
    if condition.kind == "unary_expression" and condition.op == "!" and condition.children:
        return threads.kind(condition.children[0]) == THREAD
    sides = _compared(condition, threads)
    if sides is None or "threadIdx" in threads.spelled(sides[1]):
        return False
    return condition.op not in ("<", ">=") or not _tells_rounds(*sides, threads)


def _tells_rounds(counter: Syntax, other: Syntax, threads: ThreadText) -> bool:
    """`i >= WIDTH` where i begins at the thread's place and goes on by WIDTH: it is false in the first round, and then true.

    A loop that goes on by so many has a thread for each of them.
    """
    found = threads.counter(counter) if counter.kind == "identifier" else None
    if found is None or not _PLAIN.fullmatch(threads.spelled(found.init)):
        return False
    width = re.sub(r"\s", "", other.text)
    return found.step in (f"{counter.text}+={width}", f"{counter.text}={counter.text}+{width}")


def _compared(condition: Syntax, threads: ThreadText) -> tuple[Syntax, Syntax] | None:
    """(the side that differs between threads, the other one)"""
    left, right = condition.child("left"), condition.child("right")
    if condition.kind != "binary_expression" or condition.op not in _COMPARISONS or left is None or right is None:
        return None
    if threads.kind(left) == THREAD != threads.kind(right):
        return left, right
    return (right, left) if threads.kind(right) == THREAD != threads.kind(left) else None


def _ends_apart(condition: Syntax, threads: ThreadText) -> bool:
    """A loop that starts at the thread's place and ends at a size that nothing rounds up to whole blocks."""
    sides = _compared(condition, threads)
    if sides is None or sides[0].kind != "identifier" or threads.counter(sides[0]) is None:
        return False
    bound = threads.spelled(sides[1])
    constant = threads.kind(sides[1]) == UNIFORM and not _names_input(sides[1], threads)
    return "threadIdx" not in bound and not _ROUNDED.search(bound) and not constant


def _names_input(bound: Syntax, threads: ThreadText) -> bool:
    """A kernel's argument decides the bound."""
    scope = threads.scope
    pending, seen = [n.text for n in bound.walk() if n.kind == "identifier"], set()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in scope.parameters:
            return True
        pending += [n.text for value in scope.values.get(name, ()) for n in value.walk() if n.kind == "identifier"]
    return False
