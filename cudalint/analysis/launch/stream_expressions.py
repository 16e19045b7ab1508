"""Work on the default stream beside work on the stream of an object, where one uses what the other writes.

first<<<g, b, 0, handle.stream()>>>(x, tmp);   second<<<g, b>>>(tmp, y);               second may overtake first
first<<<g, b, 0, res.stream>>>(x, tmp);        cudaMemcpyAsync(h, tmp, bytes, kind);    the same
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.launch.launch_patterns import WrongLaunch
from cudalint.analysis.launch.stream_works import DEFAULT, Work, is_unordered, of_call, of_launch
from cudalint.analysis.text.guard_patterns import bodies
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline

_EXPRESSION = re.compile(r"(?:\w+(?:<[\w:]+>)?(?:\(\))?(?:\.|->|::))*(\w+)(\((?:[\w.]|->|::)*\))?")
_BLOCKING = re.compile(r"\b(cuda|hip)StreamCreate\s*\(|\b(cuda|hip)StreamDefault\b")
_NONE = re.compile(r"(cuda|hip)Stream(Default|Legacy|PerThread)|getDefault\w*Stream\(\w*\)")


def streams_of_objects(outline: Outline) -> Iterator[WrongLaunch]:
    """The first such work of each stream in a function; where the file makes streams that wait, nothing is known of them."""
    if "<<<" not in outline.root.text or _BLOCKING.search(outline.root.text) is not None:
        return
    program = program_of(outline)
    kernels = kernels_by_name(outline)
    launches: dict[int, list[TextLaunch]] = {}
    for launch in text_launches(program):
        launches.setdefault(id(launch.function), []).append(launch)
    for body in bodies(program, ("host",)):
        own = launches.get(id(body.function), [])
        works = [w for launch in own if (w := of_launch(launch, kernels, program)) is not None]
        if any(not work.forgets and _is_of_object(work.stream, body) for work in works):
            works += [w for node in body.nodes if (w := of_call(node)) is not None and not w.plain]
            yield from _forgotten(sorted(works, key=lambda work: work.node.start), body, program)


def _forgotten(works: list[Work], body: Body, program: Program) -> Iterator[WrongLaunch]:
    told: set[int] = set()
    for place, later in enumerate(works):
        for earlier in works[:place]:
            wrong, other = (earlier, later) if earlier.forgets else (later, earlier)
            if not wrong.forgets or other.forgets or id(wrong) in told or not other.kernel:
                continue
            shared = (earlier.writes & later.uses) | (earlier.uses & later.writes)
            if not shared or not _is_of_object(other.stream, body) or not is_unordered(earlier, later, body):
                continue
            told.add(id(wrong))
            callee = wrong.node.child("function")
            name = "" if callee is None else callee.text.partition("<")[0]
            launch = TextLaunch(body.function, "", (None,) * 3, (None,) * 3, None, None, (), (), wrong.node)
            text = f"`{name}` runs on the default stream, not on `{other.stream}`"
            yield WrongLaunch(launch, wrong.node, text, True)


def _is_of_object(stream: str, body: Body) -> bool:
    """A call or member that is a stream, or the one value of a variable that is; nothing says that it is the default one."""
    values = body.scope.values.get(stream, [])
    if stream in body.scope.parameters or len(values) > 1 or stream in DEFAULT:
        return False
    if stream in body.scope.structures and not values:
        return False
    written = uncast(values[0]).bare if values else re.sub(r"\s", "", stream)
    named = _EXPRESSION.fullmatch(written)
    if named is None or written in DEFAULT or _NONE.search(written) is not None:
        return False
    return bool(named[2]) or _is_set(named[1], body)


def _is_set(member: str, body: Body) -> bool:
    """A member that is no part of the file, or that something in it gives a value besides null."""
    text = body.scope.outline.root.text
    declared = re.findall(rf"Stream_t\s+{member}\b\s*([^;)]*)", text)
    if not declared:
        return True
    if len(declared) > 1 and any(re.search(r"\b(0|NULL|nullptr)\b", value) for value in declared):
        return False  # of several types, one of which may be meant
    given = re.findall(rf"\b{member}\s*(?:=(?!=)|[({{])\s*([^;,(){{}}]*)|&\s*(?:\w+(?:\.|->))*{member}\b", text)
    return any(value.strip() not in (*DEFAULT, "") for value in given) or f"&{member}" in text
