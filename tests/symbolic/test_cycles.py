"""Values of a loop that come again after a few rounds."""

from __future__ import annotations

import pytest

from cudalint.ir import F32
from cudalint.symbolic.model import Address, Either, MemoryObject
from cudalint.symbolic.walk.cycles import exchanged_pointers, number_in_turn, pointer_in_turn, repeated_numbers
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


def buffers(*names: str) -> list[Address]:
    return [Address(MemoryObject(name, "shared", F32, number(64)), number(4)) for name in names]


def test_pointers_change_places() -> None:
    one, two = buffers("one", "two")
    first = {"src": one, "dst": two}
    start = {"src": Address(one.object, A), "dst": Address(two.object, B)}
    swapped = {"src": start["dst"], "dst": start["src"]}
    assert exchanged_pointers(first, start, swapped) == {"src": ("dst", "src"), "dst": ("src", "dst")}
    assert exchanged_pointers(first, start, {"src": start["dst"], "dst": start["dst"]}) == {}
    assert exchanged_pointers(first, start, {"src": start["dst"], "dst": Address(one.object, add(A, number(4)))}) == {}


def test_three_pointers_go_round() -> None:
    first = dict(zip("abc", buffers("one", "two", "three")))
    start = {name: Address(pointer.object, symbol(name, 0)) for name, pointer in first.items()}
    turned = {"a": start["b"], "b": start["c"], "c": start["a"]}
    found = exchanged_pointers(first, start, turned)
    assert found == {"a": ("b", "c", "a"), "b": ("c", "a", "b"), "c": ("a", "b", "c")}


@pytest.mark.parametrize("count", [2, 3])
def test_the_number_of_the_round_chooses_the_pointer(count: int) -> None:
    pointers = buffers("one", "two", "three")[:count]
    for k in range(2 * count):
        chosen = pointer_in_turn(pointers, K)
        while isinstance(chosen, Either):
            chosen = chosen.then if evaluate(chosen.cond, {"k": k}) else chosen.orelse
        assert chosen == pointers[k % count]


def test_pointers_into_one_array_are_one_pointer() -> None:
    (one,) = buffers("one")
    other = Address(one.object, number(32))
    chosen = pointer_in_turn([one, other], K)
    assert isinstance(chosen, Address)
    assert [evaluate(chosen.offset, {"k": k}) for k in range(3)] == [4, 32, 4]
