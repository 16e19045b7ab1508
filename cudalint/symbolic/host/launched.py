"""A launch as a walk of host code reached it, and which functions a kernel operand may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cudalint import ir
from cudalint.analysis.operators import Written
from cudalint.contract import Fact
from cudalint.source import Span
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import APPROXIMATE, Address, Either, FunctionValue, Value
from cudalint.symbolic.model import LOOSELY_KNOWN
from cudalint.term import Term, conjunction, free_symbols, negation


@dataclass(frozen=True, slots=True)
class Told:
    """What the project only says of its operators: conditions on the way, with their places, and the buffers that are written.

    And what it has `placed` in variables of the device, and which conditions say that sizes of memory are `fitting` their types.
    """

    declared: Mapping[Term, Span]
    outputs: Mapping[str, Written]
    placed: tuple[Fact, ...] = ()
    fitting: frozenset[Term] = frozenset()


@dataclass(frozen=True, slots=True)
class LaunchRecord:
    """One launch as reached: values of its operands and the conditions on the way."""

    kernel: str
    launch: ir.Launch
    function: str  # the host function whose text holds the launch
    grid: tuple[Term, Term, Term]
    block: tuple[Term, Term, Term]
    shared: Term
    args: tuple[Value, ...]
    path: tuple[Term, ...]
    state: State
    told: Told
    doubt: str = ""  # why it may be made again with other values
    first: bool = False  # of those that a loop makes


def is_loose(record: LaunchRecord) -> bool:
    """Of an operand only some relations are known, or nothing at all."""
    values = (*record.grid, *record.block, record.shared, *record.args)
    terms = (v.offset if isinstance(v, Address) else v for v in values if isinstance(v, Address | Term))
    names = (str(atom.parts[0]) for term in terms for atom in free_symbols(term))
    return any(name.startswith(APPROXIMATE) or name.endswith(LOOSELY_KNOWN) for name in names)


def functions_of(kernel: Value, cond: Term) -> list[tuple[str, Term]]:
    """The functions that a kernel operand may be, each under its condition."""
    if isinstance(kernel, FunctionValue):
        return [(kernel.function, cond)]
    if isinstance(kernel, Either):
        then = functions_of(kernel.then, conjunction(cond, kernel.cond))
        return then + functions_of(kernel.orelse, conjunction(cond, negation(kernel.cond)))
    return []
