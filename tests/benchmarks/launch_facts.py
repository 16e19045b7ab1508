"""What contracts state of a launch against what a reader expects of it, fact by fact.

    right      the stated fact equals the expected one on all values tried
    wrong      it differs, or nobody expected it
    stronger   it claims more than the code warrants: more memory, or a condition that need not hold
    omitted    it is expected and not stated, or stated in names that the callers fix

A launch of several instances or callers has several contracts: the worst of their verdicts on a fact counts, once. What a
contract marks as inferred is no statement about the code; it is counted apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice, product

from cudalint.contract import Alias, Assume, Binding, Contract, Extent, Fact, Geometry, Missing, Nullable, Origin
from cudalint.term import (
    FALSE,
    IsZero,
    Sum,
    Symbol,
    Term,
    Wrapped,
    evaluator,
    free_symbols,
    interval,
    is_number,
    rewrite,
    text,
)
from cudalint.term import Undefined as NoValue
from tests.benchmarks.launch_expressions import Formula, Undefined, alternatives, canonical, drawn_values, equation

KINDS = ("geometry", "extent", "value", "range", "case", "caller", "null", "alias", "open", "name")
LIMITS = {"grid.x": (1 << 31) - 1, "grid.y": 65535, "grid.z": 65535, "block.x": 1024, "block.y": 1024, "block.z": 64}
TRIED, ENOUGH, MOST_COMBINATIONS = 6000, 40, 64
Values = dict[str, int]


class Verdict(IntEnum):
    """In the order in which one outweighs the other."""

    RIGHT = 0
    INFERRED = 1
    OMITTED = 2
    STRONGER = 3
    WRONG = 4


@dataclass(frozen=True, slots=True)
class Expected:
    """One fact as a reader found it: `subject` is a dimension, a parameter, or `-` for a condition.

    A `case` is a condition that tells launches at one place apart, or that has nothing to do with what the kernel gets: it
    may be stated. `open` is a pointer of which the code says nothing; a `name` is what contracts call a value, or what has it as
    a member.
    """

    subject: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Judged:
    subject: str
    kind: str
    verdict: Verdict
    expected: str
    stated: str


def judge(expected: Sequence[Expected], contracts: Sequence[Contract]) -> list[Judged]:
    """Each expected fact, and each that is stated and not expected, with its verdict."""
    counted = [e for e in expected if e.kind not in ("open", "name", "case")]
    if not contracts:
        return [Judged(e.subject, e.kind, Verdict.OMITTED, e.text, "no contract of this launch") for e in counted]
    worst: dict[tuple[str, str, str], Judged] = {}
    for contract in contracts:
        for judged in _best(_Comparison(expected, contract)):
            key = (judged.subject, judged.kind, judged.expected or judged.stated)
            if key not in worst or judged.verdict > worst[key].verdict:
                worst[key] = judged
    return list(worst.values())


def _best(comparison: _Comparison) -> list[Judged]:
    """Conditions of several launches at one place: what the contract is about is what it fits best."""
    found: list[Judged] = []
    for chosen in comparison.choices():
        judged = comparison.judged(chosen)
        if not found or _slips(judged) < _slips(found):
            found = judged
        if not _slips(found):
            break
    return found


def _slips(judged: list[Judged]) -> int:
    return sum(10 if each.verdict >= Verdict.STRONGER else 1 for each in judged if each.verdict > Verdict.INFERRED)


class _Comparison:
    """One contract against the expected facts of its launch."""

    def __init__(self, expected: Sequence[Expected], contract: Contract) -> None:
        self._expected, self._contract = expected, contract
        self._facts = [f for f in contract.facts if f.origin in (Origin.LAUNCH, Origin.INFERRED)]
        self._renamed = {e.text: canonical(e.subject) for e in expected if e.kind == "name"}
        terms = [t for fact in self._facts for t in _terms(fact)]
        self._symbols = {s for t in terms for s in free_symbols(t)}
        self._names = _plain_names(self._symbols, self._renamed)
        spelled = [e.text.lstrip("?") for e in expected if e.kind in ("geometry", "extent", "value", "range", "case")]
        formulas = [f for each in spelled for f in alternatives(each)]
        self._known = {name for f in formulas for name in f.names}
        self._inferred = {
            f.what.pointer for f in self._facts if isinstance(f.what, Extent) and f.origin is Origin.INFERRED
        }
        self._points: list[tuple[Values, Values]] = []
        self._chosen: tuple[Formula, ...] = ()

    def choices(self) -> Iterator[tuple[Formula, ...]]:
        """One alternative of each condition."""
        conditions = (alternatives(e.text) for e in self._expected if e.kind in ("range", "case"))
        return islice(product(*conditions), MOST_COMBINATIONS)

    def judged(self, chosen: tuple[Formula, ...]) -> list[Judged]:
        self._chosen, self._points = chosen, list(islice(self._tried(chosen), ENOUGH))
        return [*self._geometry(), *self._parameters(), *self._conditions()]

    # --- values that both sides are tried with -----------------------------------------------------------------------

    def _tried(self, chosen: Sequence[Formula]) -> Iterator[tuple[Values, Values]]:
        """Values by plain name, and by the contract's names, under the conditions and a valid launch."""
        names = sorted(self._known | set(self._names.values()))
        texts = [e.text for e in self._expected]
        equations = [e for f in chosen if (e := equation(f.text)) is not None]
        for values in drawn_values(names, texts, self._contract.kernel, TRIED):
            self._keep_intervals(values)
            try:
                for name, value in equations:
                    values[name] = value.value(values)
                if all(f.value(values) for f in chosen):
                    own = self._own(values)
                    if self._is_valid(own):
                        yield values, own
            except (Undefined, NoValue):
                continue

    def _keep_intervals(self, values: Values) -> None:
        for name in values:
            if name.endswith("has_value()"):
                values[name] %= 2
        for symbol in self._symbols:
            low, high = interval(symbol)
            name = self._names[symbol]
            if isinstance(symbol, Symbol) and (name.startswith("device.") or (low, high) == (0, 1)):
                values[name] = min(max(values[name], low or 0), high if high is not None else values[name])
            elif name.endswith(" is null"):
                values[name] = 0

    def _own(self, values: Values) -> Values:
        """Values of the contract's symbols; one that an assumed equation defines, and nobody else speaks of, follows it."""
        own = {str(s.parts[0]): values[self._names[s]] for s in self._symbols}
        for symbol, rest, sign in self._definitions():
            own[str(symbol.parts[0])] = sign * _value(rest, {**own, str(symbol.parts[0]): 0})
        return own

    def _definitions(self) -> Iterator[tuple[Symbol, Term, int]]:
        for fact in self._facts:
            if isinstance(fact.what, Assume) and isinstance(fact.what.cond, IsZero):
                inner = fact.what.cond.parts[0]
                for monomial, factor in inner.monomials if isinstance(inner, Sum) else ():
                    only = monomial[0] if len(monomial) == 1 and abs(factor) == 1 else None
                    if isinstance(only, Symbol) and self._names[only] not in self._known:
                        yield only, inner, -factor
                        break

    def _is_valid(self, own: Values) -> bool:
        for fact in self._facts:
            if isinstance(fact.what, Geometry):
                for subject, term in _dimensions(fact.what):
                    if term is not None and not self._is_lost(term) and not 1 <= _value(term, own) <= LIMITS[subject]:
                        return False
            if isinstance(fact.what, Extent) and not self._is_lost(fact.what.size) and _value(fact.what.size, own) < 0:
                return False
        return True

    def _assumptions_hold(self, point: tuple[Values, Values]) -> bool:
        conds = [f.what.cond for f in self._facts if isinstance(f.what, Assume) and f.origin is Origin.LAUNCH]
        return all(_holds(cond, point[1]) for cond in conds if not self._is_lost(cond))

    # --- verdicts ------------------------------------------------------------------------------------------------------

    def _geometry(self) -> Iterator[Judged]:
        geometry = next((f.what for f in self._facts if isinstance(f.what, Geometry)), None)
        if geometry is None:
            return
        wanted = {e.subject: e for e in self._expected if e.kind == "geometry"}
        stated = {**dict(_dimensions(geometry)), "shared": geometry.shared}
        for subject, term in stated.items():
            if subject in wanted:
                why = self._why_missing("shared" if subject == "shared" else subject.split(".")[0])
                yield self._compared(wanted[subject], term, why)
            elif wanted and term is not None and not is_number(term, 0 if subject == "shared" else 1):
                yield from self._unexpected(subject, "geometry", term)

    def _parameters(self) -> Iterator[Judged]:
        bindings = {f.what.parameter: f.what.value for f in self._facts if isinstance(f.what, Binding)}
        extents = {f.what.pointer: f.what for f in self._facts if isinstance(f.what, Extent)}
        nulls = {f.what.pointer: f.what for f in self._facts if isinstance(f.what, Nullable)}
        rows = {(e.subject, e.kind): e for e in self._expected}
        for row in self._expected:
            if row.kind == "value" and (row.subject in bindings or not row.text.startswith("?")):
                yield self._compared(row, bindings.get(row.subject), self._why_missing(row.subject))
            elif row.kind == "extent":
                yield self._extent(row, extents.get(row.subject), nulls.get(row.subject))
            elif row.kind in ("caller", "null", "alias"):
                yield self._named(row, extents, nulls)
        pointers = {e.subject for e in self._expected if e.kind in ("extent", "caller", "null", "open")}
        for name, term in bindings.items():
            if (name, "value") not in rows:
                yield from self._unexpected(name, "value", term)
        for name, extent in extents.items():
            if name not in pointers or (name, "open") in rows:
                yield from self._unexpected(name, "extent", extent.size)
        for fact in self._facts:
            if isinstance(fact.what, Alias) and not self._expects_alias(fact.what):
                yield Judged(f"{fact.what.a} {fact.what.b}", "alias", Verdict.WRONG, "", fact.text)

    def _expects_alias(self, alias: Alias) -> bool:
        pairs = [{e.subject, *e.text.split()} for e in self._expected if e.kind == "alias"]
        return any({alias.a, alias.b} <= pair for pair in pairs)

    def _extent(self, row: Expected, extent: Extent | None, null: Nullable | None) -> Judged:
        if extent is None and null is not None and null.present is FALSE:
            return self._judged(row, Verdict.RIGHT if row.text.endswith("0") else Verdict.WRONG, "null")
        return self._compared(row, extent.size if extent is not None else None, self._why_missing(row.subject))

    def _named(self, row: Expected, extents: dict[str, Extent], nulls: dict[str, Nullable]) -> Judged:
        null = nulls.get(row.subject)
        is_null = null is not None and null.present is FALSE
        if row.kind == "alias":
            held = any(
                isinstance(f.what, Alias) and {f.what.a, f.what.b} == {row.subject, row.text} for f in self._facts
            )
            return self._judged(row, Verdict.RIGHT if held else Verdict.OMITTED, "" if held else "not stated")
        if row.kind == "null" or (is_null and "null" in row.text):
            return self._judged(row, Verdict.RIGHT if is_null else Verdict.OMITTED, "" if is_null else "not stated")
        if row.subject in self._inferred:
            return self._judged(row, Verdict.INFERRED, f"{text(extents[row.subject].size)} bytes")
        if is_null or row.subject in extents:
            stated = "null" if is_null else f"{text(extents[row.subject].size)} bytes"
            return self._judged(row, Verdict.STRONGER, stated)
        missing = next((m for m in self._contract.missing if m.subject == row.subject), None)
        told = missing is not None and missing.caller is not None
        return self._judged(row, Verdict.RIGHT if told else Verdict.OMITTED, _reason(missing))

    def _conditions(self) -> Iterator[Judged]:
        for row, chosen in zip((e for e in self._expected if e.kind in ("range", "case")), self._chosen):
            if row.kind == "case":
                continue
            others = [f for f in self._chosen if f is not chosen]
            broken = [p for p in islice(self._tried(others), 4 * ENOUGH) if not _true(chosen, p[0])]
            slips = any(self._assumptions_hold(p) for p in broken)
            yield self._judged(row, Verdict.OMITTED if slips else Verdict.RIGHT, "not stated" if slips else "")
        for fact in self._facts:
            if isinstance(fact.what, Assume) and fact.origin is Origin.LAUNCH and not self._is_lost(fact.what.cond):
                if not all(_holds(fact.what.cond, own) for _, own in self._points):
                    yield Judged("-", "range", Verdict.STRONGER, "", f"{fact.text} [{text(fact.what.cond)}]")

    def _compared(self, row: Expected, term: Term | None, why: str) -> Judged:
        """An expected value against a stated one."""
        if term is None or self._is_lost(term):
            return self._judged(row, Verdict.OMITTED, why)
        stated = text(term)
        if row.kind == "extent" and row.subject in self._inferred:
            return self._judged(row, Verdict.INFERRED, stated)
        points = [
            (v, _value(term, own)) for v, own in self._points if self._assumptions_hold((v, own)) and _exact(term, own)
        ]
        if not points:
            return self._judged(row, Verdict.OMITTED, f"{stated}: no values to try it with")
        for each in alternatives(row.text.lstrip("?")):
            if all(_equals(each, values, found) for values, found in points):
                return self._judged(row, Verdict.RIGHT, stated)
        strange = sorted({self._names[s] for s in free_symbols(term)} - self._known)
        if strange:
            return self._judged(row, Verdict.OMITTED, f"{stated}: in terms of {', '.join(strange)}")
        more = row.kind == "extent" and any(_exceeds(row, values, found) for values, found in points)
        return self._judged(row, Verdict.STRONGER if more else Verdict.WRONG, stated)

    def _judged(self, row: Expected, verdict: Verdict, stated: str) -> Judged:
        return Judged(row.subject, row.kind, verdict, row.text or row.kind, stated)

    def _unexpected(self, subject: str, kind: str, term: Term) -> Iterator[Judged]:
        if not self._is_lost(term):
            verdict = Verdict.INFERRED if kind == "extent" and subject in self._inferred else Verdict.WRONG
            yield Judged(subject, kind, verdict, "", text(term))

    def _is_lost(self, term: Term) -> bool:
        """Whether a value in it was lost on the way: nothing is stated then."""
        return any(str(s.parts[0]).startswith("~") and str(s.parts[0]) not in self._renamed for s in free_symbols(term))

    def _why_missing(self, subject: str) -> str:
        return _reason(next((m for m in self._contract.missing if m.subject == subject), None))


