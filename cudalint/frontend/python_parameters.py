"""What parameters and arguments of Python functions are in C++, and which variables statements assign."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from cudalint.frontend.python_said import UNKNOWN, Kind, Said
from cudalint.frontend.python_wording import as_optional

_RESHAPING = frozenset(("resize_", "resize_as_", "set_", "squeeze_", "unsqueeze_", "t_", "transpose_", "swapaxes_"))
_OF_TENSORS = frozenset(
    ("data_ptr", "numel", "shape", "dtype", "contiguous", "nbytes", "element_size", "is_contiguous")
)
_ANNOTATED = (("Sequence[int]", Kind.SIZES), ("torch.Size", Kind.SIZES), ("dtype", Kind.TYPE))
_PLAIN = {"int": Kind.INT, "bool": Kind.BOOL, "float": Kind.FLOAT}
_A_TENSOR = re.compile(r"(?:[\w.]*\bTensor|[\w.]*\bParameter|\w[\w.]*\[(?:torch\.)?Tensor, .*\])")


def natural_where(test: ast.expr, holds: bool) -> frozenset[str]:
    """The variables that are no negative integers where the test holds, or does not: `b in (32, 64)`, `not b <= 0`."""
    match test:
        case ast.UnaryOp(op=ast.Not()):
            return natural_where(test.operand, not holds)
        case ast.BoolOp():
            if isinstance(test.op, ast.And) is holds:
                return frozenset(name for value in test.values for name in natural_where(value, holds))
            return frozenset()
        case ast.Compare(left=ast.Name(id=name), ops=[ast.In() | ast.NotIn() as op], comparators=[listed]):
            elements = listed.elts if isinstance(listed, ast.Tuple | ast.List | ast.Set) else [ast.Constant(None)]
            all_natural = all(_is_number(each, 0) for each in elements)
            return frozenset([name]) if all_natural and isinstance(op, ast.In) is holds else frozenset()
        case ast.Compare() if holds or len(test.ops) == 1:
            sides = [test.left, *test.comparators]
            pairs = zip(test.ops, sides, sides[1:])
            return frozenset(name for op, a, b in pairs for name in _natural_side(op, a, b, holds))
        case _:
            return frozenset()


def _natural_side(op: ast.cmpop, left: ast.expr, right: ast.expr, holds: bool) -> Iterator[str]:
    """`0 < n` and `n >= 0`; and what is not `n < 1`."""
    above: tuple[type[ast.cmpop], ...] = (ast.Gt, ast.GtE, ast.Eq) if holds else (ast.Lt, ast.LtE, ast.NotEq)
    below: tuple[type[ast.cmpop], ...] = (ast.Lt, ast.LtE, ast.Eq) if holds else (ast.Gt, ast.GtE, ast.NotEq)
    strict = isinstance(op, ast.Gt | ast.Lt) if holds else isinstance(op, ast.GtE | ast.LtE)
    least = -1 if strict else 0
    if isinstance(op, above) and isinstance(left, ast.Name) and _is_number(right, least):
        yield left.id
    if isinstance(op, below) and isinstance(right, ast.Name) and _is_number(left, least):
        yield right.id


def _is_number(node: ast.expr, least: int) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value >= least


def c_argument(node: ast.expr, said: Said, type_: str) -> tuple[str, str]:
    """Type and value of what the library gets; a plain integer is a C `int` unless the function's own text has a longer one."""
    match said.kind:
        case Kind.POINTER | Kind.NONE:
            return "void *", said.text
        case Kind.INT:
            cast = re.match(r"\((int|unsigned|long|unsigned long)\)", said.text)
            if cast is not None:
                return cast[1], said.text
            if re.search(r"\b(?:float|double)\b", type_):
                return "double", Kind.FLOAT.value[1]
            width = "long" if re.search(r"\blong\b|64|size_t|ptrdiff", type_) else "int"
            return width, f"({width})({said.text})"
        case Kind.BOOL | Kind.FLOAT:
            return said.kind.value[0], said.text
        case _:
            return UNKNOWN.kind.value[0], UNKNOWN.text


