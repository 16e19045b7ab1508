"""Loops in which a block waits for others of its launch that may never start: nothing makes all of them resident at once.

__global__ void step(int* arrived, ...) { ...  atomicAdd(arrived, 1);  while (*(volatile int*)arrived < gridDim.x) ; ... }
step<<<n / 256, 256>>>(arrived, ...);                                  // more blocks than the device holds: the first wait for ever

Blocks start in no order that the language promises, and those that wait do not make room (CUDA C++ Programming Guide, "Grid
Synchronization"). Whoever waits for blocks with a smaller number, or with a smaller ticket, waits for blocks that have started on
all devices known; a single block that waits leaves room for the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.synchronization.block_wait_launches import Residence, residence_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.launch_text import plain_name
from cudalint.analysis.text.methods import CLASSES
from cudalint.analysis.text.shared_names import declared_shared
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_LOOPS = ("while_statement", "do_statement", "for_statement")
_UNCHANGED = re.compile(r"^(?:::)?atomic(?:Add|Or|Xor|Sub|Max)(?:_system|_block)?$")
_LOADS = re.compile(
    r"^(?:::)?(?:__ldcg|__ldcv|__ldvolatile|(?:\w*::)*\w*(?:ld|load)\w*(?:acquire|acq|volatile|relaxed)\w*)$",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"^(?:::)?(?:atomic(?:Add|Inc|Dec|Sub|Exch|Or|Max|Min|And)(?:_system)?|(?:\w*::)*\w*(?:st|store|red)\w*(?:release|rel|add)\w*)$"
)
_MEMBER_CHANGES = re.compile(r"(\.|->)(store|fetch_\w+|exchange)$")
_COUNTS = re.compile(r"^(?:::)?(?:atomic(?:Add|Inc|Sub|Dec)(?:_system)?|(?:\w*::)*\w*red\w*add\w*)$")
_PAUSES = re.compile(r"^(?:::)?(?:__nanosleep|__threadfence\w*|__sync\w+|clock\w*|__\w*fence\w*)$")
_BLOCK = re.compile(r"\bblockIdx\b")
_GRID = re.compile(r"\bgridDim\b")
_ZEROS = re.compile(r"0[uUlL]*$")
_ENDLESS = re.compile(r"\(*(?:true|1)?;?\)*")
_GUARDS = ("if_statement",)
ALL, LATER, EARLIER = "all", "later", "earlier"


@dataclass(frozen=True, slots=True)
class Wait:
    """A loop that reads `memory` until another thread has changed it."""

    loop: Syntax
    read: Syntax
    memory: str


def block_waits(outline: Outline) -> Iterator[GuardIssue]:
    """At most one issue for each loop; certain where a launch lets the grid grow with the problem."""
    text = outline.root.file.text
    if "while" not in text and "for" not in text:
        return
    program = program_of(outline)
    kernels = list(bodies(program, ("kernel",)))
    helpers = _helpers(program)
    told: set[int] = set()
    for kernel in kernels:
        for body, given in _reached(kernel, helpers):
            for wait in _waits(body):
                if wait.loop.start in told or _is_local(wait.memory, body, given):
                    continue
                who = _waited_for(wait, body, kernel, helpers, given)
                residence = residence_of(kernel.function.name, program) if who is not None else Residence.ENSURED
                if who is None or residence is Residence.ENSURED:
                    continue
                told.add(wait.loop.start)
                yield _issue(wait, body, kernel, who, residence)


def _issue(wait: Wait, body: Body, kernel: Body, who: str, residence: Residence) -> GuardIssue:
    whom = {
        ALL: "all blocks of the launch", LATER: "a block that starts later", EARLIER: "a block with a smaller number",
    }[who]  # fmt: skip
    text = (
        f"this loop waits for {whom}, and nothing ensures that these run while the blocks that wait occupy the device"
    )
    certain = residence is Residence.OPEN and who != EARLIER
    return GuardIssue(body.function, wait.loop, text, wait.read, certain=certain)


# --- loops that wait ---------------------------------------------------------------------------------------------------


def _waits(body: Body) -> Iterator[Wait]:
    for node in body.nodes:
        condition = _end_of(node)
        if condition is None or not _does_nothing_else(node):
            continue
        names = {n.text for n in condition.walk() if n.kind == "identifier"}
        for read in (n for n in node.walk() if _is_observed(n, body)):
            inside = condition.start <= read.start < condition.end
            if inside or _taken_by(read, body) in names:
                memory = _memory(read)
                if memory:
                    yield Wait(node, read, memory)
                break


def _end_of(loop: Syntax) -> Syntax | None:
    """The condition of a loop, or of the one `break` of a loop without end."""
    condition, body = loop.child("condition"), loop.child("body")
    if loop.kind not in _LOOPS or body is None:
        return None
    if condition is not None and _ENDLESS.fullmatch(condition.bare) is None:
        return condition
    leaving = [n for n in body.walk() if n.kind == "if_statement" and _is_break(n.child("consequence"))]
    return leaving[0].child("condition") if len(leaving) == 1 and loop.text.count("break") == 1 else None


def _is_break(branch: Syntax | None) -> bool:
    if branch is not None and branch.kind == "compound_statement" and len(branch.children) == 1:
        branch = branch.children[0]
    return branch is not None and branch.kind == "break_statement"


def _does_nothing_else(loop: Syntax) -> bool:
    """Between the reads it sleeps or fences at most, and changes variables alone."""
    for node in loop.walk():
        if node.kind == "assignment_expression":
            left = node.child("left")
            if left is None or left.kind != "identifier":
                return False
        elif node.kind == "call_expression":
            if not (_is_load(node) or _PAUSES.match(_callee(node))):
                return False
        elif node.kind in ("return_statement", "continue_statement") or (node is not loop and node.kind in _LOOPS):
            return False
    return True


def _is_load(call: Syntax) -> bool:
    """An atomic that changes nothing, or a load of a stated order."""
    name, arguments = _callee(call), call.child("arguments")
    given = () if arguments is None else arguments.children
    if _UNCHANGED.match(name):
        return len(given) == 2 and _ZEROS.match(given[1].text) is not None
    if name.endswith("atomicCAS"):
        return len(given) == 3 and given[1].bare == given[2].bare
    return _LOADS.match(name) is not None or name.endswith((".load", "->load"))


def _is_observed(node: Syntax, body: Body) -> bool:
    if node.kind == "call_expression":
        return _is_load(node)
    if node.kind == "pointer_expression" and node.op == "*":
        return True
    if node.kind == "subscript_expression":
        return True
    if node.kind != "identifier" or node.text in body.scope.types or node.text in body.scope.parameters:
        return False
    return re.search(rf"__device__[^;(){{}}]*\b{re.escape(node.text)}\b", body.function.body.file.text) is not None


def _taken_by(read: Syntax, body: Body) -> str | None:
    for parent, child in body.ancestors(read):
        if parent.kind == "assignment_expression" and parent.child("right") is child:
            left = parent.child("left")
            return None if left is None else left.text
        if parent.kind == "init_declarator":
            name = parent.child("declarator")
            return None if name is None else name.text
        if parent.kind not in ("cast_expression", "pointer_expression", "binary_expression"):
            return None
    return None


def _memory(read: Syntax) -> str:
    """The name that the address begins with."""
    start = read.child("arguments") if read.kind == "call_expression" else read
    if read.kind == "call_expression" and _callee(read).endswith(("load",)):
        start = read.child("function")
    return "" if start is None else _root(start)


def _is_local(memory: str, body: Body, given: dict[str, str]) -> bool:
    """Shared memory, or a variable that holds no address of global memory."""
    if memory in declared_shared(body):
        return True
    is_global = memory in body.scope.parameters or memory not in body.scope.types
    points = body.scope.types.get(memory) == "pointer" and memory in body.scope.values
    return not (is_global or points)


# --- who is waited for -------------------------------------------------------------------------------------------------


def _waited_for(wait: Wait, body: Body, kernel: Body, helpers: dict[str, Body], given: dict[str, str]) -> str | None:
    if _is_left_to_one_block(wait.loop, body):
        return None
    memory = given.get(wait.memory, wait.memory)
    changes = list(_changes(memory, kernel, helpers))
    if not changes or any(_callee(change).endswith("atomicCAS") for _, change in changes):
        return None  # others set it, or it is a lock
    where = _index_of(wait.read, body)
    if where is not None and (order := _order(where, body)) is not None:
        return order
    ways = [_guard_of(change, owner) for owner, change in changes]
    if any(way == LATER for way in ways):
        return LATER
    if all(way == EARLIER for way in ways):
        return EARLIER
    counted = any(_COUNTS.match(_callee(change)) for (_, change), way in zip(changes, ways) if way is None)
    if counted and _is_compared_with_grid(wait, body, kernel):
        return ALL
    return None


def _is_left_to_one_block(loop: Syntax, body: Body) -> bool:
    """Only one block, or the last that came, waits."""
    for parent, child in body.ancestors(loop):
        condition = parent.child("condition") if parent.kind in _GUARDS else None
        if condition is not None and child is not condition and _names_block(condition, body):
            return True
    return False


def _names_block(condition: Syntax, body: Body) -> bool:
    """`blockIdx.x == 0`, or `ticket == gridDim.x - 1`."""
    for part in condition.walk():
        if part.op == "==" and (_BLOCK.search(_written(part, body)) or _GRID.search(_written(part, body))):
            return True
    return False


def _changes(memory: str, kernel: Body, helpers: dict[str, Body]) -> Iterator[tuple[Body, Syntax]]:
    """Stores and atomics of this kernel on the memory, with those of the functions that it calls."""
    for body, given in _reached(kernel, helpers):
        names = {name for name in (memory, *body.scope.parameters) if given.get(name, name) == memory}
        names |= {n for n, values in body.scope.values.items() if len(values) == 1 and _root(values[0]) in names}
        yield from ((body, node) for node in body.nodes if _is_change(node, names, body))


def _is_change(node: Syntax, names: set[str], body: Body) -> bool:
    """A store or atomic through one of the names; a variable of the device is stored to by its own."""
    if node.kind == "assignment_expression":
        left = node.child("left")
        if left is None:
            return False
        if left.kind in ("subscript_expression", "pointer_expression"):
            return _root(left) in names
        return left.kind == "identifier" and left.text in names and left.text not in body.scope.types
    if node.kind != "call_expression" or _is_load(node):
        return False
    callee, arguments = _callee(node), node.child("arguments")
    first = arguments.children[0] if arguments is not None and arguments.children else None
    if first is not None and (_CHANGES.match(callee) or callee.endswith("atomicCAS")):
        return _root(first) in names
    return _MEMBER_CHANGES.search(callee) is not None and _root(node) in names


def _index_of(read: Syntax, body: Body) -> Syntax | None:
    """The index of the element that is read, where it has one."""
    found = next((n for n in read.walk() if n.kind == "subscript_expression"), None)
    if found is not None:
        return found.child("indices")
    return next((n for n in read.walk() if n.kind == "binary_expression" and n.op in "+-"), None)


def _order(index: Syntax, body: Body) -> str | None:
    """Whose flag it is, by the number of this block."""
    written = _written(index, body)
    if not _BLOCK.search(written):
        return None
    plain = "".join(written.split())
    if re.search(r"blockIdx\.[xyz]\)*\+\(*\d", plain) or re.search(r"\d\)*\+\(*blockIdx", plain):
        return LATER
    return EARLIER if re.search(r"blockIdx\.[xyz]\)*-", plain) else None


def _guard_of(change: Syntax, body: Body) -> str | None:
    """Which block changes it: the last one is later than all others, another one has a number of its own."""
    for parent, child in body.ancestors(change):
        condition = parent.child("condition") if parent.kind in _GUARDS else None
        if condition is None or child is condition:
            continue
        for part in condition.walk():
            written = _written(part, body) if part.op == "==" else ""
            if _GRID.search(written):
                return LATER
            if _BLOCK.search(written):
                return EARLIER
    return None


def _is_compared_with_grid(wait: Wait, body: Body, kernel: Body) -> bool:
    """The loop ends when as many have counted as there are blocks, or as a caller says."""
    condition = _end_of(wait.loop)
    if condition is None:
        return False
    for part in condition.walk():
        if part.op in ("<", "!=", ">", "<=", ">=", "=="):
            written = _written(part, body)
            sides = [side.text for side in part.children]
            if _GRID.search(written) or any(side in body.scope.parameters and body is not kernel for side in sides):
                return True
    return False


# --- text --------------------------------------------------------------------------------------------------------------


def _reached(kernel: Body, helpers: dict[str, Body]) -> Iterator[tuple[Body, dict[str, str]]]:
    """The kernel, and the functions of the file that it calls, with what their pointers are called in it."""
    yield kernel, {}
    for node in kernel.nodes:
        arguments = node.child("arguments") if node.kind == "call_expression" else None
        helper = helpers.get(_called_function(node, kernel)) if arguments is not None else None
        if helper is not None and arguments is not None:
            yield helper, dict(zip(helper.scope.parameters, map(_root, arguments.children)))


def _helpers(program: Program) -> dict[str, Body]:
    """Functions of the device by their names, and methods by those of their classes, too: `Gate.wait`."""
    found: dict[str, Body] = {}
    classes = [n for n in program.outline.root.walk() if n.kind in CLASSES]
    for body in bodies(program, ("device",)):
        around, _, name = body.function.name.rpartition("::")
        found[name] = body
        inside = [c for c in classes if c.start < body.function.body.start < c.end]
        owner = around.rpartition("::")[2] or (_name_of(inside[-1]) if inside else "")
        if owner:
            found.setdefault(f"{owner}.{name}", body)
    return found


def _name_of(structure: Syntax) -> str:
    name = structure.child("name")
    return "" if name is None else name.text.partition("<")[0]


def _called_function(call: Syntax, body: Body) -> str:
    """`wait`, and `Gate.wait` of `gate.wait(round)` for an object that is declared as one."""
    before, _, method = _callee(call).replace("->", ".").rpartition(".")
    if not before:
        return plain_name(method)
    scope, name = body.scope, before.rpartition(".")[2]
    declared = scope.structures.get(name) or scope.outline.members.get(name, "")
    plain = re.sub(r"\b(?:const|volatile|struct)\b|[&*]", "", declared).partition("<")[0].strip()
    plain = scope.outline.types.get(plain, plain).partition("<")[0].rpartition("::")[2].strip()
    return f"{plain}.{method}"


def _written(node: Syntax, body: Body) -> str:
    """The text, with what its variables are made of."""
    written = node.text
    for name in {n.text: None for n in node.walk() if n.kind == "identifier"}:
        values = body.scope.values.get(name, [])
        if len(values) == 1 and name not in body.scope.grown:
            inner = "(" + values[0].text.replace("\\", "") + ")"
            written = re.sub(rf"\b{re.escape(name)}\b", inner, written)
    return written


def _callee(node: Syntax) -> str:
    callee = node.child("function") if node.kind == "call_expression" else None
    return "" if callee is None else callee.text.partition("<")[0].strip()


def _root(node: Syntax) -> str:
    names = (n.text for n in node.walk() if n.kind == "identifier")
    return next((n for n in names if not n.endswith(("_cast", "atomic_ref"))), "")
