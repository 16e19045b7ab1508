"""Memory that a function allocates for its caller, into its own copy of the pointer.

void upload(float *d, const float *h, int n) { cudaMalloc(&d, n);  ... }      the caller's pointer stays as it was
void upload(float **d, ...) { cudaMalloc(d, n); }     void upload(float *&d, ...) { cudaMalloc(&d, n); }
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.memory.unawaited_copies import called
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ALLOCATES = re.compile(r"(cuda|hip)(Malloc(Managed|Async|Host|Pitch)?|HostAlloc|HostMalloc)")
_KEEPS_NOTHING = re.compile(
    r"(cuda|hip)(Malloc\w*|HostAlloc|HostMalloc|Memcpy\w*|Memset\w*|MemPrefetchAsync|MemAdvise)|printf|fprintf|assert|sizeof"
    r"|memcpy|memset|fread"
)


def lost_allocations(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each allocation whose pointer leaves the function nowhere."""
    if "Malloc" not in outline.root.text and "HostAlloc" not in outline.root.text:
        return
    for body in bodies(program_of(outline), ("host",)):
        passed = dict(_passed_by_value(body))
        for node in body.nodes if passed else ():
            name = _receiver(node)
            if name in passed and not _is_kept(name, body):
                text = f"the allocation is lost: `{name}` is a copy of the pointer that the caller has"
                yield GuardIssue(body.function, node, text, passed[name])


def _passed_by_value(body: Body) -> Iterator[tuple[str, Syntax]]:
    """`float *d`, neither `float **d` nor `float *&d`."""
    for parameter in body.function.parameters:
        declarator = parameter.child("declarator")
        if declarator is None or declarator.kind != "pointer_declarator":
            continue
        inner = declarator.child("declarator")
        if inner is not None and inner.kind == "identifier":
            yield inner.text, parameter


def _receiver(node: Syntax) -> str:
    """d of `cudaMalloc((void **)&d, n)`."""
    arguments = node.child("arguments")
    if node.kind != "call_expression" or arguments is None or not arguments.children:
        return ""
    target = uncast(arguments.children[0])
    inner = target.child("argument")
    if _ALLOCATES.fullmatch(called(node)) is None or target.op != "&" or inner is None or inner.kind != "identifier":
        return ""
    return inner.text


def _is_kept(name: str, body: Body) -> bool:
    """It is returned, stored, freed, or given to anything but copies, fills and launches."""
    return any(node.kind == "identifier" and node.text == name and _is_handed_on(node, body) for node in body.nodes)


def _is_handed_on(name: Syntax, body: Body) -> bool:
    for parent, child in body.ancestors(name):
        if parent.kind in ("return_statement", "lambda_expression", "initializer_list", "delete_expression"):
            return True
        if parent.kind in ("init_declarator", "assignment_expression"):
            return (parent.child("value") or parent.child("right")) is child and child.kind != "call_expression"
        if parent.kind == "call_expression":
            launch = any(each.kind == "kernel_call_syntax" for each in parent.children)
            plain = launch or _KEEPS_NOTHING.fullmatch(called(parent)) is not None
            if not plain and uncast(parent) is parent:
                return True
            if plain:
                return False
        if parent.kind.endswith("statement"):
            return False
    return False
