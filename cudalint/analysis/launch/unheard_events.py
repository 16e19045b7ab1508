"""An event without a time is recorded behind work, and nothing in the file ever asks for it or waits for it.

cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);   produce<<<g, b, 0, s>>>(x);   cudaEventRecord(ready, s);
consume<<<g, b, 0, t>>>(x, y);                              // in another function: who was to wait for `ready`?
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.launch.stream_works import of_call, of_launch
from cudalint.analysis.text.called_functions import that_come_to
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches
from cudalint.analysis.text.methods import CLASSES, owners
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_RECORDS = re.compile(r"(::)?(cuda|hip)EventRecord")
_UNTIMED = re.compile(
    r"(?:cuda|hip)EventCreateWithFlags\s*\(\s*&\s*(?:\w+\s*(?:->|\.)\s*)?(\w+)(?:\[\w+\])?\s*,[^;]*DisableTiming"
)
_STREAM = re.compile(r"(?:\w+(?:->|\.))*[A-Za-z_]\w*")
_DEFAULT = ("0", "NULL", "nullptr")
_WAITS = re.compile(
    r"(?<![aA])[sS]ync(hronize)?\w*\s*\(|[wW]ait|[jJ]oin|[qQ]uery|(cuda|hip)Mem(cpy|set)(?!\w*Async)|Free\s*\("
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_SOURCES = (".cu", ".cpp", ".cc", ".cxx")  # what a header declares, others may wait for
_MADE_OR_ENDED = (
    r"(?:(?:cuda|hip)Event(?:Record|Create\w*|Destroy)\s*\(\s*&?\s*(?:\w+\s*(?:->|\.)\s*)?"
    r"|\bif\s*\(\s*(?:\w+\s*(?:->|\.)\s*)?|\b(?:cuda|hip)Event_t\b[\w\s,{{}}=]*[\s,]){name}\b(?!\s*\.)"
)


def unheard_events(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each event, at its first record, where another stream of the file works on the same memory."""
    names = untimed_events(outline)
    if not names:
        return
    program = program_of(outline)
    uses = list(_uses(program))
    for name in names:
        records = [(body, node, stream) for body, node, event, stream in records_of(program) if event == name]
        if not records or not is_only_recorded(name, outline) or not is_hidden(name, records, outline):
            continue
        body, node, stream = records[0]
        shared = _shared(body, node, stream, uses)
        if shared is not None:
            said = f"nothing waits for `{name}`, though work of another stream uses `{shared[0]}`, too"
            yield GuardIssue(body.function, node, said, shared[1])


def untimed_events(outline: Outline) -> list[str]:
    """Events of a source file that are made without a time: they are there to be waited for."""
    if not outline.path.endswith(_SOURCES):
        return []
    return list(dict.fromkeys(_UNTIMED.findall(_COMMENT.sub(" ", outline.root.text))))


def records_of(program: Program) -> Iterator[tuple[Body, Syntax, str, str]]:
    """(function, call, event, stream) of every record on a stream that has a name."""
    for body in bodies(program, ("host",)):
        for node in body.nodes:
            callee, arguments = node.child("function"), node.child("arguments")
            if node.kind == "call_expression" and callee is not None and arguments is not None:
                given = [uncast(each).bare.removeprefix("this->") for each in arguments.children]
                if _RECORDS.fullmatch(callee.text) and len(given) == 2 and _STREAM.fullmatch(given[1]):
                    yield body, node, given[0].partition("[")[0], given[1]


def is_only_recorded(name: str, outline: Outline) -> bool:
    """Wherever it stands it is declared, made, asked whether it is made, recorded or destroyed."""
    text = _COMMENT.sub(" ", outline.root.text)
    known = len(re.findall(_MADE_OR_ENDED.format(name=re.escape(name)), text))
    return known == len(re.findall(rf"\b{re.escape(name)}\b", text))


def is_hidden(name: str, records: list[tuple[Body, Syntax, str]], outline: Outline) -> bool:
    """A variable of the function, or a member of a class of the file that others cannot name."""
    body = records[0][0]
    if name in body.scope.structures:
        return name not in body.scope.parameters and len({id(each.function) for each, _, _ in records}) == 1
    mine = owners(body.function, outline)
    return any(
        node.kind in CLASSES and (title := node.child("name")) is not None and title.text in mine and _hides(node, name)
        for node in outline.root.walk()
    )


def _hides(owner: Syntax, name: str) -> bool:
    """It is a private member of a class without friends, which others than the class cannot name."""
    hidden, body = owner.kind == "class_specifier", owner.child("body")
    if re.search(r"\bfriend\b", owner.text):
        return False
    for part in body.children if body is not None else ():
        if part.kind == "access_specifier":
            hidden = part.text.startswith("private")
        elif part.kind == "field_declaration" and re.search(rf"\b{re.escape(name)}\b", part.text):
            return hidden
    return False


def _uses(program: Program) -> Iterator[tuple[Body, Syntax, str, frozenset[str], frozenset[str]]]:
    """(function, place, stream, what it writes, what it uses) of the work that the file gives to streams."""
    kernels = kernels_by_name(program.outline)
    by_function = {id(body.function): body for body in bodies(program, ("host",))}
    for launch in text_launches(program):
        work = of_launch(launch, kernels, program)
        if work is not None and id(launch.function) in by_function:
            yield by_function[id(launch.function)], work.node, work.stream, work.writes, work.uses
    for body in by_function.values():
        for node in body.nodes:
            call = of_call(node)
            if call is not None:
                yield body, call.node, call.stream, call.writes, call.uses


def _shared(
    body: Body, record: Syntax, stream: str, uses: list[tuple[Body, Syntax, str, frozenset[str], frozenset[str]]]
) -> tuple[str, Syntax] | None:
    """What the stream has written before the record and another named stream of the same class or function uses, and where."""
    mine = owners(body.function, body.scope.outline)
    written = [w for other, node, on, w, _ in uses if other is body and on == stream and node.end <= record.start]
    behind = frozenset[str]().union(*written)
    for other, node, on, _, used in uses:
        near = other is body or bool(mine & owners(other.function, other.scope.outline))
        apart = other is not body
        if apart and not (_is_shared(stream, body) and _is_shared(on, other)):
            continue
        own = {name for name in behind & used if not apart or (_is_shared(name, body) and _is_shared(name, other))}
        if near and own and on != stream and on not in _DEFAULT and not _is_awaited(record, body, node, other):
            return min(own), node
    return None


def _is_shared(name: str, body: Body) -> bool:
    """No variable or parameter of the function."""
    return name not in body.scope.types and name not in body.scope.parameters and name not in body.scope.structures


def _is_awaited(record: Syntax, body: Body, use: Syntax, other: Body) -> bool:
    """The host, a stream or the device waits between the two, as far as the text of these functions goes."""
    waiting = that_come_to(_WAITS, body.scope.outline)
    if other is body:
        return _waits(body, record.end, use.start, waiting)
    return _waits(body, record.end, body.function.body.end, waiting) or _waits(other, 0, use.start, waiting)


def _waits(body: Body, begin: int, end: int, waiting: frozenset[str]) -> bool:
    for node in body.nodes:
        callee = node.child("function") if node.kind == "call_expression" and begin <= node.start < end else None
        if callee is not None:
            name = re.split(r"::|\.|->", callee.text.partition("<")[0].strip())[-1]
            if name in waiting or _WAITS.search(f"{name}("):
                return True
    return False
