"""The largest value that an expression can have by the constants in the text: checks, clamps, loop bounds, callers.

    void f(int rows) { if (rows > 4096) return;  k<<<rows, 64>>>(x, rows); }
    __global__ void k(float *x, int rows) { int i = blockIdx.x * rows; }       i <= 4095 * 4096

Sizes count as not negative, so that `n - 1` is at most n. Nothing is said where the text states no constant.
"""

from __future__ import annotations

import re

from cudalint.analysis.text.aggregates import listed_value
from cudalint.analysis.text.dealt_parts import is_minimum_with, number_of_parts
from cudalint.analysis.text.launch_text import launches_of
from cudalint.analysis.text.literal_tables import table_limits
from cudalint.analysis.text.scopes import COORDINATES, POINTER, UNKNOWN, cast_target, kind_of
from cudalint.analysis.text.stated_bounds import StatedBound, key_of
from cudalint.analysis.text.static_branches import reaching
from cudalint.analysis.text.text_program import CEIL, Program, folded, number_of
from cudalint.analysis.text.type_widths import bytes_of_type
from cudalint.ir.syntax import Syntax, TextFunction

CALLERS = 3
DEEPEST = 24
MOST_STEPS = 600
THREADS = 1024.0
LIMITS = {
    **dict.fromkeys(("INT_MAX", "INT32_MAX", "std::numeric_limits<int>::max()"), 2.0**31 - 1),
    **dict.fromkeys(("UINT_MAX", "UINT32_MAX", "std::numeric_limits<uint32_t>::max()"), 2.0**32 - 1),
    **dict.fromkeys(("std::numeric_limits<int32_t>::max()", "std::numeric_limits<int>::max"), 2.0**31 - 1),
    **dict.fromkeys(("USHRT_MAX", "UINT16_MAX", "std::numeric_limits<uint16_t>::max()"), 2.0**16 - 1),
    "warpSize": 32.0,
}


