"""Grids that count larger parts than a block of the kernel takes.

dim3 block(32, 8);  grid.x = div_up(points, block.x);            parts of 32
int point = blockIdx.x * blockDim.y + threadIdx.y;               8 of them for each block
if (point < points) ...                                          three of four points have no thread
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.launch.floored_grids import bare, declared_value
from cudalint.analysis.launch.launch_patterns import WrongLaunch
from cudalint.analysis.text.launched_kernels import launched_kernels
from cudalint.analysis.text.sizes import Sizes
from cudalint.analysis.text.text_program import CEIL, Body, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_PART = r"blockIdx\.{0}\*blockDim\.([xyz])|blockDim\.([xyz])\*blockIdx\.{0}"
_MEMBER = re.compile(r"(\w+)\s*\.\s*([xyz])")


def mismatched_parts(outline: Outline) -> Iterator[WrongLaunch]:
    """One for each side of a launch that counts parts larger than what the kernel's blocks take along it."""
    program = program_of(outline)
    told: set[int] = set()
    for launch, body in launched_kernels(program, outline):
        if "gridDim" in body.function.body.text or launch.node.start in told:
            continue
        sizes = Sizes(program, launch.function, launch.node.start)
        for axis, side in zip("xyz", launch.grid):
            taken = _taken(axis, body)
            divisor = None if side is None or taken is None else _divisor(side, sizes)
            if side is None or taken is None or divisor is None:
                continue
            counted, threads = _value(divisor, launch, sizes), _side(taken, launch, sizes)
            if counted is not None and threads is not None and counted > threads:
                told.add(launch.node.start)
                text = f"grid.{axis} counts parts of {counted}, a block takes blockDim.{taken} = {threads}"
                yield WrongLaunch(launch, declared_value(side, sizes.scope) or side, text, True)
                break


def _taken(axis: str, body: Body) -> str | None:
    """The side of the block whose threads share a block's part along an axis: the only use of that number of the block."""
    places = [
        (values[0].bare, name)
        for name, values in body.scope.values.items()
        if len(values) == 1 and name in body.scope.limits and name not in body.scope.grown
    ]
    part = re.compile(_PART.format(axis))
    found = [(m[1] or m[2], text) for text, _ in places if (m := part.search(text)) is not None]
    uses = len(re.findall(rf"blockIdx\s*\.\s*{axis}", body.function.body.text))
    if len(found) != 1 or uses != 1:
        return None
    side, text = found[0]
    if any(_is_quotient(body, limit) for limit in _limits(body, text)):
        return None  # a thread takes several of what the launch counts
    plain = re.fullmatch(rf"(?:{part.pattern})\+threadIdx\.{side}|threadIdx\.{side}\+(?:{part.pattern})", text)
    return side if plain is not None else None


def _limits(body: Body, text: str) -> Iterator[Syntax]:
    """What the variable with this value is compared with."""
    names = {n for n, values in body.scope.values.items() if len(values) == 1 and values[0].bare == text}
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind == "binary_expression" and node.op in _COMPARED and left is not None and right is not None:
            if left.text in names:
                yield right
            elif right.text in names:
                yield left


def _is_quotient(body: Body, limit: Syntax) -> bool:
    """`n / 4`, also through a variable, and `n` where the kernel has `n /= 4`."""
    values = [limit, *body.scope.values.get(limit.text, [])]
    if any(node.op in ("/", ">>") for value in values for node in value.walk()):
        return True
    changed = (node.child("left") for node in body.nodes if node.op in ("/=", ">>="))
    return any(left is not None and left.text == limit.text for left in changed)


_COMPARED = ("<", "<=", ">", ">=")


def _divisor(side: Syntax, sizes: Sizes) -> Syntax | None:
    """What a size is divided by and rounded up."""
    value = declared_value(side, sizes.scope)
    node = None if value is None else bare(value)
    if node is None:
        return None
    callee, arguments = node.child("function"), node.child("arguments")
    if callee is not None and arguments is not None and CEIL.search(callee.text) and len(arguments.children) == 2:
        return arguments.children[1]
    left, right = node.child("left"), node.child("right")
    if node.op != "/" or left is None or right is None:
        return None
    rounded = left.bare.strip("()")
    name = right.bare
    return right if f"+{name}-1" in rounded or f"+({name}-1" in rounded or f"{name}-1+" in rounded else None


def _value(divisor: Syntax, launch: TextLaunch, sizes: Sizes) -> int | None:
    member = _MEMBER.fullmatch(divisor.text)
    if member is not None and member[1] == launch.written[1].text:
        return _side(member[2], launch, sizes)
    return sizes.fixed_value(divisor)


def _side(axis: str, launch: TextLaunch, sizes: Sizes) -> int | None:
    """The threads of a block along an axis; 1 where a block of other sides does not name it."""
    side = launch.block["xyz".index(axis)]
    if side is None:
        first = launch.block[0]
        return 1 if first is not None and sizes.fixed_value(first) is not None else None
    return sizes.fixed_value(side)
