"""The smart constructors keep the value: random terms against Python's own integers."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cudalint import term as t
from cudalint.compiled import compiled

RANGES = {"a": (0, 7), "b": (1, 40), "c": (-6, 6), "d": (-9, -1), "e": (0, 1 << 33), "f": (-(1 << 31), (1 << 31) - 1)}
FLAGS = ("p", "q")


@dataclass(frozen=True)
class Case:
    """A term and the value that Python gives to the same expression; both sides of a choice are evaluated."""

    term: t.Term
    value: Callable[[dict[str, int]], int]
    shown: str

    def __repr__(self) -> str:
        return self.shown


def truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def modular(value: int, bits: int, signed: bool) -> int:
    value %= 1 << bits
    return value - (1 << bits) if signed and value >> (bits - 1) else value


BINARY: dict[str, tuple[Callable[[t.Term, t.Term], t.Term], Callable[[int, int], int]]] = {
    "add": (t.add, lambda a, b: a + b),
    "subtract": (t.subtract, lambda a, b: a - b),
    "multiply": (t.multiply, lambda a, b: a * b),
    "quotient": (t.quotient, lambda a, b: a // b),
    "remainder": (t.remainder, lambda a, b: a % b),
    "truncated_quotient": (t.truncated_quotient, truncated),
    "truncated_remainder": (t.truncated_remainder, lambda a, b: a - b * truncated(a, b)),
    "minimum": (t.minimum, min),
    "maximum": (t.maximum, max),
}
COMPARE: dict[str, tuple[Callable[[t.Term, t.Term], t.Term], Callable[[int, int], int]]] = {
    "at_most": (t.at_most, lambda a, b: int(a <= b)),
    "less": (t.less, lambda a, b: int(a < b)),
    "equal": (t.equal, lambda a, b: int(a == b)),
}
CONNECT: dict[str, tuple[Callable[[t.Term, t.Term], t.Term], Callable[[int, int], int]]] = {
    "conjunction": (t.conjunction, lambda a, b: a & b),
    "disjunction": (t.disjunction, lambda a, b: a | b),
    "equal": (t.equal, lambda a, b: int(a == b)),
}


def binary(
    name: str, table: dict[str, tuple[Callable[..., t.Term], Callable[[int, int], int]]], x: Case, y: Case
) -> Case:
    build, compute = table[name]
    return Case(build(x.term, y.term), lambda v: compute(x.value(v), y.value(v)), f"{name}({x}, {y})")


def select(c: Case, x: Case, y: Case) -> Case:
    def value(v: dict[str, int]) -> int:
        cond, then, orelse = c.value(v), x.value(v), y.value(v)
        return then if cond else orelse

    return Case(t.choice(c.term, x.term, y.term), value, f"choice({c}, {x}, {y})")


def wrap(x: Case, bits: int, signed: bool) -> Case:
    return Case(
        t.wrapped(x.term, bits, signed), lambda v: modular(x.value(v), bits, signed), f"wrapped({x}, {bits}, {signed})"
    )


def constant(n: int) -> Case:
    return Case(t.number(n), lambda v: n, str(n))


def variable(name: str) -> Case:
    return Case(t.symbol(name, *RANGES[name]), lambda v: v[name], name)


def truth_variable(name: str) -> Case:
    return Case(t.flag(name), lambda v: v[name], name)


CONSTANTS = [0, 1, -1, 2, 3, 5, -7, 12, 32, 64, 256, -256, (1 << 31) - 1, 1 << 32]


@st.composite
def integers(draw: st.DrawFn, depth: int = 4) -> Case:
    shape = draw(
        st.sampled_from(["constant", "variable", "variable", *(["binary"] * 5 + ["wrap", "select"]) * (depth > 0)])
    )
    inner = integers(depth - 1)
    if shape == "constant":
        return constant(draw(st.sampled_from(CONSTANTS)))
    if shape == "variable":
        return variable(draw(st.sampled_from(sorted(RANGES))))
    if shape == "binary":
        return binary(draw(st.sampled_from(sorted(BINARY))), BINARY, draw(inner), draw(inner))
    if shape == "wrap":
        return wrap(draw(inner), draw(st.sampled_from([4, 8, 32])), draw(st.booleans()))
    return select(draw(truths(depth - 1)), draw(inner), draw(inner))


@st.composite
def truths(draw: st.DrawFn, depth: int = 4) -> Case:
    shape = draw(st.sampled_from(["flag", *["compare", "compare", "connect", "negation", "select"] * (depth > 0)]))
    inner = truths(depth - 1)
    if shape == "flag":
        return truth_variable(draw(st.sampled_from(FLAGS)))
    if shape == "compare":
        sides = integers(depth - 1)
        return binary(draw(st.sampled_from(sorted(COMPARE))), COMPARE, draw(sides), draw(sides))
    if shape == "connect":
        return binary(draw(st.sampled_from(sorted(CONNECT))), CONNECT, draw(inner), draw(inner))
    if shape == "negation":
        return negated(draw(inner))
    return select(draw(inner), draw(inner), draw(inner))


def negated(case: Case) -> Case:
    return Case(t.negation(case.term), lambda v: 1 - case.value(v), f"negation({case})")


INTEGERS, TRUTHS = integers(), truths()
values = st.fixed_dictionaries(
    {name: st.integers(*bounds) | st.sampled_from(bounds) for name, bounds in RANGES.items()}
    | {name: st.integers(0, 1) for name in FLAGS}
)


def expected(case: Case, assignment: dict[str, int]) -> int:
    try:
        return case.value(assignment)
    except ZeroDivisionError:
        assume(False)
        raise


@settings(max_examples=150, deadline=None)
@given(INTEGERS | TRUTHS, values)
def test_constructors_keep_the_value(case: Case, assignment: dict[str, int]) -> None:
    value = expected(case, assignment)
    assert t.evaluate(case.term, assignment) == value


@settings(max_examples=150, deadline=None)
@given(INTEGERS, values)
def test_interval_holds_the_value(case: Case, assignment: dict[str, int]) -> None:
    value = expected(case, assignment)
    low, high = t.interval(case.term)
    assert low is None or low <= value
    assert high is None or value <= high


@settings(max_examples=100, deadline=None)
@given(INTEGERS | TRUTHS, values, st.lists(st.tuples(st.sampled_from(sorted(RANGES)), INTEGERS), max_size=3))
def test_substitution_commutes_with_evaluation(
    case: Case, assignment: dict[str, int], replaced: list[tuple[str, Case]]
) -> None:
    """A replacement must stay in the symbol's range: the constructors have already used it."""
    inner = dict(assignment)
    mapping: dict[t.Term, t.Term] = {}
    for name, replacement in replaced:
        value = expected(replacement, assignment)
        low, high = RANGES[name]
        if low <= value <= high:
            inner[name] = value
            mapping[t.symbol(name, low, high)] = replacement.term
    value = expected(case, inner)
    assert t.evaluate(t.substitute(case.term, mapping), assignment) == value


