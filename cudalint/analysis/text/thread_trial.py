"""Tries an index and its guards, as the text spells them, for the threads of some blocks.

Sizes that nobody states get small, middling and large values in turn, so that what meets in every trial hangs on none of them.
A part that cannot be evaluated makes an index unknown, and a guard one that lets every thread pass.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product

from cudalint.analysis.text.text_program import folded
from cudalint.analysis.text.thread_text import THREAD_CALL, UNIFORM, ThreadText
from cudalint.ir.syntax import Syntax

WARP = 32
ROUNDS = 3
DEPTH = 16
MOST_LOOPS = 2  # loops of which more than the first round is tried
_COORDINATE = re.compile(r"(threadIdx|blockDim|blockIdx|gridDim)\s*\.\s*([xyz])")
_WARP_BITS = re.compile(r"log2?_?warp(_?(size|threads))?|warp(_?size)?_?(bits|shift|log2?)", re.IGNORECASE)
_LANE = re.compile(r"lane|(?:tile|warp)\w*\s*\.\s*thread_?rank", re.IGNORECASE)
_NUMBER_OF_WARP = re.compile(r"warp|meta_group", re.IGNORECASE)
_WARP_SIZE = re.compile(r"warp_?size|kWarpSize|warp_threads", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Trial:
    """A block, the value of every size that nobody states, and that of parameters (0: the same).

    `modes` are values that conditions on the way ask for by name: `if (axis == 0)`.
    """

    block: tuple[int, int]
    size: int
    data: int = 0
    modes: tuple[tuple[str, int], ...] = ()

    @property
    def is_flat(self) -> bool:
        return self.block[1] == 1

    def threads(self) -> Iterator[tuple[int, int]]:
        return ((x, y) for y in range(self.block[1]) for x in range(self.block[0]))

    def last(self, of_rows: bool) -> Iterator[tuple[int, int]]:
        """The threads of the last row, or those of the last column."""
        return (place for place in self.threads() if place[of_rows] == self.block[of_rows] - 1)


FLAT = (
    Trial((64, 1), 8), Trial((96, 1), 16), Trial((128, 1), 1024), Trial((256, 1), 64, 1 << 14), Trial((128, 1), 128, 5000),
)  # fmt: skip
SQUARE = (
    Trial((8, 8), 8), Trial((16, 4), 16), Trial((32, 4), 1024), Trial((32, 8), 64, 1 << 14),
    Trial((16, 16), 16, 5000), Trial((32, 4), 4),
)  # fmt: skip


class Unknown(Exception):
    """The text does not tell the value."""


@dataclass(slots=True)
class Values:
    """Values of expressions for one thread; `rounds` are the numbers of the iteration by loop."""

    threads: ThreadText
    trial: Trial
    x: int
    y: int
    rounds: dict[int, int] = field(default_factory=dict)
    _names: dict[int, int] = field(default_factory=dict)  # by place

    def of(self, node: Syntax, depth: int = 0) -> int:
        if depth > DEPTH:
            raise Unknown
        match node.kind:
            case "number_literal":
                return _literal(node.text)
            case "identifier":
                if id(node) not in self._names:
                    self._names[id(node)] = self._of_name(node, depth)
                return self._names[id(node)]
            case "field_expression":
                return self._of_field(node)
            case "binary_expression" if node.op in _BINARY:
                left, right = node.children
                return _BINARY[node.op](self.of(left, depth + 1), self.of(right, depth + 1))
            case "unary_expression" if node.op in _UNARY and node.children:
                return _UNARY[node.op](self.of(node.children[0], depth + 1))
            case "cast_expression":
                value_node = node.child("value")
                if value_node is None:
                    raise Unknown
                return self.of(value_node, depth + 1)
            case "call_expression":
                return self._of_call(node, depth)
            case "conditional_expression" if len(node.children) == 3:
                condition, chosen, other = node.children
                return self.of(chosen if self.of(condition, depth + 1) else other, depth + 1)
            case "sizeof_expression":
                return 4
            case _:
                raise Unknown

    def _of_call(self, node: Syntax, depth: int) -> int:
        callee, arguments = node.child("function"), node.child("arguments")
        if callee is None or arguments is None:
            raise Unknown
        name = callee.text.strip()
        if THREAD_CALL.match(name):
            linear = self.x + self.y * self.trial.block[0]
            if _LANE.search(name):
                return linear % WARP
            return linear // WARP if _NUMBER_OF_WARP.search(name) else linear
        if "_cast" in name and len(arguments.children) == 1:
            return self.of(arguments.children[0], depth + 1)
        plain = name.rpartition("::")[2]
        if plain in ("min", "max") and len(arguments.children) == 2:
            pair = [self.of(argument, depth + 1) for argument in arguments.children]
            return min(pair) if plain == "min" else max(pair)
        raise Unknown

    def _of_field(self, node: Syntax) -> int:
        found = _COORDINATE.fullmatch(node.text)
        if found is None:
            base = node.child("argument")
            if base is not None and base.kind == "identifier" and base.text in self.threads.scope.parameters:
                return self.trial.data or self.trial.size
            raise Unknown
        axis = "xyz".index(found[2])
        place, sides = (self.x, self.y, 0), (*self.trial.block, 1)
        values = {"threadIdx": place[axis], "blockDim": sides[axis], "blockIdx": 0, "gridDim": 2}
        return values[found[1]]

    def _of_name(self, node: Syntax, depth: int) -> int:
        name, scope = node.text, self.threads.scope
        counter = self.threads.counter(node)
        if counter is not None:
            start = self.of(counter.init, depth + 1)
            return self._advanced(start, counter.update, self.rounds.get(id(counter.loop), 0), depth)
        if _WARP_SIZE.fullmatch(name):
            return WARP
        if _WARP_BITS.fullmatch(name) and name not in scope.outline.constants:
            return WARP.bit_length() - 1
        found = self.threads.local(node)
        if found is not None:
            expression = self.threads.value(node)
            try:
                if expression is None:
                    raise Unknown
                return self.of(expression, depth + 1)
            except Unknown:
                if not found.is_constant:
                    raise
                return self.trial.size
        if name in scope.outline.constants:
            return scope.outline.constants[name]
        if name in self.threads.changes:
            raise Unknown
        for mode, value in self.trial.modes:
            if mode == name:
                return value
        if name in self.threads.macros:
            return self._of_macro(name)
        if name in scope.parameters and self.threads.kind(node) == "thread":
            return self._of_thread_name(name)
        return (self.trial.data if name in scope.parameters else 0) or self.trial.size

    def _of_thread_name(self, name: str) -> int:
        linear = self.x + self.y * self.trial.block[0]
        low = name.lower()
        if low in ("ty", "tidy", "tid_y", "threadidy"):
            return self.y
        if low.startswith(("tx", "tidx")) or low in ("tid_x", "threadidx"):
            return self.x
        return linear % WARP if low.startswith(("lane", "lid")) else linear // WARP if "warp" in low else linear

    def _of_macro(self, name: str) -> int:
        text = self.threads.macros[name]
        for wanted, value in (("x", self.x), ("y", self.y)):
            text = re.sub(rf"threadIdx\s*\.\s*{wanted}", str(value), text)
        known = self.threads.scope.outline.constants
        text = re.sub(r"\b[A-Za-z_]\w*\b", lambda m: str(known.get(m[0], self.trial.size)), _OTHER.sub("0", text))
        return _folded(ast.parse(text.strip(), mode="eval").body) if _SUM.fullmatch(text) else _raise()

    def _advanced(self, start: int, update: Syntax, rounds: int, depth: int) -> int:
        for _ in range(rounds):
            if update.kind == "update_expression":
                start += 1 if update.op == "++" else -1
                continue
            right = update.child("right")
            step = _BINARY.get(update.op.rstrip("="))
            if right is None or step is None or update.op == "=":
                raise Unknown
            start = step(start, self.of(right, depth + 1))
        return start

    def passes(self, condition: Syntax, holds: bool) -> bool | None:
        """Whether the condition is `holds`; None where the text does not tell."""
        if condition.kind == "binary_expression" and condition.op in ("&&", "||"):
            parts = [self.passes(child, True) for child in condition.children]
            decisive = condition.op == "||"
            if decisive in parts:
                return decisive == holds
            return None if None in parts else (not decisive) == holds
        try:
            return bool(self.of(condition)) == holds
        except (Unknown, ZeroDivisionError, ValueError, OverflowError):
            return None


def modes_of(threads: ThreadText, conditions: Iterable[Syntax]) -> tuple[tuple[str, int], ...]:
    """The values of parameters for which the conditions hold: `axis == 0 && n > 3` asks for axis = 0."""
    found: dict[str, int] = {}
    for condition in conditions:
        sides = condition.children if condition.kind == "binary_expression" else ()
        if len(sides) == 2 and condition.op == "&&":
            found |= dict(modes_of(threads, sides))
        elif len(sides) == 2 and condition.op == "==":
            name, value = sides
            given = name.text in threads.scope.parameters or name.text in threads.scope.function.template
            if given and threads.kind(name) == UNIFORM and value.kind == "number_literal":
                found[name.text] = _literal(value.text)
    return tuple(sorted(found.items()))


def _raise() -> int:
    raise Unknown


def _literal(text: str) -> int:
    try:
        return int(text.lower().rstrip("ul").replace("'", ""), 0)
    except ValueError:
        raise Unknown from None


def _folded(node: ast.expr) -> int:
    """The value of a sum, difference or product of numbers."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in _FOLDS:
        value = folded(_FOLDS[type(node.op)], _folded(node.left), _folded(node.right))
        return _raise() if value is None else value
    return _raise()


_FOLDS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_SUM = re.compile(r"[\d\s()+*-]+")
_OTHER = re.compile(r"(blockIdx|gridDim)\s*\.\s*[xyz]")


def _divided(a: int, b: int) -> int:
    return int(a / b) if abs(a) < 1 << 50 else a // b


_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divided,
    "%": lambda a, b: a - b * _divided(a, b),
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": lambda a, b: a << b if 0 <= b < 32 else 0,
    ">>": lambda a, b: a >> b if 0 <= b < 32 else 0,
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
}
_UNARY: dict[str, Callable[[int], int]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
    "!": lambda a: int(not a),
}


def rounds_of(loops: list[Syntax], shared: frozenset[int], base: dict[int, int]) -> Iterator[dict[int, int]]:
    """Iteration numbers to try: `base` for loops that both threads are in together, some for the others."""
    free = [id(loop) for loop in loops if id(loop) not in shared][-MOST_LOOPS:]
    for numbers in product(range(ROUNDS), repeat=len(free)):
        yield {**base, **dict(zip(free, numbers))}
