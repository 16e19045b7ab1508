"""Formulas over host values, as a reader writes them down: `ceil_div(x.size(0), 256)`, and values to try them with.

    formula = C's integer operators, comparisons, and, or, ceil_div, min, max, where(condition, then, else)
    name    = a host variable, field, element or method: `dst.src[1].ne`, `x.size(0)`, `device.multiProcessorCount`

`/` rounds towards zero, as C's does. Contracts name a member of an array by its index before its name, and 0 by none:
`dst->src[0]->ne[2]` is `dst.src[2].ne` there, and may be written as C spells it here.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType

_NAME = re.compile(r"[A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*|\[\w+\]|(?<=\w)\(-?\d*\))*'*")
_FUNCTIONS = ("ceil_div", "min", "max", "where", "and", "or", "not")
SCALES = (4, 16, 128, 1024)


class Undefined(Exception):
    """A division by zero, or a name without a value."""


@dataclass(frozen=True, slots=True)
class Formula:
    """`text` as written, the names in it, and its code over `v[0]`, `v[1]`, ..."""

    text: str
    names: tuple[str, ...]
    code: CodeType

    def value(self, values: Mapping[str, int]) -> int:
        """Its value; Undefined where it has none."""
        try:
            found = [values[name] for name in self.names]
            return int(eval(self.code, {"__builtins__": {}, **_LIBRARY, "v": found}))
        except (ZeroDivisionError, KeyError) as error:
            raise Undefined(str(error)) from None


def _divide(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _where(cond: bool, then: int, orelse: int) -> int:
    return then if cond else orelse


_LIBRARY: dict[str, Callable[..., int]] = {
    "ceil_div": lambda a, b: -(-a // b),
    "min": min,
    "max": max,
    "where": _where,
    "divide": _divide,
}


def canonical(name: str) -> str:
    """A name as formulas and contracts share it."""
    return name.replace("->", ".").replace("[0]", "")


def _as_contracts_do(name: str) -> str:
    """A name as C spells it, with the indices where contracts have them."""
    return re.sub(r"(\.\w+)\[(\w+)\]", r"[\2]\1", canonical(name))


@lru_cache(maxsize=4096)
def formula(text: str) -> Formula:
    """The formula that the text spells; ValueError says what is wrong with it."""
    names: dict[str, int] = {}

    def place(match: re.Match[str]) -> str:
        if match[0] in _FUNCTIONS:
            return match[0]
        return f"v[{names.setdefault(_as_contracts_do(match[0]), len(names))}]"

    try:
        tree = ast.parse(_NAME.sub(place, text).strip(), mode="eval")
    except SyntaxError as error:
        raise ValueError(f"`{text}`: {error.msg}") from None
    code = compile(ast.fix_missing_locations(_Division().visit(tree)), text, "eval")
    return Formula(text, tuple(names), code)


class _Division(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Div):
            return ast.Call(ast.Name("divide", ast.Load()), [node.left, node.right], [])
        return node


def alternatives(text: str) -> tuple[Formula, ...]:
    """`a | b`: launches of several instances or callers have one of them each."""
    return tuple(formula(part) for part in text.split("|") if part.strip())


def equation(text: str) -> tuple[str, Formula] | None:
    """The name and its value, where the text is `name == formula`."""
    left, sign, right = text.partition("==")
    if not sign or "==" in right or re.search(r"\b(?:and|or)\b|[<>]", text):
        return None
    for name, value in ((left, right), (right, left)):
        known = _as_contracts_do(name.strip())
        if _NAME.fullmatch(name.strip()) and known not in formula(value).names:
            return known, formula(value)
    return None


def drawn_values(names: list[str], texts: list[str], seed: str, count: int) -> Iterator[dict[str, int]]:
    """Values for the names: small ones, powers of two, and those that the texts speak of, with their neighbours."""
    chance = random.Random(seed)
    spoken = sorted({int(n) for text in texts for n in re.findall(r"(?<![\w.])\d+\b", text) if int(n) < 1 << 26})
    pool = sorted({*(1 << i for i in range(13)), *(n + d for n in spoken for d in (-1, 0, 1) if n + d >= 0)})
    for attempt in range(count):
        scale = SCALES[attempt % len(SCALES)]
        yield {name: _one(chance, pool, spoken, scale) for name in names}


def _one(chance: random.Random, pool: list[int], spoken: list[int], scale: int) -> int:
    kind = chance.random()
    if kind < 0.4:
        return chance.randrange(0, scale + 1)
    if kind < 0.6 and spoken:
        return chance.choice(spoken) * chance.randrange(1, 5)
    return chance.choice(pool)