@settings(max_examples=100, deadline=None)
@given(INTEGERS | TRUTHS, values)
def test_free_symbols_are_enough_to_evaluate(case: Case, assignment: dict[str, int]) -> None:
    value = expected(case, assignment)
    names = {symbol.parts[0] for symbol in t.free_symbols(case.term)}
    assert t.evaluate(case.term, {name: assignment[name] for name in names}) == value


@settings(max_examples=100, deadline=None)
@given(INTEGERS | TRUTHS)
def test_rebuilding_and_pickling_give_the_same_term(case: Case) -> None:
    assert pickle.loads(pickle.dumps(case.term)) is case.term
    assert t.rewrite(case.term, lambda _: None) is t.rewrite(t.rewrite(case.term, lambda _: None), lambda _: None)


@settings(max_examples=100, deadline=None)
@given(TRUTHS, values)
def test_negation_is_an_involution_in_value(case: Case, assignment: dict[str, int]) -> None:
    expected(case, assignment)
    twice = t.negation(t.negation(case.term))
    assert t.evaluate(twice, assignment) == t.evaluate(case.term, assignment)


@settings(max_examples=100, deadline=None)
@given(INTEGERS | TRUTHS)
def test_every_term_has_a_text(case: Case) -> None:
    assert t.text(case.term)


