"""What a host function gives the device to do: each launch, copy, fill and free with its stream and its buffers.

k<<<g, b, 0, s>>>(x, y);      writes x and y where the parameters are pointers that are not const, on s
cudaMemset(x, 0, bytes);      writes x on the default stream, and does not wait for it
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.text.called_functions import that_come_to
from cudalint.analysis.text.error_checkers import error_checkers
from cudalint.analysis.text.scopes import cast_target, uncast
from cudalint.analysis.text.text_program import Body, Program, TextLaunch
from cudalint.ir.syntax import Syntax, TextFunction

DEFAULT = ("0", "NULL", "nullptr")
ORDERS = re.compile(
    r"[sS]ynchroni[sz]e|\bwait\w*\s*\(|\bsync\w*\s*\(|\.\s*block\s*\(|[rR]ecord_?[sS]tream|StreamQuery|EventQuery|AddCallback|"
    r"HostFunc|BeginCapture|(cuda|hip)(Memcpy|Memset|Free)\s*\(|StreamAttach"
)
_FILLS = re.compile(r"(cuda|hip)Memset\s*\(")
_RECORDS = re.compile(r"(cuda|hip)EventRecord(WithFlags)?")
_AWAITS = re.compile(r"(cuda|hip)StreamWaitEvent")
_ASYNC = {"MemcpyAsync": ((0,), (1,), 4), "MemsetAsync": ((0,), (), 3), "FreeAsync": ((0,), (), 1)}
_PLAIN = {"Memset": ((0,), ()), "Memcpy": ((0,), (1,))}
_BETWEEN_BUFFERS = re.compile(r"(cuda|hip)MemcpyDeviceToDevice")
_DIRECTION = 3  # the argument of a copy
_WAITS = re.compile(r"Synchronize\s*\(|[wW]ait\w*\s*\(")
_WRAPS = re.compile(r"[A-Z_\d]+|\w*[cC]heck\w*|(std::)?(f?printf|min|max|move|size)")
_NAMED = ("identifier", "field_expression")
_HELD = re.compile(r"(\.|->)(get|data|data_ptr)(<\w+>)?\(\)")  # of std, thrust and torch: where the elements are


@dataclass(frozen=True, slots=True)
class Work:
    """`kernel` is empty where it is a copy, a fill or a free; `returns` says that the call does not wait for it to end.

    `forgets` says that the place for the stream is left empty.
    """

    node: Syntax
    kernel: str
    stream: str
    writes: frozenset[str]
    uses: frozenset[str]
    forgets: bool = False
    plain: bool = False


def of_launch(launch: TextLaunch, kernels: dict[str, list[TextFunction]], program: Program) -> Work | None:
    """Nothing where the kernel is not in the file, or not alone there with its name."""
    known = kernels.get(launch.kernel, [])
    stream = DEFAULT[0] if launch.stream is None else uncast(launch.stream).text
    stream = DEFAULT[0] if stream in DEFAULT else stream
    if len(known) != 1:
        return None
    given = list(zip(known[0].parameters, map(_buffer, launch.arguments)))
    pointers = [(parameter, name) for parameter, name in given if name and "*" in parameter.text]
    writes = frozenset(name for p, name in pointers if re.search(r"\bconst\b[^*]*\*", p.text) is None)
    uses = frozenset(name for _, name in pointers)
    written = any(child.kind == "kernel_call_syntax" for child in launch.node.children)  # a macro may know a stream
    return Work(launch.node, launch.kernel, stream, writes, uses, written and launch.stream is None)


def of_call(node: Syntax) -> Work | None:
    """A copy, fill or free of the runtime; one that is not asynchronous is work of the default stream."""
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or arguments is None:
        return None
    name, given = re.sub(r"^(::)?(cuda|hip)", "", callee.text), arguments.children
    if name in _PLAIN and len(given) > len(_PLAIN[name]):
        writes, reads = _PLAIN[name]
        return Work(node, "", DEFAULT[0], _buffers(given, writes), _buffers(given, (*writes, *reads)), plain=True)
    if name not in _ASYNC or len(given) < _ASYNC[name][2]:
        return None
    writes, reads, place = _ASYNC[name]
    stream = uncast(given[place]).text if place < len(given) else DEFAULT[0]
    forgets = place >= len(given)
    return Work(node, "", stream, _buffers(given, writes), _buffers(given, (*writes, *reads)), forgets)


def _buffers(given: tuple[Syntax, ...], places: tuple[int, ...]) -> frozenset[str]:
    return frozenset(name for place in places if (name := _buffer(given[place])))


def _buffer(argument: Syntax) -> str:
    """The name of a buffer that is given whole; nothing for a part of one."""
    bare = uncast(argument)
    held = bare.child("function") if bare.kind == "call_expression" else None
    if held is not None and held.kind == "field_expression" and _HELD.search(bare.text) is not None:
        return bare.bare
    return bare.text if bare.kind in _NAMED else ""


def ends_later(work: Work) -> bool:
    """The host goes on before it is done: all but a copy from or to the host that waits."""
    return not work.plain or bool(_FILLS.match(work.node.text)) or bool(_BETWEEN_BUFFERS.search(work.node.text))


def is_unordered(earlier: Work, later: Work, body: Body) -> bool:
    """Nothing between them waits; an event that the later stream waits for was recorded before the earlier work.

    A stream that waits for an event of its own waits for nothing.
    """
    if any(
        p.kind in ("if_statement", "switch_statement", "lambda_expression", "for_statement", "while_statement")
        for node in (earlier.node, later.node)
        for p, _ in body.ancestors(node)
        if not p.start <= earlier.node.start <= later.node.end <= p.end or p.kind == "lambda_expression"
    ):
        return False
    between = body.function.body.text[
        earlier.node.end - body.function.body.start : later.node.start - body.function.body.start
    ]
    if earlier.stream in DEFAULT:
        between = _FILLS.sub("", between)  # one more of that stream, which the host does not wait for
    parts = earlier.kernel and earlier.kernel == later.kernel  # its other arguments may say which part of the buffer
    if parts or ORDERS.search(between) is not None or _is_handed_on(earlier, later, body):
        return False
    events = {event for node, event in _events(body, _AWAITS, 1) if earlier.node.end <= node.start < later.node.start}
    recorded = list(_events(body, _RECORDS, 0))
    idle = {event for event in events if _is_of_one_stream(event, earlier, later, body)}
    for event in sorted(events - idle):
        own = [node for node, name in recorded if name == event and node.start < later.node.start]
        if not own or any(node.start >= earlier.node.end for node in own):
            return False
    return True


def _is_of_one_stream(event: str, earlier: Work, later: Work, body: Body) -> bool:
    """All streams that record the event, or wait for it, between the two are the stream of one of them."""
    between = [
        (node, place)
        for pattern, of_event, place in ((_RECORDS, 0, 1), (_AWAITS, 1, 0))
        for node, name in _events(body, pattern, of_event)
        if name == event and earlier.node.end <= node.start < later.node.start
    ]
    given = [(node.child("arguments"), place) for node, place in between]
    streams = {
        uncast(arguments.children[place]).bare if place < len(arguments.children) else DEFAULT[0]
        for arguments, place in given
        if arguments is not None
    }
    is_recorded = any(place == 1 for _, place in between)
    return is_recorded and len(streams) == 1 and not streams.isdisjoint((earlier.stream, later.stream))


def _is_handed_on(earlier: Work, later: Work, body: Body) -> bool:
    """A function of the program gets the later stream in between, or knows it as a member, and may let it wait."""
    checkers, waiting = error_checkers(body.scope.outline), that_come_to(_WAITS, body.scope.outline)
    for node in body.nodes:
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind != "call_expression" or not earlier.node.end <= node.start < later.node.start or arguments is None:
            continue
        launches = any(child.kind == "kernel_call_syntax" for child in node.children) or cast_target(node) is not None
        if callee is not None and not launches and re.match(r"(::)?(cuda|hip)[A-Z]", callee.text) is None:
            if any(argument.text == later.stream for argument in arguments.children):
                return True
            if re.split(r"::|\.|->", callee.text.strip())[-1] in waiting:
                return True
            wraps = _WRAPS.fullmatch(callee.text) is not None or callee.text.rpartition("::")[2] in checkers
            if later.stream not in body.scope.structures and not wraps:
                return True
    return False


def _events(body: Body, pattern: re.Pattern[str], place: int) -> Iterator[tuple[Syntax, str]]:
    for node in body.nodes:
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind == "call_expression" and callee is not None and arguments is not None:
            if pattern.fullmatch(callee.text) and place < len(arguments.children):
                yield node, arguments.children[place].text
