"""Instructions of inline assembly that a predicate guards: a condition around what they do.

{ .reg .pred p;  setp.ne.b32 p, %0, 0;  @p cp.async.cg.shared.global [%1], [%2], 16; }        if (%0 != 0) { ... }
"""

from __future__ import annotations

import re
from collections.abc import Callable

from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.assembly_operands import Use
from cudalint.frontend.lowering.ptx import Instruction
from cudalint.ir import nodes as ir
from cudalint.ir.types import BOOL, Int

_COMPARED: dict[str, ir.BinaryOp] = {
    "eq": ir.BinaryOp.EQUAL, "ne": ir.BinaryOp.NOT_EQUAL, "lt": ir.BinaryOp.LESS, "le": ir.BinaryOp.LESS_EQUAL,
    "gt": ir.BinaryOp.GREATER, "ge": ir.BinaryOp.GREATER_EQUAL,
}  # fmt: skip
_INTEGER = re.compile(r"([bsu])(16|32|64)")
Lower = Callable[[Use, Instruction], bool]


def lowered_in_turn(use: Use, model: Callable[[str], Lower | None]) -> bool:
    """Whether each instruction sets a predicate or has a statement of its own; they are emitted then."""
    acting = [i for i in use.made.instructions if not i.opcode.startswith(".reg") and i.parts[0] != "setp"]
    if not acting or (len(acting) > 1 and use.places):
        return False  # what one of them writes another may read
    conditions: dict[str, ir.Expr] = {}
    with use.body.nested() as made:
        whole = all(_is_lowered(use, instruction, conditions, model) for instruction in use.made.instructions)
    if whole:
        for stmt in made:
            use.body.emit(stmt)
    return whole


def _is_lowered(
    use: Use, instruction: Instruction, conditions: dict[str, ir.Expr], model: Callable[[str], Lower | None]
) -> bool:
    if instruction.opcode.startswith(".reg"):
        return True
    if instruction.parts[0] == "setp":
        return not instruction.guarded and _sets(use, instruction, conditions)
    lower = model(instruction.parts[0])
    if lower is None:
        return False
    if not instruction.guarded:
        return lower(use, instruction)
    condition = _condition(instruction.predicate, conditions)
    if condition is None:
        return False
    with use.body.nested() as made:
        known = lower(use, instruction)
    use.body.emit(ir.If(condition, tuple(made), (), use.span))
    return known


def _sets(use: Use, instruction: Instruction, conditions: dict[str, ir.Expr]) -> bool:
    """`setp.ne.b32 p, %0, 0;` of integers."""
    parts, operands = instruction.parts, instruction.operands
    type_ = _INTEGER.fullmatch(parts[-1])
    if len(parts) != 3 or len(operands) != 3 or type_ is None or parts[1] not in _COMPARED:
        return False
    left, right = (use.operand(operand) for operand in operands[1:])
    if left is None or right is None or not isinstance(left.type, Int) or not isinstance(right.type, Int):
        return False
    width = Int(int(type_[2]), type_[1] == "s")
    sides = build.convert(left, width), build.convert(right, width)
    conditions[operands[0].lstrip("%")] = ir.Binary(_COMPARED[parts[1]], *sides, BOOL)
    return True


def _condition(predicate: str, conditions: dict[str, ir.Expr]) -> ir.Expr | None:
    """What `@p` or `@!p` asks for."""
    found = conditions.get(predicate.lstrip("@!%"))
    return ir.Unary(ir.UnaryOp.LOGICAL_NOT, found, BOOL) if found is not None and "!" in predicate else found
