"""Values that are never below zero, by how they are made or by the type that they are declared with.

float s = 0;  for (...) s += x[i] * x[i];        squares, absolute values, roots and exponentials, and sums of such
const uint16_t* depth;   float d = depth[i] * 0.001f;
int x = blockIdx.x * blockDim.x + threadIdx.x;
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.precision.magnitudes import MAXIMUM, ZERO, is_square
from cudalint.analysis.text.guard_patterns import bodies, names_in
from cudalint.analysis.text.launch_text import kernels_by_name, launches_of, text_launches
from cudalint.analysis.text.scopes import COORDINATES, POINTER, uncast
from cudalint.analysis.text.text_program import Body, TextLaunch, program_of
from cudalint.ir.syntax import Syntax

_POSITIVE = re.compile(r"abs|exp|sqrt|norm|hypot|sigmoid|dist|length", re.IGNORECASE)
_MINIMUM = re.compile(r"^(::|std::)?(__)?[fh]?min(f|imum)?$")
_UNSIGNED = re.compile(
    r"(std::|::)?(unsigned( (char|short|int|long|long long))?|u(char|short|int|long)|uint(8|16|32|64)(_t)?|size_t|bool"
    r"|u(8|16|32|64)|Npp(8|16|32)u)"
)
_UNSIGNED_VECTOR = re.compile(r"u(char|short|int|long)[1-4]")


def is_never_negative(node: Syntax, body: Body, hops: int = 3) -> bool:
    """A square, an absolute value, an exponential or a root, an unsigned number, or a variable that only gets such."""
    node = uncast(node)
    if node.kind == "parenthesized_expression" and node.children:
        return is_never_negative(node.children[0], body, hops)
    callee = node.child("function")
    if callee is not None:
        return _gives_none_below(node, callee, body, hops)
    left, right = node.child("left"), node.child("right")
    if node.kind == "binary_expression" and left is not None and right is not None:
        sides = (left, right)
        if node.op == "/" and _is_part_of(left, right, body):
            return is_never_negative(left, body, hops)
        return is_square(node) or (node.op in ("+", "*", "/") and all(is_never_negative(s, body, hops) for s in sides))
    if node.kind == "conditional_expression":
        chosen = node.children[1:]
        return is_magnitude(node) or all(is_never_negative(choice, body, hops) for choice in chosen)
    if node.kind == "number_literal" or COORDINATES.fullmatch(node.text):
        return True
    if node.kind in ("subscript_expression", "field_expression"):
        return is_unsigned(node, body) or (node.kind == "subscript_expression" and _is_stored_so(node, body))
    if node.kind != "identifier" or hops == 0:
        return False
    return is_unsigned(node, body) or _only_gets_such(node.text, body, hops - 1)


def _is_part_of(part: Syntax, whole: Syntax, body: Body) -> bool:
    """`overlap / (a + b - overlap)`: a share."""
    whole = uncast(whole)
    made = body.scope.values.get(whole.text, []) if whole.kind == "identifier" else [whole]
    own = uncast(part)
    return own.kind == "identifier" and len(made) == 1 and own.text in names_in(made[0])


def _gives_none_below(call: Syntax, callee: Syntax, body: Body, hops: int) -> bool:
    arguments = call.child("arguments")
    given = [] if arguments is None else arguments.children
    if MAXIMUM.match(callee.text):
        return any(is_never_negative(each, body, hops) for each in given)
    if _MINIMUM.match(callee.text):
        return bool(given) and all(is_never_negative(each, body, hops) for each in given)
    return _POSITIVE.search(callee.text) is not None


def is_magnitude(choice: Syntax) -> bool:
    """`u < 0 ? -u : u`."""
    condition, first, second = choice.children if len(choice.children) == 3 else (None, None, None)
    while condition is not None and condition.kind == "parenthesized_expression":
        condition = condition.children[0]
    if condition is None or first is None or second is None or condition.op not in ("<", "<=", ">", ">="):
        return False
    number, bound = condition.children[0], condition.children[1]
    ways = [uncast(second), uncast(first)] if condition.op[0] == "<" else [uncast(first), uncast(second)]
    return ZERO.fullmatch(bound.bare) is not None and [each.bare for each in ways] == [number.bare, f"-{number.bare}"]


def _only_gets_such(name: str, body: Body, hops: int) -> bool:
    steps = body.scope.steps.get(name, [])
    if any(step.op in ("-=", "--") for step in steps):
        return False
    added = [step.child("right") for step in steps]
    made = [*body.scope.values.get(name, []), *(right for right in added if right is not None)]
    return name not in body.scope.parameters and bool(made) and all(is_never_negative(v, body, hops) for v in made)


def is_unsigned(node: Syntax, body: Body) -> bool:
    """A variable of an unsigned type, an element of a pointer to such, or a member of a vector of such."""
    node = uncast(node)
    inner = node.child("argument") if re.search(r"\.[xyzw]$", node.text) is not None else None
    return _has_type(node, body, _UNSIGNED) if inner is None else _has_type(inner, body, _UNSIGNED_VECTOR)


def _has_type(node: Syntax, body: Body, types: re.Pattern[str]) -> bool:
    element = node.kind == "subscript_expression"
    base = node.child("argument") if element else node
    if base is None or base.kind != "identifier":
        return False
    written = [each for name in _sources(base.text, body) for each in _declared(name, body)]
    return bool(written) and all(types.fullmatch(type_) and pointer == element for type_, pointer in written)


def _sources(name: str, body: Body) -> set[str]:
    """The variable; of `auto row = depth + r * n` what it points into."""
    declared = list(_declared(name, body))
    if declared and all(written == "auto" for written, _ in declared):
        values = body.scope.values.get(name, [])
        return {n for value in values for n in names_in(value) if body.scope.types.get(n) == POINTER and n != name}
    return {name}


def _declared(name: str, body: Body) -> Iterator[tuple[str, bool]]:
    """(type without qualifiers, whether it is a pointer or an array) of each declaration of the name."""
    for node in (*body.function.parameters, *(node for node in body.nodes if node.kind == "declaration")):
        written = node.child("type")
        for declarator in node.all("declarator") if written is not None else ():
            target = declarator.child("declarator") if declarator.kind == "init_declarator" else declarator
            matched = None if target is None else re.search(r"(\w+)\s*((\[[^]]*\])*)$", target.text)
            if matched is not None and matched[1] == name and written is not None and target is not None:
                plain = " ".join(re.sub(r"\b(const|volatile|restrict)\b", " ", written.text).split())
                plain = body.scope.outline.types.get(plain, plain)
                yield plain, "*" in target.text or bool(matched[2])


def _is_stored_so(element: Syntax, body: Body) -> bool:
    """An element of memory that other kernels have filled with such values before each launch of this one."""
    base, scope = element.child("argument"), body.scope
    if base is None or body.function.role != "kernel":
        return False
    pointers = {base.text, *(name for value in scope.values.get(base.text, []) for name in names_in(value))}
    given = [at for at, name in enumerate(scope.parameters) if name in pointers and scope.types.get(name) == POINTER]
    launches = launches_of(body.function.name.rpartition("::")[2].partition("<")[0], program_of(scope.outline))
    return len(given) == 1 and bool(launches) and all(_is_filled_so(launch, given[0], body) for launch in launches)


def _is_filled_so(launch: TextLaunch, at: int, body: Body) -> bool:
    program, known = program_of(body.scope.outline), kernels_by_name(body.scope.outline)
    if at >= len(launch.arguments) or launch.arguments[at].kind != "identifier":
        return False
    memory = launch.arguments[at].text
    before = [each for each in text_launches(program) if each.function is launch.function]
    before = [each for each in before if each.node.start < launch.node.start]
    if _is_filled_otherwise(memory, launch, {each.node.start for each in before}):
        return False
    stored: list[bool] = []
    for each in before:
        writers = [k for k in bodies(program, ("kernel",)) if [k.function] == known.get(each.kernel)]
        places = [i for i, argument in enumerate(each.arguments) if memory in names_in(argument)]
        if len(writers) != 1 or not all(i < len(writers[0].scope.parameters) for i in places):
            return False
        stored += [such for i in places for such in _stores_such(writers[0].scope.parameters[i], writers[0])]
    return bool(stored) and all(stored)


def _is_filled_otherwise(memory: str, launch: TextLaunch, known: set[int]) -> bool:
    """The host gives the memory to another function before the launch, as a copy."""
    for node in launch.function.body.walk():
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind != "call_expression" or callee is None or arguments is None or node.start in known:
            continue
        if node.start < launch.node.start and not re.match(r"(::)?(cuda|hip)(Malloc|Memset|Free)", callee.text):
            if any(memory in names_in(argument) for argument in arguments.children):
                return True
    return False


def _stores_such(array: str, body: Body) -> Iterator[bool]:
    """Of each store of the kernel to the array whether the value is never negative."""
    name = re.escape(array)
    if re.search(rf"&\s*{name}\b|\b{name}\s*\+|\*\s*{name}\b", body.function.body.text):
        yield False
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind == "assignment_expression" and left is not None and right is not None:
            if left.text.partition("[")[0].strip() == array:
                yield node.op in ("=", "+=") and is_never_negative(right, body)
