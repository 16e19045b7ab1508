"""Kernels that access memory at a place in the grid which the launch rounds up, and that nothing compares with a size."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, closure_of, is_product, names_in, short
from cudalint.analysis.text.launched_kernels import launched_kernels
from cudalint.analysis.text.marks import marks_of
from cudalint.analysis.text.scopes import POINTER, Scope, leaves, uncast
from cudalint.analysis.text.sizes import Sizes
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_CEIL = re.compile(
    r"-\s*1\s*\)+\s*/[^/]*\+\s*1\b|\+\s*\d+\s*\)+\s*/|\+[^/]*-\s*1\s*\)*\s*/|ceil|div_?(?:round_?)?up|cdiv|DIVUP|divide|\b\w*get_?(num_?)?blocks\w*\s*\(|n_blocks_\w+\s*\(",
    re.IGNORECASE,
)
_ONE_MORE = re.compile(
    r"%[^?]*\?\s*(?:0\s*:\s*1|1\s*:\s*0)\b|%[^?]*(?:!=|>)\s*0\b(?!\s*\?)"
)  # a block for the remainder
ROUNDS = 3
_CONVERSION = re.compile(r"cast\s*<[^<>]*>$")
_BLOCKS = re.compile(r"\.(num|n)_?blocks$")
_VECTOR = r"\s*(?:[248]|16)\s*(?:==|!=|\)|\|\||&&)"
_THREADS = re.compile(
    r"grid\w*(\.x|\[0\])?\s*\*\s*block|blocks\w*\s*\*\s*\w*threads|threads\w*\s*\*\s*\w*blocks", re.IGNORECASE
)
_CUT = re.compile(r"[-%&?\[]|\bmin\b|clamp", re.IGNORECASE)  # a number that may have been made to fit
_REDUCED = re.compile(r"[%&?]|\bmin\b|fast_?mod|clamp", re.IGNORECASE)
_SIDE_OF_OBJECT = re.compile(r"\w+\.(sizes?|strides?|shape|dims?|extents?)(\[\d+\]|\(\d+\))")  # which nobody loads


def unguarded_tails(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel."""
    program = program_of(outline)
    reported: set[int] = set()
    for launch, body in launched_kernels(program, outline):
        if id(body.function) in reported:
            continue
        for axis, side in zip("xyz", launch.grid):
            rounded = side is not None and is_rounded_up(side, launch, program)
            access = _unchecked(axis, _is_given(side, launch, program), body) if side is not None and rounded else None
            if access is not None:
                reported.add(id(body.function))
                done = "written" if _is_written(access, body) else "read"
                text = f"`{short(access)}` is {done} by every thread of a grid that is rounded up"
                yield GuardIssue(body.function, access, text, side)
                break


def is_rounded_up(side: Syntax, launch: TextLaunch, program: Program) -> bool:
    """A number of blocks that covers a size which is no constant."""
    value = size_of_side(side, program.scope(launch.function))
    if value is not None and value.op == "+" and _ONE_MORE.search(value.text):
        return Sizes(program, launch.function).fixed_value(value) is None
    if value is None or not (
        _CEIL.search(value.text) or (side.kind == "field_expression" and _BLOCKS.search(side.text))
    ):
        return False
    text = launch.function.body.text
    if any(re.search(rf"\b{re.escape(name)}\s*%(?!{_VECTOR})", text) for name in names_in(value)):
        return False  # its remainder is looked at, and not that by a vector only
    if _THREADS.search(launch.function.body.text):
        return False  # there is an element for each thread
    return Sizes(program, launch.function).fixed_value(value) is None


def size_of_side(side: Syntax, scope: Scope) -> Syntax | None:
    """The expression that a variable, or the plan of a grid such as `plan.num_blocks`, was made from."""
    side = _unconverted(side)
    base = side.child("argument") if side.kind == "field_expression" else side
    if base is None or side.kind == "number_literal":
        return None
    values = scope.values.get(base.text, []) if base.kind == "identifier" else [side]
    return values[0] if len(values) == 1 else None


def _unconverted(side: Syntax) -> Syntax:
    """Without casts, and without calls that convert as their names say: `narrow_cast<unsigned>(blocks)`."""
    side = uncast(side)
    callee, arguments = side.child("function"), side.child("arguments")
    if callee is None or arguments is None or len(arguments.children) != 1 or not _CONVERSION.search(callee.text):
        return side
    return _unconverted(arguments.children[0])


def _is_given(side: Syntax, launch: TextLaunch, program: Program) -> bool:
    """The kernel gets the size that is rounded up."""
    value = size_of_side(side, program.scope(launch.function))
    sizes = set() if value is None else names_in(value) - names_in(launch.written[1])
    return any(not sizes.isdisjoint(names_in(argument)) for argument in launch.arguments)


