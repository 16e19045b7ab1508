"""Sums that an atomic makes in the lower half of a counter of 64 bits: what goes beyond 32 bits is lost.

atomicAdd(reinterpret_cast<unsigned *>(total), mine);                 unsigned long long *total
atomicAdd((int *)&stats->items, 1);                                   size_t items
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.caps import Caps
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.launch_text import launches_of, plain_name
from cudalint.analysis.text.scopes import INT, POINTER, UNSIGNED, WIDE, cast_target, kind_of, kind_of_type, uncast
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.analysis.text.type_widths import bytes_of_type
from cudalint.ir.syntax import Outline, Syntax

_SUMS = re.compile(r"(::)?atomic(Add|Sub|Inc|Dec)(_block|_system)?")
_HALVES = re.compile(r"(<<|>>)=?\s*32\b|__(double2|hilo|longlong)\w*|\bmake_u?int2\b")
_STATEMENTS = (
    "compound_statement",
    "if_statement",
    "else_clause",
    "for_statement",
    "while_statement",
    "case_statement",
)
_WORD = 4
_LEAST, _MOST = 2.0**16, 2.0**32  # what says that a sum stays within a word


def halved_counters(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each sum whose result nobody takes, in a file that takes no number of 64 bits apart."""
    text = outline.root.text
    if "atomic" not in text or _HALVES.search(text) is not None:
        return
    program = program_of(outline)
    for body in bodies(program):
        for node in body.nodes:
            callee, arguments = node.child("function"), node.child("arguments")
            if node.kind != "call_expression" or callee is None or arguments is None or not arguments.children:
                continue
            around = body.parents.get(id(node))
            if _SUMS.fullmatch(callee.text) is None or around is None or around.kind not in _STATEMENTS:
                continue
            seen = _held(arguments.children[0], body)
            counter = uncast(seen)
            if _is_seen_as_a_word(seen, outline) and _is_wide(counter, body):
                if not _has_other_half(counter, arguments.children[0], body) and not _is_kept_small(body, program):
                    text = f"`{short(counter)}` counts in 64 bits, and this sum keeps 32 of them"
                    yield GuardIssue(body.function, node, text)


def _held(argument: Syntax, body: Body) -> Syntax:
    """What a variable was given, where it is given once."""
    values = body.scope.values.get(argument.text, []) if argument.kind == "identifier" else []
    return values[0] if len(values) == 1 and argument.text not in body.scope.grown else argument


def _is_seen_as_a_word(argument: Syntax, outline: Outline) -> bool:
    """A cast to the address of an integer of 32 bits."""
    written = argument.child("type")
    target = written.text if argument.kind == "cast_expression" and written is not None else cast_target(argument)
    plain = " ".join(re.sub(r"\bvolatile\b", " ", target or "").split())
    if not plain.endswith("*") or plain.count("*") > 1:
        return False
    named = plain[:-1].strip()
    return kind_of_type(named, outline) in (INT, UNSIGNED) and bytes_of_type(outline.types.get(named, named)) == _WORD


def _is_wide(counter: Syntax, body: Body) -> bool:
    """The address of a number of 64 bits, as the text declares it."""
    pointed = counter.child("argument")
    if counter.kind == "pointer_expression" and counter.op == "&" and pointed is not None:
        return kind_of(pointed, body.scope) == WIDE
    if counter.kind == "binary_expression" and counter.op in ("+", "-"):
        left = counter.child("left")
        return left is not None and _is_wide(uncast(left), body)
    if counter.kind == "identifier" and counter.text in body.scope.types:
        return body.scope.types[counter.text] == POINTER and body.scope.elements.get(counter.text) == WIDE
    name = counter.child("field") if counter.kind == "field_expression" else counter
    base = counter.child("argument")
    if name is None or counter.kind not in ("field_expression", "identifier"):
        return False
    structure = body.scope.structures.get(base.text, "") if base is not None else ""
    members = body.scope.outline.members
    written = (members.get(f"{structure}::{name.text}") or members.get(name.text, "")).strip()
    return written.count("*") == 1 and kind_of_type(written.rstrip("* "), body.scope.outline) == WIDE


def _has_other_half(counter: Syntax, argument: Syntax, body: Body) -> bool:
    """The function takes the upper half by its own address: `((unsigned *)p)[1]`, `(unsigned *)p + 1`."""
    text = "".join(body.function.body.text.split())
    named = [rf"\*(?:>\()?\)?\(?{re.escape(counter.bare)}\)*"]
    if argument.kind == "identifier":
        named.append(rf"(?<![\w.>]){argument.text}")
    return any(re.search(rf"{name}(\[1\]|\+1\b)", text) for name in named)


def _is_kept_small(body: Body, program: Program) -> bool:
    """The kernel, or a function that launches it, checks that something stays within 32 bits."""
    launches = launches_of(plain_name(body.function.name), program)
    for function in (body.function, *(launch.function for launch in launches)):
        caps = Caps(program, function)
        limits = (caps.of(bound.limit) for bounds in program.bounds(function).values() for bound in bounds)
        if any(limit is not None and _LEAST < limit <= _MOST for limit in limits):
            return True
    return False
