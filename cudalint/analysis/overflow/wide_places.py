"""Functions of the file that choose an element with a parameter of 64 bits, and are handed a variable of 32 bits for it.

__device__ void step(State s, int64_t i) { s.m[i] = ...; }       for (int i = first; i < n; i += stride) step(state, i);
"""

from __future__ import annotations

from cudalint.analysis.overflow.element_counts import may_be_large
from cudalint.analysis.text.magnitude import SMALL, largest_of
from cudalint.analysis.text.scopes import WIDE
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Syntax, TextFunction


def place_in_64_bits(name: str, bound: str, body: Body) -> Syntax | None:
    """The call; its caller is passed the bound, which nothing keeps small."""
    if bound not in body.scope.parameters or largest_of(bound)[1] is SMALL:
        return None
    limit = next((each for each in body.scope.limits.get(name, ()) if each.text == bound), None)
    program = program_of(body.scope.outline)
    for node in body.nodes:
        arguments = node.child("arguments") if node.kind == "call_expression" else None
        places = [] if arguments is None else [p for p, a in enumerate(arguments.children) if a.text == name]
        if limit is None or arguments is None or not places:
            continue
        called = _called(node, len(arguments.children), program)
        if called and all(_chooses(function, place, program) for function in called for place in places):
            return node if may_be_large(limit, node, body) else None
    return None


def _called(call: Syntax, count: int, program: Program) -> list[TextFunction]:
    callee = call.child("function")
    name = "" if callee is None else callee.text.partition("<")[0].rpartition("::")[2].strip()
    functions = [f for f in program.outline.functions if f.name.rpartition("::")[2] == name and f.role == "device"]
    return [function for function in functions if len(function.parameters) == count]


def _chooses(function: TextFunction, place: int, program: Program) -> bool:
    """The parameter has 64 bits and is an index, or a number is added to it for one: no row of many elements."""
    scope = program.scope(function)
    name = scope.parameters[place]
    if not name or scope.types.get(name) != WIDE:
        return False
    indices = (n.children[-1] for n in function.body.walk() if n.kind == "subscript_expression" and n.children)
    return any(name in map(_text, _terms(index)) for index in indices)


def _text(node: Syntax) -> str:
    return node.text


def _terms(index: Syntax) -> list[Syntax]:
    while index.kind == "subscript_argument_list" and index.children:
        index = index.children[0]
    return list(index.children) if index.kind == "binary_expression" and index.op == "+" else [index]
