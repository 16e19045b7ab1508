"""Loops over the whole parts of a size only, whose body keeps the places of a last, smaller part inside.

for (int t = 0; t < K / 16; ++t) { int k = t * 16 + threadIdx.x;  a[threadIdx.x] = k < K ? x[k] : 0;  ... }     K = 20
for (int c = 0; c < n / chunk; ++c) { int length = min(chunk, n - c * chunk);  scale<<<blocks, 256>>>(x + c * chunk, length); }
for (int k0 = 0; k0 + 16 <= K; k0 += 16) { a[threadIdx.x] = k0 + threadIdx.x < K ? x[k0 + threadIdx.x] : 0;  ... }
for (; i + 3 < n; i += 4) sum += x[i] + x[i + 1] + x[i + 2] + x[i + 3];   out[row] = sum;
const int part = n / blockDim.x, first = threadIdx.x * part, end = min(first + part, n);

The comparison says that the size need not be a whole number of parts, and the loop ends before the part that it is made for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_COMPARES = ("<", "<=", ">", ">=")
_MIN = re.compile(r"^(::|std::)?min$")
_SIZE = re.compile(r"[A-Za-z_][\w.]*(->\w+)?(\(\w*\))?")
MOST_STEPS = 4


@dataclass(frozen=True, slots=True)
class _Rounds:
    """`counter` counts parts of `part` elements of `size`, or their first elements, up to `bound`."""

    loop: Syntax
    counter: str
    bound: Syntax
    size: str
    part: str
    count: str  # the variable with the number of parts, or the counter, where it can be read behind the loop


def floored_rounds(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop, at its bound; what it is about is the comparison that keeps the last part inside."""
    text = outline.root.text
    for body in bodies(program_of(outline), ("kernel", "device", "host")):
        yield from _shares(body, text)
        for loop in body.nodes:
            yield from _unrolled(loop, body, text)
            rounds = _rounds(loop, body) if loop.kind == "for_statement" else None
            if rounds is None or _rest_is_taken(rounds, body) or _is_whole(rounds, text) or _is_pitch(rounds, body):
                continue
            kept = next(_kept(rounds, body), None)
            if kept is not None:
                said = (
                    f"the loop ends with the last whole part of `{rounds.size}`: `{short(rounds.bound)}`, "
                    f"and `{short(kept)}` is there for a smaller one behind it"
                )
                yield GuardIssue(body.function, rounds.bound, said, kept)


def _unrolled(loop: Syntax, body: Body, text: str) -> Iterator[GuardIssue]:
    """`i + 3 < n; i += 4` of a counter that is declared in front, which nobody speaks of behind the loop."""
    condition, step = loop.child("condition"), loop.child("update")
    if loop.kind != "for_statement" or condition is None or step is None or step.op != "+=" or condition.op != "<":
        return
    (ahead, size), (counter, many) = condition.children, step.children
    if ahead.op != "+" or ahead.children[0].text != counter.text or not _SIZE.fullmatch(size.bare):
        return
    last = ahead.children[1].bare
    if not last.isdigit() or not many.bare.isdigit() or int(many.bare) != int(last) + 1 or int(last) == 0:
        return
    start = loop.child("initializer")
    own = start is not None and start.kind == "declaration"
    rounds = _Rounds(loop, counter.text, condition, size.bare, many.bare, "" if own else counter.text)
    block = loop.child("body")
    element = next((n for n in block.walk() if n.kind == "subscript_expression"), None) if block is not None else None
    if element is not None and body.function.role != "host" and not _rest_is_taken(rounds, body):
        if not _is_whole(rounds, text) and not re.search(rf"/\s*{many.bare}\b|>>\s*\d|<\s*{many.bare}\b", text):
            said = f"`{short(condition)}` leaves up to {last} elements of `{size.bare}`, and nothing takes them behind the loop"
            yield GuardIssue(body.function, condition, said, element)


