"""Loops of the host that go on until a flag of the device is down, where kernels only ever raise it and nothing lowers it.

do { relax<<<g, b>>>(d, changed);  cudaMemcpy(&again, changed, 4, cudaMemcpyDeviceToHost); } while (again);
__global__ void relax(float *d, int *changed) { ... if (less) *changed = 1; }          once it is up, it stays up
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches
from cudalint.analysis.text.scopes import cast_target, uncast
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, constant_value, program_of
from cudalint.ir.syntax import Outline, Syntax

_LOOPS = ("do_statement", "while_statement", "for_statement")
_LEAVES = ("break_statement", "return_statement", "goto_statement", "throw_statement")
_ENDS = re.compile(r"(^|::)(abort|exit|_exit|quick_exit|terminate|longjmp)$")
_ALWAYS = ("true", "1", "")
_COPY = re.compile(r"(cuda|hip)Memcpy(FromSymbol)?(Async)?$")
_ALLOCATES = re.compile(r"(cuda|hip)(Malloc\w*|HostAlloc|HostMalloc)$")
_USES = re.compile(r"(cuda|hip)(Mem(set|cpy)\w*|Free\w*|HostFree)$")
_ATOMIC = re.compile(r"(?:::)?atomic(Exch|Or|Max|Add)(?:_block|_system)?$")
_SUCCESS = re.compile(r"(cuda|hip)Success|(cuda|hip)Error")
RAISED, LOWERED, ONE = "raised", "lowered", "one"


@dataclass(frozen=True, slots=True)
class _Wait:
    """The loop goes on while the variable, or what it points to, is `state`."""

    name: str
    behind: bool
    state: str


def standing_flags(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop, at what asks for the flag."""
    if "<<<" not in outline.root.text:
        return
    program = program_of(outline)
    launches = [launch for launch in text_launches(program) if launch.kernel in kernels_by_name(outline)]
    kernels = {id(body.function): body for body in bodies(program, ("kernel",))}
    for body in bodies(program, ("host",)):
        own = [launch for launch in launches if launch.function is body.function]
        for loop in body.nodes if own else ():
            if loop.kind not in _LOOPS or any(node.kind == "ERROR" for node in loop.walk()):
                continue
            inside = [launch for launch in own if loop.start <= launch.node.start < loop.end]
            asked = _wait(loop, body) if inside else None
            if asked is not None:
                yield from _standing(asked, loop, inside, body, kernels, program)


def _standing(
    asked: tuple[Syntax, _Wait],
    loop: Syntax,
    launches: list[TextLaunch],
    body: Body,
    kernels: dict[int, Body],
    program: Program,
) -> Iterator[GuardIssue]:
    condition, wait = asked
    flag, copy = _flag(wait, loop)
    if not flag or not _is_own(flag, body) or not _is_known(flag, loop, copy or condition, launches):
        return
    sets: list[Syntax] = []
    for launch in launches:
        found = _sets_of(flag, launch, wait.state, kernels, program)
        if found is None:
            return
        sets += found
    if sets:
        verb = "lowers" if wait.state == LOWERED else "raises"
        text = f"the kernel only {verb} `{flag}`, and nothing in the loop sets it back: `{short(condition)}` stays as it is"
        yield GuardIssue(body.function, copy or condition, text, sets[0])


# --- what the loop waits for ------------------------------------------------------------------------------------------


def _wait(loop: Syntax, body: Body) -> tuple[Syntax, _Wait] | None:
    """The condition that alone ends the loop, but for calls of the runtime that fail."""
    ends = [node for node in loop.walk() if _may_end(node, loop, body)]
    condition = loop.child("condition")
    if condition is None or condition.bare.strip("()") in _ALWAYS:
        test = _test_of(ends[0], body) if len(ends) == 1 else None
        known = None if test is None else _asked(test, holds=False)
        return None if test is None or known is None else (test, known)
    known = _asked(condition, holds=True)
    return (condition, known) if known is not None and not ends else None


def _may_end(node: Syntax, loop: Syntax, body: Body) -> bool:
    callee = node.child("function") if node.kind == "call_expression" else None
    if node.kind not in _LEAVES and (callee is None or _ENDS.search(callee.text) is None):
        return False
    for parent, child in body.ancestors(node):
        if parent is loop:
            return True
        if node.kind == "break_statement" and parent.kind in (*_LOOPS, "switch_statement", "for_range_loop"):
            return False
        condition = parent.child("condition") if parent.kind == "if_statement" else None
        if condition is not None and child is not condition and _SUCCESS.search(condition.text):
            return False
    return True


