"""Counters of the file that a function reads behind its own launch, and that nothing sets before: the second call counts on.

__device__ int found;   int search(x, n) { k<<<g, b>>>(x, n);  cudaMemcpyFromSymbol(&h, found, sizeof h);  return h; }

A counter may count on for good: `h - before` is what this call has found, `h / all` what all calls have, and who leaves the program
where it is not zero makes no second call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.synchronization.launched_once import is_made_once, lives_on
from cudalint.analysis.synchronization.unreset_counters import added_counter, counters_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.launch_text import launches_of
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_LEAVES = re.compile(r"(^|::|_)(exit|abort|terminate|fatal\w*|die|panic)$", re.IGNORECASE)
_ASSERTS = re.compile(r"(assert|check|enforce)\w*$", re.IGNORECASE)


def counted_on(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each such counter, at the read."""
    text = outline.root.file.text
    if "FromSymbol" not in text or "atomic" not in text:
        return
    named = counters_of(text, 3)
    if not named:
        return
    program = program_of(outline)
    added = {
        name: (body, node)
        for body in bodies(program, ("kernel",))
        for node in body.nodes
        if (name := added_counter(node))
    }
    for host in bodies(program, ("host",)):
        for node in host.nodes:
            name = _read_back(node)
            if name not in named or name not in added or host.function.name == "main":
                continue
            body, add = added[name]
            if _is_launched_before(node, body.function.name, host, program) and not _goes_on(node, host):
                text = f"nothing sets `{name}` before the launch: the second call of `{host.function.name}` counts on"
                yield GuardIssue(host.function, node, text, add)


def _is_launched_before(read: Syntax, kernel: str, host: Body, program: Program) -> bool:
    """The function launches the kernel itself, or calls a function that does, and each time."""
    launches = [each for each in launches_of(kernel, program) if not is_made_once(each, program)]
    helpers = {each.function.name.rpartition("::")[2] for each in launches if each.function is not host.function}
    calls = [c.place for helper in sorted(helpers) for c in program.callers(helper) if c.function is host.function]
    own = [each.node.start for each in launches if each.function is host.function]
    return any(place < read.start for place in (*own, *calls))


def _read_back(node: Syntax) -> str:
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or arguments is None or len(arguments.children) < 3:
        return ""
    return arguments.children[1].bare if re.fullmatch(r"(cuda|hip)MemcpyFromSymbol(Async)?", callee.text) else ""


def _goes_on(read: Syntax, host: Body) -> bool:
    """What is done with the number says that the counter is meant to go on, or that no second call follows."""
    arguments = read.child("arguments")
    number = "" if arguments is None else arguments.children[0].bare.lstrip("&")
    for node in host.nodes:
        if node.start < read.end or not number:
            continue
        if node.kind == "if_statement" and _leaves_program(node, number):
            return True
        if node.kind == "call_expression" and _asserts(node, number):
            return True
        if node.kind == "binary_expression" and _is_measured(node, number, host):
            return True
    return False


def _leaves_program(choice: Syntax, number: str) -> bool:
    condition, branch = choice.child("condition"), choice.child("consequence")
    if condition is None or branch is None or number not in names_in(condition):
        return False
    calls = (n.child("function") for n in branch.walk() if n.kind == "call_expression")
    thrown = any(n.kind == "throw_statement" for n in branch.walk())
    return thrown or any(callee is not None and _LEAVES.search(callee.text) for callee in calls)


def _asserts(call: Syntax, number: str) -> bool:
    callee, arguments = call.child("function"), call.child("arguments")
    named = callee is not None and _ASSERTS.search(callee.text) is not None
    return named and arguments is not None and any(number in names_in(n) for n in arguments.children if n.op)


def _is_measured(node: Syntax, number: str, host: Body) -> bool:
    """`now - before` of a number that lives on, and `now / all` of one that the function counts on, too."""
    left, right = (uncast(side) for side in node.children[:2])
    if node.op == "-":
        return left.bare == number and _lives_on(right, host)
    other = right if left.bare == number else left if right.bare == number else None
    return other is not None and _lives_on(other, host) and _is_counted_on(other, host)


def _lives_on(node: Syntax, host: Body) -> bool:
    return node.kind == "field_expression" or (node.kind == "identifier" and lives_on(node.text, host))


def _is_counted_on(node: Syntax, host: Body) -> bool:
    steps = (
        n for n in host.nodes if n.kind == "update_expression" or (n.kind == "assignment_expression" and n.op == "+=")
    )
    return any(step.children and step.children[0].bare == node.bare for step in steps)
