"""What the host passes by its own address: variables of the device without their address there, and references to kernels.

__constant__ float taps[64];   cudaMemcpy(taps, h, bytes, cudaMemcpyHostToDevice);      the address is one of the host
__global__ void k(const Camera &camera, float *x);                                      so is what the reference holds
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import program_of
from cudalint.ir.syntax import Outline, Syntax

_VARIABLE = re.compile(
    r"^[ \t]*(?:static[ \t]+|extern[ \t]+)*__(?:constant|device)__[ \t]+(?:static[ \t]+|volatile[ \t]+|const[ \t]+|unsigned[ \t]+)*"
    r"[A-Za-z_][\w:]*[ \t]+(\*?)[ \t]*(\w+)[ \t]*((?:\[[^\]\n]*\][ \t]*)+|)(?:;|=)",
    re.MULTILINE,
)
_TAKES = {
    **dict.fromkeys(("Memcpy", "MemcpyAsync"), (0, 1)),
    **dict.fromkeys(("Memcpy2D", "Memcpy2DAsync"), (0, 2)),
    **dict.fromkeys(("Memset", "MemsetAsync", "Memset2D", "Memset2DAsync", "Free"), (0,)),
}


def symbols_as_pointers(outline: Outline) -> Iterator[GuardIssue]:
    """Copies, fills and launches on the host that take the name of a variable of the device for its address."""
    known = {found[2]: bool(found[3]) for found in _VARIABLE.finditer(outline.root.text) if not found[1]}
    for body in bodies(program_of(outline), ("host",)) if known else ():
        for node in body.nodes:
            for argument in _addresses(node):
                value = uncast(argument)
                taken = value.child("argument") if value.kind == "pointer_expression" and value.op == "&" else None
                name = (taken or value).text
                is_address = known.get(name, False) or (taken is not None and name in known)
                if is_address and name not in body.scope.types:
                    text = f"`{short(argument)}` is the host's address of `{name}`, which is a variable of the device"
                    yield GuardIssue(body.function, argument, text)


def _addresses(node: Syntax) -> tuple[Syntax, ...]:
    """The arguments that the device takes for addresses of its own."""
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or arguments is None:
        return ()
    if any(child.kind == "kernel_call_syntax" for child in node.children):
        return arguments.children
    places = _TAKES.get(re.sub(r"^(::)?(cuda|hip)", "", callee.text), ()) if "<" not in callee.text else ()
    return tuple(arguments.children[place] for place in places if place < len(arguments.children))


def reference_parameters(outline: Outline) -> Iterator[GuardIssue]:
    """Parameters of kernels that are references."""
    for body in bodies(program_of(outline), ("kernel",)):
        for parameter in body.function.parameters:
            declarator = parameter.child("declarator")
            if declarator is None or declarator.kind != "reference_declarator" or "&&" in parameter.text:
                continue
            if not _has_variants(parameter):
                text = f"`{short(parameter)}`: the kernel gets an address of the host"
                yield GuardIssue(body.function, parameter, text)


def _has_variants(parameter: Syntax) -> bool:
    """A directive in the head of the function chooses what it is: a kernel, or a function of the device with references."""
    before = parameter.file.text[: parameter.end]
    head = before[max(before.rfind("}"), before.rfind(";")) + 1 :]
    return re.search(r"^\s*#\s*(if|el)", head, re.MULTILINE) is not None
