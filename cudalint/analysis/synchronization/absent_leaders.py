"""One lane of those that are there adds for all of them, and is chosen as lane 0 of the warp, which may not be among them.

auto active = cg::coalesced_threads();   if (threadIdx.x % 32 == 0) base = atomicAdd(n, active.size());   active.shfl(base, 0)
if (keep) { if (lane == 0) base = atomicAdd(n, __popc(kept));  base = __shfl_sync(kept, base, 0); }       // kept = __ballot_sync
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_LANE = re.compile(r"\(?threadIdx\.x(&31|&0x1f|%32|%warpSize|%WARP_SIZE|&\(warpSize-1\)|&\(WARP_SIZE-1\))\)?")
_LANE_NAME = re.compile(r"lane(_?id|_?idx|_?index)?_?", re.IGNORECASE)
_OF_SOME = re.compile(r"__ballot_sync\(|__activemask\(\)|__match_any_sync\(")
_GROUP = re.compile(r"(\w+::)*coalesced_threads\(\)")
_ZERO = re.compile(r"0[uU]?")


def absent_leaders(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each choice of such a lane; what it is about is the shuffle that reads its number."""
    if "shfl" not in outline.root.text or "atomic" not in outline.root.text:
        return
    program = program_of(outline)
    for body in bodies(program, ("kernel", "device")):
        for node in body.nodes:
            read = _read(node, body, program)
            chosen = None if read is None else _chosen(read, body)
            if chosen is not None:
                text = (
                    f"lane 0 of the warp adds for the others, and may not be among those that `{node.text[:40]}` is for"
                )
                yield GuardIssue(body.function, chosen, text, node)


def _read(node: Syntax, body: Body, program: Program) -> str | None:
    """The variable that a shuffle reads from lane 0 of lanes that are not all of the warp."""
    callee, arguments = node.child("function"), node.child("arguments")
    given = [] if arguments is None else [uncast(each) for each in arguments.children]
    if node.kind != "call_expression" or callee is None:
        return None
    if callee.kind == "field_expression" and callee.text.endswith(".shfl") and len(given) == 2:
        owner = callee.child("argument")
        values = [] if owner is None else body.scope.values.get(owner.text, [])
        is_group = len(values) == 1 and _GROUP.fullmatch(values[0].bare) is not None
        some = is_group and (_is_conditional(node, body) or _is_called_on_condition(body, program))
        return given[0].text if some and _is_zero(given[1], body) else None
    if callee.text != "__shfl_sync" or len(given) < 3 or not _is_zero(given[2], body):
        return None
    return given[1].text if _names_some(given[0], node, body, program) else None


def _is_zero(place: Syntax, body: Body) -> bool:
    values = body.scope.values.get(place.text, []) if place.kind == "identifier" else [place]
    return len(values) == 1 and place.text not in body.scope.grown and _ZERO.fullmatch(values[0].bare) is not None


def _names_some(mask: Syntax, node: Syntax, body: Body, program: Program) -> bool:
    """The mask is what a ballot found, or the lanes that are there, under a condition: here, or where a caller passes it."""
    if mask.kind != "identifier":
        return False
    values = body.scope.values.get(mask.text, [])
    if len(values) == 1:
        return _OF_SOME.search(values[0].bare) is not None and _is_conditional(node, body)
    if values or mask.text not in body.scope.parameters:
        return False
    place = body.scope.parameters.index(mask.text)
    others = {id(each.function): each for each in bodies(program, ("kernel", "device"))}
    for call in program.callers(body.function.name.rpartition("::")[2]):
        caller = others.get(id(call.function))
        passed = call.arguments[place].text if place < len(call.arguments) else ""
        made = [] if caller is None else caller.scope.values.get(passed, [])
        at = None if caller is None else next((n for n in caller.nodes if n.start == call.place), None)
        if caller is not None and at is not None and len(made) == 1 and _OF_SOME.search(made[0].bare):
            return _is_conditional(at, caller)
    return False


def _is_called_on_condition(body: Body, program: Program) -> bool:
    """A launch under a condition has all of its threads."""
    if body.function.role != "device":
        return False
    others = {id(each.function): each for each in bodies(program, ("kernel", "device"))}
    for call in program.callers(body.function.name.rpartition("::")[2]):
        caller = others.get(id(call.function))
        at = None if caller is None else next((n for n in caller.nodes if n.start == call.place), None)
        if caller is not None and at is not None and _is_conditional(at, caller):
            return True
    return False


def _is_conditional(node: Syntax, body: Body) -> bool:
    """Under a condition on data: one on the place of the thread, `i < n`, leaves the first lanes of a warp."""
    return any(
        parent.kind == "if_statement"
        and condition is not None
        and child is not condition
        and not _is_of_place(condition, body)
        for parent, child in body.ancestors(node)
        for condition in [parent.child("condition")]
    )


def _is_of_place(condition: Syntax, body: Body) -> bool:
    compared = uncast(condition)
    left = compared.child("left")
    return compared.op in ("<", "<=") and left is not None and left.text in body.positions


def _chosen(name: str, body: Body) -> Syntax | None:
    """The condition that the lane of the warp is zero, under which an atomic gives the variable its number."""
    for node in body.nodes:
        value = node.child("right") if node.kind == "assignment_expression" else None
        left = node.child("left")
        if value is None or left is None or left.text != name or not uncast(value).text.startswith("atomic"):
            continue
        for parent, child in body.ancestors(node):
            condition = parent.child("condition") if parent.kind == "if_statement" else None
            if condition is not None and child is not condition and _is_first_lane(condition, body):
                return condition
    return None


def _is_first_lane(condition: Syntax, body: Body) -> bool:
    compared = next((each for each in condition.walk() if each.kind == "binary_expression"), None)
    left, right = (None, None) if compared is None else (compared.child("left"), compared.child("right"))
    if compared is None or left is None or right is None or compared.op != "==":
        return False
    return any(_is_lane(one, body) and _is_zero(uncast(other), body) for one, other in ((left, right), (right, left)))


def _is_lane(value: Syntax, body: Body) -> bool:
    values = body.scope.values.get(value.text, []) if value.kind == "identifier" else [value]
    return any(_LANE.fullmatch(each.bare) for each in values) or _LANE_NAME.fullmatch(value.text) is not None
