"""Guards that come too late: memory is accessed at a place that the text compares with a size only afterwards."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, closure_of, names_in, short
from cudalint.analysis.text.scopes import POINTER, leaves, uncast
from cudalint.analysis.text.tail_patterns import is_checked, terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

POINTERS = 3  # from one to the next
_ORDER = ("<", "<=", ">", ">=")
_ATOMIC = re.compile(r"^(::)?atomic(Add|Inc)\w*$")


def late_guards(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each place that is compared too late."""
    if "atomic" not in outline.root.text and "threadIdx" not in outline.root.text:
        return
    for body in bodies(program_of(outline), ("kernel", "device")):
        yield from _late_exits(body)
        yield from _late_capacities(body)
        yield from _late_sentinels(body)


# --- the thread's place ------------------------------------------------------------------------------------------------


def _late_exits(body: Body) -> Iterator[GuardIssue]:
    """`float v = x[i]; if (i >= n) return;`"""
    places = {name for name in body.positions if "threadIdx" in body.scope.values[name][0].text}
    reported: set[str] = set()
    for node in body.nodes:
        condition, consequence = node.child("condition"), node.child("consequence")
        if node.kind != "if_statement" or condition is None or consequence is None or not leaves(consequence):
            continue
        for name in sorted(names_in(condition) & places - reported - body.scope.grown):
            compared = next((part for part in condition.walk() if _compares(part, name)), None)
            if compared is None or compared.op not in (">", ">=") or compared.child("left") is None:
                continue
            early = early_access(name, node.start, body)
            if early is not None:
                reported.add(name)
                text = f"`{short(early)}` is accessed before `{short(condition)}` is asked"
                yield GuardIssue(body.function, early, text, condition)


def _compares(node: Syntax, name: str) -> bool:
    left, right = node.child("left"), node.child("right")
    sides = left is not None and right is not None and left.text == name and right.kind in _BOUNDS
    return node.kind == "binary_expression" and node.op in _ORDER and sides


_BOUNDS = ("identifier", "field_expression", "binary_expression")


def early_access(name: str, before: int, body: Body) -> Syntax | None:
    """The first element of memory that the kernel is given, at the place and before that offset, unchecked by anything."""
    for node in body.nodes:
        if node.start >= before:
            return None
        base = node.child("argument")
        if node.kind != "subscript_expression" or base is None or not _is_into_parameter(base.text, body):
            continue
        if _is_address(node, body):
            continue
        used = {term.text for child in node.children if child is not base for term in terms_of(child)}
        if name in used and not is_checked(node, {name}, body) and not _is_conditional(node, body):
            return node
    return None


def _is_into_parameter(name: str, body: Body, depth: int = POINTERS) -> bool:
    """A pointer parameter, or a local pointer that is reckoned from such: `const int *ends = words + n;`."""
    if body.scope.types.get(name) != POINTER or depth == 0:
        return False
    values = body.scope.values.get(name, [])
    return name in body.scope.parameters or (bool(values) and all(_is_reckoned(v, body, depth) for v in values))


def _is_reckoned(value: Syntax, body: Body, depth: int) -> bool:
    """Sums, and choices between them, of pointers into memory that the kernel is given: nothing is loaded or called."""
    if any(node.kind in ("subscript_expression", "call_expression", "pointer_expression") for node in value.walk()):
        return False
    pointers = [name for name in names_in(value) if body.scope.types.get(name) == POINTER]
    return bool(pointers) and all(_is_into_parameter(name, body, depth - 1) for name in pointers)


def _is_address(node: Syntax, body: Body) -> bool:
    parent = body.parents.get(id(node))
    return parent is not None and parent.kind == "pointer_expression" and parent.op == "&"


def _is_conditional(node: Syntax, body: Body, common: Collection[tuple[int, int]] = ()) -> bool:
    """Under a condition of any kind, but for branches that are `common`: what it has to do with the place is not known."""
    return any(
        (condition := parent.child("condition")) is not None
        and child is not condition
        and (id(parent), id(child)) not in common
        for parent, child in body.ancestors(node)
    )


# --- a place that a counter gives --------------------------------------------------------------------------------------


def _late_capacities(body: Body) -> Iterator[GuardIssue]:
    """`at = atomicAdd(&count, n); out[at] = v; if (at + n >= capacity) break;`"""
    counted = [name for name, values in body.scope.values.items() if any(map(_is_counted, values))]
    for name in counted:
        compared = [node for node in body.nodes if _is_compared(node, name)]
        store = _store_at(name, body)
        if store is not None and compared and all(node.start > store.end for node in compared):
            if not is_checked(store, _made_of(name, body), body):
                text = (
                    f"`{short(store)}` is used before `{short(compared[0])}` is asked: the counter may be past the end"
                )
                yield GuardIssue(body.function, store, text, compared[0])


