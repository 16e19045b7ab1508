"""Grids of as many blocks as fill a size, rounded down and kept below a limit: a size of less than a block launches nothing.

int blocks = n / threads;                          // 0 blocks, an invalid launch, where n is less
blocks = blocks > 65535 ? 65535 : blocks;          // who caps a grid has a kernel that goes on with steps of the grid

Without a limit it is the kernel that has to go on by the grid, up to the same size; a macro says so by its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from cudalint.analysis.launch.floored_grids import bare, bounds_of, declared_value, is_compared, quotient_of_size
from cudalint.analysis.launch.launch_patterns import WrongLaunch
from cudalint.analysis.overflow.macro_counters import LOOP_MACRO, macro_call
from cudalint.analysis.text.guard_patterns import bodies, names_in
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches, wrapped_launches
from cudalint.analysis.text.scopes import Scope
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_ASKS = re.compile(r"%|remainder|aligned|multiples?[_ ]?of|divisib", re.IGNORECASE)
_FROM_BELOW = re.compile(r"\bmax\b|\+\s*1\b|(<|<=|==|>|>=)\s*[01]\b")
_MIN = re.compile(r"(::|std::)?min(<[\w ]+>)?$")
_STEPS = re.compile(r"\bgridDim\b")
_BLOCK = re.compile(r"thread|block|tpb|wg_?size", re.IGNORECASE)


def empty_grids(outline: Outline) -> Iterator[WrongLaunch]:
    """Each quotient once."""
    program = program_of(outline)
    kernels = kernels_by_name(outline)
    by_function = {id(body.function): body for body in bodies(program, ("kernel",))}
    told: set[int] = set()
    for launch in chain(text_launches(program), wrapped_launches(program)):
        scope = program.scope(launch.function)
        if _ASKS.search(launch.function.body.text):
            continue
        for axis, side in zip("xyz", launch.grid):
            value = None if side is None else _capped_quotient(bare(side), launch, scope)
            candidates = kernels.get(launch.kernel, [])
            if value is None and side is not None and len(candidates) == 1:
                value = _quotient_of_steps(axis, side, launch, program, by_function[id(candidates[0])])
            if value is not None and id(value) not in told:
                told.add(id(value))
                yield WrongLaunch(launch, value, f"grid.{axis} = {' '.join(value.text.split())[:60]}", True)


def _capped_quotient(side: Syntax, launch: TextLaunch, scope: Scope) -> Syntax | None:
    """`n / threads`, to which a name is set that is only ever made smaller, or `min(n / threads, 65535)`."""
    inner = _limited(side, scope)
    if inner is not None:
        return inner if _is_quotient_of_size(inner, side.text, launch, scope) else None
    values = [value for value in scope.values.get(side.text, []) if value.start < launch.node.start]
    if side.kind != "identifier" or len(values) < 2 or side.text in scope.parameters:
        return None
    first, *others = values
    if not all(_is_cap(each, side.text) for each in others):
        return None
    return first if _is_quotient_of_size(first, side.text, launch, scope) else None


def _quotient_of_steps(axis: str, side: Syntax, launch: TextLaunch, program: Program, body: Body) -> Syntax | None:
    """`n / threads` for a kernel that goes on by the grid as far as `n`."""
    scope = program.scope(launch.function)
    value = declared_value(side, scope)
    size = None if value is None else quotient_of_size(value, launch, program, only_numbers=False)
    if value is None or size is None or _is_seen_to({side.text, size.text}, launch):
        return None
    if axis == "x" and _is_macro_loop_to(bounds_of(size, launch, scope, body), body):
        return value
    goes_on = _STEPS.search(body.function.body.text) is not None and is_compared(axis, size, launch, scope, body)
    return value if goes_on else None


def _is_macro_loop_to(bounds: set[str], body: Body) -> bool:
    """`KERNEL_LOOP(i, n)`, by the name that such macros have."""
    used = map(macro_call, body.nodes)
    return any(
        LOOP_MACRO.fullmatch(name) and len(given) > 1 and given[1].text in bounds for name, given in used if name
    )


def _limited(side: Syntax, scope: Scope) -> Syntax | None:
    """The quotient of `min(n / threads, 65535)`, also through the one value of a name."""
    values = scope.values.get(side.text, []) if side.kind == "identifier" and side.text not in scope.grown else []
    value = bare(values[0]) if len(values) == 1 else side
    callee, arguments = value.child("function"), value.child("arguments")
    if callee is None or arguments is None or not _MIN.match(callee.text) or len(arguments.children) != 2:
        return None
    parts = [bare(part) for part in arguments.children]
    limits = [part for part in parts if part.kind == "number_literal" or part.text.isupper()]
    quotients = [part for part in parts if part.op == "/"]
    return quotients[0] if len(limits) == len(quotients) == 1 else None


def _is_quotient_of_size(value: Syntax, name: str, launch: TextLaunch, scope: Scope) -> bool:
    """`n / threads` of a size that the function is given, where nothing sees to one block at least."""
    node = bare(value)
    size, divisor = node.child("left"), node.child("right")
    if node.op != "/" or size is None or divisor is None:
        return False
    size = bare(size)
    given = size.kind == "identifier" and (size.text in scope.parameters or _is_told(size, scope))
    if not given or not any(_BLOCK.search(name) for name in (divisor.text, *_copies(divisor, scope))):
        return False
    return not _is_seen_to({name, size.text}, launch)


def _is_seen_to(names: set[str], launch: TextLaunch) -> bool:
    """Something is done about small values of one of them: `max(n, 1)`, `blocks + 1`, `n == 0`."""
    about = (n for n in launch.function.body.walk() if n.kind in ("binary_expression", "call_expression"))
    return any(_FROM_BELOW.search(n.text[:80]) and names & names_in(n) for n in about)


def _is_told(size: Syntax, scope: Scope) -> bool:
    """`n = x.numel()`"""
    values = scope.values.get(size.text, [])
    return len(values) == 1 and bare(values[0]).kind in ("call_expression", "field_expression")


def _copies(divisor: Syntax, scope: Scope) -> list[str]:
    return [value.text for value in scope.values.get(divisor.text, [])]


def _is_cap(value: Syntax, name: str) -> bool:
    """`b > 65535 ? 65535 : b`, `min(b, 65535)`, or the limit alone."""
    others = {other for other in names_in(value) - {name} if not other.isupper()}
    is_choice = value.kind == "conditional_expression" or re.match(r"(std::)?min\b", value.text) is not None
    return value.kind == "number_literal" or (is_choice and others <= {"min", "std"} and name in names_in(value))
