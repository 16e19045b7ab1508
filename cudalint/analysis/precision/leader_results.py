"""Results of a reduction that only the first thread of a warp or block has, and that all of its threads go on with.

for (int d = 16; d > 0; d /= 2) z += __shfl_down_sync(mask, z, d);      out[c] = x[c] / z;
float sum = BlockReduce(storage).Sum(x);      out[threadIdx.x] = x / sum;

A helper that returns such a result hands it on to its callers. What stands under a condition on the place of the thread, and what
goes through a broadcast or shared memory, is not followed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from cudalint.analysis.text.alternatives import Alternatives
from cudalint.analysis.text.chosen_threads import is_chosen, picks_threads, reached_names, sends_away
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.numeric_calls import NUMERIC
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_DOWN = re.compile(r"(.*\.)?(__)?shfl_down(_sync)?(<.*>)?", re.DOTALL)
_COLLECTIVE = re.compile(r"(?:.*::)?(\w+)\s*(<.*>)?\s*\(.*\)\s*\.\s*(Sum|Reduce|Max|Min)(<.*>)?", re.DOTALL)
_OF_CUB = re.compile(r"(Block|Warp)Reduce\w*")
_ALIAS = re.compile(
    r"using\s+(\w+)\s*=\s*(?:typename\s+)?(?:hip)?cub::(?:Block|Warp)Reduce\b|"
    r"typedef\s+(?:typename\s+)?(?:hip)?cub::(?:Block|Warp)Reduce\s*<[^;]*>\s*(\w+)\s*;"
)
_LANE = re.compile(r"threadIdx\s*\.\s*x|lane_?id|\blane\b|thread_rank\s*\(")
_COARSE = re.compile(r"/|>>")
_TO_ONE = re.compile(r">\s*0\b|>=\s*1\b|!=\s*0\b|^\(?\s*\w+\s*\)?$|\b0\s*(<|!=)|\b1\s*<=")
_HALVES = re.compile(r"/=\s*2|>>=\s*1|=\s*\w+\s*(/\s*2|>>\s*1)")
_ROUNDS = 3  # of helpers that call helpers
_LEAST_STEPS = 3


def leader_results(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each place where every thread writes what it makes of a result that is not its own."""
    text = outline.root.text
    if "shfl_down" not in text and "cub::" not in text:
        return
    helpers: frozenset[str] = frozenset()
    every = list(bodies(program_of(outline)))
    for _ in range(_ROUNDS):
        helpers = _helpers(every, helpers)
    for body in every:
        yield from _Results(body, helpers).issues()


def _helpers(every: list[Body], known: Collection[str]) -> frozenset[str]:
    """Device functions that return what only the first thread has; of one name all do."""
    found: dict[str, bool] = {}
    for body in every:
        if body.function.role == "device":
            name = body.function.name
            found[name] = found.get(name, True) and _Results(body, known).returns()
    return frozenset(name for name, all_do in found.items() if all_do)


