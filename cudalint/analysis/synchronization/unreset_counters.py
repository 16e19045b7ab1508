"""Counters of blocks that only the first launch finds at zero: a variable of the file that nobody sets back.

__device__ unsigned done = 0;
ticket = atomicAdd(&done, 1);  if (ticket == gridDim.x - 1) { ... }        the second launch goes on counting

`atomicInc(&done, gridDim.x - 1)` sets the counter back by itself, and `atomicAdd(&done, 1) % gridDim.x` needs no one to do so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.synchronization.launched_once import is_made_once
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.launch_text import launches_of
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_COUNTER = re.compile(
    r"__device__\s+(?:(?:static|volatile)\s+)*(?:unsigned(?:\s+(?:int|long\s+long))?|int|u?int(?:32|64)_t|uint)\s+(\w+)\s*"
    r"(?:=\s*\{?\s*0?[uU]?\s*\}?)?\s*;"
)
_COUNTS = re.compile(r"^(::)?atomic(Add|Inc)(_system)?$")
_ONES = ("1", "1u", "1U", "1ull", "1ULL")
_LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop")


def unreset_counters(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each counter that the last block is found by, where the kernel may be launched again."""
    text = outline.root.file.text
    if "gridDim" not in text or "atomic" not in text:
        return
    alone = counters_of(text, 2)
    if not alone:
        return
    program = program_of(outline)
    for body in bodies(program, ("kernel",)):
        for node in body.nodes:
            name = _counted(node)
            if name in alone and _finds_the_last(node, body) and _may_run_again(body, program):
                text = f"nothing sets `{name}` back: no block of a later launch finds that it is the last one"
                yield GuardIssue(body.function, node, text)


def counters_of(text: str, mentions: int) -> set[str]:
    """Counters of the file that begin with zero, and whose name stands so often in it."""
    code = _COMMENT.sub(" ", text)
    return {name for name in _COUNTER.findall(code) if len(re.findall(rf"\b{name}\b", code)) == mentions}


def added_counter(node: Syntax) -> str:
    """The variable that an atomic of any number adds to."""
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or arguments is None or len(arguments.children) != 2:
        return ""
    target = arguments.children[0].bare
    return target[1:] if _COUNTS.match(callee.text) is not None and target.startswith("&") else ""


def _counted(node: Syntax) -> str:
    """The variable that the call adds one to for good."""
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or arguments is None or len(arguments.children) != 2:
        return ""
    kind = _COUNTS.match(callee.text)
    target, given = (argument.bare for argument in arguments.children)
    if kind is None or not target.startswith("&"):
        return ""
    stays = given in _ONES if kind[2] == "Add" else not given.endswith(("-1", "-1u", "-1U"))
    return target[1:] if stays else ""


def _finds_the_last(count: Syntax, body: Body) -> bool:
    """Its result is compared with the number of the last block, or with all blocks where one is added."""
    for node in body.nodes:
        if node.kind != "binary_expression" or node.op != "==" or len(node.children) != 2:
            continue
        for side, other in (node.children, node.children[::-1]):
            more = _more_than(count, side, body)
            end = re.sub(r"^\((?:int|unsigned|unsignedint)\)", "", other.bare)
            if more is not None and re.fullmatch(_BLOCKS + (r"-1[uU]?" if more == 0 else ""), end):
                return True
    return False


_BLOCKS = r"\(?(?:gridDim\.[xyz]\*?)+\)?"
_SET = ("init_declarator", "assignment_expression")


def _more_than(count: Syntax, side: Syntax, body: Body) -> int | None:
    """0 or 1: how much more than the count the expression is; a remainder of it is something else."""
    node = uncast(side)
    while node.kind == "parenthesized_expression" and len(node.children) == 1:
        node = uncast(node.children[0])
    if node is count:
        return 0
    if node.kind == "binary_expression" and node.op == "+" and node.children[1].text in _ONES:
        return 1 if _more_than(count, node.children[0], body) == 0 else None
    values = [v for v in _values(node, body) if v.start <= count.start < v.end]
    return None if not values or node.start < count.start else _more_than(count, values[0], body)


def _values(place: Syntax, body: Body) -> list[Syntax]:
    """What a variable, member or element gets; nothing where it changes in place or is made of itself."""
    found = []
    for node in body.nodes:
        if node.kind in (*_SET, "update_expression") and node.children and node.children[0].text == place.text:
            value = node.child("value") or node.child("right")
            if (
                value is None
                or node.op not in ("", "=")
                or re.search(rf"(?<!\w){re.escape(place.text)}(?!\w)", value.text)
            ):
                return []
            found.append(value)
    return found


def _may_run_again(body: Body, program: Program) -> bool:
    """Some launch of it is in a loop, or in a function that may be called again; `main` runs once."""
    launches = launches_of(body.function.name, program)
    return not launches or len(launches) > 1 or any(_is_repeated(launch, program) for launch in launches)


def _is_repeated(launch: TextLaunch, program: Program) -> bool:
    if launch.function.name != "main":
        return not is_made_once(launch, program)
    loops = (n for n in launch.function.body.walk() if n.kind in _LOOPS)
    return any(loop.start <= launch.node.start < loop.end for loop in loops)
