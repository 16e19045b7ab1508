"""Variables of the host that an asynchronous copy fills, and that are read before anything has waited for the copy.

    int count;
    cudaMemcpyAsync(&count, counter, sizeof(int), cudaMemcpyDeviceToHost, stream);
    if (count > 0) ...                                          // what stood there before, unless the copy was quick

The runtime may wait for a copy to memory that is not pinned, and says that it need not. Whatever is called in between, and
is not known to wait for nothing, is taken to wait.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_COPY = re.compile(r"(^|::)(cuda|hip)MemcpyAsync$")
_TO_HOST = re.compile(r"(cuda|hip)MemcpyDeviceToHost$")
_UPDATE = re.compile(r"^(raft::)?update_host$")
_VECTOR = re.compile(r"^(const\s+)?(std::)?vector\s*<")
_WAITS_FOR_NOTHING = re.compile(
    r"(\w+_cast(<.*>)?|sizeof|printf|fprintf|min|max|size|data|begin|end|move|forward|swap|get|empty|push_back"
    r"|shape|dtype|dptr|numel|options|device|strides?|sizes|n?dim|Size|front|back|length|c_str|str|to_string"
    r"|(cuda|hip)(GetLastError|PeekAtLastError|GetErrorString|EventRecord|MemcpyAsync|MemsetAsync|MallocAsync|FreeAsync)"
    r"|(?=[A-Z\d_]*(CHECK|CALL|TRY|ERROR|EXPECT|ASSERT|SAFE))[A-Z\d_]+)$"
)
_WAITS = re.compile(r"sync|wait|join", re.IGNORECASE)


def unawaited_copies(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each copy: the first place that reads what it fills; what it is about is the copy."""
    for body in bodies(program_of(outline), ("host",)):
        if "MemcpyAsync" not in body.function.body.text and "update_host" not in body.function.body.text:
            continue
        local = dict(_declared(body))
        for node in body.nodes:
            name = _filled(node, local)
            read = _first_read(name, node, body) if name else None
            if read is not None:
                text = f"`{name}` is read while the copy that fills it may still be on its way"
                yield GuardIssue(body.function, read, text, node)


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
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or arguments is None or not arguments.children:
        return ""
    kinds = any(_TO_HOST.search(argument.text) for argument in arguments.children)
    if not (_COPY.search(callee.text) and kinds) and not _UPDATE.match(callee.text):
        return ""
    target = uncast(arguments.children[0])
    name, expected = target.text, "array"
    inner = target.child("argument")
    if target.kind == "pointer_expression" and target.op == "&" and inner is not None:
        name, expected = inner.text, "value"
        if inner.kind == "subscript_expression" and inner.children[0].kind == "identifier":
            name, expected = inner.children[0].text, local.get(inner.children[0].text, "")
    elif match := re.fullmatch(r"(\w+)\s*\.\s*data\s*\(\s*\)", target.text):
        name, expected = match[1], "vector"
    return name if local.get(name) == expected else ""


def _first_read(name: str, copy: Syntax, body: Body) -> Syntax | None:
    """The first place behind the copy that names the variable, where nothing before it may wait."""
    around = [parent for parent, _ in body.ancestors(copy)]
    if any(_WAITS.search(_callee(parent)) for parent in around):
        return None
    events = [node for node in body.nodes if node.start >= copy.end and _is_event(node, name)]
    for node in sorted(events, key=lambda each: each.end):
        if node.kind == "identifier":
            return node if _is_plain_read(node, body) and _is_behind(node, copy, body) else None
        if not _WAITS_FOR_NOTHING.match(_callee(node)) or _WAITS.search(_callee(node)):
            return None
    return None


def _is_event(node: Syntax, name: str) -> bool:
    """The variable is named there, or something is called that is no launch."""
    if node.kind == "identifier":
        return node.text == name
    return node.kind == "call_expression" and all(child.kind != "kernel_call_syntax" for child in node.children)


def _callee(call: Syntax) -> str:
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


def _is_behind(read: Syntax, copy: Syntax, body: Body) -> bool:
    """The way from the copy to the place takes no other branch, leaves no lambda expression and enters none."""
    before, after = body.ancestors(copy), body.ancestors(read)
    lambdas = [[parent for parent, _ in way if parent.kind == "lambda_expression"] for way in (before, after)]
    branches = [
        {id(parent): child for parent, child in way if parent.kind in ("if_statement", "case_statement")}
        for way in (body.ancestors(copy), body.ancestors(read))
    ]
    apart = any(branches[1].get(key, child) is not child for key, child in branches[0].items())
    return [id(each) for each in lambdas[0]] == [id(each) for each in lambdas[1]] and not apart
