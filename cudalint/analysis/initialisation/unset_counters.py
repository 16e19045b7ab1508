"""Counters that a host function is given, has a kernel add to, and copies back, with nothing that sets them first.

    int find(const float *x, int n, int *counter) {
      search<<<grid, block>>>(x, n, counter);                  // atomicAdd(counter, 1)
      int found;  cudaMemcpy(&found, counter, sizeof(int), cudaMemcpyDeviceToHost);  return found;
    }

Each call after the first counts on from what the one before has found. Who calls the function in this file may set the
counter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.initialisation.unset_memory import Made, is_untouched, need_of, variable_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.launched_kernels import launched_kernels
from cudalint.analysis.text.scopes import POINTER, uncast
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_COPIES = re.compile(r"(cuda|hip)Memcpy(Async)?$")


def unset_counters(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each counter, at the launch; what it is about is the place in the kernel that adds."""
    program = program_of(outline)
    hosts = {id(body.function): body for body in bodies(program, ("host",))}
    told: set[tuple[int, str]] = set()
    for launch, kernel in launched_kernels(program, outline):
        host = hosts.get(id(launch.function))
        if host is None or len(kernel.scope.parameters) != len(launch.arguments):
            continue
        for parameter, argument in zip(kernel.scope.parameters, launch.arguments):
            name = variable_of(argument)
            key = (id(host), name)
            if key in told or not _is_given(name, host) or name not in argument.text:
                continue
            copy = _copied_back(name, launch.node.end, host)
            made = Made(name, host.function.body, host.function.body.start)
            if copy is None or not is_untouched(made, launch, [argument], host) or _is_set_by_callers(host, program):
                continue
            need = need_of(parameter, kernel)
            if need is not None and need.adds and need.place.kind == "call_expression":
                told.add(key)
                said = f"nothing sets `{name}` before `{launch.kernel}` adds to it, and it is copied back"
                yield GuardIssue(host.function, launch.node, said, need.place, True, (copy,))


def _is_given(name: str, host: Body) -> bool:
    return name in host.scope.parameters and host.scope.types.get(name) == POINTER and not host.scope.values.get(name)


def _copied_back(name: str, after: int, host: Body) -> Syntax | None:
    """The copy of the counter to a variable of the function."""
    for node in host.nodes:
        callee, arguments = node.child("function"), node.child("arguments")
        if node.start < after or node.kind != "call_expression" or callee is None or arguments is None:
            continue
        given = arguments.children
        if not _COPIES.search(callee.text) or len(given) < 4 or "DeviceToHost" not in given[3].text:
            continue
        if uncast(given[1]).bare == name and re.fullmatch(r"&\w+", uncast(given[0]).bare):
            return node
    return None


def _is_set_by_callers(host: Body, program: Program) -> bool:
    """The file has a caller, or gives the function away: who calls it may set the counter."""
    name = host.function.name.rpartition("::")[2]
    return bool(program.callers(name)) or program.is_passed_on(name)
