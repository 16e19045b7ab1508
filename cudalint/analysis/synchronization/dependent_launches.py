"""Kernels that start before the one in front of them has ended, and read what that one writes before they have waited for it.

attr.val.programmaticStreamSerializationAllowed = 1;   fill<<<...>>>(x);   cudaLaunchKernelEx(&config, use, x, y);
__global__ void use(...) { float v = x[i];  cudaGridDependencySynchronize();  ... }

With that attribute the stream orders nothing but what stands behind the wait (CUDA C++ Programming Guide, "Programmatic Dependent
Launch and Synchronization"). Memory of which no earlier kernel of the host function is known to write it may hold constants.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.launch_text import kernels_by_name, plain_name
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_ALLOWED = re.compile(r"(\w+)(?:\[\w+\])?\s*\.\s*\w+\s*\.\s*programmaticStreamSerializationAllowed$")
_WAITS = re.compile(r"GridDependencySynchronize|griddepcontrol\.wait")
_NAMED_WAIT = re.compile(
    r"(pdl|gdc|grid|depend|primary|griddep)\w*(wait|sync)|wait\w*(grid|depend|primary|pdl)", re.IGNORECASE
)
_MACRO = re.compile(r"#\s*define\s+(\w+)(?:[^\n\\]|\\\n|\\.)*?(?:GridDependencySynchronize|griddepcontrol\.wait)")
_BUILTIN = re.compile(
    r"(?:__\w+|atomic\w+|(?:float|int|uint|double|half|dim|make_)\w*|cudaTrigger\w*|(?:\w*::)*(?:min|max|abs|sqrt|exp|log|pow)f?|"
    r"f(?:abs|max|min|ma|mod|loor)\w*|(?:sqrt|rsqrt|exp|log|tanh|sin|cos|pow|ceil|round|erf)\w*|"
    r"(?:static|reinterpret|const)_cast|sizeof|printf|assert|[\w:.]*(?:thread_rank|sync|size|this_\w+))\Z"
)
_ACCESS = ("subscript_expression", "pointer_expression")


@dataclass(frozen=True, slots=True)
class _Launch:
    """In host code; `early`: it may start before what is in front of it has ended."""

    kernel: str
    arguments: tuple[Syntax, ...]
    node: Syntax
    early: bool


def early_reads(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel, at its first access before the wait."""
    if "programmaticStreamSerializationAllowed" not in outline.root.file.text:
        return
    program = program_of(outline)
    kernels = kernels_by_name(outline)
    waiting = _waiting_names(outline)
    by_function = {id(body.function): body for body in bodies(program, ("kernel",))}
    told: set[str] = set()
    for host in bodies(program, ("host",)):
        launches = _launches(host)
        for position, launch in enumerate(launches):
            named = kernels.get(launch.kernel, ())
            if not launch.early or len(named) != 1 or launch.kernel in told:
                continue
            issue = _issue(by_function[id(named[0])], launch, launches[:position], program, kernels, waiting)
            if issue is not None:
                told.add(launch.kernel)
                yield issue


def _issue(
    body: Body, launch: _Launch, earlier: list[_Launch], program: Program,
    kernels: dict[str, list[TextFunction]], waiting: frozenset[str],
) -> GuardIssue | None:  # fmt: skip
    wait = next((node for node in body.nodes if _is_wait(node, waiting)), None)
    writers = {_root(a): before for before in earlier for a in _written_by(before, kernels, program)}
    first: Syntax | None = None
    for access, name in _accesses(body):
        if wait is not None and access.start > wait.start:
            break
        given = dict(zip(body.scope.parameters, launch.arguments))
        writer = writers.get(_root(given[name])) if name in given else None
        if writer is not None:
            text = f"`{name}` is accessed before this kernel has waited for the one that writes it: its launch lets it start early"
            return GuardIssue(body.function, access, text, writer.node)
        first = first or access
    if first is None:
        return None
    if wait is None and _is_understood(body, program):
        text = "this kernel is launched to start before the one in front of it has ended, and never waits for that one"
        return GuardIssue(body.function, first, text, launch.node, certain=not earlier)
    text = "memory is accessed before this kernel has waited for the one in front of it: its launch lets it start early"
    return GuardIssue(body.function, first, text, launch.node, certain=False)


# --- host code ---------------------------------------------------------------------------------------------------------


def _launches(host: Body) -> list[_Launch]:
    early = _early_configurations(host)
    found: list[_Launch] = []
    for node in host.nodes:
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind != "call_expression" or callee is None or arguments is None:
            continue
        given = arguments.children
        if any(child.kind == "kernel_call_syntax" for child in node.children):
            found.append(_Launch(plain_name(callee.text), given, node, False))
        elif plain_name(callee.text) in ("cudaLaunchKernelEx", "cudaLaunchKernelExC") and len(given) > 1:
            kernel = _kernel(given[1], host)
            passed = given[2:] if callee.text.endswith("Ex") else ()
            found.append(_Launch(kernel, passed, node, given[0].text.lstrip("& ") in early))
    return found