def _unchecked(axis: str, given: bool, body: Body) -> Syntax | None:
    """An access to a parameter's memory whose place in the grid no condition on its way mentions."""
    for name in sorted(body.positions):
        if not is_element(body.scope.values[name][0], axis):
            continue
        derived = worked_out(name, body)
        partly = _is_compared(name, body)
        conditions = [c for node in body.nodes if (c := node.child("condition")) is not None]
        never = all(derived.isdisjoint(_asked_about(condition, body)) for condition in conditions)
        for node in body.nodes:
            written = _is_written(node, body) and (given or never)
            at = {name} if written else derived if partly and given else set()
            scaled = name if partly and given and "threadIdx" in body.scope.values[name][0].text else ""
            if (
                node.kind == "subscript_expression"
                and (_is_at(node, at, body) or _is_scaled(node, scaled, body))
                and not is_checked(node, derived, body)
            ):
                return node
            if given and never and _is_loaded_at(node, name, body) and not is_checked(node, derived, body):
                return node
    return None


def _is_loaded_at(node: Syntax, place: str, body: Body) -> bool:
    """Several elements from a place on: `load4(x + place)`, `*(float4 *)(x + place)` with a parameter x."""
    left, right = node.child("left"), node.child("right")
    if node.op != "+" or left is None or right is None or right.text != place or left.text not in body.scope.parameters:
        return False
    parent = body.parents.get(id(node))
    taken = parent is not None and parent.kind in ("argument_list", "cast_expression", "pointer_expression")
    return taken and body.scope.types.get(left.text) == POINTER


def worked_out(place: str, body: Body) -> set[str]:
    """The place and what arithmetic makes of it; what is loaded there is something else."""
    found = {place}
    for _ in range(ROUNDS):
        for name, values in body.scope.values.items():
            if any(not found.isdisjoint(names_in(value)) and not _loads(value) for value in values):
                found.add(name)
    return found


def _loads(value: Syntax) -> bool:
    return any(
        node.kind == "pointer_expression"
        or (node.kind == "subscript_expression" and not _SIDE_OF_OBJECT.fullmatch(node.bare))
        or (node.kind == "call_expression" and not is_product(node) and not _SIDE_OF_OBJECT.fullmatch(node.bare))
        for node in value.walk()
    )


def _is_compared(place: str, body: Body) -> bool:
    """The kernel knows elsewhere that the place may be outside."""
    for node in body.nodes:
        condition = node.child("condition") if node.kind == "if_statement" else None
        if condition is not None and "<" in condition.text:
            if any(_follows(name, place, body) for name in names_in(condition)):
                return True
    return False


def _follows(name: str, place: str, body: Body) -> bool:
    values = body.scope.values.get(name, [])
    return name == place or (
        place in closure_of(name, body) and not any(_REDUCED.search(value.text) for value in values)
    )


def is_element(value: Syntax, axis: str, scope: Scope | None = None) -> bool:
    """The number of a block times its part of the work, and perhaps a place inside of it; or several elements for each.

    With a scope, a name may stand for a term: `tile + threadIdx.x`.
    """
    terms = terms_of(_one_of_several(value))
    if scope is not None:
        terms = [inner for term in terms for inner in _spelled_out(term, scope)]
    blocks = [term for term in terms if re.search(rf"blockIdx\s*\.\s*{axis}", term.text)]
    inside = all(re.search(r"threadIdx", term.text) for term in terms if term not in blocks)
    scaled = any(re.search(r"\*|mul", term.text, re.IGNORECASE) for term in blocks)
    return len(blocks) == 1 and inside and scaled and not _of_rows(blocks[0]) and not _REDUCED.search(value.text)


def lower_side(value: Syntax, axis: str) -> str:
    """`y` of `blockIdx.y + gridDim.y * blockIdx.z`, where blocks go on along z."""
    found = re.fullmatch(r"blockIdx\.(\w)\+(?:gridDim\.(\w)\*blockIdx\.(\w)|blockIdx\.(\w)\*gridDim\.(\w))", value.bare)
    if found is None:
        return ""
    stride, upper = (found[2], found[3]) if found[2] else (found[5], found[4])
    return found[1] if stride == found[1] and upper == axis else ""


def _spelled_out(term: Syntax, scope: Scope) -> list[Syntax]:
    values = scope.values.get(term.text, []) if term.kind == "identifier" and term.text not in scope.grown else []
    return terms_of(values[0]) if len(values) == 1 else [term]


def _of_rows(block: Syntax) -> bool:
    """`(row * tiles + blockIdx.x) * TILE`: rows of whole blocks, which have room for every thread."""
    sums = [node for node in block.walk() if node.op == "+" and "blockIdx" in node.text]
    return any("Idx" not in term.text and "*" in term.text for node in sums for term in terms_of(node))


def _one_of_several(value: Syntax) -> Syntax:
    """`blockIdx.x * blockDim.x + threadIdx.x` of `(blockIdx.x * blockDim.x + threadIdx.x) * 4`."""
    left, right = value.child("left"), value.child("right")
    if value.op != "*" or left is None or right is None:
        return value
    sums = [side for side in (left, right) if side.op == "+"]
    return sums[0] if len(sums) == 1 and "Idx" not in (right if sums[0] is left else left).text else value


def terms_of(node: Syntax) -> list[Syntax]:
    while node.kind == "cast_expression" and (value := node.child("value")) is not None:
        node = value
    if node.kind == "binary_expression" and node.op == "+":
        return [term for child in node.children for term in terms_of(child)]
    return [node]


