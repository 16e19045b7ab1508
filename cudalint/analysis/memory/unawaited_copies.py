"""Variables of the host that an asynchronous copy fills, and that are read before anything has waited for the copy.

    int count;
    cudaMemcpyAsync(&count, counter, sizeof(int), cudaMemcpyDeviceToHost, stream);
    if (count > 0) ...                                          // what stood there before, unless the copy was quick

A copy to memory that is not pinned is no certain defect: the manual said of it that the call returns once the copy is done, and
says since CUDA 12 that it might (CUDA runtime API, API synchronization behavior). Variables, arrays and vectors of the function are
such memory; where a pointer that it is given leads, and what was allocated as pinned memory, here or for a member, may be filled
later. Whatever is called in between, and is not known to wait for nothing, is taken to wait.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from cudalint.analysis.text.called_functions import that_come_to
from cudalint.analysis.text.error_checkers import error_checkers
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.methods import CLASSES, owners
from cudalint.analysis.text.scopes import POINTER, uncast
from cudalint.analysis.text.text_program import PROGRAMS_KEPT, Body, Program, program_of
from cudalint.analysis.text.type_widths import bytes_of_type
from cudalint.ir.syntax import Outline, Syntax

Reads = Callable[
    [Syntax, Body], bool | None
]  # whether a place reads the memory; None where it is not concerned with it
_COPY = re.compile(r"(^|::)(cuda|hip)MemcpyAsync$")
_TO_HOST = re.compile(r"(cuda|hip)MemcpyDeviceToHost$")
_UPDATE = re.compile(r"^(\w+::)*update_host$")
_PINNED = re.compile(r"pinned|page_?locked|(cuda|hip)(MallocHost|HostAlloc|HostMalloc)\b", re.IGNORECASE)
_PINS = re.compile(r"(cuda|hip)(MallocHost|HostAlloc|HostMalloc)$")
_VECTOR = re.compile(r"^(const\s+)?(std::)?vector\s*<")
_NAMED = ("identifier", "field_expression")
_MEMBER = re.compile(r"(\w+)(?:->|\.)(\w+)")
_WAITS_FOR_NOTHING = re.compile(
    r"(\w+_cast(<.*>)?|sizeof|printf|fprintf|min|max|size|data|begin|end|move|forward|swap|get|empty|push_back"
    r"|shape|dtype|dptr|numel|options|device|strides?|sizes|n?dim|Size|front|back|length|c_str|str|to_string"
    r"|(cuda|hip)(GetLastError|PeekAtLastError|GetErrorString|EventRecord|MemcpyAsync|MemsetAsync|MallocAsync|FreeAsync)"
    r"|(?=[A-Z\d_]*(CHECK|CALL|TRY|ERROR|EXPECT|ASSERT|SAFE))[A-Z\d_]+)$"
)
_WAITS = re.compile(r"sync|wait|join", re.IGNORECASE)
_ASKS = re.compile(r"begin|end|get|front|back|device|options")  # no statements of their own, but of a timer or a future
_CLASS_TYPES = ("type_identifier", "qualified_identifier", "template_type")
_CONDITIONAL = ("while_statement", "do_statement", "for_statement", "if_statement")
_LEAVES = ("return_statement", "break_statement", "continue_statement", "throw_statement")
_LISTS = ("argument_list", "initializer_list")
_PLAIN = re.compile(r"std::(?!future|promise|j?thread|latch|barrier)|(std::)?(vector|array|string)\b|dim3$")


def unawaited_copies(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each copy: the first place that reads what it fills; what it is about is the copy."""
    program = program_of(outline)
    for body in bodies(program, ("host",)):
        if "MemcpyAsync" not in body.function.body.text and "update_host" not in body.function.body.text:
            continue
        members = dict.fromkeys((*pinned_members(body, program), *_pinned_of_objects(body, program)), "pointer")
        local = {**members, **dict(_given(body)), **dict(_declared(body))}
        for node in body.nodes:
            name = _filled(node, local)
            reads = is_element_read if name and local[name] == "pointer" else _is_plain_read
            read = first_read(name, reads, node, body) if name else None
            if read is not None:
                text = f"`{name}` is read while the copy that fills it may still be on its way"
                certain = _may_be_pinned(name, local[name], body, program)
                yield GuardIssue(body.function, read, text, node, certain)


def _given(body: Body) -> Iterator[tuple[str, str]]:
    """Pointers that the function is given, or that it makes pinned memory for."""
    for name in body.scope.parameters:
        if name and body.scope.types.get(name) == POINTER and not body.scope.values.get(name):
            yield name, "pointer"
    yield from dict.fromkeys(pinned_names(body), "pointer").items()


