"""Barriers in shared memory that one thread sets up, and that all threads use with no barrier of the block in between.

if (threadIdx.x == 0) mbarrier_init(&full, 1);
mbarrier_wait(&full, 0);                            // may come before the barrier is set up: __syncthreads() is missing

A single thread (`if (warp == 0 && elect())`) may be the one that has set the barrier up, and is not judged; neither are arrivals of
some threads, which may be its warp. Every call that may make the threads of the block wait for each other is taken to do so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.synchronising_functions import synchronising_functions
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_BARRIER = r"(mbar|barrier|semaphore)"
_SETS_UP = re.compile(rf"{_BARRIER}\w*(_|::)init(ialize)?$|(^|_|::)init(ialize)?_?(\w+_)?{_BARRIER}\w*$", re.IGNORECASE)
_FENCE = re.compile(r"fence", re.IGNORECASE)
_USES, _WAITS = re.compile(r"wait|arrive|expect", re.IGNORECASE), re.compile(r"wait", re.IGNORECASE)
_ORDERS = re.compile(r"sync|(?<![a-z])barrier|(?<![a-z])bar_|arrive|wait|cluster|cta|block", re.IGNORECASE)
_SIGNALS = re.compile(r"^(\w+::)*mbar\w*(arrive|expect)\w*$", re.IGNORECASE)  # and nobody waits
_ASSEMBLY = re.compile(r"\bbar(rier)?\.")
_CHOOSES = re.compile(
    r"threadIdx|elect|leader|lane|warp|wg|group|tid|rank|role|thread|is_|producer|consumer|==", re.IGNORECASE
)
_SINGLE = re.compile(
    r"elect|leader|lane|first|single|one_|!\W*(threadIdx|tid|thread)|(threadIdx\W+[xyz]|\btid\w*|thread\w*)\W*==",
    re.IGNORECASE,
)
_ROOT = re.compile(r"\w+")
_INDEX = re.compile(r"\[[^\[\]]*\]|\([^()]*\)")


def unready_barriers(outline: Outline) -> Iterator[GuardIssue]:
    """At most one issue for each function."""
    text = outline.root.file.text
    if "init" not in text or re.search(_BARRIER, text, re.IGNORECASE) is None:
        return
    synchronising = synchronising_functions(outline, ("sync", "barrier", "bar."))
    for body in bodies(program_of(outline), ("kernel", "device")):
        steps = list(_steps(body.function.body))
        for place, node in enumerate(steps):
            bar = _barrier_set_up(node)
            guards = [] if bar is None else _guards(node, body)
            if bar is None or not guards:
                continue
            behind = [step for step in steps[place + 1 :] if step.start >= guards[-1].end]
            use = _first_use(behind, bar, body, synchronising)
            if use is not None:
                text = f"`{bar}` is used at line {use.place[0]} by threads that may come there before it is set up"
                yield GuardIssue(body.function, node, text, use)
                break


def _steps(node: Syntax) -> Iterator[Syntax]:
    """The calls, assembly and macros in the order of the text, without what lambdas do later."""
    for child in node.children:
        if child.kind == "lambda_expression":
            continue
        yield from _steps(child)
        if child.kind in ("call_expression", "gnu_asm_expression"):
            yield child


def _barrier_set_up(node: Syntax) -> str | None:
    """Without its number among several: `sm.full` of `mbarrier_init(&sm.full[s], 1)`."""
    arguments = node.child("arguments") if node.kind == "call_expression" else None
    name = _callee(node)
    if arguments is None or not arguments.children or not _SETS_UP.search(name) or _FENCE.search(name):
        return None
    return _named(arguments.children[0])


def _named(argument: Syntax) -> str:
    text = argument.bare.lstrip("&*")
    while (shorter := _INDEX.sub("", text)) != text:
        text = shorter
    return text


def _guards(node: Syntax, body: Body) -> list[Syntax]:
    """The branches that only some threads take to it, from inside out."""
    found = []
    for parent, child in body.ancestors(node):
        condition = parent.child("condition") if parent.kind in ("if_statement", "switch_statement") else None
        if condition is not None and child is not condition and _CHOOSES.search(condition.text):
            found.append(parent)
    return found


def _first_use(steps: list[Syntax], bar: str, body: Body, synchronising: frozenset[str]) -> Syntax | None:
    """What threads do to the barrier, unless something before it may make them wait for each other."""
    for step in steps:
        if _is_use(step, bar):
            if _is_of_others(step, body):
                return step
        elif _may_order(step, bar, synchronising):
            return None
    return None


def _is_use(step: Syntax, bar: str) -> bool:
    return _USES.search(_callee(step)) is not None and bar in _given(step)


def _is_of_others(use: Syntax, body: Body) -> bool:
    guards = [guard.child("condition") for guard in _guards(use, body)]
    some = [condition.text for condition in guards if condition is not None]
    return not some or (bool(_WAITS.search(_callee(use))) and not any(_SINGLE.search(text) for text in some))


def _may_order(step: Syntax, bar: str, synchronising: frozenset[str]) -> bool:
    if step.kind == "gnu_asm_expression":
        return _ASSEMBLY.search(step.text) is not None
    name, given = _callee(step), _given(step)
    if bar in given or name == bar or _SIGNALS.search(name):
        return False
    root = _ROOT.match(bar)
    handed = root is not None and any(re.search(rf"\b{root[0]}\b", each.text) for each in _arguments(step))
    return handed or _ORDERS.search(name) is not None or name.rpartition("::")[2] in synchronising


def _given(step: Syntax) -> list[str]:
    return [_named(each) for each in _arguments(step)]


def _arguments(step: Syntax) -> tuple[Syntax, ...]:
    arguments = step.child("arguments")
    return () if arguments is None else arguments.children


def _callee(node: Syntax) -> str:
    callee = node.child("function") if node.kind == "call_expression" else None
    return "" if callee is None else callee.text.partition("<")[0].strip()
