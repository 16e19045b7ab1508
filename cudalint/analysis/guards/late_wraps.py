"""Places in a ring that go back to the first one place too late.

float ring[N];  head = head == N ? 0 : head + 1;  ring[head]       the place N is used before it goes back: head == N - 1
if (++head > N) head = 0;    head = (head + 1) % (N + 1);           so do these
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
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
        r"if\(\+\+(?P<place>\w+)>(?P<end>\w+)\)\{?(?P=place)=0;\}?",
    )
)
_SPACE = re.compile(r"\s+")


def late_wraps(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each step of a place in an array that the function declares with as many elements as it goes up to."""
    for body in bodies(program_of(outline)):
        lengths = _lengths(body)
        for node in body.nodes if lengths else ():
            patterns = {"assignment_expression": _CHOSEN, "if_statement": _STEPPED}.get(node.kind, ())
            spelled = _SPACE.sub("", node.text) if patterns and len(node.text) < 200 else ""
            step = next((found for pattern in patterns if (found := pattern.fullmatch(spelled))), None)
            use = None if step is None else _element(step["place"], step["end"], lengths, body)
            if step is not None and use is not None and not _is_kept(step["place"], step["end"], node, body):
                array = use.children[0].text
                text = f"`{short(node)}` lets `{step['place']}` be {step['end']}, which is behind the last of `{array}`"
                yield GuardIssue(body.function, node, text, use)


def _lengths(body: Body) -> dict[str, str]:
    """How many elements the arrays of the function have, as it is written."""
    return {
        node.children[0].text: node.children[1].bare
        for node in body.nodes
        if node.kind == "array_declarator" and len(node.children) == 2 and node.children[0].kind in ("identifier",)
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
