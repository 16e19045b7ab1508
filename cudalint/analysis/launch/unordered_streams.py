"""Work on one stream that uses what another stream writes, with nothing that orders the two.

k<<<g, b, 0, s>>>(x);                                cudaMemcpyAsync(h, x, bytes, cudaMemcpyDeviceToHost, t);
cudaMemcpyAsync(x, h, bytes, cudaMemcpyHostToDevice, s);  k<<<g, b>>>(x);              where s was made cudaStreamNonBlocking
cudaEventRecord(e, s);  k<<<g, b, 0, s>>>(x);  cudaStreamWaitEvent(t, e);  l<<<g, b, 0, t>>>(x, y);      recorded too early
k<<<g, b, 0, s>>>(x);  cudaFreeAsync(x, t);
cudaMemset(x, 0, bytes);  k<<<g, b, 0, pool.get(i)>>>(x);     where the file makes what get() hands out cudaStreamNonBlocking
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.launch.stream_works import DEFAULT, ends_later, is_unordered, of_call, of_launch
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, TextFunction

_MAKES = re.compile(r"(cuda|hip)StreamCreate(?:With\w+)?\s*\(\s*&\s*(?:\w+\s*(?:->|\.)\s*)?(\w+)\s*[,)]")
_MAKES_ANY = re.compile(r"(?:cuda|hip)StreamCreate\w*\s*\(\s*&?\s*(?:\w+\s*(?:->|\.)\s*)?(\w*)([^;]*)")
_EACH_OF = re.compile(r"\bfor\s*\(\s*(?:auto|\w*Stream_t)\s*&\s*(\w+)\s*:\s*(\w+)\s*\)")
# the default stream neither waits for such a stream nor keeps it waiting
_APART = re.compile(r"(cuda|hip)StreamNonBlocking")
_STREAM = ("cudaStream_t", "hipStream_t")
_CALLED = re.compile(r"(?:.*(?:\.|->|::))?(\w+)\([^()]*\)")
_SHARED_WITH_HOST = r"(?:MallocManaged|HostAlloc|HostMalloc|MallocHost|HostRegister)\s*\([^;&]*&?{}\b"


def unordered_streams(outline: Outline) -> Iterator[GuardIssue]:
    """The first such work of each pair of streams in a function; streams are variables of the function, each its own."""
    program = program_of(outline)
    kernels = kernels_by_name(outline)
    launches: dict[int, list[TextLaunch]] = {}
    for launch in text_launches(program):
        launches.setdefault(id(launch.function), []).append(launch)
    for body in bodies(program, ("host",)):
        if id(body.function) in launches and (
            len(_streams(body)) > 1 or _made_apart(body) or handed_out_apart(outline)
        ):
            yield from _in_function(body, launches[id(body.function)], kernels, program)


def _streams(body: Body) -> set[str]:
    """Variables that are streams, and members that the file makes as such, none of which is another one."""
    types = {name for name, written in body.scope.structures.items() if written in _STREAM}
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


def handed_out_apart(outline: Outline) -> frozenset[str]:
    """Functions that hand out streams of the file, all of which it makes without order to the default stream."""
    text = outline.root.text
    made = [(match[1], _APART.search(match[2]) is not None) for match in _MAKES_ANY.finditer(text)]
    if not made or not all(apart for _, apart in made):
        return frozenset()
    each = dict(_EACH_OF.findall(text))
    names = {each.get(name, name) for name, _ in made} - {""}
    return frozenset(
        function.name.rpartition("::")[2]
        for function in outline.functions
        if function.result.rpartition("::")[2] in _STREAM
        and not names.isdisjoint(re.findall(r"\w+", function.body.text))
    )


def _is_handed_out(stream: str, body: Body, functions: frozenset[str], program: Program) -> bool:
    """A call of one of them, or the one value of a variable that is, or what every caller in the file gives."""
    if stream in body.scope.parameters and stream not in body.scope.values:
        place = body.scope.parameters.index(stream)
        calls = program.callers(body.function.name.rpartition("::")[2])
        given = [c.arguments[place].bare if place < len(c.arguments) else "" for c in calls]
        called = [_CALLED.fullmatch(each) for each in given]
        return bool(functions and given) and all(each is not None and each[1] in functions for each in called)
    values = body.scope.values.get(stream, [])
    written = values[0].bare if len(values) == 1 and stream not in body.scope.parameters else re.sub(r"\s", "", stream)
    call = _CALLED.fullmatch(written)
    return call is not None and call[1] in functions


def _in_function(
    body: Body, launches: list[TextLaunch], kernels: dict[str, list[TextFunction]], program: Program
) -> Iterator[GuardIssue]:
    works = [w for launch in launches if (w := of_launch(launch, kernels, program)) is not None]
    works += [w for node in body.nodes if (w := of_call(node)) is not None and not w.forgets]
    handed_out = handed_out_apart(body.scope.outline)
    given = {work.stream for work in works if _is_handed_out(work.stream, body, handed_out, program)}
    apart = _made_apart(body) | given
    streams = _streams(body) | given | ({DEFAULT[0]} if apart else set())
    works = sorted((w for w in works if w.stream in streams), key=lambda work: work.node.start)
    told: set[tuple[str, str]] = set()
    for place, later in enumerate(works):
        for earlier in works[:place]:
            pair = (earlier.stream, later.stream)
            shared = sorted((earlier.writes & later.uses) | (earlier.uses & later.writes))
            if pair[0] == pair[1] or not shared or pair in told or not is_unordered(earlier, later, body):
                continue
            if DEFAULT[0] in pair and apart.isdisjoint(pair):
                continue
            if not given.isdisjoint(pair) and not (earlier.plain or later.plain):
                continue  # two of them may be one stream
            if not ends_later(earlier) or any(_is_of_the_host(name, body) for name in shared):
                continue
            told.add(pair)
            here, there = map(_called, (later.stream, earlier.stream))
            text = f"`{short(later.node)}` on {here} uses `{shared[0]}` while {there} may be at work on it"
            yield GuardIssue(body.function, later.node, text, earlier.node)


def _is_of_the_host(name: str, body: Body) -> bool:
    """Memory that the host can use, for which a plain fill waits."""
    last = re.escape(re.split(r"\.|->", name)[-1])
    return re.search(_SHARED_WITH_HOST.format(last), body.scope.outline.root.text) is not None


def _called(stream: str) -> str:
    return "the default stream" if stream in DEFAULT else f"`{stream}`"
