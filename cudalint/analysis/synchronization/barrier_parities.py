"""Waits for one and the same parity of a barrier in every round of a loop: from the second on they wait for a phase that is over.

for (int k = 0; k < n; ++k) { copy(tile, bar);  while (!try_wait_parity(&bar, 0)) ;  use(tile); }

A wait for a parity ends when the phase of that parity has ended; the next phase has the other one (PTX ISA, "mbarrier.test_wait").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_LOOPS = ("for_statement", "while_statement", "do_statement")
_WAITS = re.compile(r"(^|::|\.|->|_)(try_|test_)?wait_?parity\w*$|mbar\w*_(try_|test_)?wait\w*$", re.IGNORECASE)
_SETS_UP = re.compile(r"(^|::|_)(init|inval)\w*$|mbar\w*init", re.IGNORECASE)
_PARITIES = ("0", "1", "0u", "1u", "true", "false")


def constant_parities(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each wait."""
    if "parity" not in outline.root.file.text.lower() and "mbar" not in outline.root.file.text.lower():
        return
    for body in bodies(program_of(outline), ("kernel", "device")):
        for node in body.nodes:
            arguments = node.child("arguments") if node.kind == "call_expression" else None
            if arguments is None or not _WAITS.search(_callee(node)) or not arguments.children:
                continue
            if arguments.children[-1].text not in _PARITIES:
                continue
            loop = _repeating(node, body)
            if loop is None or _is_chosen_by_round(node, loop, body) or _is_set_up_in(loop):
                continue
            if _is_used_in(loop, _barrier_of(node)):
                text = "every round of the loop waits for the same parity, and the phases of a barrier alternate"
                yield GuardIssue(body.function, node, text)


def _repeating(wait: Syntax, body: Body) -> Syntax | None:
    """The loop around the wait that does more than wait."""
    for parent, child in body.ancestors(wait):
        if parent.kind not in _LOOPS or child is parent.child("condition"):
            continue
        others = [n for n in parent.walk() if n.kind == "call_expression" and n is not wait]
        if any(not re.search(r"nanosleep|wait", _callee(n)) for n in others):
            return parent
    return None


def _is_chosen_by_round(wait: Syntax, loop: Syntax, body: Body) -> bool:
    """Which barrier it is depends on what the loop changes."""
    changed = {
        n.text
        for node in loop.walk()
        if node.kind in ("update_expression", "assignment_expression", "init_declarator") and node.children
        for n in node.children[0].walk()
        if n.kind == "identifier"
    }
    return any(n.kind == "identifier" and n.text in changed for n in wait.walk())


def _barrier_of(wait: Syntax) -> str:
    """`bar` of `bar.try_wait_parity(0)` and of `mbarrier_wait(&bar, 0)`."""
    callee, arguments = wait.child("function"), wait.child("arguments")
    if callee is not None and callee.kind == "field_expression" and callee.children:
        return callee.children[0].text
    return arguments.children[0].text.lstrip("&* ") if arguments is not None and arguments.children else ""


def _is_used_in(loop: Syntax, bar: str) -> bool:
    """Something else than a wait is done to the barrier in the loop: its phases go on."""
    uses = re.compile(rf"(?<![\w.]){re.escape(bar)}(?!\w)")
    calls = (n for n in loop.walk() if n.kind == "call_expression" and not re.search("wait", _callee(n)))
    return bool(bar) and any(uses.search(call.text) is not None for call in calls if not _holds_wait(call))


def _holds_wait(call: Syntax) -> bool:
    return any(n.kind == "call_expression" and _WAITS.search(_callee(n)) for n in call.walk())


def _is_set_up_in(loop: Syntax) -> bool:
    return any(_SETS_UP.search(_callee(n)) for n in loop.walk() if n.kind == "call_expression")


def _callee(node: Syntax) -> str:
    callee = node.child("function") if node.kind == "call_expression" else None
    return "" if callee is None else callee.text.partition("<")[0].strip()
