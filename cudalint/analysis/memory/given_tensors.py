"""Tensor parameters of functions that Python calls, whose memory a kernel reads as it lies there.

auto weights = w.contiguous();  auto rows = x;          of `x` it is neither asked nor seen to that its rows lie side by side
scale<<<blocks, 256>>>(rows.data_ptr<float>(), weights.data_ptr<float>(), x.size(0), x.size(1));

TORCH_CHECK(x.is_cuda() && x.dim() == 2);               but not what it is made of
scale<<<blocks, 256>>>(static_cast<float *>(x.data_ptr()), x.size(0), x.size(1));
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.memory.half_checked_strides import ASKS_NOTHING, ASKS_WHOLE
from cudalint.analysis.memory.reinterpreted_tensors import CAST_TYPES, cast_data, launching, owner_of
from cudalint.analysis.text.guard_patterns import GuardIssue
from cudalint.analysis.text.launch_text import kernels_by_name
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_OF_ORDER = re.compile(r"contiguous|stride|dense|layout|input|check_all", re.IGNORECASE)


def unasked_beside(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each matrix that is read as dense, where another tensor of the same launch is made or held to be."""
    if "contiguous" not in outline.root.text:
        return
    kernels = kernels_by_name(outline)
    seen: set[tuple[int, str]] = set()
    for body, launch in launching(outline):
        candidates = kernels.get(launch.kernel, [])
        if len(candidates) != 1 or not is_called_by_python(body.function, outline):
            continue
        others = [(given_as(argument, body), argument) for argument in launch.arguments]
        asked = {name: argument for name, argument in others if name and _is_asked(name, body)}
        for parameter, argument in zip(candidates[0].parameters, launch.arguments):
            name = given_as(argument, body)
            key = id(body.function), name
            if not name or key in seen or not asked or "const" not in parameter.text:
                continue
            seen.add(key)
            if _is_matrix(name, body) and _is_unasked(aliases_of(name, body), body):
                other, where = next(iter(asked.items()))
                text = (
                    f"`{other}` is made or held to be contiguous, and nothing is asked of `{name}`, which may be a view"
                )
                yield GuardIssue(body.function, argument, text, where)


def is_called_by_python(function: TextFunction, outline: Outline) -> bool:
    """The file registers it, `m.def("scale", &scale)`, and nothing else in the file calls it."""
    name = re.escape(function.name.rpartition("::")[2])
    registered = re.search(rf"(?:\.|->)\s*(?:def|impl)\s*\([^;]*[&\s,(:]{name}\b\s*[,)]", outline.root.text)
    return registered is not None and not program_of(outline).callers(function.name)


def given_as(argument: Syntax, body: Body) -> str:
    """The tensor parameter whose memory it is: `x` of `x.data_ptr()`, of `y` with `auto y = x;` or `y = x.contiguous();`."""
    name = owner_of(argument)
    values = body.scope.values.get(name, [])
    if name in body.scope.parameters:
        return "" if values else name
    found = re.fullmatch(r"(\w+)(?:(?:\.|->)contiguous\(\))?", values[0].bare) if len(values) == 1 else None
    source = "" if found is None else found[1]
    return source if source in body.scope.parameters and not body.scope.values.get(source) else ""


def aliases_of(name: str, body: Body) -> set[str]:
    made = (name, f"{name}.contiguous()", f"{name}->contiguous()")
    return {name} | {other for other, values in body.scope.values.items() if any(v.bare in made for v in values)}


def _is_asked(name: str, body: Body) -> bool:
    text = body.function.body.bare
    return any(
        re.search(rf"\b{other}(?:\.|->)(?:is_)?contiguous\(", text) is not None for other in aliases_of(name, body)
    )


