"""Collectives of a block (cub) that are made for another number of threads than the launch has.

cub takes the sides of the block as template arguments, and its collectives are undefined for any other block
(CUB documentation, "Block-wide primitives"): BlockReduce adds up warps that are not there, or leaves out some that are.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from cudalint import ir
from cudalint.finding import Confidence, LaunchShape, Witness
from cudalint.ir.walk import reached, statements
from cudalint.symbolic.issues import BarrierIssue
from cudalint.symbolic.verdicts.intended_block import sides_of_collective
from cudalint.symbolic.walk.execute import Walk
from cudalint.term import Number


def miscounted_collectives(walk: Walk) -> Iterator[BarrierIssue]:
    """One for each number of threads, at the first collective for it, where the launch states its block as numbers."""
    environment = walk.environment
    block = [environment.builtin(f"blockDim.{axis}") for axis in "xyz"]
    sides = [side.value for side in block if isinstance(side, Number)]
    if len(sides) < len(block):
        return
    told: set[int] = set()
    for function in reached(environment.unit, environment.kernel):
        declared = [stmt for stmt in statements(function.body) if isinstance(stmt, ir.Declare)]
        rows = max((_rows_of_storage(stmt.var.type) for stmt in declared), default=1)
        for stmt in declared:
            if not isinstance(stmt.var.type, ir.Struct):
                continue
            meant = prod(sides_of_collective(stmt.var.type.name) or sides)
            if meant * rows == prod(sides) and meant == sides[0]:
                continue
            if meant != prod(sides) and meant not in told:
                told.add(meant)
                witness = Witness(launch=LaunchShape((1, 1, 1), (sides[0], sides[1], sides[2]), 0), block=(0, 0, 0))
                yield BarrierIssue(
                    stmt.span, "collective", witness, (), Confidence.HIGH, False, waited=meant, came=prod(sides)
                )


def _rows_of_storage(declared: ir.Type) -> int:
    """Collectives that a block has at the same time, one for each row of threads: `Reduce::TempStorage temp[4]`."""
    if not isinstance(declared, ir.Array) or not isinstance(declared.element, ir.Struct):
        return 1
    is_storage = declared.element.name.endswith("::TempStorage")
    return declared.count if is_storage and declared.count else 1
