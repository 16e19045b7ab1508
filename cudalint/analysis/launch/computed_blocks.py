"""Blocks of as many threads as a size rounded up to whole warps, or as a small part of it, that nothing caps.

int threads = (n + 31) / 32 * 32;      k<<<rows, threads>>>(x, n);       // for (int i = threadIdx.x; i < n; i += blockDim.x)
int threads = hidden / vec_size;       k<<<rows, threads>>>(x, hidden);  // with steps of the block, too

The kernel goes on with steps of the block up to the size: it is written for more elements than a block has threads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.launch.floored_grids import bare
from cudalint.analysis.launch.launch_patterns import BLOCK, BLOCK_GUARD, WrongLaunch
from cudalint.analysis.text.guard_patterns import bodies
from cudalint.analysis.text.launched_kernels import launched_kernels
from cudalint.analysis.text.scopes import INT, UNSIGNED, WIDE, Scope, kind_of
from cudalint.analysis.text.sizes import Sizes
from cudalint.analysis.text.text_program import Body, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_VECTOR = re.compile(r"vec|VEC|pack|PACK|elems?_per_|ELEMS?_PER_")
SMALL_PART = 8


def computed_blocks(outline: Outline) -> Iterator[WrongLaunch]:
    """Each expression once."""
    program = program_of(outline)
    hosts = {id(body.function): body for body in bodies(program, ("host",))}
    told: set[int] = set()
    for launch, kernel in launched_kernels(program, outline):
        text = _COMMENTS.sub("", launch.function.body.text)
        side, scope = launch.block[0], program.scope(launch.function)
        if side is None or id(launch.function) not in hosts or BLOCK_GUARD.search(text):
            continue
        value = _written(side, scope)
        size = _size(value)
        if size is None or id(value) in told or kind_of(size, scope) not in (INT, UNSIGNED, WIDE):
            continue
        cap = Sizes(program, launch.function, launch.node.start).caps.of(size)
        if (cap is None or cap > SMALL_PART * BLOCK) and _is_stepped_over(size, launch, kernel):
            told.add(id(value))
            yield WrongLaunch(launch, value, f"the block has {' '.join(value.text.split())[:60]} threads", True)


def _written(side: Syntax, scope: Scope) -> Syntax:
    """What the one value of a variable is, also through a second one."""
    for _ in range(2):
        side = bare(side)
        values = scope.values.get(side.text, []) if side.kind == "identifier" and side.text not in scope.grown else []
        if len(values) != 1 or side.text in scope.parameters:
            break
        side = values[0]
    return bare(side)


def _size(value: Syntax) -> Syntax | None:
    """`n` of `(n + 31) / 32 * 32`, and of `n / 4` or `n / vec_size`."""
    left, right = value.child("left"), value.child("right")
    if left is None or right is None:
        return None
    if value.op == "*":
        rounded, whole = bare(left), bare(right)
        above, below = rounded.child("left"), rounded.child("right")
        if rounded.op != "/" or above is None or below is None or bare(below).bare != whole.bare:
            return None
        added = bare(above)
        size = added.child("left") if added.op == "+" else added
    elif value.op == "/":
        part = bare(right)
        few = part.text.isdigit() and 1 < int(part.text) <= SMALL_PART
        size = left if few or _VECTOR.search(part.text) else None
    else:
        return None
    size = None if size is None else bare(size)
    return size if size is not None and size.kind in ("identifier", "field_expression") else None


def _is_stepped_over(size: Syntax, launch: TextLaunch, kernel: Body) -> bool:
    """A loop of the kernel goes up to the size by steps of the block's threads."""
    given = {
        name for name, each in zip(kernel.scope.parameters, launch.arguments) if name and bare(each).bare == size.bare
    }
    threads = {"blockDim"} | {name for name, values in kernel.scope.values.items() if _is_of_block(values)}
    for node in kernel.nodes:
        condition = node.child("condition")
        if node.kind not in ("for_statement", "while_statement") or condition is None:
            continue
        below = [part for part in condition.walk() if part.op == "<" and part.children[-1].bare in given]
        steps = [part for part in node.walk() if part.op == "+=" and part.kind == "assignment_expression"]
        if below and any(
            _reads(step.children[-1], threads) and step.children[0].text in below[0].text for step in steps
        ):
            return True
    return False


def _is_of_block(values: list[Syntax]) -> bool:
    return len(values) == 1 and re.fullmatch(r"blockDim\s*\.\s*x", values[0].text) is not None


def _reads(value: Syntax, names: set[str]) -> bool:
    return any(part.kind == "identifier" and part.text in names for part in value.walk())
