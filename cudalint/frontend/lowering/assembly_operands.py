"""The operands of an inline assembly statement: values and places by number, and the memory that they lead to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.context import Body
from cudalint.frontend.lowering.ptx import Assembly
from cudalint.ir import nodes as ir
from cudalint.ir.types import INT32, UINT8, UINT64, Int, Pointer
from cudalint.source import Span

_NUMBERED = re.compile(r"%(\d+)")
ADDRESS = re.compile(r"\[\s*%(\d+)\s*(?:\+\s*(-?\w+)\s*)?\]\Z")
_DESCRIBED = ("wgmma", "tcgen05")  # they take matrices in shared memory by numbers that hold more than an address


@dataclass
class Use:
    """One assembly statement: where its outputs go and what its inputs are, by operand number."""

    body: Body
    made: Assembly
    places: list[ir.Place]
    values: dict[int, ir.Expr]
    span: Span

    def operand(self, text: str) -> ir.Expr | None:
        """The value of `%3` or of a number."""
        match = _NUMBERED.fullmatch(text)
        if match is not None:
            return self.values.get(int(match[1]))
        try:
            return ir.Const(int(text.rstrip("uU"), 0), INT32)
        except ValueError:
            return None

    def outputs_of(self, text: str) -> list[ir.Place] | None:
        """The places of `%0` or `{%0, %1}`."""
        found = []
        for piece in text.strip("{} ").split(","):
            match = _NUMBERED.fullmatch(piece.strip())
            if match is None or int(match[1]) >= len(self.places):
                return None
            found.append(self.places[int(match[1])])
        return found

    def address(self, text: str, numbered: bool = False) -> ir.Expr | None:
        """The pointer of `[%1]` or `[%1+16]`, where a pointer was passed, or a number that stands for one."""
        match = ADDRESS.match(text)
        value = self.values.get(int(match[1])) if match is not None else None
        given = value
        while isinstance(value, ir.Bitcast | ir.Cast) and isinstance(value.type, Int) and value.type.bits == 64:
            value = value.operand
        if numbered and value is not None and not isinstance(value.type, Pointer):
            value = pointer_of(given)
        if match is None or value is None or not isinstance(value.type, Pointer):
            return None
        offset = int(match[2], 0) if match[2] and re.fullmatch(r"-?(?:0x)?[0-9a-fA-F]+", match[2]) else 0
        if not offset:
            return value
        whole = ir.Bitcast(value, Pointer(UINT8)) if value.type != Pointer(UINT8) else value
        return ir.Offset(whole, ir.Const(offset, INT32), Pointer(UINT8))


def pointer_of(number: ir.Expr | None) -> ir.Expr | None:
    """The pointer that a number stands for: `cvta.to.shared` gave it."""
    if number is None or not isinstance(number.type, Int):
        return None
    return ir.Bitcast(build.convert(number, UINT64), Pointer(UINT8))


def reached(use: Use) -> tuple[ir.Expr, ...]:
    """Where a statement without a model may access memory: behind pointers, numbers in brackets, and what describes a matrix."""
    described = any(i.parts[0] in _DESCRIBED for i in use.made.instructions)
    found = []
    for i in sorted(use.values):
        type_ = use.values[i].type
        taken = re.search(rf"\[[^]]*%{i}\b", use.made.code) or (described and type_ == UINT64)
        pointer = use.address(f"[%{i}]", bool(taken))
        found += [pointer] if pointer is not None else []
    return tuple(found)


def elements(pointers: Iterable[ir.Expr]) -> tuple[ir.Place, ...]:
    return tuple(build.element(p, build.ZERO, p.type.element) for p in pointers if isinstance(p.type, Pointer))
