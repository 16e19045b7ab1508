"""Stages of a pipeline that a block shares: each is acquired, filled, committed, waited for, read and released, in this order.

pipe.producer_acquire();  cuda::memcpy_async(tile, x, n, pipe);  pipe.producer_commit();
pipe.consumer_wait();  y = tile[t];  pipe.consumer_release();

A stage that nobody releases is never acquired again, and one that is filled without having been acquired, or read when it has been
released, may belong to the other side (libcu++, `cuda::pipeline`). Pipelines of a single thread have no other side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_LOOPS = ("for_statement", "while_statement", "do_statement")
_COPY = re.compile(r"(^|::)memcpy_async$")
_MEMBERS = ("producer_acquire", "producer_commit", "consumer_wait", "consumer_release")


def misused_stages(outline: Outline) -> Iterator[GuardIssue]:
    """At most one issue for each pipeline."""
    if "make_pipeline" not in outline.root.file.text:
        return
    for body in bodies(program_of(outline), ("kernel", "device")):
        for name, values in body.scope.values.items():
            if any(_is_shared(value) for value in values) and not _is_handed_on(name, body):
                issue = _issue(name, body)
                if issue is not None:
                    yield issue


def _is_shared(value: Syntax) -> bool:
    """`cuda::make_pipeline(block, &state)`."""
    arguments = value.child("arguments")
    is_made = value.kind == "call_expression" and _callee(value).endswith("make_pipeline")
    return is_made and arguments is not None and len(arguments.children) > 1


def _is_handed_on(name: str, body: Body) -> bool:
    """A function that is given the pipeline may do the rest."""
    for node in body.nodes:
        arguments = node.child("arguments") if node.kind == "call_expression" else None
        if arguments is not None and any(a.text.lstrip("&") == name for a in arguments.children):
            if not _COPY.search(_callee(node)) and "consumer_wait_prior" not in _callee(node):
                return True
    return False


def _issue(name: str, body: Body) -> GuardIssue | None:
    calls = {member: [n for n in body.nodes if _callee(n) == f"{name}.{member}"] for member in _MEMBERS}
    acquires, commits, waits, releases = (calls[member] for member in _MEMBERS)
    if commits and not acquires:
        text = f"a stage of `{name}` is filled without having been acquired: others may still read it"
        return GuardIssue(body.function, commits[0], text)
    if waits and not releases and (again := next((a for a in acquires if _in_loop(a, body)), None)) is not None:
        text = f"no stage of `{name}` is released: acquiring one waits for ever when all have been filled once"
        return GuardIssue(body.function, waits[0], text, again)
    early = _read_ahead(waits[0], name, body) if len(waits) == 1 else None
    if early is not None:
        text = f"a stage of `{name}` is read before its copies are waited for"
        return GuardIssue(body.function, early, text, waits[0])
    for release in releases:
        read = _read_behind(release, waits, name, body)
        if read is not None:
            text = f"a stage of `{name}` is read when it has been released: it may be filled again already"
            return GuardIssue(body.function, read, text, release)
    return None


def _in_loop(node: Syntax, body: Body) -> bool:
    return any(parent.kind in _LOOPS for parent, _ in body.ancestors(node))


def _read_behind(release: Syntax, waits: list[Syntax], name: str, body: Body) -> Syntax | None:
    """A read of what the pipeline fills, in the statements behind the release and before another wait."""
    arrays = _filled(name, body)
    block = next((parent for parent, _ in body.ancestors(release) if parent.kind == "compound_statement"), None)
    if block is None or not _in_loop(release, body):
        return None
    end = min([wait.start for wait in waits if wait.start > release.end], default=block.end)
    for node in block.walk():
        if release.end <= node.start < end and node.kind == "subscript_expression" and _root(node) in arrays:
            if not any(_COPY.search(_callee(parent)) for parent, _ in body.ancestors(node)) and not _is_stored(
                node, body
            ):
                return node
    return None


def _read_ahead(wait: Syntax, name: str, body: Body) -> Syntax | None:
    """A read between the copies and the only wait, in one block: the first round of a loop has waited for nothing.

    The copies have a loop of their own, which runs ahead by some stages: of one copy the walk tells how far it is (SYN401).
    The place alone, as a pointer is set to it or a function gets it, is no read.
    """
    block = next((parent for parent, _ in body.ancestors(wait) if parent.kind == "compound_statement"), None)
    if block is None or any(n is not wait and "wait" in _callee(n) for n in body.nodes):
        return None
    ahead = [loop for loop in block.walk() if loop.kind in _LOOPS and loop.end <= wait.start]
    copies = [n for loop in ahead for n in loop.walk() if _is_copy_of(name, n)]
    arrays = _filled(name, body)
    arrays |= {
        alias for alias, values in body.scope.values.items() if values and all(_root(v) in arrays for v in values)
    }
    for node in block.walk() if copies else ():
        if (
            max(copy.end for copy in copies) <= node.start < node.end <= wait.start
            and node.kind == "subscript_expression"
        ):
            around = [parent.kind for parent, _ in body.ancestors(node)]
            parent = next(p for p, _ in body.ancestors(node))
            is_place = parent.kind in ("init_declarator", "pointer_expression") or "argument_list" in around
            if _root(node) in arrays and not is_place and not _is_stored(node, body):
                return node
    return None


def _is_copy_of(name: str, node: Syntax) -> bool:
    arguments = node.child("arguments") if node.kind == "call_expression" else None
    return arguments is not None and bool(_COPY.search(_callee(node))) and arguments.children[-1].text == name


def _filled(name: str, body: Body) -> set[str]:
    found: set[str] = set()
    for node in body.nodes:
        arguments = node.child("arguments") if node.kind == "call_expression" else None
        if arguments is not None and _COPY.search(_callee(node)) and arguments.children[-1].text == name:
            places = arguments.children[1 if len(arguments.children) > 4 else 0 :]
            found.add(_root(places[0]))
    return found - {""}


def _is_stored(node: Syntax, body: Body) -> bool:
    parent = body.parents.get(id(node))
    return (
        parent is not None
        and parent.kind == "assignment_expression"
        and parent.child("left") is node
        and parent.op == "="
    )


def _callee(node: Syntax) -> str:
    callee = node.child("function") if node.kind == "call_expression" else None
    return "" if callee is None else callee.text.partition("<")[0].strip()


def _root(node: Syntax) -> str:
    return next((n.text for n in node.walk() if n.kind == "identifier" and not n.text.endswith("_cast")), "")
