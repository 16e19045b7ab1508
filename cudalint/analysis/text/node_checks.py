"""What the functions that make the nodes of a graph check of them, as conditions of the functions that run these nodes.

    node *roll(node *a, int shift) {                 void compute(node *dst) {
        CHECK(shift < a->n);                             switch (dst->op) { case OP_ROLL: run_roll(dst); break; }
        node *r = copy_of(a);                        }
        r->shift = shift; r->src[0] = a;             void declared_run_roll(node *dst) {
        r->op = OP_ROLL; return r; }                     if (!(dst->shift < dst->src[0]->n)) abort(); }

Read from the text alone: a check counts where it stands on every way, and speaks only of what the node keeps as it was
passed, and of names that the file knows in which the node is run; of several makers of one kind what all of them check.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from cudalint.analysis.text.passed_checks import (
    arguments_of,
    body_of,
    checks_in,
    closing,
    is_changed,
    locals_in,
    outermost,
    parameter,
    parameter_names,
    told,
)

NODE = "\0"  # in conditions, for the node before its place is known
_SWITCH = re.compile(r"\bswitch\s*\((?:\s*(\w+)\s*->\s*(\w+)\s*\)\s*\{)?")
_CASE = re.compile(r"\bcase\s+([A-Z]\w+)\s*:\s*\{?\s*(?:\w+\s*=\s*)?([A-Za-z_]\w*)\s*\(([^;{}]*)\)\s*;")
_BEFORE_CASE = re.compile(r"(?:[{}]|\bbreak\s*;|\bcontinue\s*;|\breturn\b[^;{}]*;)\s*$")


@dataclass(frozen=True, slots=True)
class Run:
    """A function is called for the nodes whose member `tag` is `kind`; argument number `place` is the node."""

    function: str
    tag: str
    kind: str
    place: int


def runs_in(text: str) -> list[Run]:
    """The calls that a switch over a member of a node makes, each for one kind alone."""
    bodies = [(each, closing(text, text.find("{", each.end() - 1))) for each in _SWITCH.finditer(text)]
    found = []
    for case in _CASE.finditer(text) if bodies else ():
        around = [each for each, end in bodies if each.start() < case.start() < end]
        args = arguments_of(case[3])
        if around and around[-1][1] in args and _BEFORE_CASE.search(text[: case.start()][-400:]):
            found.append(Run(case[2], around[-1][2], case[1], args.index(around[-1][1])))
    return found


def made_conditions(run: Run, functions: Collection[str], known: Collection[str]) -> tuple[str, ...]:
    """What all of these functions that make nodes of a kind check, as conditions of what the function is passed that runs them."""
    stored = re.compile(rf"\b(\w+)\s*->\s*{run.tag}\s*=\s*{run.kind}\s*;")
    making = (chunk for chunk in functions if run.kind in chunk)
    makers = ((chunk, made[1]) for chunk in making for made in stored.finditer(chunk))
    sets = [list(_conditions(chunk, node, functions, known)) for chunk, node in makers]
    common = [each for each in sets[0] if all(each in other for other in sets[1:])] if sets else []
    return tuple(dict.fromkeys(each.replace(NODE, parameter(run.place)) for each in common))


def _conditions(chunk: str, node: str, functions: Collection[str], known: Collection[str]) -> Iterator[str]:
    body = body_of(chunk)
    if len(re.findall(r"\breturn\b", body)) != 1:
        return
    outer, parameters = "".join(outermost(body)), parameter_names(chunk)
    kept = _kept(outer, node, [p for p in parameters if not is_changed(p, body)], functions)
    own = {node, *parameters, *locals_in(body)} - kept.keys()
    for check in checks_in(outer):
        condition = told(check, kept, own, known)
        if condition is not None:
            yield condition


def _kept(outer: str, node: str, parameters: Collection[str], functions: Collection[str]) -> dict[str, str]:
    """What the node keeps as it was passed, by the parameter."""
    kept: dict[str, str] = {}
    for stored in re.finditer(rf"[;{{}}]\s*{node}\s*->\s*(\w+(?:\s*\[\s*\d+\s*\])?)\s*=\s*(\w+)\s*(?=;)", outer):
        if stored[2] in parameters:
            kept.setdefault(stored[2], f"{NODE}->{stored[1]}")
    for call in re.finditer(rf"[;{{}}]\s*(\w+)\s*\(\s*{node}\s*,\s*(\d+)\s*,\s*(\w+)\s*\)\s*(?=;)", outer):
        place = _stored_by(call[1], call[2], functions) if call[3] in parameters else None
        if place is not None:
            kept.setdefault(call[3], place)
    return kept


def _stored_by(setter: str, number: str, functions: Collection[str]) -> str | None:
    """The place in the node that `set(node, number, value)` stores to."""
    chunk = next((each for each in functions if each.startswith(setter)), None)
    names = parameter_names(chunk) if chunk else []
    if chunk is None or len(names) != 3:
        return None
    node, at, value = names
    place = rf"((?:\(\s*\(\s*\w[\w ]*\*\s*\)\s*\(?\s*)?\b{node}\s*->\s*\w+\s*\)*)\s*\[\s*{at}\s*\]\s*=\s*{value}\s*;"
    stored = re.search(place, chunk)
    return f"{re.sub(rf'{node}(?= *->)', NODE, stored[1])}[{number}]" if stored else None