def _shares(body: Body, text: str) -> Iterator[GuardIssue]:
    """`min(first + part, n)` where part is `n / workers`: the shares end before n by themselves, and leave the rest."""
    for node in body.nodes:
        callee, arguments = node.child("function"), node.child("arguments")
        if callee is None or arguments is None or not _MIN.match(callee.text) or len(arguments.children) != 2:
            continue
        for end, size in permutations(arguments.children):
            part = next((name for name in _added(end) if _quotient_of(name, size, body) is not None), None)
            value = None if part is None else _quotient_of(part, size, body)
            if part is None or value is None or _is_shared_out(part, value, body, text):
                continue
            said = (
                f"`{short(value)}` is rounded down: `{short(node)}` is there for a smaller last part, and some are left"
            )
            yield GuardIssue(body.function, value, said, node)


def _added(end: Syntax) -> list[str]:
    end = uncast(end)
    if end.kind != "binary_expression" or end.op != "+":
        return []
    return [side.text for side in end.children if side.kind == "identifier"]


def _quotient_of(name: str, size: Syntax, body: Body) -> Syntax | None:
    """`size / workers`, which is all that the variable ever is."""
    values = body.scope.values.get(name, [])
    value = uncast(values[0]) if len(values) == 1 and name not in body.scope.grown else None
    if value is None or value.kind != "binary_expression" or value.op != "/":
        return None
    return value if uncast(value.children[0]).bare == uncast(size).bare else None


def _is_shared_out(part: str, value: Syntax, body: Body, text: str) -> bool:
    """The rest is asked for, or has a share of its own."""
    workers = re.escape(uncast(value.children[1]).text)
    size = re.escape(uncast(value.children[0]).text)
    rest = rf"%\s*\(?\s*{workers}|{size}\s*-|\b{re.escape(part)}\s*\*\s*{workers}|{workers}\s*\*\s*{re.escape(part)}\b"
    return re.search(rest, body.function.body.text) is not None or re.search(rf"%\s*{workers}", text) is not None


def _rounds(loop: Syntax, body: Body) -> _Rounds | None:
    start, condition = loop.child("initializer"), loop.child("condition")
    if start is None or start.kind != "declaration" or condition is None or condition.kind != "binary_expression":
        return None
    left, right = condition.children
    if condition.op == "<" and left.kind == "identifier":
        return _of_quotient(loop, left.text, right, body)
    return _of_steps(loop, condition, body)


def _of_quotient(loop: Syntax, counter: str, end: Syntax, body: Body) -> _Rounds | None:
    """`t < size / part`, at once or by a variable."""
    values = body.scope.values.get(end.text, []) if end.kind == "identifier" else []
    is_named = len(values) == 1 and end.text not in body.scope.grown
    value = uncast(values[0] if is_named else end)
    if value.kind != "binary_expression" or value.op != "/":
        return None
    size, part = (uncast(side) for side in value.children)
    if not _SIZE.fullmatch(size.bare) or (not _SIZE.fullmatch(part.bare) and not part.bare.isdigit()):
        return None
    return _Rounds(loop, counter, value, size.bare, part.bare, end.text if is_named else "")


def _of_steps(loop: Syntax, condition: Syntax, body: Body) -> _Rounds | None:
    """`k + part <= size; k += part`."""
    step = loop.child("update")
    if step is None or step.op != "+=" or condition.op != "<=":
        return None
    counter, part = step.children[0].text, step.children[-1].bare
    added, size = condition.children
    sides = {uncast(side).bare for side in added.children} if added.op == "+" else set[str]()
    if sides != {counter, part} or not _SIZE.fullmatch(size.bare):
        return None
    return _Rounds(loop, counter, condition, size.bare, part, "")


def _is_whole(rounds: _Rounds, text: str) -> bool:
    """Somebody asks for the rest: the size may be known to be whole, or what is left is done elsewhere."""
    part = re.escape(rounds.part)
    return re.search(rf"%\s*\(?\s*{part}\b|&\s*\(\s*{part}\s*-\s*1|\b(mod|rem\w*)\b", text) is not None


