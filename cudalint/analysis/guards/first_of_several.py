"""Guards that ask about the first of several elements of a thread, in a grid that covers a size which is no multiple of them.

first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;  if (first < n) y4 = *(float4 *)(x + first);     grid: (n + 3) / 4 vectors
first = blockIdx.x * THREADS * ITEMS + threadIdx.x;
for (i = 0; i < ITEMS; i++)  if (first < n) y[first + i * THREADS] = 0;                     grid: n / (THREADS * ITEMS), rounded up
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_conditions import parts_of
from cudalint.analysis.text.guard_patterns import GuardIssue, closure_of, names_in, short
from cudalint.analysis.text.launched_kernels import launched_kernels
from cudalint.analysis.text.scopes import POINTER, leaves, uncast
from cudalint.analysis.text.tail_patterns import is_element, is_rounded_up, size_of_side, terms_of
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_VECTOR = re.compile(
    r"\*\s*(?:\(\s*(?:const\s*)?(?P<old>\w+?)\s*(?:const\s*)?\*\s*\)|"
    r"reinterpret_cast<(?:const)?\s*(?P<new>\w+?)\s*(?:const)?\s*\*>)\s*\(?\s*&?\(?\s*(?P<base>\w+)\s*(?:\+|\[)\s*(?P<at>\w+)\s*\]?\s*\)*"
)
_ROUNDED = re.compile(r"\(\w+\+(?:(?P<less>\d)|(?P<name>[A-Za-z_]\w*)-1)\)/(?:(?P<whole>\d)(?!\d)|(?P=name)\b)")
_SPACE = re.compile(r"\s+")


def first_of_several(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel."""
    program = program_of(outline)
    told: set[int] = set()
    for launch, body in launched_kernels(program, outline):
        side = launch.grid[0]
        if id(body.function) in told or side is None or not is_rounded_up(side, launch, program):
            continue
        sizes = _sizes(side, launch, body, program)
        for node in body.nodes if sizes else ():
            found = _guard(node, sizes, body) if node.kind == "if_statement" else None
            if found is None:
                continue
            condition, first, guarded = found
            use = _of_a_round(first, guarded, body)
            if use is None and (lanes := _rounded_vectors(side, launch, body, program)):
                use = _vector_at(first, lanes, guarded, body)
            if use is not None:
                told.add(id(body.function))
                text = f"`{short(condition)}` asks about the first element only, and `{short(use)}` is reached by it"
                yield GuardIssue(body.function, condition, text, side, behind=(use,))
                break


def _moves_in(branch: Syntax | None, name: str, body: Body) -> bool:
    """The variable changes in this branch alone: `else for (; i < n; ++i) y[i] = x[i];`."""
    changes = (node for node in body.nodes if node.kind in ("update_expression", "assignment_expression"))
    moves = [
        node for node in changes if (target := node.child("left") or node.child("argument")) and target.text == name
    ]
    return branch is not None and all(branch.start <= node.start and node.end <= branch.end for node in moves)


def _sizes(side: Syntax, launch: TextLaunch, body: Body, program: Program) -> set[str]:
    """Parameters of the kernel that get the size which the grid covers, as it is."""
    scope = program.scope(launch.function)
    value = size_of_side(side, scope)
    names = set() if value is None else names_in(value)
    names |= {inner for name in names for each in scope.values.get(name, ()) for inner in names_in(each)}
    given = zip(body.scope.parameters, launch.arguments)
    found = {
        name for name, argument in given if uncast(argument).text in names and uncast(argument).kind == "identifier"
    }
    return {name for name in found if name not in body.scope.values and name not in body.scope.grown}


def _guard(node: Syntax, sizes: set[str], body: Body) -> tuple[Syntax, str, list[Syntax]] | None:
    """A guard by the size alone: its condition, the place in the grid that it asks about, and what stands behind it."""
    condition, then = node.child("condition"), node.child("consequence")
    if condition is None or then is None or len(parts_of(condition, "&&")) != 1:
        return None
    part, leaving = parts_of(condition, "&&")[0], leaves(then)
    left, right = part.child("left"), part.child("right")
    if part.op != (">=" if leaving else "<") or left is None or right is None or uncast(right).text not in sizes:
        return None
    first = uncast(left).text
    if (
        first not in body.positions
        or (first in body.scope.grown and not _moves_in(node.child("alternative"), first, body))
        or not is_element(body.scope.values[first][0], "x", body.scope)
    ):
        return None
    if not _asks_once(uncast(right).text, part, body):
        return None
    return condition, first, [n for n in body.nodes if n.start >= node.end] if leaving else list(then.walk())


def _asks_once(size: str, part: Syntax, body: Body) -> bool:
    """No other place is compared with the size, nor anything taken as the smaller one of both."""
    for node in body.nodes:
        if node.kind == "identifier" and node.text == size:
            parent = body.parents.get(id(node))
            while parent is not None and parent.kind in ("parenthesized_expression", "cast_expression"):
                parent = body.parents.get(id(parent))
            if parent is not None and parent.kind == "binary_expression" and parent.bare == part.bare:
                continue
            return False
    return True


