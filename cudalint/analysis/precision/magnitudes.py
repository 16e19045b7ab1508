"""What an expression says of the sign of its value: squares, absolute values and what is added up or searched among them.

float s = 0;  for (...) s += x[i] * x[i];       never negative, and zero where all elements are
float m = 0;  for (...) m = fmaxf(m, fabsf(x[i]));       the same
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from cudalint.analysis.text.guard_patterns import names_in
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body
from cudalint.ir.syntax import Syntax, TextFunction

ABSOLUTE = re.compile(r"^(::|std::)?(__)?h?f?abs[fl2]?$")
MAXIMUM = re.compile(r"^(::|std::)?(__)?[fh]?max(f|imum)?$")
ROOT = re.compile(r"^(::|std::)?(__)?h?r?sqrt(f|_rn|_approx)?$|^__fr?sqrt_r[nzud]$")
ZERO = re.compile(r"0+(\.0*)?f?|\.0+f?")
_EXP = re.compile(r"^(::|std::)?(__)?h?exp(2|10)?f?$")
_FMA = re.compile(r"^(::|std::)?(__)?h?fma(f|_rn|f_rn)?$")
_LARGEST = re.compile(r"abs_?max|max_?abs|(^|_|::)amax(_|$)", re.IGNORECASE)  # of an array: zero where all of it is
_MOVES = re.compile(
    r"^__shfl\w*$|\.shfl\w*$|[rR]educe|^__float2half|^__half2float|^__bfloat162float|^__float2bfloat16|(warp|block)_?(max|sum)",
    re.I,
)
_CHOSEN = ("if_statement", "conditional_expression", "while_statement")
MOST_HOPS = 8


@dataclass(slots=True)
class Vanishing:
    """What was looked at to say that a value may be zero; `gathered`: a sum or maximum from zero is among it.

    What a name was before it last began with zero `ahead` of a place has no part in it.
    """

    body: Body
    ahead: int
    names: dict[str, bool] = field(default_factory=dict)  # and whether each may be zero, where that was asked
    gathered: bool = False

    def may_be_zero(self, node: Syntax, hops: int = MOST_HOPS) -> bool:
        """A square, an absolute value, or what is made of them in ways that keep a zero."""
        node = uncast(node)
        if ZERO.fullmatch(node.bare):
            return True
        if hops == 0:
            return False
        match node.kind:
            case "identifier":
                return self._named(node.text, hops - 1)
            case "subscript_expression":
                base = node.child("argument")
                return base is not None and self._stored(base.text, hops - 1)
            case "binary_expression":
                return self._combined(node, hops - 1)
            case "call_expression":
                return self._called(node, hops - 1)
            case "assignment_expression" if node.op == "=":
                return self.may_be_zero(node.children[-1], hops - 1)
            case "conditional_expression":
                return all(self.may_be_zero(choice, hops - 1) for choice in node.children[1:])
            case _:
                return False

    def _combined(self, node: Syntax, hops: int) -> bool:
        left, right = node.child("left"), node.child("right")
        if left is None or right is None:
            return False
        if node.op == "+":
            if self._is_moving(left, right, hops) or self._is_moving(right, left, hops):
                self.gathered = True
                return True
            return self.may_be_zero(left, hops) and self.may_be_zero(right, hops)
        if node.op == "*":
            return (
                any(not self._is_given(factor) and not self._is_power(factor) for factor in _repeated(node))
                or self.may_be_zero(left, hops)
                or self.may_be_zero(right, hops)
            )
        return node.op == "/" and self.may_be_zero(left, hops)

    def _is_moving(self, held: Syntax, added: Syntax, hops: int) -> bool:
        """`v[i] * decay + g * g * (1 - decay)`, kept in `v[i]`: an average of squares, which begins with zero."""
        elements = [n for n in held.walk() if n.kind == "subscript_expression"] if held.op == "*" else []
        if len(elements) != 1 or elements[0].children[0].text not in self.body.scope.parameters:
            return False
        element = elements[0].bare
        kept = any(
            n.kind == "assignment_expression" and n.op == "=" and n.children[0].bare == element for n in self.body.nodes
        )
        return kept and added.op == "*" and self.may_be_zero(added, hops)

    def _is_given(self, node: Syntax) -> bool:
        """A number that the function is passed, or a constant."""
        names, scope = names_in(node), self.body.scope
        elements = any(part.kind == "subscript_expression" for part in node.walk())
        return not elements and all(name in scope.parameters or name not in scope.types for name in names)

    def _is_power(self, node: Syntax) -> bool:
        """`expf(x - top)`, or a variable that only gets such: above zero."""
        scope = self.body.scope
        made = scope.values.get(node.text, []) if node.text not in scope.steps else []
        calls = [uncast(each).child("function") for each in made or [node]]
        return all(call is not None and _EXP.match(call.text) is not None for call in calls)

    def _called(self, node: Syntax, hops: int) -> bool:
        callee, arguments = node.child("function"), node.child("arguments")
        if callee is None or arguments is None or not arguments.children:
            return False
        given, name = arguments.children, callee.text.partition("<")[0]
        if len(given) == 1 and name in self.body.function.template:
            return self.may_be_zero(given[0], hops)  # `T(0)`
        if _LARGEST.search(name):
            self.gathered = True
            return True
        if ABSOLUTE.match(name):
            return True
        if MAXIMUM.match(name):
            return all(self.may_be_zero(argument, hops) for argument in given)
        if _FMA.match(name) and len(given) == 3:
            square = given[0].bare == given[1].bare and not self._is_power(given[0])
            return square and self.may_be_zero(given[2], hops)
        if ROOT.match(name):
            return "rsqrt" not in name and self.may_be_zero(given[0], hops)
        moves = _MOVES.search(name) is not None or _is_shuffle(name, self.body)
        return moves and any(self.may_be_zero(argument, hops) for argument in given)

    def _named(self, name: str, hops: int) -> bool:
        if name in self.names:
            return self.names[name]
        scope = self.body.scope
        values, steps = scope.values.get(name, []), scope.steps.get(name, [])
        if not values or name in scope.parameters or _is_set_by_a_call(name, self.body):
            return False
        begins = max((value.start for value in values if self._begins(value)), default=0)
        values = [value for value in values if value.start >= begins]
        steps = [step for step in steps if step.start >= begins]
        self.names[name] = True  # as long as nothing speaks against it
        added = [step.child("right") for step in steps]
        grows = all(step.op == "+=" and right is not None for step, right in zip(steps, added))
        kept = grows and all(self.may_be_zero(each, hops) for each in [*values, *added] if each is not None)
        if kept and len(values) + len(steps) > 1:
            self.gathered = True
        self.names[name] = kept
        return kept

    def _begins(self, value: Syntax) -> bool:
        """`sum = 0.f;` in front of the place, on every way to it."""
        if value.start >= self.ahead or not ZERO.fullmatch(value.bare):
            return False
        branches = ("if_statement", "case_statement", "else_clause")
        around = (parent for parent, _ in self.body.ancestors(value) if parent.kind in branches)
        return all(parent.start <= self.ahead < parent.end for parent in around)

    def _stored(self, array: str, hops: int) -> bool:
        """All that the kernel stores in an array of its own."""
        if array in self.names:
            return self.names[array]
        if array in self.body.scope.parameters:
            return False
        self.names[array] = True
        stored = list(_stores(array, self.body))
        self.names[array] = bool(stored) and all(self.may_be_zero(value, hops) for value in stored)
        return self.names[array]

    def is_kept_off_zero(self) -> bool:
        """A condition asks about one of the values, other than for which is larger, or counts what was added to it."""
        vanishing = {name for name, may_be_zero in self.names.items() if may_be_zero}
        asking = vanishing | self._told_by(vanishing) | self._counters(vanishing)
        for node in self.body.nodes:
            condition = node.child("condition") if node.kind in _CHOSEN else None
            if node.op in ("&&", "||") and len(node.children) == 2:  # `s > 0.f && d / s > t`
                around = node.children[1].start <= self.ahead < node.children[1].end
                condition = node.children[0] if around else None
            if condition is not None and not names_in(condition).isdisjoint(asking) and not is_extreme_choice(node):
                return True
        return False

    def _told_by(self, vanishing: set[str]) -> set[str]:
        """`alive = m > 0.f`, `bool ok = usable(m)`: variables that say something of a value, and are no quotient by it."""
        scope = self.body.scope
        found = set[str]()
        for name, values in scope.values.items():
            about = [value for value in values if not names_in(value).isdisjoint(vanishing)]
            if any(scope.structures.get(name) == "bool" or _is_said(value) for value in about):
                found.add(name)
        return found

    def _counters(self, vanishing: set[str]) -> set[str]:
        """`if (x[i] != 0) { s += x[i] * x[i]; ++set; }`: `set` counts what was added where that is not left to all elements."""
        scope = self.body.scope
        blocks = {self._block(step) for name in vanishing for step in scope.steps.get(name, [])} - {None}
        return {name for name, steps in scope.steps.items() if any(self._block(step) in blocks for step in steps)}

    def _block(self, node: Syntax) -> int | None:
        """The place of the statements in braces around a node that not all elements get to."""
        around = list(self.body.ancestors(node))
        for parent, _ in around:
            if parent.kind == "compound_statement":
                chosen = any(each is parent and above.kind == "if_statement" for above, each in around)
                return parent.start if chosen or "continue" in parent.text else None
        return None


def _is_said(value: Syntax) -> bool:
    """A comparison, or what is made of some."""
    value = uncast(value)
    return value.op in ("<", ">", "<=", ">=", "==", "!=", "&&", "||", "!")


def is_extreme_choice(node: Syntax) -> bool:
    """`v > m ? v : m`, `if (m < v) m = v;`: the larger or smaller of two values."""
    condition = node.child("condition")
    while condition is not None and condition.kind in ("condition_clause", "parenthesized_expression"):
        condition = condition.child("value") or condition.children[0]
    if condition is None or condition.op not in ("<", ">", "<=", ">=") or len(condition.children) != 2:
        return False
    compared = {side.bare for side in condition.children}
    if node.kind == "conditional_expression":
        return {choice.bare for choice in node.children[1:]} == compared
    taken = node.child("consequence")
    while (
        taken is not None and taken.kind in ("compound_statement", "expression_statement") and len(taken.children) == 1
    ):
        taken = taken.children[0]
    if node.kind != "if_statement" or node.child("alternative") is not None or taken is None or taken.op != "=":
        return False
    return {side.bare for side in taken.children} == compared


def _is_shuffle(name: str, body: Body) -> bool:
    """A function of the file that puts the numbers of a warp together."""
    own = [f for f in body.scope.outline.functions if f.role != "kernel" and f.name == name and f is not body.function]
    return len(own) == 1 and "__shfl" in own[0].body.text


def _is_set_by_a_call(name: str, body: Body) -> bool:
    """A function of the file takes it by a reference or pointer that it may write through, other than to sum over the warp."""
    for node in body.nodes:
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind != "call_expression" or callee is None or arguments is None:
            continue
        at = next((i for i, given in enumerate(arguments.children) if given.bare in (name, "&" + name)), None)
        called = callee.text.partition("<")[0].rpartition("::")[2]
        own = (
            [f for f in body.scope.outline.functions if f.name.rpartition("::")[2] == called] if at is not None else []
        )
        if any(at is not None and _writes_through(function, at) for function in own):
            return True
    return False


def _writes_through(function: TextFunction, at: int) -> bool:
    written = function.parameters[at].text if at < len(function.parameters) else ""
    return re.search(r"[&*]", written) is not None and "const" not in written and "__shfl" not in function.body.text


def _repeated(product: Syntax) -> Iterator[Syntax]:
    """`g` of `(1 - b) * g * g`: factors that occur twice."""
    factors: dict[str, Syntax] = {}
    rest = [product]
    while rest:
        node = uncast(rest.pop())
        if node.op == "*" and node.kind == "binary_expression":
            rest += node.children
        elif node.bare in factors:
            yield node
        else:
            factors[node.bare] = node


def is_square(node: Syntax) -> bool:
    """`x * x`."""
    left, right = node.child("left"), node.child("right")
    return node.op == "*" and left is not None and right is not None and uncast(left).bare == uncast(right).bare


def _stores(array: str, body: Body) -> Iterator[Syntax]:
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind == "assignment_expression" and left is not None and right is not None:
            base = left.child("argument") if left.kind == "subscript_expression" else None
            if base is not None and base.text == array:
                yield right