def pinned_names(body: Body) -> list[str]:
    """Pointers that the function makes pinned memory for."""
    found = []
    for node in body.nodes:
        arguments = node.child("arguments")
        if node.kind == "call_expression" and arguments is not None and _PINS.search(called(node)):
            target = uncast(arguments.children[0]) if arguments.children else node
            if re.fullmatch(r"&\s*\w+", target.text):
                found.append(target.text.lstrip("& "))
    return found


def _pinned_of_objects(body: Body, program: Program) -> Iterator[str]:
    """`s->count` where the file makes pinned memory for the member, of any object of its type."""
    made = {pair for other in bodies(program, ("host",)) for pair in _pinned_through_objects(other)}
    for node in body.nodes if made else ():
        member = _MEMBER.fullmatch(node.bare) if node.kind == "field_expression" else None
        if member is not None and (_type_of(member[1], body), member[2]) in made:
            yield node.bare


def _pinned_through_objects(body: Body) -> Iterator[tuple[str, str]]:
    """The type and the member of `cudaMallocHost(&s->count, bytes)`."""
    for node in body.nodes:
        arguments = node.child("arguments")
        if node.kind == "call_expression" and arguments is not None and _PINS.search(called(node)):
            member = _MEMBER.fullmatch(uncast(arguments.children[0]).bare.lstrip("&")) if arguments.children else None
            if member is not None and _type_of(member[1], body):
                yield _type_of(member[1], body), member[2]


def _type_of(object_: str, body: Body) -> str:
    """The class of an object; empty where the text does not say it."""
    found = sorted(owners(body.function, body.scope.outline)) if object_ == "this" else []
    return found[0] if found else body.scope.structures.get(object_, "")


def pinned_members(body: Body, program: Program) -> list[str]:
    """Names that are no variable of this function, and that another one makes pinned memory for, as no variable of its own."""
    found, mine = [], owners(body.function, program.outline)
    for other in bodies(program, ("host",)):
        names = [name for name in pinned_names(other) if name not in other.scope.types]
        theirs = owners(other.function, program.outline) if names else set()
        found += names if not mine or not theirs or mine & theirs else []
    return [name for name in dict.fromkeys(found) if name not in body.scope.types]


def _may_be_pinned(name: str, kind: str, body: Body, program: Program) -> bool:
    """It says so, or nothing is said of where a pointer comes from."""
    declarations = [n.text for n in body.nodes if n.kind == "declaration" and re.search(rf"\b{name}\b", n.text)]
    if kind != "pointer":
        return any(_PINNED.search(text) for text in declarations)
    if name not in body.scope.parameters:
        return True
    place = body.scope.parameters.index(name)
    given = [c.arguments[place] for c in program.callers(_last(body.function.name)) if place < len(c.arguments)]
    return not any(re.search(r"^\s*&|\.data\(\)$", argument.text) for argument in given)


def _last(name: str) -> str:
    return name.rpartition("::")[2]


def _declared(body: Body) -> Iterator[tuple[str, str]]:
    """(name, what it is) of the function's own numbers, arrays and vectors."""
    for node in body.nodes:
        written = node.child("type")
        if node.kind != "declaration" or written is None or re.match(r"\s*(static|extern|thread_local)\b", node.text):
            continue
        for declarator in node.all("declarator"):
            is_vector = _VECTOR.match(written.text) is not None
            made = (
                ("init_declarator", "function_declarator") if is_vector else ("init_declarator",)
            )  # `vector<T> v(n);`
            inner = declarator.child("declarator") if declarator.kind in made else declarator
            if inner is None:
                continue
            if inner.kind == "identifier":
                yield inner.text, "vector" if is_vector else "value"
            elif inner.kind == "array_declarator" and inner.children and inner.children[0].kind == "identifier":
                yield inner.children[0].text, "array"


def _filled(node: Syntax, local: dict[str, str]) -> str:
    """The variable that a copy to the host fills; nothing for other calls and other memory."""
    target = copied_to(node)
    if target is None:
        return ""
    name, expected = target.text, "array"
    inner = target.child("argument")
    if target.kind == "pointer_expression" and target.op == "&" and inner is not None:
        name, expected = inner.text, "value"
        if inner.kind == "subscript_expression" and inner.children[0].kind == "identifier":
            name, expected = inner.children[0].text, local.get(inner.children[0].text, "")
    elif match := re.fullmatch(r"(\w+)\s*\.\s*data\s*\(\s*\)", target.text):
        name, expected = match[1], "vector"
    elif local.get(name) == "pointer":
        expected = "pointer"
    return name if local.get(name) == expected else ""