def kind_of(argument: ast.arg, function: ast.FunctionDef, is_counted: Callable[[ast.arg], bool]) -> Kind:
    """By its annotation, else by how the function uses it."""
    written = "" if argument.annotation is None else ast.unparse(argument.annotation).strip("'\"")
    name, default = argument.arg, default_of(argument, function)
    plain = re.sub(r"^(?:typing\.)?Optional\[(.*)\]$|\s*\|\s*None$", r"\1", written)
    if _A_TENSOR.fullmatch(plain) or (not written and _is_asked_as_tensor(name, function)):
        optional = plain != written or default is None or _is_tested(name, function)
        return Kind.OPTIONAL if optional else Kind.TENSOR
    for text, kind in _ANNOTATED:
        if text in written:
            return kind
    if not written and isinstance(default, bool):
        return Kind.BOOL
    if written in _PLAIN:
        return _PLAIN[written]
    if not written and not _is_tested(name, function):
        return Kind.INT if is_counted(argument) else Kind.SIZES if _is_indexed(name, function) else Kind.ANY
    return Kind.ANY


def _is_asked_as_tensor(name: str, function: ast.FunctionDef) -> bool:
    used = (n for n in ast.walk(function) if isinstance(n, ast.Attribute) and getattr(n.value, "id", "") == name)
    return any(n.attr in _OF_TENSORS for n in used)


def _is_tested(name: str, function: ast.FunctionDef) -> bool:
    return any(is_test_for_none(n, name) for n in ast.walk(function))


def annotated_kind(argument: ast.arg, function: ast.FunctionDef) -> Kind:
    """The kind that the annotation of a parameter says."""
    if argument.annotation is None:
        return Kind.ANY
    kind = kind_of(argument, function, lambda _: False)
    return kind if kind in (Kind.TENSOR, Kind.OPTIONAL, Kind.INT, Kind.BOOL) else Kind.ANY


def is_test_for_none(node: ast.AST, name: str) -> bool:
    """`name is None` or `name is not None`"""
    return (
        isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.Is | ast.IsNot)
        and getattr(node.left, "id", "") == name
        and isinstance(node.comparators[0], ast.Constant)
        and node.comparators[0].value is None
    )


def default_of(argument: ast.arg, function: ast.FunctionDef) -> object:
    """The constant that the parameter has where callers give none; ... where it has none."""
    places = [*function.args.posonlyargs, *function.args.args]
    pairs = [
        *zip(reversed(places), reversed(function.args.defaults)),
        *zip(function.args.kwonlyargs, function.args.kw_defaults),
    ]
    found = next((value for each, value in pairs if each is argument), None)
    return found.value if isinstance(found, ast.Constant) else ...


def _is_indexed(name: str, function: ast.FunctionDef) -> bool:
    """Whether only its elements at constant places are asked for."""
    loads = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
    places = [n for n in ast.walk(function) if isinstance(n, ast.Subscript) and getattr(n.value, "id", "") == name]
    return (
        0 < len(loads) == len([p for p in places if isinstance(p.slice, ast.Constant) and type(p.slice.value) is int])
    )


def reshaped(value: ast.AST | None) -> Iterator[str]:
    """`x.resize_(n)`"""
    for node in ast.walk(value) if value is not None else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _RESHAPING:
            owner = node.func.value
            if isinstance(owner, ast.Name):
                yield owner.id


def stored_names(node: ast.AST | None) -> set[str]:
    inside = ast.walk(node) if node is not None else ()
    return {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store | ast.Del)}


def named_by(parameters: Iterable[str], given: Mapping[str, ast.expr]) -> frozenset[str]:
    """The variables that are passed for the parameters as they are."""
    values = (given.get(name) for name in parameters)
    return frozenset(value.id for value in values if isinstance(value, ast.Name))


def yields(function: ast.FunctionDef) -> bool:
    """Whether it gives several values, one after the other."""
    return any(isinstance(n, ast.Yield | ast.YieldFrom) for n in ast.walk(function))


def of_one_kind(values: list[Said]) -> list[Said]:
    """Values of two sides as one kind: of an unknown one an integer or truth of which nothing is known, of None no tensor."""
    kinds = {value.kind for value in values}
    if kinds <= {Kind.TENSOR, Kind.OPTIONAL, Kind.NONE} and len(kinds) > 1:
        return [replace(value, text=as_optional(value), kind=Kind.OPTIONAL) for value in values]
    for kind in (Kind.INT, Kind.BOOL):
        if kinds == {kind, Kind.ANY}:
            return [value if value.kind is kind else Said(kind.value[1], kind) for value in values]
    return values


def inner_first(node: ast.expr) -> Iterator[ast.Call]:
    """The calls of an expression in the order in which they are made; not those of functions that it makes."""
    if isinstance(node, ast.Lambda):
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr | ast.keyword | ast.comprehension):
            yield from inner_first(child)  # type: ignore[arg-type]
    if isinstance(node, ast.Call):
        yield node
