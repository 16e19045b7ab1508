"""Annotations become facts: names are resolved against the kernel's parameters, expressions become terms.

    // cudalint: extent(x) = rows * cols; assume cols % 4 == 0
    Fact(Extent("x", cols*rows), ANNOTATION, "extent(x) = rows * cols"), Fact(Assume(cols % 4 == 0), ...)

Division is C's; a comparison may be chained. One malformed statement costs only itself. A statement about elements
(`values(table[b][0:n]) in ...`) speaks of the element's number in the array: `shape` says how the brackets make it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import assert_never

from cudalint import ir
from cudalint.contract import (
    Alias,
    Alignment,
    Assume,
    Distinct,
    ElementExtent,
    ElementValues,
    Extent,
    External,
    Fact,
    Geometry,
    Initial,
    Nullable,
    Offsets,
    Origin,
    Output,
    Reference,
    Values,
    What,
)
from cudalint.frontend import annotation_grammar as grammar
from cudalint.frontend.annotation_grammar import AnnotationError, GrammarError
from cudalint.source import Span
from cudalint.symbolic.walk.parameters import BUILTIN_RANGES, builtin_symbol, content_term, parameter_symbol
from cudalint.term import (
    TRUE,
    Number,
    Symbol,
    Term,
    add,
    at_most,
    ceil_quotient,
    conjunction,
    disjunction,
    equal,
    free_symbols,
    interval,
    is_truth,
    less,
    maximum,
    minimum,
    multiply,
    negate,
    negation,
    number,
    quotient,
    remainder,
    subtract,
    symbol,
    truncated_quotient,
    truncated_remainder,
)

NAMED_TYPES: Mapping[str, ir.Type] = MappingProxyType({
    "half": ir.F16, "__half": ir.F16, "__nv_bfloat16": ir.BF16, "nv_bfloat16": ir.BF16,
    "float": ir.F32, "double": ir.F64, "bool": ir.BOOL, "char": ir.INT8, "short": ir.INT16, "int": ir.INT32,
    "long": ir.INT64, "unsigned": ir.Int(32, False), "size_t": ir.Int(64, False), "half2": ir.Vector(ir.F16, 2),
    **{f"{'' if signed else 'u'}int{bits}_t": ir.Int(bits, signed) for bits in (8, 16, 32, 64) for signed in (True, False)},
    **{f"{name}{lanes}": ir.Vector(type_, lanes) for lanes in (2, 3, 4)
       for name, type_ in (("float", ir.F32), ("double", ir.F64), ("int", ir.INT32), ("char", ir.INT8))},
})  # fmt: skip
LARGEST_SIZE = (1 << 31) - 1  # of a name that stands for a size


@dataclass(slots=True)
class Stated:
    """What earlier statements of a kernel defined: names, sizes as stated, dimensions with their strides."""

    lets: dict[str, Term] = field(default_factory=dict)
    sizes: dict[str, tuple[str, Term]] = field(default_factory=dict)
    shapes: dict[str, tuple[tuple[Term, ...], tuple[Term, ...]]] = field(default_factory=dict)


def facts_of(
    text: str,
    span: Span,
    params: Mapping[str, ir.Type],
    origin: Origin = Origin.ANNOTATION,
    stated: Stated | None = None,
    types: Mapping[str, ir.Type] = MappingProxyType({}),
) -> tuple[tuple[Fact, ...], tuple[AnnotationError, ...]]:
    """The facts that the statements in `text` state of a kernel, and the mistakes in the others.

    `span` begins at the first character of `text`; `params` are the kernel's parameters (and globals) by name, `types`
    its structures. What later statements may speak of is added to `stated`, which a caller passes on to the next comment.
    """
    reader = _Reader(params, Stated() if stated is None else stated, types)
    facts: list[Fact] = []
    errors: list[AnnotationError] = []
    for offset, piece in grammar.split_statements(text):
        try:
            read = reader.read(grammar.Parser(piece, offset).statement())
        except GrammarError as error:
            errors.append(AnnotationError(error.message, *_place(text, span, error.offset), span.path))
            continue
        start, end = _place(text, span, offset), _place(text, span, offset + len(piece))
        said = " ".join(piece.split())
        facts += [Fact(what, origin, said, Span(span.path, *start, *end)) for what in read]
    return tuple(facts), tuple(errors)


def condition_of(text: str, params: Mapping[str, ir.Type]) -> Term:
    """One condition or sum over the parameters as a term; GrammarError where it is malformed."""
    return _Reader(params, Stated(), {}).term(grammar.Parser(text, 0).condition())


def _place(text: str, span: Span, offset: int) -> tuple[int, int]:
    """Line and column in the file of an offset of the text."""
    before = text[:offset]
    lines = before.count("\n")
    if lines == 0:
        return span.line, span.column + offset
    return span.line + lines, offset - before.rfind("\n")


class _Reader:
    """Reads the statements of one kernel in order; earlier ones define names and extents for later ones."""

    def __init__(self, params: Mapping[str, ir.Type], stated: Stated, types: Mapping[str, ir.Type]) -> None:
        self._params, self._types = params, types
        self._lets, self._sizes, self._shapes = stated.lets, stated.sizes, stated.shapes
        self._every: dict[str, Term] = {}

    # --- statements ---------------------------------------------------------------------------------------------------

    def read(self, statement: grammar.Statement) -> tuple[What, ...]:
        """What a statement states, in one fact or several."""
        match statement:
            case grammar.Measure():
                return (self._measure(statement),)
            case grammar.Mark():
                return (self._mark(statement),)
            case grammar.NullableIff():
                null = None if statement.null is None else self.truth(statement.null)
                return (Nullable(self._pointer(statement.pointer), None if null is None else negation(null)),)
            case grammar.SameBuffer():
                return (Alias(self._pointer(statement.a), self._pointer(statement.b)),)
            case grammar.Range():
                return (self._range(statement),)
            case grammar.Assumed():
                return (Assume(self.truth(statement.cond)),)
            case grammar.Let():
                self._let(statement)
                return ()
            case grammar.LaunchOf():
                return (self._launch(statement),)
            case grammar.ReferenceText():
                return (Reference(self._pointer(statement.output), statement.expression),)
            case grammar.ShapeOf():
                return self._shape(statement)
            case grammar.ViewOf():
                return (self._view(statement),)
            case grammar.OffsetsOf():
                return (Offsets(self._pointer(statement.pointer), self.integer(statement.total)),)
            case grammar.InstanceOf():
                return ()  # the front end makes it
            case _:
                assert_never(statement)

    def _measure(self, statement: grammar.Measure) -> What:
        path = statement.element.path
        if statement.element.brackets:
            return self._element_measure(statement)
        pointer, value = self._pointer(path), self.integer(statement.value)
        if statement.kind == "align":
            return Alignment(pointer, _constant(value, statement.value, positive=True))
        if statement.kind == "init":
            return Initial(pointer, _constant(value, statement.value))
        self._state_size(path, statement.kind, value)
        return Extent(pointer, value, "bytes" if statement.kind == "bytes" else "elements")

    def _element_measure(self, statement: grammar.Measure) -> What:
        """`extent(ptrs[i]) = n`: each pointer of a table points to so much."""
        path = statement.element.path
        if statement.kind not in ("extent", "readable", "bytes"):
            raise GrammarError(f"`{statement.kind}` speaks of a whole array", path.offset)
        type_ = self._pointer_type(path)
        if not isinstance(type_, ir.Pointer | ir.Array) or not isinstance(type_.element, ir.Pointer):
            raise GrammarError(f"the elements of `{path.name}` are no pointers", path.offset)
        index, where = self._elements(statement.element)
        if where is not TRUE:
            raise GrammarError("an extent holds for every element: `p[i]` with a new name", path.offset)
        value = self.integer(statement.value)
        self._every.clear()
        return ElementExtent(path.name, index, value, "bytes" if statement.kind == "bytes" else "elements")

    def _state_size(self, path: grammar.Path, kind: str, value: Term) -> None:
        stated = self._sizes.get(path.name)
        if stated is not None and (stated[0] != kind or stated[1] is not value):
            raise GrammarError(f"the size of `{path.name}` is already stated by `{stated[0]}`", path.offset)
        self._sizes[path.name] = (kind, value)

    def _mark(self, statement: grammar.Mark) -> What:
        pointer = self._pointer(statement.pointer)
        if statement.kind == "output":
            return Output(pointer)
        if statement.kind == "external":
            return External(pointer)
        exempt = statement.exempt
        return Distinct(pointer, None if exempt is None else _constant(self.integer(exempt), exempt))

    def _shape(self, statement: grammar.ShapeOf) -> tuple[What, ...]:
        """Dense unless strides are given; then no dimension is empty, and the last element ends the array."""
        pointer = self._pointer(statement.pointer)
        dims = tuple(self.integer(each) for each in statement.dimensions)
        if statement.strides is None:
            least, strides = 0, tuple(_product(dims[position + 1 :]) for position in range(len(dims)))
            size = _product(dims)
        else:
            least, strides = 1, tuple(self.integer(each) for each in statement.strides)
            size = number(1)
            for dim, stride in zip(dims, strides):
                size = add(size, multiply(subtract(dim, number(1)), stride))
        self._state_size(statement.pointer, "extent", size)
        self._shapes[pointer] = (dims, strides)
        bounds = [Assume(at_most(number(least), dim)) for dim in dims if not isinstance(dim, Number)]
        return (Extent(pointer, size), *bounds)

    def _view(self, statement: grammar.ViewOf) -> What:
        pointer, count = self._pointer(statement.pointer), self.integer(statement.count)
        name = statement.type.name
        type_ = self._types.get(name) or NAMED_TYPES.get(name.removeprefix("std::"))
        width = None if type_ is None else ir.size_of(type_)
        if width is None:
            hint = grammar.nearest(name, [*self._types, *NAMED_TYPES])
            raise GrammarError(f"the size of type `{name}` is not known here{hint}", statement.type.offset)
        size = multiply(count, number(width))
        self._state_size(statement.pointer, "bytes", size)
        return Extent(pointer, size, "bytes")

    def _range(self, statement: grammar.Range) -> What:
        path = statement.element.path
        pointer = self._pointer(path)
        index, where = self._elements(statement.element) if statement.element.brackets else (None, TRUE)
        low, high = self.integer(statement.low), self.integer(statement.high)
        high = add(high, number(1)) if statement.closed else high
        self._every.clear()
        if index is None or (where is TRUE and index not in free_symbols(low) | free_symbols(high)):
            return Values(pointer, low, high)
        return ElementValues(pointer, index, low, high, where)

    def _elements(self, element: grammar.Element) -> tuple[Symbol, Term]:
        """The symbol of an element's number, and the condition under which the brackets mean that element."""
        path = element.path
        index = symbol(f"{path.name}[]", 0, None)
        dims, strides = self._shapes.get(path.name, ((number(0),), (number(1),)))
        if len(element.brackets) != len(dims):
            hint = "" if path.name in self._shapes else f"; `shape({path.name}) = [...]` before it says what they mean"
            raise GrammarError(
                f"`{path.name}` has {len(dims)} dimension{'s' * (len(dims) > 1)} here{hint}", path.offset
            )
        conditions: list[Term] = []
        rest: Term = index
        for position, bracket in enumerate(element.brackets):
            last = position == len(dims) - 1
            coordinate = rest if last and position == 0 else quotient(rest, strides[position])
            conditions += self._bracket(bracket, coordinate)
            rest = rest if last else remainder(rest, strides[position])
        return index, conjunction(*conditions)

    def _bracket(self, bracket: grammar.Expression | grammar.Slice, coordinate: Term) -> list[Term]:
        if isinstance(bracket, grammar.Slice):
            low = [] if bracket.low is None else [at_most(self.integer(bracket.low), coordinate)]
            return low + ([] if bracket.high is None else [less(coordinate, self.integer(bracket.high))])
        if isinstance(bracket, grammar.Path) and self._is_new(bracket):
            self._every[bracket.name] = coordinate
            return []
        return [equal(coordinate, self.integer(bracket))]

    def _is_new(self, path: grammar.Path) -> bool:
        known = (self._params, self._lets, BUILTIN_RANGES, self._every)
        return "." not in path.name and not any(path.name in names for names in known)

    def _let(self, statement: grammar.Let) -> None:
        name = statement.name.name
        if name in self._params or name in self._lets or name in BUILTIN_RANGES:
            raise GrammarError(f"`{name}` has a meaning already", statement.name.offset)
        self._lets[name] = symbol(name, 0, LARGEST_SIZE) if statement.value is None else self.integer(statement.value)

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
        for name in fields:
            found = ir.field_of(type_, name)
            if found is None:
                raise GrammarError(f"`{shown}` has no field `{name}`{_fields_hint(type_, name)}", path.offset)
            type_, shown = found.type, f"{shown}.{name}"
        return type_

    def _names(self) -> list[str]:
        return sorted({*self._params, *self._lets, *BUILTIN_RANGES})

    def _pointer(self, path: grammar.Path) -> str:
        self._pointer_type(path)
        return path.name

    def _pointer_type(self, path: grammar.Path) -> ir.Type:
        type_ = self._type(path)
        if not isinstance(type_, ir.Pointer | ir.Array | ir.Unknown):
            raise GrammarError(f"`{path.name}` is no pointer", path.offset)
        return type_

    def _scalar(self, path: grammar.Path) -> Term:
        if path.name in self._every:
            return self._every[path.name]
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
            case grammar.Content():
                return self._content(expr)
            case _:
                assert_never(expr)

    def _content(self, expr: grammar.Content) -> Term:
        """What an array of integers holds at an index, as a load gives it where nothing writes the array."""
        type_ = self._pointer_type(expr.path)
        element = type_.element if isinstance(type_, ir.Pointer | ir.Array) else type_
        width = ir.size_of(element)
        if not isinstance(element, ir.Int) or width is None:
            raise GrammarError(f"the elements of `{expr.path.name}` are no integers", expr.path.offset)
        return content_term(expr.path.name, multiply(self.integer(expr.index), number(width)), element)

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


def _product(terms: tuple[Term, ...]) -> Term:
    result: Term = number(1)
    for term in terms:
        result = multiply(result, term)
    return result


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

__all__ = ["AnnotationError", "GrammarError", "Stated", "condition_of", "facts_of"]
