"""Tensors of which a function checks the inner strides, and neither checks nor passes an outer one.

TORCH_CHECK(q.dim() == 3 && q.stride(2) == 1 && q.stride(1) == q.size(2));      q may be a part of a wider tensor
rotate<<<tokens, 256>>>(q.data_ptr<float>(), heads, dim);                       and q.stride(0) is taken for heads * dim
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.memory.reinterpreted_tensors import launching, owner_of
from cudalint.analysis.text.guard_patterns import GuardIssue
from cudalint.analysis.text.text_program import Body
from cudalint.ir.syntax import Outline, Syntax

ASKS_WHOLE = re.compile(
    r"strides\(|is_contiguous|contiguous\(|view\(|reshape\(|flatten\(|accessor|is_non_overlapping|to\(|clone\("
)
ASKS_NOTHING = {
    "empty_like",
    "zeros_like",
    "ones_like",
    "full_like",
    "device_of",
    "get_device",
    "getCurrentCUDAStream",
}
_OF_DIMENSION = re.compile(r"stride\((-?\d)\)")


def half_checked_strides(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each tensor parameter of a host function that a launch passes."""
    seen: set[tuple[int, str]] = set()
    for body, launch in launching(outline):
        for argument in launch.arguments:
            name = owner_of(argument)
            key = id(body.function), name
            if not name or key in seen or name not in body.scope.parameters or body.scope.values.get(name):
                continue
            seen.add(key)
            checked = _checked(name, body)
            open_ = _open_dimension(name, body, set(checked))
            if open_ is not None:
                text = f"of `{name}` inner strides are checked, and stride({open_}) is neither checked nor passed"
                yield GuardIssue(body.function, argument, text, next(iter(checked.values())))


def _checked(name: str, body: Body) -> dict[int, Syntax]:
    """The dimensions whose strides are compared with what they must be; none where they go anywhere else, too."""
    found: dict[int, Syntax] = {}
    for node in body.nodes:
        dimension = _dimension(node, name)
        if dimension is None:
            continue
        around = body.parents.get(id(node))
        if around is None or around.kind != "binary_expression" or around.op not in ("==", "!="):
            return {}
        others = [side for side in around.children if side is not node]
        if any("stride" in side.text for side in others):
            return {}  # two tensors are alike, whatever they are
        found.setdefault(dimension, node)
    return found


def _dimension(node: Syntax, name: str) -> int | None:
    asked = _member(node, name) if node.kind == "call_expression" else ""
    found = _OF_DIMENSION.fullmatch(asked)
    return None if found is None else int(found[1])


def _member(node: Syntax, name: str) -> str:
    """`stride(0)` of `x.stride(0)`."""
    found = re.match(rf"{re.escape(name)}(?:\.|->)", node.bare)
    return "" if found is None else node.bare[found.end() :]


def _open_dimension(name: str, body: Body, checked: set[int]) -> int | None:
    """An outer dimension of a tensor that the function knows to have it."""
    if not checked:
        return None
    text = re.sub(r"\s+", "", body.function.body.text)
    members = set(re.findall(rf"\b{re.escape(name)}(?:\.|->)(\w+\([^()]*\))", text))
    if any(ASKS_WHOLE.match(member) for member in members):
        return None
    takers = set(re.findall(rf"\b(\w+)\((?:[^()]*,)?{re.escape(name)}[,)]", text))
    if takers - ASKS_NOTHING:
        return None  # a function or a macro that may ask for the rest
    rank = _rank(name, text, members)
    if rank is None:
        inner = checked <= {-1} and ("size(-2)" in members or {"size(0)", "size(-1)"} <= members)
        return -2 if inner else None
    known = {dimension % rank for dimension in checked if -rank <= dimension < rank}
    missing = [dimension for dimension in range(rank - 1) if dimension not in known]
    return missing[-1] if missing and rank - 1 in known else None


def _rank(name: str, text: str, members: set[str]) -> int | None:
    """As `x.dim() == 3` has it, or the last `x.size(2)`."""
    stated = re.search(rf"\b{re.escape(name)}(?:\.|->)dim\(\)==(\d)", text)
    if stated is not None:
        return int(stated[1])
    sizes = [int(member[5:-1]) for member in members if re.fullmatch(r"size\(\d\)", member)]
    return max(sizes) + 1 if sizes and max(sizes) > 0 else None
