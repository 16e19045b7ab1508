"""Memory that a stream allocates, and that goes back on the default stream, or that of the thread, which may be ahead of it.

Buffer(n, s) : stream_(s) { cudaMallocAsync(&data_, n, s); }   ~Buffer() { cudaFreeAsync(data_, 0); }
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.launch.given_streams import is_always_default
from cudalint.analysis.launch.launch_patterns import WrongLaunch
from cudalint.analysis.launch.stream_works import ORDERS
from cudalint.analysis.text.methods import CLASSES
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_STREAM = ("cudaStream_t", "hipStream_t")
_DEFAULT = ("0", "NULL", "nullptr", "{}", "cudaStreamDefault", "cudaStreamLegacy", "hipStreamDefault")
_OF_THREAD = ("cudaStreamPerThread", "hipStreamPerThread")
_ALLOCATES = re.compile(r"(::)?(cuda|hip)MallocAsync")
_FREES = re.compile(r"(::)?(cuda|hip)FreeAsync")
_FREED_ON_THREAD = re.compile(r"FreeAsync\s*\([^;]*StreamPerThread")
_BLOCKING = re.compile(r"\b(cuda|hip)StreamCreate\s*\(")


def freed_on_default(outline: Outline) -> Iterator[WrongLaunch]:
    """Each such free where a stream of the function, or of its class, is at hand; streams that block keep the order."""
    text = outline.root.text
    if "FreeAsync" not in text or "MallocAsync" not in text or _BLOCKING.search(text) is not None:
        return
    program = program_of(outline)
    made = list(_allocations(program))
    for function, node, given in _calls(program, _FREES, 2):
        name = _name(given[0])
        on = [(maker, stream) for maker, pointer, stream in made if name and pointer == name]
        on = [(maker, stream) for maker, stream in on if _is_one_variable(name, maker, function, outline)]
        where = _where(given[1].bare, text)
        if not on or not where or _is_waited_for(node.start, function, program):
            continue
        at_hand = _stream_at_hand(function, program)
        if at_hand and all(_is_elsewhere(stream, maker, program) for maker, stream in on):
            launch = TextLaunch(function, "", (None,) * 3, (None,) * 3, None, None, (), (), node)
            yield WrongLaunch(launch, node, f"`{name}` goes back on {where}, not on `{at_hand}`", True)


def _where(stream: str, text: str) -> str:
    """Which of the streams that are always there it is; that of the thread where nothing but such a free names it."""
    if stream in _OF_THREAD:
        return "" if "StreamPerThread" in _FREED_ON_THREAD.sub("", text) else "the stream of the thread"
    return "the default stream" if stream in _DEFAULT else ""


def _is_waited_for(place: int, function: TextFunction, program: Program) -> bool:
    """Something that may wait stands before it, or before a call of the function."""
    calls = program.callers(function.name.rpartition("::")[2])
    places = [(function, place), *((call.function, call.place) for call in calls)]
    return any(ORDERS.search(f.body.text[: at - f.body.start]) is not None for f, at in places)


def _calls(
    program: Program, called: re.Pattern[str], least: int
) -> Iterator[tuple[TextFunction, Syntax, tuple[Syntax, ...]]]:
    for function in program.outline.functions:
        for node in function.body.walk() if function.role == "host" else ():
            callee, arguments = node.child("function"), node.child("arguments")
            if node.kind == "call_expression" and callee is not None and called.fullmatch(callee.text) is not None:
                if arguments is not None and len(arguments.children) >= least:
                    yield function, node, arguments.children


def _allocations(program: Program) -> Iterator[tuple[TextFunction, str, str]]:
    """(function, pointer, stream)."""
    for function, _, given in _calls(program, _ALLOCATES, 3):
        pointer = uncast(given[0])
        target = pointer.child("argument") if pointer.kind == "pointer_expression" and pointer.op == "&" else None
        if target is not None:
            yield function, _name(target), given[2].bare


def _name(node: Syntax) -> str:
    bare = uncast(node).bare.removeprefix("this->")
    return bare if re.fullmatch(r"\w+", bare) else ""


def _is_one_variable(name: str, maker: TextFunction, freer: TextFunction, outline: Outline) -> bool:
    """A variable of one function, or a member of the class that both belong to."""
    if maker is freer:
        return True
    owner = _class_of(freer, outline)
    return owner is not None and owner is _class_of(maker, outline) and name in _members(owner)


def _is_elsewhere(stream: str, maker: TextFunction, program: Program) -> bool:
    """It is named, and no caller in the file says that it is the default one."""
    plain = stream.removeprefix("this->")
    return plain not in (*_DEFAULT, *_OF_THREAD) and not is_always_default(plain, maker, program)


def _stream_at_hand(function: TextFunction, program: Program) -> str:
    """A variable of the function that is a stream, and not the default one; else a member of its class."""
    scope = program.scope(function)
    own = [name for name, written in scope.structures.items() if written in _STREAM]
    if own:
        known = [name for name in own if all(value.bare not in _DEFAULT for value in scope.values.get(name, ()))]
        return known[0] if known and not is_always_default(known[0], function, program) else ""
    owner = _class_of(function, program.outline)
    members = {} if owner is None else _members(owner)
    return next((name for name, written in members.items() if written in _STREAM), "")


def _class_of(function: TextFunction, outline: Outline) -> Syntax | None:
    """The innermost class around the function, or the one class of the file that its name says."""
    classes = [n for n in outline.root.walk() if n.kind in CLASSES and n.child("body")]
    around = [n for n in classes if n.start < function.body.start < n.end]
    if around:
        return around[-1]
    path = re.sub(r"<[^<>]*>", "", function.name).split("::")
    named = [n for n in classes if len(path) > 1 and (name := n.child("name")) is not None and name.text == path[-2]]
    return named[0] if len(named) == 1 else None


def _members(owner: Syntax) -> dict[str, str]:
    """By name the written types of what the class declares."""
    body = owner.child("body")
    found: dict[str, str] = {}
    for node in () if body is None else body.children:
        written = node.child("type")
        for declarator in node.all("declarator") if node.kind == "field_declaration" and written is not None else ():
            name = re.search(r"\w+$", declarator.text)
            if name is not None and declarator.kind in ("field_identifier", "pointer_declarator"):
                found[name[0]] = written.text.rpartition("::")[2]  # type: ignore[union-attr]
    return found