def _is_at(access: Syntax, derived: set[str], body: Body) -> bool:
    """Memory of a parameter, at an index that the place in the grid is a term of."""
    base = access.child("argument")
    if base is None or body.scope.types.get(base.text) != POINTER or base.text not in body.scope.parameters:
        return False
    terms = [term for child in access.children if child is not base for term in terms_of(child)]
    names = {term.text for term in terms}
    simple = not any(_REDUCED.search(value.text) for name in names & derived for value in body.scope.values[name])
    return not names.isdisjoint(derived) and simple


def _is_scaled(access: Syntax, place: str, body: Body) -> bool:
    """Memory of a parameter is read at a multiple of the place: `x[TILE - 1 + TILE * place]`."""
    base = access.child("argument")
    if base is None or body.scope.types.get(base.text) != POINTER or base.text not in body.scope.parameters:
        return False
    parent = body.parents.get(id(access))
    if parent is not None and parent.op == "&" and len(parent.children) == 1:
        return False
    return any(
        term.kind == "binary_expression" and term.op == "*" and place in (factor.text for factor in term.children)
        for child in access.children
        if child is not base
        for term in terms_of(child)
    )


def is_checked(access: Syntax, derived: set[str], body: Body) -> bool:
    derived = derived | _answers_about(derived, body) | marks_of(derived, body)
    spelled = _spelled(derived, body)
    for parent, child in body.ancestors(access):
        condition = parent.child("condition")
        if condition is not None and child is not condition and _speaks(condition, derived, spelled, body):
            return True
        if parent.op in ("&&", "||") and not derived.isdisjoint(names_in(parent)):
            return True
    for node in body.nodes:
        if node.start >= access.start:
            return False
        condition, consequence = node.child("condition"), node.child("consequence")
        if condition is not None and consequence is not None and _speaks(condition, derived, spelled, body):
            if node.kind == "if_statement" and leaves(consequence):
                return True
        if node.kind == "call_expression" and _may_guard(node, derived, body):
            return True
    return False


def _speaks(condition: Syntax, derived: set[str], spelled: list[set[str]], body: Body) -> bool:
    """A condition about the place, by one of its names or spelled out."""
    names = _asked_about(condition, body)
    return not derived.isdisjoint(names) or any(place <= names for place in spelled)


def _asked_about(condition: Syntax, body: Body) -> set[str]:
    """The names in a condition, without those of `i < end` where `end = i + count`: it says how far to go, not how far there is."""
    if condition.op in ("&&", "||"):
        return set().union(*(_asked_about(child, body) for child in condition.children))
    return set() if _is_own_end(condition, body) else names_in(condition)


def _is_own_end(condition: Syntax, body: Body) -> bool:
    left, right = condition.child("left"), condition.child("right")
    if condition.op not in ("<", "<=", ">", ">=") or left is None or right is None:
        return False
    place, end = (left, right) if condition.op in ("<", "<=") else (right, left)
    values = body.scope.values.get(end.text, []) if end.text not in body.scope.grown else []
    terms = terms_of(values[0]) if end.kind == "identifier" and len(values) == 1 else []
    rest = [term for term in terms if term.text != place.text]
    behind = {name for term in rest for part in names_in(term) for name in (part, *closure_of(part, body))}
    made = [*rest, *(value for name in behind for value in body.scope.values.get(name, []))]
    free = place.text not in behind and not any(_CUT.search(each.text) for each in made)
    return len(terms) == len(rest) + 1 and bool(rest) and free


def _spelled(derived: set[str], body: Body) -> list[set[str]]:
    """The coordinates that the place is made of, for each side: `threadIdx.x + blockIdx.x * blockDim.x >= n`."""
    named = [names_in(value) for name in sorted(derived) for value in body.scope.values.get(name, [])]
    sides = [{f"blockIdx.{axis}", f"threadIdx.{axis}"} for axis in "xyz"]
    return [side for side in sides if any(side <= names for names in named)]


def _answers_about(derived: set[str], body: Body) -> set[str]:
    """Truths that a function was asked of the place: `bool inside = load(s, x, i, n);`."""
    return {
        name
        for name, values in body.scope.values.items()
        if body.scope.structures.get(name) == "bool"
        and any(not derived.isdisjoint(names_in(n)) for v in values for n in v.walk() if n.kind == "call_expression")
    }


def _may_guard(call: Syntax, derived: set[str], body: Body) -> bool:
    """A macro or a function with a name like a check."""
    callee, arguments = call.child("function"), call.child("arguments")
    given = names_in(arguments) if arguments is not None else set()
    return callee is not None and callee.text.isupper() and not derived.isdisjoint(given)


def _is_written(access: Syntax, body: Body) -> bool:
    """The element, or a member of it."""
    parent = body.parents.get(id(access))
    while parent is not None and parent.kind == "field_expression" and parent.op != "->":
        access, parent = parent, body.parents.get(id(parent))
    return parent is not None and parent.kind == "assignment_expression" and parent.child("left") is access
