"""Grids of as many blocks as a size fills, where the function turns negative sizes away and lets zero through: no block at all.

if (n < 0 || n > capacity) return cudaErrorInvalidValue;
k<<<(n + 255) / 256, 256>>>(x, n);                          a launch of no blocks fails, and so does the call with nothing to do
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from cudalint.analysis.launch.floored_grids import bare, declared_value
from cudalint.analysis.launch.launch_patterns import WrongLaunch
from cudalint.analysis.text.guard_conditions import parts_of
from cudalint.analysis.text.guard_patterns import names_in
from cudalint.analysis.text.launch_text import text_launches, wrapped_launches
from cudalint.analysis.text.scopes import LEAVING, Scope, leaves
from cudalint.analysis.text.sizes import Sizes
from cudalint.analysis.text.text_program import CEIL, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_CHECKS = re.compile(r"assert\w*$|(^|_)D?CHECK$|_ASSERT$|_ENFORCE$", re.IGNORECASE)
_CONDITIONED = ("if_statement", "while_statement", "for_statement", "do_statement", "conditional_expression")
_GIVEN = ("subscript_expression", "field_expression")


def zero_sizes(outline: Outline) -> Iterator[WrongLaunch]:
    """Each size once."""
    program = program_of(outline)
    told: set[tuple[int, str]] = set()
    for launch in chain(text_launches(program), wrapped_launches(program)):
        scope = program.scope(launch.function)
        for axis, side in zip("xyz", launch.grid):
            value = None if side is None else declared_value(side, scope)
            size = None if value is None else _filled_by(bare(value), Sizes(program, launch.function))
            key = id(launch.function), "" if size is None else size.text
            if side is None or value is None or size is None or key in told:
                continue
            if (
                _is_given(size, scope)
                and _lets_zero_pass(size, side, launch, scope)
                and _is_called_so(size, launch, program)
            ):
                told.add(key)
                yield WrongLaunch(launch, value, f"grid.{axis} = {' '.join(value.text.split())[:60]}", True)


def _filled_by(value: Syntax, sizes: Sizes) -> Syntax | None:
    """`n` of `(n + 255) / 256` and `ceil_div(n, 256)`."""
    arguments, callee = value.child("arguments"), value.child("function")
    if arguments is not None and callee is not None and len(arguments.children) == 2 and CEIL.search(callee.text):
        size, divisor = (bare(each) for each in arguments.children)
    elif value.op == "/" and len(value.children) == 2:
        sum_, divisor = (bare(each) for each in value.children)
        added = re.fullmatch(r"\(*(\w+)\+\(?(\w+)\)?(?:-1)?\)*", sum_.bare)
        named = [n for n in sum_.walk() if added is not None and n.kind == "identifier" and n.text == added[1]]
        if not named or sum_.op not in ("+", "-"):
            return None
        size = named[0]
    else:
        return None
    fixed = sizes.fixed_value(divisor)
    return size if size.kind == "identifier" and fixed is not None and fixed > 1 else None


def _is_given(size: Syntax, scope: Scope) -> bool:
    """A parameter as it comes, or what is read from an array or a structure."""
    values = scope.values.get(size.text, [])
    if size.text in scope.grown or size.text in scope.outline.constants:
        return False
    if size.text in scope.parameters:
        return not values
    return len(values) == 1 and bare(values[0]).kind in _GIVEN


def _lets_zero_pass(size: Syntax, side: Syntax, launch: TextLaunch, scope: Scope) -> bool:
    """It is asked whether the size is negative, and nothing is asked of it or of what is made of it that tells zero apart."""
    made = {size.text, side.text} | {
        n for n, values in scope.values.items() if any(size.text in names_in(v) for v in values)
    }
    sources = {bare(value).bare for value in scope.values.get(size.text, [])}
    turned_away = False
    for node in launch.function.body.walk():
        condition = _condition(node)
        if condition is None:
            continue
        around = node.start <= launch.node.start < node.end
        for joined in parts_of(condition, "||"):
            for part in parts_of(joined, "&&"):
                if made.isdisjoint(names_in(part)) and not any(source in part.bare for source in sources):
                    continue
                if _is_negative(part, size, node):
                    turned_away = turned_away or node.start < launch.node.start
                elif around or _tells_zero(part):
                    return False
    return turned_away


def _condition(node: Syntax) -> Syntax | None:
    if node.kind in _CONDITIONED:
        return node.child("condition")
    callee, arguments = node.child("function"), node.child("arguments")
    is_check = node.kind == "call_expression" and callee is not None and _CHECKS.search(callee.text) is not None
    return arguments.children[0] if is_check and arguments is not None and arguments.children else None


def _is_negative(part: Syntax, size: Syntax, node: Syntax) -> bool:
    """`if (n < 0) return`, `assert(n >= 0)`."""
    if node.kind == "if_statement":
        consequence = node.child("consequence")
        ends = consequence is not None and (leaves(consequence) or any(n.kind in LEAVING for n in consequence.walk()))
        return ends and part.bare in (f"{size.text}<0", f"0>{size.text}", f"{size.text}<=-1")
    return node.kind == "call_expression" and part.bare in (f"{size.text}>=0", f"0<={size.text}")


def _tells_zero(part: Syntax) -> bool:
    """Anything but a comparison with a bound from above."""
    left, right = part.child("left"), part.child("right")
    if part.kind != "binary_expression" or left is None or right is None or part.op not in ("<", ">", "<=", ">="):
        return True
    return any(re.fullmatch(r"[01]\w*", bare(each).bare) for each in (left, right))


def _is_called_so(size: Syntax, launch: TextLaunch, program: Program) -> bool:
    """No caller in the file asks about the size, or has a number for it."""
    parameters = program.scope(launch.function).parameters
    if size.text not in parameters:
        return True
    place = parameters.index(size.text)
    for call in program.callers(launch.function.name):
        given = call.arguments[place] if place < len(call.arguments) else None
        named = set() if given is None else names_in(given)
        conditions = [c for node in call.function.body.walk() if (c := _condition(node)) is not None]
        if not named or any(not named.isdisjoint(names_in(condition)) for condition in conditions):
            return False
    return True