class Caps:
    """Caps of the expressions of one function; `at` is where the value is used, if that is behind the expression."""

    def __init__(self, program: Program, function: TextFunction, at: int | None = None, depth: int = 0) -> None:
        self.program = program
        self.function = function
        self.scope = program.scope(function)
        self.at = at
        self._depth = depth
        self._active: set[str] = set()
        # Computed expressions whose bounds are asked for: `a.numel() == n && b.numel() == n` asks about each other's.
        self._checking: set[str] = set()
        self._known: dict[tuple[str, tuple[int, ...]], float | None] = {}
        self._steps = 0
        self._level = 0

    def of(self, node: Syntax) -> float | None:
        """The cap of an expression, or None."""
        self._steps += 1
        if self._level >= DEEPEST or self._steps > MOST_STEPS:
            return None
        self._level += 1
        try:
            return self._named(node) if node.kind in _NAMES else _least(self._checked(node), self._computed(node))
        finally:
            self._level -= 1

    def of_constant(self, node: Syntax) -> float | None:
        """The value of a constant expression; None for another one."""
        return self._fixed(node)

    # --- expressions ---------------------------------------------------------------------------------------------------

    def _computed(self, node: Syntax) -> float | None:
        match node.kind:
            case "number_literal":
                return number_of(node.text)
            case "binary_expression":
                return self._binary(node)
            case "cast_expression":
                value = node.child("value")
                return None if value is None else self.of(value)
            case "conditional_expression":
                return _most([None if s is None else self.of(s) for s in (node.child(f) for f in _SIDES)])
            case "call_expression":
                return self._call(node)
            case "sizeof_expression":
                return float(bytes_named(node.text) or 64)
            case _:
                return None

    def _binary(self, node: Syntax) -> float | None:
        left, right = node.child("left"), node.child("right")
        if left is None or right is None:
            return None
        match node.op:
            case "+" | "*" | "|" | "^":
                a, b = self.of(left), self.of(right)
                if a is None or b is None:
                    return None
                return a * b if node.op == "*" else a + b
            case "-":
                a, b = self.of(left), self._fixed(right)
                return a if a is None or b is None else max(0.0, a - b)
            case "/" | ">>":
                return _least(self._quotient(left, right, node.op), self._of_parts(node))
            case "%" | "&":
                return _least(self.of(left), self.of(right))
            case "<<":
                a, b = self.of(left), self.of(right)
                return None if a is None or b is None or b > 62 else a * 2.0**b
            case "<" | "<=" | ">" | ">=" | "==" | "!=" | "&&" | "||":
                return 1.0
            case _:
                return None

    def _quotient(self, left: Syntax, right: Syntax, op: str) -> float | None:
        a, b = self.of(left), self._fixed(right)
        if a is None or b is None or b < 1:
            return a
        return float(a // (2.0 ** min(b, 62) if op == ">>" else b))

    def _of_parts(self, node: Syntax) -> float | None:
        """Of a quotient by the share of one of so many parts: no more than these."""
        parts = number_of_parts(node, self.scope)
        return None if parts is None else self.of(parts)

    def _fixed(self, node: Syntax, level: int = 0) -> float | None:
        """The value of a constant expression of this function or file; one that holds itself (`n = n * 2`) has none."""
        if node.kind == "number_literal":
            return number_of(node.text)
        if level >= DEEPEST:
            return None
        if node.kind == "identifier":
            if node.text in self.scope.outline.constants and node.text not in self.scope.types:
                return float(self.scope.outline.constants[node.text])
            values = self.scope.values.get(node.text, [])
            if len(values) == 1 and node.text not in self.scope.grown and values[0].kind != "identifier":
                return self._fixed(values[0], level + 1)
            return None
        left, right = node.child("left"), node.child("right")
        if node.kind != "binary_expression" or left is None or right is None:
            return None
        a = self._fixed(left, level + 1)
        b = None if a is None else self._fixed(right, level + 1)
        value = None if a is None or b is None else folded(node.op, int(a), int(b))
        return None if value is None else float(value)

    def _call(self, node: Syntax) -> float | None:
        callee, arguments = node.child("function"), node.child("arguments")
        if callee is None or arguments is None:
            return None
        if not arguments.children:
            return LIMITS.get(node.bare.removeprefix("::"))
        sides = arguments.children
        if cast_target(node) is not None:
            return self.of(sides[0])
        name = callee.text.partition("<")[0].rpartition("::")[2].lower()
        if name in ("min", "umin", "imin", "fmin", "fminf") and len(sides) == 2:
            return _least(self.of(sides[0]), self.of(sides[1]))
        if name in ("max", "umax", "imax", "fmax", "fmaxf") and len(sides) == 2:
            return _most([self.of(sides[0]), self.of(sides[1])])
        if name == "clamp" and len(sides) == 3:
            return self.of(sides[2])
        if CEIL.search(name) and len(sides) == 2:
            a, b = self.of(sides[0]), self._fixed(sides[1])
            rounded = a if a is None or b is None or b < 1 else float((a + b - 1) // b)
            return _least(rounded, self._of_parts(node))
        return self._returned(callee)

    def _returned(self, callee: Syntax) -> float | None:
        """The largest that the one function of this name in the file returns, for whatever it is given."""
        name = callee.text.partition("<")[0].rpartition("::")[2]
        found = [f for f in self.program.outline.functions if f.name.rpartition("::")[2] == name]
        if len(found) != 1 or found[0] is self.function or self._depth >= CALLERS:
            return None
        returns = [node for node in found[0].body.walk() if node.kind == "return_statement" and node.children]
        return _most([self._in(found[0], node.children[0], node.start) for node in returns])

    # --- names -----------------------------------------------------------------------------------------------------------

    def _named(self, node: Syntax) -> float | None:
        key = key_of(node)
        bounds = self._covering(key, node.start)
        memo = (key, tuple(bound.start for bound in bounds))
        if memo in self._known:
            return self._known[memo]
        if key in self._active:
            return self._limit_of(bounds)
        self._active.add(key)
        value = _least(self._limit_of(bounds), self._of_name(key, node))
        self._active.discard(key)
        if not self._active:
            self._known[memo] = value
        return value

    def _checked(self, node: Syntax) -> float | None:
        key = key_of(node)
        if node.kind not in _COMPUTED or key in self._checking:
            return None
        self._checking.add(key)
        limit = self._limit_of(self._covering(key, node.start))
        self._checking.discard(key)
        return limit

    def _covering(self, key: str, place: int) -> list[StatedBound]:
        """The bounds that hold where the name stands; of what is never assigned again, also those of where it is used."""
        bounds = self.program.bounds(self.function).get(key)
        if not bounds:
            return []
        places = [place]
        fixed = key not in self.scope.grown and len(self.scope.values.get(key, ())) <= (
            key not in self.scope.parameters
        )
        if self.at is not None and fixed:
            places.append(self.at)
        return [bound for bound in bounds if any(bound.start <= p <= bound.end for p in places)]

    def _limit_of(self, bounds: list[StatedBound]) -> float | None:
        result: float | None = None
        for bound in bounds:
            limit = self.of(bound.limit)
            result = _least(result, limit if limit is None or not bound.strict else max(0.0, limit - 1))
        return result

    def _of_name(self, key: str, node: Syntax) -> float | None:
        if key in LIMITS:
            return LIMITS[key]
        if COORDINATES.fullmatch(key):
            return self._of_place(key)
        if node.kind == "field_expression":
            return _least(self.of_field(node.text, node.start), self._of_passed_member(node.bare))
        if node.kind != "identifier":
            return None
        if key in self.scope.outline.constants and key not in self.scope.types:
            return float(self.scope.outline.constants[key])
        if key in self.scope.parameters:
            changed = key in self.scope.values or key in self.scope.grown
            return None if changed else self.of_parameter(key)
        result = self._assigned(key)
        for limit in self.scope.limits.get(key, ()):
            result = _least(result, self.of(limit))
        return result

    def of_field(self, text: str, place: int) -> float | None:
        """What a member was given: by its object's list, by a statement that nothing goes around, or by the file's tables."""
        given = self.scope.fields.get(text, [])
        listed = listed_value(text, self.scope)
        if listed is None and not any(each in self.function.body.children and each.end <= place for each in given):
            limit = table_limits(self.program.outline.root.text).get(text)
            return None if limit is None else float(limit)
        values = [each.child("right") if each.op == "=" else None for each in given]
        values += [listed] if listed is not None else []
        return _most([None if value is None else self.of(value) for value in values])

    def _assigned(self, key: str) -> float | None:
        values = self.scope.values.get(key)
        if not values or re.search(rf"[(,]\s*&\s*{re.escape(key)}\s*[,)]", self.function.body.text):
            return None  # a call that gets its address may set it: `int limit = 0;  get_limit(&limit);`
        values = [v for v in reaching(values, self.at, self.function) if not self._only_lowers(key, v)]
        steps = [step for step in self.scope.steps.get(key, ()) if not self._is_lowering(step)]
        return _most([*(self.of(value) for value in values), *(self._stepped(key, step) for step in steps)])

    def _only_lowers(self, key: str, value: Syntax) -> bool:
        """The name gets no more than what it is assigned elsewhere."""
        parts, left = number_of_parts(value, self.scope), value.child("left")
        if left is not None and left.text == key and self._is_lowering(value):
            return True
        return is_minimum_with(key, value) or (parts is not None and parts.text == key)

    def _is_lowering(self, step: Syntax) -> bool:
        """`n / 2`, `n >>= 1`: less than before, if anything."""
        right = step.child("right")
        return step.op in ("/", ">>", "/=", ">>=") and right is not None and (self._fixed(right) or 0.0) >= 1

    def _stepped(self, key: str, step: Syntax) -> float | None:
        """`while (threads < n && threads < 1024) threads *= 2`: what a step makes of the most that there is before it."""
        before, right = self._limit_of(self._covering(key, step.start)), step.child("right")
        by = None if right is None else self._fixed(right)
        if before is None or by is None:
            return None
        match step.op:
            case "*=":
                return before * by
            case "<<=":
                return before * 2.0**by if by <= 62 else None
            case _:
                return None

    def of_parameter(self, key: str) -> float | None:
        """The largest that the callers of this file give."""
        if self._depth >= CALLERS:
            return None
        position = self.scope.parameters.index(key)
        name = self.function.name.rpartition("::")[2]
        given = self.program.callers(name)
        if self.function.role == "host" and self.program.is_passed_on(name):
            return None
        default = self.function.parameters[position].child("default_value")
        if not given or any(call.function is self.function for call in given):
            return None
        if default is None and any(position >= len(call.arguments) for call in given):
            return None
        passed = [call for call in given if position < len(call.arguments)]
        caps = [self._in(call.function, call.arguments[position], call.place) for call in passed]
        return _most(caps if default is None or len(passed) == len(given) else [*caps, self._fixed(default)])

    def _of_passed_member(self, key: str) -> float | None:
        """The largest that the launches of a kernel give a member of a parameter that it leaves as it is."""
        name, _, member = key.partition(".")
        scope, position = self.scope, self.scope.parameters.index(name) if name in self.scope.parameters else -1
        changed = name in scope.values or name in scope.grown or any(f.partition(".")[0] == name for f in scope.fields)
        if self.function.role != "kernel" or position < 0 or changed or self._depth >= CALLERS:
            return None
        given = self.program.callers(self.function.name.rpartition("::")[2])
        if any(position >= len(call.arguments) or call.arguments[position].kind != "identifier" for call in given):
            return None
        owners = [(Caps(self.program, call.function, call.place, self._depth + 1), call) for call in given]
        return _most([caps.of_field(f"{call.arguments[position].text}.{member}", call.place) for caps, call in owners])

    def _of_place(self, key: str) -> float | None:
        """A coordinate by the visible launches of the kernel."""
        which, _, axis = key.partition(".")
        if which in ("threadIdx", "blockDim"):
            side = self._side("block", "xyz".index(axis))
            limit = min(THREADS, side) if side is not None else THREADS
        else:
            side = self._side("grid", "xyz".index(axis))
            if side is None:
                return None
            limit = side
        return limit if which.endswith("Dim") else max(0.0, limit - 1)

    def _side(self, part: str, axis: int) -> float | None:
        """The largest of one side over the launches of the file; a side that is not written is 1."""
        if self.function.role != "kernel" or self._depth >= CALLERS:
            return None
        launches = launches_of(self.function.name.rpartition("::")[2].partition("<")[0], self.program)
        found: list[float | None] = []
        for launch in launches:
            sides = launch.grid if part == "grid" else launch.block
            first, side = sides[0], sides[axis]
            scope = self.program.scope(launch.function)
            if first is None or (sides[1] is None and kind_of(first, scope) in (UNKNOWN, POINTER)):
                return None
            found.append(1.0 if side is None else self._in(launch.function, side, launch.node.start))
        return _most(found)

    def _in(self, function: TextFunction, node: Syntax, place: int) -> float | None:
        return Caps(self.program, function, place, self._depth + 1).of(node)


_NAMES = ("identifier", "field_expression", "subscript_expression")
_COMPUTED = ("binary_expression", "call_expression")
_SIDES = ("consequence", "alternative")


def bytes_named(text: str) -> int | None:
    """The bytes of `sizeof(float)`; None for a type that is not known by its name."""
    named = re.search(r"sizeof\s*\(\s*(?:const\s+|unsigned\s+|signed\s+|__)*(\w+)\s*\)", text)
    return None if named is None else bytes_of_type(named[1])


def _least(a: float | None, b: float | None) -> float | None:
    return b if a is None else a if b is None else min(a, b)


def _most(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return max(known) if known and len(known) == len(values) else None
