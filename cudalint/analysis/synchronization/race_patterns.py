"""Races on shared memory that the text shows: no barrier stands between two accesses of different threads to one element.

For functions that have no IR. Any call that may synchronise counts as a barrier, wherever it stands; two accesses are of different
threads where one is made by a single thread and the other by all, or where one thread's element is what another reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from cudalint.analysis.synchronization.common_parameters import is_common, pointer_parameters
from cudalint.analysis.synchronization.places_of_data import meet_by_data
from cudalint.analysis.synchronization.unordered_pairs import alike, excluded, may_race, unordered_pairs
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.shared_events import (
    Event,
    Events,
    Guard,
    LoopSpan,
    shared_events,
)
from cudalint.analysis.text.shared_names import handed_arrays, shared_arrays, shared_rows
from cudalint.analysis.text.synchronising_functions import synchronising_functions
from cudalint.analysis.text.text_program import Body, constant_value, program_of
from cudalint.analysis.text.thread_text import LOOPS, THREAD, UNIFORM, UNKNOWN, ThreadText, thread_text
from cudalint.analysis.text.thread_trial import (
    MOST_THREADS,
    ONE_WARP,
    WARP,
    WIDE,
    Trial,
    Unknown,
    Values,
    modes_of,
    parted,
    rounds_of,
    taken_away,
    trials_of,
)
from cudalint.ir.syntax import Outline, Syntax

_REDUCTION = re.compile(r"\)\s*\.\s*(Reduce|Sum)$")
_IN_GROUP = re.compile(r"threadIdx\s*\.\s*x\W*[%&]\W*(?!(32|31|0x1[fF])\b)(?!\w*warp)\w+\W*$", re.IGNORECASE)
_OWN_NUMBER = re.compile(r"\(*threadIdx\s*\.\s*x\)*")
_OWN_PLACE = re.compile(r"\(*threadIdx\s*\.\s*([xy])\)*")
_COORDINATE = re.compile(r"threadIdx\s*\.\s*(\w)")
_SHIFTED = re.compile(r"\((.*)\+(\d+)\)")
_OF_THREAD = re.compile(r"thread|lane|warp|rank|elect|leader|master|tid|first|own", re.IGNORECASE)
_OF_ONE = re.compile(
    r"(is|if|last|first|one|single)_?(\w*_)?(thread|lane)(?!s)|(?<![a-z])elect(ed)?(?![a-z])|leader|is_?master",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_OF_BLOCK = re.compile(r"threadIdx|warp_?(id|idx|index|rank|num)|meta_group_rank|this_thread_block", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Za-z_]\w*\b")
Places = dict[tuple[int | None, ...], set[tuple[int, int]]]  # the threads that come to each element
EVENT_LIMIT = 400
PAIR_LIMIT = 400  # comparisons of one function


@dataclass(frozen=True, slots=True)
class SharedRace:
    """Two accesses; `loop` is the one whose rounds meet."""

    issue: GuardIssue
    loop: Syntax | None


def shared_races(outline: Outline) -> Iterator[SharedRace]:
    """At most one race of an array in one interval and one across the rounds of a loop, per function."""
    if not any(word in outline.root.file.text for word in ("shared", "smem", "sync")):
        return
    synchronising = synchronising_functions(outline)
    every = list(bodies(program_of(outline), ("kernel", "device", "host")))
    handed = handed_arrays(every)
    for body in every:
        arrays = shared_arrays(body, handed)
        arrays |= _common_parameters(body, synchronising, arrays)
        if not arrays or _waits_for_others(body, arrays):
            continue
        found = shared_events(body, arrays, synchronising, shared_rows(body, arrays))
        if len(found.accesses) > EVENT_LIMIT:
            continue
        judge = Judge(thread_text(body), found.loops, _is_of_one_warp(body, found))
        reported: set[tuple[str, bool]] = set()
        for event in found.accesses:
            if judge.is_reduction_of_all(event) and (event.array, False) not in reported:
                reported.add((event.array, False))
                text = f"race on `{event.array}`: all threads write, and only the first one has the result of the reduction"
                yield SharedRace(GuardIssue(body.function, event.node, text, event.value), None)
        for a, b, loop, across_warps in islice(unordered_pairs(found, body), PAIR_LIMIT):
            known = a.array, loop is not None
            volatile = arrays[a.array.partition(".")[0]]
            if known not in reported and judge.conflict(a, b, volatile, loop, across_warps):
                reported.add(known)
                yield _race(body, a, b, loop)


def _common_parameters(body: Body, synchronising: frozenset[str], known: dict[str, bool]) -> dict[str, bool]:
    """Parameters of a device function that its threads have in common, whatever callers give; and whether they are volatile."""
    given = pointer_parameters(body, known)
    found = shared_events(body, given, synchronising) if given else Events()
    if found.count == len(found.of_warp):
        return {}
    judge = Judge(thread_text(body), found.loops)
    return {name: volatile for name, volatile in given.items() if is_common(name, found, judge)}


def _is_of_one_warp(body: Body, found: Events) -> bool:
    """A device function that is given its lane, names no thread of the block, and has barriers of the warp alone."""
    by_warp = bool(found.of_warp) and found.count == len(found.of_warp | found.perhaps)
    return by_warp and body.function.role == "device" and not _OF_BLOCK.search(body.function.body.text)


def _waits_for_others(body: Body, arrays: dict[str, bool]) -> bool:
    """`while (!ready) ;` of a volatile flag: threads go on when others tell them to, which no text shows."""
    conditions = [node.child("condition") for node in body.nodes if node.kind in ("while_statement", "do_statement")]
    named = {part.text for cond in conditions if cond is not None for part in cond.walk() if part.kind == "identifier"}
    return any(volatile and name in named for name, volatile in arrays.items())


def _race(body: Body, a: Event, b: Event, loop: Syntax | None) -> SharedRace:
    between = "no barrier stands between" if loop is None else "in the next round no barrier stands between"
    text = f"race on `{a.array}`: {between} this {a.kind} and the {b.kind} at line {b.node.place[0]} by other threads"
    return SharedRace(GuardIssue(body.function, a.node, text, b.node), loop)


def last_of(loop: Syntax) -> Syntax | None:
    """The last statement of its body."""
    body = loop.child("body")
    return body.children[-1] if body is not None and body.kind == "compound_statement" and body.children else body


class Judge:
    """Whether two accesses of one interval are of different threads and meet at an element, in every trial."""

    def __init__(self, threads: ThreadText, loops: list[LoopSpan], of_one_warp: bool = False) -> None:
        self.threads = threads
        self.of_one_warp = of_one_warp
        self.with_barrier = frozenset(id(s.node) for s in loops if s.first_barrier != s.last_barrier)
        self._known: dict[object, Places] = {}

    def conflict(
        self, a: Event, b: Event, volatile: bool, loop: Syntax | None = None, across_warps: bool = False
    ) -> bool:
        """`loop`: `a` is of one round of it, `b` of the next; `across_warps`: only threads of two warps are not in order."""
        a, b = alike(a, b)
        if not may_race(a, b) or len(a.indices) != len(b.indices):
            return False
        if "write" not in (a.kind, b.kind) and (loop is not None or not self._collects(b)):
            return False
        if loop is not None and not all(self.threads.is_settled(index, loop) for index in (*a.indices, *b.indices)):
            return False
        if (a.node is b.node and loop is None) or excluded(a, b) or self._is_harmless(a, b):
            return False
        if self._meet_in_groups(a, b) or (self.is_of_all(a) and self.is_of_all(b)):
            return False
        if volatile and all(self.owner(event) is None for event in (a, b)):
            if not self.threads.is_kernel:
                return False
            across_warps = True  # the old way to synchronise a warp
        if self._is_transposed(a, b) and not across_warps:
            return True
        flat = self.of_one_warp or not any(
            "threadIdx.y" in self.threads.spelled(part) for e in (a, b) for part in _spoken(e)
        )
        modes = modes_of(self.threads, (guard.condition for e in (a, b) for guard in e.guards if guard.holds))
        named = self._named_threads(a, b)
        if loop is None and self._is_of_one_unknown(a, b):
            return False
        for trials in (ONE_WARP,) if self.of_one_warp else (trials_of(flat, named), () if flat else WIDE):
            met = 0
            for trial in self._with_parted([replace(trial, modes=modes) for trial in trials], a, b):
                found = self._meet(a, b, trial, loop, across_warps)
                if found is False and trial.count > named:
                    return False
                met += found is True
            if met:  # else nobody comes there in rows of one warp
                return met > 1
        return False

    def _with_parted(self, trials: list[Trial], a: Event, b: Event) -> list[Trial]:
        """The trials, and those in which sizes differ whose difference the elements hang on."""
        names = set().union(*(taken_away(index, self.threads) for e in (a, b) for index in e.indices))
        return [*trials, *(parted(trial, names) for trial in trials)] if names else trials

    def _is_of_one_unknown(self, a: Event, b: Event) -> bool:
        """Both are of the one thread that passes a guard, and which thread that is the text does not tell."""
        owner, other = self.owner(a), self.owner(b)
        if owner is None or owner is not other:
            return False
        values = Values(self.threads, trials_of(False, 0)[0], 0, 0)
        return values.passes(owner.condition, owner.holds) is None

    def _named_threads(self, a: Event, b: Event) -> int:
        """The largest number that conditions and elements have beside that of the thread."""
        spelled = [
            text for event in (a, b) for part in _spoken(event) if "threadIdx" in (text := self.threads.spelled(part))
        ]
        constants = self.threads.scope.outline.constants
        named = [constants.get(word, 0) for text in spelled for word in _NAME.findall(text)]
        named += [int(number) for text in spelled for number in _NUMBER.findall(text)]
        return max((min(number, MOST_THREADS - 1) for number in named if number <= MOST_THREADS), default=0)

    def _is_transposed(self, a: Event, b: Event) -> bool:
        """`s[row][threadIdx.x]` beside `s[threadIdx.x][column]`: each thread goes across what others have."""
        if len(a.indices) != 2 or any(self.owner(event) is not None for event in (a, b)):
            return False
        (first, second), (third, fourth) = ([self.threads.spelled(index) for index in e.indices] for e in (a, b))
        for own, across, rows, columns in ((second, third, first, fourth), (first, fourth, second, third)):
            if _OWN_NUMBER.fullmatch(own) and own == across and own not in (rows, columns):
                return any("loop<" in each or "threadIdx.y" in each for each in (rows, columns))
        return False

    def is_reduction_of_all(self, event: Event) -> bool:
        """`shared = BlockReduce(storage).Sum(x);`: what cub gives to other threads than the first is not defined."""
        callee = None if event.value is None else event.value.child("function")
        reduction = event.kind == "write" and callee is not None and _REDUCTION.search(callee.text) is not None
        return reduction and all(self.threads.kind(index) == UNIFORM for index in event.indices)

    def _is_harmless(self, a: Event, b: Event) -> bool:
        """Their indices are spelled alike and differ between threads, or all threads write one value."""
        spelled = [[self.threads.spelled(index) for index in event.indices] for event in (a, b)]
        kinds = {self.threads.kind(index) for index in (*a.indices, *b.indices)}
        owners = {id(owner.condition) for owner in map(self.owner, (a, b)) if owner is not None}
        if spelled[0] == spelled[1] and kinds - {UNIFORM} and len(owners) < 2:
            return not self._is_of_one_row(a, b, spelled[0])
        writes = [event for event in (a, b) if event.kind == "write" or event.value is not None]
        if len(writes) == 2 and len(a.indices) == 1 and self._apart(a.indices[0], b.indices[0]) >= WARP:
            return True  # `s[t] = 0; s[t + 32] = 0;`: a block has no more threads than that
        values = {None if e.value is None else self.threads.spelled(e.value) for e in writes}
        if len(writes) == 2 and len(values) == 1 and None not in values:
            return True
        plain = [event for event in writes if event.kind == "write"]
        return any(self._is_common(write) for write in plain) and len(plain) == 1

    def _apart(self, first: Syntax, second: Syntax) -> int:
        """How far two elements lie from each other whose indices differ by a constant alone, else 0."""
        (base, shift), (other, more) = map(self._shifted, (first, second))
        return abs(shift - more) if base == other else 0

    def _shifted(self, index: Syntax) -> tuple[str, int]:
        """The index without the constant that is added to it, and that constant."""
        if index.kind == "parenthesized_expression" and len(index.children) == 1:
            return self._shifted(index.children[0])
        if index.kind == "binary_expression" and index.op == "+" and len(index.children) == 2:
            known = self.threads.scope.outline.constants
            for base, shift in (index.children, index.children[::-1]):
                value = constant_value(shift, known)
                if value is not None:
                    return self.threads.spelled(base), value
        return self.threads.spelled(index), 0

    def _is_of_one_row(self, a: Event, b: Event, indices: list[str]) -> bool:
        """`if (threadIdx.y == 0) s[threadIdx.x] = x;`: one row makes it for the threads of all rows; or one column for all."""
        given = [owner for owner in map(self.owner, (a, b)) if owner is not None]
        named = "".join(self.threads.spelled(part) for owner in given for part in self._alone(owner))
        sides = [_OWN_PLACE.fullmatch(_SHIFTED.sub(r"\1", index)) for index in indices]
        across = {"xy".replace(side[1], "") for side in sides if side is not None}
        asked = set(_COORDINATE.findall(named))
        return len(given) == 1 and None not in sides and len(across) == 1 and asked == across

    def _meet_in_groups(self, a: Event, b: Event) -> bool:
        """Only threads of equal number in their groups meet, and how many groups a block has is not known."""
        varied = [
            {self.threads.spelled(i), self.threads.spelled(j)}
            for i, j in zip(a.indices, b.indices)
            if {self.threads.kind(i), self.threads.kind(j)} != {UNIFORM}
        ]
        return bool(varied) and all(len(each) == 1 and _IN_GROUP.search(min(each)) for each in varied)

    def _is_common(self, write: Event) -> bool:
        """Every thread writes the same value to the same element, as far as the text tells."""
        if kinds := {self.threads.kind(index) for index in write.indices} - {UNIFORM}:
            return UNKNOWN in kinds
        return not any(self._names_threads(guard) for guard in write.guards)

    def owner(self, event: Event) -> Guard | None:
        """The guard that a single thread passes."""
        return next((guard for guard in event.guards if self._alone(guard)), None)

    def _alone(self, guard: Guard) -> list[Syntax]:
        """The parts of it that a single thread passes."""
        asked = (part for part in map(self._meant, _parts(guard)) if part.op in ("==" if guard.holds else "!=", "!"))
        return [part for part in asked if any(self.threads.kind(side) == THREAD for side in part.children)]

    def _meant(self, condition: Syntax) -> Syntax:
        """The comparison that a flag stands for."""
        value = self.threads.value(condition) if condition.kind == "identifier" else None
        return condition if value is None else value

    def _names_threads(self, guard: Guard) -> bool:
        """The guard lets only some threads of the block pass, or nobody knows."""
        return not guard.owner.kind.startswith("preproc_") and any(
            (kind := self.threads.kind(side)) == THREAD or (kind == UNKNOWN and _OF_THREAD.search(guard.condition.text))
            for part in _parts(guard)
            for side in _sides(part)
        )

    def is_of_all(self, event: Event) -> bool:
        """Nothing that the text says of its place and of the way there differs between threads."""
        sides = [s for guard in event.guards for part in _parts(guard) for s in _sides(self._meant(part))]
        some = any(self._asks_for_one(guard) for guard in event.guards)
        return not some and all(self.threads.kind(each) != THREAD for each in (*event.indices, *sides))

    def _asks_for_one(self, guard: Guard) -> bool:
        """`if (IS_LAST_THREAD())`, `if (elected)`: by its name, where the text does not tell."""
        unknown = any(self.threads.kind(side) == UNKNOWN for part in _parts(guard) for side in _sides(part))
        return unknown and not guard.owner.kind.startswith("preproc_") and bool(_OF_ONE.search(guard.condition.text))

    # --- trials -----------------------------------------------------------------------------------------------------------

    def _meet(self, a: Event, b: Event, trial: Trial, loop: Syntax | None, across_warps: bool) -> bool | None:
        """None where the sizes of the trial make no sense there."""
        try:
            return self._meet_in(a, b, trial, loop, across_warps)
        except ZeroDivisionError:
            return None

    def _meet_in(self, a: Event, b: Event, trial: Trial, loop: Syntax | None, across_warps: bool) -> bool | None:
        """None where only one thread comes there, or none, as the sizes of the trial are."""
        single = [self.owner(event) is not None for event in (a, b)]
        if meet_by_data(a, b, self.threads, single) and not (trial.is_flat and self._is_own_column(a, b)):
            return True
        coming: set[tuple[int, int]] = set()
        alone = kept_away = True  # by guards that the text tells, whatever the others are
        for number in range(1 if loop is not None or not self.with_barrier else 2):
            first = dict.fromkeys(self.with_barrier, number)
            second = first if loop is None else {**first, id(loop): 1}
            left = self._places(a, trial, first, loop)
            right = self._places(b, trial, second, loop)
            for place, threads in left.items():
                others = right.get(place) if None not in place else None
                if others and _differ(threads, others, trial if across_warps else None):
                    return True
            if not across_warps and (_meet_somewhere(left, right) or _meet_somewhere(right, left)):
                return True
            both = [set().union(*places.values()) for places in (left, right)]
            coming |= both[0] | both[1]
            alone = alone and (not both[0] or not both[1])
            kept_away = kept_away and any(
                not places and self._is_place_told(event, trial) for event, places in ((a, left), (b, right))
            )
        if kept_away:
            return None
        known = self._are_told(a, trial) and self._are_told(b, trial)
        return None if known and (alone or len(coming) < 2) else False

    def _is_place_told(self, event: Event, trial: Trial) -> bool:
        values = Values(self.threads, trial, 0, 0, {})
        try:
            for index in event.indices:
                values.of(index)
        except (Unknown, ValueError, OverflowError, ZeroDivisionError):
            return False
        return True

    def _are_told(self, event: Event, trial: Trial) -> bool:
        """The text tells the element and the guards of an access, so that it is the sizes which keep threads away."""
        if not self._is_place_told(event, trial):
            return False
        values = Values(self.threads, trial, 0, 0, {})
        asked = [guard for guard in event.guards if not guard.owner.kind.startswith("preproc_")]
        return all(values.passes(guard.condition, guard.holds) is not None for guard in asked)

    def _collects(self, read: Event) -> bool:
        """Each thread reads a part of the array, or one thread reads for all."""
        spread = [self.threads.kind(index) for index in read.indices]
        return (THREAD in spread and UNKNOWN not in spread) or self.owner(read) is not None or self._is_total(read)

    def _is_total(self, read: Event) -> bool:
        """All take the one element over, `total = sums[0];`, and nobody asks whether it is large enough by now."""
        around = self.threads.parents.get(id(read.node))
        taken = around is not None and around.kind in ("assignment_expression", "init_declarator")
        return taken and all(self.threads.kind(index) == UNIFORM for index in read.indices)

    def _is_own_column(self, a: Event, b: Event) -> bool:
        """`h[bin][threadIdx.x]`: one of the indices is the number of the thread, in both."""
        pairs = [(self.threads.spelled(i), self.threads.spelled(j)) for i, j in zip(a.indices, b.indices)]
        return any(one == other and _OWN_NUMBER.fullmatch(one) for one, other in pairs)

    def _places(self, event: Event, trial: Trial, base: dict[int, int], loop: Syntax | None) -> Places:
        """The threads that access each element."""
        loops = [guard.owner for guard in event.guards if guard.owner.kind in LOOPS]
        rounds_given = tuple(base.get(id(around)) for around in loops)
        key = event, trial, rounds_given, any(around is loop for around in loops)
        if key not in self._known:
            self._known[key] = self._tried_all(event, trial, base, loop, loops)
        return self._known[key]

    def _tried_all(
        self, event: Event, trial: Trial, base: dict[int, int], loop: Syntax | None, loops: list[Syntax]
    ) -> Places:
        rounds = [*rounds_of(loops, self.with_barrier, base)]
        guards = tuple(guard for guard in event.guards if guard.owner is not loop)
        found = self._tried(event, trial, rounds, guards, trial.threads())
        owner = self.owner(event)
        if found or owner is None:
            return found
        alone = self._alone(owner)  # its thread has a number of its own; what else it asks still holds
        others = (replace(owner, condition=part) for part in _parts(owner) if self._meant(part) not in alone)
        guards = (*(guard for guard in guards if guard is not owner), *others)
        last = trial.last("threadIdx.y" in self.threads.spelled(self._meant(owner.condition)))
        return self._tried(event, trial, rounds, guards, last)

    def _tried(
        self, event: Event, trial: Trial, rounds: list[dict[int, int]], guards: tuple[Guard, ...],
        threads: Iterable[tuple[int, int]],
    ) -> Places:  # fmt: skip
        found: Places = {}
        for x, y in threads:
            for numbers in rounds:
                values = Values(self.threads, trial, x, y, numbers)
                try:
                    place = tuple(self._element(index, values) for index in event.indices)
                except Unknown:
                    return {}
                passed: Iterable[bool | None] = (values.passes(guard.condition, guard.holds) for guard in guards)
                if None in place:
                    passed = list(passed)
                    if any(map(self._may_choose, guards, passed)):
                        return {}
                if False not in passed:  # the first that keeps the thread away settles it
                    found.setdefault(place, set()).add((x, y))
        return found

    def _element(self, index: Syntax, values: Values) -> int | None:
        """None for an element that is the same for all threads, and not known."""
        try:
            return values.of(index)
        except (Unknown, ValueError, OverflowError):
            if self.threads.kind(index) != UNIFORM:
                raise Unknown from None
            return None

    def _may_choose(self, guard: Guard, passed: bool | None) -> bool:
        """It names threads, and nobody knows which of them pass."""
        sides = [side for part in _parts(guard) for side in _sides(part)]
        return passed is None and any(self.threads.kind(side) == THREAD for side in sides)


def _differ(threads: set[tuple[int, int]], others: set[tuple[int, int]], trial: Trial | None) -> bool:
    """Two of them are different threads; with a trial, threads of different warps."""
    if trial is None:
        return len(others) > 1 or threads != others
    warps, more = ({(x + y * trial.block[0]) // WARP for x, y in each} for each in (threads, others))
    return len(more) > 1 or warps != more


def _meet_somewhere(some: Places, every: Places) -> bool:
    """The one element of `some` that nobody knows is among the many of `every`, and other threads come there."""
    for place, threads in some.items():
        if None not in place or len(threads) < 2 or len(every) < 2:
            continue
        known = [each for each in every if None not in each]
        if len(known) == len(every) and all(len(each) == len(place) for each in known):
            return True
    return False


def _spoken(event: Event) -> list[Syntax]:
    return [*event.indices, *(guard.condition for guard in event.guards)]


def _parts(guard: Guard) -> list[Syntax]:
    """The conditions that all hold where the guard does (or all fail)."""
    join, found, pending = "&&" if guard.holds else "||", [], [guard.condition]
    while pending:
        node = pending.pop()
        if node.kind == "binary_expression" and node.op == join:
            pending += node.children
        else:
            found.append(node)
    return found


def _sides(condition: Syntax) -> tuple[Syntax, ...]:
    return condition.children if condition.kind in ("binary_expression", "unary_expression") else (condition,)
