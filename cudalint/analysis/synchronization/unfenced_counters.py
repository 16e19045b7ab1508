"""The last block reads what others have stored, and nothing orders their stores before the counter that stands for them.

part[blockIdx.x] = sum;  if (atomicInc(&done, gridDim.x - 1) == gridDim.x - 1) total(part);          // no __threadfence()

CUDA C++ Programming Guide, "Memory Fence Functions": the last block may see the counter before the data. What each thread adds with
an atomic needs no fence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.call_names import plain_name
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.shared_names import handed_arrays, shared_arrays
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.analysis.text.thread_text import ThreadText, thread_text
from cudalint.ir.syntax import Outline, Syntax

_COUNT = re.compile(r"^(::)?atomic(Inc|Add)$")
_ORDERS = re.compile(
    r"fence|membar|memory_order|atomic_ref|\basm\b|__asm|release|acquire|grid\w*\s*\.\s*sync|\bsync\s*\(\s*grid"
)
_COMPARED = ("==", "!=", ">=", "<")
_STEPS = 4
_STORE, _LOAD = re.compile(r"^(__)?st(ore)?(\d+|c[gs]|wt|wb)\w*$"), re.compile(r"^(__)?(load|ld)(\d+|c[gvas]|g)\w*$")
_SET = ("init_declarator", "assignment_expression")


def unfenced_counters(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each counter of blocks."""
    text = outline.root.file.text
    if "gridDim" not in text or "atomic" not in text:
        return
    every = list(bodies(program_of(outline), ("kernel", "device", "host")))
    ordering = {b.function.name for b in every if _ORDERS.search(b.function.body.text)}
    handed = handed_arrays(every)
    for body in every:
        if "gridDim" not in body.function.body.text:
            continue
        threads = thread_text(body)
        for count in (node for node in body.nodes if _COUNT.match(_callee(node))):
            if not _finds_the_last(count, body, threads) or _is_ordered(count, body, ordering):
                continue
            stored = _stored_before(count, body, threads, frozenset(shared_arrays(body, handed)))
            reads = (_reads(node, body, threads) for node in body.nodes if node.start > count.end)
            name = next((name for name in reads if name in stored), "")
            if name:
                what = f"the last block may read `{name}` before it is stored: no fence stands before this counter"
                yield GuardIssue(body.function, count, what, stored[name])


def _finds_the_last(count: Syntax, body: Body, threads: ThreadText) -> bool:
    """Its result is compared with a number of blocks: `ticket == gridDim.x - 1`."""
    parent = body.parents.get(id(count))
    ticket = parent.children[0].text if parent is not None and parent.kind in _SET and parent.children else ""
    for node in body.nodes:
        if node.kind != "binary_expression" or node.op not in _COMPARED or len(node.children) != 2:
            continue
        for side, other in (node.children, node.children[::-1]):
            taken = side.start <= count.start < side.end or (
                ticket and side.text == ticket and node.start > count.start
            )
            if taken and "gridDim" in threads.spelled(other):
                return True
    return False


def _is_ordered(count: Syntax, body: Body, ordering: set[str]) -> bool:
    """Something before the counter may order what others see."""
    before = body.function.body.file.text[body.function.body.start : count.start]
    if _ORDERS.search(before):
        return True
    return any(node.start < count.start and _callee(node) in ordering for node in body.nodes)


def _stored_before(count: Syntax, body: Body, threads: ThreadText, shared: frozenset[str]) -> dict[str, Syntax]:
    """The stores to elements of memory that blocks have in common, by its name."""
    found: dict[str, Syntax] = {}
    for node in body.nodes:
        name = _stored(node) if node.start < count.start else ""
        begun = _beginning(name, body, threads)
        if begun and not {name, begun} & shared:
            found.setdefault(begun, node)
    return found


def _stored(node: Syntax) -> str:
    """The name of the memory that an assignment, or a call such as `store128(parts + i, v)`, stores an element to."""
    if node.kind == "assignment_expression" and node.op == "=":
        target = node.child("left")
        return _root(target) if target is not None and target.kind == "subscript_expression" else ""
    arguments = node.child("arguments")
    if arguments is None or not arguments.children or not _STORE.match(plain_name(_callee(node))):
        return ""
    return next((n.text for n in arguments.children[0].walk() if n.kind == "identifier"), "")


def _beginning(name: str, body: Body, threads: ThreadText) -> str:
    """The memory of all blocks that a pointer leads to: a parameter, a member or a variable of the file; else nothing.

    A pointer of the function's own begins in it: `float *out = parts + blockIdx.y * n;`
    """
    for _ in range(_STEPS):
        if not name or name in body.scope.parameters or name not in threads.locals:
            return name
        declared = [local.value for local in threads.locals[name]]
        start = declared[0] if len(declared) == 1 else None
        if start is None or not _is_pointer(start, body):
            return ""
        name = next((n.text for n in start.walk() if n.kind == "identifier" and not n.text.endswith("_cast")), "")
    return ""


def _is_pointer(value: Syntax, body: Body) -> bool:
    """It is the first value of what is declared `T *name = value`."""
    around = body.parents.get(id(value))
    declarator = None if around is None else around.child("declarator")
    return declarator is not None and declarator.kind == "pointer_declarator"


def _reads(node: Syntax, body: Body, threads: ThreadText) -> str:
    """The memory of all blocks of which the node reads an element."""
    arguments = node.child("arguments")
    if arguments is not None and len(arguments.children) == 1 and _LOAD.match(plain_name(_callee(node))):
        named = next((n.text for n in arguments.children[0].walk() if n.kind == "identifier"), "")
        return _beginning(named, body, threads)
    if node.kind != "subscript_expression":
        return ""
    parent = body.parents.get(id(node))
    is_stored = parent is not None and parent.kind == "assignment_expression" and parent.child("left") is node
    return "" if is_stored and parent is not None and parent.op == "=" else _beginning(_root(node), body, threads)


def _root(node: Syntax) -> str:
    """`part` of `part[i]`, `part[i].x`; nothing where it is no name."""
    while node.kind in ("subscript_expression", "field_expression") and node.children:
        node = node.children[0]
    return node.text if node.kind == "identifier" else ""


def _callee(node: Syntax) -> str:
    callee = node.child("function") if node.kind == "call_expression" else None
    return "" if callee is None else callee.text.partition("<")[0].strip()
