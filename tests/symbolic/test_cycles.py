"""Values of a loop that come again after a few rounds."""

from __future__ import annotations

import pytest

from cudalint.ir import F32
from cudalint.symbolic.cycles import exchanged_pointers, number_in_turn, pointer_in_turn, repeated_numbers
from cudalint.symbolic.model import Address, Either, MemoryObject
from cudalint.term import Term, add, apply, choice, equal, evaluate, number, remainder, subtract, symbol

A, B, N = symbol("a", 0), symbol("b", 0), symbol("n", 0)
K = symbol("k", 0)


@pytest.mark.parametrize(
    ("start", "after", "rounds"),
    [
        (0, subtract(number(1), A), (0, 1)),
        (1, apply("bits ^", (A, number(1)), 0, 3), (1, 0)),
        (1, remainder(add(A, number(1)), number(3)), (1, 2, 0)),
        (0, choice(equal(A, number(4)), number(0), add(A, number(2))), (0, 2, 4)),
        (0, add(A, number(1)), None),  # goes on
        (0, remainder(add(A, number(1)), number(20)), None),  # comes again too late
        (0, remainder(add(A, N), number(2)), None),  # rests on something else
        (7, number(7), None),  # stays as it is
        (3, number(0), None),  # never comes back to the first
    ],
    ids=repr,
)
def test_a_number_comes_again(start: int, after: Term, rounds: tuple[int, ...] | None) -> None:
    assert repeated_numbers({A: start}, {A: after}).get(A) == rounds


def test_two_numbers_change_places_beside_a_counter() -> None:
    after = {A: B, B: A, K: add(K, number(1))}
    assert repeated_numbers({A: 0, B: 5, K: 0}, after) == {A: (0, 5), B: (5, 0)}


@pytest.mark.parametrize("values", [(0, 1), (5, 2), (0, 2, 4), (4, 0, 1)], ids=repr)
def test_the_number_of_the_round_chooses(values: tuple[int, ...]) -> None:
    term = number_in_turn(values, K)
    assert tuple(evaluate(term, {"k": k}) for k in range(len(values) * 2)) == values * 2


def test_pointers_change_places() -> None:
    one, two = (MemoryObject(name, "shared", F32, number(64)) for name in ("one", "two"))
    first = {"src": Address(one, number(4)), "dst": Address(two, number(4))}
    start = {"src": Address(one, A), "dst": Address(two, B)}
    assert exchanged_pointers(first, start, {"src": start["dst"], "dst": start["src"]}) == {"src": "dst", "dst": "src"}
    assert exchanged_pointers(first, start, {"src": start["dst"], "dst": start["dst"]}) == {}
    assert exchanged_pointers(first, start, {"src": start["dst"], "dst": Address(one, add(A, number(4)))}) == {}
    chosen = pointer_in_turn(first["src"], first["dst"], K)
    assert isinstance(chosen, Either) and (chosen.then, chosen.orelse) == (first["src"], first["dst"])
    assert [evaluate(chosen.cond, {"k": k}) for k in range(3)] == [1, 0, 1]
