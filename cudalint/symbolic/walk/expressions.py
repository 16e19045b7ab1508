"""The value of an expression in a state. Pure: no access is recorded here, since the IR's expressions do not load."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from cudalint import ir
from cudalint.ir import BinaryOp, UnaryOp
from cudalint.symbolic.model import (
    APPROXIMATE_PREFIX,
    COMPUTED_PREFIX,
    MEMORY_PREFIX,
    Address,
    Aggregate,
    Either,
    MemoryObject,
    Value,
    join_scopes,
    scope_of,
)
from cudalint.symbolic.walk import integers
from cudalint.symbolic.walk.parameters import absent_constant, absent_size
from cudalint.symbolic.walk.state import State, merge_values
from cudalint.symbolic.walk.windows import CONVERSIONS, Windows
from cudalint.term import (
    FALSE,
    TRUE,
    Apply,
    Symbol,
    Term,
    add,
    apply,
    conjunction,
    disjunction,
    equal,
    flag,
    free_symbols,
    is_truth,
    labels,
    multiply,
    negate,
    negation,
    number,
    quotient,
    substitute,
    subtract,
    symbol,
)

if TYPE_CHECKING:
    from cudalint.symbolic.walk.execute import Frame, Walk

_COMPARISONS = {
    BinaryOp.LESS,
    BinaryOp.LESS_EQUAL,
    BinaryOp.GREATER,
    BinaryOp.GREATER_EQUAL,
    BinaryOp.EQUAL,
    BinaryOp.NOT_EQUAL,
}
CONSTANT_PREFIX = "float "
_COMMUTATIVE = {BinaryOp.ADD, BinaryOp.MULTIPLY, BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR}
_COMMUTATIVE_FUNCTIONS = ("min", "max", "fmin", "fmax")
NULL = Address(None, number(0))
MOST_STEPS_BACK = 16


class Evaluator:
    """Evaluates expressions and places for one walk."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.windows = Windows()
        self._read_for: dict[str, frozenset[str]] = {}  # by the name of a number of floating point
        self._made: dict[Term, Term] = {}  # such numbers, as functions of what they were made of
        self._computed: set[str] = set()  # names of those that are made of integers and constants alone

    def read_for(self, value: Term) -> frozenset[str]:
        """The names of the arrays whose elements went into a value, as far as no loop lies between."""
        names = labels(value)
        read = frozenset(name for name in names if name.startswith(MEMORY_PREFIX))
        return read.union(*(self._read_for[name] for name in names if name in self._read_for))

    def as_made(self, value: Term) -> Term:
        """A number of floating point as a function of what it was made of, some steps back: equal arguments, equal results."""
        for _ in range(MOST_STEPS_BACK):
            made = {atom: self._made[atom] for atom in free_symbols(value) if atom in self._made}
            if not made:
                break
            value = substitute(value, made)
        return value

    # --- fresh values -----------------------------------------------------------------------------------------------

    def fresh(self, name: str, type_: ir.Type, scope: str) -> Value:
        """An unknown value of a type, the same for the threads that `scope` names."""
        label = f"{name}#{self.walk.count()}"
        match type_:
            case ir.Bool():
                return flag(label, scope)
            case ir.Int():
                low, high = ir.int_range(type_)
                return symbol(label, low, high, scope)
            case ir.Pointer():
                return Address(MemoryObject(label, "unknown", type_.element, None), number(0))
            case ir.Struct() | ir.Vector() | ir.Array():
                return Aggregate(type_, {o: (t, self.fresh(name, t, scope)) for o, t in leaves_of(type_)})
            case ir.Float() | ir.Void() | ir.Unknown():
                return symbol(label, None, None, scope)
            case _:
                assert_never(type_)

    # --- expressions ------------------------------------------------------------------------------------------------

    def value(self, expr: ir.Expr, state: State, frame: Frame) -> Value:
        match expr:
            case ir.Const():
                return self._constant(expr)
            case ir.Var():
                return self._variable(expr, state, frame)
            case ir.Builtin():
                return self.walk.builtin(expr.name)
            case ir.Unary():
                return self._unary(expr, state, frame)
            case ir.Binary():
                return self._binary(expr, state, frame)
            case ir.Cast():
                return self._cast(self.value(expr.operand, state, frame), expr.operand, expr.type)
            case ir.Bitcast():
                return self._bitcast(self.value(expr.operand, state, frame), expr)
            case ir.Select():
                return self._select(expr, state, frame)
            case ir.Math():
                return self._math(expr, state, frame)
            case ir.Opaque():
                if (size := absent_size(expr)) is not None:
                    return size
                constant = absent_constant(expr)
                if constant is not None and expr.reason in self.walk.environment.named_by_host:
                    return constant
                if not expr.args:  # a clock, or what a hole gave: no function of anything that is known
                    return self.fresh(f"{APPROXIMATE_PREFIX}{expr.reason}", expr.type, "thread")
                args = tuple(self.value(arg, state, frame) for arg in expr.args)
                known = self.windows.number_of(args[0]) if expr.reason in CONVERSIONS else None
                return self._function(f"opaque {expr.reason}", args, expr.type) if known is None else known
            case ir.AddressOf():
                return self.place(expr.place, state, frame)
            case ir.Offset():
                pointer = self.value(expr.pointer, state, frame)
                index = self.integer(expr.index, state, frame)
                return self.shifted(pointer, index, expr.type)
            case ir.Extract():
                return self._extract(expr, state, frame)
            case ir.Construct():
                return self._construct(expr, state, frame)
            case ir.FunctionRef():
                return symbol(f"function:{expr.function}")
            case _:
                assert_never(expr)

    def integer(self, expr: ir.Expr, state: State, frame: Frame) -> Term:
        """The value as an integer Term (a fresh one for what is no integer)."""
        value = self.value(expr, state, frame)
        if isinstance(value, Term):
            return integers.as_integer(value)
        return symbol(f"{APPROXIMATE_PREFIX}address#{self.walk.count()}", None, None, scope_of(value))

    def truth(self, expr: ir.Expr, state: State, frame: Frame) -> Term:
        """The value as a condition."""
        value = self.value(expr, state, frame)
        if isinstance(value, Address):
            return TRUE if value.object is not None else FALSE
        if isinstance(value, Either):
            return flag(f"{APPROXIMATE_PREFIX}pointer#{self.walk.count()}", scope_of(value))
        if isinstance(value, Aggregate):
            return flag(f"{APPROXIMATE_PREFIX}aggregate#{self.walk.count()}", scope_of(value))
        if isinstance(expr, ir.Var | ir.Cast) and isinstance(expr.type, ir.Float):
            return self._opaque_truth("nonzero", (value,))
        return integers.as_truth(value)

    def _constant(self, expr: ir.Const) -> Value:
        if expr.value is None:
            return NULL
        if isinstance(expr.type, ir.Bool):
            return TRUE if expr.value else FALSE
        if isinstance(expr.type, ir.Float):
            return apply(f"{CONSTANT_PREFIX}{expr.value!r}", ())
        return number(int(expr.value))

    def _variable(self, expr: ir.Var, state: State, frame: Frame) -> Value:
        name = frame.prefix + expr.name
        value = state.registers.get(name)
        if value is None:
            value = self.fresh(f"{APPROXIMATE_PREFIX}{expr.name}", expr.type, "thread")
            state.registers[name] = value
        return value

    def _unary(self, expr: ir.Unary, state: State, frame: Frame) -> Value:
        if expr.op is UnaryOp.LOGICAL_NOT:
            return negation(self.truth(expr.operand, state, frame))
        value = self.value(expr.operand, state, frame)
        if not isinstance(value, Term) or isinstance(expr.type, ir.Float):
            return self._function(f"unary {expr.op.value}", (value,), expr.type)
        value = integers.as_integer(value)
        if expr.op is UnaryOp.NEGATE:
            return integers.convert(negate(value), expr.type)
        return integers.convert(subtract(number(-1), value), expr.type)

    def _binary(self, expr: ir.Binary, state: State, frame: Frame) -> Value:
        if expr.op is BinaryOp.LOGICAL_AND:
            return conjunction(self.truth(expr.left, state, frame), self.truth(expr.right, state, frame))
        if expr.op is BinaryOp.LOGICAL_OR:
            return disjunction(self.truth(expr.left, state, frame), self.truth(expr.right, state, frame))
        left, right = self.value(expr.left, state, frame), self.value(expr.right, state, frame)
        result = self._combined(expr, left, right)
        return self.walk.exchanged(left, right, result) if expr.op in _COMMUTATIVE else result

    def _combined(self, expr: ir.Binary, left: Value, right: Value) -> Value:
        if expr.op is BinaryOp.POINTER_DIFFERENCE:
            return self._pointer_difference(left, right, expr)
        if not isinstance(left, Term) or not isinstance(right, Term):
            return self._pointer_comparison(expr.op, left, right, expr.type)
        if _is_float(expr.left) or _is_float(expr.right):
            computed = self._is_computed(expr.left, left) and self._is_computed(expr.right, right)
            return self._function(f"float {expr.op.value}", (left, right), expr.type, computed)
        if expr.op in _COMPARISONS:
            compared = integers.compare(expr.op, left, right)
            assert compared is not None
            return compared
        if isinstance(expr.type, ir.Bool):
            bits = integers.arithmetic(expr.op, left, right, ir.INT32)
            return integers.as_truth(bits)
        if isinstance(expr.type, ir.Int):
            return integers.arithmetic(expr.op, left, right, expr.type)
        return self._function(f"op {expr.op.value}", (left, right), expr.type)

    def _cast(self, value: Value, operand: ir.Expr, type_: ir.Type) -> Value:
        if not isinstance(value, Term):
            if isinstance(type_, ir.Pointer):
                return value
            return self._function("cast", (value,), type_)
        if isinstance(type_, ir.Pointer):
            return NULL if value is number(0) else self.fresh(f"{APPROXIMATE_PREFIX}pointer", type_, scope_of(value))
        if isinstance(type_, ir.Float) or _is_float(operand):
            return self._function(f"to {type_}", (value,), type_, self._is_computed(operand, value))
        return integers.convert(value, type_)

    def _bitcast(self, value: Value, expr: ir.Bitcast) -> Value:
        if isinstance(value, Address | Either) and isinstance(expr.type, ir.Pointer):
            return value
        if isinstance(value, Term) and isinstance(expr.type, ir.Int) and not _is_float(expr.operand):
            return integers.convert(value, expr.type)
        pointed = (
            self.windows.pointer_of(value) if isinstance(value, Term) and isinstance(expr.type, ir.Pointer) else None
        )
        return self._function(f"bits as {expr.type}", (value,), expr.type) if pointed is None else pointed

    def _select(self, expr: ir.Select, state: State, frame: Frame) -> Value:
        cond = self.truth(expr.cond, state, frame)
        if cond is TRUE:
            return self.value(expr.then, state, frame)
        if cond is FALSE:
            return self.value(expr.orelse, state, frame)
        then, orelse = self.value(expr.then, state, frame), self.value(expr.orelse, state, frame)
        merged = merge_values(
            cond, then, orelse, symbol(f"{APPROXIMATE_PREFIX}select#{self.walk.count()}", scope="thread")
        )
        assert merged is not None
        return merged

    def _math(self, expr: ir.Math, state: State, frame: Frame) -> Value:
        args = tuple(self.value(arg, state, frame) for arg in expr.args)
        result = self._function_of(expr, args)
        return self.walk.exchanged(args[0], args[1], result) if expr.name in _COMMUTATIVE_FUNCTIONS else result

    def _function_of(self, expr: ir.Math, args: tuple[Value, ...]) -> Value:
        terms = tuple(arg for arg in args if isinstance(arg, Term))
        if isinstance(expr.type, ir.Int | ir.Bool) and len(terms) == len(args) and not any(map(_is_float, expr.args)):
            known = integers.math_function(expr.name, terms, expr.args[0].type)
            if known is not None:
                return integers.convert(known, expr.type)
        return self._function(expr.name, args, expr.type, all(map(self._is_computed, expr.args, args)))

    def _is_computed(self, expr: ir.Expr, value: Value) -> bool:
        """The launch, the place and parameters that are integers decide the value, and nothing that memory holds."""
        if not isinstance(value, Term):
            return False
        if _is_float(expr):
            if isinstance(value, Symbol):
                return str(value.parts[0]) in self._computed
            return isinstance(value, Apply) and str(value.parts[0]).startswith(CONSTANT_PREFIX)
        unknown = (name for name in labels(value) if name.startswith((MEMORY_PREFIX, APPROXIMATE_PREFIX)))
        return all(name.startswith(COMPUTED_PREFIX) for name in unknown)

    def _function(self, name: str, args: tuple[Value, ...], type_: ir.Type, computed: bool = False) -> Value:
        """An uninterpreted value: equal arguments give equal results."""
        if isinstance(type_, ir.Float):
            scope = join_scopes("launch", *(scope_of(arg) for arg in args))
            result = symbol(f"value#{self.walk.count()}", None, None, scope)
            terms = tuple(arg for arg in args if isinstance(arg, Term))
            self._read_for[result.name] = frozenset().union(*map(self.read_for, terms))
            if computed:
                self._computed.add(result.name)
            if len(terms) == len(args) and not any(map(is_truth, terms)):
                self._made[result] = apply(f"{name}: {type_}", terms)
            return result
        terms = tuple(integers.as_integer(arg) for arg in args if isinstance(arg, Term))
        if len(terms) != len(args):
            scope = join_scopes("launch", *(scope_of(arg) for arg in args))
            return self.fresh(f"{APPROXIMATE_PREFIX}{name}", type_, scope)
        if isinstance(type_, ir.Bool):
            return self._opaque_truth(name, terms)
        if isinstance(type_, ir.Int):
            low, high = ir.int_range(type_)
            return apply(f"{COMPUTED_PREFIX if computed else MEMORY_PREFIX}{name}", terms, low, high)
        scope = join_scopes("launch", *(scope_of(arg) for arg in args))
        return self.fresh(f"{APPROXIMATE_PREFIX}{name}", type_, scope)

    def _opaque_truth(self, name: str, args: tuple[Term, ...]) -> Term:
        return equal(apply(f"{MEMORY_PREFIX}{name}", args, 0, 1), number(1))

    # --- pointers and aggregates --------------------------------------------------------------------------------------

    def shifted(self, pointer: Value, index: Term, type_: ir.Type) -> Value:
        """`pointer + index` in elements."""
        element = type_.element if isinstance(type_, ir.Pointer) else type_
        size = self.walk.size_term(element)
        return self.moved(pointer, multiply(index, size))

    def moved(self, pointer: Value, distance: Term) -> Value:
        """The pointer moved by a distance in bytes."""
        if isinstance(pointer, Address):
            return Address(pointer.object, add(pointer.offset, distance))
        if isinstance(pointer, Either):
            then, orelse = self.moved(pointer.then, distance), self.moved(pointer.orelse, distance)
            if isinstance(then, Address | Either) and isinstance(orelse, Address | Either):
                return Either(pointer.cond, then, orelse)
        scope = join_scopes(scope_of(pointer), scope_of(distance))
        label = f"{APPROXIMATE_PREFIX}pointer#{self.walk.count()}"
        return Address(MemoryObject(label, "unknown", ir.VOID, None), symbol(label, None, None, scope))

    def _pointer_difference(self, left: Value, right: Value, expr: ir.Binary) -> Value:
        if isinstance(left, Address) and isinstance(right, Address) and left.object is right.object:
            element = expr.left.type.element if isinstance(expr.left.type, ir.Pointer) else ir.INT8
            return quotient(subtract(left.offset, right.offset), self.walk.size_term(element))
        return self.fresh(f"{APPROXIMATE_PREFIX}ptrdiff", expr.type, join_scopes(scope_of(left), scope_of(right)))

    def _pointer_comparison(self, op: BinaryOp, left: Value, right: Value, type_: ir.Type) -> Value:
        if isinstance(left, Address) and isinstance(right, Address):
            if left.object is right.object and left.object is not None:
                compared = integers.compare(op, left.offset, right.offset)
                if compared is not None:
                    return compared
            if op in (BinaryOp.EQUAL, BinaryOp.NOT_EQUAL) and (left.object is None or right.object is None):
                known = self.walk.null_test(left if right.object is None else right)
                return known if op is BinaryOp.EQUAL else negation(known)
        scope = join_scopes(scope_of(left), scope_of(right))
        return self.fresh(f"{APPROXIMATE_PREFIX}pointers {op.value}", type_, scope)

    def _extract(self, expr: ir.Extract, state: State, frame: Frame) -> Value:
        value = self.value(expr.value, state, frame)
        found = ir.field_of(expr.value.type, expr.field)
        if isinstance(value, Aggregate) and found is not None:
            return part_of(value, found.offset, expr.type) or self.fresh(
                f"{APPROXIMATE_PREFIX}{expr.field}", expr.type, scope_of(value)
            )
        return self.fresh(f"{APPROXIMATE_PREFIX}{expr.field}", expr.type, scope_of(value))

    def _construct(self, expr: ir.Construct, state: State, frame: Frame) -> Value:
        leaves: dict[int, tuple[ir.Type, Value]] = {}
        for (offset, type_), arg in zip(members_of(expr.type), expr.args, strict=False):
            value = self.value(arg, state, frame)
            if isinstance(value, Aggregate):
                leaves.update({offset + o: leaf for o, leaf in value.leaves.items()})
            else:
                leaves[offset] = (type_, value)
        for offset, type_ in leaves_of(expr.type):
            leaves.setdefault(
                offset, (type_, number(0) if isinstance(type_, ir.Int) else self.fresh("zero", type_, "launch"))
            )
        return Aggregate(expr.type, leaves)

    # --- places -------------------------------------------------------------------------------------------------------

    def place(self, place: ir.Place, state: State, frame: Frame) -> Value:
        """The address of a place."""
        match place:
            case ir.Variable():
                return Address(self.walk.object_of(place.var, frame), number(0))
            case ir.Element():
                pointer = self.value(place.pointer, state, frame)
                index = self.integer(place.index, state, frame)
                return self.moved(pointer, multiply(index, self.walk.size_term(place.type)))
            case ir.Index():
                base = self.place(place.base, state, frame)
                index = self.integer(place.index, state, frame)
                return self.moved(base, multiply(index, self.walk.size_term(place.type)))
            case ir.Field():
                base = self.place(place.base, state, frame)
                found = ir.field_of(place_type(place.base), place.name)
                offset = number(found.offset) if found else symbol(f"offsetof {place.name}", 0)
                return self.moved(base, offset)
            case _:
                assert_never(place)