def copied_to(node: Syntax) -> Syntax | None:
    """Where a copy to the host goes; nothing for other calls."""
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or arguments is None or not arguments.children:
        return None
    kinds = any(_TO_HOST.search(argument.text) for argument in arguments.children)
    if not (_COPY.search(callee.text) and kinds) and not _UPDATE.match(callee.text):
        return None
    return uncast(arguments.children[0])


def first_read(name: str, reads: Reads, copy: Syntax, body: Body) -> Syntax | None:
    """The first place behind the copy that names the variable and reads its memory, where nothing before it may wait.

    A place that neither reads it nor lets it go is passed by.
    """
    around = [parent for parent, _ in body.ancestors(copy)]
    if any(_WAITS.search(called(parent)) for parent in around):
        return None
    waiting, checkers = waiting_names(body.scope.outline), error_checkers(body.scope.outline)
    events = [node for node in body.nodes if node.start >= copy.end and _is_event(node, name, body, waiting)]
    for node in sorted(events, key=lambda each: each.end):
        if node.kind in _NAMED:
            if _is_other_object(name, copy, node, body):
                return None
            read = reads(node, body)
            if read is None:
                continue
            if _ends_with_object(copy, node, body):
                return None
            return node if read and _is_behind(node, copy, body) else None
        if node.kind == "call_expression" and called(node) in checkers:
            continue
        if node.kind != "call_expression" or _is_asked_for_itself(node, body) or not waits_for_nothing(node, waiting):
            return None
    return None


def _is_other_object(name: str, copy: Syntax, read: Syntax, body: Body) -> bool:
    """The variable of `s->count` is set between the two."""
    values = body.scope.values.get(re.split(r"->|\.", name)[0], ())
    return any(copy.end <= value.start < read.start for value in values)


def _is_event(node: Syntax, name: str, body: Body, waiting: frozenset[str]) -> bool:
    """The memory is named there, or something is called that is no launch: also a constructor or an operator that may wait."""
    if node.kind in _NAMED:
        return node.bare == name
    if node.kind in ("declaration", "compound_literal_expression"):
        return _makes_waiting_object(node, body)
    if node.kind == "binary_expression":
        return f"operator{node.op}" in waiting
    if _asks_an_object(node, body):
        return True
    return node.kind == "call_expression" and all(child.kind != "kernel_call_syntax" for child in node.children)


def _asks_an_object(node: Syntax, body: Body) -> bool:
    """The condition of a loop or a branch names an object of a class of the file that asks whether work is done."""
    parent = body.parents.get(id(node))
    if parent is None or parent.kind not in _CONDITIONAL or parent.child("condition") is not node:
        return False
    asking, outline = _asking_classes(body.scope.outline), body.scope.outline
    for name in names_in(node) if asking else ():
        written = body.scope.structures.get(name) or next(
            (outline.members.get(f"{owner}::{name}", "") for owner in owners(body.function, outline)), ""
        )
        if written.partition("<")[0].rpartition("::")[2].strip(" &*") in asking:
            return True
    return False


@lru_cache(maxsize=PROGRAMS_KEPT)
def _asking_classes(outline: Outline) -> frozenset[str]:
    """The classes of the file that ask for the state of a stream or an event."""
    named = ((node, node.child("name")) for node in outline.root.walk() if node.kind in CLASSES)
    return frozenset(name.text for node, name in named if name is not None and "Query" in node.text)


def _makes_waiting_object(node: Syntax, body: Body) -> bool:
    """An object of a class of the file that waits somewhere, or of one that is not known and is given something."""
    written = node.child("type")
    if written is None or written.kind not in _CLASS_TYPES or _PLAIN.match(written.text):
        return False
    known = _classes(body.scope.outline).get(written.text.partition("<")[0].rpartition("::")[2].strip())
    if known is not None:
        return known
    given = [node.child("value"), *(each.child("value") for each in node.all("declarator"))]
    is_made = any(each is not None and each.kind in _LISTS and each.children for each in given)
    is_made = is_made or any(each.kind == "function_declarator" for each in node.all("declarator"))
    return is_made and bytes_of_type(body.scope.outline.types.get(written.text, written.text)) is None


