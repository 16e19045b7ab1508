"""Places in a ring that go back to the first one place too late.

float ring[N];  head = head == N ? 0 : head + 1;  ring[head]       the place N is used before it goes back: head == N - 1
if (++head > N) head = 0;    head = (head + 1) % (N + 1);           so do these
i < 0 ? i + n : i > n ? i - n : i                                  the place n of a period stays where it is: i >= n
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_conditions import guards_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import INT, WIDE
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_CHOSEN = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?P<place>\w+)=\(?(?P=place)(?:==|>=|>)(?P<end>\w+)\)?\?0:\(?(?P=place)\+1\)?",
        r"(?P<place>\w+)=\(?(?P=place)(?:<|!=)(?P<end>\w+)\)?\?\(?(?P=place)\+1\)?:0",
        r"(?P<place>\w+)=\(?(?P=place)\+1>(?P<end>\w+)\)?\?0:\(?(?P=place)\+1\)?",
        r"(?P<place>\w+)=\((?P=place)\+1\)%\((?P<end>\w+)\+1\)",
    )
)
_STEPPED = tuple(
    re.compile(pattern)
    for pattern in (
        r"if\((?P<place>\w+)(?:==|>=|>)(?P<end>\w+)\)\{?(?P=place)=0;\}?else\{?(?:\+\+(?P=place)|(?P=place)\+\+|(?P=place)\+=1);\}?",
        r"if\((?:\+\+)?(?P<place>\w+)>(?P<end>\w+)\)\{?(?P=place)=0;\}?",
    )
)
_PERIODIC = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?P<place>\w+)<0\?(?P=place)\+(?P<end>[\w.]+):(?P=place)>(?P=end)\?(?P=place)-(?P=end):(?P=place)",
        r"(?P<place>\w+)>(?P<end>[\w.]+)\?(?P=place)-(?P=end):(?P=place)<0\?(?P=place)\+(?P=end):(?P=place)",
    )
)
_BELOW = re.compile(r"if\((?P<place>\w+)<0\)\{?(?P=place)(?:\+=|=(?P=place)\+)(?P<end>[\w.]+);\}?")
_ABOVE = re.compile(r"if\((?P<place>\w+)>(?P<end>[\w.]+)\)\{?(?P=place)(?:-=|=(?P=place)-)(?P=end);\}?")
_SPACE = re.compile(r"\s+")
_SPACE_AND_BRACKETS = re.compile(r"[\s()]+")
_LONGEST = 200


def late_wraps(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each step of a place in an array that the function declares with as many elements as it goes up to."""
    for body in bodies(program_of(outline)):
        lengths = _lengths(body)
        for node in body.nodes if lengths else ():
            patterns = {"assignment_expression": _CHOSEN, "if_statement": _STEPPED}.get(node.kind, ())
            spelled = _SPACE.sub("", node.text) if patterns and len(node.text) < _LONGEST else ""
            step = next((found for pattern in patterns if (found := pattern.fullmatch(spelled))), None)
            if step is None or (node.kind == "if_statement" and step["place"] not in body.scope.grown):
                continue
            use = _element(step["place"], step["end"], lengths, body)
            if use is not None and not _is_kept(step["place"], step["end"], node, body):
                array = use.children[0].text
                text = f"`{short(node)}` lets `{step['place']}` be {step['end']}, which is behind the last of `{array}`"
                yield GuardIssue(body.function, node, text, use)


def closed_lengths(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each guard that lets the length of an array pass, which the function declares: `if (s <= N) queue[s] = v`."""
    for body in bodies(program_of(outline)):
        lengths = _lengths(body)
        for node in body.nodes if lengths else ():
            for part, closed, end in guards_of(node, body):
                place, bound = part.child("left"), part.child("right")
                ordered = part.kind == "binary_expression" and part.op == ("<=" if closed[0] == "<=" else ">")
                if (
                    not ordered
                    or place is None
                    or bound is None
                    or place.kind != "identifier"
                    or node.kind == "for_statement"
                ):
                    continue
                use = _element(place.text, bound.bare, lengths, body)
                if use is not None and part.end <= use.start < end and not _is_kept(place.text, bound.bare, node, body):
                    text = f"`{short(part)}` lets {place.text} == {bound.text} pass, behind the last of `{use.children[0].text}`"
                    yield GuardIssue(body.function, part, text, use)


def late_periods(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each place that goes round by a size at both ends, and only behind the size at the upper one."""
    for body in bodies(program_of(outline)):
        below: dict[tuple[str, str], Syntax] = {}
        above: dict[tuple[str, str], Syntax] = {}
        for node in body.nodes:
            if node.kind == "conditional_expression" and len(node.text) < _LONGEST:
                spelled = _SPACE_AND_BRACKETS.sub("", node.text)
                chosen = next((found for pattern in _PERIODIC if (found := pattern.fullmatch(spelled))), None)
                if chosen is not None and _is_whole(chosen["place"], body):
                    yield _late_period(chosen["place"], chosen["end"], node, body)
            elif node.kind == "if_statement" and len(node.text) < 2 * _LONGEST:
                spelled = _SPACE.sub("", node.text)
                for kept, pattern in ((below, _BELOW), (above, _ABOVE)):
                    stepped = pattern.match(spelled)
                    if stepped is not None:
                        kept[stepped["place"], stepped["end"]] = node
        for (place, end), node in above.items():
            if (place, end) in below and _is_whole(place, body):
                yield _late_period(place, end, node.child("condition") or node, body)


def _is_whole(place: str, body: Body) -> bool:
    return body.scope.types.get(place) in (INT, WIDE)


def _late_period(place: str, end: str, node: Syntax, body: Body) -> GuardIssue:
    text = f"`{short(node)}` leaves `{place} == {end}` as it is, where {place} goes round by {end}: the last place is before it"
    return GuardIssue(body.function, node, text)


def _lengths(body: Body) -> dict[str, str]:
    """How many elements the arrays of the function have, as it is written."""
    return {
        node.children[0].text: node.children[1].bare
        for node in body.nodes
        if node.kind == "array_declarator" and len(node.children) == 2 and node.children[0].kind == "identifier"
    }


def _element(place: str, end: str, lengths: dict[str, str], body: Body) -> Syntax | None:
    for node in body.nodes:
        if node.kind == "subscript_expression" and len(node.children) == 2:
            base, index = node.children
            if lengths.get(base.text) == end and index.bare.strip("[]") == place:
                return node
    return None


def _is_kept(place: str, end: str, step: Syntax, body: Body) -> bool:
    """Something else compares the place, or gives it a value that is not its first."""
    for node in body.nodes:
        if step.start <= node.start < step.end:
            continue
        if node.op in ("<", "<=", ">", ">=", "==", "!=") and place in {child.text for child in node.children}:
            return True
        if node.op == "%" and place in node.text and node.kind == "assignment_expression":
            return True
    return False
