"""What host code asks of the runtime, and which of it cannot be had: what a copy or a launch asks for.

A demand is unmet where ordinary inputs on the way to it make it larger than its limit. What the walk lost is never held
against it, and neither are two sizes that only callers relate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Literal

from cudalint import ir
from cudalint.ir.walk import root
from cudalint.source import Span
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.text import plain
from cudalint.symbolic.host.values import APPROXIMATE, Address, Value
from cudalint.symbolic.host_vocabulary import Copy
from cudalint.symbolic.ordinary import is_input, largest_ordinary, ordinary_inputs, small_inputs
from cudalint.symbolic.solver.query import Solver
from cudalint.symbolic.solver.question import SMALL_STEPS, Query
from cudalint.symbolic.walk import integers
from cudalint.term import (
    Number,
    Quotient,
    Sum,
    Symbol,
    Term,
    Undefined,
    Wrapped,
    add,
    at_most,
    free_symbols,
    ideal,
    interval,
    is_number,
    multiply,
    number,
    subterms,
    subtract,
)

Kind = Literal["write", "read", "block", "shared"]
LARGEST_BLOCK = 1024
UNRAISED_SHARED = 48 * 1024  # bytes of dynamic shared memory that a kernel gets without a word
_INT, _SIZE = (1 << 31) - 1, 1 << 40
LARGEST_NEED = {"block": _INT, "shared": _INT, "write": _SIZE, "read": _SIZE}  # beyond, a size has wrapped below zero
SMALL = 40
LARGEST_ELEMENT = 8  # bytes: memory for a single one is no buffer of a fixed size that a count may fit
LEAST_PART = 16  # elements of which a block takes as many as it has threads


@dataclass(frozen=True, slots=True)
class Demand:
    """`needed` may be at most `limit`; bytes that a call writes or reads, threads of a block, bytes of shared memory."""

    kind: Kind
    span: Span
    function: str  # the host function whose text holds it
    of: str  # the buffer or the kernel
    call: str
    needed: Term
    limit: Term
    path: tuple[Term, ...]
    roles: tuple[Term, ...] = ()  # how large sizes are by the names that the kernel has for them


def copied(stmt: ir.Call, copy: Copy, args: list[Value], state: State, function: str) -> list[Demand]:
    """What a copy or fill asks of the buffers on its sides, as far as their sizes are known."""
    if copy.bytes >= len(args) or not isinstance(args[copy.bytes], Term):
        return []
    bytes_, found = integers.as_integer(args[copy.bytes]), list[Demand]()  # type: ignore[arg-type]
    path = tuple(c.term for c in state.path)
    for kind, side in (("write", copy.to), ("read", copy.of)):
        buffer = None if side is None or side >= len(args) else _buffer(stmt.args[side], args[side], copy)
        if buffer is None or _is_shifted(copy, args):
            continue
        found.append(Demand(kind, stmt.span, function, buffer[0], stmt.function, bytes_, buffer[1], path))  # type: ignore[arg-type]
    return found


def _buffer(expr: ir.Expr, value: Value, copy: Copy) -> tuple[str, Term] | None:
    """Name and bytes from here to its end of what an argument points to: a scalar, or what was allocated.

    A copy by symbol gets an array as itself."""
    while isinstance(expr, ir.Cast | ir.Bitcast):
        expr = expr.operand
    scalar = expr.place.var if isinstance(expr, ir.AddressOf) and isinstance(expr.place, ir.Variable) else None
    if copy.at is None and scalar is not None and isinstance(scalar.type, ir.Int | ir.Float):
        return scalar.name, number(ir.size_of(scalar.type) or 0)
    named = root(expr.place) if copy.at is not None and isinstance(expr, ir.AddressOf) else None
    if named is not None and isinstance(named.type, ir.Array):
        size = ir.size_of(named.type)
        return None if size is None else (named.name, number(size))
    if not isinstance(value, Address) or value.object is None or value.fields or value.object.size is None:
        return None
    return plain(value.object.name), subtract(value.object.size, value.offset)


def _is_shifted(copy: Copy, args: list[Value]) -> bool:
    at = args[copy.at] if copy.at is not None and copy.at < len(args) else number(0)
    return not (isinstance(at, Term) and is_number(integers.as_integer(at), 0))


def block_demand(
    stmt: ir.Launch, function: str, kernel: ir.Function, block: tuple[Term, ...], args: tuple[Value, ...],
    path: tuple[Term, ...],
) -> Demand:  # fmt: skip
    """What a launch asks of a block: no more threads than one can have, or than the kernel was compiled for."""
    threads = reduce(multiply, block)
    limit = min(LARGEST_BLOCK, *kernel.launch_bounds[:1], LARGEST_BLOCK)
    return Demand("block", stmt.span, function, kernel.name, "", threads, number(limit), path, _roles(kernel, args))


def shared_demands(
    stmt: ir.Launch, function: str, kernel: ir.Function, shared: Term, path: tuple[Term, ...]
) -> list[Demand]:
    """What a launch asks for as dynamic shared memory, where that is a number that the instance fixes."""
    if not isinstance(shared, Number):
        return []
    return [Demand("shared", stmt.span, function, kernel.name, "", shared, number(UNRAISED_SHARED), path)]


def _roles(kernel: ir.Function, args: tuple[Value, ...]) -> tuple[Term, ...]:
    """`x.size(1)` that the kernel calls `experts` is as many as there are experts; rows and columns it may have any number of."""
    passed = ((param.var.name, ideal(arg)) for param, arg in zip(kernel.params, args) if isinstance(arg, Term))
    few = ((size, largest_ordinary(name)) for name, size in passed if is_input(size))
    return tuple(at_most(size, number(most)) for size, most in few if most <= LARGEST_BLOCK)


@dataclass(frozen=True, slots=True)
class Unmet:
    """A demand with the inputs under which it fails."""

    demand: Demand
    needed: int
    limit: int
    inputs: tuple[tuple[str, int], ...]
    wraps: bool = False  # it would hold if no size went beyond its type


def unmet(demands: list[Demand]) -> list[Unmet]:
    """Those that ordinary inputs make fail, in their order; the first of each buffer of a function, and each launch.

    One that fails because a size wraps gives way to another one of its buffer.
    """
    solver, found = Solver(), dict[tuple[str, str, Span | None], Unmet]()
    for demand in demands:
        key = (demand.function, demand.of, demand.span if demand.kind in ("block", "shared") else None)
        if (key not in found or found[key].wraps) and _may_fail(demand):
            failure = _failure(demand, solver)
            if failure is not None and (key not in found or not failure.wraps):
                found[key] = failure
    return list(found.values())


def _may_fail(demand: Demand) -> bool:
    """Nothing in it was lost, a buffer is made of inputs of the copy, and the two are not equal at sight."""
    if any(_lost(a) for term in (demand.needed, demand.limit) for a in free_symbols(term)):
        return False
    if demand.kind == "block":
        return isinstance(demand.needed, Number) or any(map(_is_count_of_parts, subterms([demand.needed])))
    if isinstance(demand.needed, Number) and isinstance(demand.limit, Number):
        return demand.needed.value > demand.limit.value
    made_of, asked = free_symbols(demand.limit), free_symbols(demand.needed)
    related = bool(made_of) or (isinstance(demand.limit, Number) and demand.limit.value <= LARGEST_ELEMENT)
    if made_of != asked and not (related and made_of < asked and _is_plain(demand.needed)):
        return False
    _, most = interval(subtract(demand.needed, demand.limit))
    return most is None or most > 0


def _is_count_of_parts(term: Term) -> bool:
    """`(n + 255) / 256`, but not `width / 2`, which is a size as a caller gives it."""
    if not isinstance(term, Quotient):
        return False
    whole, part = term.parts[0], term.parts[1]
    return not (isinstance(whole, Symbol) and isinstance(part, Number) and part.value < LEAST_PART)


def _is_plain(size: Term) -> bool:
    """A product of sizes: with a further factor it is longer wherever that is not 1."""
    return all(isinstance(part, Number | Symbol | Sum | Wrapped) for part in subterms([size]))


def _lost(atom: Term) -> bool:
    return not is_input(atom) or (isinstance(atom, Symbol) and atom.name.startswith(APPROXIMATE))


def _about(path: tuple[Term, ...], atoms: frozenset[Term]) -> list[Term]:
    """The conditions that speak of the atoms, also through others: where a loop counter ends does not matter elsewhere."""
    known, rest = set(atoms), list(path)
    while near := [c for c in rest if not known.isdisjoint(free_symbols(c))]:
        known.update(*map(free_symbols, near))
        rest = [c for c in rest if c not in near]
    return [c for c in path if c not in rest]


def _failure(demand: Demand, solver: Solver) -> Unmet | None:
    """With sizes as they are meant, else with sizes that wrap; a block has as many threads as its type says."""
    above = at_most(add(demand.limit, number(1)), demand.needed)
    if demand.kind in ("block", "shared"):
        return _failing(demand, solver, (above,), wraps=False)
    meant = at_most(add(ideal(demand.limit), number(1)), ideal(demand.needed))
    found = _failing(demand, solver, (above, meant), wraps=False)
    return found or (None if meant is above else _failing(demand, solver, (above,), wraps=True))


def _failing(demand: Demand, solver: Solver, failure: tuple[Term, ...], wraps: bool) -> Unmet | None:
    """Ordinary inputs under which all of `failure` holds, as small as the search finds them."""
    question = (
        *_about(demand.path, free_symbols(failure[0])),
        *failure,
        at_most(demand.needed, number(LARGEST_NEED[demand.kind])),
    )
    atoms = sorted(frozenset().union(*(free_symbols(t) for t in question)), key=lambda t: t.digest)
    ordinary = [*ordinary_inputs(atoms), *(role for role in demand.roles if free_symbols(role) <= set(atoms))]
    for closer in (small_inputs(atoms, SMALL), []):
        model = solver.find(Query("demand", (*question, *ordinary, *closer), SMALL_STEPS))
        if model is None:
            continue
        try:
            values = {a.name: model.value(a) for a in atoms if isinstance(a, Symbol) and is_input(a)}
            needed, limit = model.value(demand.needed), model.value(demand.limit)
        except Undefined:
            return None
        return Unmet(demand, needed, limit, tuple(sorted(values.items())), wraps)
    return None
