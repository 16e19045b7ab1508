"""Buffers that live on between calls and are made by the first one, for its sizes: a later call may need more.

static float* scratch = nullptr;
if (!scratch) cudaMalloc(&scratch, n * sizeof(float));          n is a parameter
static auto scratch = torch::empty({n}, options);               the same
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.text.scopes import Scope
from cudalint.analysis.text.text_program import Program, TextCall, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_STATIC = re.compile(r"\bstatic\b")
_ALLOCATES = re.compile(r"(?:cuda|hip)Malloc(?:Managed|Async|Host|Pitch)?$")
_TENSOR = re.compile(r"(?:torch|at|c10)::(?:empty|zeros|ones|full)$")
_VECTOR = re.compile(r"\b(?:thrust::(?:device|host)_vector|rmm::device_uvector|(?:rmm::)?device_buffer)\b")
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_TYPES = re.compile(r"\bsizeof\s*\([^()]*\)|<[^<>]*>")
_CONSTANT = re.compile(r"[\s\dA-Z_xuUlL()+*<>-]*")  # literals and names in capitals
_NULL = ("nullptr", "NULL", "0")
DEPTH = 4


@dataclass(frozen=True, slots=True)
class FirstCallBuffer:
    """`made` allocates `name` in the first call of the function only, by the parameter `size`."""

    function: TextFunction
    name: str
    size: str
    made: Syntax


def first_call_buffers(outline: Outline) -> Iterator[FirstCallBuffer]:
    """One for each buffer that nothing else in the file frees, makes or resets."""
    if _STATIC.search(outline.root.text) is None:
        return
    program = program_of(outline)
    for function in outline.functions:
        if function.role == "host" and function.name != "main":
            yield from _of_function(function, program)


def _of_function(function: TextFunction, program: Program) -> Iterator[FirstCallBuffer]:
    scope = program.scope(function)
    own = set(_statics(function.body))
    kept = {*own, *_statics(program.outline.root, outside=True)}
    for node in function.body.walk():
        made = _made_once(node, kept) if node.kind == "if_statement" else _made_static(node)
        if made is None:
            continue
        name, size, place = made
        parameter = _parameter_of(size, scope)
        within = function.body if name in own else program.outline.root
        if parameter is None or _is_managed(name, place, within):
            continue
        if _is_compared(parameter, size, kept - {name}, function, scope):
            continue
        if _is_used(name, place, function) and not _always_alike(function, parameter, scope, program):
            yield FirstCallBuffer(function, name, parameter, place)


def _statics(root: Syntax, outside: bool = False) -> Iterator[str]:
    """Names that are declared static; `outside` of functions every variable is."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.kind == "declaration":
            if outside or any(c.kind == "storage_class_specifier" and c.text == "static" for c in node.children):
                yield from (found for d in node.all("declarator") if (found := _declared(d)) is not None)
        elif not outside or node.kind not in ("function_definition", "lambda_expression"):
            pending.extend(node.children)


def _declared(node: Syntax) -> str | None:
    while node.kind not in ("identifier", "field_identifier"):
        inner = node.child("declarator")
        if inner is None or node.kind == "function_declarator":
            return None
        node = inner
    return node.text


def _made_once(node: Syntax, kept: set[str]) -> tuple[str, str, Syntax] | None:
    """`if (!p) cudaMalloc(&p, size);` or, with a flag that it sets, `if (!made) { ... made = true; }`."""
    condition, then = node.child("condition"), node.child("consequence")
    tested = None if condition is None else _tested(condition)
    if then is None or tested not in kept or node.child("alternative") is not None:
        return None
    for call in then.walk():
        callee, arguments = call.child("function"), call.child("arguments")
        if call.kind != "call_expression" or callee is None or arguments is None or len(arguments.children) < 2:
            continue
        target = re.fullmatch(r"(?:\([^()]*\)\s*)?&\s*(\w+)", arguments.children[0].text)
        if _ALLOCATES.search(callee.text) is None or target is None or target[1] not in kept:
            continue
        if tested == target[1] or re.search(rf"\b{tested}\s*=\s*(?:true|1)\b", then.text) is not None:
            return target[1], arguments.children[1].text, call
    return None


