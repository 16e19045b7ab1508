"""Loops whose step is a quotient that was rounded down: of a small size it is zero, and the loop never ends.

int per_thread = channels / 64;  k<<<grid, 256>>>(x, channels, per_thread);
for (int c = 0; c < channels; c += per_thread) ...                             // 63 channels: c stays 0
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from cudalint.analysis.launch.floored_grids import bare, declared_value
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.launch_text import text_launches, wrapped_launches
from cudalint.analysis.text.scopes import leaves
from cudalint.analysis.text.sizes import Sizes
from cudalint.analysis.text.text_program import Program, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_OF_LAUNCH = re.compile(r"thread|block|warp|grid|lane|Dim|^tid|tile|sm_?count|num_?sms?", re.IGNORECASE)
_CHECKS = re.compile(r"(CHECK|ASSERT|assert|ENFORCE)\w*\s*\(")


def zero_steps(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop."""
    program = program_of(outline)
    launches = [*chain(text_launches(program), wrapped_launches(program))]
    for body in bodies(program, ("kernel", "device", "host")):
        for loop in body.nodes:
            step = _step(loop) if loop.kind == "for_statement" else None
            if step is None or _leaves_within(loop):
                continue
            value = declared_value(step, body.scope)
            found = _small(value, body.function, step, program) if value is not None and value is not step else None
            if found is None and step.text in body.scope.parameters and body.function.role == "kernel":
                position = body.scope.parameters.index(step.text)
                for launch in launches:
                    if launch.kernel == body.function.name.rpartition("::")[2] and position < len(launch.arguments):
                        given = launch.arguments[position]
                        value = declared_value(given, program.scope(launch.function))
                        found = found or (value and _small(value, launch.function, launch.node, program))
            if found is not None:
                text = f"the loop never ends where `{step.text} = {short(found)}` is zero"
                yield GuardIssue(body.function, loop.child("update") or loop, text, found)


def _step(loop: Syntax) -> Syntax | None:
    """The variable that the counter grows by, in a loop up to a bound."""
    update, condition = loop.child("update"), loop.child("condition")
    if update is None or condition is None or update.kind != "assignment_expression" or update.op != "+=":
        return None
    counter, step = update.child("left"), update.child("right")
    if counter is None or step is None or step.kind != "identifier" or condition.op not in ("<", "<="):
        return None
    changed = re.compile(rf"\b{re.escape(counter.text)}\s*(\+\+|[-+]?=[^=])|\+\+\s*{re.escape(counter.text)}\b")
    inner = loop.child("body")
    return step if counter.text in names_in(condition) and not (inner and changed.search(inner.text)) else None


def _leaves_within(loop: Syntax) -> bool:
    return any(n.kind in ("break_statement", "return_statement", "goto_statement") for n in loop.walk())


def _small(value: Syntax, function: TextFunction, at: Syntax, program: Program) -> Syntax | None:
    """The quotient of a size of the data, where nothing on the way keeps the size from being smaller than the divisor."""
    node = bare(value)
    left, right = node.child("left"), node.child("right")
    if node.kind != "binary_expression" or node.op != "/" or left is None or right is None or "sizeof" in right.text:
        return None
    size = bare(left)
    if size.kind not in ("identifier", "field_expression", "call_expression") or _OF_LAUNCH.search(size.text):
        return None
    fixed = Sizes(program, function).fixed_value(size) is not None or (size.text.isupper() and len(size.text) > 1)
    if "numeric_limits" in size.text:
        return None
    names = names_in(size) | names_in(value)
    return None if fixed or _is_looked_at(names, size.text, function, at) else value


def _is_looked_at(names: set[str], size: str, function: TextFunction, at: Syntax) -> bool:
    """A check, an early exit or a branch before the loop or launch speaks of the size, or of its remainder."""
    if re.search(rf"{re.escape(size)}\s*%|%\s*{re.escape(size)}", function.body.text):
        return True
    for node in function.body.walk():
        if node.start >= at.start:
            break
        if node.kind == "call_expression" and _CHECKS.match(node.text) and names & names_in(node):
            return True
        condition, consequence = node.child("condition"), node.child("consequence")
        if node.kind != "if_statement" or condition is None or consequence is None or not names & names_in(condition):
            continue
        if leaves(consequence) or consequence.start <= at.start < consequence.end:
            return True
    return False
