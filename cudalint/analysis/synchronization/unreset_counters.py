"""Counters of blocks that only the first launch finds at zero: a variable of the file that nobody sets back.

__device__ unsigned done = 0;
ticket = atomicAdd(&done, 1);  if (ticket == gridDim.x - 1) { ... }        the second launch goes on counting

`atomicInc(&done, gridDim.x - 1)` sets the counter back by itself.

__device__ int found;   int search(x, n) { k<<<g, b>>>(x, n);  cudaMemcpyFromSymbol(&h, found, sizeof h);  return h; }

So does what a function reads behind its own launch, and nothing sets before: the second call counts on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.launch_text import launches_of
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
    code = _COMMENT.sub(" ", text)
    alone = {name for name in _COUNTER.findall(code) if len(re.findall(rf"\b{name}\b", code)) == 2}
    if not alone:
        return
    program = program_of(outline)
    for body in bodies(program, ("kernel",)):
        for node in body.nodes:
            name = _counted(node)
            if name in alone and _finds_the_last(node, body) and _may_run_again(body, program):
                text = f"nothing sets `{name}` back: no block of a later launch finds that it is the last one"
                yield GuardIssue(body.function, node, text)


def counted_on(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each counter that a function reads behind the launch that adds to it, at the read."""
    text = outline.root.file.text
    if "FromSymbol" not in text or "atomic" not in text:
        return
    code = _COMMENT.sub(" ", text)
    named = {name for name in _COUNTER.findall(code) if len(re.findall(rf"\b{name}\b", code)) == 3}
    if not named:
        return
    program = program_of(outline)
    added = {
        name: (body, node) for body in bodies(program, ("kernel",)) for node in body.nodes if (name := _added(node))
    }
    for host in bodies(program, ("host",)):
        for node in host.nodes:
            name = _read_back(node)
            if name not in named or name not in added or host.function.name == "main":
                continue
            body, add = added[name]
            launches = [each for each in launches_of(body.function.name, program) if each.function is host.function]
            if any(each.node.start < node.start for each in launches):
                text = f"nothing sets `{name}` before the launch: the second call of `{host.function.name}` counts on"
                yield GuardIssue(host.function, node, text, add)


def _added(node: Syntax) -> str:
    """The variable that an atomic of any number adds to."""
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or arguments is None or len(arguments.children) != 2:
        return ""
    target = arguments.children[0].bare
    return target[1:] if _COUNTS.match(callee.text) is not None and target.startswith("&") else ""


def _read_back(node: Syntax) -> str:
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or arguments is None or len(arguments.children) < 3:
        return ""
    return arguments.children[1].bare if re.fullmatch(r"(cuda|hip)MemcpyFromSymbol(Async)?", callee.text) else ""


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
    """Its result is compared with the number of the last block."""
    parent = body.parents.get(id(count))
    ticket = parent.children[0].text if parent is not None and parent.kind in _SET and parent.children else ""
    for node in body.nodes:
        if node.kind != "binary_expression" or node.op != "==" or len(node.children) != 2:
            continue
        for side, other in (node.children, node.children[::-1]):
            if side.start <= count.start < side.end or (ticket and side.text == ticket and node.start > count.start):
                if re.fullmatch(r"\(?(?:gridDim\.[xyz]\*?)+\)?-1[uU]?", other.bare):
                    return True
    return False


_SET = ("init_declarator", "assignment_expression")


def _may_run_again(body: Body, program: Program) -> bool:
    """Some launch of it is in a loop, or in a function that may be called again; `main` runs once."""
    launches = launches_of(body.function.name, program)
    return not launches or len(launches) > 1 or any(_is_repeated(launch, program) for launch in launches)


def _is_repeated(launch: TextLaunch, program: Program) -> bool:
    if launch.function.name != "main":
        return True
    loops = (n for n in launch.function.body.walk() if n.kind in _LOOPS)
    return any(loop.start <= launch.node.start < loop.end for loop in loops)
