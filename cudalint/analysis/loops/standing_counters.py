"""Counters of the device that are set to zero before a loop of launches, add up in each round, and are taken for that of the round.

cudaMemset(count, 0, 4);
while (size > 0) { expand<<<g, b>>>(from, size, to, count);  cudaMemcpy(&size, count, 4, cudaMemcpyDeviceToHost);  swap(from, to); }

The second round appends behind the place where the first one ended, though its list begins anew, and the loop has no end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.initialisation.unset_memory import need_of, variable_of
from cudalint.analysis.text.error_checkers import error_checkers
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.launched_kernels import launched_kernels
from cudalint.analysis.text.scopes import POINTER, uncast
from cudalint.analysis.text.text_program import Body, TextLaunch, program_of
from cudalint.analysis.text.type_widths import bytes_of_type
from cudalint.ir.syntax import Outline, Syntax

_LOOPS = ("do_statement", "while_statement", "for_statement")
_COPIES = re.compile(r"(::)?(cuda|hip)Memcpy(Async)?")
_ADDS = re.compile(r"(::)?atomic(Add|Inc)(_block|_system)?")
_SETS = re.compile(r"[sS]et|[cC]opy|cpy|[fF]ill|[zZ]ero|[cC]lear|[rR]eset|[uU]pload")
_KNOWN = re.compile(
    r"((::)?(cuda|hip)[A-Z]\w*|std::\w+(<.*>)?|dim3|min|max|swap|\w+_cast(<.*>)?|[A-Z][A-Z\d_]*|.*(\.|->)(get|data|size|push_back))"
)
_UNSIGNED = re.compile(r"(const\s+)?(unsigned|uint|size_t|std::size_t|ulong)")
_RUNS_OUT = r"({0}(>0|!=0)?|0(<|!=){0})"


@dataclass(frozen=True, slots=True)
class Round:
    """A launch in a loop whose kernel adds to `counter`, and the copy behind it to `taken`."""

    loop: Syntax
    counter: str
    adds: Syntax
    copy: Syntax
    taken: str


def standing_counters(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each counter, at the launch; what it is about is the place in the kernel that adds."""
    if "<<<" not in outline.root.text or "atomic" not in outline.root.text:
        return
    program = program_of(outline)
    hosts = {id(body.function): body for body in bodies(program, ("host",))}
    launches = list(launched_kernels(program, outline))
    told: set[tuple[int, str]] = set()
    for launch, kernel in launches:
        host = hosts.get(id(launch.function))
        for found in _rounds(launch, kernel, host) if host is not None else ():
            key = (found.loop.start, found.counter)
            if host is None or key in told or not _is_set_before(found, host) or not _stays(found, host, launches):
                continue
            if _begins_anew(found, launch, kernel) or _runs_out(found, host):
                told.add(key)
                text = f"`{found.counter}` counts on from round to round: nothing in the loop sets it back"
                yield GuardIssue(host.function, launch.node, text, found.adds, True, (found.copy,))


def _rounds(launch: TextLaunch, kernel: Body, host: Body) -> Iterator[Round]:
    """The counters of a launch that stands in a loop, each read back behind it."""
    loop = next((parent for parent, _ in host.ancestors(launch.node) if parent.kind in _LOOPS), None)
    if loop is None or len(kernel.scope.parameters) != len(launch.arguments):
        return
    for parameter, argument in zip(kernel.scope.parameters, launch.arguments):
        name = variable_of(argument)
        copy = _copied_back(name, launch.node.end, loop) if name else None
        need = need_of(parameter, kernel) if copy is not None else None
        if copy is not None and need is not None and need.adds and _grows(need.place, kernel):
            yield Round(loop, name, need.place, copy, _given(copy)[0].bare.lstrip("&"))


def _grows(place: Syntax, kernel: Body) -> bool:
    """It adds a number that is unsigned, or that no minus and no array makes smaller than zero by sight."""
    callee, given = place.child("function"), _given(place)
    adds = callee is not None and _ADDS.fullmatch(callee.text) is not None and len(given) == 2
    return adds and _is_never_negative(given[1], kernel)


def _is_never_negative(amount: Syntax, kernel: Body) -> bool:
    scope, parts, known = kernel.scope, [amount], set[str]()
    while parts:
        part = uncast(parts.pop())
        name = part.text if part.kind == "identifier" else ""
        if name and (name in known or _UNSIGNED.match(scope.structures.get(name, ""))):
            continue
        if name in scope.parameters or "-" in part.text.replace("->", "") or "[" in part.text:
            return False
        known.add(name)
        parts += [*part.children, *scope.values.get(name, ()), *scope.steps.get(name, ())]
    return True


def _given(call: Syntax) -> tuple[Syntax, ...]:
    arguments = call.child("arguments")
    return () if arguments is None else tuple(uncast(each) for each in arguments.children)


def _copied_back(name: str, after: int, loop: Syntax) -> Syntax | None:
    """The copy of the counter to a variable of the host, in the same round."""
    for node in loop.walk():
        callee, given = node.child("function"), _given(node)
        if node.kind == "call_expression" and callee is not None and node.start >= after and len(given) > 3:
            back = _COPIES.fullmatch(callee.text) is not None and "DeviceToHost" in given[3].text
            if back and variable_of(given[1]) == name and re.fullmatch(r"&\w+", given[0].bare):
                return node
    return None


def _root(name: str) -> str:
    return re.split(r"\.|->", name)[0]


def _is_set_before(found: Round, host: Body) -> bool:
    """A call before the loop sets it, and no launch: a fill, a copy or a method."""
    for node in host.nodes:
        callee = node.child("function") if node.kind == "call_expression" and node.end <= found.loop.start else None
        if callee is None or any(child.kind == "kernel_call_syntax" for child in node.children):
            continue
        if _SETS.search(callee.text) and "Device(" not in callee.text and _root(found.counter) in names_in(node):
            return True
    return False