N = t.symbol("n", 0, 1 << 20)
TID = t.symbol("t", 0, 255)
BLOCK = t.symbol("block", 0, 1 << 20)


@pytest.mark.parametrize(
    ("built", "folded"),
    [
        (t.quotient(t.add(t.scale(BLOCK, 256), TID), t.number(256)), BLOCK),
        (t.remainder(t.add(t.scale(BLOCK, 256), TID), t.number(256)), TID),
        (t.quotient(t.quotient(N, t.number(4)), t.number(8)), t.quotient(N, t.number(32))),
        (t.at_most(TID, t.number(255)), t.TRUE),
        (t.at_most(t.number(256), TID), t.FALSE),
        (t.at_most(t.scale(N, 4), t.number(7)), t.at_most(N, t.number(1))),
        (t.equal(t.scale(N, 4), t.number(6)), t.FALSE),
        (t.wrapped(t.add(BLOCK, N), 32, True), t.add(BLOCK, N)),
        (t.conjunction(t.flag("p"), t.negation(t.flag("p"))), t.FALSE),
        (t.choice(t.flag("p"), N, N), N),
        (t.truncated_quotient(N, t.number(-1)), t.negate(N)),
    ],
)
def test_folding(built: t.Term, folded: t.Term) -> None:
    assert built is folded


@pytest.mark.parametrize(
    ("build", "shown"),
    [
        (lambda: t.ceil_quotient(N, t.number(256)), "(n + 255) / 256"),
        (lambda: t.quotient(t.add(N, t.number(255)), t.number(256)), "(n + 255) / 256"),
        (lambda: t.minimum(N, t.number(4)), "min(n, 4)"),
        (lambda: t.less(TID, N), "t < n"),
        (lambda: t.at_most(t.number(2), N), "n >= 2"),
        (lambda: t.negation(t.equal(N, t.number(0))), "n != 0"),
        (lambda: t.multiply(N, t.add(TID, t.number(1))), "n*t + n"),
        (lambda: t.add(t.scale(N, -1), t.number(3)), "-n + 3"),
        (lambda: t.conjunction(t.flag("p"), t.disjunction(t.flag("q"), t.flag("r"))), "p && (q || r)"),
    ],
)
def test_text(build: Callable[[], t.Term], shown: str) -> None:
    assert t.text(build()) == shown


def test_truths_survive_forgetting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(t, "_interned", dict(t._interned))
    kept_true, kept_false, kept_seven = t.TRUE, t.FALSE, t.number(7)
    t.forget_all()
    assert t.number(7) is kept_seven is t.add(t.number(3), t.number(4))
    assert t.truth(True) is kept_true is t.TRUE
    assert t.at_most(t.number(1), t.number(0)) is kept_false


def test_what_a_module_keeps_survives_forgetting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(t, "_interned", dict(t._interned))
    monkeypatch.setattr(t, "_kept", list(t._kept))
    constant, passing = t.keep(t.symbol("a constant of a module")), t.symbol("of one file")
    t.forget_all()
    assert t.symbol("a constant of a module") is constant
    assert t.symbol("of one file") is not passing