def _test_of(end: Syntax, body: Body) -> Syntax | None:
    """The condition of `if (done) break;`."""
    parent = body.parents.get(id(end))
    if parent is not None and parent.kind == "compound_statement" and len(parent.children) == 1:
        end, parent = parent, body.parents.get(id(parent))
    if parent is None or parent.kind != "if_statement" or parent.child("consequence") is not end:
        return None
    return parent.child("condition") if parent.child("alternative") is None else None


def _asked(condition: Syntax, holds: bool) -> _Wait | None:
    """`again`, `*again != 0`, `!done`, and the opposite where the loop goes on if the condition does not hold."""
    while condition.kind in ("parenthesized_expression", "condition_clause") and len(condition.children) == 1:
        condition = condition.children[0]
    if condition.kind == "unary_expression" and condition.op == "!" and len(condition.children) == 1:
        return _asked(condition.children[0], not holds)
    left, right = condition.child("left"), condition.child("right")
    if condition.kind == "binary_expression" and left is not None and right is not None:
        truth = _COMPARED.get((condition.op, right.text))
        known = None if truth is None else _asked(left, holds == truth)
        if (condition.op, right.text) == ("==", "1"):
            known = _asked(left, holds)
            return None if known is None or not holds else _Wait(known.name, known.behind, ONE)
        return known
    place = _place(condition)
    return None if place is None else _Wait(*place, RAISED if holds else LOWERED)


_COMPARED = {
    **dict.fromkeys((("!=", "0"), ("!=", "false"), ("==", "true"), (">", "0")), True),
    **dict.fromkeys((("==", "0"), ("==", "false"), ("!=", "true")), False),
}


def _place(node: Syntax) -> tuple[str, bool] | None:
    """(`x`, whether it is what lies there) of `x`, `*x` and `x[0]`."""
    found = re.fullmatch(r"\(?(\*?)(\w+)(\[0\])?\)?", node.bare)
    if found is None or found[2].isdigit() or (found[1] and found[3]):
        return None
    return found[2], bool(found[1] or found[3])


# --- the flag of the device --------------------------------------------------------------------------------------------


def _flag(wait: _Wait, loop: Syntax) -> tuple[str, Syntax | None]:
    """The memory that the one copy of the loop brings the variable from; the variable itself where the host reads there."""
    copies = [(call, source) for call in loop.walk() if (source := _source(call, wait))]
    if not copies:
        return (wait.name, None) if wait.behind else ("", None)
    named = [node for node in loop.walk() if node.kind == "identifier" and node.text == wait.name]
    written = [node for node in loop.walk() if _sets_to_other(node, wait)]
    return (copies[0][1], copies[0][0]) if len(copies) == 1 and named and not written else ("", None)


def _source(call: Syntax, wait: _Wait) -> str:
    callee, arguments = call.child("function"), call.child("arguments")
    if call.kind != "call_expression" or callee is None or arguments is None or len(arguments.children) < 3:
        return ""
    kind = _COPY.fullmatch(callee.text)
    to, source = (uncast(each) for each in arguments.children[:2])
    if kind is None or to.bare != ("" if wait.behind else "&") + wait.name or source.kind != "identifier":
        return ""
    back = kind[2] or any(re.fullmatch(r"(cuda|hip)Memcpy(DeviceToHost|Default)", a.text) for a in arguments.children)
    return source.text if back else ""


def _sets_to_other(node: Syntax, wait: _Wait) -> bool:
    """The host gives the variable another value than a constant before the copy."""
    left, right = node.child("left"), node.child("right")
    if node.kind == "update_expression":
        return any(inner.text == wait.name for inner in node.walk())
    if node.kind != "assignment_expression" or left is None or right is None:
        return False
    place = _place(left)
    plain = node.op == "=" and right.kind in ("number_literal", "true", "false")
    return place is not None and place[0] == wait.name and not plain


def _is_own(flag: str, body: Body) -> bool:
    """The function allocates it, and no other name stands for the same memory; or a variable of the file."""
    named = [node for node in body.nodes if node.kind == "identifier" and node.text == flag]
    if not all(_stays_here(node, body) for node in named):
        return False
    if _is_symbol(flag, body):
        others = (f for f in body.scope.outline.functions if f.role != "kernel" and f is not body.function)
        return not any(re.search(rf"\b{flag}\b", other.body.text) for other in others)
    given = flag in body.scope.parameters or any(v.text not in _NULL for v in body.scope.values.get(flag, []))
    return not given and flag in body.scope.types


_NULL = ("nullptr", "NULL", "0")


