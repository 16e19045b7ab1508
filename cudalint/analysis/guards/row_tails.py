"""Ends of rows and vectors that a guard does not see: it holds the flat index, or the first of several elements, against a size."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_BLANK = re.compile(r"\s+")
_ALIGNED = re.compile(r"%|align|round|pad|floor|& *~", re.IGNORECASE)
_VECTOR_LOAD = re.compile(r"(^|[._])((cast_)?load|ldg|vec_load|load_vec\w*|load_?(128|64|cs|global))$")
_WIDTH = re.compile(r"vec|width|pack|lanes|unroll|per_thread|^V$|^N$|^[48]$|^16$", re.IGNORECASE)


# --- rows --------------------------------------------------------------------------------------------------------------


def flat_guards(outline: Outline) -> Iterator[GuardIssue]:
    """`for (c = 0; c < cols; c += threads) { i = c + tid + row * cols; if (i < cols * rows) ... }` reads the next row."""
    for body in bodies(program_of(outline), ("kernel", "device")):
        if "threadIdx" not in body.function.body.text:
            continue
        for loop in body.nodes:
            counted = _counted_to(loop)
            if counted is None:
                continue
            counter, bound = counted
            for name, index in _indices(loop):
                terms = terms_of(index)
                guard = next((g for g in _guards_on(name, loop) if bound in _spelled(g, body)), None)
                if guard is not None and _passes_row(terms, counter, bound, body) and not _asks(loop, counter, bound):
                    text = (
                        f"`{short(guard)}` holds the flat index against the total: the end of a row reads the next one"
                    )
                    yield GuardIssue(body.function, guard, text, index)


def _counted_to(loop: Syntax) -> tuple[str, str] | None:
    """(counter, bound) of `for (c = ...; c < bound; c += ...)`."""
    condition, update = loop.child("condition"), loop.child("update")
    if loop.kind != "for_statement" or condition is None or update is None or update.op != "+=":
        return None
    left, right = condition.child("left"), condition.child("right")
    if condition.op != "<" or left is None or right is None or left.kind != "identifier":
        return None
    return (left.text, _squeezed(right)) if right.kind in ("identifier", "field_expression") else None


def _indices(loop: Syntax) -> Iterator[tuple[str, Syntax]]:
    """Variables that the loop declares, with their values."""
    for node in loop.walk():
        target, value = node.child("declarator"), node.child("value")
        if node.kind == "init_declarator" and target is not None and value is not None:
            if target.kind == "identifier":
                yield target.text, value


def _guards_on(name: str, loop: Syntax) -> Iterator[Syntax]:
    """Comparisons `name < total` that let an access pass."""
    for node in loop.walk():
        condition = node.child("condition") if node.kind in ("if_statement", "conditional_expression") else None
        for part in [] if condition is None else condition.walk():
            left = part.child("left")
            if part.kind == "binary_expression" and part.op in ("<", ">=") and left is not None and left.text == name:
                yield part


def _spelled(guard: Syntax, body: Body) -> set[str]:
    """The factors of the bound, through one variable."""
    right = guard.child("right")
    while right is not None and right.kind == "identifier" and len(body.scope.values.get(right.text, ())) == 1:
        right = body.scope.values[right.text][0]
    return set() if right is None or right.op != "*" else {_squeezed(factor) for factor in _factors(right)}


def _factors(node: Syntax) -> list[Syntax]:
    while node.kind == "cast_expression" and (value := node.child("value")) is not None:
        node = value
    if node.kind == "binary_expression" and node.op == "*":
        return [factor for child in node.children for factor in _factors(child)]
    return [node]


def _passes_row(terms: list[Syntax], counter: str, bound: str, body: Body) -> bool:
    """A row of `bound` elements, the counter, and the thread's place behind the counter."""
    rows = [term for term in terms if len(_factors(term)) > 1 and bound in map(_squeezed, _factors(term))]
    others = [term for term in terms if term not in rows]
    counters = [term for term in others if term.text == counter]
    threads = [term for term in others if term not in counters and _is_thread(term, body)]
    return len(rows) == 1 and len(counters) == 1 and len(threads) == 1 and len(others) == 2


