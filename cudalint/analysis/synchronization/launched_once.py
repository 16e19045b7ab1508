"""Launches that a process makes once, however often the function around them is called.

static const bool built = [] { build<<<8, 128>>>(); return true; }();      std::call_once(flag, [&] { build<<<8, 128>>>(); });
if (!built) { build<<<8, 128>>>();  built = true; }                        if (built) return;  built = true;  build<<<8, 128>>>();
"""

from __future__ import annotations

import re

from cudalint.analysis.text.guard_patterns import bodies
from cudalint.analysis.text.scopes import leaves
from cudalint.analysis.text.text_program import Body, Program, TextLaunch
from cudalint.ir.syntax import Syntax, TextFunction

_CALL_ONCE = re.compile(r"(^|::|_)(call_?once|once)$", re.IGNORECASE)


def is_made_once(launch: TextLaunch, program: Program) -> bool:
    """The launch stands where a process comes by once, or its function does so."""
    body = next((b for b in bodies(program, ("host",)) if b.function is launch.function), None)
    if body is None:
        return False
    above = [parent for parent, _ in body.ancestors(launch.node)]
    if any(_is_static(node) or _is_call_once(node) for node in above):
        return True
    return _is_behind_flag(launch.node, above, body) or _is_given_to_call_once(launch.function, program)


def lives_on(name: str, body: Body) -> bool:
    """A variable that the next call of the function finds as this one leaves it: no local one that is made anew."""
    if name in body.scope.parameters:
        written = body.function.parameters[body.scope.parameters.index(name)].text
        return "&" in written or "*" in written
    made = [n for n in body.nodes if n.kind == "declaration" and re.search(rf"\b{re.escape(name)}\b", n.text)]
    declared = [n for n in made if any(_name_of(d) == name for d in n.all("declarator"))]
    return all(_is_static(n) for n in declared)


def _name_of(declarator: Syntax) -> str:
    while declarator.children and declarator.kind != "identifier":
        declarator = declarator.child("declarator") or declarator.children[0]
    return declarator.text


def _is_static(node: Syntax) -> bool:
    return node.kind == "declaration" and re.match(r"(const(expr)?\s+)?(static|thread_local)\b", node.text) is not None


def _is_call_once(node: Syntax) -> bool:
    callee = node.child("function") if node.kind == "call_expression" else None
    return callee is not None and _CALL_ONCE.search(callee.text) is not None


def _is_given_to_call_once(function: TextFunction, program: Program) -> bool:
    """`std::call_once(flag, build);`, and nobody else calls it."""
    name = function.name.rpartition("::")[2]
    mentions = re.findall(rf"\b{re.escape(name)}\b", program.outline.root.text)
    given = re.findall(
        rf"\b\w*once\w*\s*\([^(){{}};]*\b{re.escape(name)}\s*[,)]", program.outline.root.text, re.IGNORECASE
    )
    return bool(given) and len(mentions) == len(given) + 1


def _is_behind_flag(node: Syntax, above: list[Syntax], body: Body) -> bool:
    """A variable that lives on is asked before, and set so that the next call does not come here."""
    for choice in body.nodes:
        condition, branch = choice.child("condition"), choice.child("consequence")
        if choice.kind != "if_statement" or condition is None or branch is None:
            continue
        asked = condition.bare.strip("()")
        inside = branch in above and asked.startswith("!")
        behind = choice.start < node.start and leaves(branch) and body.parents.get(id(choice)) in above
        name = asked.lstrip("!")
        if (inside or (behind and asked == name)) and re.fullmatch(r"\w+", name) and lives_on(name, body):
            if any(value.text == "true" or value.text == "1" for value in body.scope.values.get(name, [])):
                return True
    return False