def _is_symbol(flag: str, body: Body) -> bool:
    """A `__device__` variable of the file."""
    declared = re.findall(rf"__device__\s[^;(){{}}]*\b{flag}\b", body.scope.outline.root.text)
    return len(declared) == 1 and flag not in body.scope.types and flag not in body.scope.parameters


def _stays_here(use: Syntax, body: Body) -> bool:
    """It is declared, allocated, filled, copied, read on the host, freed or given to a kernel."""
    parent = body.parents.get(id(use))
    is_address = parent is not None and parent.kind == "pointer_expression" and parent.op == "&"
    if parent is not None and parent.kind in _DECLARES:
        return True
    for around, child in body.ancestors(use):
        callee = around.child("function") if around.kind == "call_expression" else None
        if callee is not None and callee is not child and cast_target(around) is None:
            known = _ALLOCATES.search(callee.text) is not None
            is_launch = any(part.kind == "kernel_call_syntax" for part in around.children)
            return known or (not is_address and (is_launch or _USES.search(callee.text) is not None))
    return parent is not None and not is_address and parent.kind in (*_INNER, *_READ)


_DECLARES = ("declaration", "init_declarator", "pointer_declarator")


def _is_known(flag: str, loop: Syntax, read: Syntax, launches: list[TextLaunch]) -> bool:
    """Wherever the loop names it, it is read back or given to a kernel as it is."""
    given = {id(uncast(argument)) for launch in launches for argument in launch.arguments}
    uses = [node for node in loop.walk() if node.kind == "identifier" and node.text == flag]
    return all(id(use) in given or read.start <= use.start < read.end for use in uses)


# --- what kernels do with it -------------------------------------------------------------------------------------------


def _sets_of(
    flag: str, launch: TextLaunch, state: str, kernels: dict[int, Body], program: Program
) -> list[Syntax] | None:
    """Where the kernel sets the flag; None where it may do anything else with it than set it so, and read it."""
    candidates = kernels_by_name(program.outline).get(launch.kernel, [])
    if len(candidates) != 1:
        return None
    body = kernels[id(candidates[0])]
    given = zip(body.scope.parameters, launch.arguments)
    names = [name for name, argument in given if uncast(argument).text == flag]
    if not names and _is_symbol(flag, body):
        names = [flag]
    if len(names) > 1 or any(name in body.scope.values or name in body.scope.grown for name in names):
        return None
    uses = [node for node in body.nodes if node.kind == "identifier" and node.text in names]
    found = [_set(use, state, body) for use in uses]
    return [each for each in found if each is not None and each.kind != "identifier"] if all(found) else None


def _set(use: Syntax, state: str, body: Body) -> Syntax | None:
    """The statement that sets the flag to the state; the name itself where it is only read; None for anything else."""
    place, parent = use, body.parents.get(id(use))
    while parent is not None and parent.kind in _INNER:
        if parent.kind == "subscript_expression" and not parent.bare.endswith("[0]"):
            return None
        place, parent = parent, body.parents.get(id(parent))
    if parent is None:
        return None
    left, right = parent.child("left"), parent.child("right")
    if parent.kind == "argument_list":
        call = body.parents.get(id(parent))
        callee = None if call is None else call.child("function")
        kind = None if callee is None else _ATOMIC.match(callee.text)
        if call is None or kind is None or parent.children[0] is not place or len(parent.children) != 2:
            return None
        return call if _keeps(parent.children[1], state, kind[1] in ("Exch",), kind[1] != "Add", body) else None
    if parent.kind == "assignment_expression" and left is place and right is not None:
        known = parent.op in ("=", "|=") and _keeps(right, state, parent.op == "=", True, body)
        return parent if known else None
    behind = place.kind in ("pointer_expression", "subscript_expression") and place.op != "&"
    is_read = parent.kind in _READ or (parent.kind == "assignment_expression" and right is place)
    return use if is_read and (behind or use.text not in body.scope.parameters) else None


_INNER = ("pointer_expression", "subscript_expression", "parenthesized_expression", "cast_expression")
_READ = (
    "binary_expression",
    "unary_expression",
    "condition_clause",
    "if_statement",
    "init_declarator",
    "while_statement",
)


def _keeps(value: Syntax, state: str, replaces: bool, settles: bool, body: Body) -> bool:
    """A constant with which the flag is what the loop goes on with, whatever it was before where it `replaces` that."""
    number = (
        1
        if value.text == "true"
        else 0
        if value.text == "false"
        else constant_value(value, body.scope.outline.constants)
    )
    if number is None:
        return False
    if state == LOWERED:
        return number == 0 and replaces
    return number == 1 and settles if state == ONE else number > 0
