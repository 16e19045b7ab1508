"""Launches as the text states them: the three sides of grid and block, whatever variables and wrappers they went through."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.scopes import Scope
from cudalint.analysis.text.text_program import Program, Sides, TextLaunch
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_LAUNCHES = re.compile(r"[A-Z0-9_]*(LAUNCH|KERNEL_CALL)[A-Z0-9_]*|hipLaunchKernelGGL")


def text_launches(program: Program) -> tuple[TextLaunch, ...]:
    """Every `k<<<...>>>(...)`, cudaLaunchKernel and launching macro in the file."""
    if program.stated is None:
        program.stated = tuple(_text_launches(program))
    return program.stated


def _text_launches(program: Program) -> Iterator[TextLaunch]:
    kernels = kernels_by_name(program.outline)
    for node, function in _calls(program):
        launch = _chevrons(node, function, program) or _runtime_call(node, function, program)
        launch = launch or _macro_call(node, function, program, kernels)
        if launch is not None:
            yield launch


def wrapped_launches(program: Program) -> tuple[TextLaunch, ...]:
    """Launches through a call that takes a kernel of the file and a variable with grid and block."""
    if program.wrapped is None:
        program.wrapped = tuple(_wrapped_launches(program))
    return program.wrapped


def _wrapped_launches(program: Program) -> Iterator[TextLaunch]:
    kernels = frozenset(f.name.rpartition("::")[2] for f in program.outline.functions if f.role == "kernel")
    for node, function in _calls(program):
        launch = _configured_call(node, function, program, kernels)
        if launch is not None:
            yield launch


def _calls(program: Program) -> Iterator[tuple[Syntax, TextFunction]]:
    for function in program.outline.functions:
        if function.role == "host" or "<<<" in function.body.text:
            for node in function.body.walk():
                if node.kind == "call_expression":
                    yield node, function


def launches_of(kernel: str, program: Program) -> list[TextLaunch]:
    """The launches of a kernel in the file."""
    if program.launches is None:
        program.launches = {}
        for launch in text_launches(program):
            program.launches.setdefault(launch.kernel, []).append(launch)
    return program.launches.get(kernel, [])


def _chevrons(node: Syntax, function: TextFunction, program: Program) -> TextLaunch | None:
    config = next((child for child in node.children if child.kind == "kernel_call_syntax"), None)
    callee, arguments = node.child("function"), node.child("arguments")
    if config is None or callee is None or len(config.children) < 2:
        return None
    scope = program.scope(function)
    parts = config.children
    return TextLaunch(
        function,
        plain_name(callee.text),
        sides(parts[0], scope),
        sides(parts[1], scope),
        parts[2] if len(parts) > 2 else None,
        parts[3] if len(parts) > 3 else None,
        () if arguments is None else arguments.children,
        parts,
        node,
    )


def _runtime_call(node: Syntax, function: TextFunction, program: Program) -> TextLaunch | None:
    callee, arguments = node.child("function"), node.child("arguments")
    if callee is None or arguments is None or callee.text not in ("cudaLaunchKernel", "cudaLaunchCooperativeKernel"):
        return None
    given = arguments.children
    if len(given) < 4:
        return None
    scope = program.scope(function)
    shared, stream = (given[4] if len(given) > 4 else None), (given[5] if len(given) > 5 else None)
    name = plain_name(re.sub(r"^\((?:const )?void\s*\*\)\s*&?", "", given[0].text))
    return TextLaunch(
        function, name, sides(given[1], scope), sides(given[2], scope), shared, stream, (), given[1:], node
    )


def _macro_call(
    node: Syntax, function: TextFunction, program: Program, kernels: dict[str, list[TextFunction]]
) -> TextLaunch | None:
    """`LAUNCH_KERNEL((k<T>), grid, block, shared, stream, args...)`, with a kernel of the file and all of its arguments."""
    callee, arguments = node.child("function"), node.child("arguments")
    given = () if arguments is None else arguments.children
    if callee is None or len(given) < 3 or _LAUNCHES.fullmatch(callee.text) is None:
        return None
    scope = program.scope(function)
    name = plain_name(_held_kernel(given[0], scope).strip("() "))
    taken = {len(kernel.parameters) for kernel in kernels.get(name, ())}
    between = len(given) - 1 - min(taken, default=0)
    if len(taken) != 1 or not 2 <= between <= 4:
        return None
    parts = given[1 : 1 + between]
    shared, stream = (*parts[2:], None, None)[:2]
    grid, block = sides(parts[0], scope), sides(parts[1], scope)
    return TextLaunch(function, name, grid, block, shared, stream, given[1 + between :], parts, node)


def _configured_call(
    node: Syntax, function: TextFunction, program: Program, kernels: frozenset[str]
) -> TextLaunch | None:
    """`cudaLaunchKernelEx(&config, k, ...)`, and `launch(k, params, ...)` with `params = launch_params(grid, block, ...)`."""
    arguments = node.child("arguments")
    given = () if arguments is None else arguments.children
    if len(given) < 2:
        return None
    scope = program.scope(function)
    extended = given[0].text.startswith("&") and _kernel_of(given[1], scope) in kernels
    if not extended and _kernel_of(given[0], scope) not in kernels:
        return None
    kernel, config = (given[1], given[0].text.lstrip("& ")) if extended else (given[0], given[1].text)
    parts = _members_of(config, node.start, scope) if extended else _arguments_of(config, node.start, scope)
    if len(parts) < 2 or parts[0] is None or parts[1] is None:
        return None
    written = tuple(part for part in parts if part is not None)
    shared, stream = (*parts[2:4], None, None)[:2]
    grid, block = sides(parts[0], scope), sides(parts[1], scope)
    return TextLaunch(function, _kernel_of(kernel, scope), grid, block, shared, stream, given[2:], written, node)


def _kernel_of(node: Syntax, scope: Scope) -> str:
    """The kernel by its name, or by the one variable that holds it."""
    return plain_name(_held_kernel(node, scope))


def _held_kernel(node: Syntax, scope: Scope) -> str:
    """What a variable holds: a kernel, or one of two instances, `k = flag ? k<true> : k<false>`; else the text itself."""
    values = scope.values.get(node.text, []) if node.kind == "identifier" else []
    if len(values) != 1:
        return node.text
    ways = values[0].children[1:] if values[0].kind == "conditional_expression" else values
    return ways[0].text if len({plain_name(way.text) for way in ways}) == 1 else node.text


def _members_of(config: str, before: int, scope: Scope) -> list[Syntax | None]:
    names = ("gridDim", "blockDim", "dynamicSmemBytes", "stream")
    return [_member_value(f"{config}.{name}", before, scope) for name in names]


def _arguments_of(config: str, before: int, scope: Scope) -> list[Syntax | None]:
    """The arguments of `launch_params(grid, block, ...)`, or the members of `LaunchParams p = {grid, block, ...};`."""
    values = [value for value in scope.values.get(config, []) if value.start < before][-1:]
    if values and values[0].kind == "initializer_list" and "launch" in scope.structures.get(config, "").lower():
        return list(values[0].children)
    made = values[0].child("function") if values and values[0].kind == "call_expression" else None
    arguments = values[0].child("arguments") if made is not None and "launch" in made.text.lower() else None
    return [] if arguments is None else list(arguments.children)


def plain_name(callee: str) -> str:
    return callee.partition("<")[0].rpartition("::")[2].strip()


def sides(node: Syntax, scope: Scope) -> Sides:
    """The three sides of a dim3; of a variable what its declaration and its members are given."""
    if node.kind == "identifier":
        return _of_variable(node, scope)
    if node.kind == "call_expression" and node.child("arguments") is not None:
        callee = node.child("function")
        if callee is not None and callee.text in ("dim3", "uint3", "make_uint3"):
            return _three(node.child("arguments"))
    if node.kind in ("initializer_list", "compound_literal_expression"):
        return _three(node)
    return node, None, None


def _three(node: Syntax | None) -> Sides:
    given = () if node is None else node.children
    x, y, z = [*given, None, None, None][:3]
    return x, y, z


def _of_variable(node: Syntax, scope: Scope) -> Sides:
    values = [value for value in scope.values.get(node.text, []) if value.start < node.start][-1:]
    members = [_member_value(f"{node.text}.{axis}", node.start, scope) for axis in "xyz"]
    if any(member is not None for member in members):
        x, y, z = members
        return x, y, z
    if len(values) != 1:
        return node, None, None
    value = values[0]
    if value.kind in ("argument_list", "initializer_list"):
        return _three(value)
    inner = sides(value, scope) if value.kind != "identifier" else (value, None, None)
    return (node, None, None) if inner[0] is value else inner


def _member_value(name: str, before: int, scope: Scope) -> Syntax | None:
    """The last assignment to the member before a place."""
    found = [
        right
        for node in scope.fields.get(name, ())
        if node.start < before and node.op == "=" and (right := node.child("right")) is not None
    ]
    return found[-1] if found else None


def kernels_by_name(outline: Outline) -> dict[str, list[TextFunction]]:
    found: dict[str, list[TextFunction]] = {}
    for function in outline.functions:
        if function.role == "kernel":
            found.setdefault(function.name.rpartition("::")[2].partition("<")[0], []).append(function)
    return found
