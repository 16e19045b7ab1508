"""The ordinary size of every expression in a function's text, from its names, guards and callers."""

from __future__ import annotations

import re

from cudalint.analysis.text.caps import Caps, bytes_named
from cudalint.analysis.text.dealt_parts import is_minimum_with, number_of_parts
from cudalint.analysis.text.launch_text import launches_of, sides
from cudalint.analysis.text.magnitude import (
    FIXED,
    SMALL,
    VAGUE,
    ZERO,
    Size,
    added,
    constant,
    divided,
    either,
    largest_of,
    largest_term,
    magnitude,
    multiplied,
    named,
    names_of,
    smaller,
)
from cudalint.analysis.text.scopes import cast_target
from cudalint.analysis.text.static_branches import reaching
from cudalint.analysis.text.text_program import CEIL, Program, folded, number_of
from cudalint.ir.syntax import Syntax, TextFunction

_MODULO = re.compile(r"fast_?mod|modulo", re.IGNORECASE)
DEEPEST = 24
_CAPPED = ("identifier", "field_expression", "subscript_expression", "call_expression")
CALLERS = 3
_SIZE = re.compile(r"([\w.]+)\.size\((\d)\)")
_PIECE = re.compile(r"\bmin(<[^>]*>)?\s*\(.*(chunk|piece|slice|per_(pass|round|iter))", re.IGNORECASE)
_FEW = re.compile(
    r"\w*batch\w*|bs|\w*heads?|\w*experts?|batch of .*", re.IGNORECASE
)  # what a launch may have a block for each of
_BLANK = re.compile(r"\s+")
_SECOND_SIDE = re.compile(r"blockIdx\s*\.\s*y")
_OF_TYPE = re.compile(r"numeric_limits|\bU?INT\d*_MAX\b|\bU?LL?ONG_MAX\b")  # what a type can hold bounds nothing


