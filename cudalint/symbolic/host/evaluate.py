"""The value of a host expression in a state. Pure, as the IR's expressions are.

32-bit arithmetic has its C value; 64-bit arithmetic on sizes keeps ideal values, since objects are smaller than 2^63 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

from cudalint import ir
from cudalint.ir import BinaryOp, UnaryOp
from cudalint.symbolic.host.joins import member_of, merge_values
from cudalint.symbolic.host.ratios import EXPONENTS, exact_float, exponent_of, ratio_of, rounded
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import (
    APPROXIMATE,
    LISTED,
    NULL,
    OPAQUE,
    Address,
    Either,
    FunctionValue,
    HostObject,
    Ratio,
    Record,
    Sizes,
    Tensor,
    Text,
    Value,
    is_tensor_type,
)
from cudalint.symbolic.host.world import World
from cudalint.symbolic.walk import integers
from cudalint.symbolic.walk.parameters import absent_constant, absent_size, size_of_absent, type_range
from cudalint.term import (
    FALSE,
    TRUE,
    Symbol,
    Term,
    Wrapped,
    add,
    apply,
    choice,
    conjunction,
    disjunction,
    flag,
    interval,
    is_far,
    is_number,
    is_truth,
    multiply,
    negate,
    negation,
    number,
    quotient,
    subtract,
    truncated_quotient,
    wrapped,
)

_COMPARISONS = frozenset(
    (
        BinaryOp.LESS,
        BinaryOp.LESS_EQUAL,
        BinaryOp.GREATER,
        BinaryOp.GREATER_EQUAL,
        BinaryOp.EQUAL,
        BinaryOp.NOT_EQUAL,
    )
)
_MOVES = (BinaryOp.ADD, BinaryOp.SUBTRACT)
_ELEMENT = "element of a range: "  # what lowering says of an element that it does not know


@dataclass(slots=True)
class Frame:
    """One inlined call: `prefix` keeps its registers apart, `variables` are its memory.

    What one that `declares` checks is declared of an operator, and run by nobody.
    """

    function: ir.Function
    prefix: str
    variables: dict[str, HostObject] = field(default_factory=dict)
    depth: int = 0
    unit: int = 0
    returns: list[tuple[State, Value | None]] = field(default_factory=list)
    breaks: list[list[State]] = field(default_factory=list)
    continues: list[list[State]] = field(default_factory=list)
    declares: bool = False


class Evaluator:
    def __init__(self, world: World, declared: dict[str, ir.Global], root: str) -> None:
        self._world, self.declared, self.root = world, declared, root
        self.globals: dict[str, HostObject] = {}

    def named(self, name: str) -> str:
        return f"{self.root}:{name}"

    # --- what a value must be -----------------------------------------------------------------------------------------

    def integer(self, expr: ir.Expr, state: State, frame: Frame) -> Term:
        """The value as an integer; a lost one where it is none."""
        value = self.value(expr, state, frame)
        if isinstance(value, Term):
            return integers.as_integer(value)
        lost = self._world.lost(self.named("value"), expr.type)
        return integers.as_integer(lost) if isinstance(lost, Term) else self._world.lost_integer(self.named("value"))

    def truth(self, expr: ir.Expr, state: State, frame: Frame) -> Term:
        """The value as a condition; an unknown flag where it is none."""
        value = self.value(expr, state, frame)
        if isinstance(value, Term):
            return integers.as_truth(value)
        if isinstance(value, Address | Either):
            return negation(self.is_null(value))
        return self._unknown_truth()

    def _unknown_truth(self) -> Term:
        return flag(f"~{self.named('condition')}#{self._world.count()}")

    # --- expressions --------------------------------------------------------------------------------------------------

    def value(self, expr: ir.Expr, state: State, frame: Frame) -> Value:
        match expr:
            case ir.Const():
                return _constant(expr)
            case ir.Var():
                return self._variable(expr, state, frame)
            case ir.Unary():
                return self._unary(expr, state, frame)
            case ir.Binary():
                return self._binary(expr, state, frame)
            case ir.Cast():
                return self._cast(self.value(expr.operand, state, frame), expr.operand.type, expr.type)
            case ir.Bitcast():
                return self._bitcast(self.value(expr.operand, state, frame), expr)
            case ir.Select():
                return self._select(expr, state, frame)
            case ir.Math():
                return self._math(expr, state, frame)
            case ir.AddressOf():
                return self.place(expr.place, state, frame)
            case ir.Offset():
                index = self.integer(expr.index, state, frame)
                return self.moved(self.value(expr.pointer, state, frame), multiply(index, self.element_size(expr.type)))
            case ir.Extract():
                return self._extract(expr, state, frame)
            case ir.Construct():
                return self._construct(expr, state, frame)
            case ir.FunctionRef():
                return FunctionValue(expr.function)
            case ir.Opaque():
                if expr.reason.startswith(f'{ir.TEXT}"'):
                    return Text(expr.reason.removeprefix(ir.TEXT).strip('"'))
                if isinstance(expr.type, ir.Struct) and "initializer_list" in expr.type.name and len(expr.args) == 1:
                    return braced(self.value(expr.args[0], state, frame))
                if (absent := absent_size(expr) or absent_constant(expr)) is not None:
                    return absent
                if (
                    expr.reason.startswith(_ELEMENT)
                    and isinstance(expr.type, ir.Pointer)
                    and is_tensor_type(expr.type.element)
                ):
                    name = f"{self.named(expr.reason.removeprefix(_ELEMENT))}#{self._world.count()}"
                    return Address(self._world.input(name), number(0))  # tensors have any sizes
                args = [self.value(a, state, frame) for a in expr.args]
                if expr.reason in EXPONENTS and isinstance(args[0], Ratio) and isinstance(expr.type, ir.Int):
                    exponent = exponent_of(args[0])
                    return self._world.lost(self.named("exponent"), expr.type) if exponent is None else exponent
                return self._function(f"~{expr.reason}", args, expr.type)
            case ir.Builtin():
                return self._world.lost(self.named(expr.name), expr.type)
            case _:
                assert_never(expr)

    def _variable(self, expr: ir.Var, state: State, frame: Frame) -> Value:
        found = state.registers.get(frame.prefix + expr.name)
        if found is None:
            object_ = frame.variables.get(expr.name) or self.globals.get(expr.name)
            if object_ is not None:
                return state.read(Address(object_, number(0)), expr.type)
            found = self._world.lost(self.named(expr.name), expr.type)
            state.registers[frame.prefix + expr.name] = found
        return found

    def _unary(self, expr: ir.Unary, state: State, frame: Frame) -> Value:
        if expr.op is UnaryOp.LOGICAL_NOT:
            return negation(self.truth(expr.operand, state, frame))
        value = self.value(expr.operand, state, frame)
        if isinstance(value, Ratio) and expr.op is UnaryOp.NEGATE:
            return Ratio(negate(value.numerator), value.denominator, value.exact)
        if not isinstance(value, Term) or not isinstance(expr.type, ir.Int):
            return self._world.lost(self.named("value"), expr.type)
        value = integers.as_integer(value)
        if expr.op is UnaryOp.NEGATE:
            return fitted(negate(value), expr.type)
        return fitted(subtract(number(-1), value), expr.type)

    def _binary(self, expr: ir.Binary, state: State, frame: Frame) -> Value:
        if expr.op is BinaryOp.LOGICAL_AND:
            return conjunction(self.truth(expr.left, state, frame), self.truth(expr.right, state, frame))
        if expr.op is BinaryOp.LOGICAL_OR:
            return disjunction(self.truth(expr.left, state, frame), self.truth(expr.right, state, frame))
        left, right = self.value(expr.left, state, frame), self.value(expr.right, state, frame)
        if expr.op is BinaryOp.POINTER_DIFFERENCE:
            return self._difference(left, right, expr)
        if expr.op in _COMPARISONS:
            return self._comparison(expr.op, left, right)
        if isinstance(left, Term) and isinstance(right, Term) and isinstance(expr.type, ir.Int | ir.Bool):
            return self._arithmetic(expr.op, left, right, expr.type)
        if isinstance(left, Ratio) and isinstance(right, Ratio):
            return ratio_of(expr.op, left, right, expr.type)
        if isinstance(left, Address | Either) and isinstance(right, Term) and expr.op in _MOVES:
            distance = integers.as_integer(right)
            return self.moved(left, distance if expr.op is BinaryOp.ADD else negate(distance))
        if isinstance(left, Term) and isinstance(right, Address | Either) and expr.op is BinaryOp.ADD:
            return self.moved(right, integers.as_integer(left))
        return self._world.lost(self.named("value"), expr.type)

    def _arithmetic(self, op: BinaryOp, left: Term, right: Term, type_: ir.Int | ir.Bool) -> Value:
        if isinstance(type_, ir.Bool):
            left, right = integers.as_truth(left), integers.as_truth(right)
            if op is BinaryOp.AND:
                return conjunction(left, right)
            return disjunction(left, right) if op is BinaryOp.OR else self._unknown_truth()
        if op in (BinaryOp.DIVIDE, BinaryOp.REMAINDER) and integers.as_integer(right) is number(0):
            return self._world.lost(self.named("value"), type_)
        if type_.bits < 64 or op not in (BinaryOp.ADD, BinaryOp.SUBTRACT, BinaryOp.MULTIPLY):
            return integers.arithmetic(op, left, right, type_)
        left, right = integers.as_integer(left), integers.as_integer(right)
        if op is BinaryOp.ADD:
            return fitted(add(left, right), type_)
        result = subtract(left, right) if op is BinaryOp.SUBTRACT else multiply(left, right)
        if is_far(result) and not is_number(result):  # a loop that squares: no size of anything
            return self._world.lost(self.named("value"), type_)
        return fitted(result, type_)

    def _comparison(self, op: BinaryOp, left: Value, right: Value) -> Value:
        if isinstance(left, Term) and isinstance(right, Term):
            return integers.compare(op, left, right) or self._unknown_truth()
        if number(0) in (left, right):  # an address that is kept as a number
            left, right = (NULL if side is number(0) else side for side in (left, right))
        if isinstance(left, Address | Either) and isinstance(right, Address | Either):
            if op in (BinaryOp.EQUAL, BinaryOp.NOT_EQUAL) and NULL in (left, right):
                null = self.is_null(left if right == NULL else right)
                return null if op is BinaryOp.EQUAL else negation(null)
            if isinstance(left, Address) and isinstance(right, Address) and left.object is right.object:
                return integers.compare(op, left.offset, right.offset) or self._unknown_truth()
        return self._unknown_truth()

    def is_null(self, pointer: Value) -> Term:
        """Allocations succeed, so only an unknown pointer may be null."""
        if isinstance(pointer, Either):
            then, orelse = self.is_null(pointer.then), self.is_null(pointer.orelse)
            return disjunction(conjunction(pointer.cond, then), conjunction(negation(pointer.cond), orelse))
        if not isinstance(pointer, Address):
            return FALSE
        if pointer.object is None:
            return TRUE
        return flag(f"{pointer.object.name} is null") if pointer.object.kind == "input" else FALSE

    def _difference(self, left: Value, right: Value, expr: ir.Binary) -> Value:
        if isinstance(left, Address) and isinstance(right, Address) and left.object is right.object:
            return quotient(subtract(left.offset, right.offset), self.element_size(expr.left.type))
        return self._world.lost(self.named("ptrdiff"), expr.type)

    # --- conversions --------------------------------------------------------------------------------------------------

    def _cast(self, value: Value, source: ir.Type, type_: ir.Type) -> Value:
        if isinstance(value, Term):
            return self._cast_term(value, source, type_)
        if isinstance(value, Ratio):
            return self._cast_ratio(value, type_)
        if isinstance(type_, ir.Bool) and isinstance(value, Address | Either):
            return negation(self.is_null(value))
        if isinstance(type_, ir.Int | ir.Bool) and not (
            isinstance(type_, ir.Int) and type_.bits == 64 and _is_address(value)
        ):
            return self._world.lost(self.named("value"), type_)
        return value

    def as_pointer(self, value: Value, type_: ir.Pointer) -> Value:
        """What a pointer of that type is whose bits are those of the value."""
        return self._pointer_of(integers.as_integer(value), type_) if isinstance(value, Term) else value

    def _cast_term(self, value: Term, source: ir.Type, type_: ir.Type) -> Value:
        if isinstance(type_, ir.Bool):
            return integers.as_truth(value)
        if isinstance(type_, ir.Int):
            return converted(integers.as_integer(value), type_)
        if isinstance(type_, ir.Float):
            return exact_float(integers.as_integer(value), type_)
        if isinstance(type_, ir.Pointer):
            return self._pointer_of(value, type_)
        return value

    def _cast_ratio(self, value: Ratio, type_: ir.Type) -> Value:
        if isinstance(type_, ir.Float):
            if is_number(value.denominator, 1):
                kept = exact_float(value.numerator, type_)
                return Ratio(kept.numerator, kept.denominator, conjunction(value.exact, kept.exact))
            return value if type_ == ir.F64 else OPAQUE
        if isinstance(type_, ir.Int):
            whole = truncated_quotient(value.numerator, value.denominator)
            return self._where_exact(value.exact, converted(whole, type_), type_)
        return self._world.lost(self.named("value"), type_)

    def _where_exact(self, exact: Term, term: Term, type_: ir.Type) -> Value:
        if exact is TRUE:
            return term
        if not isinstance(type_, ir.Int):
            return self._world.lost(self.named("rounded"), type_)
        return choice(exact, term, apply("rounded", (term,), *type_range(type_)))

    def _bitcast(self, value: Value, expr: ir.Bitcast) -> Value:
        if isinstance(value, Address | Either | FunctionValue | Text):
            return value
        if isinstance(value, Term) and isinstance(expr.type, ir.Int) and isinstance(expr.operand.type, ir.Int):
            return converted(integers.as_integer(value), expr.type)
        if isinstance(value, Term) and isinstance(expr.type, ir.Pointer):
            return self._pointer_of(integers.as_integer(value), expr.type)
        return self._world.lost(self.named("bits"), expr.type)

    def _pointer_of(self, value: Term, type_: ir.Type) -> Value:
        """An address that came as a number: who gives the number gives the memory."""
        if value is number(0):
            return NULL
        if isinstance(value, Wrapped) and value.parts[1] == 64:
            value = value.parts[0]
        if isinstance(value, Symbol) and not value.name.startswith(APPROXIMATE):
            return Address(self._world.input(value.name), number(0))
        return self._world.lost(self.named("pointer"), type_)

    def _math(self, expr: ir.Math, state: State, frame: Frame) -> Value:
        args = [self.value(arg, state, frame) for arg in expr.args]
        terms = [integers.as_integer(arg) for arg in args if isinstance(arg, Term)]
        if isinstance(expr.type, ir.Int) and len(terms) == len(args):
            known = integers.math_function(expr.name, tuple(terms), expr.args[0].type)
            if known is not None:
                return fitted(known, expr.type)
        if expr.name in ("ceil", "floor", "trunc") and len(args) == 1 and isinstance(args[0], Ratio):
            return rounded(expr.name, args[0])
        return self._function(f"~{expr.name}", args, expr.type)

    def _function(self, name: str, args: list[Value], type_: ir.Type) -> Value:
        """An uninterpreted value: equal arguments give equal results."""
        terms = tuple(integers.as_integer(arg) for arg in args if isinstance(arg, Term))
        if len(terms) == len(args) and terms and isinstance(type_, ir.Int):
            return apply(name, terms, *type_range(type_))
        return self._world.lost(self.named(name.removeprefix("~")), type_)

    # --- pointers, aggregates, places ---------------------------------------------------------------------------------

    def element_size(self, type_: ir.Type) -> Term:
        return size_term(type_.element if isinstance(type_, ir.Pointer) else type_)

    def moved(self, pointer: Value, distance: Term) -> Value:
        """The pointer moved by a distance in bytes."""
        if isinstance(pointer, Address):
            return Address(pointer.object, add(pointer.offset, distance), pointer.fields)
        if isinstance(pointer, Either):
            then, orelse = self.moved(pointer.then, distance), self.moved(pointer.orelse, distance)
            if isinstance(then, Address | Either) and isinstance(orelse, Address | Either):
                return Either(pointer.cond, then, orelse)
        return self._world.lost(self.named("pointer"), ir.Pointer(ir.VOID))

    def _select(self, expr: ir.Select, state: State, frame: Frame) -> Value:
        cond = self.truth(expr.cond, state, frame)
        if cond is TRUE or cond is FALSE:
            return self.value(expr.then if cond is TRUE else expr.orelse, state, frame)
        then, orelse = self.value(expr.then, state, frame), self.value(expr.orelse, state, frame)
        return merge_values(self._world, cond, then, orelse, self.named("select"), expr.type)

    def _extract(self, expr: ir.Extract, state: State, frame: Frame) -> Value:
        value = self.value(expr.value, state, frame)
        if isinstance(value, Record):
            return member_of(self._world, value, ((expr.field,), number(0)), expr.type)
        return self._world.lost(self.named(expr.field), expr.type)

    def _construct(self, expr: ir.Construct, state: State, frame: Frame) -> Value:
        values = [self.value(arg, state, frame) for arg in expr.args]
        if is_dim3(expr.type):
            values += [number(1)] * (3 - len(values))
        if isinstance(expr.type, ir.Array) and is_tensor_type(expr.type.element):
            keys = (((LISTED, str(len(values)), str(place)), number(0)) for place in range(len(values)))
            return Record(expr.type, {key: (expr.type.element, value) for key, value in zip(keys, values)})
        record = Record(expr.type)
        for (key, type_), value in zip(member_keys(expr.type), values):
            record.members[key] = (type_, value)
        if not record.members and values and all(isinstance(v, Term) for v in values):
            return Sizes(tuple(integers.as_integer(v) for v in values if isinstance(v, Term)))
        return record

    def place(self, place: ir.Place, state: State, frame: Frame) -> Value:
        """The address of a place."""
        match place:
            case ir.Variable():
                return Address(self.object_of(place.var, frame), number(0))
            case ir.Element():
                pointer = self.value(place.pointer, state, frame)
                index = self.integer(place.index, state, frame)
                return self.moved(pointer, multiply(index, size_term(place.type)))
            case ir.Index():
                index = self.integer(place.index, state, frame)
                return self.moved(self.place(place.base, state, frame), multiply(index, size_term(place.type)))
            case ir.Field():
                return _field(self.place(place.base, state, frame), place.name)
            case _:
                assert_never(place)

    def object_of(self, var: ir.Var, frame: Frame) -> HostObject:
        found = frame.variables.get(var.name) or self.globals.get(var.name)
        if found is None:
            if var.name in self.declared:
                found = self.globals[var.name] = HostObject(var.name, "variable", _known_size(var.type))
            else:
                name = self.named(var.name)
                found = frame.variables[var.name] = HostObject(name, "variable", _known_size(var.type))
        return found


def braced(value: Value) -> Value:
    """The integers, pointers or tensors of a braced list."""
    if isinstance(value, Record) and value.origin is None:
        terms = [integers.as_integer(v) for _, v in value.members.values() if isinstance(v, Term)]
        if len(terms) == len(value.members):
            return Sizes(tuple(terms))
        if all(isinstance(v, Address | Tensor) for _, v in value.members.values()):
            return value
    return value if isinstance(value, Sizes) else OPAQUE


def _field(base: Value, name: str) -> Value:
    if isinstance(base, Address):
        return Address(base.object, base.offset, (*base.fields, name))
    if isinstance(base, Either):
        then, orelse = _field(base.then, name), _field(base.orelse, name)
        if isinstance(then, Address | Either) and isinstance(orelse, Address | Either):
            return Either(base.cond, then, orelse)
    return base


def member_keys(type_: ir.Type) -> list[tuple[tuple[tuple[str, ...], Term], ir.Type]]:
    """The direct members of an aggregate as keys of a Record."""
    if isinstance(type_, ir.Struct):
        return [(((f.name,), number(0)), f.type) for f in type_.fields]
    if isinstance(type_, ir.Vector):
        return [(((lane,), number(0)), type_.element) for lane in ir.LANES[: type_.lanes]]
    if isinstance(type_, ir.Array) and type_.count is not None:
        size = size_term(type_.element)
        return [(((), multiply(number(i), size)), type_.element) for i in range(min(type_.count, 256))]
    return []


def _is_address(value: Value) -> bool:
    """Also where several are possible."""
    return isinstance(value, Address | FunctionValue | Either)


def is_dim3(type_: ir.Type) -> bool:
    return isinstance(type_, ir.Struct) and type_.name.split("::")[-1] == "dim3"


def size_term(type_: ir.Type) -> Term:
    """The size in bytes, a positive symbol where the code does not say."""
    size = ir.size_of(type_)
    return number(size) if size is not None else size_of_absent(type_)


def _known_size(type_: ir.Type) -> Term | None:
    size = ir.size_of(type_)
    return None if size is None else number(size)


def _constant(expr: ir.Const) -> Value:
    if expr.value is None:
        return NULL
    if isinstance(expr.type, ir.Bool):
        return TRUE if expr.value else FALSE
    if isinstance(expr.value, float):
        if expr.value != expr.value or abs(expr.value) > 1 << 52:
            return OPAQUE
        numerator, denominator = expr.value.as_integer_ratio()
        return Ratio(number(numerator), number(denominator), TRUE)
    if isinstance(expr.type, ir.Float):
        return exact_float(number(int(expr.value)), expr.type)
    return number(int(expr.value)) if not isinstance(expr.type, ir.Pointer) else OPAQUE


def converted(value: Term, type_: ir.Int) -> Term:
    """C's conversion to an integer type; a 64-bit type keeps what can only leave it by an ideal size."""
    if type_.bits < 64:
        return wrapped(value, type_.bits, type_.signed)
    return fitted(value, type_)


def fitted(value: Term, type_: ir.Int) -> Term:
    """The value of an operation in its type. 64-bit: only a number and a negative unsigned value wrap."""
    if is_truth(value):
        value = integers.as_integer(value)
    low, _ = interval(value)
    if type_.bits == 64 and not is_number(value) and (type_.signed or (low is not None and low >= 0)):
        return value
    return wrapped(value, type_.bits, type_.signed)
