"""Which events of a run are the failure that a finding speaks of: data, so that a file can carry it to another machine.

    meant = kinds, lines, starts or null, side, far, scope, pair, unsettled, waits, memory or null

An access before the start of its memory is not the one behind the end that a witness names, nor is a race between blocks one
within a block. What rests on a hole that the run went past shows nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cudalint.confirm.emulate.events import Event, has_wrapped
from cudalint.source import Span

SAME_VALUE = "same_value"  # of a race whose order decides nothing
ANY, BEFORE, BEHIND, FAR = "any", "before", "behind", "far"
WITHIN, ACROSS = "within", "across"  # a block, blocks
_SIDES = (ANY, BEFORE, BEHIND, FAR)
_SCOPES = (ANY, WITHIN, ACROSS)
Line = tuple[str, int]
Access = tuple[str, int, str]  # its kind behind its line
Start = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Meant:
    """`lines` of the access; `starts`: exactly these accesses on them. `side` of the memory that is left.

    `scope`: threads of one block meet, or of two. `pair`: the two accesses of a race, which may be others of the
    lines than those that meet in a run: it goes on for them. `unsettled` are accesses of which nobody knows where they are, `waits`
    places where some threads wait at a hole, which may be no barrier. `memory`: the buffer of the access, where there is one
    of that name.
    """

    kinds: tuple[str, ...]
    lines: frozenset[Line]
    starts: frozenset[Start] | None = None
    side: str = ANY
    far: bool = False
    scope: str = ANY
    pair: frozenset[Access] = frozenset()
    unsettled: frozenset[Start] = frozenset()
    waits: frozenset[Start] = frozenset()
    memory: str | None = None

    def is_there(self, event: Event) -> bool:
        """An event of the kind on the line."""
        return event.kind in self.kinds and (event.access.span.path, event.access.span.line) in self.lines

    def is_it(self, event: Event) -> bool:
        """The failure itself, harmless or not."""
        if not self.is_there(event) or not self.unsettled.isdisjoint(_places(event)):
            return False
        if self.far and not has_wrapped(event.access.index):
            return False
        if self.starts is not None and start(event.access.span) not in self.starts:
            return False  # another access of the line
        if self.memory is not None and event.access.place not in ("", self.memory):
            return False  # that of another call of its function
        if self.scope != ANY and event.kind == "race" and event.other is not None:
            return (self.scope == WITHIN) == (event.access.block == event.other.block)
        if event.kind == "null" and self.side in (BEFORE, FAR):
            return False  # a pointer that the run has read where nothing was set says nothing of the index
        return event.kind != "out_of_bounds" or self._is_on_side(event.access.index)

    def is_told(self, event: Event) -> bool:
        """Of a race: the two accesses that the finding names."""
        return not self.pair or event.kind != "race" or _pair(event) == self.pair

    def is_shown(self, event: Event) -> bool:
        return self.is_it(event) and event.detail != SAME_VALUE

    def ends(self, event: Event) -> bool:
        """Nothing behind it adds to the answer: it is shown, or some threads wait at a hole."""
        if self.is_shown(event) and self.is_told(event):
            return True
        return event.kind == "divergence" and not self.waits.isdisjoint(_places(event))

    def _is_on_side(self, index: int) -> bool:
        if self.side == FAR:
            return has_wrapped(index)
        return self.side == ANY or (self.side == BEFORE) == (index < 0)


def start(span: Span) -> Start:
    return span.path, span.line, span.column


def _pair(event: Event) -> frozenset[Access]:
    sides = (event.access, event.other)
    return frozenset((side.span.path, side.span.line, side.kind) for side in sides if side is not None)


def _places(event: Event) -> list[Start]:
    return [start(side.span) for side in (event.access, event.other) if side is not None]


# --- as JSON --------------------------------------------------------------------------------------------------------------


def dumped(meant: Meant) -> dict[str, Any]:
    return {
        "kinds": list(meant.kinds),
        "lines": _listed(meant.lines),
        "starts": None if meant.starts is None else _listed(meant.starts),
        "side": meant.side,
        "far": meant.far,
        "scope": meant.scope,
        "pair": _listed(meant.pair),
        "unsettled": _listed(meant.unsettled),
        "waits": _listed(meant.waits),
        "memory": meant.memory,
    }


def _listed(places: frozenset[Any]) -> list[list[Any]]:
    return [list(place) for place in sorted(places)]


def loaded(value: object) -> Meant:
    """What `dumped` made; raises ValueError."""
    if not isinstance(value, dict):
        raise ValueError("it is no object")
    kinds, side, scope, starts, memory = (value.get(name) for name in ("kinds", "side", "scope", "starts", "memory"))
    known = isinstance(kinds, list) and all(isinstance(kind, str) for kind in kinds)
    if not isinstance(kinds, list) or not known or side not in _SIDES or scope not in _SCOPES:
        raise ValueError("its kinds, its side or its scope are not understood")
    if not isinstance(memory, str | None):
        raise ValueError("its memory has no name")
    return Meant(
        tuple(kinds),
        _read(value.get("lines"), 2),
        None if starts is None else _read(starts, 3),
        side,
        value.get("far") is True,
        scope,
        _read_pair(value.get("pair", [])),
        _read(value.get("unsettled"), 3),
        _read(value.get("waits"), 3),
        memory,
    )


def _read(value: object, length: int) -> frozenset[Any]:
    if not isinstance(value, list) or not all(_is_place(place, length) for place in value):
        raise ValueError("a place is no path with its line and column")
    return frozenset(tuple(place) for place in value)


def _is_place(place: object, length: int) -> bool:
    fits = isinstance(place, list) and len(place) == length and isinstance(place[0], str)
    return fits and isinstance(place, list) and all(type(number) is int for number in place[1:])


def _read_pair(value: object) -> frozenset[Access]:
    if not isinstance(value, list) or not all(isinstance(side, list) and len(side) == 3 for side in value):
        raise ValueError("its pair is no list of accesses")
    if not all(isinstance(kind, str) for _, _, kind in value):
        raise ValueError("an access of its pair has no kind")
    places = [_read([[path, line]], 2) for path, line, _ in value]
    return frozenset((*place, kind) for (place,), (_, _, kind) in zip(places, value))
