"""Pinned memory that is filled anew, and an event behind its copy to the device that nothing in the file waits for.

for (c = 0; c < chunks; ++c) {
    memcpy(pinned[b], part, bytes);   cudaMemcpyAsync(x[b], pinned[b], bytes, cudaMemcpyHostToDevice, stream);
    cudaEventRecord(copied[b], stream);   b ^= 1;                        the third round fills what the first one may still read
}

Whoever made the event, and records it for the copy alone, meant to wait for it before the memory is filled again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.launch.unheard_events import is_hidden, is_only_recorded, records_of, untimed_events
from cudalint.analysis.memory.unawaited_copies import called, waiting_names
from cudalint.analysis.text.guard_patterns import GuardIssue, names_in
from cudalint.analysis.text.methods import CLASSES
from cudalint.analysis.text.scopes import is_inside, uncast
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop")
_COPY = re.compile(r"^(cuda|hip)MemcpyAsync$")
_TO_DEVICE = re.compile(r"(cuda|hip)MemcpyHostToDevice$")
_PINS = r"(?:cuda|hip)(?:MallocHost|HostAlloc|HostMalloc)\s*\([^;]*?&\s*(?:\w+(?:->|\.))*{name}\b"
_SYNCHRONISES = re.compile(r"synchron|wait|join|query", re.IGNORECASE)
_BLOCKS = re.compile(r"^(cuda|hip)(Memcpy|Memset)\w*(?<!Async)$")
_MEMBER = re.compile(r"(?:\w+(?:->|\.))*(\w+)(?:\[[^\]]*\])?")


def unheard_copies(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each event; the place is where the memory is filled, and what it is about the copy."""
    names = untimed_events(outline)
    if not names or "MemcpyAsync" not in outline.root.text:
        return
    program = program_of(outline)
    records = list(records_of(program))
    for name in names:
        mine = [(body, node, stream) for body, node, event, stream in records if _last(event) == name]
        if len(mine) != 1 or not is_only_recorded(name, outline):
            continue
        if not is_hidden(name, mine, outline) and not _is_member_here(name, outline):
            continue
        body, record, stream = mine[0]
        copy = _copy_before(record, stream, body, outline)
        if copy is None:
            continue
        loop = next((parent for parent, _ in body.ancestors(record) if parent.kind in _LOOPS), None)
        around = body.function.body if loop is None else loop
        if not (around.start <= copy.start < around.end) or _waits(around, outline):
            continue
        source = _source(copy)
        if _pins(around, source) or (loop is None and not _is_filled_anew(source, body, program, outline)):
            continue
        if loop is not None and not _is_same_in_rounds(source, loop):
            continue
        fill = next((n for n in around.walk() if n.end <= copy.start and _fills(n, source)), copy)
        text = f"`{source}` is filled again while the copy may still read it: nothing waits for `{name}`"
        yield GuardIssue(body.function, fill, text, copy)


def _is_member_here(name: str, outline: Outline) -> bool:
    """A struct of the source file has it, which no other file sees."""
    owners = (
        node.child("body") for node in outline.root.walk() if node.kind in CLASSES and node.file is outline.root.file
    )
    fields = (part for body in owners if body is not None for part in body.children if part.kind == "field_declaration")
    return any(re.search(rf"\b{re.escape(name)}\b", field.text) for field in fields)


def _copy_before(record: Syntax, stream: str, body: Body, outline: Outline) -> Syntax | None:
    """The last thing that the stream gets before the record, where it is a copy of pinned memory to the device."""
    before = [n for n in body.nodes if n.kind == "call_expression" and n.end <= record.start and _gets(n, stream)]
    copies = [n for n in before if all(n is other or not is_inside(other, n) for other in before)]
    last = copies[-1] if copies else None
    if last is None or not _COPY.match(called(last)) or not any(_TO_DEVICE.search(a.text) for a in _arguments(last)):
        return None
    source = _MEMBER.fullmatch(_source(last))
    pinned = source is not None and re.search(_PINS.format(name=re.escape(source[1])), outline.root.text)
    return last if pinned else None


def _gets(call: Syntax, stream: str) -> bool:
    """The stream is the last argument of the call, or of a launch."""
    given = [uncast(each).bare.removeprefix("this->") for each in _arguments(call)]
    launched = any(stream in child.text for child in call.children if child.kind == "kernel_call_syntax")
    return launched or (bool(given) and given[-1] == stream)


def _arguments(call: Syntax) -> list[Syntax]:
    arguments = call.child("arguments")
    return list(arguments.children) if arguments is not None else []


def _source(copy: Syntax) -> str:
    """The memory of the host, without the name of the object at hand."""
    given = _arguments(copy)
    return uncast(given[1]).bare.removeprefix("this->") if len(given) > 1 else ""


def _waits(around: Syntax, outline: Outline) -> bool:
    """Something that is called there waits, as its name or its body in the file says."""
    waiting = waiting_names(outline)
    calls = (called(node) for node in around.walk() if node.kind == "call_expression")
    return any(name in waiting or _SYNCHRONISES.search(name) or _BLOCKS.search(name) for name in calls)


def _pins(around: Syntax, source: str) -> bool:
    """The memory is made there: each round, or the one call, has its own."""
    name = _MEMBER.fullmatch(source)
    return name is None or re.search(_PINS.format(name=re.escape(name[1])), around.text) is not None


def _is_same_in_rounds(source: str, loop: Syntax) -> bool:
    """Not `pinned[c]` of a counter that the head of the loop moves on: that is another one in each round."""
    index = re.search(r"\[([^\]]*)\]", source)
    if index is None:
        return True
    heads = (loop.child("initializer"), loop.child("condition"), loop.child("update"))
    counters = set[str]().union(*(names_in(head) for head in heads if head is not None))
    return index[1] not in counters


def _is_filled_anew(source: str, body: Body, program: Program, outline: Outline) -> bool:
    """The next call fills it again, and no function of the file but a destructor waits in between."""
    others = (each for each in program.outline.functions if each.role == "host" and each is not body.function)
    waits = any("~" not in each.name and _waits(each.body, outline) for each in others)
    return _is_of_object(source, body) and not waits


def _is_of_object(source: str, body: Body) -> bool:
    """A member, outside of a constructor: it outlives the call, and the next one fills it again."""
    first = re.match(r"\w+", source)
    if first is None:
        return False
    names = body.function.name.split("::")
    if len(names) > 1 and names[-1] == names[-2]:
        return False  # a constructor fills it once
    local = first[0] in body.scope.types and first[0] not in body.scope.parameters
    return not local and ("->" in source or "." in source or first[0] not in body.scope.parameters)


def _fills(node: Syntax, source: str) -> bool:
    """A call that gets the memory first, or an element that is stored."""
    if node.kind == "call_expression":
        given = _arguments(node)
        return bool(given) and uncast(given[0]).bare.removeprefix("this->").startswith(source)
    left = node.child("left") if node.kind == "assignment_expression" else None
    base = left.child("argument") if left is not None and left.kind == "subscript_expression" else None
    return base is not None and source in (base.bare, *names_in(base))


def _last(event: str) -> str:
    return re.split(r"->|\.", event)[-1]
