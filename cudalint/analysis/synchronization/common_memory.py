"""Whether memory that a function or a method of the device works on is the same for many threads, or each thread's own part.

put(keys, key)          all threads share `keys` where each caller hands on what the kernel is given
put(store + s * n, key) a table of the thread's own
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import bodies
from cudalint.analysis.text.launch_text import launches_of
from cudalint.analysis.text.scopes import POINTER, uncast
from cudalint.analysis.text.text_program import Body, Program
from cudalint.ir.syntax import Syntax

_ONE_THREAD = re.compile(
    r"threadIdx\.x[!=]=0|[!=]=0&&.*threadIdx|__syncthreads|__shared__|(lane|tid|thread_?id)\w*[!=]=0", re.IGNORECASE
)
_NUMBER = re.compile(r"-?\d\w*|true|false")
_HANDED = ("identifier", "field_expression")


def is_for_one_thread(body: Body, program: Program) -> bool:
    """A single thread is chosen, or the block works together, or every launch of the file is of one thread."""
    return _ONE_THREAD.search(body.function.body.bare) is not None or _is_launched_alone(body, program)


def _is_launched_alone(body: Body, program: Program) -> bool:
    launches = launches_of(body.function.name, program) if body.function.role == "kernel" else []
    sides = [side for launch in launches for side in (*launch.grid, *launch.block)]
    return bool(launches) and all(side is None or side.text == "1" for side in sides)


def is_given_whole(
    name: str, body: Body, program: Program, seen: frozenset[int] = frozenset(), blocks: bool = False
) -> bool:
    """A parameter that all callers on the device hand on as the kernel got it, or as a member of what it got.

    `blocks` says that threads of a block may work together and it is wrong nevertheless.
    """
    scope = body.scope
    alone = _is_launched_alone(body, program) if blocks else is_for_one_thread(body, program)
    if name not in scope.parameters or name in scope.grown or name in scope.values or alone:
        return False
    if body.function.role == "kernel":
        return True
    if id(body.function) in seen:
        return True
    seen |= {id(body.function)}
    at, found = scope.parameters.index(name), False
    callers = {id(each.function): each for each in bodies(program, ("kernel", "device"))}
    for call in program.callers(_plain(body)):
        caller = callers.get(id(call.function))
        if caller is None or at >= len(call.arguments):
            continue
        if not _is_whole(uncast(call.arguments[at]), caller, program, seen, blocks):
            return False
        found = True
    return found


def is_common_object(body: Body, program: Program, seen: frozenset[int] = frozenset()) -> bool:
    """All objects whose method the function is are given to the kernel, or made of what it is given."""
    if id(body.function) in seen:
        return True
    found = False
    for caller, owner in _method_calls(body, program):
        common = (
            is_common_object(caller, program, seen | {id(body.function)})
            if owner is None
            else _is_whole(owner, caller, program, seen)
        )
        if not common or is_for_one_thread(caller, program):
            return False
        found = True
    return found


def signals_again(body: Body) -> bool:
    """It stores a constant where a parameter points to: the host asks whether another round is needed."""
    for node in body.nodes:
        place, value = node.child("left"), node.child("right")
        if node.kind != "assignment_expression" or place is None or value is None or not _NUMBER.fullmatch(value.text):
            continue
        flag = re.fullmatch(r"\*(\w+)|(\w+)\[0\]", place.bare)
        name = (flag[1] or flag[2]) if flag is not None else ""
        if name in body.scope.parameters:
            return True
    return False


def _method_calls(body: Body, program: Program) -> Iterator[tuple[Body, Syntax | None]]:
    """(caller, object) of the calls on the device; no object where another method of the class calls it."""
    name = _plain(body)
    for caller in bodies(program, ("kernel", "device")):
        for node in caller.nodes:
            callee = node.child("function") if node.kind == "call_expression" else None
            field = callee.child("field") if callee is not None else None
            if callee is not None and field is not None and field.text == name:
                owner = callee.child("argument")
                yield caller, None if owner is None or owner.text == "this" else owner
            elif callee is not None and callee.kind == "identifier" and callee.text == name:
                yield caller, None


def _is_whole(node: Syntax, caller: Body, program: Program, seen: frozenset[int], blocks: bool = False) -> bool:
    """A parameter or a member of one, a variable of the file, or an object that is made of such pointers."""
    if node.kind not in _HANDED:
        return False
    first = re.split(r"\.|->", node.text)[0]
    if first in caller.scope.parameters:
        return is_given_whole(first, caller, program, seen, blocks)
    if first == "this" or (first not in caller.scope.types and first not in caller.scope.values):
        declared = re.search(rf"__device__[^;(){{}}]*\b{re.escape(first)}\b", program.outline.root.text)
        return declared is not None or is_common_object(caller, program, seen)
    values = caller.scope.values.get(first, [])
    parts = [part for value in values for part in (value.children if _is_list(value) else (value,))]
    for place, stores in caller.scope.fields.items():  # `t.keys = keys;`
        parts += [right for s in stores if place.startswith(f"{first}.") and (right := s.child("right")) is not None]
    return bool(parts) and all(_is_part(uncast(part), caller, program, seen) for part in parts)


def _is_list(value: Syntax) -> bool:
    return value.kind in ("initializer_list", "argument_list")


def _is_part(part: Syntax, caller: Body, program: Program, seen: frozenset[int]) -> bool:
    """What an object is made of: a pointer as it is, or something that is none."""
    names = {n.text for n in part.walk() if n.kind == "identifier"}
    pointers = {n for n in names if caller.scope.types.get(n) == POINTER}
    own = {n for n in names if n in caller.positions} or "threadIdx" in names or "blockIdx" in names
    if not pointers:
        return not own
    return _is_whole(part, caller, program, seen)


def _plain(body: Body) -> str:
    return body.function.name.rpartition("::")[2].partition("<")[0]
