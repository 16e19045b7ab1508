"""Ways through a function's text on which no barrier stands, where barriers stand under conditions about data."""

from __future__ import annotations

import re

from cudalint.analysis.text.shared_events import Events, Guard
from cudalint.analysis.text.text_program import Body
from cudalint.analysis.text.thread_text import LOOPS
from cudalint.ir.syntax import Syntax

_OF_BLOCK = re.compile(r"__syncthreads|\b(block|cta)\w*\s*\.\s*sync\b|\bsync\s*\(\s*(block|cta)")


class Passing:
    """Ways past barriers that stand under a condition."""

    def __init__(self, found: Events, body: Body) -> None:
        self.found, self.scope = found, body.scope
        whole = _OF_BLOCK.search(body.function.body.text) is not None
        self.of_warp = found.of_warp if whole else set()  # else the function may be for one warp

    def passes(self, first: int, last: int, guards: tuple[Guard, ...], loop: Syntax | None) -> bool:
        """No barrier from `first` to `last`, or each is left out where a condition about data fails.

        `guards` are those of the accesses; `loop` is the loop around it whose next round is meant.
        """
        return all(
            n in self.of_warp or self._is_left_out(self.found.conditions[n], guards, loop) for n in range(first, last)
        )

    def across_warps(self, first: int, last: int) -> bool:
        """Whether a barrier from `first` to `last` orders the threads of one warp."""
        return not self.of_warp.isdisjoint(range(first, last))

    def _is_left_out(self, around: tuple[Guard, ...], guards: tuple[Guard, ...], loop: Syntax | None) -> bool:
        owners = {id(guard.owner) for guard in guards}
        asked = {guard.condition.text for guard in guards}
        for guard in around:
            inside = loop is None or loop.start <= guard.owner.start
            if not inside or id(guard.owner) in owners or guard.owner.kind != "if_statement":
                continue
            if not guard.holds and _leaves_for_good(guard.owner, loop):
                continue  # whoever passes by the barrier comes to no other access
            if guard.owner.child("alternative") is None and guard.condition.text not in asked:
                return self._is_about_data(guard.condition, loop)
        return False

    def _is_about_data(self, condition: Syntax, loop: Syntax | None) -> bool:
        """It compares variables that come from memory, not rounds of the loop, constants or the launch."""
        header = set() if loop is None else {n.text for f in _HEADER for p in loop.all(f) for n in p.walk()}
        names, loaded = _names(condition), False
        if any(name in self.scope.parameters or name not in self.scope.types for name in names):
            return False
        seen: set[str] = set()
        while names:
            name = names.pop()
            if name in header:
                return False
            for value in self.scope.values.get(name, ()):
                if "threadIdx" in value.text:
                    return False
                from_memory = any(node.kind in _LOADS for node in value.walk())
                loaded = loaded or from_memory
                names |= set() if from_memory else _names(value) - seen
            seen.add(name)
        return loaded


def _leaves_for_good(statement: Syntax, loop: Syntax | None) -> bool:
    """`if (c) return;`, or `if (c) break;` where it is the next round of that loop which is asked about."""
    end = statement.child("consequence")
    while end is not None and end.kind == "compound_statement":
        end = end.children[-1] if end.children else None
    if end is None or loop is None or end.kind != "break_statement":
        return end is not None and end.kind == "return_statement"
    around = [n for n in loop.walk() if n.kind in _LEFT_BY_BREAK and n.start <= end.start and end.end <= n.end]
    return around == [loop]


def _names(node: Syntax) -> set[str]:
    return {each.text for each in node.walk() if each.kind == "identifier"}


_LEFT_BY_BREAK = (*LOOPS, "for_range_loop", "switch_statement")
_LOADS = ("subscript_expression", "field_expression", "pointer_expression")
_HEADER = ("initializer", "condition", "update")