def _is_matrix(name: str, body: Body) -> bool:
    """Two dimensions at least, as the function says of it, or of what has the same sizes."""
    text = body.function.body.bare
    alike = re.findall(rf"\b{name}(?:\.|->)sizes\(\)==(\w+)(?:\.|->)sizes\(\)", text)
    alike += re.findall(rf"\b(\w+)(?:\.|->)sizes\(\)=={name}(?:\.|->)sizes\(\)", text)
    names = {name}.union(*(aliases_of(other, body) for other in alike))
    return any(re.search(rf"\b{each}(?:\.|->)(?:dim\(\)==[2-9]|size\([1-9]\))", text) is not None for each in names)


def _is_unasked(names: set[str], body: Body) -> bool:
    """No member, function or macro that may ask for the order of the elements gets to see it."""
    text = body.function.body.bare
    for name in names:
        members = re.findall(rf"\b{name}(?:\.|->)(\w+\()", text)
        takers = set(re.findall(rf"\b(\w+)\((?:[^()]*,)?{name}[,)]", text))
        others = {taker for taker in takers - ASKS_NOTHING if not _asks_elsewhere(taker, body.scope.outline)}
        listed = re.search(rf"\{{(?:[^{{}}();]*,)?{name}(?:,[^{{}}();]*)?\}}|\{{{name},", text) is not None
        asked = re.search(rf"\b{name}(?:\.|->)[\w().>-]*?(?:contiguous|stride|dense|layout)", text) is not None
        if any(ASKS_WHOLE.match(member) or "stride" in member for member in members) or others or listed or asked:
            return False
    return True


def _asks_elsewhere(macro: str, outline: Outline) -> bool:
    """`#define CHECK_CUDA(x) TORCH_CHECK((x).is_cuda(), ...)`: a macro of the file that asks for something else."""
    found = re.search(rf"#\s*define\s+{macro}\([^)]*\)((?:[^\n]*\\\n)*[^\n]*)", outline.root.text)
    return found is not None and _OF_ORDER.search(found[1]) is None


def untyped_tensors(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each parameter whose elements are taken for one type, in a function that checks all but types."""
    if "data_ptr()" not in outline.root.bare:
        return
    kernels = kernels_by_name(outline)
    seen: set[tuple[int, str]] = set()
    for body, launch in launching(outline):
        if launch.kernel not in kernels or not is_called_by_python(body.function, outline):
            continue
        if _TYPED.search(_WITHOUT_MADE.sub("", body.function.body.bare)) is not None:
            continue
        for argument in launch.arguments:
            written = cast_data(argument)[1]
            name = given_as(argument, body) if written in CAST_TYPES else ""
            key = id(body.function), name
            if not name or key in seen or not _is_checked(name, body):
                continue
            if _is_taken_by_none(aliases_of(name, body), body):
                seen.add(key)
                text = f"the elements of `{name}` are taken for {written}, and nothing asks for their type"
                yield GuardIssue(body.function, argument, text)


_TYPED = re.compile(
    r"dtype|scalar_?type|ScalarType|DISPATCH|(?:\.|->)(?:to|type|options|itemsize|element_size|is_\w+_point)\(|\bk[A-Z]\w*\d"
)
_WITHOUT_MADE = re.compile(
    r"\w+(?:\.|->)options\(\)(?:\.\w+\([\w:]*\))*|(?:torch|at)::(?:empty|zeros|ones|full)\([^;]*;"
)


def _is_checked(name: str, body: Body) -> bool:
    """The function does not trust its caller: it checks the device or the sides of the tensor."""
    text = body.function.body.bare
    return re.search(rf"(?:CHECK|ASSERT|ENFORCE)\w*\([^;]*\b{name}(?:\.|->)", text) is not None


def _is_taken_by_none(names: set[str], body: Body) -> bool:
    """No function or macro gets the tensor, which may ask for its type."""
    text = body.function.body.bare
    return all(set(re.findall(rf"\b(\w+)\((?:[^()]*,)?{name}[,)]", text)) <= ASKS_NOTHING for name in names)