def _rest_is_taken(rounds: _Rounds, body: Body) -> bool:
    """Behind the loop the number of parts, or what they are of, is spoken of again."""
    size = re.compile(rf"(?<![\w.]){re.escape(rounds.size)}(?!\w)")
    count = re.compile(rf"\b{re.escape(rounds.count)}\b") if rounds.count else None
    behind = body.scope.function.body.file.text[rounds.loop.end : body.function.body.end]
    if count is not None and count.search(behind):
        return True
    loops = (node for node in body.nodes if node.start >= rounds.loop.end and node.kind.endswith("_statement"))
    conditions = (node.child("condition") for node in loops if node.kind in ("for_statement", "while_statement"))
    return any(condition is not None and size.search(condition.bare) for condition in conditions)


def _is_pitch(rounds: _Rounds, body: Body) -> bool:
    """`row * (parts * 16)` outside of the loop: memory has a place for each whole part, and for no other one."""
    loop = rounds.loop
    outside = (node for node in body.nodes if node.end <= loop.start or node.start >= loop.end)
    products = (node for node in outside if node.kind == "binary_expression" and node.op == "*")
    return bool(rounds.count) and any(
        uncast(side).text == rounds.count and rounds.part not in {uncast(other).bare for other in node.children}
        for node in products
        for side in node.children
    )


def _kept(rounds: _Rounds, body: Body) -> Iterator[Syntax]:
    """Comparisons of a place of this part with the size, and the smaller of the part and what is left."""
    block = rounds.loop.child("body")
    for node in block.walk() if block is not None else ():
        sides = node.children
        if node.kind == "binary_expression" and node.op in _COMPARES and len(sides) == 2:
            pairs = ((sides[0], sides[1]), (sides[1], sides[0]))
            if any(uncast(size).bare == rounds.size and _is_within(place, rounds, body) for place, size in pairs):
                yield node
        callee, arguments = node.child("function"), node.child("arguments")
        if callee is not None and arguments is not None and _MIN.match(callee.text) and len(arguments.children) == 2:
            if any(_is_rest(each, rounds, body) for each in arguments.children):
                yield node
        if node.kind == "conditional_expression" and (condition := node.child("condition")) is not None:
            if any(_is_rest(each, rounds, body) for part in condition.walk() for each in part.children):
                yield condition


def _is_rest(value: Syntax, rounds: _Rounds, body: Body) -> bool:
    """`size - counter * part`."""
    value = uncast(value)
    if value.kind != "binary_expression" or value.op != "-" or uncast(value.children[0]).bare != rounds.size:
        return False
    return _is_start(value.children[1], rounds, body)


def _is_within(place: Syntax, rounds: _Rounds, body: Body) -> bool:
    """The first element of the part and something that is added to it."""
    terms = _terms(place, body)
    return (
        len(terms) > 1
        and any(_is_start(term, rounds, body) for term in terms)
        and not any(term.bare.isdigit() or term.bare == rounds.part for term in terms)
    )


def _is_start(term: Syntax, rounds: _Rounds, body: Body) -> bool:
    """`counter * part`, or the counter where it goes in steps of the part."""
    for _ in range(MOST_STEPS):
        term = uncast(term)
        if term.kind == "binary_expression" and term.op == "*":
            return {uncast(side).bare for side in term.children} == {rounds.counter, rounds.part}
        if term.text == rounds.counter:
            return rounds.loop.child("condition") is rounds.bound
        values = body.scope.values.get(term.text, []) if term.kind == "identifier" else []
        if len(values) != 1 or term.text in body.scope.grown:
            return False
        term = values[0]
    return False


def _terms(place: Syntax, body: Body, steps: int = MOST_STEPS) -> list[Syntax]:
    """What a sum is made of, through variables that have one value."""
    place = uncast(place)
    if place.kind == "binary_expression" and place.op == "+":
        return [term for side in place.children for term in _terms(side, body, steps)]
    values = body.scope.values.get(place.text, []) if place.kind == "identifier" else []
    if steps and len(values) == 1 and place.text not in body.scope.grown and uncast(values[0]).op == "+":
        return _terms(values[0], body, steps - 1)
    return [place]
