"""Arguments that a kernel only compares with what it reads: `if (score[i] > threshold)`.

No size and no place depends on them, so that a run may choose them as it chooses what memory holds.
"""

from __future__ import annotations

from cudalint import ir
from cudalint.contract import Binding, Contract, terms_of
from cudalint.ir.walk import evaluated, expressions, operands, place_operands, places, statements, subexpressions
from cudalint.term import Symbol, free_symbols

_COMPARISONS = frozenset(
    (
        ir.BinaryOp.LESS, ir.BinaryOp.LESS_EQUAL, ir.BinaryOp.GREATER, ir.BinaryOp.GREATER_EQUAL,
        ir.BinaryOp.EQUAL, ir.BinaryOp.NOT_EQUAL,
    )
)  # fmt: skip


def thresholds(kernel: ir.Function, contract: Contract) -> frozenset[str]:
    """Integer parameters of which the contract says nothing, and that only comparisons with read values use."""
    read = _read(kernel)
    integers = {p.var.name for p in kernel.params if isinstance(p.var.type, ir.Int)}
    compared: set[str] = set()
    otherwise: set[str] = set()
    for stmt in statements(kernel.body):
        whole = (*operands(stmt), *(part for place in places(stmt) for part in place_operands(place)))
        otherwise |= {part.name for part in map(_converted, whole) if isinstance(part, ir.Var)}
        for expr in evaluated(stmt):
            with_read = (
                isinstance(expr, ir.Binary)
                and expr.op in _COMPARISONS
                and any(isinstance(part, ir.Var) and part.name in read for part in expressions(expr))
            )
            for child in map(_converted, subexpressions(expr)):
                if isinstance(child, ir.Var) and not isinstance(expr, ir.Cast):
                    (compared if with_read else otherwise).add(child.name)
    return frozenset(name for name in (compared - otherwise) & integers if _is_free(name, contract))


def _read(kernel: ir.Function) -> set[str]:
    """Variables that hold what was read from memory, or are computed from it."""
    found: set[str] = set()
    for stmt in statements(kernel.body):
        if isinstance(stmt, ir.Load):
            found.add(stmt.target.name)
        elif isinstance(stmt, ir.Assign):
            if any(isinstance(part, ir.Var) and part.name in found for part in expressions(stmt.value)):
                found.add(stmt.target.name)
    return found


def _converted(expr: ir.Expr) -> ir.Expr:
    while isinstance(expr, ir.Cast):
        expr = expr.operand
    return expr


def _is_free(name: str, contract: Contract) -> bool:
    """No fact speaks of it, but that the launch passes an input which no other fact speaks of."""
    passed = [f.what.value for f in contract.facts if isinstance(f.what, Binding) and f.what.parameter == name]
    if not all(isinstance(value, Symbol) for value in passed):
        return False
    own = {name, *(str(value.parts[0]) for value in passed)}
    others = [f.what for f in contract.facts if not (isinstance(f.what, Binding) and f.what.parameter == name)]
    return not any(
        str(atom.parts[0]) in own for what in others for term in terms_of(what) for atom in free_symbols(term)
    )
