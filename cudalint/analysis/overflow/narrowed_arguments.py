"""Sizes that a launch cuts to 32 bits on the way to a kernel that would take 64.

template <typename K, typename T>
void linear(K kernel, T n) { kernel<<<blocks(n), 128>>>((uint32_t)n); }     // a size_t n loses its upper half
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.overflow.narrow_products import LIMITS
from cudalint.analysis.text.caps import Caps
from cudalint.analysis.text.guard_patterns import GuardIssue, short
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches
from cudalint.analysis.text.scopes import WIDE, kind_of, uncast
from cudalint.analysis.text.text_program import Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax


def narrowed_arguments(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each argument."""
    program = program_of(outline)
    kernels = kernels_by_name(outline)
    for launch in text_launches(program):
        scope = program.scope(launch.function)
        generic = launch.kernel in scope.parameters
        candidates = kernels.get(launch.kernel, [])
        for position, argument in enumerate(launch.arguments):
            kind, size = kind_of(argument, scope), uncast(argument)
            if size is argument or kind not in LIMITS or not _is_wide(size, launch, program):
                continue
            if not generic and not any(
                _takes_wide(position, program.scope(k).types, program.scope(k).parameters) for k in candidates
            ):
                continue
            cap = Caps(program, launch.function, launch.node.start).of(size)
            if cap is None or cap > LIMITS[kind]:
                taken = "whatever it takes" if generic else "which takes 64"
                text = f"`{short(argument)}` cuts the size to 32 bits before the kernel, {taken}"
                yield GuardIssue(launch.function, argument, text)


def _is_wide(size: Syntax, launch: TextLaunch, program: Program) -> bool:
    """A size of 64 bits, or of whatever type the caller gives."""
    scope = program.scope(launch.function)
    if kind_of(size, scope) == WIDE:
        return True
    if size.text not in scope.parameters:
        return False
    written = launch.function.parameters[scope.parameters.index(size.text)].child("type")
    return written is not None and written.text in launch.function.template


def _takes_wide(position: int, types: dict[str, str], parameters: tuple[str, ...]) -> bool:
    return position < len(parameters) and types.get(parameters[position]) == WIDE
