"""Variables and arrays that are only ever added to: no statement gives them a first value.

    float sum;                                       __shared__ int bins[256];
    for (...) sum += x[i];                           atomicAdd(&bins[x[i]], 1);

Every place that names the variable is looked at, so that neither types nor macros need be known; one that may set it, or gives
it away, ends the matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.scopes import FLOATING, INT, UNSIGNED, WIDE, kind_of_type
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.analysis.text.thread_text import LOOPS
from cudalint.ir.syntax import Outline, Syntax

_ATOMIC = re.compile(r"atomic_?(add|sub|max|min|inc|dec|or|and|xor)(_block|_system)?$", re.IGNORECASE)
_VALUES = re.compile(r"(__)?(f?(max|min|abs)f?|sqrtf?|rsqrtf?|expf?|logf?|isnan|isinf|\w+_cast)$")
_OF_TEMPLATES = re.compile(r"(real|dtype|t|acc_?t|acc_?type|acc_?real|\w*scalar_t|opmath_t|float_t|value_?type)$", re.I)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define\b(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_SETS, _READS, _ADDS = "sets", "reads", "adds"


def unset_sums(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each variable, at its declaration; what it is about is the first place that adds."""
    macros: str | None = None
    for body in bodies(program_of(outline), ("kernel", "device", "host")):
        for name, place, kind in _declared(body):
            first = _first_sum(name, place, body)
            if first is None:
                continue
            if macros is None:
                macros = " ".join(match[0] for match in _DEFINE.finditer(outline.root.file.text))
            if re.search(rf"\b{re.escape(name)}\b", macros) is None:
                text = f"`{name}` is added to, and nothing gives this {kind} a first value"
                yield GuardIssue(body.function, place, text, first)


def _first_sum(name: str, declared: Syntax, body: Body) -> Syntax | None:
    """The first place that adds, where none sets the variable before it, or in a loop that leads there again."""
    uses = [
        (node, _use(node, body))
        for node in body.nodes
        if node.kind == "identifier" and node.text == name and node is not declared
    ]
    first = next((node for node, use in uses if use == _ADDS), None)
    if first is None:
        return None
    around = [p for p, _ in body.ancestors(first) if p.kind in LOOPS and p.start > declared.start]
    end = max((loop.end for loop in around), default=first.start)
    return None if any(use == _SETS and node.start < end for node, use in uses) else first


def _declared(body: Body) -> list[tuple[str, Syntax, str]]:
    """(name, declarator, what it is) of numbers and arrays without a value, declared under a name of their own."""
    found: list[tuple[str, Syntax, str]] = []
    names: list[str] = [name for name in body.scope.parameters if name]
    for node in body.nodes:
        if node.kind != "declaration":
            continue
        written = node.child("type")
        is_shared = re.search(r"\b__shared__\b", node.text) is not None
        for declarator in node.all("declarator"):
            names += [part.text for part in declarator.walk() if part.kind == "identifier"][:1]
            base = (
                declarator.children[0] if declarator.kind == "array_declarator" and declarator.children else declarator
            )
            if base.kind != "identifier" or written is None or re.match(r"\s*(extern|static|constexpr)\b", node.text):
                continue
            if is_shared or _is_number(written.text, body):
                kind = ("shared " if is_shared else "") + ("variable" if base is declarator else "array")
                found.append((base.text, base, kind))
    return [each for each in found if names.count(each[0]) == 1]


def _is_number(written: str, body: Body) -> bool:
    if kind_of_type(written, body.scope.outline) in (FLOATING, INT, UNSIGNED, WIDE):
        return True
    return written.strip() in body.function.template or _OF_TEMPLATES.match(written.strip()) is not None


def _use(name: Syntax, body: Body) -> str:
    """What one place does with the variable; what is not understood may set it."""
    node = name
    for parent, child in body.ancestors(name):
        if parent.kind == "subscript_expression":
            if parent.children[0] is not child:
                return _READS  # it counts elements of something else
            node = parent
        elif parent.kind == "pointer_expression" and parent.op == "&":
            return _ADDS if _is_atomic(parent, body) else _SETS
        elif parent.kind == "binary_expression" and node is name and parent.op == "+" and _is_atomic(parent, body):
            return _ADDS
        else:
            return _in(parent, child, body)
    return _SETS


def _is_atomic(address: Syntax, body: Body) -> bool:
    """The address is what an atomic function adds to."""
    arguments = body.parents.get(id(address))
    call = None if arguments is None else body.parents.get(id(arguments))
    callee = None if call is None else call.child("function")
    if arguments is None or arguments.kind != "argument_list" or callee is None:
        return False
    name = re.split(r"::|<", callee.text)
    return arguments.children[0] is address and any(map(_ATOMIC.search, name))


def _in(parent: Syntax, child: Syntax, body: Body) -> str:
    if parent.kind == "assignment_expression" and parent.child("left") is child:
        return _SETS if parent.op == "=" else _ADDS
    if parent.kind == "update_expression":
        return _ADDS
    if parent.kind == "argument_list":
        if _is_atomic(child, body):
            return _ADDS
        call = body.parents.get(id(parent))
        callee = None if call is None else call.child("function")
        return _READS if callee is not None and _VALUES.match(callee.text.rpartition("::")[2]) else _SETS
    if parent.kind == "init_declarator" and parent.child("value") is child:
        target = parent.child("declarator")
        return _READS if target is not None and target.kind == "identifier" else _SETS
    by_value = ("assignment_expression", "binary_expression", "unary_expression", "conditional_expression")
    return _READS if parent.kind in (*by_value, "return_statement", "if_statement", "for_statement") else _SETS
