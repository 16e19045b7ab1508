"""Each fact of a contract against one recorded launch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from cudalint import ir
from cudalint.contract import Alias, Assume, Binding, Contract, Extent, Geometry, Nullable
from cudalint.symbolic.solver.query import Solver
from cudalint.symbolic.solver.question import Query, Unsatisfiable
from cudalint.term import (
    FALSE,
    TRUE,
    IsZero,
    Number,
    Sum,
    Symbol,
    Term,
    Wrapped,
    at_most,
    equal,
    free_symbols,
    interval,
    negation,
    number,
    rewrite,
    scale,
    subtract,
    text,
)
from tests.benchmarks.recorded_launches import Address, Argument, Launch, Scalar, Stated, arguments_of, contracts_for

SOLVER_STEPS = 2_000_000


class Kind(Enum):
    CHECKED = "checked"
    NAMES = "names"
    OPEN = "open"
    UNRECORDED = "not recorded"
    CONTRADICTED = "contradicted"


@dataclass(slots=True)
class Claim:
    """What a fact says of the launch; `term` is None where the recorder has nothing to hold against it."""

    subject: str
    stated: str
    recorded: str
    term: Term | None
    kind: Kind = Kind.OPEN


@dataclass(frozen=True, slots=True)
class Outcome:
    """All facts of one contract under one launch."""

    claims: tuple[Claim, ...]

    def kinds(self) -> list[Kind]:
        return [claim.kind for claim in self.claims]

    def contradicted(self) -> list[Claim]:
        return [claim for claim in self.claims if claim.kind is Kind.CONTRADICTED]


def best_outcome(launch: Launch, stated: Sequence[Stated]) -> Outcome | None:
    """Under the contract with the fewest contradictions, then with the most facts that were checked."""
    found = [outcome for each in contracts_for(launch, stated) if (outcome := outcome_of(launch, each)) is not None]
    return min(found, key=lambda o: (len(o.contradicted()), -o.kinds().count(Kind.CHECKED)), default=None)


def outcome_of(launch: Launch, stated: Stated) -> Outcome | None:
    """None if the kernel's parameters are not those that were recorded."""
    arguments = arguments_of(stated.kernel, launch)
    if arguments is None:
        return None
    claims = list(claims_of(stated.contract, launch, arguments))
    known = _Known(_recorded_values(arguments, launch))
    known.settle(claims)
    claims += _buffers(stated.contract, arguments, known)
    _decide_open(claims, known)
    return Outcome(tuple(claims))


# --- what facts say ------------------------------------------------------------------------------------------------------


def claims_of(contract: Contract, launch: Launch, arguments: dict[str, Argument]) -> Iterator[Claim]:
    """Geometry, arguments, conditions, then memory."""
    for fact in sorted(contract.facts, key=lambda f: isinstance(f.what, Extent | Nullable)):
        what = fact.what
        if isinstance(what, Geometry):
            yield from _geometry(what, launch)
        elif isinstance(what, Binding):
            yield _binding(what, arguments)
        elif isinstance(what, Assume):
            yield Claim("condition", fact.text or text(what.cond), "", what.cond)
        elif isinstance(what, Extent):
            yield from _extent(what, arguments)
        elif isinstance(what, Nullable):
            yield from _nullable(what, arguments)
        elif not isinstance(what, Alias):
            yield Claim(type(what).__name__, fact.text, "", None)


def _geometry(what: Geometry, launch: Launch) -> Iterator[Claim]:
    stated = (*what.grid, *what.block, what.shared)
    recorded = (*launch.grid, *launch.block, launch.shared)
    names = [f"{part}.{axis}" for part in ("grid", "block") for axis in "xyz"]
    for name, term, value in zip([*names, "shared"], stated, recorded):
        if term is not None:
            yield Claim(name, text(term), str(value), equal(term, number(value)))
    if what.cooperative != (launch.how == "cooperative"):
        yield Claim("cooperative", str(what.cooperative), launch.how, FALSE)


def _binding(what: Binding, arguments: dict[str, Argument]) -> Claim:
    argument = arguments.get(what.parameter)
    if not isinstance(argument, Scalar):
        return Claim(what.parameter, text(what.value), "", None)
    return Claim(what.parameter, text(what.value), str(argument.value), equal(what.value, number(argument.value)))


