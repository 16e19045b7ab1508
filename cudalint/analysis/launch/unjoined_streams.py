"""Work on streams that wait for no other, of which results are taken before anybody has waited for the work.

cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);  k<<<g, b, 0, s>>>(y);  cudaMemcpy(host, y, ...);     may be too early
auto s = at::cuda::getStreamFromPool();  k<<<g, b, 0, s>>>(y);  return y;                                   the same
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.launch.launch_patterns import WrongLaunch
from cudalint.analysis.text.guard_patterns import names_in
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches
from cudalint.analysis.text.scopes import Scope, uncast
from cudalint.analysis.text.text_program import Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_MAKES = re.compile(r"NonBlocking|getStreamFromPool")
_WAITS = re.compile(
    r"[sS]ynchroni[sz]e|WaitEvent|\bwait\w*\s*\(|\bsync\w*\s*\(|\.\s*block\s*\(|[rR]ecord_?[sS]tream|StreamQuery|EventQuery|"
    r"AddCallback|HostFunc|BeginCapture|StreamGuard|setCurrentCUDAStream"
)
_KEEPS = re.compile(
    r"(cuda|hip)(Memcpy|Memset|StreamCreate|StreamDestroy|MallocAsync|FreeAsync)|if$|while$|for$|switch$|return$"
)
_TENSOR = re.compile(r"\bTensor\b")
_COPY = re.compile(r"(cuda|hip)Memcpy(2D)?")


def unjoined_streams(outline: Outline) -> Iterator[WrongLaunch]:
    """One for each function and stream: the copy that comes too early, or the launch that a tensor function leaves behind."""
    if _MAKES.search(outline.root.text) is None:
        return
    program = program_of(outline)
    told: set[tuple[int, str]] = set()
    for launch in text_launches(program):
        stream = launch.stream
        if stream is None or stream.kind != "identifier" or (id(launch.function), stream.text) in told:
            continue
        scope = program.scope(launch.function)
        if not _is_own(stream.text, launch.function, scope):
            continue
        wrong = _early_copy(launch, program) or _left_behind(launch, stream.text)
        if wrong is not None and not _is_handed_on(stream.text, launch.function):
            told.add((id(launch.function), stream.text))
            yield wrong


def _is_own(stream: str, function: TextFunction, scope: Scope) -> bool:
    """A stream that the function makes, and that does not wait for the default stream."""
    if any("getStreamFromPool" in value.text for value in scope.values.get(stream, ())):
        return True
    made = re.compile(rf"StreamCreateWith\w+\s*\(\s*&\s*{re.escape(stream)}\s*,[^;]*NonBlocking")
    return stream not in scope.parameters and made.search(function.body.text) is not None


def _is_handed_on(stream: str, function: TextFunction) -> bool:
    """Another function gets the stream, and may wait for it."""
    calls = re.finditer(rf"\b(\w+)\s*\([^;()]*\b{re.escape(stream)}\b", function.body.text)
    return any(_KEEPS.match(call[1]) is None for call in calls)


def _early_copy(launch: TextLaunch, program: Program) -> WrongLaunch | None:
    """The first copy behind the launch that blocks the host and reads what the kernel writes, with no wait between."""
    written = _written(launch, program)
    body = launch.function.body
    for node in body.walk():
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind != "call_expression" or node.start < launch.node.end or callee is None or arguments is None:
            continue
        between = body.text[launch.node.end - body.start : node.start - body.start]
        if _WAITS.search(between) is not None or _in_other_branch(node, launch.node, body):
            return None
        if _COPY.fullmatch(callee.text) and len(arguments.children) > 1:
            source = arguments.children[2 if callee.text.endswith("2D") else 1]
            if not names_in(source).isdisjoint(written):
                text = f"`{callee.text}` reads `{source.text}` on the default stream"
                return WrongLaunch(launch, node, text, True)
    return None


def _written(launch: TextLaunch, program: Program) -> set[str]:
    """Variables that the kernel gets for pointers to what is not constant."""
    kernels = kernels_by_name(program.outline).get(launch.kernel, [])
    if len(kernels) != 1:
        return set()
    given = zip(kernels[0].parameters, map(uncast, launch.arguments))
    return {a.text for p, a in given if "*" in p.text and "const" not in p.text and a.kind == "identifier"}


def _in_other_branch(node: Syntax, launch: Syntax, body: Syntax) -> bool:
    """A condition around the one that is not around the other."""
    return any(
        each.kind in ("if_statement", "switch_statement", "lambda_expression")
        and (each.start <= node.start < each.end) != (each.start <= launch.start < each.end)
        for each in body.walk()
    )


def _left_behind(launch: TextLaunch, stream: str) -> WrongLaunch | None:
    """A function of tensors in which nothing waits for the stream, before or behind, and that hands it to nobody."""
    function = launch.function
    given = " ".join(parameter.text for parameter in function.parameters)
    text = function.body.text
    if _TENSOR.search(f"{function.result} {given}") is None or _WAITS.search(text) is not None:
        return None
    name = re.escape(stream)
    if re.search(rf"\breturn\b[^;]*\b{name}\b|(?<![=!<>])=\s*{name}\s*[;,)]|push_back\s*\(\s*{name}", text) is not None:
        return None
    return WrongLaunch(launch, launch.node, f"nothing waits for the work on `{stream}`", True)
