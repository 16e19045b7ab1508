"""The temporary storage of a block-wide primitive that the text uses again with no barrier in between.

for (...) total += BlockReduce(temp).Sum(x);        // slow threads still read temp for the last round

Loads and stores are left out where nothing says that they transpose: the other kinds use no storage. A barrier of the warp counts,
too, since blocks of one warp are common here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from cudalint.analysis.text.call_names import GROUPS
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.synchronising_functions import synchronising_functions
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.analysis.text.thread_text import LOOPS
from cudalint.ir.syntax import Outline, Syntax

_PRIMITIVE = re.compile(
    r"(^|::)\s*Block(Reduce|Scan|RadixSort|MergeSort|Exchange|Discontinuity|AdjacentDifference|Shuffle|Histogram)\w*\s*(<|$)"
)
_TRANSPOSING = re.compile(r"(^|::)\s*Block(Load|Store)\s*<.*_TRANSPOSE", re.DOTALL)
_TYPEDEF = re.compile(r"\btypedef\s+(?:typename\s+)?([\w:]*\bBlock[A-Z]\w*\s*<[^;{}]*>)\s+(\w+)\s*;")
_USING = re.compile(r"\busing\s+(\w+)\s*=\s*(?:typename\s+)?([\w:]*\bBlock[A-Z]\w*\s*<[^;{}]*>)\s*;")
_UNION = re.compile(r"\bunion\s*\w*\s*\{[^{}]*\}\s*(\w+)\s*;")
_MAY_SYNCHRONISE = re.compile(r"sync|barrier|bar_|arrive|wait|block|cta|reduc|scan|sort|collective", re.IGNORECASE)
_MACRO = re.compile(r"[A-Z_]*(SYNC|BARRIER)[A-Z_]*")
_WITHOUT_STORAGE = ("InitHistogram",)
_ONCE = re.compile(r"\(?\s*(0|false)\s*\)?")
_ENTERED = ("if_statement", "else_clause", "case_statement", "conditional_expression", "lambda_expression")


@dataclass(frozen=True, slots=True, eq=False)
class _Use:
    """`BlockReduce<...>(storage).Sum(x)`"""

    call: Syntax
    made: Syntax
    storage: str


@dataclass(frozen=True, slots=True)
class StorageReuse:
    """`loop`: the rounds of it use the storage one after the other."""

    issue: GuardIssue
    loop: Syntax | None


def reused_storages(outline: Outline) -> Iterator[StorageReuse]:
    """At most one for each storage of a function; macros may hide that a function is one of the device."""
    if "Block" not in outline.root.file.text:
        return
    synchronising = synchronising_functions(outline, ("__syncthreads", "__syncwarp"))
    for body in bodies(program_of(outline), ("kernel", "device", "host")):
        uses = list(_uses(body))
        stops = [node.start for node in body.nodes if _may_order(node, uses, synchronising)]
        told: set[str] = set()
        for use, other, loop in _again(uses, body, stops):
            if use.storage not in told:
                told.add(use.storage)
                when = "in the next round" if other is use else f"at line {use.call.place[0]}"
                text = f"race on `{use.storage}`: it is used here and {when} with no barrier in between"
                yield StorageReuse(GuardIssue(body.function, other.call, text, use.call), loop)


def _uses(body: Body) -> Iterator[_Use]:
    """The calls of primitives; the members of a union are one storage."""
    text = body.function.body.text
    names = {name: kind for kind, name in _TYPEDEF.findall(text)} | dict(_USING.findall(text))
    unions = frozenset(_UNION.findall(text))
    for node in body.nodes:
        callee = node.child("function") if node.kind == "call_expression" else None
        made = callee.child("argument") if callee is not None and callee.kind == "field_expression" else None
        kind, arguments = (None, None) if made is None else (made.child("function"), made.child("arguments"))
        if made is None or kind is None or arguments is None or len(arguments.children) != 1:
            continue
        method = callee.child("field") if callee is not None else None
        if method is not None and method.text in _WITHOUT_STORAGE:
            continue
        spelled = names.get(kind.text, kind.text)
        if _PRIMITIVE.search(spelled) or _TRANSPOSING.search(spelled):
            storage = arguments.children[0].text
            base = storage.partition(".")[0]
            yield _Use(node, made, base if base in unions else storage)


def _may_order(node: Syntax, uses: list[_Use], synchronising: frozenset[str]) -> bool:
    """It is, or may hold, a barrier; a use of the storage in question is none for the next one."""
    if node.kind in ("gnu_asm_expression", "identifier"):
        return node.kind != "identifier" or _MACRO.fullmatch(node.text) is not None
    callee = node.child("function") if node.kind == "call_expression" else None
    if callee is None or any(node in (use.call, use.made) for use in uses):
        return False
    name = callee.text.partition("<")[0]
    if GROUPS.match(name.rpartition(".")[2]):
        return False  # `block.size()`
    return name in synchronising or _MAY_SYNCHRONISE.search(name) is not None


def _again(uses: list[_Use], body: Body, stops: list[int]) -> Iterator[tuple[_Use, _Use, Syntax | None]]:
    storages = {use.storage for use in uses}
    for use in uses:
        around = next((parent for parent, _ in body.ancestors(use.call) if parent.kind in LOOPS), None)
        others = len({u.storage for u in uses if around is not None and around.start <= u.call.start < around.end})
        if around is None or others > 1 or _is_left_at_once(around):
            continue
        if not any(around.start <= stop < around.end for stop in stops):
            yield use, use, around
    for storage in sorted(storages):
        for first, second in pairwise(u for u in uses if u.storage == storage):
            between = [u for u in uses if first.call.end <= u.call.start < second.call.start]
            if between or any(first.call.end <= stop < second.call.start for stop in stops):
                continue
            if _always_follows(first, second, body):
                yield first, second, None


def _is_left_at_once(loop: Syntax) -> bool:
    condition = loop.child("condition")
    return condition is not None and _ONCE.fullmatch(condition.text) is not None


def _always_follows(first: _Use, second: _Use, body: Body) -> bool:
    """Whoever comes to the second use came through the first one: no branch was entered for it alone."""
    for parent, child in body.ancestors(first.call):
        if parent.start <= second.call.start < parent.end:
            return parent.kind not in _ENTERED and not parent.kind.startswith("preproc_")
        if parent.kind.startswith("preproc_") or (parent.kind in _ENTERED and child is not parent.child("condition")):
            return False
    return False
