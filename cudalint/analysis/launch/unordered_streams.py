"""Work on one stream that uses what another stream writes, with nothing that orders the two.

k<<<g, b, 0, s>>>(x);                                cudaMemcpyAsync(h, x, bytes, cudaMemcpyDeviceToHost, t);
cudaMemcpyAsync(x, h, bytes, cudaMemcpyHostToDevice, s);  k<<<g, b>>>(x);              where s was made cudaStreamNonBlocking
cudaEventRecord(e, s);  k<<<g, b, 0, s>>>(x);  cudaStreamWaitEvent(t, e);  l<<<g, b, 0, t>>>(x, y);      recorded too early
k<<<g, b, 0, s>>>(x);  cudaFreeAsync(x, t);
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_ORDERS = re.compile(
    r"[sS]ynchroni[sz]e|\bwait\w*\s*\(|\bsync\w*\s*\(|\.\s*block\s*\(|[rR]ecord_?[sS]tream|StreamQuery|EventQuery|AddCallback|"
    r"HostFunc|BeginCapture|(cuda|hip)(Memcpy|Memset|Free)\s*\(|StreamAttach"
)
_RECORDS = re.compile(r"(cuda|hip)EventRecord(WithFlags)?")
_AWAITS = re.compile(r"(cuda|hip)StreamWaitEvent")
_ASYNC = {"MemcpyAsync": ((0,), (1,), 4), "MemsetAsync": ((0,), (), 3), "FreeAsync": ((0,), (), 1)}
_MAKES = re.compile(r"(cuda|hip)StreamCreate(?:With\w+)?\s*\(\s*&\s*(?:\w+\s*(?:->|\.)\s*)?(\w+)\s*[,)]")
_WRAPS = re.compile(r"[A-Z_\d]+|\w*[cC]heck\w*|(std::)?(f?printf|min|max|move|size)")
_NAMED = ("identifier", "field_expression")
_DEFAULT = ("0", "NULL", "nullptr")
# the default stream neither waits for such a stream nor keeps it waiting
_APART = re.compile(r"(cuda|hip)StreamNonBlocking")


@dataclass(frozen=True, slots=True)
class _Work:
    """`kernel` is empty where it is a copy, a fill or a free."""

    node: Syntax
    kernel: str
    stream: str
    writes: frozenset[str]
    uses: frozenset[str]


def unordered_streams(outline: Outline) -> Iterator[GuardIssue]:
    """The first such work of each pair of streams in a function; streams are variables of the function, each its own."""
    program = program_of(outline)
    kernels = kernels_by_name(outline)
    launches: dict[int, list[TextLaunch]] = {}
    for launch in text_launches(program):
        launches.setdefault(id(launch.function), []).append(launch)
    for body in bodies(program, ("host",)):
        if id(body.function) in launches and (len(_streams(body)) > 1 or _made_apart(body)):
            yield from _in_function(body, launches[id(body.function)], kernels, program)


def _streams(body: Body) -> set[str]:
    """Variables that are streams, and members that the file makes as such, none of which is another one."""
    types = {name for name, written in body.scope.structures.items() if written in ("cudaStream_t", "hipStream_t")}
    return {name for name in types if not body.scope.values.get(name)} | _members(body)


def _made_apart(body: Body) -> set[str]:
    """Those of the streams that are made without order to the default stream, wherever the file makes them."""
    made = [(match[2], match.end()) for match in _MAKES.finditer(body.scope.outline.root.text)]
    text = body.scope.outline.root.text
    apart = {name for name, end in made if _APART.search(text[end : text.find(";", end)]) is not None}
    apart -= {name for name, end in made if _APART.search(text[end : text.find(";", end)]) is None}
    return {name for name in _streams(body) if re.split(r"\.|->", name)[-1] in apart}


def _members(body: Body) -> set[str]:
    """Streams behind `cudaStreamCreate(&c->copy)`, which nothing else sets, as they are named in the function."""
    text = body.scope.outline.root.text
    made = {match[2] for match in _MAKES.finditer(text)}
    made = {name for name in made if re.search(rf"\b{re.escape(name)}\s*=[^=]", text) is None}
    fields = {
        n.text
        for n in body.nodes
        if n.kind == "field_expression" and n.text.rpartition(".")[2].rpartition(">")[2] in made
    }
    return fields | {name for name in made if name not in body.scope.structures}


def _in_function(
    body: Body, launches: list[TextLaunch], kernels: dict[str, list[TextFunction]], program: Program
) -> Iterator[GuardIssue]:
    apart = _made_apart(body)
    streams = _streams(body) | ({_DEFAULT[0]} if apart else set())
    works = [w for launch in launches if (w := _of_launch(launch, kernels, program)) is not None]
    works += [w for node in body.nodes if (w := _of_call(node)) is not None]
    works = sorted((w for w in works if w.stream in streams), key=lambda work: work.node.start)
    told: set[tuple[str, str]] = set()
    for place, later in enumerate(works):
        for earlier in works[:place]:
            pair = (earlier.stream, later.stream)
            shared = sorted((earlier.writes & later.uses) | (earlier.uses & later.writes))
            if pair[0] == pair[1] or not shared or pair in told or not _is_unordered(earlier, later, body):
                continue
            if _DEFAULT[0] in pair and apart.isdisjoint(pair):
                continue
            told.add(pair)
            here, there = map(_called, (later.stream, earlier.stream))
            text = f"`{short(later.node)}` on {here} uses `{shared[0]}` while {there} may be at work on it"
            yield GuardIssue(body.function, later.node, text, earlier.node)


def _called(stream: str) -> str:
    return "the default stream" if stream in _DEFAULT else f"`{stream}`"


def _of_launch(launch: TextLaunch, kernels: dict[str, list[TextFunction]], program: Program) -> _Work | None:
    known = kernels.get(launch.kernel, [])
    stream = _DEFAULT[0] if launch.stream is None or launch.stream.text in _DEFAULT else launch.stream.text
    if len(known) != 1:
        return None
    given = list(zip(known[0].parameters, map(uncast, launch.arguments)))
    pointers = [(p, a.text) for p, a in given if a.kind in _NAMED and "*" in p.text]
    writes = frozenset(name for p, name in pointers if re.search(r"\bconst\b[^*]*\*", p.text) is None)
    return _Work(launch.node, launch.kernel, stream, writes, frozenset(name for _, name in pointers))


def _of_call(node: Syntax) -> _Work | None:
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or arguments is None:
        return None
    written = _ASYNC.get(re.sub(r"^(cuda|hip)", "", callee.text))
    given = [uncast(argument) for argument in arguments.children]
    if written is None or len(given) <= written[2]:
        return None
    writes, reads, stream = written
    changed = frozenset(given[p].text for p in writes if given[p].kind in _NAMED)
    used = frozenset(given[p].text for p in (*writes, *reads) if given[p].kind in _NAMED)
    return _Work(node, "", given[stream].text, changed, used)


def _is_unordered(earlier: _Work, later: _Work, body: Body) -> bool:
    """Nothing between them waits; an event that the later stream waits for was recorded before the earlier work."""
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
    parts = earlier.kernel and earlier.kernel == later.kernel  # its other arguments may say which part of the buffer
    if parts or _ORDERS.search(between) is not None or _is_handed_on(earlier, later, body):
        return False
    events = {event for node, event in _events(body, _AWAITS, 1) if earlier.node.end <= node.start < later.node.start}
    recorded = list(_events(body, _RECORDS, 0))
    for event in sorted(events):
        own = [node for node, name in recorded if name == event and node.start < later.node.start]
        if not own or any(node.start >= earlier.node.end for node in own):
            return False
    return True


def _is_handed_on(earlier: _Work, later: _Work, body: Body) -> bool:
    """A function of the program gets the later stream in between, or knows it as a member, and may let it wait."""
    for node in body.nodes:
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind != "call_expression" or not earlier.node.end <= node.start < later.node.start or arguments is None:
            continue
        launches = any(child.kind == "kernel_call_syntax" for child in node.children)
        if callee is not None and not launches and re.match(r"(::)?(cuda|hip)[A-Z]", callee.text) is None:
            if any(argument.text == later.stream for argument in arguments.children):
                return True
            if later.stream not in body.scope.structures and _WRAPS.fullmatch(callee.text) is None:
                return True
    return False


def _events(body: Body, pattern: re.Pattern[str], place: int) -> Iterator[tuple[Syntax, str]]:
    for node in body.nodes:
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind == "call_expression" and callee is not None and arguments is not None:
            if pattern.fullmatch(callee.text) and place < len(arguments.children):
                yield node, arguments.children[place].text
