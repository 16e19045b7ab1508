"""The facts of a contract in their final form: one name for one value, ordinary ranks, choices with names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import reduce

from cudalint import ir
from cudalint.contract import (
    Alias,
    Assume,
    Binding,
    Chosen,
    Contract,
    Extent,
    Fact,
    Geometry,
    Held,
    Missing,
    Nullable,
    Origin,
    Placed,
    What,
)
from cudalint.finding import CHOSEN
from cudalint.source import Span
from cudalint.symbolic.host.narrow import Ranges
from cudalint.symbolic.host.positive import INT_MAX
from cudalint.symbolic.host.same import representatives
from cudalint.symbolic.host.text import is_large, plain, shown
from cudalint.symbolic.host.values import APPROXIMATE
from cudalint.symbolic.host.whole_rows import SIZE, whole_counts
from cudalint.symbolic.host.world import World
from cudalint.symbolic.model import CHOICE_LABEL
from cudalint.symbolic.walk.parameters import BLOCK_LIMITS, GRID_LIMITS
from cudalint.term import (
    FALSE,
    TRUE,
    Choice,
    Flag,
    Not,
    Number,
    Symbol,
    Term,
    at_most,
    cached_by_term,
    children,
    choice,
    disjunction,
    equal,
    free_symbols,
    holds_any,
    interval,
    is_number,
    multiply,
    number,
    rewrite,
    rewrite_symbols,
    substitute,
    subterms,
    symbol,
)

_INFERRED_RANK = 1
_LARGEST_DIMENSION = INT_MAX
LARGEST_CHOICE = 60
_MOST_NAMED = 6


def without_devices(facts: list[Fact]) -> list[Fact]:
    """On which device a tensor is says nothing of sizes: conditions on it count where the launch itself depends on it."""
    used = {a.name for f in facts if not isinstance(f.what, Assume) for a in _symbols_of(f.what)}
    return [
        f
        for f in facts
        if not isinstance(f.what, Assume)
        or all(".device()" not in a.name or a.name in used for a in _symbols_of(f.what))
    ]


def with_decided_flags(facts: list[Fact], path: tuple[Term, ...]) -> list[Fact]:
    """Choices on a flag that the way to the launch decides are decided: `src ? src->ne[0] : 0` before `src->type` is read."""
    decided: dict[Term, Term] = {}
    for cond in path:
        if isinstance(cond, Flag):
            decided[cond] = TRUE
        elif isinstance(cond, Not) and isinstance(cond.parts[0], Flag):
            decided[cond.parts[0]] = FALSE
    if not decided:
        return facts
    simple = _substituted(facts, decided)
    return [fact for fact in simple if not (isinstance(fact.what, Assume) and fact.what.cond is TRUE)]


def with_passed_on(facts: list[Fact], world: World) -> list[Fact]:
    """A count that a loop has put together and that is passed on as it is: for who gets it, what a caller chooses."""
    atoms = {a for fact in facts for term in all_terms(fact.what) for a in free_symbols(term)}
    lost = sorted(
        (a for a in atoms if isinstance(a, Symbol) and a.name in world.passed and is_unsettled(a)), key=lambda s: s.name
    )
    counted = [s for s in lost if s.name.startswith(APPROXIMATE) and "in a loop" in world.why(s.name)]
    mapping: dict[Term, Term] = {}
    for place, old in enumerate(counted):
        name = old.name.removeprefix(APPROXIMATE).partition("#")[0]
        mapping[old] = symbol(f"{name}@{place}", *old.parts[1:])  # the bare name is what the variable was at first
    return _substituted(facts, mapping) if mapping else facts


def with_inferred_ranks(facts: list[Fact]) -> list[Fact]:
    """A tensor whose sizes 0 to r - 1 matter to the launch, and no other, is taken to have r dimensions (DESIGN 3, origin 7)."""
    names, sizes = _sizes_in(facts)
    alike = _equal_counts(facts)
    others = (f for f in facts if f not in alike and not isinstance(f.what, Extent) and not _limits_a_count(f))
    tied = {a for f in others for a in _symbols_of(f.what)}
    same = representatives(f.what.cond for f in alike if isinstance(f.what, Assume))
    mapping: dict[Term, Term] = {}
    products: dict[Term, Term] = {}
    for count in sorted(names - tied, key=lambda s: s.name):
        dims = sizes.get(count.name.removesuffix(".numel()"), {})
        if len(dims) >= _INFERRED_RANK and set(dims) == set(range(len(dims))):
            mapping[count] = _product(dims)
            products.setdefault(same.get(count, count), mapping[count])
    for count in names - tied - set(mapping):
        if same.get(count, count) in products:
            mapping[count] = products[same.get(count, count)]
    return [_of_inferred_rank(fact, mapping) for fact in facts] if mapping else facts


def with_counted_sizes(facts: list[Fact], path: tuple[Term, ...], span: Span) -> list[Fact]:
    """A tensor that is not empty has at least as many elements as those sizes make that the host code reads of it.

    And it has a multiple of what the conditions on the way say that its rows are one of.
    """
    names, sizes = _sizes_in(facts)
    found: list[Fact] = []
    for count in sorted((n for n in names if n.name.endswith(".numel()")), key=lambda s: s.name):
        own = sorted(sizes.get(count.name.removesuffix(".numel()"), {}).items())
        from_ends = [[size for index, size in own if index >= 0], [size for index, size in own if index < 0]]
        for dims in filter(None, from_ends):  # one dimension may be counted from both
            product = reduce(multiply, dims, number(1))
            cond = disjunction(equal(count, number(0)), at_most(product, count))
            text = f"{shown(product)} <= {shown(count)} unless it is empty (its dimensions)"
            found.append(Fact(Assume(cond), Origin.LIMIT, text))
        found += [
            Fact(Assume(cond), Origin.LAUNCH, f"{shown(cond)} (its dimensions)", span)
            for cond in whole_counts(path, count)
        ]
    return [*facts, *found]


def with_named_choices(facts: list[Fact]) -> list[Fact]:
    """`n = argc > 1 ? atoi(argv[1]) : 1024`: products of such sizes are products of names, and equations say what these are."""
    names: dict[Term, Symbol] = {}

    def leaf(part: Term) -> Term | None:
        if not isinstance(part, Choice) or not all(map(_is_plain, part.parts[1:])):
            return None
        inputs = sorted(str(s.parts[0]) for branch in part.parts[1:] for s in free_symbols(branch))
        if not inputs or any(is_unsettled(s) for s in free_symbols(part)):
            return None
        return names.setdefault(part, symbol(f"{inputs[0]}@choice{len(names) + 1}", *interval(part)))

    memo: dict[Term, Term] = {}
    named = [
        mapped(fact, lambda term: rewrite(term, leaf, memo) if holds_any(term, Choice) else term) for fact in facts
    ]
    span = facts[0].span if facts else None
    equations = [(equal(name, given), f"one of its sizes is {shown(given)}") for given, name in names.items()]
    return [*named, *(Fact(Assume(cond), Origin.LAUNCH, text, span) for cond, text in equations)]


def _is_plain(branch: Term) -> bool:
    """An input or a number."""
    return isinstance(branch, Symbol | Number)


def _product(dims: dict[int, Symbol]) -> Term:
    product = number(1)
    for index in range(len(dims)):
        product = multiply(product, dims[index])
    return product


def _limits_a_count(fact: Fact) -> bool:
    """`x.numel() < (1 << 30)`: says nothing of its dimensions."""
    atoms = _symbols_of(fact.what)
    return isinstance(fact.what, Assume) and len(atoms) == 1 and all(a.name.endswith(".numel()") for a in atoms)


def _equal_counts(facts: list[Fact]) -> list[Fact]:
    """`a.numel() == b.numel()`, as two tensors of one shape have it."""
    conds = [(f, f.what.cond) for f in facts if isinstance(f.what, Assume) and representatives([f.what.cond])]
    return [f for f, cond in conds if all(str(a.parts[0]).endswith(".numel()") for a in free_symbols(cond))]


def _symbols_of(what: What) -> set[Symbol]:
    return {a for term in all_terms(what) for a in free_symbols(term) if isinstance(a, Symbol)}


def _sizes_in(facts: list[Fact]) -> tuple[set[Symbol], dict[str, dict[int, Symbol]]]:
    """All inputs that the facts speak of, and the sizes among them by tensor and dimension."""
    names = {a for f in facts for a in _symbols_of(f.what)}
    sizes: dict[str, dict[int, Symbol]] = {}
    for name in names:
        named = SIZE.match(name.name)
        if named:
            sizes.setdefault(named[1], {})[int(named[2])] = name
    return names, sizes


def with_ordinary_dimensions(facts: list[Fact]) -> list[Fact]:
    """One dimension of several does not reach 2^31, as large as their product may get; the facts are simplified by it."""
    _, sizes = _sizes_in(facts)
    several = [size for dims in sizes.values() if any(dims) for size in dims.values()]
    if not several:
        return facts
    dimensions, known = Ranges(), Ranges()
    text = "a dimension has less than 2^31 elements"
    limits: list[Fact] = []
    for size in sorted(several, key=lambda s: s.name):
        cond = at_most(size, number(_LARGEST_DIMENSION))
        dimensions.learn(cond)
        known.learn(cond)
        limits.append(Fact(Assume(cond), Origin.LIMIT, f"{shown(size)} < 2^31 ({text})"))
    conditions = {id(f): mapped(f, dimensions.simplified) for f in facts if isinstance(f.what, Assume)}
    for fact in conditions.values():
        if isinstance(fact.what, Assume):
            known.learn(fact.what.cond)
    told = {place: _told_again(fact, mapped(fact, known.without_decided_choices)) for place, fact in conditions.items()}
    return [*(told.get(id(f)) or mapped(f, known.simplified) for f in facts), *limits]


def _of_inferred_rank(fact: Fact, mapping: dict[Term, Term]) -> Fact:
    counts = _symbols_of(fact.what) if _limits_a_count(fact) else set()
    if isinstance(fact.what, Extent):
        counts = set(free_symbols(fact.what.size))  # type: ignore[arg-type]
    if counts.isdisjoint(mapping):
        return fact
    ranks = sorted(f"{plain(str(c.parts[0]))} == {shown(mapping[c])}" for c in counts if c in mapping)
    changed = mapped(fact, lambda term: substitute(term, mapping))
    text, checks = f"{fact.text}, if {' and '.join(ranks)}", (*fact.checks, *ranks)
    return replace(changed, origin=Origin.INFERRED, text=text, checks=checks)


def with_one_name(facts: list[Fact]) -> tuple[Fact, ...]:
    """The facts, where inputs that one of them equates have one name in all others; what is only declared renames nothing."""
    run = [fact for fact in facts if fact.origin is not Origin.SCHEMA]
    mapping = representatives(fact.what.cond for fact in run if isinstance(fact.what, Assume))
    equations = {f.what.cond for f in facts if isinstance(f.what, Assume) and representatives([f.what.cond])}
    found = (
        fact
        if isinstance(fact.what, Assume) and fact.what.cond in equations
        else _told_again(fact, mapped(fact, lambda term: substitute(term, mapping)))
        for fact in facts
    )
    return tuple(fact for fact in found if not (isinstance(fact.what, Assume) and fact.what.cond is TRUE))


def _told_again(before: Fact, after: Fact) -> Fact:
    """A launch that an equation has made simpler, in words that say so."""
    if isinstance(after.what, Geometry) and after.what != before.what:
        return replace(after, text=geometry_text(after.what))
    if isinstance(after.what, Assume) and isinstance(before.what, Assume) and before.text == shown(before.what.cond):
        return replace(after, text=shown(after.what.cond))
    return after


def renumbered(contract: Contract) -> Contract:
    """The contract with its unknowns and buffers numbered from 1, so that two that differ in numbers only are equal.

    A choice too large to ask a solver about becomes an unknown as well: the same one in all facts, with an equation that says
    what it is where the choices inside it have names.
    """
    contract = replace(contract, facts=without_large_choices(contract.facts))
    terms = [term for fact in contract.facts for term in all_terms(fact.what)]
    terms += [fact.what.value for fact in contract.facts if isinstance(fact.what, Chosen)]
    unknowns = {s for term in terms for s in free_symbols(term) if isinstance(s, Symbol) and "#" in s.name}
    mapping: dict[Term, Term] = {}
    for count, old in enumerate(sorted(unknowns, key=_number_of), 1):
        base, mark = old.name.split("#", 1)
        tail = mark.lstrip("0123456789abcdef")
        mapping[old] = symbol(f"{base}#{count}{tail}", *old.parts[1:])
    return replace(contract, facts=_with_numbered_buffers(tuple(_substituted(contract.facts, mapping))))


def _with_numbered_buffers(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """`f:x` is the first buffer of that name in the contract, `f:x#2` another one."""
    named: dict[str, str] = {}
    counts: Counter[str] = Counter()
    found = []
    for fact in facts:
        if isinstance(fact.what, Extent) and fact.what.buffer is not None:
            old = fact.what.buffer
            base = old.partition("#")[0]
            if old not in named:
                counts[base] += 1
                named[old] = base if counts[base] == 1 else f"{base}#{counts[base]}"
            fact = replace(fact, what=replace(fact.what, buffer=named[old]))
        found.append(fact)
    return tuple(found)


def unstated(contract: Contract, kernel: ir.Function, reason: str) -> Contract:
    """A launch at the same place of which nothing is known: dimensions and numbers are values that were lost."""
    dims = {
        part: tuple(symbol(f"{APPROXIMATE}{part}.{axis}", 1, limit) for axis, limit in zip("xyz", limits.values()))
        for part, limits in (("grid", GRID_LIMITS), ("block", BLOCK_LIMITS))
    }
    geometry = Geometry(dims["grid"], dims["block"], symbol(f"{APPROXIMATE}shared", 0, INT_MAX))  # type: ignore[arg-type]
    numbers = {p.var.name: ir.int_range(p.var.type) for p in kernel.params if isinstance(p.var.type, ir.Int)}
    stated: list[What] = [geometry]
    stated += [Binding(name, symbol(f"{APPROXIMATE}{name}", *limits)) for name, limits in numbers.items()]
    facts = tuple(Fact(what, Origin.LAUNCH, reason) for what in stated)
    return replace(contract, facts=facts, missing=tuple(Missing(part, reason) for part in dims))


def mapped(fact: Fact, change: Callable[[Term], Term]) -> Fact:
    what = _changed(fact.what, change)
    return fact if what is fact.what else replace(fact, what=what)


def _substituted(facts: Iterable[Fact], mapping: Mapping[Term, Term]) -> list[Fact]:
    memo: dict[Term, Term] = {}
    return [mapped(fact, lambda term: rewrite_symbols(term, mapping, memo)) for fact in facts]


def _home(value: Term) -> str:
    """The host function of which a value is made: the first of them."""
    return min((str(s.parts[0]).rpartition(":")[0] for s in free_symbols(value)), default="")


def without_large_choices(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """`max(1, min((n + 255) / 256, 65535))` repeats its inner choice four times: by names it is small."""
    names: dict[Term, Symbol] = {}
    taken = _last_named(facts)
    equations: dict[Symbol, Term] = {}
    unknowns: dict[Symbol, Term] = {}

    def named(part: Term) -> Term | None:
        if not isinstance(part, Choice):
            return None
        if part not in names:
            inner = choice(*(rewrite(child, named) for child in children(part)))
            names[part] = symbol(f"{_home(inner)}{CHOSEN}{taken + len(names) + 1}", *interval(part))
            equations[names[part]] = inner
        return names[part]

    def leaf(part: Term) -> Term | None:
        if not isinstance(part, Choice) or not is_large(part, LARGEST_CHOICE):
            return None
        if part in names or _is_nested_little(part):
            return named(part)
        home = _home(part).removeprefix(APPROXIMATE)
        unknown = symbol(f"{APPROXIMATE}{home}{CHOICE_LABEL}{part.digest.hex()[:8]}", *interval(part))
        unknowns[unknown] = part
        return unknown

    found = [
        fact
        if isinstance(fact.what, Chosen)
        else mapped(fact, lambda term: rewrite(term, leaf) if is_large(term, LARGEST_CHOICE) else term)
        for fact in facts
    ]
    span = facts[0].span if facts else None
    stated = [(equal(name, value), f"{shown(name)} == {shown(value)}") for name, value in equations.items()]
    said = [Fact(Chosen(unknown, part), Origin.LAUNCH, shown(unknown), span) for unknown, part in unknowns.items()]
    return (*found, *(Fact(Assume(cond), Origin.LAUNCH, text, span) for cond, text in stated), *said)


def _last_named(facts: Iterable[Fact]) -> int:
    """The largest number in the name of a choice that has one already: another one has another name."""
    symbols = (atom for fact in facts for term in all_terms(fact.what) for atom in free_symbols(term))
    numbers = (str(atom.parts[0]).rpartition(CHOSEN)[2] for atom in symbols if CHOSEN in str(atom.parts[0]))
    return max((int(each) for each in numbers if each.isdigit()), default=0)


def _is_nested_little(part: Choice) -> bool:
    """A few choices of what the host code knows, each small once those inside it have names."""
    inside = [term for term in subterms([part]) if isinstance(term, Choice)]
    return len(inside) <= _MOST_NAMED and not any(
        isinstance(atom, Flag) or str(atom.parts[0]).startswith(APPROXIMATE) or str(atom.parts[0]).endswith("~")
        for atom in free_symbols(part)
    )


def _number_of(unknown: Symbol) -> tuple[int, str]:
    digits = unknown.name.split("#", 1)[1]
    return (int(digits) if digits.isdigit() else 0, unknown.name)


def _changed(what: What, change: Callable[[Term], Term]) -> What:
    def new(term: Term | None) -> Term | None:
        return None if term is None else change(term)

    if isinstance(what, Geometry):
        (x, y, z), (u, v, w) = what.grid, what.block
        grid, block = (new(x), new(y), new(z)), (new(u), new(v), new(w))
        return Geometry(grid, block, new(what.shared), what.cooperative)
    if isinstance(what, Assume):
        cond = change(what.cond)
        return what if cond is what.cond else Assume(cond)
    if isinstance(what, Binding):
        value = change(what.value)
        return what if value is what.value else Binding(what.parameter, value)
    if isinstance(what, Extent):
        return replace(what, size=change(what.size), offset=new(what.offset))
    if isinstance(what, Placed):
        return replace(what, value=change(what.value))
    if isinstance(what, Chosen):
        name = change(what.name)
        return Chosen(name, change(what.value)) if isinstance(name, Symbol) else what
    if isinstance(what, Held):
        return replace(what, value=change(what.value), count=change(what.count))
    if isinstance(what, Alias):
        return replace(what, distance=new(what.distance))
    return Nullable(what.pointer, new(what.present)) if isinstance(what, Nullable) else what


def all_terms(what: What) -> list[Term]:
    return [what.cond] if isinstance(what, Assume) else terms_of(what)


def geometry_text(launch: Geometry) -> str:
    grid, block = (tuple(d for d in dims if d is not None) for dims in (launch.grid, launch.block))
    text = f"grid = {_tuple_text(grid)}, block = {_tuple_text(block)}"
    if launch.shared is not None and not is_number(launch.shared, 0):
        text += f", shared = {shown(launch.shared)} bytes"
    return text


def _tuple_text(dims: tuple[Term, ...]) -> str:
    used = len(dims)
    while used > 1 and is_number(dims[used - 1], 1):
        used -= 1
    inner = ", ".join(shown(d) for d in dims[:used])
    return inner if used == 1 else f"({inner})"


def is_unsettled(symbol: Term) -> bool:
    """A value that was lost, or belongs to one iteration of a loop."""
    return str(symbol.parts[0]).startswith(APPROXIMATE) or "#" in str(symbol.parts[0])


def terms_of(what: What) -> list[Term]:
    if isinstance(what, Geometry):
        return [t for t in (*what.grid, *what.block, what.shared) if t is not None]
    if isinstance(what, Binding | Placed):
        return [what.value]
    if isinstance(what, Extent):
        return [what.size] + ([what.offset] if what.offset is not None else [])
    if isinstance(what, Nullable) and what.present is not None:
        return [what.present]
    return []


@cached_by_term(maxsize=1 << 12)
def large_choices(term: Term) -> frozenset[Term]:
    """The outermost choices in the term that a solver is not asked about."""
    found: set[Term] = set()
    if not holds_any(term, Choice):
        return frozenset()

    def leaf(part: Term) -> Term | None:
        if not isinstance(part, Choice) or not is_large(part, LARGEST_CHOICE):
            return None
        found.add(part)
        return part

    rewrite(term, leaf)
    return frozenset(found)


def is_much(cond: Term) -> bool:
    """Large even where each part counts once: `v |= v >> 1`, `v |= v >> 2` and so on repeat one value many times."""
    return is_large(cond) and (bool(large_choices(cond)) or len(subterms([cond])) > LARGEST_CHOICE)


def known_numbers(conditions: list[tuple[Term, str]]) -> dict[Term, Term]:
    return {name: value for name, value in representatives(c for c, _ in conditions).items() if is_number(value)}
