"""Waits for asynchronous copies that allow as many groups in flight as have been committed: they wait for nothing.

for (int i = 0; i < STAGES - 1; i++) { copy(i);  cp_async_commit(); }
for (...) { cp_async_wait<STAGES - 1>();  __syncthreads();  use(tile);  ...  cp_async_commit(); }

`STAGES - 2` would wait for the first tile. PTX ISA, `cp.async.wait_group N`: N or fewer of the most recent groups may be pending.
Groups are counted along the text as far as the first wait, in the first round of loops; where a condition other than the wait's
own (`if (STAGES > 1)`), a lambda or another function of the file commits, nothing is said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from cudalint.analysis.text.call_names import TEMPLATE
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.shared_assembly import is_async_copy
from cudalint.analysis.text.text_program import Body, number_of, program_of
from cudalint.ir.syntax import Outline, Syntax

_COMMIT = re.compile(r"(cp_?async|pipeline)(_|::)*(\w*commit|fence)\w*$|^cp_async_group_commit$", re.IGNORECASE)
_WAIT = re.compile(r"(cp_?async|pipeline)(_|::)*(\w*_)?wait(_?(group|prior|for_group))?$", re.IGNORECASE)
_ASM_COMMIT, _ASM_WAIT = re.compile(r"cp\.async\.commit_group"), re.compile(r"cp\.async\.wait_group\s+(\d+)")
_ARGUMENT = re.compile(r"<(.*)>$", re.DOTALL)
_TERM = re.compile(r"([+-]?)([A-Za-z_][\w:]*|\d+[uU]?)")
_LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop")
_BRANCHES = ("if_statement", "switch_statement", "conditional_expression", "lambda_expression")

Groups = Counter[str]  # a sum: how often each name is in it, "" for the number


class _Lost(Exception):
    """How many groups have been committed is not known."""


class _Found(Exception):
    def __init__(self, wait: Syntax, allowed: Groups) -> None:
        super().__init__()
        self.wait, self.allowed = wait, allowed


def idle_waits(outline: Outline) -> Iterator[GuardIssue]:
    """At most one issue for each function."""
    text = outline.root.file.text
    if "wait" not in text or not ("async" in text or "pipeline" in text):
        return
    every = list(bodies(program_of(outline), ("kernel", "device")))
    committing = {b.function.name for b in every if any(map(commits, b.nodes))}
    for body in every:
        if not any(waits_of(node) is not None for node in body.nodes):
            continue
        committed: Groups = Counter()
        try:
            _Counting(body, committing - {body.function.name}).count(body.function.body, committed)
        except _Lost:
            continue
        except _Found as found:
            left = Counter(found.allowed)
            left.subtract(committed)
            known = not any(n for name, n in left.items() if name) and not _commits_in_round(found.wait, body)
            if +committed and known and left[""] >= 0:
                what = "this wait allows as many groups of copies in flight as there are: it waits for none of them"
                copies = tuple(n for n in body.nodes if n.start < found.wait.start and is_async_copy(n))
                yield GuardIssue(body.function, found.wait, what, copies[0] if copies else None, True, copies[1:])


def _commits_in_round(wait: Syntax, body: Body) -> bool:
    """A group of the same round goes on behind the wait: what it waits for is that of the round before."""
    loops = [parent for parent, _ in body.ancestors(wait) if parent.kind in _LOOPS]
    return any(commits(node) for loop in loops[:1] for node in loop.walk() if node.start < wait.start)


class _Counting:
    def __init__(self, body: Body, committing: set[str]) -> None:
        self.body, self.committing = body, committing
        wait = next(node for node in body.nodes if waits_of(node) is not None)
        around = (parent.child("condition") for parent, _ in body.ancestors(wait) if parent.kind == "if_statement")
        self.holds = {condition.bare for condition in around if condition is not None}  # where the wait stands

    def count(self, node: Syntax, committed: Groups) -> None:
        """Adds what the node commits; raises at the first wait."""
        allowed = waits_of(node)
        if allowed is not None:
            raise _Found(node, allowed)
        if commits(node):
            committed[""] += 1
            return
        condition, taken = node.child("condition"), node.child("consequence")
        if node.kind == "if_statement" and condition is not None and condition.bare in self.holds and taken is not None:
            self.count(taken, committed)
            return
        self._check(node)
        if node.kind in _LOOPS and self._begins(node) and not any(waits_of(part) is not None for part in node.walk()):
            rounds, each = self._rounds(node), Counter[str]()
            for child in node.children:
                self.count(child, each)
            if rounds is None or any(name for name in each):
                raise _Lost
            committed.update({name: number * each[""] for name, number in rounds.items()})
            return
        for child in node.children:
            self.count(child, committed)

    def _begins(self, node: Syntax) -> bool:
        """Something in it commits."""
        inside = (part for part in node.walk() if part is not node)
        return any(commits(part) or called_by(part) in self.committing for part in inside)

    def _check(self, node: Syntax) -> None:
        """Nothing in the node is done for some reason that is not known."""
        branches = node.kind in _BRANCHES
        if called_by(node) in self.committing or (
            (branches or node.kind.startswith("preproc_")) and self._begins(node)
        ):
            raise _Lost
        if branches and any(waits_of(part) is not None for part in node.walk()):
            raise _Lost

    def _rounds(self, loop: Syntax) -> Groups | None:
        """Of `for (int i = from; i < to; i++)`: to - from."""
        start, condition, update = (loop.child(part) for part in ("initializer", "condition", "update"))
        if start is None or condition is None or update is None or condition.op != "<" or update.op != "++":
            return None
        begin = next((n.child("value") for n in start.walk() if n.kind == "init_declarator"), None)
        if start.kind == "assignment_expression" and start.op == "=":
            begin = start.child("right")
        first, last = (None if part is None else self._sum(part) for part in (begin, condition.child("right")))
        if first is None or last is None:
            return None
        last.subtract(first)
        return last

    def _sum(self, node: Syntax) -> Groups | None:
        """Of `stages` with `constexpr int stages = STAGES == 1 ? 1 : STAGES - 1`, where STAGES is more: `STAGES - 1`."""
        values = self.body.scope.values.get(node.text, []) if node.kind == "identifier" else []
        if len(values) != 1 or values[0].kind != "conditional_expression":
            return _sum(node.bare)
        condition, _, otherwise = values[0].children
        found = re.fullmatch(r"\(?(\w+)==(\d+)\)?", condition.bare)
        more = found is not None and any(f"{found[1]}>{found[2]}" == held.strip("()") for held in self.holds)
        return _sum((otherwise if more else node).bare)


def _sum(text: str) -> Groups | None:
    """`STAGES - 1` by its terms; none where it is no sum of names and numbers."""
    plain = text.replace("(", "").replace(")", "")
    if "".join(match[0] for match in _TERM.finditer(plain)) != plain or not plain:
        return None
    found: Groups = Counter()
    for sign, term in _TERM.findall(plain):
        weight = -1 if sign == "-" else 1
        found["" if term[0].isdigit() else term] += weight * (int(number_of(term)) if term[0].isdigit() else 1)
    return found


def waits_of(node: Syntax) -> Groups | None:
    """The groups that a wait lets go on."""
    if node.kind == "gnu_asm_expression":
        found = _ASM_WAIT.search(node.text)
        return None if found is None else Counter({"": int(found[1])})
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or not _WAIT.search(called_by(node)):
        return None
    given = _ARGUMENT.search(callee.bare)
    if given is not None:
        return _sum(given[1])
    return _sum(arguments.children[0].bare) if arguments is not None and len(arguments.children) == 1 else None


def commits(node: Syntax) -> bool:
    """It closes a group of copies."""
    if node.kind == "gnu_asm_expression":
        return _ASM_COMMIT.search(node.text) is not None
    return _COMMIT.search(called_by(node)) is not None


def called_by(node: Syntax) -> str:
    """The name of what a call calls, without template arguments."""
    callee = node.child("function") if node.kind == "call_expression" else None
    return "" if callee is None else TEMPLATE.sub("", callee.text).partition("<")[0].strip()
