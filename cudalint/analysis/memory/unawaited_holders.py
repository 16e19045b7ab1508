"""Pinned memory of an object that an asynchronous copy fills, and that is read before anything has waited for the copy.

Pinned<uint64_t> mask(n);   cudaMemcpyAsync(mask.get(), d, bytes, cudaMemcpyDeviceToHost, stream);   if (mask[0] != 0) ...
uint64_t *p = mask.get();   cudaMemcpyAsync(p, d, bytes, cudaMemcpyDeviceToHost, stream);            if (p[0] != 0) ...

The class stands in the file, and makes pinned memory for a member.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from cudalint.analysis.memory.unawaited_copies import copied_to, first_read, is_element_read
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.methods import CLASSES, owners
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import PROGRAMS_KEPT, Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_MADE_FOR = re.compile(r"(?:cuda|hip)(?:MallocHost|HostAlloc|HostMalloc)\s*\([^;&]*&\s*(?:this\s*->\s*)?(\w+)")
_WAITS = re.compile(r"sync|wait|join", re.IGNORECASE)
_NO_MEMORY = re.compile(
    r"size|count|bytes|length|empty|capacity|n"
)  # members that tell of the memory without a look at it
_WORD = re.compile(r"\w+")


def unawaited_holders(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each copy: the first place that reads what it fills; what it is about is the copy."""
    if not _holding(outline):
        return
    for body in bodies(program_of(outline), ("host",)):
        for node in body.nodes if "MemcpyAsync" in body.function.body.text else ():
            target = copied_to(node)
            name = _object_of(target, body) if target is not None else ""
            read = _read_behind(name, node, body) if name else None
            if read is not None:
                text = f"`{name}` is read while the copy that fills it may still be on its way"
                yield GuardIssue(body.function, read, text, node)


@lru_cache(maxsize=PROGRAMS_KEPT)
def _holding(outline: Outline) -> dict[str, frozenset[str]]:
    """Classes that make pinned memory for a member and wait nowhere, with the members and methods that give it.

    One that is an array itself, by its operators, has the name of no member among them.
    """
    found: dict[str, frozenset[str]] = {}
    for node in outline.root.walk():
        name = node.child("name") if node.kind in CLASSES and node.child("body") is not None else None
        pointers = (
            set(_MADE_FOR.findall(node.text)) if name is not None and not _WAITS.search(node.text) else set[str]()
        )
        if name is None or not pointers:
            continue
        own = name.text.partition("<")[0].strip()
        gives = re.compile(
            rf"\{{\s*return\s+(?:this\s*->\s*)?(?:{'|'.join(map(re.escape, sorted(pointers)))})\s*(\[|;)"
        )
        methods = [f for f in outline.functions if own in owners(f, outline) and gives.match(f.body.text)]
        names = {method.name.rpartition("::")[2] for method in methods}
        ways = frozenset(each for each in names if _WORD.fullmatch(each)) | pointers
        found[own] = ways | ({""} if any(not _WORD.fullmatch(each) for each in names) else set())
    return found


def _ways(name: str, body: Body) -> frozenset[str]:
    """How one comes to the memory of an object; nothing where it is none of such a class."""
    holding, outline = _holding(body.scope.outline), body.scope.outline
    if name in body.scope.structures:
        return holding.get(body.scope.structures[name], frozenset())
    for owner in sorted(owners(body.function, outline)):
        written = outline.members.get(f"{owner}::{name}") or outline.members.get(name, "")
        if written:
            return holding.get(written.partition("<")[0].rpartition("::")[2].strip(), frozenset())
    return frozenset()


def _object_of(target: Syntax, body: Body) -> str:
    """The object, or a variable that holds the address of its memory and nothing else, that a copy goes to."""
    values = body.scope.values.get(target.text, []) if target.kind == "identifier" else []
    if len(values) == 1 and _holder(uncast(values[0]), body) and target.text not in body.scope.grown:
        return target.text
    return _holder(target, body)


def _holder(address: Syntax, body: Body) -> str:
    """`h` of `h.get()`, `h->p` and `&h[0]`, and of itself where its operators make an array of it."""
    match = re.fullmatch(r"(\w+)(?:(?:\.|->)(\w+)(?:\(\))?)?|&(\w+)\[0\]", address.bare)
    if match is None:
        return ""
    name = match[1] or match[3]
    return name if (match[2] or "") in _ways(name, body) else ""


def _read_behind(name: str, copy: Syntax, body: Body) -> Syntax | None:
    """Of a variable for the address: as of any pointer."""
    ways = _ways(name, body)
    if not ways:
        return first_read(name, is_element_read, copy, body)

    def reads(node: Syntax, where: Body) -> bool | None:
        return _is_read(node, ways, where)

    return first_read(name, reads, copy, body)


def _is_read(name: Syntax, ways: frozenset[str], body: Body) -> bool | None:
    """`h[i]`, `*h.get()`, `h.data()[i]`; a question for the size is not concerned with the memory."""
    member = body.parents.get(id(name))
    if member is None or member.kind != "field_expression" or member.child("argument") is not name:
        return "" in ways and is_element_read(name, body)
    field = member.child("field")
    if field is None or field.text not in ways:
        return None if field is not None and _NO_MEMORY.fullmatch(field.text) else False
    call = body.parents.get(id(member))
    given = call.child("function") is member if call is not None and call.kind == "call_expression" else False
    return is_element_read(call if given and call is not None else member, body)