def _extent(what: Extent, arguments: dict[str, Argument]) -> Iterator[Claim]:
    address, size = arguments.get(what.pointer), _bytes(what, arguments)
    stated = f"{text(what.size)} {what.unit}"
    if not isinstance(address, Address) or size is None or (address.memory is None and not address.null):
        yield Claim(f"extent of {what.pointer}", stated, "", None)
        return
    left = address.memory.left if address.memory is not None else 0
    yield Claim(f"extent of {what.pointer}", stated, f"{left} bytes", at_most(size, number(left)))
    if what.offset is not None and address.memory is not None and not what.given:
        at = address.memory.offset
        yield Claim(f"offset of {what.pointer}", text(what.offset), str(at), equal(what.offset, number(at)))


def _bytes(what: Extent, arguments: dict[str, Argument]) -> Term | None:
    if what.unit == "bytes":
        return what.size
    address = arguments.get(what.pointer)
    element = ir.size_of(address.element) if isinstance(address, Address) else None
    return None if element is None else scale(what.size, element)


def _nullable(what: Nullable, arguments: dict[str, Argument]) -> Iterator[Claim]:
    address = arguments.get(what.pointer)
    if what.present is not None and isinstance(address, Address):
        cond = negation(what.present) if address.null else what.present
        yield Claim(f"null {what.pointer}", text(what.present), "null" if address.null else "memory", cond)


def _buffers(contract: Contract, arguments: dict[str, Argument], known: _Known) -> Iterator[Claim]:
    """Pointers of one buffer point into one allocation; those of several do not overlap, unless the contract says so."""
    extents = {f.what.pointer: f.what for f in contract.facts if isinstance(f.what, Extent)}
    allowed = [{f.what.a, f.what.b} for f in contract.facts if isinstance(f.what, Alias)]
    seen: list[tuple[Extent, Address]] = []
    for extent in extents.values():
        address = arguments.get(extent.pointer)
        if not isinstance(address, Address) or address.memory is None or extent.buffer is None:
            continue
        for other, there in seen:
            assert there.memory is not None
            names = f"{other.pointer} and {extent.pointer}"
            same = address.memory.allocation == there.memory.allocation
            if other.buffer == extent.buffer and not extent.given:
                yield Claim(names, f"both in {extent.buffer}", "", TRUE if same else FALSE, Kind.CHECKED)
            elif other.buffer != extent.buffer and {other.pointer, extent.pointer} not in allowed:
                apart = not same or _are_apart((other, there), (extent, address), arguments, known)
                yield Claim(
                    names, f"{other.buffer} and {extent.buffer}", "overlap", TRUE if apart else FALSE, Kind.CHECKED
                )
        seen.append((extent, address))


def _are_apart(
    a: tuple[Extent, Address], b: tuple[Extent, Address], arguments: dict[str, Argument], known: _Known
) -> bool:
    assert a[1].memory is not None and b[1].memory is not None
    first, second = sorted((a, b), key=lambda each: each[1].memory.offset if each[1].memory else 0)
    assert first[1].memory is not None and second[1].memory is not None
    size = _bytes(first[0], arguments)
    reach = known.value(size) if size is not None else None
    distance = second[1].memory.offset - first[1].memory.offset
    return distance >= reach if reach is not None else distance > 0


# --- what follows from what was recorded ---------------------------------------------------------------------------------


def _recorded_values(arguments: dict[str, Argument], launch: Launch) -> dict[str, int]:
    scalars = {name: each.value for name, each in arguments.items() if isinstance(each, Scalar)}
    return {**scalars, **{f"device.{name}": value for name, value in launch.device.items()}}


