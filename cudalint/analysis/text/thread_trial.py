"""Tries an index and its guards, as the text spells them, for the threads of some blocks.

Sizes that nobody states get small, middling and large values in turn, so that what meets in every trial hangs on none of them.
A part that cannot be evaluated makes an index unknown, and a guard one that lets every thread pass.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TypeAlias

from cudalint.analysis.text.text_program import CEIL, folded
from cudalint.analysis.text.thread_text import (
    GROUP_SIZE_CALL,
    THREAD_CALL,
    UNIFORM,
    Counter,
    ThreadText,
    coordinate,
)
from cudalint.ir.syntax import Syntax

WARP = 32
ROUNDS = 3
DEPTH = 16
MOST_LOOPS = 2  # loops of which more than the first round is tried
_COORDINATE = re.compile(r"(threadIdx|blockDim|blockIdx|gridDim)\s*\.\s*([xyz])")
_WARP_BITS = re.compile(r"log2?_?warp(_?(size|threads))?|warp(_?size)?_?(bits|shift|log2?)", re.IGNORECASE)
_LANE = re.compile(r"lane|(?:tile|warp)\w*\s*\.\s*thread_?rank", re.IGNORECASE)
_NUMBER_OF_WARP = re.compile(r"warp|meta_group", re.IGNORECASE)
_BLOCK_SIZE = re.compile(
    r"(thread_?)?block_?(size|dim)(_?x)?|kBlockSize|k?(num_?|n_?|max_)?threads(_?per_?block)?\d*|tpb|cta_size",
    re.IGNORECASE,
)
_START = re.compile(r"(\w+_)?(start|begin|offset|first)|(row|col|batch|block|tile)(Start|Begin|Offset)")
_NEAR = re.compile(r"(\w+_)?(anchor|radius|halo|border|apron|ghost)(_?(x|y|size|width))?", re.IGNORECASE)
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

    @property
    def count(self) -> int:
        """Of the threads of the block."""
        return self.block[0] * self.block[1]

    def threads(self) -> Iterator[tuple[int, int]]:
        return ((x, y) for y in range(self.block[1]) for x in range(self.block[0]))

    def last(self, of_rows: bool) -> Iterator[tuple[int, int]]:
        """The threads of the last row, or those of the last column."""
        return (place for place in self.threads() if place[of_rows] == self.block[of_rows] - 1)


_FLAT = (
    Trial((64, 1), 8), Trial((96, 1), 16), Trial((128, 1), 1024), Trial((256, 1), 64, 1 << 14), Trial((128, 1), 128, 5000),
)  # fmt: skip
_SQUARE = (
    Trial((8, 8), 8), Trial((16, 4), 16), Trial((32, 4), 1024), Trial((32, 8), 64, 1 << 14),
    Trial((16, 16), 16, 5000), Trial((32, 4), 4),
)  # fmt: skip
_LARGE = (Trial((512, 1), 8), Trial((512, 1), 1024, 5000)), (Trial((32, 16), 8), Trial((16, 32), 1024, 5000))
_LARGEST = (Trial((1024, 1), 8), Trial((1024, 1), 64, 5000)), (Trial((32, 32), 8), Trial((32, 32), 64, 5000))
WIDE = Trial((64, 4), 64), Trial((128, 2), 1024), Trial((96, 2), 96)
ONE_WARP = Trial((32, 1), 8), Trial((32, 1), 1024), Trial((32, 1), 64, 5000)
MOST_THREADS = 1024


def trials_of(is_flat: bool, named: int) -> tuple[Trial, ...]:
    """Blocks to try where the text speaks of the thread with this number: larger ones where few of the usual have it."""
    usual = _FLAT if is_flat else _SQUARE
    if sum(trial.count > named for trial in usual) > 2 or named >= MOST_THREADS:
        return usual
    return usual + (_LARGE if named < 512 else _LARGEST)[not is_flat]


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
    names: dict[int, int] = field(default_factory=dict)  # by place

    def of(self, node: Syntax, depth: int = 0) -> int:
        """Raises Unknown. What the text says is worked out once for all threads."""
        meaning = self.threads.meanings.get(id(node))
        if meaning is None:
            meaning = self.threads.meanings[id(node)] = _meaning(node, self.threads)
        return meaning(self, depth)

    @property
    def linear(self) -> int:
        return self.x + self.y * self.trial.block[0]

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


# --- what an expression means, for any thread --------------------------------------------------------------------------

_Meaning: TypeAlias = Callable[[Values, int], int]  # of the values and the depth


def _meaning(node: Syntax, threads: ThreadText, level: int = 0) -> _Meaning:
    """`level`: how far below an expression that is worked out, whose parts are that much deeper at least."""
    if level > DEPTH:
        return _unknown
    inner = _inner_meaning(node, threads, level + 1)

    def limited(values: Values, depth: int) -> int:
        if depth > DEPTH:
            raise Unknown
        return inner(values, depth)

    return limited


def _inner_meaning(node: Syntax, threads: ThreadText, level: int) -> _Meaning:
    match node.kind:
        case "number_literal":
            return _constant(_literal, node.text)
        case "identifier":
            return _named(node, _name_meaning(node, threads))
        case "field_expression":
            return _field_meaning(node, threads)
        case "binary_expression" if node.op in _BINARY:
            step = _BINARY[node.op]
            left, right = (_meaning(child, threads, level) for child in node.children)
            return lambda values, depth: step(left(values, depth + 1), right(values, depth + 1))
        case "unary_expression" if node.op in _UNARY and node.children:
            change, operand = _UNARY[node.op], _meaning(node.children[0], threads, level)
            return lambda values, depth: change(operand(values, depth + 1))
        case "cast_expression":
            value = node.child("value")
            return _unknown if value is None else _deeper(_meaning(value, threads, level))
        case "call_expression":
            return _call_meaning(node, threads, level)
        case "conditional_expression" if len(node.children) == 3:
            condition, chosen, other = (_meaning(child, threads, level) for child in node.children)
            return lambda values, depth: (chosen if condition(values, depth + 1) else other)(values, depth + 1)
        case "sizeof_expression":
            return lambda _values, _depth: 4
        case _:
            return _unknown


def _unknown(_values: Values, _depth: int) -> int:
    raise Unknown


def _constant(read: Callable[[str], int], text: str) -> _Meaning:
    try:
        known = read(text)
    except Unknown:
        return _unknown
    return lambda _values, _depth: known


def _deeper(meaning: _Meaning) -> _Meaning:
    return lambda values, depth: meaning(values, depth + 1)


def _named(node: Syntax, meaning: _Meaning) -> _Meaning:
    place = id(node)

    def known(values: Values, depth: int) -> int:
        if place not in values.names:
            values.names[place] = meaning(values, depth)
        return values.names[place]

    return known


def _call_meaning(node: Syntax, threads: ThreadText, level: int) -> _Meaning:
    callee, arguments = node.child("function"), node.child("arguments")
    if callee is None or arguments is None:
        return _unknown
    name = callee.text.strip()
    if THREAD_CALL.match(name):
        if _LANE.search(name):
            return lambda values, _depth: values.linear % WARP
        if _NUMBER_OF_WARP.search(name):
            return lambda values, _depth: values.linear // WARP
        return lambda values, _depth: values.linear
    if GROUP_SIZE_CALL.match(name):
        return lambda values, _depth: values.trial.count
    given = [_meaning(argument, threads, level) for argument in arguments.children]
    if "_cast" in name and len(given) == 1:
        return _deeper(given[0])
    plain = name.rpartition("::")[2]
    if plain in ("min", "max") and len(given) == 2:
        chosen: Callable[[list[int]], int] = min if plain == "min" else max
        return lambda values, depth: chosen([each(values, depth + 1) for each in given])
    if CEIL.search(plain) and len(given) == 2:
        size, divisor = given
        return lambda values, depth: -(-size(values, depth + 1) // divisor(values, depth + 1))
    return _unknown


def _field_meaning(node: Syntax, threads: ThreadText) -> _Meaning:
    found = _COORDINATE.fullmatch(coordinate(node))
    if found is None:
        base = node.child("argument")
        if base is not None and base.kind == "identifier" and base.text in threads.scope.parameters:
            return lambda values, _depth: _data_or_size(values)
        return _unknown
    axis = "xyz".index(found[2])
    match found[1]:
        case "threadIdx":
            return lambda values, _depth: (values.x, values.y, 0)[axis]
        case "blockDim":
            return lambda values, _depth: (*values.trial.block, 1)[axis]
        case "blockIdx":
            return lambda _values, _depth: 0
        case _:
            return lambda _values, _depth: 2


def _name_meaning(node: Syntax, threads: ThreadText) -> _Meaning:
    name, scope = node.text, threads.scope
    counter = threads.counter(node)
    if counter is not None:
        return _counter_meaning(counter)
    if _WARP_SIZE.fullmatch(name):
        return lambda _values, _depth: WARP
    if _WARP_BITS.fullmatch(name) and name not in scope.outline.constants:
        return lambda _values, _depth: WARP.bit_length() - 1
    found = threads.local(node)
    if found is not None:
        return _local_meaning(threads.value(node), found.is_constant)
    if name in scope.outline.constants:
        known = scope.outline.constants[name]
        return lambda _values, _depth: known
    if name in threads.changes:
        return _unknown

    def size(values: Values, _depth: int) -> int:
        for mode, value in values.trial.modes:
            if mode == name:
                return value
        return free(values)

    if name in threads.macros:
        free = _macro_meaning(threads.macros[name], scope.outline.constants)
    elif _BLOCK_SIZE.fullmatch(name) and ("block" in name.lower() or "blockDim" not in scope.function.body.text):
        free = _side if "block" in name.lower() else _block_size
    elif _START.fullmatch(name):
        free = _zero
    elif _NEAR.fullmatch(name):
        free = _one
    elif name in scope.parameters and threads.kind(node) == "thread":
        free = _thread_name_meaning(name.lower())
    elif name in scope.parameters:
        free = _data_or_size
    else:
        free = _size
    return size


def _data_or_size(values: Values) -> int:
    return values.trial.data or values.trial.size


def _size(values: Values) -> int:
    return values.trial.size


def _side(values: Values) -> int:
    return values.trial.block[0]


def _block_size(values: Values) -> int:
    return values.trial.count


def _one(_values: Values) -> int:
    return 1


def _zero(_values: Values) -> int:
    return 0


def _counter_meaning(counter: Counter) -> _Meaning:
    loop = id(counter.loop)

    least = _least_start(counter.init)

    def advanced(values: Values, depth: int) -> int:
        try:
            start = values.of(counter.init, depth + 1)
        except Unknown:
            if least is None:
                raise
            start = least
        return _advanced(values, start, counter.update, values.rounds.get(loop, 0), depth)

    return advanced


def _least_start(init: Syntax) -> int | None:
    """`for (t = max(0, last - found); ...)`: where the data tell the start, some of them let it be the first."""
    callee, arguments = init.child("function"), init.child("arguments")
    if callee is None or arguments is None or callee.text.rpartition("::")[2].partition("<")[0] != "max":
        return None
    numbers = [each.text for each in arguments.children if each.kind == "number_literal"]
    return int(numbers[0]) if len(numbers) == 1 and numbers[0].isdecimal() else None


def _advanced(values: Values, start: int, update: Syntax, rounds: int, depth: int) -> int:
    for _ in range(rounds):
        if update.kind == "update_expression":
            start += 1 if update.op == "++" else -1
            continue
        right = update.child("right")
        op = update.op.rstrip("=")
        if right is not None and not op:
            op, right = _changed_by(update, right)
        step = _BINARY.get(op)
        if right is None or step is None:
            raise Unknown
        start = step(start, values.of(right, depth + 1))
    return start


def _changed_by(update: Syntax, right: Syntax) -> tuple[str, Syntax | None]:
    """`i = i / 2`, `i = 2 * i`: by which operation and what."""
    counter = update.child("left")
    if counter is None or right.kind != "binary_expression" or len(right.children) != 2:
        return "", None
    first, second = right.children
    if first.text == counter.text:
        return right.op, second
    return (right.op, first) if second.text == counter.text and right.op in ("+", "*") else ("", None)


def _local_meaning(expression: Syntax | None, is_constant: bool) -> _Meaning:
    def known(values: Values, depth: int) -> int:
        try:
            if expression is None:
                raise Unknown
            return values.of(expression, depth + 1)
        except Unknown:
            if not is_constant:
                raise
            return values.trial.size

    return known


def _thread_name_meaning(name: str) -> Callable[[Values], int]:
    if name in ("ty", "tidy", "tid_y", "threadidy"):
        return lambda values: values.y
    if name.startswith(("tx", "tidx")) or name in ("tid_x", "threadidx"):
        return lambda values: values.x
    if name.startswith(("lane", "lid")):
        return lambda values: values.linear % WARP
    return (lambda values: values.linear // WARP) if "warp" in name else lambda values: values.linear


def _macro_meaning(macro: str, constants: dict[str, int]) -> Callable[[Values], int]:
    def known(values: Values) -> int:
        text = macro
        for wanted, value in (("x", values.x), ("y", values.y)):
            text = re.sub(rf"threadIdx\s*\.\s*{wanted}", str(value), text)
        named = _OTHER.sub("0", text)
        text = re.sub(r"\b[A-Za-z_]\w*\b", lambda m: str(constants.get(m[0], values.trial.size)), named)
        return _folded(ast.parse(text.strip(), mode="eval").body) if _SUM.fullmatch(text) else _raise()

    return known


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


def taken_away(index: Syntax, threads: ThreadText, depth: int = 0) -> set[str]:
    """Sizes that nobody states and that another such size is lessened by: `(LENGTH - LAG + threadIdx.x) % LENGTH`.

    With one value for all sizes their difference is nothing.
    """
    if depth > DEPTH:
        return set()
    found: set[str] = set()
    for node in index.walk():
        if node.kind == "binary_expression" and node.op == "-" and len(node.children) == 2:
            whole, part = node.children
            others = {each.text for each in whole.walk() if each.kind == "identifier" and _is_unstated(each, threads)}
            if part.kind == "identifier" and _is_unstated(part, threads) and others - {part.text}:
                found.add(part.text)
        elif node.kind == "identifier":
            counter = threads.counter(node)
            value = threads.value(node) if counter is None else counter.init
            if value is not None:
                found |= taken_away(value, threads, depth + 1)
    return found


def _is_unstated(name: Syntax, threads: ThreadText) -> bool:
    """It gets the value of a trial."""
    known = name.text in threads.scope.outline.constants or name.text in threads.macros
    if known or threads.local(name) is not None or threads.counter(name) is not None:
        return False
    meant = any(each.fullmatch(name.text) for each in (_WARP_SIZE, _WARP_BITS, _BLOCK_SIZE, _START, _NEAR))
    return not meant and threads.kind(name) == UNIFORM


def parted(trial: Trial, names: Iterable[str]) -> Trial:
    """The trial in which these sizes are half as large as the others."""
    half = max(1, trial.size // 2)
    return replace(trial, modes=(*trial.modes, *((name, half) for name in sorted(names))))


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