def _made_of(name: str, body: Body) -> set[str]:
    return {name} | {other for other in body.scope.values if name in closure_of(other, body)}


def _is_counted(value: Syntax) -> bool:
    callee = value.child("function") if value.kind == "call_expression" else None
    return callee is not None and _ATOMIC.match(callee.text) is not None


def _is_compared(node: Syntax, name: str) -> bool:
    """A sum with the name is held against something that is no number."""
    left, right = node.child("left"), node.child("right")
    if node.kind != "binary_expression" or node.op not in (">", ">=") or left is None or right is None:
        return False
    return any(term.text == name for term in terms_of(left)) and right.kind in ("identifier", "field_expression")


def _store_at(name: str, body: Body) -> Syntax | None:
    """The first element that is written there, or pointer to it that is made."""
    for node in body.nodes:
        if node.kind == "assignment_expression":
            target = node.child("left")
            base = target.child("argument") if target is not None and target.kind == "subscript_expression" else None
            if target is not None and base is not None and _is_given(base, body):
                inside = [term.text for child in target.children if child is not base for term in terms_of(child)]
                if name in inside:
                    return target
        value = node.child("value") if node.kind == "init_declarator" else None
        if value is not None and "*" in node.text.partition("=")[0] and value.kind == "binary_expression":
            given = terms_of(value)
            if name in {term.text for term in given} and _is_given(given[0], body):
                return node
    return None


def _is_given(base: Syntax, body: Body) -> bool:
    """Memory that the kernel is given: a parameter, or a member of the object that it belongs to."""
    first = next((node.text for node in base.walk() if node.kind == "identifier"), "")
    local = any("__shared__" in node.text for node in body.nodes if node.kind == "declaration" and first in node.text)
    return base.kind in ("identifier", "field_expression") and not local and not _is_array(first, body)


def _is_array(name: str, body: Body) -> bool:
    return any(
        node.kind == "array_declarator" and node.children and node.children[0].text == name for node in body.nodes
    )


# --- a label that stands for no element --------------------------------------------------------------------------------


def _late_sentinels(body: Body) -> Iterator[GuardIssue]:
    """`float v = x[label]; y[i] = label == ignore_index ? 0 : v;`: a label that is loaded may be the one that means none."""
    told: set[str] = set()
    for asked in body.nodes:
        label = _asked_for_sentinel(asked)
        if label is None or label in told or not _is_loaded(label, body):
            continue
        told.add(label)
        if any(_compares_any(node, label) for node in body.nodes if node.start < asked.start):
            continue
        early = _early_element(label, asked, body)
        if early is not None:
            text = f"`{short(early)}` is accessed before `{short(asked)}` is asked: {label} may be no place at all"
            yield GuardIssue(body.function, early, text, asked)


def _asked_for_sentinel(node: Syntax) -> str | None:
    """What is compared with a negative number, or with something that is to be ignored: a variable or an element."""
    left, right = node.child("left"), node.child("right")
    if node.kind != "binary_expression" or node.op not in ("==", "!=") or left is None or right is None:
        return None
    for label, other in ((left, right), (right, left)):
        if label.kind in ("identifier", "subscript_expression") and _NO_PLACE.search(other.bare) is not None:
            return label.bare
    return None


def _is_loaded(label: str, body: Body) -> bool:
    """An element, or a variable that gets one and nothing else."""
    values = body.scope.values.get(label, [])
    loaded = len(values) == 1 and uncast(values[0]).kind == "subscript_expression"
    return label.endswith("]") or (loaded and label not in body.scope.grown)


_NO_PLACE = re.compile(r"^\(?-\d+[lL]*\)?$|ignore", re.IGNORECASE)


def _compares_any(node: Syntax, label: str) -> bool:
    compared = node.kind == "binary_expression" and node.op in (*_ORDER, "==", "!=")
    return compared and any(label == part.bare for child in node.children for part in child.walk())


def _early_element(label: str, asked: Syntax, body: Body) -> Syntax | None:
    """An element at the label, or in the row of the label, under no condition but those that the question stands under."""
    common = {(id(parent), id(child)) for parent, child in body.ancestors(asked)}
    for node in body.nodes:
        if node.start >= asked.start:
            return None
        base = node.child("argument")
        if node.kind != "subscript_expression" or base is None or _is_address(node, body):
            continue
        terms = [term for child in node.children if child is not base for term in terms_of(child)]
        if any(label in _factors(uncast(term)) for term in terms) and not _is_conditional(node, body, common):
            return node
    return None


def _factors(term: Syntax) -> set[str]:
    """The label itself, or a number of rows that it is."""
    if term.kind == "binary_expression" and term.op == "*":
        return {name for child in term.children for name in _factors(uncast(child))}
    return {term.bare} if term.kind in ("identifier", "subscript_expression") else set()
