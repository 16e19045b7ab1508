"""Tensors whose memory a kernel takes for another type or another order than it has.

auto h = x.to(torch::kHalf);   k<<<g, b>>>(reinterpret_cast<float *>(h.data_ptr()));      two elements for one
auto t = x.transpose(0, 1);    k<<<g, b>>>(t.data_ptr<float>(), t.size(0), t.size(1));    rows of x, not of t
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_NAMES = (("Half|F16|Float16", 2), ("BFloat16|BF16", 2), ("Float|Float32|F32", 4), ("Double|Float64|F64", 8))
_WHOLE = (("Int|Int32|I32", 4), ("Long|Int64|I64", 8), ("Short|Int16", 2), ("Char|Byte|Int8|UInt8|Bool", 1))
_TYPE = re.compile(r"(?:torch|at|c10)::k(\w+)|(?:torch|at|c10)::ScalarType::(\w+)")
_CONVERTS = re.compile(r"(\.|->)(to|to_type|toType)$")
_MAKES = re.compile(
    r"(^|::)((empty|zeros|ones|full|rand|randn|randint)(_like)?|arange|range|linspace|randperm|eye|tensor|from_blob)$"
)
CAST_TYPES = {
    **dict.fromkeys(("float", "int", "int32_t", "unsigned", "unsigned int", "uint32_t"), 4),
    **dict.fromkeys(("double", "int64_t", "long", "long long", "uint64_t"), 8),
    **dict.fromkeys(("half", "__half", "at::Half", "c10::Half", "__nv_bfloat16", "nv_bfloat16", "at::BFloat16"), 2),
}
_DISPATCHED = "scalar_t"  # the name that the dispatch macros give the type
_DISPATCH = re.compile(r"AT_DISPATCH_(FLOATING|ALL|INTEGRAL)_TYPES")
_ASKS_TYPE = re.compile(r"(scalar_type|dtype)\(\)\s*==\s*(torch|at|c10)::")
_VIEWS = re.compile(r"(\.|->)(transpose|permute|t|swapaxes|swapdims|movedim|expand|expand_as|mT|broadcast_to)$")
_PARTS = re.compile(r"(\.|->)(slice|narrow|select)$")  # of the first dimension they are dense
_STRIDES = re.compile(r"strides?\s*\(|accessor|is_contiguous|contiguous\s*\(")


def reinterpreted_tensors(outline: Outline) -> Iterator[GuardIssue]:
    """Pointers of launches that a cast gives another width than the tensor was converted to, or made with."""
    for body, launch in launching(outline):
        for argument in launch.arguments:
            name, written = cast_data(argument)
            values = body.scope.values.get(name, [])
            width = _width(values[0]) if len(values) == 1 else None
            if width is None or width == 1:
                continue
            if written in CAST_TYPES and CAST_TYPES[written] != width:
                text = f"`{short(argument)}`: elements of {width} bytes are taken for {written}"
                yield GuardIssue(body.function, argument, text, values[0])
            elif written == _DISPATCHED and _is_dispatched(argument, body):
                text = f"`{short(argument)}`: elements of {width} bytes are taken for each of the dispatched types"
                yield GuardIssue(body.function, argument, text, values[0])


def _is_dispatched(argument: Syntax, body: Body) -> bool:
    """Inside of a dispatch over types of several widths, none of which the function has asked for before."""
    macros = (p.child("function") for p, _ in body.ancestors(argument) if p.kind == "call_expression")
    several = any(macro is not None and _DISPATCH.match(macro.text) is not None for macro in macros)
    return several and _ASKS_TYPE.search(body.function.body.text) is None


def strided_tensors(outline: Outline) -> Iterator[GuardIssue]:
    """Pointers of launches to views that are not contiguous, in functions that pass no strides of them."""
    kernels = kernels_by_name(outline)
    for body, launch in launching(outline):
        if launch.kernel not in kernels:
            continue  # a library's, which may know the layout
        for argument in launch.arguments:
            written = cast_data(argument)[1]
            name = owner_of(argument) if not written or written in CAST_TYPES else ""
            values = body.scope.values.get(name, [])
            callee = values[0].child("function") if len(values) == 1 and values[0].kind == "call_expression" else None
            if callee is None or not _is_view(callee.text, values[0]) or re.search(r"contiguous|clone", callee.text):
                continue
            if not re.search(rf"\b{re.escape(name)}\s*(\.|->)\s*({_STRIDES.pattern})", body.function.body.text):
                text = f"`{name}` is a view with strides of its own, and the kernel gets none"
                yield GuardIssue(body.function, argument, text, values[0])


def _is_view(callee: str, call: Syntax) -> bool:
    """Its rows lie apart, or its dimensions in another order: `x.transpose(0, 1)`, `x.narrow(1, 0, n)`."""
    arguments = call.child("arguments")
    first = arguments.children[0].text if arguments is not None and arguments.children else ""
    inner = _PARTS.search(callee) is not None and first.isdigit() and int(first) > 0
    return inner or _VIEWS.search(callee) is not None


def launching(outline: Outline) -> Iterator[tuple[Body, TextLaunch]]:
    if "ensor" not in outline.root.text:
        return
    program = program_of(outline)
    hosts = {id(body.function): body for body in bodies(program, ("host",))}
    for launch in text_launches(program):
        if id(launch.function) in hosts:
            yield hosts[id(launch.function)], launch


def owner_of(argument: Syntax) -> str:
    """`x` of `x.data_ptr<float>()`, also behind a cast."""
    found = re.fullmatch(
        r"(?:.*[(>])?(\w+)(?:\.|->)(?:mutable_|const_)?data(?:_ptr)?(?:<[\w:]+>)?\(\)\)*", argument.bare
    )
    return found[1] if found is not None else ""


def cast_data(argument: Syntax) -> tuple[str, str]:
    """(tensor, type) of `reinterpret_cast<T *>(x.data_ptr())`, `(T *)x.data_ptr()`."""
    inner = uncast(argument)
    written = re.match(
        r"\s*(?:(?:reinterpret|static)_cast\s*<|\()\s*(?:const\s+)?([\w:]+(?: \w+)?)\s*\*", argument.text
    )
    return (owner_of(inner), written[1]) if written is not None and inner is not argument else ("", "")


def _width(value: Syntax) -> int | None:
    """The bytes of an element of `x.to(torch::kHalf)`, `x.half()`, `torch::empty(..., options.dtype(torch::kInt))`."""
    callee, arguments = value.child("function"), value.child("arguments")
    if value.kind != "call_expression" or callee is None or arguments is None:
        return None
    if not arguments.children and re.search(r"(\.|->)(half|bfloat16)$", callee.text) is not None:
        return 2
    if _CONVERTS.search(callee.text) is None and _MAKES.search(callee.text) is None:
        return None
    found = {first or second for first, second in _TYPE.findall(arguments.text)} - {"CUDA", "CPU", "Strided"}
    if len(found) != 1:
        return None
    name = found.pop()
    return next((width for names, width in (*_NAMES, *_WHOLE) if re.fullmatch(names, name)), None)