@dataclass(slots=True)
class _Known:
    """Values of symbols by the recorded names or from single equations, and of larger terms that equations fix as a whole.

    What fixes a larger term is `loose`: the values of its symbols may be learnt later, and then have to agree.
    """

    names: dict[str, int]
    symbols: dict[Term, int] = field(default_factory=dict)
    larger: dict[Term, int] = field(default_factory=dict)
    loose: list[Claim] = field(default_factory=list)

    def _leaf(self, term: Term) -> Term | None:
        if term in self.symbols:
            return number(self.symbols[term])
        if isinstance(term, Symbol) and term.name in self.names:
            return number(self.names[term.name])
        return None

    def by_symbols(self, term: Term) -> Term:
        return rewrite(term, self._leaf)

    def rewritten(self, term: Term) -> Term:
        """With all that is known, larger terms before the symbols in them."""
        whole = {t: number(v) for t, v in self.larger.items()}
        return self.by_symbols(rewrite(term, whole.get)) if whole else self.by_symbols(term)

    def value(self, term: Term) -> int | None:
        found = self.rewritten(term)
        return found.value if isinstance(found, Number) else None

    def settle(self, claims: Sequence[Claim]) -> None:
        """Decide claims whose values are known, and let equations with one unknown fix it, until nothing changes."""
        for claim in claims:
            if claim.term is None:
                claim.kind = Kind.UNRECORDED
        waiting = [claim for claim in claims if claim.kind is Kind.OPEN]
        while any(self._step(c, larger) for larger in (False, True) for c in waiting if c.kind is Kind.OPEN):
            pass
        for claim in self.loose:
            if claim.kind is Kind.NAMES and claim.term is not None:
                self._decide(claim, self.by_symbols(claim.term))

    def _step(self, claim: Claim, larger: bool) -> bool:
        assert claim.term is not None
        now = self.rewritten(claim.term)
        if self._decide(claim, now):
            return True
        found = _single(now.parts[0]) if isinstance(now, IsZero) else None
        if found is None or (not larger and not isinstance(found[0], Symbol)):
            return False
        atom, value = found
        low, high = interval(atom)
        fits = (low is None or low <= value) and (high is None or value <= high)
        claim.kind = Kind.NAMES if fits else Kind.CONTRADICTED
        if isinstance(atom, Symbol):
            self.symbols[atom] = value
        else:
            self.larger[atom] = value
            self.loose.append(claim)
        return True

    def _decide(self, claim: Claim, now: Term) -> bool:
        if now is not TRUE and now is not FALSE:
            return False
        claim.kind = Kind.CHECKED if now is TRUE else Kind.CONTRADICTED
        return True


def _single(term: Term) -> tuple[Term, int] | None:
    """The unknown and its value where `term == 0` fixes it: one atom, with conversions that lose nothing undone."""
    if not isinstance(term, Sum):
        return (term, 0) if free_symbols(term) else None
    if len(term.monomials) != 1:
        return None
    (monomial, factor), constant = term.monomials[0], term.constant
    if len(monomial) != 1 or constant % factor:
        return None
    atom, value = monomial[0], -constant // factor
    if isinstance(atom, Wrapped) and (inside := _unwrapped(atom, value)) is not None:
        return inside
    return atom, value


def _unwrapped(atom: Wrapped, value: int) -> tuple[Term, int] | None:
    """What the value of a conversion says of its argument, if the argument has one value with that remainder."""
    inner, bits = atom.parts[0], int(atom.parts[1])
    low, high = interval(inner)
    if low is None or high is None or high - low >= 1 << bits:
        return None
    lifted = low + (value - low) % (1 << bits)
    return _single(subtract(inner, number(lifted))) if lifted <= high else None


def _decide_open(claims: Sequence[Claim], known: _Known) -> None:
    """Open claims must hold together: where they do not, those that break what came before are contradicted."""
    for claim in claims:
        if claim.kind is Kind.CHECKED and claim.term is FALSE:
            claim.kind = Kind.CONTRADICTED
    left = [(c, known.rewritten(c.term)) for c in claims if c.kind is Kind.OPEN and c.term is not None]
    loose = [known.by_symbols(c.term) for c in known.loose if c.kind is Kind.NAMES and c.term is not None]
    if not _is_impossible([*loose, *(term for _, term in left)]):
        return
    if _is_impossible(loose):
        known.loose[-1].kind = Kind.CONTRADICTED
        loose = []
    for claim, term in left:
        if _is_impossible([*loose, term]):
            claim.kind = Kind.CONTRADICTED
        else:
            loose.append(term)


def _is_impossible(terms: list[Term]) -> bool:
    if FALSE in terms:
        return True
    query = Query("recorded launch", tuple(terms), SOLVER_STEPS)
    return isinstance(Solver().check(query), Unsatisfiable)