class _Results:
    """The names of one function that hold a result of the first thread, from statement to statement."""

    def __init__(self, body: Body, helpers: Collection[str]) -> None:
        self.body, self.helpers = body, helpers
        self.held: dict[str, Syntax] = {}
        self.left = False
        self.returned: list[bool] = []

    def returns(self) -> bool:
        for _ in self.issues():
            pass
        return bool(self.returned) and all(self.returned)

    def issues(self) -> Iterator[GuardIssue]:
        branches = Alternatives[Syntax]()
        for node in self.body.nodes:
            self.held = branches.at(node, self.held)
            if node.kind in ("assignment_expression", "init_declarator"):
                target, value = _assigned(node)
                if target is None or value is None:
                    continue
                source = self._source(node, target, value)
                if target.kind == "identifier":
                    self._keep(node, target.text, source)
                elif source is not None and self._is_of_every_lane(node, target):
                    text = f"`{short(value)}` has a result that only the first thread holds, and every thread writes it"
                    yield GuardIssue(self.body.function, node, text, source)
            elif node.kind == "return_statement" and node.children:
                self.returned.append(not self.left and self._held_in(node.children[0]) is not None)
            elif node.kind == "if_statement" and sends_away(node, self.body):
                self.left = True

    def _source(self, node: Syntax, target: Syntax, value: Syntax) -> Syntax | None:
        if _is_fold(node, target, value, self.body) or self._is_made_by(uncast(value)):
            return node  # also where only one warp comes here
        return None if self.left or is_chosen(node, self.body) else self._held_in(value)

    def _keep(self, node: Syntax, name: str, source: Syntax | None) -> None:
        if source is not None:
            self.held[name] = source
        elif node.op in ("", "="):
            self.held.pop(name, None)

    def _held_in(self, value: Syntax) -> Syntax | None:
        """Where a result of the first thread came from that the value is made of by arithmetic."""
        value = uncast(value)
        match value.kind:
            case "identifier":
                return self.held.get(value.text)
            case "call_expression":
                return self._held_in_call(value)
            case "binary_expression" if value.op not in ("+", "-", "*", "/"):
                return None
            case "conditional_expression":
                condition = value.child("condition")
                if condition is None or picks_threads(condition, self.body):
                    return None
            case "binary_expression" | "unary_expression" | "parenthesized_expression" | "cast_expression":
                pass
            case _:
                return None
        return next((source for child in value.children if (source := self._held_in(child)) is not None), None)

    def _held_in_call(self, call: Syntax) -> Syntax | None:
        callee, arguments = call.child("function"), call.child("arguments")
        if callee is None or arguments is None:
            return None
        if self._is_made_by(call):
            return call
        if NUMERIC.fullmatch(callee.bare) is None:
            return None
        return next((source for each in arguments.children if (source := self._held_in(each)) is not None), None)

    def _is_made_by(self, call: Syntax) -> bool:
        """A call that gives its result to the first thread."""
        callee = call.child("function") if call.kind == "call_expression" else None
        if callee is None:
            return False
        name = callee.text.partition("<")[0].rpartition("::")[2].strip()
        made = _COLLECTIVE.fullmatch(callee.text)
        return name in self.helpers or (made is not None and self._is_of_cub(made[1]))

    def _is_of_cub(self, name: str) -> bool:
        """`BlockReduce(storage).Sum(x)`, or another name that the file gives to the class."""
        aliases = _ALIAS.findall(self.body.scope.outline.root.text)
        return _OF_CUB.fullmatch(name) is not None or any(name in alias for alias in aliases)

    def _is_of_every_lane(self, node: Syntax, target: Syntax) -> bool:
        """An element of memory that the function is given, at a place of the lane's own."""
        base = target.child("argument") if target.kind == "subscript_expression" else None
        if base is None:
            return False
        if reached_names(base, self.body).isdisjoint(self.body.scope.parameters):
            return False
        if any(self._is_array(name) for name in names_in(base)):
            return False
        return any(self._differs(child) for child in target.children if child is not base) or self._differs(base)

    def _is_array(self, name: str) -> bool:
        return re.search(rf"\b__shared__\b[^;]*\b{re.escape(name)}\b", self.body.function.body.text) is not None

    def _differs(self, index: Syntax) -> bool:
        """From lane to lane of a warp."""
        pending, seen = [index], set[str]()
        while pending:
            part = pending.pop()
            if _COARSE.search(part.text):
                continue
            if _LANE.search(part.text):
                return True
            for name in names_in(part) - seen:
                seen.add(name)
                pending += self.body.scope.values.get(name, [])
        return False


def _assigned(node: Syntax) -> tuple[Syntax | None, Syntax | None]:
    if node.kind == "init_declarator":
        return node.child("declarator"), node.child("value")
    return node.child("left"), node.child("right")


def _is_fold(node: Syntax, target: Syntax, value: Syntax, body: Body) -> bool:
    """`z += __shfl_down_sync(mask, z, d)` in a loop that halves d, or as one of several steps.

    What comes down may be kept under a name first: `float other = __shfl_down_sync(mask, z, d); z = fmaxf(z, other);`
    """
    if node.kind != "assignment_expression" or target.kind != "identifier":
        return False
    if node.op == "=" and _comes_down(uncast(value), target.text):
        return False  # a neighbour's value alone
    for parent, _ in body.ancestors(node):
        if parent.kind in ("for_statement", "while_statement"):
            step = parent.child("update") or parent
            whole = _HALVES.search(step.text) is not None and _goes_down_to_one(parent)
            return whole and any(_comes_down(part, target.text) for part in parent.walk())
    if not any(_comes_down(part, target.text) for part in value.walk()):
        return False
    return _steps(target.text, body) >= _LEAST_STEPS


def _goes_down_to_one(loop: Syntax) -> bool:
    """`d > 0`: behind `d >= lanes` each of the first lanes holds a result."""
    condition = loop.child("condition")
    return condition is not None and _TO_ONE.search(condition.text) is not None


def _steps(name: str, body: Body) -> int:
    """How often the function brings the variable down by itself."""
    return sum(_comes_down(node, name) for node in body.nodes)


def _comes_down(call: Syntax, name: str) -> bool:
    callee, arguments = call.child("function"), call.child("arguments")
    if call.kind != "call_expression" or callee is None or arguments is None or _DOWN.fullmatch(callee.text) is None:
        return False
    return any(uncast(each).text == name for each in arguments.children)