def _reason(missing: Missing | None) -> str:
    return "not stated" if missing is None else missing.reason


def _plain_names(symbols: Iterable[Term], renamed: dict[str, str]) -> dict[Term, str]:
    """The symbols' names without the host function; two that would get one name are told apart by primes."""
    found: dict[Term, str] = {}
    taken: set[str] = set()
    for symbol in sorted(symbols, key=lambda s: str(s.parts[0])):
        own = str(symbol.parts[0])
        plain = own.removeprefix("~").split(":", 1)[-1].split("#")[0].split("@")[0]
        name = renamed.get(own) or renamed.get(own.split(":", 1)[-1]) or canonical(_by_owner(plain, renamed))
        while name in taken:
            name += "'"
        found[symbol] = name
        taken.add(name)
    return found


def _by_owner(name: str, renamed: dict[str, str]) -> str:
    """The name of a member, where what has it goes by another name."""
    places = (at for at in range(len(name), 0, -1) if at == len(name) or name[at] == ".")
    return next((f"{renamed[name[:at]]}{name[at:]}" for at in places if name[:at] in renamed), name)


def _terms(fact: Fact) -> list[Term]:
    what = fact.what
    if isinstance(what, Geometry):
        return [t for t in (*what.grid, *what.block, what.shared) if t is not None]
    if isinstance(what, Assume):
        return [what.cond]
    if isinstance(what, Binding):
        return [what.value]
    if isinstance(what, Extent):
        return [what.size]
    return [what.present] if isinstance(what, Nullable) and what.present is not None else []


