"""Memory that is filled with zeros for a kernel that looks for the smallest of numbers which are never negative: it stays zero.

cudaMemset(first, 0, bytes);  k<<<g, b>>>(first);        atomicMin(&first[t], i) in k
auto first = torch::zeros({n}, options);  k<<<g, b>>>(first.data_ptr<int>());
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.precision.signs import is_never_negative
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches
from cudalint.analysis.text.scopes import POINTER, UNSIGNED, kind_of, uncast
from cudalint.analysis.text.text_program import Body, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_MINIMUM = re.compile(r"(::)?atomicMin(_block|_system)?")
_FILL = re.compile(r"(::)?(cuda|hip)Memset(Async)?")
_ZEROS = re.compile(r"(torch|at)::zeros(_like)?\(.*", re.DOTALL)
_OF_TENSOR = re.compile(r"(\w+)\.(mutable_)?data_ptr<\w+>\(\)")
_ZERO = ("0", "0x0", "0x00", "0u")


def zero_minima(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each such launch; what it is about is where the zeros come from."""
    if "atomicMin" not in outline.root.text:
        return
    program = program_of(outline)
    known = kernels_by_name(outline)
    kernels = {body.function.name: body for body in bodies(program, ("kernel",))}
    hosts = {id(body.function): body for body in bodies(program, ("host",))}
    for launch in text_launches(program):
        host, functions = hosts.get(id(launch.function)), known.get(launch.kernel, [])
        kernel = kernels.get(functions[0].name) if len(functions) == 1 else None
        if host is None or kernel is None:
            continue
        for name, argument in zip(kernel.scope.parameters, launch.arguments):
            least = _least(name, kernel)
            zeros = _zeros(argument, launch, host) if least is not None else None
            if least is not None and zeros is not None and not _is_set_between(argument, zeros, launch, host):
                text = f"`{name}` begins with zeros, and no value of `{' '.join(least.text.split())[:60]}` is below"
                yield GuardIssue(launch.function, zeros, text, least)


def _least(name: str, kernel: Body) -> Syntax | None:
    """`atomicMin(&name[t], v)`, where v is never negative, in a kernel that does not store there otherwise."""
    stores = [
        left
        for node in kernel.nodes
        if node.kind == "assignment_expression" and (left := node.child("left")) is not None
    ]
    if any(re.match(rf"\*?{re.escape(name)}\b", left.bare) for left in stores):
        return None
    if re.search(
        rf"\b(atomic(CAS|Exch)\w*|atomic_ref(<.*>)?)\s*\(\s*&?\s*{re.escape(name)}\b", kernel.function.body.text
    ):
        return None  # zero is the mark of an element that is still empty
    for node in kernel.nodes:
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind != "call_expression" or callee is None or arguments is None or not _MINIMUM.fullmatch(callee.text):
            continue
        if len(arguments.children) == 2 and re.match(rf"&?{re.escape(name)}\b(?!\.|->)", arguments.children[0].bare):
            if _is_at_least_zero(arguments.children[1], kernel):
                return node
    return None


def _is_at_least_zero(value: Syntax, kernel: Body) -> bool:
    value = uncast(value)
    bits = value.child("arguments") if re.match(r"__float_as_u?int\b", value.text) else None
    if bits is not None and len(bits.children) == 1:
        return is_never_negative(bits.children[0], kernel)
    place = value.kind == "identifier" and value.text in kernel.positions
    return place or kind_of(value, kernel.scope) == UNSIGNED or is_never_negative(value, kernel)


def _zeros(argument: Syntax, launch: TextLaunch, host: Body) -> Syntax | None:
    """The last thing that is done with the memory before the launch, where that is to fill it with zeros."""
    argument = uncast(argument)
    tensor = _OF_TENSOR.fullmatch(argument.bare)
    name = tensor[1] if tensor is not None else argument.text
    if argument.kind != "identifier" and tensor is None:
        return None
    before = [n for n in host.nodes if n.kind == "identifier" and n.text == name and n.start < launch.node.start]
    uses = [n for n in before if (parent := host.parents.get(id(n))) is None or parent.kind != "return_statement"]
    if not uses:
        return None
    for parent, child in host.ancestors(uses[-1]):
        callee, arguments = parent.child("function"), parent.child("arguments")
        if (
            parent.kind == "call_expression"
            and callee is not None
            and arguments is not None
            and _FILL.fullmatch(callee.text)
        ):
            given = arguments.children
            return parent if len(given) > 2 and given[0].text == name and given[1].text in _ZERO else None
        if parent.kind == "init_declarator" and tensor is not None:
            value = parent.child("value")
            return parent if value is not None and child is not value and _ZEROS.fullmatch(value.bare) else None
    return None


def _is_set_between(argument: Syntax, zeros: Syntax, launch: TextLaunch, host: Body) -> bool:
    """Another launch is given an object that holds the same memory: `Work w{buffer, n};  init<<<g, b>>>(w);`."""
    scope, name = host.scope, uncast(argument).text
    same = {
        name,
        *(n for value in scope.values.get(name, []) for n in names_in(value) if scope.types.get(n) == POINTER),
    }
    holders = {n for n, values in scope.values.items() for value in values if not same.isdisjoint(names_in(value))}
    for other in text_launches(program_of(scope.outline)):
        if other.function is launch.function and zeros.end <= other.node.start < launch.node.start:
            if any(not (holders | same).isdisjoint(names_in(each)) for each in other.arguments):
                return True
    return False