def place_type(place: ir.Place) -> ir.Type:
    return place.var.type if isinstance(place, ir.Variable) else place.type


def members_of(type_: ir.Type) -> list[tuple[int, ir.Type]]:
    """Direct members with their byte offsets."""
    if isinstance(type_, ir.Struct):
        return [(f.offset, f.type) for f in type_.fields]
    if isinstance(type_, ir.Vector):
        size = ir.size_of(type_.element) or 1
        return [(i * size, type_.element) for i in range(type_.lanes)]
    if isinstance(type_, ir.Array) and type_.count is not None and type_.count <= 64:
        size = ir.size_of(type_.element) or 1
        return [(i * size, type_.element) for i in range(type_.count)]
    return []


def leaves_of(type_: ir.Type, base: int = 0) -> list[tuple[int, ir.Type]]:
    """Scalar members at any depth with their byte offsets."""
    if not isinstance(type_, ir.Struct | ir.Vector | ir.Array):
        return [(base, type_)]
    return [leaf for offset, member in members_of(type_) for leaf in leaves_of(member, base + offset)]


def part_of(value: Aggregate, offset: int, type_: ir.Type) -> Value | None:
    """The member of an aggregate at a byte offset."""
    if isinstance(type_, ir.Struct | ir.Vector | ir.Array):
        size = ir.size_of(type_) or 0
        inside = {o - offset: leaf for o, leaf in value.leaves.items() if offset <= o < offset + size}
        return Aggregate(type_, inside)
    leaf = value.leaves.get(offset)
    return leaf[1] if leaf is not None and is_same_kind(leaf[0], type_) else None


def is_same_kind(a: ir.Type, b: ir.Type) -> bool:
    return a == b or (isinstance(a, ir.Pointer) and isinstance(b, ir.Pointer))


def _is_float(expr: ir.Expr) -> bool:
    return isinstance(expr.type, ir.Float)


__all__ = ["Evaluator", "is_truth", "leaves_of", "members_of", "part_of", "place_type"]