def _tested(condition: Syntax) -> str | None:
    """The name in `!p` and `p == nullptr`."""
    if condition.kind == "unary_expression" and condition.op == "!":
        inner = condition.child("argument")
        return inner.text if inner is not None and inner.kind == "identifier" else None
    left, right = condition.child("left"), condition.child("right")
    if condition.kind != "binary_expression" or condition.op != "==" or left is None or right is None:
        return None
    if left.text in _NULL:
        left, right = right, left
    return left.text if right.text in _NULL and left.kind == "identifier" else None


def _made_static(node: Syntax) -> tuple[str, str, Syntax] | None:
    """`static auto t = torch::empty({n}, options);` and `static thrust::device_vector<float> v(n);`"""
    declarators = node.all("declarator") if node.kind == "declaration" else ()
    if len(declarators) != 1 or not any(
        c.kind == "storage_class_specifier" and c.text == "static" for c in node.children
    ):
        return None
    type_, target = node.child("type"), declarators[0]
    value, name = target.child("value"), target.child("declarator")
    if value is not None and value.kind == "call_expression" and name is not None and name.kind == "identifier":
        callee, arguments = value.child("function"), value.child("arguments")
        if callee is not None and arguments is not None and _TENSOR.search(callee.text) and arguments.children:
            return name.text, arguments.children[0].text, node
    if type_ is not None and _VECTOR.search(type_.text) is not None:
        given = re.fullmatch(r"(\w+)\s*[({]([^,]*).*[)}]", target.text, re.DOTALL)
        if given is not None and given[2].strip():
            return given[1], given[2], node
    return None


def _parameter_of(size: str, scope: Scope, depth: int = DEPTH) -> str | None:
    """A parameter of the function that the size is made of."""
    words: list[str] = _WORD.findall(_TYPES.sub(" ", size))
    for word in words:
        if word in scope.parameters:
            return word
        for value in scope.values.get(word, ()) if depth else ():
            found = _parameter_of(value.text, scope, depth - 1)
            if found is not None:
                return found
    return None


def _is_managed(name: str, place: Syntax, within: Syntax) -> bool:
    """Another place, of the function or of the file, frees it, makes it anew, or gives it a size."""
    rest = within.text[: place.start - within.start] + within.text[place.end - within.start :]
    word = re.escape(name)
    changes = rf"(?:Free\w*|Malloc\w*|reset|release|swap)\s*\([^;]*\b{word}\b|\b{word}\s*\.\s*(?:resize|reset|swap|assign|set_)"
    return len(re.findall(rf"\b{word}\s*=(?!=)", rest)) > 1 or re.search(changes, rest) is not None


def _is_compared(parameter: str, size: str, kept: set[str], function: TextFunction, scope: Scope) -> bool:
    """A condition weighs what the size is made of against what is kept, or against a constant."""
    names = {parameter, *_WORD.findall(_TYPES.sub(" ", size))} - {"sizeof"}
    names |= {name for name, values in scope.values.items() if any(parameter in _WORD.findall(v.text) for v in values)}
    for node in function.body.walk():
        left, right = node.child("left"), node.child("right")
        if (
            node.kind != "binary_expression"
            or node.op not in ("<", ">", "<=", ">=", "==", "!=")
            or left is None
            or right is None
        ):
            continue
        for mine, other in ((left, right), (right, left)):
            words = set(_WORD.findall(other.text))
            if (
                names & set(_WORD.findall(mine.text))
                and (words & kept or _CONSTANT.fullmatch(other.text))
                and other.text != "0"
            ):
                return True
    return False


def _is_used(name: str, place: Syntax, function: TextFunction) -> bool:
    behind = function.body.text[place.end - function.body.start :]
    return re.search(rf"\b{re.escape(name)}\b", behind) is not None


def _always_alike(function: TextFunction, parameter: str, scope: Scope, program: Program) -> bool:
    """All callers in sight pass the same constant, or there is one call, and it is no part of a loop."""
    calls = program.callers(function.name)
    if not calls or program.is_passed_on(function.name):
        return False
    place = scope.parameters.index(parameter)
    given = {call.arguments[place].text if place < len(call.arguments) else "" for call in calls}
    if len(given) == 1 and _CONSTANT.fullmatch(next(iter(given))) is not None:
        return True
    return len(calls) == 1 and calls[0].function.name == "main" and not _in_loop(calls[0])


def _in_loop(call: TextCall) -> bool:
    loops = ("for_statement", "while_statement", "do_statement", "for_range_loop")
    return any(n.kind in loops and n.start <= call.place < n.end for n in call.function.body.walk())