def test_what_is_remembered_of_terms_is_forgotten_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A remembered answer would be made of terms that equal none of those that are made afterwards."""
    monkeypatch.setattr(t, "_interned", dict(t._interned))
    monkeypatch.setattr(t, "_caches", list(t._caches))

    @t.cached_by_term(maxsize=None)
    def next_to(term: t.Term) -> t.Term:
        return t.add(term, t.symbol("of one file"))

    seven = t.number(7)
    before = next_to(seven)
    assert next_to(seven) is before
    t.forget_all()
    assert next_to(seven) is t.add(seven, t.symbol("of one file"))


def test_a_division_by_zero_and_a_missing_value_are_undefined() -> None:
    with pytest.raises(t.Undefined):
        t.evaluate(t.quotient(t.number(1), N), {"n": 0})
    with pytest.raises(t.Undefined):
        t.evaluate(N, {})


def test_text_of_shared_parts_does_not_unfold() -> None:
    shared = t.symbol("x", 0, 7)
    for level in range(200):
        shared = t.choice(t.flag(f"p{level}"), t.quotient(shared, t.symbol("n", 1)), t.scale(shared, 3))
    assert t.text(shared) == "..."
    assert t.unfolded_size(shared) > 1 << 100


@settings(max_examples=100, deadline=None)
@given(INTEGERS | TRUTHS)
def test_a_term_holds_the_kinds_of_its_parts(case: Case) -> None:
    kinds = {type(part) for part in t.subterms([case.term])}
    for kind in (
        t.Number,
        t.Symbol,
        t.Sum,
        t.Quotient,
        t.Remainder,
        t.Choice,
        t.Wrapped,
        t.AtMostZero,
        t.IsZero,
        t.All,
    ):
        assert t.holds_any(case.term, kind) == (kind in kinds)
    assert t.holds_any(case.term, *kinds) and not t.holds_any(case.term)


@settings(max_examples=100, deadline=None)
@given(INTEGERS)
def test_the_ideal_of_a_term_has_no_wraps(case: Case) -> None:
    assert not any(isinstance(part, t.Wrapped) for part in t.subterms([t.ideal(case.term)]))


def test_the_ideal_is_the_value_before_it_was_cut() -> None:
    i = t.symbol("i", 0, 100)
    assert t.ideal(t.wrapped(t.scale(t.wrapped(t.scale(i, 10), 8, False), 3), 8, False)) is t.scale(i, 30)


def test_the_ideal_of_shared_parts_is_made_once() -> None:
    part: t.Term = t.symbol("n", 0, 1 << 20)
    for bit in range(30):
        odd = t.equal(t.remainder(part, t.number(3)), t.number(1))
        part = t.wrapped(t.choice(odd, t.add(part, t.number(bit)), t.quotient(part, t.number(bit + 2))), 16, True)
    assert len(t.subterms([t.ideal(part)])) < 10 * 30


@given(INTEGERS | TRUTHS, values)
def test_a_compiled_term_has_the_value_of_the_term(case: Case, chosen: dict[str, int]) -> None:
    outcomes: list[int | str] = []
    for evaluated in (lambda: t.evaluate(case.term, chosen), lambda: compiled(case.term)(chosen)):
        try:
            outcomes.append(evaluated())
        except t.Undefined as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


def test_a_compiled_term_that_shares_its_parts_many_times_over_is_still_worked_out() -> None:
    shared: t.Term = t.symbol("n", 0, 100)
    for limit in range(40):
        shared = t.remainder(t.add(t.quotient(shared, t.symbol("n", 0, 100)), shared), t.number(97 + limit))
    assert compiled(shared)({"n": 2}) == t.evaluate(shared, {"n": 2})


def test_a_compiled_term_names_the_symbol_that_has_no_value() -> None:
    with pytest.raises(t.Undefined, match="missing"):
        compiled(t.add(t.symbol("missing"), t.number(1)))({})


def test_what_a_rewrite_went_through_is_let_go_of_without_the_collector() -> None:
    n, m = t.symbol("n", 0, 100), t.symbol("m", 0, 100)
    whole = t.add(t.quotient(n, t.number(3)), n)
    gc.collect()
    gc.disable()
    try:
        t.rewrite(whole, lambda part: m if part is n else None)
        t.rewrite_symbols(whole, {n: m}, {})
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.parametrize(("name", "value"), [("bits &", 0b1000), ("bits |", 0b1110), ("bits ^", 0b0110)])
def test_bits_of_numbers_are_a_number_also_behind_a_substitution(name: str, value: int) -> None:
    x = t.symbol("x", 0, 100)
    of_any = t.apply(name, (x, t.number(0b1010)), 0, 127)
    assert isinstance(of_any, t.Apply)
    assert t.substitute(of_any, {x: t.number(0b1100)}) == t.number(value)


def test_powers_of_two_and_bit_operations_of_known_numbers_are_known() -> None:
    bits, n = t.symbol("bits"), t.symbol("n")
    term = t.add(t.apply(t.POWER_OF_TWO, (bits,)), t.apply("bits ^", (n, t.number(3))))
    for evaluated in (lambda values: t.evaluate(term, values), compiled(term)):
        assert evaluated({"bits": 5, "n": 6}) == 32 + 5
    with pytest.raises(t.Undefined):
        t.evaluate(t.apply("brev", (n,)), {"n": 1})