def _of_a_round(first: str, guarded: list[Syntax], body: Body) -> Syntax | None:
    """An element that lies whole rows of threads behind the first one: `y[first + i * THREADS]` in a loop from zero on."""
    for use in guarded:
        base = use.child("argument") if use.kind == "subscript_expression" else None
        if base is None or body.scope.types.get(base.text) != POINTER or base.text not in body.scope.parameters:
            continue
        for loop, _ in body.ancestors(use):
            counter = _counter(loop) if loop.kind == "for_statement" else ""
            if counter and _is_rounds_behind(use.children[-1], first, counter, body):
                return use if not _asks_of(use, counter, loop, body) else None
    return None


def _counter(loop: Syntax) -> str:
    start, step = loop.child("initializer"), loop.child("update")
    counted = None if step is None else next((n.text for n in step.walk() if n.kind == "identifier"), None)
    from_zero = start is not None and re.search(rf"\b{counted}\s*=\s*0\s*;?$", start.text) is not None
    return (
        counted if counted is not None and from_zero and step is not None and step.kind == "update_expression" else ""
    )


def _is_rounds_behind(index: Syntax, first: str, counter: str, body: Body) -> bool:
    """`first + counter * THREADS`, by itself or as the value of a name; neighbours, with a factor of 1, are whole vectors.

    Where the factor is a parameter it is the length of a column, of which the place is a row.
    """
    if index.kind == "subscript_argument_list" and len(index.children) == 1:
        index = index.children[0]
    index = uncast(index)
    values = body.scope.values.get(index.text, []) if index.kind == "identifier" else [index]
    alike = len({value.bare for value in values}) == 1 and index.text not in body.scope.grown
    terms = terms_of(values[0]) if alike else []
    steps = [uncast(term) for term in terms if uncast(term).text != first]
    if len(terms) != 2 or len(steps) != 1 or steps[0].op != "*":
        return False
    factors = {uncast(factor).text for factor in steps[0].children}
    given = factors & set(body.scope.parameters)
    return counter in factors and not factors & {"1"} and not given and len(factors) == 2


def _asks_of(use: Syntax, counter: str, loop: Syntax, body: Body) -> bool:
    """A condition between the loop and the element depends on the round."""
    for parent, child in body.ancestors(use):
        if parent is loop:
            return False
        condition = parent.child("condition")
        if condition is not None and condition is not child:
            names = names_in(condition)
            if counter in names or any(counter in closure_of(name, body) for name in names):
                return True
    return False


def _rounded_vectors(side: Syntax, launch: TextLaunch, body: Body, program: Program) -> str:
    """What the kernel calls the length of the vectors that the launch counts, and rounds up: 4 of `(n + 3) / 4`, V of
    `(n + V - 1) / V` where the kernel is instantiated with it."""
    scope = program.scope(launch.function)
    value = size_of_side(side, scope)
    texts = [] if value is None else [value.text]
    for name in set() if value is None else names_in(value):
        texts += [v.text for v in scope.values.get(name, [])]
    instance = re.findall(r"\w+", launch.node.text.partition("<<<")[0])[1:]
    for text in texts:
        for found in _ROUNDED.finditer(_SPACE.sub("", text)):
            less, whole, name = found["less"], found["whole"], found["name"]
            if name is None and int(less) + 1 != int(whole):
                continue
            for first in body.positions:
                factors = {uncast(child).text for child in body.scope.values[first][0].children}
                for factor in factors & {name or whole, *body.function.template}:
                    if factor == whole or (factor in body.function.template and (name or whole) in instance):
                        return factor
    return ""


def _vector_at(first: str, lanes: str, guarded: list[Syntax], body: Body) -> Syntax | None:
    """`*(float4 *)(x + first)`, or each of `x[first + k]` up to the length, where the place is a multiple of the vector."""
    value = body.scope.values[first][0]
    if value.op != "*" or lanes not in {uncast(child).text for child in value.children}:
        return None
    for use in guarded:
        found = _VECTOR.match(use.text) if use.kind == "pointer_expression" else None
        if found is not None and found["at"] == first and found["base"] in body.scope.parameters:
            kind = found["old"] or found["new"]
            if kind.endswith(lanes) or (not lanes.isdigit() and _is_vector(kind, lanes, body)):
                return use
        base = use.child("argument") if use.kind == "subscript_expression" else None
        if base is not None and base.text in body.scope.parameters and body.scope.types.get(base.text) == POINTER:
            if _is_each_of(use, first, lanes, body):
                return use
    return None


def _is_vector(kind: str, lanes: str, body: Body) -> bool:
    """The type is named in the kernel, after the number of its elements."""
    named = re.search(rf"using\s+{re.escape(kind)}\s*=([^;]*);", body.function.body.text)
    return named is not None and re.search(rf"\b{lanes}\b", named[1]) is not None


def _is_each_of(use: Syntax, first: str, lanes: str, body: Body) -> bool:
    """`x[first + k]` in a loop `for (k = 0; k < lanes; k++)`, where no condition depends on k."""
    index = use.children[-1]
    if index.kind == "subscript_argument_list" and len(index.children) == 1:
        index = index.children[0]
    terms = {uncast(term).text for term in terms_of(index)}
    for loop, _ in body.ancestors(use):
        counter = _counter(loop) if loop.kind == "for_statement" else ""
        condition = loop.child("condition")
        if counter and condition is not None and terms == {first, counter}:
            return condition.bare == f"{counter}<{lanes}" and not _asks_of(use, counter, loop, body)
    return False
