"""Grids that are rounded down although the kernel, or the other side of the same grid, knows of a last part.

grid(n / BLOCK)                       with if (i < n) in the kernel: the last n % BLOCK elements are never reached
grid(ceil_div(w, 16), h / 16)         the last rows are lost, the last columns are not
grid(h / 64, w / 64)                  the same where a check holds h to be a multiple of 64, and none holds w
parts = ceil_div(n, 64);  grid(n / 64)    the function itself has one part more
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import chain

from cudalint.analysis.launch.launch_patterns import WrongLaunch
from cudalint.analysis.launch.member_values import Source, values_of_member
from cudalint.analysis.text.guard_patterns import bodies, closure_of, names_in
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches, wrapped_launches
from cudalint.analysis.text.launch_text import sides as made_of
from cudalint.analysis.text.scopes import Scope, uncast
from cudalint.analysis.text.sizes import Sizes
from cudalint.analysis.text.text_program import CEIL, Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_LOOKS_AT_REST = re.compile(r"%|&\s*\(|remainder|aligned|multiple|divisib|pow(er)?_?2|fmod", re.IGNORECASE)
_ROUNDED_UP = re.compile(r"\+[^/]*-\s*1\s*\)*\s*/|\+\s*\d+\s*\)+\s*/|ceil|cdiv|div_?up|RndUp|round_?up", re.IGNORECASE)
_MIN = re.compile(r"(::|std::)?f?min$")
_SCALES = re.compile(r"\*|\b\w*mul\w*\s*\(", re.IGNORECASE)
_MOST_PARTS = 4  # of an element: coordinates, channels
_PADDED = re.compile(r"pad|align|round|max_|worst", re.IGNORECASE)


def floored_grids(outline: Outline) -> Iterator[WrongLaunch]:
    """Each side once."""
    program = program_of(outline)
    kernels = kernels_by_name(outline)
    by_function = {id(body.function): body for body in bodies(program, ("kernel",))}
    reported: set[int] = set()
    for launch in chain(text_launches(program), wrapped_launches(program)):
        scope, candidates = program.scope(launch.function), kernels.get(launch.kernel, [])
        if len(candidates) != 1:
            continue
        body = by_function[id(candidates[0])]
        open_to_rest = _LOOKS_AT_REST.search(launch.function.body.text) is not None
        if open_to_rest:
            side = _forgotten_side(launch, scope)
            if side is not None and id(side) not in reported and "gridDim" not in body.function.body.text:
                reported.add(id(side))
                yield WrongLaunch(launch, side, f"{' '.join(side.text.split())[:60]} is not held to be whole", True)
        for axis, side in zip("xyz", launch.grid):
            value = None if side is None else declared_value(side, scope)
            if value is not None and id(value) not in reported and _is_rounded_beside(value, launch):
                reported.add(id(value))
                text = " ".join(value.text.split())[:60]
                yield WrongLaunch(launch, value, f"grid.{axis} = {text}, which is rounded up elsewhere here", True)
                continue
            whole = open_to_rest and value is not None and _looks_at_rest_of(value, launch, scope)
            quotient = None if value is None else quotient_of_size(value, launch, program, whole)
            if value is None or quotient is None or id(value) in reported or "gridDim" in body.function.body.text:
                continue
            if value.bare in {each.bare for each in launch.arguments}:
                continue  # the kernel is told of as many rows: what the data holds of them is such a quotient
            if is_compared(axis, quotient, launch, scope, body) or _is_cut_alone(value, launch, scope):
                reported.add(id(value))
                text = " ".join(value.text.split())[:60]
                yield WrongLaunch(launch, value, f"grid.{axis} = {text}", True)


def _is_rounded_beside(value: Syntax, launch: TextLaunch) -> bool:
    """The function rounds the same quotient up somewhere: `ceil_div(n, 64)`, `(n + 64 - 1) / 64`."""
    node = bare(value)
    left, right = node.child("left"), node.child("right")
    if node.kind != "binary_expression" or node.op != "/" or left is None or right is None:
        return False
    size, divisor = re.escape(bare(left).bare), re.escape(bare(right).bare)
    if bare(left).kind not in ("identifier", "field_expression", "call_expression"):
        return False
    added = rf"\(?{size}\+\(?{divisor}-1\)*/\(?{divisor}\b|\({size}-1\)/{divisor}\+1"
    called = rf"\w*(ceil|div_?up|cdiv|round_?up|idivup)\w*(<\w+>)?\({size},{divisor}\)"
    if re.search(rf"{size}%=?\(?{divisor}", launch.function.body.bare):
        return False
    return re.search(rf"(?<![\w.]){added}|(?<!\w){called}", launch.function.body.bare, re.IGNORECASE) is not None


def _looks_at_rest_of(value: Syntax, launch: TextLaunch, scope: Scope) -> bool:
    """A remainder that has to do with the quotient, or a word that says so; `%` of other names is of other things."""
    if _LOOKS_AT_REST.search(launch.function.body.text.replace("%", " ")) is not None:
        return True
    named = names_in(value).union(*(_sources(name, scope) for name in names_in(value)))
    rests = [n for n in launch.function.body.walk() if n.kind in ("binary_expression", "assignment_expression")]
    rests = [n for n in rests if n.op in ("%", "%=") and n.children]
    return not rests or any(not named.isdisjoint(names_in(n.children[0])) for n in rests)


def _forgotten_side(launch: TextLaunch, scope: Scope) -> Syntax | None:
    """A size of the grid that is divided, where the function holds the other one, and no further, to be a multiple."""
    divided = [(value, left) for value, left in map(partial(_divided, scope=scope), launch.grid) if left is not None]
    asked: set[str] = set()
    for node in launch.function.body.walk():
        if node.kind == "binary_expression" and node.op == "%":
            asked |= {_written(each, scope) for each in node.children[:1]}
    rest = _LOOKS_AT_REST.sub(lambda m: "" if m[0] == "%" else m[0], launch.function.body.text)
    sizes = {_written(left, scope) for _, left in divided}
    if len(sizes) != 2 or len(asked) != 1 or not asked < sizes or _LOOKS_AT_REST.search(rest):
        return None
    return next(value for value, left in divided if _written(left, scope) not in asked)


def _divided(side: Syntax | None, scope: Scope) -> tuple[Syntax, Syntax | None]:
    """What a side was declared as, and the size in it that a constant divides without rounding up."""
    value = None if side is None else declared_value(side, scope)
    if side is None or value is None:
        return side or scope.function.body, None
    node = bare(value)
    left, right = node.child("left"), node.child("right")
    if node.op != "/" or left is None or right is None or right.kind != "number_literal":
        return value, None
    return value, left if left.kind in ("identifier", "field_expression", "call_expression") else None


def _written(size: Syntax, scope: Scope) -> str:
    """The size as it was first written: `input.size(1)` for `cols`."""
    values = scope.values.get(size.text, [])
    return (values[0] if len(values) == 1 else size).bare


def declared_value(side: Syntax, scope: Scope) -> Syntax | None:
    """What a variable was declared as, in the block that comes last before its use."""
    side = bare(side)
    if side.kind != "identifier":
        return side
    values = [value for value in scope.values.get(side.text, []) if value.start < side.start]
    changed = side.text in scope.grown or any(
        node.kind == "assignment_expression" and (left := node.child("left")) is not None and left.text == side.text
        for node in scope.function.body.walk()
    )
    return values[-1] if values and not changed else None


def bare(node: Syntax) -> Syntax:
    """Without casts and parentheses."""
    while True:
        inner = uncast(node)
        if inner.kind == "parenthesized_expression" and len(inner.children) == 1:
            inner = inner.children[0]
        if inner is node:
            return node
        node = inner


def quotient_of_size(value: Syntax, launch: TextLaunch, program: Program, only_numbers: bool) -> Syntax | None:
    """The size that is divided, where it is one of the data and the divisor a part of the launch; or two numbers with a rest."""
    node = bare(value)
    left, right = node.child("left"), node.child("right")
    if node.kind != "binary_expression" or node.op != "/" or left is None or right is None:
        return None
    sizes, scope = Sizes(program, launch.function), program.scope(launch.function)
    size = _counted(_divided_before(bare(left), launch, sizes))
    passed = size.op == "*" and size.bare in {each.bare for each in launch.arguments}
    alone = size.kind in ("identifier", "field_expression", "call_expression")
    if not (alone or passed) or _PADDED.search(size.text):
        return None
    if size.kind == bare(right).kind == "field_expression":
        return None  # whoever fills the structure divides it into whole parts
    fixed = sizes.fixed_value(size)
    if fixed is not None:
        divisor = _fixed_divisor(bare(right), sizes, scope)
        return size if divisor and fixed % divisor else None
    if only_numbers:
        return None
    if any(_ROUNDED_UP.search(v.text) or not _is_of_data(bare(v), launch, scope) for v in _made_of(size, scope)):
        return None
    if size.kind == "field_expression" and any(_is_whole(v) for v, _ in _of_member(size, launch, program)):
        return None
    named = size.text.isupper() and len(size.text) > 1
    parts = _is_part_of_launch(right, launch) or sizes.fixed_value(bare(right)) is not None
    return size if parts and not named else None


def _made_of(size: Syntax, scope: Scope) -> list[Syntax]:
    """The values of a variable, and of those that it is set to: `rows = pitch`."""
    found: list[Syntax] = []
    names = [size.text]
    for name in names:
        for value in scope.values.get(name, []):
            found.append(value)
            if bare(value).kind == "identifier" and bare(value).text not in names:
                names.append(bare(value).text)
    return found


def _of_member(size: Syntax, launch: TextLaunch, program: Program) -> list[Source]:
    field = size.child("field")
    return [] if field is None else values_of_member(field.text, launch.function, program)


def _is_whole(value: Syntax) -> bool:
    """Rounded up to whole parts: `(n + 31) & ~31`, `(n + 31) / 32 * 32`."""
    return _ROUNDED_UP.search(value.text) is not None or re.search(r"&\s*(~|-)", value.text) is not None


def _divided_before(node: Syntax, launch: TextLaunch, sizes: Sizes) -> Syntax:
    """`n` of `n / threads`, which the rounds of a thread divide further."""
    left, right = node.child("left"), node.child("right")
    while node.op == "/" and left is not None and right is not None:
        if not _is_part_of_launch(right, launch) and sizes.fixed_value(bare(right)) is None:
            break
        node = bare(left)
        left, right = node.child("left"), node.child("right")
    return node


def _counted(size: Syntax) -> Syntax:
    """`n` of `n * 16`: elements that have several threads each."""
    factors = [bare(child) for child in size.children] if size.kind == "binary_expression" and size.op == "*" else []
    names = [factor for factor in factors if factor.kind != "number_literal"]
    return names[0] if len(factors) == 2 and len(names) == 1 else size


def _is_of_data(made: Syntax, launch: TextLaunch, scope: Scope) -> bool:
    """A size that is no number and no result of arithmetic, or a product of such sizes: `batch * length`, not `blocks * 256`.

    A count of numbers by the few that an element has is one, too: `points.numel() / 3`.
    """
    if made.kind == "binary_expression" and made.op == "*":
        return all(_is_of_data(bare(factor), launch, scope) for factor in made.children)
    left, right = made.child("left"), made.child("right")
    if made.op == "/" and left is not None and right is not None and bare(left).kind == "call_expression":
        return re.fullmatch(rf"[2-{_MOST_PARTS}]", right.text) is not None and _is_of_data(bare(left), launch, scope)
    if made.kind in ("binary_expression", "number_literal"):
        return False
    given = made.text in scope.values or made.text in scope.parameters
    fixed = made.text in scope.outline.constants or (made.text.isupper() and len(made.text) > 1 and not given)
    return not fixed and not _is_part_of_launch(made, launch)


def _fixed_divisor(divisor: Syntax, sizes: Sizes, scope: Scope) -> int | None:
    """The number that it is, also of `block.x` with `dim3 block(256)`."""
    base, axis = divisor.child("argument"), divisor.child("field")
    if divisor.kind != "field_expression" or base is None or axis is None or axis.text not in ("x", "y", "z"):
        return sizes.fixed_value(divisor)
    side = made_of(base, scope)["xyz".index(axis.text)]
    return None if side is None or side is base else sizes.fixed_value(bare(side))


def _is_part_of_launch(divisor: Syntax, launch: TextLaunch) -> bool:
    """A constant, or made of the block."""
    block = names_in(launch.written[1]).union(*(names_in(side) for side in launch.block if side is not None))
    named = re.search(r"block|thread|tile|warp|win", divisor.text, re.IGNORECASE) is not None
    return divisor.kind == "number_literal" or named or not block.isdisjoint(names_in(divisor))


def is_compared(axis: str, size: Syntax, launch: TextLaunch, scope: Scope, body: Body) -> bool:
    """The kernel compares a place along the axis with what it is given for the size."""
    bounds = bounds_of(size, launch, scope, body)
    for node in body.nodes:
        if _is_cut_off(axis, node, bounds, body):
            return True
        condition = node.child("condition") if node.kind in ("if_statement", "for_statement") else None
        for part in [] if condition is None else condition.walk():
            left, right = part.child("left"), part.child("right")
            if part.kind != "binary_expression" or part.op not in ("<", ">=", ">", "<=") or not left or not right:
                continue
            for place, bound in ((left, right), (right, left)):
                if names_in(bound) & bounds and _is_along(axis, place, body):
                    return True
    return False


def bounds_of(size: Syntax, launch: TextLaunch, scope: Scope, body: Body) -> set[str]:
    """What the kernel calls the size: parameters that are given it, and constants of the file."""
    asked = names_in(size)
    made = scope.values.get(size.text, [])
    if len(made) == 1 and bare(made[0]).kind == "identifier":
        asked |= names_in(made[0])  # `long count = n;`
    given = {
        name
        for name, argument in zip(body.scope.parameters, launch.arguments)
        if not asked.isdisjoint(names_in(argument).union(*(_sources(n, scope) for n in names_in(argument))))
    }
    return given | {name for name in asked if name not in scope.values and name not in scope.parameters}


def _is_cut_off(axis: str, node: Syntax, bounds: set[str], body: Body) -> bool:
    """`min(n - block * 64, 64)`: the last block has less to do."""
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or arguments is None or not _MIN.match(callee.text):
        return False
    for argument in arguments.children:
        left, right = argument.child("left"), argument.child("right")
        if argument.op == "-" and left is not None and right is not None and right.op == "*":
            made = {name for part in names_in(right) for name in (part, *closure_of(part, body))}
            if names_in(left) & bounds and any(re.fullmatch(rf"blockIdx\s*\.\s*{axis}", name) for name in made):
                return True
    return False


def _sources(name: str, scope: Scope) -> set[str]:
    return set().union(*(names_in(value) for value in scope.values.get(name, [])))


def _is_along(axis: str, place: Syntax, body: Body) -> bool:
    """The number of the block along the axis, times its part of the work."""
    if place.kind != "identifier":
        return False
    made = closure_of(place.text, body)
    values = [v for name in (place.text, *sorted(made)) for v in body.scope.values.get(name, [])]
    along = any(re.fullmatch(rf"blockIdx\s*\.\s*{axis}", name) for name in made)
    return place.text in body.positions and along and any(_SCALES.search(value.text) for value in values)


def _is_cut_alone(value: Syntax, launch: TextLaunch, scope: Scope) -> bool:
    """Another side of the same grid is a quotient of a size that is rounded up."""
    others = [declared_value(side, scope) for side in launch.grid if side is not None]
    return any(other is not None and other is not value and _is_rounded_up(other) for other in others)


def _is_rounded_up(value: Syntax) -> bool:
    node = bare(value)
    callee = node.child("function") if node.kind == "call_expression" else None
    if callee is not None:
        return CEIL.search(callee.text) is not None or _ROUNDED_UP.search(callee.text) is not None
    return node.op == "/" and _ROUNDED_UP.search(node.text) is not None
