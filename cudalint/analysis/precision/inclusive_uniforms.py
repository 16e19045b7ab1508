"""Random indices that are one too large once in a while: uniform numbers of cuRAND exclude zero and include one.

int j = (int)(curand_uniform(&state) * n);                  n where the number is 1.0, one past the end
int j = min((int)(curand_uniform(&state) * n), n - 1);
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import FLOATING, cast_target, kind_of, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_UNIFORM = re.compile(r"(::)?(cu|hip|roc)rand_uniform(_double)?")
_WHOLE = re.compile(
    r"^(const\s+)?(std::)?(unsigned|signed|int|long|short|size_t|ptrdiff_t|u?int\d+_t|uint)\b", re.IGNORECASE
)
_TRUNCATES = re.compile(r"^(::|std::)?(__float2u?int_r[zd]|__double2u?int_r[zd]|floorf?|truncf?)$")
_KEEPS = re.compile(r"min|clamp|%|\?")


def inclusive_uniforms(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each conversion whose result is an index that nothing keeps below the end."""
    if "rand_uniform" not in outline.root.text:
        return
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            value = _truncated(node, body)
            if value is None or not _reaches_one_more(value, body):
                continue
            if _indexes(node, body):
                text = f"`{short(node)}` is `{short(_count(value, body) or value)}` where the uniform number is 1"
                yield GuardIssue(body.function, node, text)


def _truncated(node: Syntax, body: Body) -> Syntax | None:
    """What a cast, a function or the declaration of an integer cuts off."""
    written = node.child("type")
    target = written.text if node.kind == "cast_expression" and written is not None else cast_target(node)
    arguments, callee = node.child("arguments"), node.child("function")
    if target is not None:
        return uncast(node) if _WHOLE.match(target.strip()) else None
    if callee is not None and _TRUNCATES.match(callee.text) and arguments is not None and len(arguments.children) == 1:
        return uncast(arguments.children[0])
    parent = body.parents.get(id(node))
    outer = None if parent is None else body.parents.get(id(parent))
    if parent is None or outer is None or parent.kind != "init_declarator" or parent.child("value") is not node:
        return None
    kept = outer.child("type")
    return node if kept is not None and node.op == "*" and _WHOLE.match(kept.text) else None


def _count(value: Syntax, body: Body) -> Syntax | None:
    """n of `uniform * n` or `n * uniform`."""
    left, right = value.child("left"), value.child("right")
    if value.op != "*" or left is None or right is None:
        return None
    for own, other in ((uncast(left), uncast(right)), (uncast(right), uncast(left))):
        if _is_uniform(own, body) and kind_of(other, body.scope) != FLOATING:
            return other
    return None


def _reaches_one_more(value: Syntax, body: Body) -> bool:
    """The other factor is a plain number of elements, nothing smaller."""
    count = _count(value, body)
    return (
        count is not None
        and count.kind in ("identifier", "number_literal", "field_expression")
        and not _is_less(count, body)
    )


def _is_less(count: Syntax, body: Body) -> bool:
    """A variable that was made one smaller: `last = n - 1`."""
    values = body.scope.values.get(count.text, [])
    return any("-" in value.text for value in values)


def _is_uniform(node: Syntax, body: Body) -> bool:
    values = body.scope.values.get(node.text, []) if node.kind == "identifier" else [node]
    if len(values) != 1 or node.text in body.scope.grown:
        return False
    callee = values[0].child("function")
    return callee is not None and _UNIFORM.fullmatch(callee.text) is not None


def _indexes(node: Syntax, body: Body) -> bool:
    """It stands in an index, or in a variable that does, and that no condition and no clamp asks about."""
    for parent, child in body.ancestors(node):
        if parent.kind == "subscript_expression" and parent.children[0] is not child:
            return True
        if parent.kind == "init_declarator" or (parent.kind == "assignment_expression" and parent.op == "="):
            target = parent.child("declarator") or parent.child("left")
            return target is not None and target.kind == "identifier" and _is_bare_index(target.text, body)
        if parent.kind in ("call_expression", "conditional_expression") and uncast(parent) is parent:
            return False
        if parent.kind == "binary_expression" and parent.op in ("%", "&", "-", "<", ">", "<=", ">=", "=="):
            return False
        if parent.kind.endswith("statement"):
            return False
    return False


def _is_bare_index(name: str, body: Body) -> bool:
    """No comparison, remainder or clamp keeps the variable below the end."""
    if name in body.scope.grown:
        return False
    indexed = False
    for node in body.nodes:
        if node.kind != "identifier" or node.text != name:
            continue
        for parent, child in body.ancestors(node):
            if parent.kind == "binary_expression" and parent.op in ("<", "<=", ">", ">=", "==", "!=", "%", "&"):
                return False
            if parent.kind == "call_expression" and _KEEPS.search(parent.text):
                return False
            if parent.kind == "subscript_expression" and parent.children[0] is not child:
                indexed = True
                break
            if parent.kind.endswith("statement"):
                break
    return indexed
