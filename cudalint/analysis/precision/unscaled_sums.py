"""Sums of exponentials below a running maximum that are not scaled when the maximum changes.

m_new = fmaxf(m, s);   l = l + expf(s - m_new);   m = m_new;           what l already has is still relative to the maximum before

Milakov and Gimelshein, "Online normalizer calculation for softmax": d = d * exp(m - m_new) + exp(s - m_new).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.macros import macros_of, that_mention, words_of
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.analysis.text.thread_text import LOOPS
from cudalint.ir.syntax import Outline, Syntax

_EXPONENTIAL = re.compile(r"^(::|std::|__)?(fast_?)?h?exp2?f?$|^(\w+::)*ptx_exp2$", re.IGNORECASE)
_LARGER = re.compile(r"^(::|std::)?(__)?[fh]?max[fN]?$")
_NUMBERS = ("identifier", "subscript_expression")
_ALIASES = ("lambda_expression", "reference_declarator")
_SETS = ("assignment_expression", "init_declarator")


def unscaled_sums(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each sum in a loop that also makes the maximum larger."""
    text = outline.root.file.text
    if "exp" not in text.lower() or "max" not in text.lower():
        return
    for body in bodies(program_of(outline)):
        told: set[int] = set()
        for loop in body.nodes:
            for issue in _in_loop(loop, body) if loop.kind in LOOPS else ():
                if id(issue.place) not in told:
                    told.add(id(issue.place))
                    yield issue


def _in_loop(loop: Syntax, body: Body) -> Iterator[GuardIssue]:
    own = list(loop.walk())
    for maximum, place in sorted(_running_maxima(own, loop, body).items()):
        shifts = {maximum} | {name for name, value in _set_in(own) if _is_larger(value, maximum)}
        terms = {name for name, value in _set_in(own) if _is_shifted(value, shifts, set())}
        for node in own:
            name, added = _grown(node)
            if added is None or not _is_outside(name, loop, body) or name in shifts:
                continue
            if not _is_below_it(node, maximum, place, loop, body) or _has_another_name(name, loop, body):
                continue
            if _is_shifted(added, shifts, terms) and _only_grows(name, own):
                text = f"`{name}` is not scaled when the maximum `{maximum}` changes: it holds exponentials below earlier ones"
                yield GuardIssue(body.function, node, text, place)


def _running_maxima(own: list[Syntax], loop: Syntax, body: Body) -> dict[str, Syntax]:
    """Variables from outside of the loop that it sets to the larger one of themselves and another number, and to nothing else."""
    found: dict[str, Syntax] = {}
    values = dict[str, list[Syntax]]()
    for name, value in _set_in(own):
        values.setdefault(name, []).append(value)
    for name, given in values.items():
        if not _is_outside(name, loop, body):
            continue
        through = [values.get(each.text, [each]) for each in given]
        if all(
            (len(each) == 1 and _is_larger(each[0], name)) or _is_chosen(v, name, body)
            for v, each in zip(given, through)
        ):
            found[name] = given[0]
    return found


def _is_below_it(added: Syntax, maximum: str, update: Syntax, loop: Syntax, body: Body) -> bool:
    """The loop is the innermost one around both, neither is on a branch of its own, and each round is for the same sum."""
    counted = loop.child("update")
    index = {n for part in added.children[0].children[1:] for n in names_in(part)}
    if counted is not None and index & names_in(counted):
        return False
    for parent, child in body.ancestors(update):
        condition = parent.child("condition")
        holds = parent.start <= added.start < parent.end
        if parent.kind in LOOPS and holds:
            return parent is loop
        if parent.kind == "if_statement" and condition is not None and child is not condition:
            if not (child.start <= added.start < child.end if holds else maximum in names_in(condition)):
                return False
    return False