def _stays(found: Round, host: Body, launches: list[tuple[TextLaunch, Body]]) -> bool:
    """Whatever names the counter in the loop only adds to it, or reads it; nothing else has another name for it."""
    root, scope = _root(found.counter), host.scope
    if any(root in names_in(value) for values in scope.values.values() for value in values):
        return False
    others = _aliases(root, host) - set(names_in(found.copy))
    if any(node.kind == "identifier" and node.text in others for node in found.loop.walk()):
        return False
    if root not in scope.structures and not _calls_are_known(found.loop, host):
        return False
    kept: set[int] = {id(node) for node in found.copy.walk()}
    for launch, kernel in launches:
        if launch.function is host.function and found.loop.start <= launch.node.start < found.loop.end:
            for parameter, argument, declared in zip(
                kernel.scope.parameters, launch.arguments, kernel.function.parameters
            ):
                need = need_of(parameter, kernel) if variable_of(argument) == found.counter else None
                if re.search(r"\bconst\b[^*]*\*", declared.text) or (
                    need is not None and _adds_or_reads(need.place, kernel)
                ):
                    kept |= {id(node) for node in argument.walk()}
    return all(id(n) in kept for n in found.loop.walk() if n.kind == "identifier" and n.text == root)


def _adds_or_reads(place: Syntax, kernel: Body) -> bool:
    return place.kind != "call_expression" or _grows(place, kernel)


def _aliases(root: str, host: Body) -> set[str]:
    """Objects and pointers that the counter's memory is taken from, and objects that are made of it."""
    scope = host.scope
    found = {name for value in scope.values.get(root, ()) for name in names_in(value)}
    found = {n for n in found if scope.types.get(n) == POINTER or bytes_of_type(scope.structures.get(n, "int")) is None}
    made = re.compile(rf"\b(\w+)\s*[({{]\s*{re.escape(root)}\s*[)}}]")
    for node in host.nodes:
        if node.kind == "declaration":
            found.update(made.findall(node.text))
        declared = node.child("declarator") if node.kind == "init_declarator" else None
        value = node.child("value") if declared is not None else None
        if declared is not None and value is not None and root in names_in(value):
            found |= set(names_in(declared))
    return found - {root}


def _calls_are_known(loop: Syntax, host: Body) -> bool:
    """A member may be set by any function that the loop calls, but for launches and those of the runtime."""
    checkers = error_checkers(host.scope.outline)
    calls = (node.child("function") for node in loop.walk() if node.kind == "call_expression")
    names = [callee.bare for callee in calls if callee is not None]
    kernels = {function.name for function in host.scope.outline.functions if function.role == "kernel"}
    return all(_KNOWN.fullmatch(n) or n in checkers or n.partition("<")[0] in kernels for n in names)


def _begins_anew(found: Round, launch: TextLaunch, kernel: Body) -> bool:
    """The count is the place in a list, and the loop gives the list's variable another value in each round."""
    lists = _lists(found.adds, kernel)
    given = {
        root
        for parameter, argument in zip(kernel.scope.parameters, launch.arguments)
        if parameter in lists and (root := _root(variable_of(argument)))
    }
    for node in found.loop.walk():
        left, callee = node.child("left"), node.child("function")
        if node.kind == "assignment_expression" and node.op == "=" and left is not None and left.text in given:
            return not _is_difference_taken(found)
        swaps = callee is not None and callee.text.rpartition("::")[2] == "swap"
        if node.kind == "call_expression" and swaps and not given.isdisjoint(names_in(node)):
            return not _is_difference_taken(found)
    return False


def _lists(adds: Syntax, kernel: Body) -> set[str]:
    """Arrays that are taken at the place that the count gives: `next[atomicAdd(n, 1)]`, or at the variable for it."""
    holder = kernel.parents.get(id(adds))
    names = set[str]()
    if holder is not None and holder.kind in ("init_declarator", "assignment_expression"):
        names = {holder.children[0].text}
    found = set[str]()
    for node in kernel.nodes:
        if node.kind == "subscript_expression" and len(node.children) > 1:
            index = node.children[-1]
            if "-" in index.text.replace("->", ""):
                continue
            inside = node.start <= adds.start and adds.end <= node.end and index.start <= adds.start
            if inside or not names.isdisjoint(names_in(index)):
                found.add(node.children[0].text)
    return found


def _is_difference_taken(found: Round) -> bool:
    """The loop works out how many have come to it in this round, or sets the number that it has copied."""
    taken = found.taken
    for node in found.loop.walk():
        left = node.child("left")
        if node.kind == "binary_expression" and node.op == "-" and taken in names_in(node):
            if any(child.kind != "number_literal" for child in node.children if child.text != taken):
                return True
        if node.kind == "assignment_expression" and left is not None and left.text == taken and node.op != "=":
            return True
    return False


def _runs_out(found: Round, host: Body) -> bool:
    """The loop ends when the copied number is zero."""
    if _is_difference_taken(found):
        return False
    asks = re.compile(_RUNS_OUT.format(re.escape(found.taken)))
    condition = found.loop.child("condition")
    if condition is not None and any(asks.fullmatch(part) for part in re.split(r"&&", condition.bare.strip("()"))):
        return True
    for node in found.loop.walk():
        test, then = node.child("condition"), node.child("consequence")
        if node.kind == "if_statement" and test is not None and then is not None and "break" in then.text:
            if re.fullmatch(rf"\(?({re.escape(found.taken)}==0|!{re.escape(found.taken)})\)?", test.bare):
                return True
    return False
