"""What a loop carries and has again after a few rounds: stages of a pipeline, and buffers that change places.

stage ^= 1;   slot = (slot + 1) % 3;   cur = 1 - cur;         // 0, 1, 0, 1, ... by the number of the round alone
float *t = src; src = dst; dst = t;                           // two pointers: the other one in every second round
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cudalint.symbolic.model import Address, Either, Value
from cudalint.term import (
    BITWISE,
    Apply,
    Symbol,
    Term,
    Undefined,
    add,
    choice,
    equal,
    evaluator,
    labels,
    number,
    remainder,
    scale,
)

LONGEST = 8  # rounds after which the first values must come again


def repeated_numbers(first: Mapping[Symbol, int], after: Mapping[Symbol, Term]) -> dict[Symbol, tuple[int, ...]]:
    """The values of the rounds, of symbols whose next value follows from such symbols alone. A constant is none."""
    named = {str(probe.parts[0]): probe for probe in first if probe in after}
    found: dict[Symbol, tuple[int, ...]] = {}
    for name, probe in named.items():
        needed = _needed(name, named, after)
        values = () if needed is None else _rounds(name, {each: first[named[each]] for each in needed}, named, after)
        if len(set(values)) > 1:
            found[probe] = values
    return found


def _needed(name: str, named: Mapping[str, Symbol], after: Mapping[Symbol, Term]) -> set[str] | None:
    """The symbols that decide the next values of one, and of each other; None where something else does, too."""
    needed, waiting = {name}, [name]
    while waiting:
        for label in labels(after[named[waiting.pop()]]):
            if label in BITWISE or label in needed:
                continue
            if label not in named:
                return None
            needed.add(label)
            waiting.append(label)
    return needed


def _rounds(
    name: str, start: dict[str, int], named: Mapping[str, Symbol], after: Mapping[Symbol, Term]
) -> tuple[int, ...]:
    """The values of one symbol until all that decide it are as at the start; none where they are not soon."""
    values, now = [], start
    for _ in range(LONGEST):
        values.append(now[name])
        value = evaluator(now, _of_bits)
        try:
            now = {each: value(after[named[each]]) for each in start}
        except Undefined:
            return ()
        if now == start:
            return tuple(values)
    return ()


def _of_bits(atom: Term, value: Callable[[Term], int]) -> int:
    if not isinstance(atom, Apply) or atom.parts[0] not in BITWISE:
        raise Undefined(str(atom.parts[0]))
    first, second = map(value, atom.parts[1])
    return BITWISE[atom.parts[0]](first, second)


def number_in_turn(values: tuple[int, ...], iteration: Symbol) -> Term:
    """The value of the k-th round."""
    turn = remainder(iteration, number(len(values)))
    step = values[1] - values[0]
    if all(value == values[0] + step * place for place, value in enumerate(values)):
        return add(number(values[0]), scale(turn, step))
    chosen = number(values[-1])
    for place in range(len(values) - 2, -1, -1):
        chosen = choice(equal(turn, number(place)), number(values[place]), chosen)
    return chosen


def exchanged_pointers(
    first: Mapping[str, Address], start: Mapping[str, Value], end: Mapping[str, Value]
) -> dict[str, tuple[str, ...]]:
    """Pointers that have behind the body what another one had before it: that one, the next, ... and themselves at last."""
    after = {name: next((o for o in first if end.get(name) == start[o]), name) for name in first}
    found: dict[str, tuple[str, ...]] = {}
    for name in first:
        turns = [after[name]]
        while turns[-1] != name and len(turns) < LONGEST and after[turns[-1]] not in turns:
            turns.append(after[turns[-1]])
        if len(turns) > 1 and turns[-1] == name:
            found[name] = tuple(turns)
    return found


def pointer_in_turn(pointers: Sequence[Address], iteration: Symbol) -> Value:
    """The one of the k-th round."""
    turn = remainder(iteration, number(len(pointers)))
    chosen: Address | Either = pointers[-1]
    for place in range(len(pointers) - 2, -1, -1):
        own, here = pointers[place], equal(turn, number(place))
        if isinstance(chosen, Address) and chosen.object is own.object:
            chosen = Address(own.object, choice(here, own.offset, chosen.offset))
        else:
            chosen = Either(here, own, chosen)
    return chosen
