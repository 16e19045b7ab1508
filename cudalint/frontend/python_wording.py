"""Expressions of Python host code on tensors and integers, worded in C++ with ATen's names.

    -(x.numel() // -256)   ->   (x.numel() + 256 - 1) / 256      torch.empty(n, dtype=torch.uint8) -> at::empty({n}, at::kByte)

Each is worded with its kind. What is not understood is UNKNOWN, whose text gives a value that nothing is known of. Integers are
C++'s where Python's mean the same: a quotient of what may be negative is unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from cudalint.frontend.python_said import DTYPES, UNKNOWN, Kind, Said
from cudalint.frontend.python_tensors import derived

PRELUDE = (
    "#include <torch/extension.h>\n#include <optional>\n"
    "struct python_value {}; python_value python_any(); long python_int(); bool python_bool(); double python_float(); "
    "at::Tensor python_tensor(); at::ScalarType python_type(); at::IntArrayRef python_sizes(); long python_given(); "
    "at::Tensor python_lost(); bool python_open(const at::Tensor &);"
)
_WIDTHS = {
    **dict.fromkeys(("c_int", "c_int32"), "int"), **dict.fromkeys(("c_uint", "c_uint32"), "unsigned"),
    **dict.fromkeys(("c_long", "c_longlong", "c_int64", "c_ssize_t"), "long"),
    **dict.fromkeys(("c_size_t", "c_ulong", "c_uint64"), "unsigned long"),
}  # fmt: skip
_FLOATS = frozenset(("c_float", "c_double"))
_LIKE = frozenset(("empty_like", "zeros_like", "ones_like", "rand_like", "randn_like", "full_like"))
_MAKERS = frozenset(("empty", "zeros", "ones", "rand", "randn"))
_SAME = frozenset(("contiguous", "clone", "detach", "cuda"))
_OPERATORS: Mapping[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wording:
    """`names` are the variables in C++; `gives_pointer` tells the functions that give the address of their one tensor, or None."""

    names: Mapping[str, Said]
    gives_pointer: Callable[[ast.expr], bool]
    constants: Mapping[str, int] = field(default_factory=dict)
    values: Mapping[int, Said] = field(
        default_factory=dict
    )  # what calls have given that were made before, by their identity

    def of(self, node: ast.expr) -> Said:
        """The expression; UNKNOWN where it is not understood."""
        match node:
            case ast.Constant():
                return _constant(node.value)
            case ast.Name():
                known = self.constants.get(node.id)
                return self.names.get(node.id, UNKNOWN if known is None else _constant(known))
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Call():
                return self.values[id(node)] if id(node) in self.values else self._call(node)
            case ast.BinOp():
                return self._binary(node)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.Compare() | ast.BoolOp():
                return Said(self.truth(node), Kind.BOOL)
            case ast.IfExp():
                return self._choice(node)
            case _:
                return UNKNOWN

    def truth(self, node: ast.expr) -> str:
        """The condition; of one that is not understood nothing is known."""
        match node:
            case ast.BoolOp():
                sign = " && " if isinstance(node.op, ast.And) else " || "
                return "(" + sign.join(self.truth(value) for value in node.values) + ")"
            case ast.UnaryOp(op=ast.Not()):
                return f"!{self.truth(node.operand)}"
            case ast.Compare():
                sides = [node.left, *node.comparators]
                parts = [self._comparison(op, a, b) for op, a, b in zip(node.ops, sides, sides[1:])]
                return "(" + " && ".join(parts) + ")"
            case ast.Constant(value=bool()):
                return str(node.value).lower()
            case _:
                said = self.of(node)
                return f"({said.text})" if said.kind is Kind.BOOL else Kind.BOOL.value[1]

    def tensor(self, node: ast.expr) -> Said | None:
        """The tensor that the expression is, where it is one."""
        said = self.of(node)
        if said.kind is Kind.OPTIONAL:
            return Said(f"{said.text}.value()", Kind.TENSOR)
        return said if said.kind is Kind.TENSOR else None

    # --- parts --------------------------------------------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute) -> Said:
        if isinstance(node.value, ast.Name) and node.value.id == "torch" and node.attr in DTYPES:
            return Said(DTYPES[node.attr], Kind.TYPE)
        owner = self.tensor(node.value)
        if owner is None:
            said = self.of(node.value)
            sized = node.attr == "itemsize" and said.kind is Kind.TYPE
            return Said(f"at::empty({{1}}, {said.text}).element_size()", Kind.INT, True) if sized else UNKNOWN
        match node.attr:
            case "dtype":
                return Said(f"{owner.text}.scalar_type()", Kind.TYPE)
            case "shape" if not owner.flat:
                return Said(f"{owner.text}.sizes()", Kind.SIZES)
            case "ndim" if not owner.flat:
                return Said(f"{owner.text}.dim()", Kind.INT, True)
            case "nbytes":
                return Said(f"({owner.text}.numel() * {owner.text}.element_size())", Kind.INT, True)
            case "itemsize":
                return Said(f"{owner.text}.element_size()", Kind.INT, True)
            case _:
                return UNKNOWN

    def _subscript(self, node: ast.Subscript) -> Said:
        place = self.of(node.slice)
        if place.kind is not Kind.INT:
            return UNKNOWN
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            owner = self.tensor(node.value.value)
            return UNKNOWN if owner is None or owner.flat else Said(f"{owner.text}.size({place.text})", Kind.INT, True)
        sizes = self.of(node.value)
        if sizes.kind is Kind.SIZES and sizes.text.endswith(".sizes()"):
            return Said(f"{sizes.text.removesuffix('.sizes()')}.size({place.text})", Kind.INT, True)
        plain = isinstance(node.value, ast.Name) and sizes.kind is Kind.SIZES and place.text.isdigit()
        return Said(f"{sizes.text}_{place.text}", Kind.INT) if plain else UNKNOWN

    def _call(self, node: ast.Call) -> Said:
        if self.gives_pointer(node.func) and len(node.args) == 1 and not node.keywords:
            return self._address(self.of(node.args[0]))
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in _WIDTHS or name in _FLOATS or name in ("c_void_p", "c_bool", "int"):
            return self._converted(name, self.of(node.args[0]) if len(node.args) == 1 else UNKNOWN)
        if name in ("min", "max") and isinstance(node.func, ast.Name) and len(node.args) == 2:
            a, b = (self.of(each) for each in node.args)
            known = a.kind is b.kind is Kind.INT
            return (
                Said(f"std::{name}<long>({a.text}, {b.text})", Kind.INT, a.natural and b.natural) if known else UNKNOWN
            )
        if (
            name == "len"
            and len(node.args) == 1
            and isinstance(node.args[0], ast.Attribute)
            and node.args[0].attr == "shape"
        ):
            return self._attribute(ast.Attribute(node.args[0].value, "ndim"))
        if not isinstance(node.func, ast.Attribute):
            return UNKNOWN
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "torch":
            return self._made(name, node)
        return self._method(name, node.func.value, node)

    def _method(self, name: str, owner: ast.expr, node: ast.Call) -> Said:
        tensor = self.tensor(owner)
        if tensor is None:
            return UNKNOWN
        if name == "data_ptr" and not node.args:
            return Said(f"{tensor.text}.data_ptr()", Kind.POINTER)
        if name in ("numel", "element_size", "nelement") and not node.args:
            return Said(f"{tensor.text}.{name.replace('nelement', 'numel')}()", Kind.INT, True)
        if name == "dim" and not tensor.flat:
            return Said(f"{tensor.text}.dim()", Kind.INT, True)
        if name == "size" and len(node.args) == 1 and not tensor.flat:
            place = self.of(node.args[0])
            return Said(f"{tensor.text}.size({place.text})", Kind.INT, True) if place.kind is Kind.INT else UNKNOWN
        if name in _SAME:
            return Said(f"{tensor.text}.contiguous()", Kind.TENSOR, flat=tensor.flat)
        if name == "to":
            given = [self.of(value) for value in (*node.args, *(k.value for k in node.keywords if k.arg == "dtype"))]
            types = [each.text for each in given if each.kind is Kind.TYPE]
            if not types and node.args and _is_device(node.args[0]):
                return Said(f"{tensor.text}.cuda()", Kind.TENSOR, flat=tensor.flat)
            if len(types) != 1:
                return UNKNOWN
            return Said(f"{tensor.text}.to({types[0]})", Kind.TENSOR, flat=tensor.flat, item=types[0])
        made = derived(name, tensor, node, self.of)
        return UNKNOWN if made is None else made

    def _made(self, name: str, node: ast.Call) -> Said:
        """A tensor that torch makes."""
        given = [
            self.of(k.value).text for k in node.keywords if k.arg == "dtype" and self.of(k.value).kind is Kind.TYPE
        ]
        if any(k.arg not in ("dtype", "device", "requires_grad", "pin_memory") for k in node.keywords):
            return UNKNOWN
        if any(k.arg == "dtype" for k in node.keywords) and not given:
            return UNKNOWN
        item = given[0] if given else ""
        type_ = f", {item}" if item else ""
        if name in _LIKE and len(node.args) == (2 if name == "full_like" else 1):
            like = self.tensor(node.args[0])
            return (
                UNKNOWN
                if like is None
                else Said(f"at::{name}({like.text}{type_})", Kind.TENSOR, flat=like.flat, item=item)
            )
        if name not in _MAKERS or not node.args:
            return UNKNOWN
        listed = node.args[0].elts if isinstance(node.args[0], ast.Tuple | ast.List) else node.args
        sizes = self.of(node.args[0])
        if len(node.args) == 1 and sizes.kind is Kind.SIZES:
            return Said(f"at::{name}({sizes.text}{type_})", Kind.TENSOR, item=item)
        parts = [self._extent(each) for each in listed]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return UNKNOWN
        flat = any(isinstance(each, ast.Starred) for each in listed)
        return Said(f"at::{name}({{{', '.join(known)}}}{type_})", Kind.TENSOR, flat=flat, item=item)

    def _extent(self, node: ast.expr) -> str | None:
        """A size of a tensor that is made; of `*x.shape[:-1]` the product."""
        if not isinstance(node, ast.Starred):
            said = self.of(node)
            return said.text if said.kind is Kind.INT else None
        match node.value:
            case ast.Subscript(
                value=ast.Attribute(value=owner, attr="shape"),
                slice=ast.Slice(lower=None, upper=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)), step=None),
            ):
                tensor = self.tensor(owner)
                flat = tensor is None or tensor.flat
                return None if tensor is None or flat else f"{tensor.text}.numel() / {tensor.text}.size(-1)"
            case _:
                return None

    def _address(self, said: Said) -> Said:
        if said.kind is Kind.OPTIONAL:
            return Said(f"({said.text}.has_value() ? {said.text}.value().data_ptr() : nullptr)", Kind.POINTER)
        return Said(f"{said.text}.data_ptr()", Kind.POINTER) if said.kind is Kind.TENSOR else UNKNOWN

    def _converted(self, name: str, said: Said) -> Said:
        if name in _WIDTHS:
            return Said(
                f"({_WIDTHS[name]})({said.text})" if said.kind is Kind.INT else f"({_WIDTHS[name]})python_int()",
                Kind.INT,
            )
        if name == "int":
            return said if said.kind is Kind.INT else Said(Kind.INT.value[1], Kind.INT)
        if name in _FLOATS:
            return Said(Kind.FLOAT.value[1], Kind.FLOAT)
        if name == "c_bool":
            return said if said.kind is Kind.BOOL else Said(Kind.BOOL.value[1], Kind.BOOL)
        return said if said.kind in (Kind.POINTER, Kind.NONE) else UNKNOWN

    def _binary(self, node: ast.BinOp) -> Said:
        left, right = self.of(node.left), self.of(node.right)
        if not left.kind is right.kind is Kind.INT:
            return UNKNOWN
        natural = left.natural and right.natural
        sign = _OPERATORS.get(type(node.op))
        if sign is not None:
            return Said(f"({left.text} {sign} {right.text})", Kind.INT, natural and sign != "-")
        if isinstance(node.op, ast.FloorDiv | ast.Mod) and left.natural:
            sign = "/" if isinstance(node.op, ast.FloorDiv) else "%"
            if right.text.isdigit() and right.text != "0":
                return Said(f"({left.text} {sign} {right.text})", Kind.INT, True)
            if right.natural:
                return Said(
                    f"({left.text} {sign} {right.text})", Kind.INT, True
                )  # without a value for zero in both languages
            if not right.text.startswith("-"):
                return Said(f"({right.text} > 0 ? {left.text} {sign} {right.text} : python_int())", Kind.INT)
        return Said(Kind.INT.value[1], Kind.INT)

    def _unary(self, node: ast.UnaryOp) -> Said:
        match node:
            case ast.UnaryOp(
                op=ast.USub(),
                operand=ast.BinOp(left=above, op=ast.FloorDiv(), right=ast.UnaryOp(op=ast.USub(), operand=below)),
            ):
                return self._rounded_up(self.of(above), self.of(below))
            case ast.UnaryOp(op=ast.Not()):
                return Said(self.truth(node), Kind.BOOL)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
                return Said(f"-{value}", Kind.INT)
            case _:
                said = self.of(node.operand)
                negated = isinstance(node.op, ast.USub) and said.kind is Kind.INT
                return Said(f"(-{said.text})", Kind.INT) if negated else UNKNOWN

    def _rounded_up(self, above: Said, below: Said) -> Said:
        """`-(n // -b)`"""
        if not above.kind is below.kind is Kind.INT or not above.natural:
            return Said(Kind.INT.value[1], Kind.INT)
        quotient = f"({above.text} + {below.text} - 1) / {below.text}"
        if below.natural:
            return Said(f"({quotient})", Kind.INT, True)
        return Said(f"({below.text} > 0 ? {quotient} : python_int())", Kind.INT)

    def _comparison(self, op: ast.cmpop, left: ast.expr, right: ast.expr) -> str:
        unknown = Kind.BOOL.value[1]
        if isinstance(op, ast.Is | ast.IsNot):
            said, none = self.of(left), isinstance(right, ast.Constant) and right.value is None
            if not none or said.kind not in (Kind.OPTIONAL, Kind.TENSOR):
                return unknown
            if said.kind is Kind.TENSOR:
                return "false" if isinstance(op, ast.Is) else "true"
            return f"{'!' if isinstance(op, ast.Is) else ''}{said.text}.has_value()"
        if isinstance(op, ast.In | ast.NotIn):
            asked = right.elts if isinstance(right, ast.Tuple | ast.List | ast.Set) else []
            parts = [self._comparison(ast.Eq(), left, each) for each in asked]
            listed = f"({' || '.join(parts)})" if parts and unknown not in parts else unknown
            return f"!{listed}" if isinstance(op, ast.NotIn) else listed
        a, b = self.of(left), self.of(right)
        sign = _COMPARISONS[type(op)]
        if a.kind is Kind.SIZES and isinstance(right, ast.Tuple | ast.List) and sign in ("==", "!="):
            return self._sizes_are(left, right.elts, sign)
        ordered = a.kind is b.kind is Kind.INT
        equated = a.kind is b.kind and a.kind in (Kind.TYPE, Kind.SIZES) and sign in ("==", "!=")
        if equated and all(
            side.text.endswith(".sizes()") for side in (a, b)
        ):  # of equal shapes, the counts are told as well
            one, other = (side.text.removesuffix(".sizes()") for side in (a, b))
            alike = f"({a.text} == {b.text} && {one}.numel() == {other}.numel())"
            return alike if sign == "==" else f"!{alike}"
        return f"({a.text} {sign} {b.text})" if ordered or equated else unknown

    def _sizes_are(self, sizes: ast.expr, listed: list[ast.expr], sign: str) -> str:
        """`x.shape == (n, 4)`"""
        owner = self.tensor(sizes.value) if isinstance(sizes, ast.Attribute) else None
        wanted = [self.of(each) for each in listed]
        if owner is None or owner.flat or any(each.kind is not Kind.INT for each in wanted):
            return Kind.BOOL.value[1]
        parts = [f"{owner.text}.dim() == {len(wanted)}"]
        parts += [f"{owner.text}.size({place}) == {each.text}" for place, each in enumerate(wanted)]
        parts += [f"{owner.text}.numel() == {' * '.join(each.text for each in wanted) or '1'}"]
        return f"{'' if sign == '==' else '!'}({' && '.join(parts)})"

    def _choice(self, node: ast.IfExp) -> Said:
        cond = self.truth(node.test)
        name, present = tested_for_none(node.test)
        then, orelse = self._knowing(name, present).of(node.body), self._knowing(name, not present).of(node.orelse)
        kinds = {then.kind, orelse.kind}
        if kinds <= {Kind.TENSOR, Kind.OPTIONAL, Kind.NONE} and kinds != {Kind.NONE}:
            return _either_tensor(cond, then, orelse)
        if kinds <= {Kind.POINTER, Kind.NONE} and Kind.POINTER in kinds:
            return Said(f"({cond} ? {then.text} : {orelse.text})", Kind.POINTER)
        if kinds == {Kind.INT}:
            return Said(f"({cond} ? {then.text} : {orelse.text})", Kind.INT, then.natural and orelse.natural)
        return UNKNOWN

    def _knowing(self, name: str, present: bool) -> Wording:
        """What is said where a tensor that may be None is one."""
        said = self.names.get(name, UNKNOWN)
        if not present or said.kind is not Kind.OPTIONAL:
            return self
        return replace(self, names={**self.names, name: present_tensor(said)})


def present_tensor(said: Said) -> Said:
    """The tensor that an optional one holds."""
    return replace(said, text=f"{said.text}.value()", kind=Kind.TENSOR)


def as_optional(said: Said) -> str:
    """The tensor, or None, as an optional one."""
    if said.kind is Kind.OPTIONAL:
        return said.text
    return f"std::optional<at::Tensor>({said.text if said.kind is Kind.TENSOR else ''})"


def tested_for_none(test: ast.expr) -> tuple[str, bool]:
    """The variable of `x is not None` or `x is None`, and whether it is something where the test holds."""
    match test:
        case ast.Compare(
            left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]
        ):
            return name, isinstance(op, ast.IsNot)
        case _:
            return "", False


def _either_tensor(cond: str, then: Said, orelse: Said) -> Said:
    flat = then.flat or orelse.flat
    if then.kind is orelse.kind is Kind.TENSOR:
        return Said(f"({cond} ? {then.text} : {orelse.text})", Kind.TENSOR, flat=flat)
    return Said(f"({cond} ? {as_optional(then)} : {as_optional(orelse)})", Kind.OPTIONAL, flat=flat)


def _is_device(node: ast.expr) -> bool:
    """`x.to("cuda")`, `x.to(y.device)`: the same tensor in other memory."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    return ast.unparse(node).endswith("device")


def _constant(value: object) -> Said:
    if isinstance(value, bool):
        return Said(str(value).lower(), Kind.BOOL)
    if isinstance(value, int):
        return Said(str(value), Kind.INT, value >= 0) if -(1 << 63) <= value < 1 << 63 else UNKNOWN
    if isinstance(value, float):
        return Said(Kind.FLOAT.value[1], Kind.FLOAT)
    return Said("nullptr", Kind.NONE) if value is None else UNKNOWN