@lru_cache(maxsize=PROGRAMS_KEPT)
def _classes(outline: Outline) -> dict[str, bool]:
    """The classes of the file, and whether one waits somewhere, or may do so in what is defined outside of it."""
    found: dict[str, bool] = {}
    for node in outline.root.walk():
        name = node.child("name") if node.kind in CLASSES and node.child("body") is not None else None
        if name is not None:
            waits = _WAITS.search(node.text) is not None or f"{name.text}::" in outline.root.text
            found[name.text] = found.get(name.text, False) or waits
    return found


def _ends_with_object(copy: Syntax, read: Syntax, body: Body) -> bool:
    """A block that the copy stands in is left before the read, and an object with it whose destructor may wait."""
    left = [block for block, _ in body.ancestors(copy) if block.start <= copy.start and block.end <= read.start]
    inside = (node for block in left if block.kind == "compound_statement" for node in block.children)
    return any(node.kind == "declaration" and _makes_waiting_object(node, body) for node in inside)


def _is_asked_for_itself(call: Syntax, body: Body) -> bool:
    """`timer.end();` of another file, of which nothing is taken: what it does is another thing than to answer."""
    parent = body.parents.get(id(call))
    if parent is None or parent.kind != "compound_statement" or not _ASKS.fullmatch(called(call)):
        return False
    return all(_last(function.name) != called(call) for function in body.scope.outline.functions)


@lru_cache(maxsize=PROGRAMS_KEPT)
def waiting_names(outline: Outline) -> frozenset[str]:
    """What the file defines and waits, also in what it calls, by its last name; macros, too."""
    return that_come_to(_WAITS, outline) | {_last(f.name) for f in outline.functions if _WAITS.search(f.body.text)}


def waits_for_nothing(call: Syntax, waiting: frozenset[str]) -> bool:
    """Known by its name to return while copies are on their way."""
    name = called(call)
    return name not in waiting and _WAITS_FOR_NOTHING.match(name) is not None and _WAITS.search(name) is None


def called(call: Syntax) -> str:
    """The last name of what is called."""
    callee = call.child("function") if call.kind == "call_expression" else None
    return "" if callee is None else re.split(r"::|\.|->", callee.text.strip())[-1]


def _is_plain_read(name: Syntax, body: Body) -> bool:
    """Neither written to nor given away by its address."""
    node = name
    for parent, child in body.ancestors(name):
        if parent.kind == "subscript_expression" and parent.children[0] is child:
            node = parent
            continue
        target = parent.child("left") or parent.child("declarator")
        is_written = parent.kind in ("assignment_expression", "init_declarator") and target is node
        is_addressed = parent.kind in ("pointer_expression", "field_expression")
        return (
            not is_written and not is_addressed and parent.kind not in ("lambda_capture_specifier", "call_expression")
        )
    return False


def is_element_read(name: Syntax, body: Body) -> bool:
    """`*p`, `p[0]` or `p->n`, and no store there."""
    element = body.parents.get(id(name))
    if element is None or element.children[0] is not name:
        return False
    arrow = element.kind == "field_expression" and element.text[len(name.text) :].lstrip().startswith("->")
    if (
        element.kind != "subscript_expression"
        and not arrow
        and not (element.kind == "pointer_expression" and element.op == "*")
    ):
        return False
    parent = body.parents.get(id(element))
    stored = parent is not None and parent.kind == "assignment_expression" and parent.child("left") is element
    address = parent is not None and parent.kind in ("pointer_expression", "field_expression")
    called = parent is not None and parent.kind == "call_expression"
    return not stored and not address and not called


def _is_behind(read: Syntax, copy: Syntax, body: Body) -> bool:
    """The way from the copy to the place takes no other branch, is not left, leaves no lambda expression and enters none."""
    if _is_left(copy, read, body):
        return False
    before, after = body.ancestors(copy), body.ancestors(read)
    lambdas = [[parent for parent, _ in way if parent.kind == "lambda_expression"] for way in (before, after)]
    branches = [
        {id(parent): child for parent, child in way if parent.kind in ("if_statement", "case_statement")}
        for way in (body.ancestors(copy), body.ancestors(read))
    ]
    apart = any(branches[1].get(key, child) is not child for key, child in branches[0].items())
    return [id(each) for each in lambdas[0]] == [id(each) for each in lambdas[1]] and not apart


def _is_left(copy: Syntax, read: Syntax, body: Body) -> bool:
    """What stands around the copy, and not around the read, ends with a statement that goes elsewhere."""
    for parent, _ in body.ancestors(copy):
        if parent.start <= read.start < parent.end:
            return False
        in_block = parent.kind in ("compound_statement", "case_statement") and bool(parent.children)
        if (parent.children[-1] if in_block else parent).kind in _LEAVES:
            return True
    return False
