"""Annotations become facts: names are resolved against the kernel's parameters, expressions become terms.

    // cudalint: extent(x) = rows * cols; assume cols % 4 == 0
    Fact(Extent("x", cols*rows), ANNOTATION, "extent(x) = rows * cols"), Fact(Assume(cols % 4 == 0), ...)

Division is C's; a comparison may be chained. One malformed statement costs only itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import assert_never

from cudalint import ir
from cudalint.contract import (
    Alias,
    Alignment,
    Assume,
    Distinct,
    Extent,
    Fact,
    Geometry,
    Initial,
    Nullable,
    Origin,
    Output,
    Reference,
    Values,
    What,
)
from cudalint.frontend import annotation_grammar as grammar
from cudalint.frontend.annotation_grammar import AnnotationError, GrammarError
from cudalint.source import Span
from cudalint.symbolic.parameters import BUILTIN_RANGES, builtin_symbol, parameter_symbol
from cudalint.term import (
    Number,
    Term,
    add,
    at_most,
    ceil_quotient,
    conjunction,
    disjunction,
    equal,
    interval,
    is_truth,
    less,
    maximum,
    minimum,
    multiply,
    negate,
    negation,
    number,
    subtract,
    truncated_quotient,
    truncated_remainder,
)


def facts_of(
    text: str,
    span: Span,
    params: Mapping[str, ir.Type],
    origin: Origin = Origin.ANNOTATION,
    lets: dict[str, Term] | None = None,
) -> tuple[tuple[Fact, ...], tuple[AnnotationError, ...]]:
    """The facts that the statements in `text` state of a kernel, and the mistakes in the others.

    `span` begins at the first character of `text`; `params` are the kernel's parameters (and globals) by name. Names
    that `let` defines are added to `lets`, which a caller passes on from one comment of a kernel to the next.
    """
    reader = _Reader(params, {} if lets is None else lets)
    facts: list[Fact] = []
    errors: list[AnnotationError] = []
    for offset, piece in grammar.split_statements(text):
        try:
            what = reader.read(grammar.Parser(piece, offset).statement())
        except GrammarError as error:
            errors.append(AnnotationError(error.message, *_place(text, span, error.offset)))
            continue
        if what is not None:
            start, end = _place(text, span, offset), _place(text, span, offset + len(piece))
            facts.append(Fact(what, origin, " ".join(piece.split()), Span(span.path, *start, *end)))
    return tuple(facts), tuple(errors)


def condition_of(text: str, params: Mapping[str, ir.Type]) -> Term:
    """One condition or sum over the parameters as a term; GrammarError where it is malformed."""
    return _Reader(params, {}).term(grammar.Parser(text, 0).condition())


def _place(text: str, span: Span, offset: int) -> tuple[int, int]:
    """Line and column in the file of an offset of the text."""
    before = text[:offset]
    lines = before.count("\n")
    if lines == 0:
        return span.line, span.column + offset
    return span.line + lines, offset - before.rfind("\n")


class _Reader:
    """Reads the statements of one kernel in order; earlier ones define names and extents for later ones."""

    def __init__(self, params: Mapping[str, ir.Type], lets: dict[str, Term]) -> None:
        self._params, self._lets = params, lets
        self._sizes: dict[str, tuple[str, Term]] = {}

    # --- statements ---------------------------------------------------------------------------------------------------

    def read(self, statement: grammar.Statement) -> What | None:
        match statement:
            case grammar.Measure():
                return self._measure(statement)
            case grammar.Mark():
                return self._mark(statement)
            case grammar.NullableIff():
                null = None if statement.null is None else self.truth(statement.null)
                return Nullable(self._pointer(statement.pointer), None if null is None else negation(null))
            case grammar.SameBuffer():
                return Alias(self._pointer(statement.a), self._pointer(statement.b))
            case grammar.Range():
                high = self.integer(statement.high)
                return Values(
                    self._pointer(statement.pointer),
                    self.integer(statement.low),
                    add(high, number(1)) if statement.closed else high,
                )
            case grammar.Assumed():
                return Assume(self.truth(statement.cond))
            case grammar.Let():
                self._let(statement)
                return None
            case grammar.LaunchOf():
                return self._launch(statement)
            case grammar.ReferenceText():
                return Reference(self._pointer(statement.output), statement.expression)
            case _:
                assert_never(statement)

    def _measure(self, statement: grammar.Measure) -> What:
        pointer, value = self._pointer(statement.pointer), self.integer(statement.value)
        if statement.kind == "align":
            return Alignment(pointer, _constant(value, statement.value, positive=True))
        if statement.kind == "init":
            return Initial(pointer, _constant(value, statement.value))
        stated = self._sizes.get(pointer)
        if stated is not None and (stated[0] != statement.kind or stated[1] is not value):
            raise GrammarError(f"the size of `{pointer}` is already stated by `{stated[0]}`", statement.pointer.offset)
        self._sizes[pointer] = (statement.kind, value)
        return Extent(pointer, value, "bytes" if statement.kind == "bytes" else "elements")

    def _mark(self, statement: grammar.Mark) -> What:
        pointer = self._pointer(statement.pointer)
        if statement.kind == "output":
            return Output(pointer)
        if statement.kind == "distinct":
            return Distinct(pointer)
        raise GrammarError("`external` is understood, but has no effect in this version", statement.pointer.offset)

    def _let(self, statement: grammar.Let) -> None:
        name = statement.name.name
        if name in self._params or name in self._lets or name in BUILTIN_RANGES:
            raise GrammarError(f"`{name}` has a meaning already", statement.name.offset)
        self._lets[name] = self.integer(statement.value)

    def _launch(self, statement: grammar.LaunchOf) -> Geometry:
        return Geometry(
            self._dimensions(statement.grid),
            self._dimensions(statement.block),
            None if statement.shared is None else self.integer(statement.shared),
            statement.cooperative,
        )

    def _dimensions(self, parts: tuple[grammar.Expression, ...] | None) -> tuple[Term | None, Term | None, Term | None]:
        if parts is None:
            return None, None, None
        terms = [self.integer(part) for part in parts] + [number(1)] * (3 - len(parts))
        for term, part in zip(terms, parts):
            _, high = interval(term)
            if high is not None and high < 1:
                raise GrammarError("a dimension of a launch is at least 1", grammar.offset_of(part))
        return terms[0], terms[1], terms[2]

    # --- names --------------------------------------------------------------------------------------------------------

    def _type(self, path: grammar.Path) -> ir.Type:
        head, *fields = path.name.split(".")
        if path.name in self._params:
            return self._params[path.name]
        if head not in self._params:
            raise GrammarError(f"unknown name `{head}`{grammar.nearest(head, self._names())}", path.offset)
        type_, shown = self._params[head], head
        for field in fields:
            found = ir.field_of(type_, field)
            if found is None:
                raise GrammarError(f"`{shown}` has no field `{field}`{_fields_hint(type_, field)}", path.offset)
            type_, shown = found.type, f"{shown}.{field}"
        return type_

    def _names(self) -> list[str]:
        return sorted({*self._params, *self._lets, *BUILTIN_RANGES})

    def _pointer(self, path: grammar.Path) -> str:
        type_ = self._type(path)
        if not isinstance(type_, ir.Pointer | ir.Array | ir.Unknown):
            raise GrammarError(f"`{path.name}` is no pointer", path.offset)
        return path.name

    def _scalar(self, path: grammar.Path) -> Term:
        if path.name in self._lets:
            return self._lets[path.name]
        if path.name in BUILTIN_RANGES:
            return _builtin(path)
        type_ = self._type(path)
        if isinstance(type_, ir.Int | ir.Bool | ir.Unknown):
            return parameter_symbol(path.name, type_)
        kind = "a pointer" if isinstance(type_, ir.Pointer | ir.Array) else "no integer"
        raise GrammarError(f"`{path.name}` is {kind}; a fact computes with integers", path.offset)

    # --- expressions --------------------------------------------------------------------------------------------------

    def integer(self, expr: grammar.Expression) -> Term:
        term = self.term(expr)
        if is_truth(term):
            raise GrammarError("expected a number, but this is a condition", grammar.offset_of(expr))
        return term

    def truth(self, expr: grammar.Expression) -> Term:
        """A condition; a number is true where it is not zero."""
        term = self.term(expr)
        return term if is_truth(term) else negation(equal(term, number(0)))

    def term(self, expr: grammar.Expression) -> Term:
        match expr:
            case grammar.Literal():
                return number(expr.value)
            case grammar.Path():
                return self._scalar(expr)
            case grammar.Application():
                return self._application(expr)
            case grammar.Prefix():
                return self._prefix(expr)
            case grammar.Infix():
                return self._infix(expr)
            case grammar.Chain():
                return self._chain(expr)
            case _:
                assert_never(expr)

    def _prefix(self, expr: grammar.Prefix) -> Term:
        if expr.op == "!":
            return negation(self.truth(expr.operand))
        value = self.integer(expr.operand)
        return negate(value) if expr.op == "-" else value

    def _infix(self, expr: grammar.Infix) -> Term:
        if expr.op == "&&":
            return conjunction(self.truth(expr.left), self.truth(expr.right))
        if expr.op == "||":
            return disjunction(self.truth(expr.left), self.truth(expr.right))
        left, right = self.integer(expr.left), self.integer(expr.right)
        if expr.op in "/%" and isinstance(right, Number) and right.value == 0:
            raise GrammarError("division by zero", expr.offset)
        return _ARITHMETIC[expr.op](left, right)

    def _chain(self, expr: grammar.Chain) -> Term:
        parts: list[Term] = []
        left = expr.first
        for op, right in expr.rest:
            parts.append(_COMPARISONS[op](self.integer(left), self.integer(right)))
            left = right
        return conjunction(*parts)

    def _application(self, expr: grammar.Application) -> Term:
        if expr.function in ("extent", "bytes") and len(expr.args) == 1 and isinstance(expr.args[0], grammar.Path):
            return self._stated_size(expr.function, expr.args[0])
        if expr.function not in _FUNCTIONS:
            hint = grammar.nearest(expr.function, list(_FUNCTIONS))
            raise GrammarError(f"unknown function `{expr.function}`{hint}", expr.offset)
        fewest, most, function = _FUNCTIONS[expr.function]
        if not fewest <= len(expr.args) <= most:
            raise GrammarError(f"`{expr.function}` takes {fewest} arguments, not {len(expr.args)}", expr.offset)
        args = [self.integer(arg) for arg in expr.args]
        if expr.function == "ceil_div" and not _is_positive(args[1]):
            raise GrammarError("the divisor of `ceil_div` is positive", grammar.offset_of(expr.args[1]))
        result = args[0]
        for arg in args[1:]:
            result = function(result, arg)
        return result

    def _stated_size(self, kind: str, path: grammar.Path) -> Term:
        pointer = self._pointer(path)
        if pointer not in self._sizes or self._sizes[pointer][0] != kind:
            raise GrammarError(f"`{kind}({pointer})` is used here before it is stated", path.offset)
        return self._sizes[pointer][1]


def _builtin(path: grammar.Path) -> Term:
    symbol = builtin_symbol(path.name)
    if symbol.scope != "launch":
        raise GrammarError(
            f"`{path.name}` differs from thread to thread; a fact speaks of the whole launch", path.offset
        )
    low, high = interval(symbol)
    return number(low) if low is not None and low == high else symbol


def _is_positive(term: Term) -> bool:
    """False only where the divisor cannot be positive."""
    _, high = interval(term)
    return high is None or high > 0


def _constant(value: Term, expr: grammar.Expression, positive: bool = False) -> int:
    if not isinstance(value, Number) or (positive and value.value < 1):
        wanted = "a positive constant" if positive else "a constant"
        raise GrammarError(f"expected {wanted}", grammar.offset_of(expr))
    return value.value


def _fields_hint(type_: ir.Type, field: str) -> str:
    if isinstance(type_, ir.Pointer):
        return "; facts about fields need a struct that is passed by value"
    return grammar.nearest(field, [f.name for f in type_.fields]) if isinstance(type_, ir.Struct) else ""


_ARITHMETIC: dict[str, Callable[[Term, Term], Term]] = {
    "+": lambda a, b: add(a, b),
    "-": subtract,
    "*": multiply,
    "/": truncated_quotient,
    "%": truncated_remainder,
}
_COMPARISONS: dict[str, Callable[[Term, Term], Term]] = {
    "<": less,
    "<=": at_most,
    ">": lambda a, b: less(b, a),
    ">=": lambda a, b: at_most(b, a),
    "==": equal,
    "!=": lambda a, b: negation(equal(a, b)),
}
_FUNCTIONS: dict[str, tuple[int, int, Callable[[Term, Term], Term]]] = {
    "min": (2, 8, minimum),
    "max": (2, 8, maximum),
    "ceil_div": (2, 2, ceil_quotient),
}

__all__ = ["AnnotationError", "GrammarError", "condition_of", "facts_of"]
