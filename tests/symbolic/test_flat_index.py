"""A flat index that is taken apart by divisions and put together otherwise: who is told that no two values meet."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.synchronization.flat_index import flat_index
from cudalint.symbolic.synchronization.remainders import with_remainders
from cudalint.term import Term, add, at_most, evaluate, free_symbols, number, quotient, remainder, scale, symbol

THREAD, BLOCK = symbol("t", 0, 7, "thread"), symbol("b", 0, 15, "thread")
INDEX = add(scale(BLOCK, 8), THREAD)
PLACES = [(b, t) for b in range(16) for t in range(8)]


@st.composite
def sums(draw: st.DrawFn) -> Term:
    """Digits of the index by two or three divisors, each times a weight."""
    first, second = draw(st.sampled_from([3, 5, 6, 12])), draw(st.sampled_from([2, 3, 4]))
    weights = draw(st.lists(st.sampled_from([1, 2, 3, 4, 5, 6, 12, 15, 20, 24, 36, 48]), min_size=3, max_size=3))
    if draw(st.booleans()):  # as a transposition has them, or nearly so
        lengths, reach = [first, second, 128 // (first * second) + 1], 1
        for place in draw(st.permutations(range(3))):
            weights[place] = reach + draw(st.sampled_from([0, 0, 0, -1, 3]))
            reach = weights[place] * lengths[place]
    digits = (
        remainder(INDEX, number(first)),
        remainder(quotient(INDEX, number(first)), number(second)),
        quotient(INDEX, number(first * second)),
    )
    return add(*(scale(digit, weight) for digit, weight in zip(digits, weights)))


@given(sums(), st.integers(1, 4), st.sampled_from([None, 100, 64]))
def test_values_that_are_said_to_be_apart_are_apart(offset: Term, size: int, bound: int | None) -> None:
    known = frozenset() if bound is None else frozenset([at_most(add(INDEX, number(1)), number(bound))])
    if flat_index(offset, size, known, lambda term: not free_symbols(term)) is None:
        return
    starts = sorted(
        evaluate(offset, {"b": b, "t": t}) for b, t in PLACES if bound is None or 8 * b + t < bound
    )  # fmt: skip
    assert all(after - before >= size for before, after in pairwise(starts))


@given(sums())
def test_what_is_put_together_has_the_same_value(offset: Term) -> None:
    again = with_remainders(add(offset, scale(INDEX, 3)))
    for b, t in PLACES:
        place = {"b": b, "t": t}
        assert evaluate(again, place) == evaluate(offset, place) + 3 * (8 * b + t)


PROGRAM = """
__global__ void move(const float *in, float *out, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < COUNT) out[INDEX] = in[i];
}
void run(const float *in, float *out, int rows, int columns) {
  if (rows < 1 || columns < 1 || rows > 1000 || columns > 1000) return;
  move<<<GRID, 256>>>(in, out, rows, columns);
}
"""


@pytest.mark.parametrize(
    ("count", "index", "verdict"),
    [
        ("6400", "i % 64 * 100 + i / 64", Verdict.SAFE),
        ("6401", "i % 64 * 100 + i / 64", Verdict.VIOLATED),
        ("6400", "i % 64 * 99 + i / 64", Verdict.VIOLATED),
        ("98304", "i / 24576 * 24576 + i % 24576 % 2048 / 32 * 384 + i % 24576 / 2048 * 32 + i % 32", Verdict.SAFE),
        ("98304", "i / 24576 * 24576 + i % 24576 % 2048 / 32 * 352 + i % 24576 / 2048 * 32 + i % 32", Verdict.VIOLATED),
        ("rows * columns", "i % columns * rows + i / columns", Verdict.SAFE),
    ],
)
def test_a_transposition_of_a_flat_index_gives_each_thread_its_element(
    count: str, index: str, verdict: Verdict
) -> None:
    grid = "(rows * columns + 255) / 256" if "rows" in count else "400"
    text = PROGRAM.replace("COUNT", count).replace("INDEX", index).replace("GRID", grid)
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    (order,) = [o for o in analyse(unit, unit.functions[kernel], contract).sync_results if o.kind == "race"]
    assert order.verdict is verdict