def _is_thread(term: Syntax, body: Body) -> bool:
    if term.kind == "identifier":
        values = body.scope.values.get(term.text, [])
        return len(values) == 1 and re.fullmatch(r"(?:\(int\)\s*)?threadIdx\s*\.\s*x", values[0].text) is not None
    return re.fullmatch(r"threadIdx\s*\.\s*x", term.text) is not None


def _asks(loop: Syntax, counter: str, bound: str) -> bool:
    """A comparison of the place in the row with the row's length stands there too."""
    header = loop.child("condition")
    for node in loop.walk():
        right = node.child("right")
        if node is not header and node.kind == "binary_expression" and node.op in ("<", ">=", "<=", ">"):
            if right is not None and _squeezed(right) == bound and counter in names_in(node):
                return True
    return False


def _squeezed(node: Syntax) -> str:
    return _BLANK.sub("", node.text)


# --- vectors -----------------------------------------------------------------------------------------------------------


def vector_tails(outline: Outline) -> Iterator[GuardIssue]:
    """A length that memory gives bounds the first element of a vector, and whole vectors are loaded."""
    for body in bodies(program_of(outline), ("kernel", "device")):
        for loop in body.nodes:
            condition, update, start = loop.child("condition"), loop.child("update"), loop.child("initializer")
            if loop.kind != "for_statement" or condition is None or update is None or start is None:
                continue
            left, right = condition.child("left"), condition.child("right")
            if condition.op != "<" or left is None or right is None or left.kind != "identifier":
                continue
            width = _common_width(start, update)
            if width and _is_from_memory(right, body) and not _ALIGNED.search(right.text):
                load = _vector_load(loop, left.text, width, right.text)
                if load is not None:
                    text = f"`{short(load)}` loads {width} elements where only the first is known to be below `{right.text}`"
                    yield GuardIssue(body.function, load, text, condition)


def _common_width(start: Syntax, update: Syntax) -> str:
    """The factor by which counter and step are multiples of a vector."""
    step = update.child("right")
    if update.op != "+=" or step is None:
        return ""
    value = start.child("right")
    declared = next((node for node in start.walk() if node.kind == "init_declarator"), None)
    value = declared.child("value") if declared is not None else value
    if value is None:
        return ""
    common = {f.text for f in _factors(value)} & {f.text for f in _factors(step)}
    return next((name for name in sorted(common) if _WIDTH.search(name)), "")


def _is_from_memory(bound: Syntax, body: Body) -> bool:
    """An element of an array that the function is given, perhaps one of two choices."""
    values = body.scope.values.get(bound.text, []) if bound.kind == "identifier" else []
    if len(values) != 1 or _ALIGNED.search(values[0].text):
        return False
    loads = [node.child("argument") for node in values[0].walk() if node.kind == "subscript_expression"]
    return bool(loads) and all(load is not None and load.text in body.scope.parameters for load in loads)


def _vector_load(loop: Syntax, counter: str, width: str, bound: str) -> Syntax | None:
    """A load of a vector at the counter itself; None where the rest of a row is looked at."""
    if _ALIGNED.search(loop.text) or re.search(rf"{re.escape(counter)}\s*\+\s*{re.escape(width)}", loop.text):
        return None
    if loop.text.count(bound) > 1:
        return None
    for node in loop.walk():
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind != "call_expression" or callee is None or arguments is None:
            continue
        name = callee.text.partition("<")[0].rpartition("::")[2]
        if _VECTOR_LOAD.search(name) and any(_is_place(argument, counter) for argument in arguments.children):
            return node
    return None


def _is_place(argument: Syntax, counter: str) -> bool:
    """`&p[counter]` or `p + counter`."""
    if argument.kind == "pointer_expression" and argument.op == "&" and argument.children:
        place = argument.children[0]
        return place.kind == "subscript_expression" and place.children[-1].text.strip("[]() ") == counter
    return argument.kind == "binary_expression" and counter in {term.text for term in terms_of(argument)}
