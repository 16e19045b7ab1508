"""Whether anything but the type of the sizes of a tensor, or of a lone kernel, says that an index of 32 bits overflows.

    x[row * cols + k]                two sides of a tensor: a product of 2^31 elements is possible, nobody speaks of it
    logits[token * vocab + i]        names that state a role say so
    d[i * n + j], i and j below n    no second size has to be large: 46341 rows are few
    x[((n * C + c) * H + y) * W + x] nor has any of four sides: 40 images of 50 planes of 1024 rows
    x[(int64_t)row * K + k]          so does a kernel that takes care of it elsewhere

Sizes of a program's own launches are its own business: what is computed in 64 bits there is meant to be large. Those that
a tensor or another container has, or that a function takes beside a tensor, are somebody else's. Of a kernel that nothing
launches, only what it says itself is known.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from cudalint import ir
from cudalint.analysis.text.magnitude import (
    BESIDE_TOKENS,
    UNKNOWN,
    VAGUE,
    counts_tokens,
    is_plain,
    is_stride,
    largest_of,
)
from cudalint.ir.walk import evaluated, expressions, statements, subexpressions
from cudalint.symbolic.model import Obligation
from cudalint.symbolic.ordinary import LARGEST_ROW, is_input, is_of_container, is_of_tensor
from cudalint.symbolic.verdicts.checked import guard_parts
from cudalint.symbolic.verdicts.facts import wrapped_parts
from cudalint.symbolic.walk.environment import DIMENSION_OF, Environment
from cudalint.symbolic.walk.settled_guards import sizes_given
from cudalint.term import Sum, Symbol, Term, free_symbols, ideal, interval

Factors: TypeAlias = tuple[frozenset[str], ...]

LARGEST_INT = (1 << 31) - 1
CHECKED = 1 << 30  # a bound beyond it is that of the type
MANY_SIZES = 3  # that a place is multiplied by: the fourth side of an array, or a part of one
GRID_SIDE = (1 << 16) - 1  # who allows more than that means large data; who allows just that means the launch


def is_stated_large(obligation: Obligation, environment: Environment) -> bool:
    """The program launches the kernel with sizes of its own, or names, bounds or other uses say that their product is large."""
    sizes = sizes_of_index(obligation, environment)
    if environment.contract.launch_site is not None:
        is_squared = len(sizes) == 1 and _value_of(sizes[0], obligation) <= LARGEST_ROW
        if is_squared or _most_sizes(obligation) >= MANY_SIZES or not _are_of_others(sizes, obligation):
            return True
    stated = [_stated(size, environment) for size in sizes]
    beside = int(UNKNOWN) if any(GRID_SIDE < interval_end(size) <= CHECKED for size in sizes) else 1
    if beside == 1 and any(counts_tokens(name) for size in sizes for name in names_of_size(size, environment)):
        beside = int(BESIDE_TOKENS)
    largest = _factor(obligation.index)
    for limit in stated:
        largest *= limit or beside
    return largest > LARGEST_INT or takes_care_of(obligation, environment)


def _most_sizes(obligation: Obligation) -> int:
    """By how many sizes one place is multiplied in what wraps."""
    meant = (ideal(part.parts[0]) for part in wrapped_parts(obligation.holds))
    products = (monomial for term in meant if isinstance(term, Sum) for monomial, _ in term.monomials)
    return max((sum(isinstance(a, Symbol) and is_input(a) for a in set(product)) for product in products), default=0)


def _value_of(size: Symbol, obligation: Obligation) -> int:
    """What the size is in the witness."""
    values = obligation.witness.values if obligation.witness is not None else {}
    return values.get(size.name, LARGEST_INT)


def _are_of_others(sizes: list[Symbol], obligation: Obligation) -> bool:
    """A tensor or another container brings the sizes along, or the memory: whoever wrote the kernel did not choose them."""
    memory = (a for a in free_symbols(obligation.holds) if isinstance(a, Symbol))
    return any(map(is_of_container, sizes)) or any(map(is_of_tensor, (*sizes, *memory)))


def sizes_of_index(obligation: Obligation, environment: Environment) -> list[Symbol]:
    """The inputs in the index, in what it is compared with on the way, and in the launch where its place matters."""
    atoms = set(free_symbols(obligation.index))
    moving = {atom for atom in atoms if not is_input(atom)}
    for guard in obligation.path:
        if not moving.isdisjoint(free_symbols(guard.term)):
            atoms |= free_symbols(guard.term)
    for atom in sorted(moving, key=lambda a: a.digest):
        place, _, axis = str(atom.parts[0]).partition(".")
        if place in DIMENSION_OF:
            atoms |= free_symbols(environment.builtin(f"{DIMENSION_OF[place]}.{axis}"))
    return sorted((a for a in atoms if isinstance(a, Symbol) and is_input(a)), key=lambda a: a.name)


def _factor(index: Term) -> int:
    """The largest constant factor of a place in the launch or of a size; the steps of loops end with their sizes."""
    meant = ideal(index)
    known = [abs(c) for m, c in meant.monomials if all(map(_is_known, m))] if isinstance(meant, Sum) else []
    return max(known, default=1)


def _is_known(atom: Term) -> bool:
    return is_input(atom) or str(atom.parts[0]).partition(".")[0] in DIMENSION_OF


def _stated(size: Symbol, environment: Environment) -> int:
    """The largest ordinary value that the size's names state, or a check in the host code; 0 where nothing does."""
    checked = interval_end(size)
    names = names_of_size(size, environment)
    roles = [largest_of(name) for name in names if not is_plain(_member(name)) and not is_stride(_member(name))]
    stated = max((int(limit) for limit, role in roles if role is not VAGUE), default=0)
    if checked <= CHECKED and (stated or checked != GRID_SIDE):
        return min(stated or checked, checked)
    return stated


