"""What is told of `x ^ m` holds whatever the values are, and decides which threads meet."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cudalint import ir
from cudalint import term as t
from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.solver.bit_lemmas import exclusive_or_lemmas
from cudalint.symbolic.solver.query import Solver
from cudalint.symbolic.solver.question import Model, Query, Unsatisfiable
from cudalint.symbolic.walk.integers import arithmetic

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


@settings(max_examples=200)
@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 9), st.integers(0, 9))
def test_a_lemma_of_bits_is_true_of_two_masks(first: int, second: int, apart: int, other: int) -> None:
    model = Model({"first": first, "second": second, "apart": apart, "other": other}, {})
    masks = APART, t.symbol("other", 0, 1 << 30)
    lemmas = exclusive_or_lemmas([flipped(FIRST, masks[0]), flipped(SECOND, masks[1])])
    assert lemmas
    assert all(model.value(lemma) for lemma in lemmas)


@settings(max_examples=300)
@given(st.integers(0, 1 << 12), st.integers(0, 5), st.integers(1, 255), st.integers(0, 5))
def test_the_digits_of_a_swizzled_number_are_the_number(value: int, shift: int, mask: int, unit: int) -> None:
    place = t.scale(t.symbol("value", 0, 1 << 12, "thread"), 1 << unit)
    key = arithmetic(ir.BinaryOp.SHIFT_RIGHT, place, t.number(shift), ir.INT32)
    key = arithmetic(ir.BinaryOp.AND, key, t.number(mask), ir.INT32)
    swizzled = arithmetic(ir.BinaryOp.XOR, place, key, ir.INT32)
    whole = value << unit
    assert Model({"value": value}, {}).value(swizzled) == whole ^ ((whole >> shift) & mask)


def race_of(source: str) -> Verdict:
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    (race,) = [o for o in analyse(unit, unit.functions[kernel], contract).sync_results if o.kind == "race"]
    return race.verdict


def test_threads_that_flip_bits_of_their_number_write_places_of_their_own() -> None:
    assert race_of(FLIPPED) is Verdict.SAFE


def test_threads_that_flip_bits_of_their_own_part_of_the_number_meet() -> None:
    assert race_of(FLIPPED.replace("i ^ 21", "(i / 2) ^ 21")) is Verdict.VIOLATED


EXCHANGED = """
__global__ void exchange(float* x, int j) {
  int i = blockIdx.x * 128 + threadIdx.x, partner = i ^ j;
  if (GUARD) { float a = x[i], b = x[partner]; x[i] = b; x[partner] = a; }
}
void run(float* x, int j) { exchange<<<4, 128>>>(x, j); }
"""


def test_one_thread_of_each_pair_of_partners_exchanges_alone() -> None:
    assert race_of(EXCHANGED.replace("GUARD", "partner > i")) is Verdict.SAFE
    assert race_of(EXCHANGED.replace("GUARD", "i > partner")) is Verdict.SAFE
    assert race_of(EXCHANGED.replace("GUARD", "i != partner")) is Verdict.VIOLATED


def test_a_partner_by_another_mask_is_of_another_pair() -> None:
    other = EXCHANGED.replace("GUARD", "partner > i").replace("x[partner] = a", "x[i ^ (2 * j)] = a")
    assert race_of(other) is not Verdict.SAFE