class Sizes:
    """Sizes of the expressions of one function; what is used at the place `at` has the bounds that hold there."""

    def __init__(self, program: Program, function: TextFunction, at: int | None = None, depth: int = 0) -> None:
        self.program = program
        self.caps = Caps(program, function, at)
        self.scope = program.scope(function)
        self._depth = depth
        self._names: dict[str, Size] = {}
        self._active: set[str] = set()
        self._level = 0
        self._plane = _SECOND_SIDE.search(function.body.text) is not None

    def of(self, node: Syntax) -> Size:
        """The size of an expression."""
        self._level += 1
        try:
            size = self._of(node) if self._level <= DEEPEST else named(_name_of(node))
            return self._capped(size, node) if node.kind in _CAPPED else size
        finally:
            self._level -= 1

    def _capped(self, size: Size, node: Syntax) -> Size:
        """What the text states as the largest value is one more bound; a sum keeps its names."""
        cap = self.caps.of(node)
        if cap is None or size.terms == ZERO.terms or len(size.terms) > 1:
            return size
        return smaller(size, constant(cap))

    def _of(self, node: Syntax) -> Size:
        match node.kind:
            case "number_literal":
                return constant(number_of(node.text))
            case "identifier":
                return self._named(node.text)
            case "binary_expression":
                return self._binary(node)
            case "cast_expression":
                value = node.child("value")
                return self.of(value) if value is not None else named(_name_of(node))
            case "conditional_expression":
                sides = [self.of(s) for s in (node.child("consequence"), node.child("alternative")) if s is not None]
                return either(sides[0], sides[-1]) if sides else ZERO
            case "sizeof_expression":
                return constant(bytes_named(node.text) or 8)
            case "unary_expression" | "update_expression":
                return self.of(node.children[0]) if node.children else ZERO
            case "call_expression":
                return self._call(node)
            case "field_expression":
                side = self._side(node)
                return self._member(node) if side is None else self.of(side)
            case "subscript_expression" | "pointer_expression":
                return named(_name_of(node), contents=not _is_shape(node))
            case _:
                return named(_name_of(node))

    def _side(self, node: Syntax) -> Syntax | None:
        """`block.y` of `dim3 block(16, 16)`."""
        value, field = node.child("argument"), node.child("field")
        if value is None or field is None or value.kind != "identifier" or field.text not in ("x", "y", "z"):
            return None
        found = sides(value, self.scope)
        return found["xyz".index(field.text)] if found[0] is not value else None

    def _member(self, node: Syntax) -> Size:
        """As large as its name says; that of an element of an array is what memory holds."""
        place = self._place(_name_of(node))
        return Size(place.terms, contents=True) if self._is_of_element(node) else place

    def _is_of_element(self, node: Syntax) -> bool:
        """`items[i].rows` in device code, and `item.rows` of `Item item = items[i]`."""
        owner: Syntax | None = node
        while owner is not None and owner.kind == "field_expression":
            owner = owner.child("argument")
        if owner is None or self.scope.function.role == "host":
            return False
        if owner.kind != "identifier":
            return _is_element(owner)
        values = () if owner.text in self.scope.parameters else self.scope.values.get(owner.text, ())
        return bool(values) and all(map(_is_element, values))

    def _place(self, name: str) -> Size:
        """A place in the launch, or a member. In a launch of two dimensions no side is as long as in one; a grid of a batch is
        as long as that."""
        if name not in ("blockIdx.x", "gridDim.x"):
            return named(name)
        place, blocks = named(name + "2d" if self._plane else name), self._blocks()
        names = () if blocks is None else names_of(largest_term(blocks))
        return smaller(place, blocks) if blocks and names and all(map(_FEW.fullmatch, names)) else place

    def _blocks(self) -> Size | None:
        """What all launches of the kernel in the file give as the first side of the grid."""
        if self._depth >= CALLERS or self.scope.function.role != "kernel":
            return None
        result: Size | None = None
        for launch in launches_of(self.scope.function.name.rpartition("::")[2], self.program):
            side = launch.grid[0]
            if side is None or launch.function is self.scope.function:
                return None
            size = Sizes(self.program, launch.function, launch.node.start, self._depth + 1).of(side)
            result = size if result is None else either(result, size)
        return result

    def _binary(self, node: Syntax) -> Size:
        left, right = node.child("left"), node.child("right")
        if left is None or right is None:
            return named(_name_of(node))
        if node.op in ("+", "|", "^"):
            return added(self.of(left), self.of(right))
        if node.op == "-":
            return self.of(left)
        if node.op == "*":
            return multiplied(self.of(left), self.of(right))
        if node.op == "/":
            return self._of_parts(node, divided(self._dividend(left), self.of(right)))
        if node.op in ("%", "&"):
            return smaller(self.of(left), self.of(right))
        if node.op == "<<":
            return self._shifted(left, right)
        if node.op == ">>":
            return self.of(left)
        return constant(1)

    def _of_parts(self, node: Syntax, size: Size) -> Size:
        """A quotient by the share of one of so many parts is no larger than these."""
        parts = number_of_parts(node, self.scope)
        return size if parts is None else smaller(size, self.of(parts))

    def _dividend(self, node: Syntax) -> Size:
        """`a + b - 1` over b is about `a` over b."""
        if node.kind == "binary_expression" and node.op == "-":
            left = node.child("left")
            if left is not None and left.kind == "binary_expression" and left.op == "+":
                first = left.child("left")
                return self.of(first if first is not None else left)
        return self.of(node)

    def _shifted(self, left: Syntax, right: Syntax) -> Size:
        if right.kind == "number_literal":
            return multiplied(self.of(left), constant(2.0 ** min(62, number_of(right.text))))
        return self.of(left)

    def _call(self, node: Syntax) -> Size:
        callee, arguments = node.child("function"), node.child("arguments")
        if callee is None or arguments is None or not arguments.children:
            return named(_name_of(node))
        sides = arguments.children
        if cast_target(node) is not None:
            return self.of(sides[0])
        name = callee.text.partition("<")[0].rpartition("::")[2]
        if len(sides) == 2 and name in ("min", "umin"):
            return smaller(self.of(sides[0]), self.of(sides[1]))
        if len(sides) == 2 and name in ("max", "umax"):
            return either(self.of(sides[0]), self.of(sides[1]))
        if len(sides) == 2 and CEIL.search(name):
            return self._of_parts(node, divided(self.of(sides[0]), self.of(sides[1])))
        if len(sides) == 2 and _MODULO.search(name):
            return self.of(sides[1])
        first = _SIZE.fullmatch(_name_of(node))
        if first is not None and first[2] == "0" and self._is_of_volume(node):
            return named(f"batch of {first[1]}")
        return named(_name_of(node))

    # --- names --------------------------------------------------------------------------------------------------------

    def _named(self, name: str) -> Size:
        if name in self._names:
            return self._names[name]
        if name in self._active:
            return ZERO
        self._active.add(name)
        found = self._of_name(name)
        self._active.discard(name)
        if not self._active:
            self._names[name] = found
        return found

    def _of_name(self, name: str) -> Size:
        fixed = self._fixed(name)
        if fixed is not None:
            return constant(fixed)
        if name in self.scope.function.template or self._is_a_piece(name):
            return named(f"fixed:{name}")
        result = self._assigned(name)
        largest, role = largest_of(name)
        if result is None and largest == FIXED:
            result = named(name)  # a constant by its name: what is no smaller says nothing of it
        if result is not None and role is SMALL and not self._is_of_whole_launch(name):
            result = smaller(result, named(name))
        elif result is not None and role is VAGUE and self._is_side_of_volume(name):
            result = named(name)
        for limit in self.scope.limits.get(name, ()):
            if _OF_TYPE.search(limit.text):
                continue
            bound = self.of(limit)
            if bound.terms != ZERO.terms and magnitude(bound) > 0:
                result = bound if result is None else smaller(result, bound)
        return result if result is not None else named(name)

    def _is_of_whole_launch(self, name: str) -> bool:
        """`tid = blockIdx.x * blockDim.x + threadIdx.x`: no thread of one block, whatever it is called."""
        values = self.scope.values.get(name, ())
        return any("blockIdx" in value.text and "blockDim" in value.text for value in values)

    def _assigned(self, name: str) -> Size | None:
        """The largest of what the name is assigned; unknown where it grows in place or is a parameter."""
        values = self.scope.values.get(name)
        if not values or name in self.scope.raised or name in self.scope.parameters:
            return None
        values = reaching(values, self.caps.at, self.scope.function)
        result = self.of(values[0])
        for value in values[1:]:
            result = either(result, self.of(value))
        if any(name in _names_in(value) and not is_minimum_with(name, value) for value in values):
            return None
        return result

    def _is_side_of_volume(self, name: str) -> bool:
        """`N = x.size(0)` of a tensor with three dimensions or more: no number of rows."""
        return any(self._is_of_volume(value) for value in self.scope.values.get(name, ()))

    def _is_of_volume(self, node: Syntax) -> bool:
        """A size of a tensor of which the function reads or checks a third dimension."""
        size = _SIZE.fullmatch(_name_of(node))
        if size is None:
            return False
        tensor = re.escape(size[1])
        further = rf"\b{tensor}\s*\.\s*(size\s*\(\s*[2-9]|dim\s*\(\s*\)\s*==\s*[3-9])"
        return re.search(further, self.scope.function.body.text) is not None

    def _is_a_piece(self, name: str) -> bool:
        """A parameter of which every caller in the file gives a piece at a time: `min(chunk_rows, rows - i)`."""
        if name not in self.scope.parameters:
            return False
        position = self.scope.parameters.index(name)
        calls = self.program.callers(self.scope.function.name.rpartition("::")[2])
        return bool(calls) and all(
            position < len(call.arguments) and self._is_cut(call.arguments[position], call.function) for call in calls
        )

    def _is_cut(self, node: Syntax, function: TextFunction) -> bool:
        values = self.program.scope(function).values.get(node.text, [node])
        return all(_PIECE.search(" ".join(value.text.split())) is not None for value in values)

    def _fixed(self, name: str) -> int | None:
        """A constant of the file or function, or a parameter that every caller in the file gives as a constant."""
        if name in self.scope.outline.constants and name not in self.scope.types:
            return self.scope.outline.constants[name]
        if name not in self.scope.parameters or self._depth >= CALLERS:
            return None
        position = self.scope.parameters.index(name)
        called = self.scope.function.name.rpartition("::")[2]
        given = self.program.callers(called)
        if self.scope.function.role == "host" and self.program.is_passed_on(called):
            return None
        if not given or any(position >= len(call.arguments) for call in given):
            return None
        largest = 0
        for call in given:
            if call.function is self.scope.function:
                return None
            value = Sizes(self.program, call.function, None, self._depth + 1).fixed_value(call.arguments[position])
            if value is None:
                return None
            largest = max(largest, value)
        return largest

    def fixed_value(self, node: Syntax) -> int | None:
        """The value of an expression of constants alone."""
        if node.kind == "number_literal":
            return int(number_of(node.text))
        if node.kind == "identifier":
            values = self.scope.values.get(node.text, [])
            if len(values) == 1 and node.text not in self.scope.grown and node.text not in self._active:
                self._active.add(node.text)
                value = self.fixed_value(values[0])
                self._active.discard(node.text)
                return value
            return self._fixed(node.text) if not values else None
        if node.kind == "cast_expression":
            inner = node.child("value")
            return None if inner is None else self.fixed_value(inner)
        if node.kind == "binary_expression":
            left, right = node.child("left"), node.child("right")
            a = None if left is None else self.fixed_value(left)
            b = None if right is None else self.fixed_value(right)
            return None if a is None or b is None else folded(node.op, a, b)
        return None


def _name_of(node: Syntax) -> str:
    return _BLANK.sub("", node.text)[:60]


def _names_in(node: Syntax) -> set[str]:
    return {n.text for n in node.walk() if n.kind == "identifier"}


def _is_element(node: Syntax) -> bool:
    """`items[i]`, `*(items + i)` or where one of these stands, at a place that is no literal."""
    while node.kind in ("pointer_expression", "parenthesized_expression") and node.children:
        node = node.children[0]
    if node.kind == "subscript_expression":
        return not _is_shape(node) and node.children[-1].kind != "number_literal"
    return node.kind == "binary_expression" and node.op == "+"


def _is_shape(node: Syntax) -> bool:
    """`x->ne[1]`, `sizes[0]`, `dims[2]`: a dimension of a host object, not data."""
    base = node.child("argument")
    return base is not None and re.search(r"(ne|nb|size|sizes|shape|dim|dims|stride|strides)_?$", base.text) is not None