def _kernel(node: Syntax, host: Body) -> str:
    values = host.scope.values.get(node.text, []) if node.kind == "identifier" else []
    written = values[0].text if len(values) == 1 else node.text
    return plain_name(re.sub(r"^\((?:const )?void\s*\*\)\s*&?", "", written))


def _early_configurations(host: Body) -> frozenset[str]:
    """Configurations with an attribute that allows it, whatever decides how many of the attributes count."""
    allowed: set[str] = set()
    for node in host.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind == "assignment_expression" and left is not None and right is not None:
            match = _ALLOWED.search(left.text)
            if match is not None and right.text not in ("0", "false"):
                allowed.add(match[1])
    found: set[str] = set()
    for node in host.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind == "assignment_expression" and left is not None and right is not None:
            if left.text.endswith(".attrs") and _root(right) in allowed:
                found.add(left.text.removesuffix(".attrs"))
            elif left.text.endswith(".numAttrs") and right.text == "0":
                found.discard(left.text.removesuffix(".numAttrs"))
        elif node.kind == "init_declarator" and (value := node.child("value")) is not None:
            names = {n.text for n in value.walk() if n.kind == "identifier"}
            if value.kind == "initializer_list" and names & allowed and (name := node.child("declarator")) is not None:
                found.add(name.text)
    return frozenset(found)


def _written_by(launch: _Launch, kernels: dict[str, list[TextFunction]], program: Program) -> Iterator[Syntax]:
    """The arguments behind which a kernel of the file stores."""
    for kernel in kernels.get(launch.kernel, ()):
        body = next(b for b in bodies(program, ("kernel",)) if b.function is kernel)
        written = {name for access, name in _accesses(body) if _is_stored(access, body)}
        yield from (a for p, a in zip(body.scope.parameters, launch.arguments) if p in written)


# --- kernels -----------------------------------------------------------------------------------------------------------


def _waiting_names(outline: Outline) -> frozenset[str]:
    """Functions and macros of the file that wait."""
    found = {f.name.rpartition("::")[2] for f in outline.functions if f.role != "kernel" and _WAITS.search(f.body.text)}
    return frozenset(found | set(_MACRO.findall(outline.root.file.text)))


def _is_wait(node: Syntax, waiting: frozenset[str]) -> bool:
    if node.kind == "gnu_asm_expression":
        return _WAITS.search(node.text) is not None
    callee = node.child("function") if node.kind == "call_expression" else None
    if callee is None:
        return node.kind == "identifier" and node.text in waiting
    name = plain_name(callee.text)
    return name in waiting or _WAITS.search(name) is not None or _NAMED_WAIT.search(callee.text) is not None


def _is_understood(body: Body, program: Program) -> bool:
    """Every function that it calls is of the file or of the language: none of them waits."""
    known = {f.name.rpartition("::")[2] for f in program.outline.functions}
    for node in body.nodes:
        callee = node.child("function") if node.kind == "call_expression" else None
        if callee is not None and plain_name(callee.text) not in known and not _BUILTIN.match(plain_name(callee.text)):
            return False
    return True


def _accesses(body: Body) -> Iterator[tuple[Syntax, str]]:
    """Elements behind pointer parameters, or behind pointers that were made of one, in the order of the text."""
    for node in body.nodes:
        if node.kind not in _ACCESS or node.op == "&":
            continue
        if node.kind == "pointer_expression" and node.op != "*":
            continue
        name = _parameter(node, body)
        parent = body.parents.get(id(node))
        is_inner = parent is not None and parent.kind == "subscript_expression" and parent.child("argument") is node
        if name is not None and not is_inner and not _is_address(node, body):
            yield node, name


def _is_address(node: Syntax, body: Body) -> bool:
    """`&x[i]`, unless a load is made of it at once."""
    parent = body.parents.get(id(node))
    if parent is None or parent.op != "&" or parent.kind != "pointer_expression":
        return False
    arguments = body.parents.get(id(parent))
    call = None if arguments is None else body.parents.get(id(arguments))
    callee = None if call is None else call.child("function")
    return callee is None or re.match(r"__ld|ld_|load|atomic|__st", plain_name(callee.text)) is None


def _parameter(node: Syntax, body: Body) -> str | None:
    base = node.child("argument")
    name = "" if base is None else _root(base)
    for _ in range(3):
        if name in body.scope.parameters:
            return name if body.scope.types.get(name) == "pointer" else None
        values = body.scope.values.get(name, [])
        if len(values) != 1 or body.scope.types.get(name) != "pointer":
            return None
        name = _root(values[0])
    return None


def _is_stored(access: Syntax, body: Body) -> bool:
    parent = body.parents.get(id(access))
    if parent is None:
        return False
    if parent.kind == "assignment_expression":
        return parent.child("left") is access
    atomic = next((n for n, _ in body.ancestors(access) if n.kind == "call_expression"), None)
    callee = None if atomic is None else atomic.child("function")
    return parent.kind == "update_expression" or (callee is not None and callee.text.startswith("atomic"))


def _root(node: Syntax) -> str:
    return next((n.text for n in node.walk() if n.kind == "identifier" and not n.text.endswith("_cast")), "")
