"""Work on the default stream in a function that is given a stream, or asks for the current one, used elsewhere or nowhere.

k<<<grid, block>>>(x);                                        beside  a<<<grid, block, 0, stream>>>(x)
cudaMemsetAsync(x, 0, n);                                      the same
cub::DeviceScan::InclusiveSum(storage, bytes, x, y, n);        where cub takes the stream as its last argument
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.launch.launch_patterns import WrongLaunch
from cudalint.analysis.text.scopes import Scope
from cudalint.analysis.text.text_program import Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction


def other_streams(outline: Outline) -> Iterator[WrongLaunch]:
    """Work that goes to the default stream in a function that is given a stream, or asks for one."""
    program = program_of(outline)
    for function in outline.functions:
        scope = program.scope(function)
        stream = stream_of(function, scope) or _unordered_stream(function, outline)
        if stream is None or is_always_default(stream, function, program) or _is_blocking(stream, function, program):
            continue
        calls = [node for node in function.body.walk() if node.kind == "call_expression"]
        for node in calls:
            if _forgets(node, stream, scope) and not _asks_for_storage(node, calls, scope):
                launch = TextLaunch(function, "", (None,) * 3, (None,) * 3, None, None, (), (), node)
                text = f"`{_callee(node)}` runs on the default stream, not on `{stream}`"
                yield WrongLaunch(launch, node, text, True)


def stream_of(function: TextFunction, scope: Scope) -> str | None:
    """The stream of its work: the current one, which it has asked for, beside one that it is given for something else."""
    given = _given_stream(function, scope)
    works = given is None or _has_work(given, function)
    return _current_stream(function, scope, works) or given or _unused_stream(function, scope)


def _given_stream(function: TextFunction, scope: Scope) -> str | None:
    for parameter, name in zip(function.parameters, scope.parameters):
        if name and _is_stream(parameter):
            return name if re.search(rf"\b{re.escape(name)}\b", function.body.text) else None
    return None


def _unused_stream(function: TextFunction, scope: Scope) -> str | None:
    """A stream that is given, or asked for, and then nowhere named; one that waits for all work needs none."""
    text = function.body.text
    if "<<<" not in text or _WAITS.search(text) is not None:
        return None
    for parameter, name in zip(function.parameters, scope.parameters):
        if name and _is_stream(parameter) and re.search(rf"\b{re.escape(name)}\b", text) is None:
            return name
    for name, values in scope.values.items():
        if len(values) == 1 and name not in scope.parameters and _CURRENT.match(values[0].bare):
            return name if len(re.findall(rf"\b{re.escape(name)}\b", text)) == 1 else None
    return None


def _is_stream(parameter: Syntax) -> bool:
    written = parameter.child("type")
    return written is not None and written.text.rpartition("::")[2] in ("cudaStream_t", "cuda_stream_view")


def _current_stream(function: TextFunction, scope: Scope, working: bool) -> str | None:
    """`auto stream = at::cuda::getCurrentCUDAStream();`, to which some work of the function goes if that is wanted."""
    for name, values in scope.values.items():
        if len(values) == 1 and _CURRENT.match(values[0].bare) and name not in scope.parameters:
            return name if not working or _has_work(name, function) else None
    return None


def _has_work(stream: str, function: TextFunction) -> bool:
    """A launch, or a device-wide algorithm of cub, is told the stream."""
    named = rf"[^;]*\b{re.escape(stream)}\b"
    return re.search(rf"<<<{named}[^;]*>>>|\bcub::Device\w+::\w+\s*\({named}", function.body.text) is not None


_WAITS = re.compile(r"\bcuda(Device|Thread|Stream)Synchronize\b")
_CURRENT = re.compile(r"([\w:<>]+(::|\.|->))?get_?(current|active)?_?(cuda)?_?stream\(", re.IGNORECASE)


def is_always_default(stream: str, function: TextFunction, program: Program) -> bool:
    """Every caller in the file gives the default stream."""
    given = _given(stream, function, program)
    return bool(given) and given <= {"0", "NULL", "nullptr"}


def _is_blocking(stream: str, function: TextFunction, program: Program) -> bool:
    """Every caller in the file gives one that cudaStreamCreate() made: the default stream waits for it, and it for that."""
    given = _given(stream, function, program)
    made = set(_MADE.findall(program.outline.root.text)) if given else set()
    named = {name for name in given if program.outline.root.text.count(f"&{name}") == 1}
    return bool(given) and given == named and given <= made


def _unordered_stream(function: TextFunction, outline: Outline) -> str | None:
    """A stream of the file, such as a member, that was made not to wait for the default one, and that the function launches on."""
    made = dict.fromkeys(_NON_BLOCKING.findall(outline.root.text))
    return next((name for name in made if _has_work(name, function)), None)


_NON_BLOCKING = re.compile(r"\bcudaStreamCreateWith\w+\s*\(\s*&(?:this->)?(\w+)\s*,\s*cudaStreamNonBlocking\b")
_MADE = re.compile(r"\bcudaStreamCreate\s*\(\s*&(\w+)\s*\)")


def _given(stream: str, function: TextFunction, program: Program) -> set[str]:
    """What callers in the file give for it; nothing where one gives nothing."""
    if stream not in program.scope(function).parameters:
        return set()
    position = program.scope(function).parameters.index(stream)
    calls = program.callers(function.name.rpartition("::")[2])
    given = [call.arguments[position].text for call in calls if position < len(call.arguments)]
    return set(given) if len(given) == len(calls) else set()


def _callee(node: Syntax) -> str:
    callee = node.child("function")
    return "" if callee is None else callee.text.partition("<")[0]


def _forgets(node: Syntax, stream: str, scope: Scope) -> bool:
    arguments = node.child("arguments")
    config = next((child for child in node.children if child.kind == "kernel_call_syntax"), None)
    if config is not None:
        return len(config.children) < 4
    name = _callee(node)
    if name in _ARGUMENTS and arguments is not None:
        return len(arguments.children) < _ARGUMENTS[name] and not _is_awaited(node, scope)
    if _NAME_OF_CUB.fullmatch(name) is None or arguments is None:
        return False
    sides = arguments.children
    if not sides or "..." in arguments.text or sides[0].text in _NO_STORAGE:
        return False
    texts = (arguments.text, *(value.text for value in scope.values.get(sides[-1].text, ())))
    return not any(re.search(r"stream", text, re.IGNORECASE) or stream in text for text in texts)


def _is_awaited(node: Syntax, scope: Scope) -> bool:
    """The host waits for it before the next launch."""
    body = scope.function.body
    return "Synchronize" in body.text[node.end - body.start :].partition("<<<")[0]


def _asks_for_storage(node: Syntax, calls: list[Syntax], scope: Scope) -> bool:
    """A call of cub whose storage begins as null and is set behind it, or the first of several with this storage."""
    sides = _arguments(node)
    if _NAME_OF_CUB.fullmatch(_callee(node)) is None or len(sides) < 2:
        return False
    values = scope.values.get(sides[0].text, [])
    if values and values[0].bare in (*_NO_STORAGE, "{}") and all(value.start > node.start for value in values[1:]):
        return True
    storage = [side.text for side in sides[:2]]
    alike = [c for c in calls if _callee(c) == _callee(node) and [side.text for side in _arguments(c)[:2]] == storage]
    return len(alike) > 1 and min(alike, key=lambda call: call.start) is node


def _arguments(node: Syntax) -> tuple[Syntax, ...]:
    arguments = node.child("arguments")
    return () if arguments is None else tuple(arguments.children)


_ARGUMENTS = {"cudaMemsetAsync": 4, "cudaMemcpyAsync": 5}  # with the stream
_NAME_OF_CUB = re.compile(r"(::)?cub::Device\w+::\w+")
_NO_STORAGE = ("nullptr", "NULL", "0")  # asks how much storage the work needs