def _dimensions(geometry: Geometry) -> list[tuple[str, Term | None]]:
    names = [f"{what}.{axis}" for what in ("grid", "block") for axis in "xyz"]
    return list(zip(names, (*geometry.grid, *geometry.block)))


def _value(term: Term, own: Values) -> int:
    return evaluator(own)(term)


def _holds(cond: Term, own: Values) -> bool:
    try:
        return bool(_value(cond, own))
    except NoValue:
        return True


def _exact(term: Term, own: Values) -> bool:
    """Whether no conversion changes a value in the term: what huge sizes wrap to is no matter of this comparison."""
    try:
        return _value(term, own) == _value(rewrite(term, _unwrapped), own)
    except NoValue:
        return False


def _unwrapped(term: Term) -> Term | None:
    return rewrite(term.parts[0], _unwrapped) if isinstance(term, Wrapped) else None


def _true(each: Formula, values: Values) -> bool:
    try:
        return bool(each.value(values))
    except Undefined:
        return True


def _equals(each: Formula, values: Values, found: int) -> bool:
    try:
        return each.value(values) == found
    except Undefined:
        return False


def _exceeds(row: Expected, values: Values, found: int) -> bool:
    try:
        return found > max(each.value(values) for each in alternatives(row.text))
    except Undefined:
        return False


def counted(judged: Iterable[Judged]) -> Counter[Verdict]:
    return Counter(each.verdict for each in judged)
