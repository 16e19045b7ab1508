"""Calls of library functions that our headers declare without a body: cub, wmma, libcu++, cooperative groups, ...

They touch what they are given and nothing else, so the call is one opaque statement: references and pointers to what is
not const are written, the result is any value, and it differs from thread to thread. They never order user memory,
except those whose names say so; those may synchronise.
"""

from __future__ import annotations

import re

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.context import Body
from cudalint.frontend.lowering.names import qualified_name
from cudalint.ir import nodes as ir
from cudalint.ir.types import UINT32, VOID, Pointer, Type

_ORDERING = re.compile(r"sync|wait|arrive|acquire|release|commit|barrier|pipeline|notify|fence", re.IGNORECASE)
_CALLING_BACK = re.compile(r"(?:^|::)(?:invoke_one|for_each|for_each_n|generate|tabulate|apply|visit|invoke)\Z")
_ACCESSING = re.compile(r"Load|Store|ThreadLoad|ThreadStore")
_IN_CUB = re.compile(r"cub::(?:Block|Warp)?(?:Thread)?(?:Load|Store)")
_OF_TILES = re.compile(r"nvcuda::wmma::(?:load|store)_matrix_sync\Z")
_OF_TORCH = re.compile(r"at::native::cuda_utils::\w+\Z|WARP_(?:SHFL\w*|BALLOT|SYNC)\Z")
_OF_WARPS = re.compile(r"nvcuda::wmma::")  # they wait for the lanes of a warp
_LANE = ir.Builtin("laneid", UINT32)
_BUILTINS = {"cub::LaneId": _LANE, "nvcuda::wmma::__cudalint_lane": _LANE}


def library_call(body: Body, cursor: Cursor, target: Cursor, args: tuple[ir.Expr, ...], type_: Type) -> ir.Expr | None:
    """The result of a call of one of our declarations; None where it returns nothing."""
    name, span = qualified_name(target), body.span(cursor)
    if name in _BUILTINS:
        return build.convert(_BUILTINS[name], type_)
    if args and type_ != VOID and not any(isinstance(a.type, Pointer) for a in args):
        return body.opaque(name, args, type_, span)
    result = None if type_ == VOID else body.fresh(type_, span)
    written = [place for a, w in zip(args, _written(target, len(args))) if w and (place := _behind(a)) is not None]
    if result is not None:
        written.append(ir.Variable(result))
    read = tuple(a for a in args if not _is_own(body, a))
    orders = _ORDERING.search(name) is not None and _OF_WARPS.match(name) is None
    body.opaque_statement(name, span, read, tuple(written), False, orders)
    return result


def accesses(target: Cursor) -> bool:
    """Library functions with a body that accesses memory of the caller's, or exchanges values with its warp."""
    if "__cudalint_sequential" in target.type.spelling:
        return True
    name = qualified_name(target)
    of_items = _ACCESSING.match(target.spelling) is not None and _IN_CUB.match(name) is not None
    return of_items or _OF_TILES.match(name) is not None or _OF_TORCH.match(name) is not None


def calls_back(target: Cursor) -> bool:
    """Functions that run what they are given for its effects."""
    return _CALLING_BACK.search(qualified_name(target)) is not None


def _written(target: Cursor, count: int) -> list[bool]:
    """Which arguments may be written behind; the object of a member function is the first."""
    types = [t.get_canonical() for t in clang.parameter_types(target.type)]
    found = [not t.get_pointee().is_const_qualified() for t in types]
    if target.kind in (Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.CONVERSION_FUNCTION) and count > len(found):
        found.insert(0, not target.is_const_method())
    return [*found, *[True] * (count - len(found))]


def _behind(arg: ir.Expr) -> ir.Place | None:
    if isinstance(arg.type, Pointer) and arg.type.element != VOID:
        return build.element(arg, build.ZERO, arg.type.element)
    return None


def _is_own(body: Body, arg: ir.Expr) -> bool:
    """The address of a variable of this function: nobody else learns of it."""
    place = arg.place if isinstance(arg, ir.AddressOf) else None
    while isinstance(place, ir.Field | ir.Index):
        place = place.base
    if not isinstance(place, ir.Variable) or not isinstance(arg.type, Pointer):
        return False
    return place.var.name in body.own
