"""Local names of a function that may differ between the threads of a block, by what they are made of and by where they change.

bool done = x[blockIdx.x * blockDim.x + threadIdx.x] < 0;       // what a thread loads from a place of its own
if (done) rounds |= 1;                                          // what only some of them change
int all = __syncthreads_and(done);                              // the same for all: a vote

What is shared, and read at a place that is the same for all, is the same for all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from cudalint.analysis.text.text_program import Body
from cudalint.analysis.text.thread_text import THREAD, THREAD_CALL, Local, ThreadText, coordinate
from cudalint.ir.syntax import Syntax

_COMMON = re.compile(
    r"syncthreads_?(and|or|count)|_sync$|\bany\b|\ball\b|__any|__all|ballot|shfl|shuffle|elect|readfirstlane|reduce|broadcast|uniform|vote",
    re.IGNORECASE,
)
_CONDITIONAL = ("if_statement", "for_statement", "while_statement", "do_statement", "switch_statement")
_LOOPS = _CONDITIONAL[1:-1]
_ROUNDS = 8


class Varying:
    """Which expressions of a function differ between threads; `shared` are the names of its shared memory."""

    def __init__(self, body: Body, threads: ThreadText, shared: Collection[str]) -> None:
        self.body, self.threads, self.shared = body, threads, frozenset(shared)
        self.names: set[Local] = set()
        changes = [*self._changes()]
        for _ in range(_ROUNDS):
            before = len(self.names)
            for variable, value, node in changes:
                if variable not in self.names and (self.differs(value) or self._is_left_to_some(node)):
                    self.names.add(variable)
            if len(self.names) == before:
                break

    def differs(self, node: Syntax) -> bool:
        """Something in it is of the thread, or made of what is."""
        stack = [node]
        while stack:
            part = stack.pop()
            if part.kind == "identifier" and self._is_varying_name(part):
                return True
            if part.kind == "field_expression" and coordinate(part).startswith("threadIdx."):
                return True
            if part.kind == "call_expression":
                callee = part.child("function")
                name = "" if callee is None else callee.text.strip()
                if THREAD_CALL.match(name):
                    return True
                if _COMMON.search(name.partition("<")[0]):
                    continue
            stack += part.children
        return False

    def _is_varying_name(self, node: Syntax) -> bool:
        if node.text in self.shared:
            return False
        variable = self.threads.local(node)
        if variable is None:
            return self.threads.kind(node) == THREAD
        return variable in self.names and not self._is_common_by_now(node)

    def _is_common_by_now(self, name: Syntax) -> bool:
        """The last that it was given on the way there is the same for all: `done = all_done(done);`, `sum = s_sum;`"""
        for parent, child in self.body.ancestors(name):
            if parent.kind in _LOOPS:
                return False
            before = [each for each in parent.children if each.end <= child.start]
            before = [each for each in before if not each.kind.startswith("preproc_")]  # left out, mostly: `#if DEBUG`
            for statement in before[::-1] if parent.kind == "compound_statement" else ():
                given = [value for target, value in map(_given, statement.walk()) if target == name.text]
                if any(value is None or self.differs(value) for value in given):
                    return False
                if given and not statement.kind.endswith("_statement"):
                    return True
        return False

    def _changes(self) -> Iterator[tuple[Local, Syntax, Syntax]]:
        """(variable, what it is made of, the node that changes it)"""
        for node in self.body.nodes:
            match node.kind:
                case "init_declarator":
                    target, value = node.child("declarator"), node.child("value")
                case "assignment_expression":
                    target, value = node.child("left"), node.child("right")
                case "update_expression" if node.children:
                    target = value = node.children[0]
                case _:
                    continue
            name = None if target is None else next((n for n in target.walk() if n.kind == "identifier"), None)
            variable = None if name is None or name.text in self.shared else self.threads.local(name)
            if variable is not None and value is not None:
                yield variable, value, node

    def _is_left_to_some(self, node: Syntax) -> bool:
        """A condition on the way there differs between threads."""
        for parent, child in self.body.ancestors(node):
            condition = parent.child("condition") if parent.kind in _CONDITIONAL else None
            if condition is not None and child is not condition and child is not parent.child("initializer"):
                if self.differs(condition):
                    return True
        return False


def _given(node: Syntax) -> tuple[str, Syntax | None]:
    """(name, value) of an assignment or declaration; no value where it changes in place."""
    if node.kind == "init_declarator":
        target, value = node.child("declarator"), node.child("value")
    elif node.kind == "assignment_expression":
        target, value = node.child("left"), node.child("right") if node.op == "=" else None
    elif node.kind == "update_expression" and node.children:
        target, value = node.children[0], None
    else:
        return "", None
    return "" if target is None else target.text, value