def _member(name: str) -> str:
    """What the size is called in the object that has it: `num_rows` of `frames.num_rows_`."""
    return name.rpartition(".")[2].strip("_")


def names_of_size(size: Symbol, environment: Environment) -> list[str]:
    """What the parameters of the kernel call it, and the host code."""
    names = [name for name, value in environment.bindings.items() if _is_named(ideal(value), size)]
    if not is_of_tensor(size):
        names.append(size.name.rpartition(":")[2])
    return names


def interval_end(size: Symbol) -> int:
    """The most that the size's type or a check in the host code lets it be."""
    return interval(size)[1] or LARGEST_INT


def _is_named(value: Term, size: Symbol) -> bool:
    return isinstance(value, Symbol) and value.name == size.name


def takes_care_of(obligation: Obligation, environment: Environment) -> bool:
    """Somewhere the kernel casts a factor to 64 bits before it multiplies, and by a size that this index has, too.

    Who does that for other sizes alone shows that these were thought to be small; of sizes without names nothing is known.
    Who does it for many planes of these sizes says nothing of one: `x + (int64_t)plane * h * w` beside `[row * w + col]`.
    """
    widened = _widened_names(environment.kernel)
    strides = {a for a in free_symbols(obligation.index) if isinstance(a, Symbol) and is_input(a)}
    own = _parameters(strides, environment)
    if not own or not widened:
        return widened is not None
    rows, ends = _rows_and_ends(obligation)
    inner, limits = _parameters(rows, environment), _parameters(ends, environment)
    return any(not own.isdisjoint(made) and not _is_of_many(parts, inner, limits) for parts, made in widened.items())


def _parameters(sizes: set[Symbol], environment: Environment) -> set[str]:
    """What the kernel calls the sizes."""
    return {name for name, value in environment.bindings.items() for a in sizes if _is_named(ideal(value), a)}


def _rows_and_ends(obligation: Obligation) -> tuple[set[Symbol], set[Symbol]]:
    """The sizes by which places are multiplied in what wraps, and others that these places are compared with."""
    rows, places, spoken = set[Symbol](), set[Term](), set[Term]()
    for meant in (part.parts[0] for part in wrapped_parts(obligation.holds)):
        for monomial, _ in meant.monomials if isinstance(meant, Sum) else ():
            sizes = {a for a in monomial if isinstance(a, Symbol) and is_input(a)}
            spoken |= sizes
            if sizes and sizes != set(monomial):
                rows |= sizes
                places |= set(monomial) - sizes
    guards = [free_symbols(guard) for guard in guard_parts(obligation.path)]
    ends = frozenset().union(*(atoms for atoms in guards if not places.isdisjoint(atoms))) - spoken
    return rows, {a for a in ends if isinstance(a, Symbol) and is_input(a)}


def _is_of_many(parts: Factors, inner: set[str], limits: set[str]) -> bool:
    """The product is that of whole planes, of which the index stays in one: of a row, of how many there are, and of more."""
    for row in parts if inner else ():
        others = frozenset().union(*(part for part in parts if part is not row))
        if inner <= row and not limits.isdisjoint(others) and others - limits:
            return True
    return False


@lru_cache(maxsize=64)
def _widened_names(kernel: ir.Function) -> dict[Factors, frozenset[str]] | None:
    """By the factors of each product of 64 bits, with sizes as they are given: all variables that its values were made of.

    None where no cast makes a product one of 64 bits; nothing where a cast makes one of places in the launch alone: it is the
    number of threads that is large.
    """
    body = list(statements(kernel.body))
    products = [e for stmt in body for e in evaluated(stmt) if _is_product(e) and _bits(e) == 64]
    widened = list(filter(_is_widened, products))
    if not widened:
        return None
    if not any(map(_variables, widened)):
        return {}
    inside = {id(part) for e in products for below in subexpressions(e) for part in expressions(below)}
    given = sizes_given(kernel)
    return {
        tuple(_made_of(_names(part), body, given) for part in _factors(whole)): _made_of(_variables(whole), body, None)
        for whole in products
        if id(whole) not in inside
    }


def _factors(expr: ir.Expr) -> list[ir.Expr]:
    while isinstance(expr, ir.Cast):
        expr = expr.operand
    if isinstance(expr, ir.Binary) and _is_product(expr):
        return [*_factors(expr.left), *_factors(expr.right)]
    return [expr]


def _made_of(names: set[str], body: list[ir.Stmt], among: frozenset[str] | None) -> frozenset[str]:
    """The names and what they were made of; where only some are followed, these give way to that."""
    found = set(names)
    for stmt in reversed(body):
        if isinstance(stmt, ir.Assign) and stmt.target.name in found and (among is None or stmt.target.name in among):
            found |= _variables(stmt.value)
            found -= {stmt.target.name} if among is not None else set()
    return frozenset(found)


def _names(expr: ir.Expr) -> set[str]:
    """The variables and the places in the launch."""
    return {e.name for e in expressions(expr) if isinstance(e, ir.Var | ir.Builtin)}


def _variables(expr: ir.Expr) -> set[str]:
    return {e.name for e in expressions(expr) if isinstance(e, ir.Var)}


def _is_product(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Binary) and expr.op is ir.BinaryOp.MULTIPLY


def _is_widened(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Binary) and any(
        isinstance(side, ir.Cast) and side.explicit and _bits(side.operand) == 32 for side in (expr.left, expr.right)
    )


def _bits(expr: ir.Expr) -> int:
    return expr.type.bits if isinstance(expr.type, ir.Int) else 0
