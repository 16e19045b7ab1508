"""Memory that is asked for by a number of elements, of a function of the file that hands out so many bytes.

void *request(size_t bytes) { void *p; cudaMalloc(&p, bytes); return p; }
float *sums = (float *)request(blocks);   add<<<blocks, 256>>>(x, sums);                  sums has one element for each block
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.memory.launched_counts import bounded, expanded
from cudalint.analysis.memory.short_allocations import factors_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches
from cudalint.analysis.text.scopes import cast_target, uncast
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.analysis.text.type_widths import bytes_of_type
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_ALLOCATES = re.compile(r"(?:::)?(?:cuda|hip)(?:Malloc|MallocAsync|MallocManaged|MallocHost|HostAlloc|HostMalloc)")
_ON_HOST = re.compile(r"(?:::|std::)?malloc|(?:::)?operator new")
_OF_BYTES = re.compile(r"byte|sizeof|mem|pitch|sz|size|stride|space|\bconst_cast", re.IGNORECASE)
_PLAIN = ("min", "max", "size_t", "int", "int64_t")
_LAYERS = 2  # of functions that hand on what they are told
_BLOCK = re.compile(r"(\(?(int|unsigned|size_t)\)?\(?)?blockIdx\.x\)?")
_LEAST_WIDTH = 2


def requested_counts(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each call; what it is about is the launch."""
    if "lloc" not in outline.root.text or "<<<" not in outline.root.text:
        return
    program = program_of(outline)
    handing_out = _handing_out(program)
    launches: dict[int, list[TextLaunch]] = {}
    for launch in text_launches(program):
        launches.setdefault(id(launch.function), []).append(launch)
    kernels = {id(body.function): body for body in bodies(program, ("kernel",))}
    named = kernels_by_name(outline)
    for host in bodies(program, ("host",)) if handing_out else ():
        for node in host.nodes if id(host.function) in launches else ():
            count = _count(node, handing_out)
            array = "" if count is None else _array(node, host)
            if count is None or not array or not _counts_elements(count, host):
                continue
            for launch in launches[id(host.function)]:
                known = named.get(launch.kernel, [])
                kernel = kernels.get(id(known[0])) if len(known) == 1 else None
                if launch.node.start > node.start and _is_for_each(array, count, launch, kernel, host):
                    text = f"`{short(count)}` is a number of elements of `{array}`, and not of bytes"
                    yield GuardIssue(host.function, node, text, launch.node)
                    break


def _handing_out(program: Program) -> dict[str, int]:
    """By the name of each function that allocates as many bytes as it is told: which parameter says so."""
    found: dict[str, int] = {}
    every: dict[str, list[TextFunction]] = {}
    for function in program.outline.functions:
        every.setdefault(function.name.rpartition("::")[2], []).append(function)
    for _ in range(_LAYERS):
        for name, functions in every.items():
            places = {_byte_parameter(function, program, found) for function in functions}
            place = places.pop() if len(places) == 1 else None
            if place is not None:
                found[name] = place
    return found


def _byte_parameter(function: TextFunction, program: Program, known: dict[str, int]) -> int | None:
    """The one that an allocation gets unchanged, or a function that is known to do so."""
    text = function.body.text
    if function.role != "host" or not any(name in text for name in ("lloc", "operator new", *known)):
        return None
    scope = program.scope(function)
    for node in function.body.walk():
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind != "call_expression" or callee is None or arguments is None:
            continue
        place = 1 if _ALLOCATES.fullmatch(callee.text) else 0 if _ON_HOST.fullmatch(callee.text) else None
        place = known.get(_last(callee)) if place is None else place
        if place is None or place >= len(arguments.children):
            continue
        size = uncast(arguments.children[place]).text
        if size in scope.parameters and size not in scope.values and size not in scope.grown:
            return scope.parameters.index(size)
    return None


def _count(node: Syntax, handing_out: dict[str, int]) -> Syntax | None:
    """What the call asks for so many bytes of."""
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or arguments is None:
        return None
    place = handing_out.get(_last(callee))
    return None if place is None or place >= len(arguments.children) else uncast(arguments.children[place])


def _last(callee: Syntax) -> str:
    """`request` of `ctx.pool->request`."""
    return re.split(r"::|\.|->", callee.text)[-1].strip()


def _array(call: Syntax, host: Body) -> str:
    """The variable that gets the result as the address of elements of several bytes."""
    element = ""
    whole = call
    for parent, child in host.ancestors(call):
        whole = child
        if parent.kind == "argument_list":
            continue
        written = parent.child("type") if parent.kind == "cast_expression" else None
        target = written.text if written is not None else cast_target(parent)
        if target is None:
            break
        element = target
    plain = " ".join(re.sub(r"\b(const|volatile|__restrict__|struct)\b", " ", element).split())
    if not plain.endswith("*") or not _is_wide(plain[:-1].strip(), host):
        return ""
    holder = host.parents.get(id(whole))
    name = None if holder is None else holder.child("declarator") or holder.child("left")
    if holder is None or name is None or holder.kind not in ("init_declarator", "assignment_expression"):
        return ""
    return name.text.lstrip("* &").removeprefix("__restrict__ ")


def _is_wide(element: str, host: Body) -> bool:
    types = host.scope.outline.types
    width = bytes_of_type(types.get(element, element))
    return width is not None and width >= _LEAST_WIDTH


def _counts_elements(count: Syntax, host: Body) -> bool:
    """Nothing in it, or in what it is made of, speaks of bytes."""
    if _OF_BYTES.search(count.text):
        return False
    if any(factor.kind == "number_literal" for factor in factors_of(count)):
        return False
    for node in count.walk():
        callee = node.child("function")
        if callee is not None and callee.text.partition("<")[0].rpartition("::")[2] not in _PLAIN:
            if cast_target(node) is None:
                return False
        values = host.scope.values.get(node.text, ()) if node.kind == "identifier" else ()
        if any(_OF_BYTES.search(value.text) for value in values):
            return False
        if node.kind == "identifier" and node.text in host.scope.raised:
            return False
    return True


def _is_for_each(array: str, count: Syntax, launch: TextLaunch, kernel: Body | None, host: Body) -> bool:
    """The launch gets the array, and has so many blocks, or the kernel takes the array at an index below the count."""
    if kernel is None or all(uncast(argument).text != array for argument in launch.arguments):
        return False
    size = expanded(count, host.scope)
    given = dict(zip(kernel.scope.parameters, launch.arguments))
    own = [name for name, argument in given.items() if uncast(argument).text == array]
    if any(side is not None and expanded(side, host.scope) == size for side in launch.grid[:1]):
        if any(_has_element_of_block(name, kernel) for name in own):
            return True
    return any(
        base.text in own and bound in given and expanded(given[bound], host.scope) == size
        for base, bound in bounded(kernel)
    )


def _has_element_of_block(name: str, kernel: Body) -> bool:
    """x[blockIdx.x], or x[b] where that is b."""
    for node in kernel.nodes:
        base = node.child("argument") if node.kind == "subscript_expression" else None
        if base is not None and base.text == name:
            for index in (child for child in node.children if child is not base):
                values = kernel.scope.values.get(index.text, [index])
                if len(values) == 1 and _BLOCK.fullmatch(values[0].bare.strip("[]")) is not None:
                    return True
    return False
