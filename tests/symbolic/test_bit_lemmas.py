"""What is told of `x ^ m` holds whatever the values are, and decides which threads meet."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cudalint import term as t
from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.solver.bit_lemmas import exclusive_or_lemmas
from cudalint.symbolic.solver.query import Solver
from cudalint.symbolic.solver.question import Model, Query, Unsatisfiable

FIRST, SECOND = (t.symbol(name, 0, 1 << 30, "thread") for name in ("first", "second"))
APART = t.symbol("apart", 0, 1 << 30)
STEPS = 20_000

FLIPPED = """
__global__ void flip(unsigned* places) {
  unsigned i = blockIdx.x * 128 + threadIdx.x;
  places[i ^ 21] = i;
}
void run(unsigned* places) { flip<<<4, 128>>>(places); }
"""


def flipped(place: t.Term, mask: t.Term) -> t.Term:
    return t.apply("bits ^", (place, mask), 0, 1 << 31)


@settings(max_examples=200)
@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(-9, 9))
def test_a_lemma_of_bits_is_true(first: int, second: int, apart: int) -> None:
    model = Model({"first": first, "second": second, "apart": apart}, {})
    lemmas = exclusive_or_lemmas([flipped(FIRST, APART), flipped(SECOND, APART)])
    assert lemmas
    assert all(model.value(lemma) for lemma in lemmas)


def test_no_two_threads_have_one_partner() -> None:
    meet = t.equal(flipped(FIRST, APART), flipped(SECOND, APART))
    assert isinstance(Solver().check(Query("meet", (meet, t.less(FIRST, SECOND)), STEPS)), Unsatisfiable)


def test_two_partners_are_not_both_the_lower_one() -> None:
    partners = flipped(FIRST, APART), flipped(SECOND, APART)
    meet, lower = t.equal(partners[0], SECOND), (t.less(FIRST, partners[0]), t.less(SECOND, partners[1]))
    assert isinstance(Solver().check(Query("meet", (meet, *lower), STEPS)), Unsatisfiable)


def test_two_masks_may_give_one_partner() -> None:
    other = t.symbol("other", 0, 1 << 30)
    meet = t.equal(flipped(FIRST, APART), flipped(SECOND, other))
    assert not isinstance(Solver().check(Query("meet", (meet, t.less(FIRST, SECOND)), STEPS)), Unsatisfiable)


def race_of(source: str) -> Verdict:
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    (race,) = [o for o in analyse(unit, unit.functions[kernel], contract).sync_results if o.kind == "race"]
    return race.verdict


def test_threads_that_flip_bits_of_their_number_write_places_of_their_own() -> None:
    assert race_of(FLIPPED) is Verdict.SAFE


def test_threads_that_flip_bits_of_their_own_part_of_the_number_meet() -> None:
    assert race_of(FLIPPED.replace("i ^ 21", "(i / 2) ^ 21")) is Verdict.VIOLATED
