"""Expressions of a Python host program, worded in C++; what they call is left to who walks the statements."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from dataclasses import replace

from cudalint.frontend import python_host_arrays as arrays
from cudalint.frontend.python_host_numbers import (
    as_number,
    as_type,
    binary,
    both,
    compared,
    either,
    negation,
    negative,
    pointer_sum,
    product,
    rounded_up,
    settled,
    truth,
)
from cudalint.frontend.python_host_values import (
    Array,
    Bound,
    Class,
    Configured,
    Items,
    Kernel,
    Library,
    Lost,
    Nothing,
    Number,
    Object,
    Pointer,
    Real,
    Routine,
    Shape,
    String,
    Table,
    Truth,
    Type,
    Value,
    is_plain,
    number,
    shape_of,
)
from cudalint.frontend.python_host_writer import Writer
from cudalint.frontend.python_values import Reader

LONGEST = 4_000  # characters of C++ for one expression


class Expressions(ABC):
    """`names` are the variables of the function at hand."""

    def __init__(self, reader: Reader, writer: Writer, names: dict[str, Value]) -> None:
        self.reader, self.writer, self.names = reader, writer, names

    @abstractmethod
    def call(self, node: ast.Call, hint: str) -> Value:
        """What a call gives."""

    @abstractmethod
    def free(self, name: str) -> Value | None:
        """What a name means that the function does not assign."""

    @abstractmethod
    def attribute_of(self, owner: Object, name: str) -> Value | None:
        """An attribute of an object of the file's."""

    def value(self, node: ast.expr, hint: str = "value") -> Value:
        """The expression; `hint` names what is made for it."""
        found = self._value(node, hint)
        if is_plain(found) and len(getattr(found, "text", "")) > LONGEST:
            return self.lost(node, type(found))
        return found

    def lost(self, node: ast.expr, kind: type | None = None) -> Lost:
        return Lost(self.reader.written(node), self.reader.start(node), kind)

    def _value(self, node: ast.expr, hint: str) -> Value:
        match node:
            case ast.Constant():
                return _constant(node.value) or self.lost(node)
            case ast.Name():
                return self._name(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Call():
                return self.call(node, hint)
            case ast.BinOp():
                return self._binary(node, hint)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.Compare() | ast.BoolOp():
                return self._logic(node)
            case ast.Tuple() | ast.List():
                return self._items(node)
            case _:
                return self._compound(node, hint)

    def _compound(self, node: ast.expr, hint: str) -> Value:
        match node:
            case ast.Dict():
                return self._table(node)
            case ast.IfExp():
                return self._choice(node, hint)
            case ast.JoinedStr():
                return self._joined(node)
            case ast.NamedExpr():
                value = self.value(node.value, node.target.id)
                self.names[node.target.id] = value
                return value
            case ast.Lambda():
                return Routine(node, closure=tuple(self.names.items()))
            case _:
                self._inside(node)
                return self.lost(node)

    def _inside(self, node: ast.expr) -> None:
        """Calls in what is not understood: a launch among them is one of unknown arguments."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr) and not isinstance(child, ast.Lambda):
                self.value(child)

    # --- names and parts ----------------------------------------------------------------------------------------------

    def _name(self, node: ast.Name) -> Value:
        found = self.names.get(node.id)
        if found is None:
            found = self.free(node.id)
        if found is None:
            return self.lost(node)
        return self.lost(node, found.kind) if isinstance(found, Lost) else found

    def _attribute(self, node: ast.Attribute) -> Value:
        owner = self.value(node.value)
        found: Value | None = None
        match owner:
            case Object():
                key = f"{node.value.id}.{node.attr}" if isinstance(node.value, ast.Name) else ""
                found = self.names.get(key) or self.attribute_of(owner, node.attr)
            case Library():
                return Library(f"{owner.name}.{node.attr}")
            case Array():
                found = arrays.array_attribute(self.writer, owner, node.attr) or Bound(owner, node.attr)
            case Pointer():  # a memory pointer and its address
                found = owner if node.attr in ("ptr", "gpudata", "value", "mem") else None
            case Type() if node.attr == "itemsize":
                like = Array(owner.text.removesuffix(".scalar_type()"), owner.item)
                found = arrays.item_bytes(like) if owner.item or owner.text.endswith(".scalar_type()") else None
            case Type():
                found = owner if node.attr in ("type", "dtype") else String("", False) if node.attr == "char" else None
            case Class():
                found = self.attribute_of(Object(owner.name), node.attr)
            case Lost() | Number() | Truth() | Real() | Nothing():
                found = None
            case _:
                found = Bound(owner, node.attr)
        return self.lost(node) if found is None else found

    def _subscript(self, node: ast.Subscript) -> Value:
        owner = self.value(node.value)
        if isinstance(owner, Array):
            found = self._part_of_array(owner, node.slice)
            return self.lost(node, Array if found is None else None) if found is None else found
        if isinstance(node.slice, ast.Slice):
            return self._cut(owner, node.slice) or self.lost(node)
        key = self.value(node.slice)
        match owner:
            case Kernel():
                return Configured(owner, key.parts if isinstance(key, Items) else (key,))
            case Items() if isinstance(key, Number) and key.value is not None:
                inside = -len(owner.parts) <= key.value < len(owner.parts)
                return owner.parts[key.value] if inside else self.lost(node)
            case Shape() if isinstance(key, Number) and key.value is not None:
                return Number(f"{owner.array.text}.size({key.value})", None, True)
            case Table():
                return self._entry(owner, key) or self.lost(node)
            case Object() | Class():
                return self.lost(node)
            case _:
                return self.lost(node)

    def _entry(self, table: Table, key: Value) -> Value | None:
        """What a dictionary has there; where the key is not known, all its kernels."""
        if isinstance(key, String) and key.whole:
            return next((value for name, value in table.entries if name == key.chars), None)
        if isinstance(key, Number) and key.value is not None:
            return next((value for name, value in table.entries if name == key.value), None)
        if (type_ := as_type(key)) is not None and type_.item:
            return next((value for name, value in table.entries if name == f"dtype {type_.item}"), None)
        return joined_kernels([value for _, value in table.entries])

    def _cut(self, owner: Value, place: ast.Slice) -> Value | None:
        ends = [self.value(end) if end is not None else Nothing() for end in (place.lower, place.upper)]
        values = [end.value if isinstance(end, Number) else None for end in ends]
        known = all(isinstance(end, Nothing) or value is not None for end, value in zip(ends, values))
        if isinstance(owner, Items) and known and place.step is None:
            return replace(owner, parts=owner.parts[values[0] : values[1]])
        return None

    def _part_of_array(self, array: Array, place: ast.expr) -> Value | None:
        """`x[a:b]` and `x[i]`: the same memory from another element on, where its elements lie one after the other."""
        if isinstance(place, ast.Constant) and place.value is Ellipsis:
            return array
        length = arrays.first_size(array)
        if isinstance(place, ast.Slice):
            return self._slice(array, place, length)
        if array.dims is None or len(array.dims) < 2 or not array.item:
            return None
        index = as_number(self.value(place))
        if not isinstance(index, Number) or not index.natural:
            return None
        return self._moved(array, index, array.dims[1:])

    def _slice(self, array: Array, place: ast.Slice, length: Number | None) -> Array | None:
        if place.lower is None and place.upper is None and place.step is None:
            return array
        if place.step is not None or array.dims is None or length is None:
            return None
        low = number(0) if place.lower is None else as_number(self.value(place.lower))
        high = length if place.upper is None else as_number(self.value(place.upper))
        if not isinstance(low, Number) or not isinstance(high, Number) or not low.natural or not high.natural:
            return None
        most = high if place.upper is None else _least(high, length)
        count = most if low.value == 0 else Number(f"({most.text} - {low.text})")
        dims = (count if count.natural else _least_zero(count), *array.dims[1:])
        if low.value == 0:
            return replace(array, dims=dims, flat=True)
        return self._moved(array, _least(low, length), dims, array.dims[1:]) if array.item else None

    def _moved(
        self, array: Array, index: Number, dims: tuple[Number, ...] | None, row: tuple[Number, ...] | None = None
    ) -> Array | None:
        """The array from a row on."""
        inner = dims if row is None else row
        if inner is None:
            return None
        elements = product((index, *inner))
        start = elements if array.start is None else Number(f"({array.start.text} + {elements.text})", None, True)
        return replace(array, dims=dims, start=start, flat=True)

    # --- operators ----------------------------------------------------------------------------------------------------

    def _binary(self, node: ast.BinOp, hint: str) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        found = binary(node.op, left, right)
        if found is None:
            found = pointer_sum(left, right) if isinstance(node.op, ast.Add) else None
        if found is None and (isinstance(left, Array) or isinstance(right, Array)):
            found = self._of_arrays(node, left, right, hint)
        if found is None:
            integers = isinstance(left, Number | Lost) and isinstance(right, Number | Lost)
            integers = integers and not isinstance(node.op, ast.Div)
            return self.lost(node, Number if integers else None)
        return found

    def _of_arrays(self, node: ast.BinOp, left: Value, right: Value, hint: str) -> Value | None:
        """An array and a number, or two arrays of one shape."""
        if isinstance(left, Array) and isinstance(right, Array):
            same = left.dims is not None and left.dims == right.dims
            type_ = arrays.type_of(left) if left.item and left.item == right.item else arrays.ANY
            if isinstance(node.op, ast.Div | ast.Pow | ast.MatMult) or not same:
                return None
            return arrays.copied(self.writer, left, type_, hint)
        array, other = (left, right) if isinstance(left, Array) else (right, left)
        if not isinstance(array, Array) or not isinstance(other, Number | Real):
            return None
        floating = array.item.startswith("float")
        kept = floating or (isinstance(other, Number) and not other.item and not isinstance(node.op, ast.Div | ast.Pow))
        return arrays.copied(self.writer, array, arrays.type_of(array) if kept else arrays.ANY, hint)

    def _unary(self, node: ast.UnaryOp) -> Value:
        match node:
            case (
                ast.UnaryOp(
                    op=ast.USub(),
                    operand=ast.BinOp(left=ast.UnaryOp(op=ast.USub(), operand=above), op=ast.FloorDiv(), right=below),
                )
                | ast.UnaryOp(
                    op=ast.USub(),
                    operand=ast.BinOp(left=above, op=ast.FloorDiv(), right=ast.UnaryOp(op=ast.USub(), operand=below)),
                )
            ):
                a, b = as_number(self.value(above)), as_number(self.value(below))
                found = rounded_up(a, b) if isinstance(a, Number) and isinstance(b, Number) else None
                return found or self.lost(node, Number)
            case ast.UnaryOp(op=ast.Not()):
                return negation(self.truth(node.operand))
            case ast.UnaryOp(op=ast.USub()):
                return negative(self.value(node.operand)) or self.lost(node)
            case _:
                self._inside(node)
                return self.lost(node)

    def truth(self, node: ast.expr) -> Truth:
        """The condition; of one that is not understood nothing is known."""
        match node:
            case ast.BoolOp(op=op):
                parts = [self.truth(value) for value in node.values]
                return both(parts) if isinstance(op, ast.And) else either(parts)
            case ast.UnaryOp(op=ast.Not()):
                return negation(self.truth(node.operand))
            case ast.Compare():
                return self._comparisons(node)
            case _:
                value = self.value(node)
                known = settled(value)
                if known is not None:
                    return truth(known)
                if isinstance(value, Truth):
                    return value
                if isinstance(value, Number):
                    return Truth(f"({value.text} != 0)")
                return Truth(self.writer.lost(self.lost(node), Truth))

    def _logic(self, node: ast.Compare | ast.BoolOp) -> Value:
        """`a or b` gives one of the two."""
        if isinstance(node, ast.Compare):
            return self._comparisons(node)
        values = [self.value(each) for each in node.values]
        if all(isinstance(value, Truth) for value in values):
            parts = [value for value in values if isinstance(value, Truth)]
            return both(parts) if isinstance(node.op, ast.And) else either(parts)
        first, known = values[0], settled(values[0])
        if known is not None and len(values) == 2:
            return values[1] if known == isinstance(node.op, ast.And) else first
        return self.lost(node)

    def _comparisons(self, node: ast.Compare) -> Truth:
        if isinstance(node.left, ast.Name) and node.left.id == "__name__" and isinstance(node.ops[0], ast.Eq):
            return truth(True)
        sides = [self.value(side) for side in (node.left, *node.comparators)]
        found = [compared(op, a, b) for op, a, b in zip(node.ops, sides, sides[1:])]
        parts = [Truth(self.writer.lost(self.lost(node), Truth)) if each is None else each for each in found]
        return both(parts)

    def _choice(self, node: ast.IfExp, hint: str) -> Value:
        """One of two values; what makes them is written in the branch that it belongs to."""
        cond = self.truth(node.test)
        known = settled(cond)
        if known is not None:
            return self.value(node.body if known else node.orelse, hint)
        before = self.writer.block()
        then = self.value(node.body, hint)
        lines_then = self.writer.close(before)
        before = self.writer.block()
        orelse = self.value(node.orelse, hint)
        lines_else = self.writer.close(before)
        if lines_then or lines_else:
            return self._chosen(node, cond, (then, lines_then), (orelse, lines_else), hint)
        return self._either(cond, then, orelse) or self.lost(node, _kind(then, orelse))

    def _chosen(self, node: ast.IfExp, cond: Truth, then: tuple, orelse: tuple, hint: str) -> Value:  # type: ignore[type-arg]
        one = is_plain(then[0]) and shape_of(then[0]) == shape_of(orelse[0])
        target: Value = self.lost(node, _kind(then[0], orelse[0]))
        if one:
            target = self.writer.declare(then[0], hint, self.writer.lost(self.lost(node), type(then[0])))
        for head, (value, lines) in ((f"if ({cond.text}) {{", then), ("} else {", orelse)):
            self.writer.emit(head)
            self.writer.lines += lines
            if one:
                self.writer.emit(f"{self.writer.text(target)} = {self.writer.text(value)};")
        self.writer.emit("}")
        return replace(target, dims=None) if isinstance(target, Array) else target

    def _either(self, cond: Truth, then: Value, orelse: Value) -> Value | None:
        if then == orelse:
            return then
        if isinstance(then, Number) and isinstance(orelse, Number):
            item = then.item if then.item == orelse.item else ""
            if then.item != orelse.item:
                return None
            natural = then.natural and orelse.natural
            return Number(f"({cond.text} ? {then.text} : {orelse.text})", None, natural, item)
        if isinstance(then, Truth) and isinstance(orelse, Truth):
            return Truth(f"({cond.text} ? {then.text} : {orelse.text})")
        if isinstance(then, Items) and isinstance(orelse, Items) and len(then.parts) == len(orelse.parts):
            parts = [self._either(cond, a, b) for a, b in zip(then.parts, orelse.parts)]
            known = tuple(part for part in parts if part is not None)
            return Items(known, then.mutable) if len(known) == len(parts) else None
        return joined_kernels([then, orelse])

    # --- collections --------------------------------------------------------------------------------------------------

    def _items(self, node: ast.Tuple | ast.List) -> Value:
        parts: list[Value] = []
        for element in node.elts:
            if not isinstance(element, ast.Starred):
                parts.append(self.value(element))
                continue
            inner = self.value(element.value)
            if not isinstance(inner, Items):
                return self.lost(node)
            parts += inner.parts
        return Items(tuple(parts), isinstance(node, ast.List))

    def _table(self, node: ast.Dict) -> Value:
        entries: list[tuple[str | int, Value]] = []
        for key, value in zip(node.keys, node.values):
            name, known = self.value(key) if key is not None else None, self.value(value)
            if isinstance(name, String) and name.whole:
                entries.append((name.chars, known))
            elif isinstance(name, Number) and name.value is not None:
                entries.append((name.value, known))
            elif (type_ := as_type(name) if name is not None else None) is not None and type_.item:
                entries.append((f"dtype {type_.item}", known))
            elif name is None and isinstance(known, Table):
                entries += known.entries
            else:
                return self.lost(node)
        return Table(tuple(entries))

    def _joined(self, node: ast.JoinedStr) -> Value:
        """An f-string as far as its parts are constant."""
        chars = ""
        for piece in node.values:
            if isinstance(piece, ast.Constant):
                chars += str(piece.value)
                continue
            value = self.value(piece.value) if isinstance(piece, ast.FormattedValue) else None
            plain = isinstance(piece, ast.FormattedValue) and piece.format_spec is None
            if isinstance(value, Number) and value.value is not None and plain:
                chars += str(value.value)
            elif isinstance(value, String) and value.whole and plain:
                chars += value.chars
            else:
                return String(chars, False)
        return String(chars)


def joined_kernels(values: list[Value]) -> Kernel | None:
    """One of several kernels."""
    kernels = [value for value in values if isinstance(value, Kernel)]
    if not kernels or len(kernels) < len(values) or len({kernel.library for kernel in kernels}) > 1:
        return None
    choices = dict.fromkeys(choice for kernel in kernels for choice in kernel.choices)
    return Kernel(tuple(choices), kernels[0].library)


def _kind(then: Value, orelse: Value) -> type | None:
    return type(then) if type(then) is type(orelse) and is_plain(then) else None


def _constant(value: object) -> Value | None:
    match value:
        case bool():
            return truth(value)
        case int():
            return number(value) if abs(value) < 1 << 62 else None
        case float():
            return Real(item="float64")
        case complex():
            return Real()
        case str():
            return String(value)
        case None:
            return Nothing()
        case _:
            return None


def _least(a: Number, b: Number) -> Number:
    """The smaller of two sizes."""
    return Number(f"({b.text} < {a.text} ? {b.text} : {a.text})", None, True)


def _least_zero(count: Number) -> Number:
    """A number of elements: none below zero."""
    return Number(f"({count.text} < 0 ? 0 : {count.text})", None, True)