def _has_another_name(name: str, loop: Syntax, body: Body) -> bool:
    """A lambda, a pointer, a reference or a macro may scale it where the loop does not name it."""
    for node in body.nodes:
        declared, value = node.child("declarator"), node.child("value")
        named = node.kind in _ALIASES or (node.kind == "pointer_expression" and node.op == "&")
        named = named or (node.kind == "cast_expression" and "*" in (node.child("type") or node.children[0]).text)
        named = named or (node.kind == "call_expression" and "*" in (node.child("function") or node.children[0]).text)
        if node.kind == "init_declarator" and declared is not None and value is not None:
            named = declared.kind in ("pointer_declarator", "reference_declarator") or value.bare == name
        if named and name in names_in(node):
            return True
    known = that_mention({name}, macros_of(body.function.body.file.text))
    return bool((known - {name}) & words_of(loop.text))


def _set_in(own: list[Syntax]) -> Iterator[tuple[str, Syntax]]:
    """(name, value) of each assignment and each declaration with a value."""
    for node in own:
        if node.kind not in _SETS or (node.op and node.op != "="):
            continue
        target, value = node.children[0], node.child("value") or node.child("right")
        if value is not None:
            yield _base(target), uncast(value)


def _is_larger(value: Syntax, name: str) -> bool:
    """`fmaxf(m, s)`"""
    callee, given = value.child("function"), value.child("arguments")
    if value.kind != "call_expression" or callee is None or given is None:
        return False
    return _LARGER.match(callee.text) is not None and any(_base(uncast(each)) == name for each in given.children)


def _is_chosen(value: Syntax, name: str, body: Body) -> bool:
    """`if (s > m) m = s;`"""
    for parent, child in body.ancestors(value):
        condition = parent.child("condition")
        if parent.kind != "if_statement" or condition is None or child is condition:
            continue
        asked = uncast(condition)
        sides = [uncast(side).bare for side in asked.children]
        if (asked.op == ">" and sides == [value.bare, name]) or (asked.op == "<" and sides == [name, value.bare]):
            return child is parent.child("consequence")
    return False


def _is_shifted(value: Syntax, shifts: set[str], terms: set[str]) -> bool:
    """It has an exponential of a difference from the maximum, or a variable that is one, as a factor or term."""
    for node in value.walk():
        callee, given = node.child("function"), node.child("arguments")
        if node.kind in _NUMBERS and _base(node) in terms:
            return True
        if node.kind != "call_expression" or callee is None or given is None or not _EXPONENTIAL.match(callee.text):
            continue
        for part in given.walk():
            right = part.child("right") if part.kind == "binary_expression" and part.op == "-" else None
            left = None if right is None else part.child("left")
            if right is not None and left is not None and names_in(right) & shifts and not names_in(left) & shifts:
                return True
    return False


def _grown(node: Syntax) -> tuple[str, Syntax | None]:
    """(sum, what is added) of `l += p` and `l = l + p`."""
    if node.kind != "assignment_expression":
        return "", None
    target, value = node.children[0], uncast(node.children[1])
    if node.op == "+=":
        return _base(target), value
    sides = value.children if node.op == "=" and value.op == "+" else ()
    for side, other in (sides, sides[::-1]) if len(sides) == 2 else ():
        if side.bare == target.bare:
            return _base(target), other
    return "", None


def _only_grows(name: str, own: list[Syntax]) -> bool:
    """Wherever the loop names the sum, it adds to it."""
    adds = [node for node in own if _grown(node)[1] is not None and _grown(node)[0] == name]
    within = [(node.children[0].start, node.children[0].end) for node in adds]
    within += [(side.start, side.end) for node in adds for side in node.children[1].children if _base(side) == name]
    named = [n for n in own if n.kind == "identifier" and n.text == name]
    return all(any(start <= n.start < end for start, end in within) for n in named)


def _is_outside(name: str, loop: Syntax, body: Body) -> bool:
    """A variable or array of the function that is declared before the loop."""
    if not name:
        return False
    declared = [
        node.start
        for node in body.nodes
        if node.kind == "declaration" and any(_declares(each) == name for each in node.all("declarator"))
    ]
    return len(declared) == 1 and declared[0] < loop.start


def _declares(declarator: Syntax) -> str:
    return next((n.text for n in declarator.walk() if n.kind == "identifier"), "")


def _base(node: Syntax) -> str:
    """`o` of `o[d]`."""
    while node.kind in ("subscript_expression", "array_declarator") and node.children:
        node = node.children[0]
    return node.text if node.kind == "identifier" else ""
