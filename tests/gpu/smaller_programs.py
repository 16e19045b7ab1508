"""Launches of a program whose sizes are smaller: a fixed problem is often too large for the emulator.

    int T = 1024;  cudaMalloc(&p, T * C * 4);       T is an input, which a draw halves as often as it likes
    int T = 1024;  k<<<T / block, block>>>(...)     what the blocks hang on stays as the program has it

All that the host code says of these sizes together (extents, grids, arguments, checks) holds for the smaller ones as well.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from cudalint import ir
from cudalint.contract import Contract, Geometry
from cudalint.engine.draws import Draw, draws, names_in
from cudalint.ir.walk import statements, target
from cudalint.term import free_symbols

LEAST = 32  # smaller numbers are counts of heads, of passes, of dimensions
ATTEMPTS = 256
TRIES = 16  # of the other inputs
READ = "atoi"  # gives any number


@dataclass(frozen=True, slots=True)
class Sized:
    """A unit that reads its sizes, and what its text says that they are, by the names of the inputs: `main:T`."""

    unit: ir.Unit
    sizes: Mapping[str, int]


def with_read_sizes(unit: ir.Unit) -> Sized:
    """The unit, with an input for each variable of host code that has one number, and that a large one, for good."""
    functions, sizes = dict(unit.functions), dict[str, int]()
    for function in unit.functions.values():
        if function.role is ir.Role.HOST:
            found = _sizes(function)
            sizes |= {f"{function.name}:{name}": value for name, value in found.items()}
            functions[function.id] = replace(function, body=_reading(function.body, found))
    return Sized(replace(unit, functions=functions), sizes)


def _sizes(function: ir.Function) -> dict[str, int]:
    """A variable that is written once, outside of loops, where nobody has its address."""
    writes = Counter(var.name for s in statements(function.body) if (var := target(s)) is not None)
    values = {
        s.target.name: s.value.value for s in _outside_of_loops(function.body)
        if isinstance(s, ir.Assign) and isinstance(s.target.type, ir.Int) and isinstance(s.value, ir.Const)
    }  # fmt: skip
    return {n: v for n, v in values.items() if writes[n] == 1 and isinstance(v, int) and v >= LEAST}


def _outside_of_loops(body: tuple[ir.Stmt, ...]) -> Iterator[ir.Stmt]:
    for stmt in body:
        yield stmt
        if isinstance(stmt, ir.If):
            yield from _outside_of_loops((*stmt.then, *stmt.orelse))


def _reading(body: tuple[ir.Stmt, ...], sizes: Mapping[str, int]) -> tuple[ir.Stmt, ...]:
    return tuple(_read(stmt, sizes) for stmt in body)


def _read(stmt: ir.Stmt, sizes: Mapping[str, int]) -> ir.Stmt:
    if isinstance(stmt, ir.If):
        return replace(stmt, then=_reading(stmt.then, sizes), orelse=_reading(stmt.orelse, sizes))
    if isinstance(stmt, ir.Assign) and stmt.target.name in sizes:
        return ir.Call(READ, (), stmt.target, stmt.span)
    return stmt


def halved(kernel: ir.Function, contract: Contract, sizes: Mapping[str, int], seed: int, count: int) -> Iterator[Draw]:
    """At most `count` different launches in which each size is what the text says, halved any number of times."""
    known = {name: value for name in sorted(names_in(contract)) if (value := sizes.get(name.partition("#")[0]))}
    kept = _of_blocks(contract)
    source, seen = random.Random(f"{seed}:{kernel.id}"), set[tuple[object, ...]]()
    for attempt in range(ATTEMPTS if known.keys() - kept else 0):
        chosen = {n: v if n in kept else v >> source.randrange(v.bit_length()) for n, v in known.items()}
        for draw in draws(kernel, contract, seed + attempt, 1, chosen, tries=TRIES):
            key = (draw.shape, *draw.values.values())
            if key not in seen:
                seen.add(key)
                yield draw
        if len(seen) == count:
            return


def _of_blocks(contract: Contract) -> set[str]:
    blocks = [fact.what.block for fact in contract.facts if isinstance(fact.what, Geometry)]
    sides = [side for block in blocks for side in block if side is not None]
    return {str(symbol.parts[0]) for side in sides for symbol in free_symbols(side)}
