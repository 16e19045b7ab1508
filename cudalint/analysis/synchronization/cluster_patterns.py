"""Shared memory of other blocks of a cluster: reached before they have started or written, or after they may have ended.

float* other = cluster.map_shared_rank(tile, 1);
tile[t] = x[i];   cluster.sync();   y[i] = other[t];   cluster.sync();

The first barrier lets all blocks start and write, the second keeps each until the others have read (CUDA C++ Programming Guide,
"Distributed Shared Memory").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_MAPS = re.compile(r"(\.|->|::)map_shared_rank$")
_BARRIER = re.compile(
    r"cluster\w*(?:\(\))?(?:_|\.|->)?(sync|barrier_wait|wait)|(sync|barrier|wait)\w*cluster", re.IGNORECASE
)
_OF_GROUP = re.compile(r"(\w+)\s*(?:\.|->)\s*(sync|barrier_wait)$")
_IN_ASSEMBLY = re.compile(r"barrier\.cluster\.wait")
_PLACES = ("subscript_expression", "pointer_expression")


def unordered_clusters(outline: Outline) -> Iterator[GuardIssue]:
    """At most one issue of each kind for a kernel."""
    if "map_shared_rank" not in outline.root.file.text:
        return
    for body in bodies(program_of(outline), ("kernel",)):
        mapped = _mapped(body)
        if mapped:
            yield from _Kernel(body, mapped).issues()


def _mapped(body: Body) -> dict[str, str]:
    """Variables that point into the shared memory of another block, with the own array that lies there."""
    found: dict[str, str] = {}
    for name, values in body.scope.values.items():
        for value in values:
            call = next((n for n in value.walk() if _MAPS.search(_callee(n))), None)
            if call is not None:
                found[name] = _mapped_array(call)
    for name, values in body.scope.values.items():
        if name not in found and values and all(_root(value) in found for value in values) and _is_pointer(name, body):
            found[name] = found[_root(values[0])]
    return found


def _is_pointer(name: str, body: Body) -> bool:
    return body.scope.types.get(name) == "pointer"


class _Kernel:
    """What one kernel does to its own array and to those of others, in the order of the text."""

    def __init__(self, body: Body, mapped: dict[str, str]) -> None:
        self.body, self.mapped = body, mapped
        groups = {n for n, v in body.scope.values.items() if any("this_cluster" in value.text for value in v)}
        self.barriers = [node for node in body.nodes if _is_barrier(node, groups)]
        self.remote = [node for node in body.nodes if self._is_remote(node)]

    def issues(self) -> Iterator[GuardIssue]:
        function = self.body.function
        early = next((access for access in self.remote if self._is_early(access)), None)
        if early is not None:
            text = "shared memory of another block is accessed before a cluster barrier says that it has been written"
            yield GuardIssue(function, early, text, self._written_before(early))
        late = self._read_back()
        if late is not None:
            text = (
                "what other blocks write into this shared memory is read before a cluster barrier says that they have"
            )
            yield GuardIssue(function, late[1], text, late[0])
        last = self.remote[-1] if self.remote else None
        if last is not None and early is None and late is None and not self._is_followed(last):
            text = "the block whose shared memory is accessed may have ended: no cluster barrier keeps it"
            yield GuardIssue(function, last, text)

    def _is_remote(self, node: Syntax) -> bool:
        """An access, or an atomic, through a mapped pointer."""
        if node.kind == "call_expression":
            arguments = node.child("arguments")
            given = () if arguments is None else arguments.children
            return "atomic" in _callee(node) and bool(given) and self._array(given[0]) is not None
        return self._is_place(node) and self._array(node) is not None

    def _is_place(self, node: Syntax) -> bool:
        parent = self.body.parents.get(id(node))
        if node.kind not in _PLACES or node.op == "&" or (node.kind == "pointer_expression" and node.op != "*"):
            return False
        return parent is None or not (parent.kind == "pointer_expression" and parent.op == "&")

    def _array(self, node: Syntax) -> str | None:
        call = next((n for n in node.walk() if _MAPS.search(_callee(n))), None)
        if call is not None:
            return _mapped_array(call)
        arguments = node.child("arguments") if node.kind == "call_expression" else None
        if arguments is not None and arguments.children:
            return self._array(arguments.children[0])
        base = node.child("argument") if node.kind in _PLACES else node
        return self.mapped.get(_root(base)) if base is not None else None

    def _is_early(self, access: Syntax) -> bool:
        written = self._written_before(access)
        start = 0 if written is None else written.end
        return not any(start <= barrier.start < access.start for barrier in self.barriers)

    def _written_before(self, access: Syntax) -> Syntax | None:
        array = self._array(access)
        own = [n for n in self.body.nodes if n.end <= access.start and array is not None and self._writes(n) == array]
        return own[-1] if own else None

    def _writes(self, node: Syntax) -> str | None:
        """The own array that a statement writes."""
        left = node.child("left") if node.kind == "assignment_expression" else None
        if left is None or self._is_remote(left) or left.kind not in _PLACES:
            return None
        return _root(left)

    def _read_back(self) -> tuple[Syntax, Syntax] | None:
        """A write to others and, without a barrier between, a read of the own array that they write as well."""
        for access in self.remote:
            parent = self.body.parents.get(id(access))
            stored = parent is not None and parent.kind == "assignment_expression" and parent.child("left") is access
            if not stored and access.kind != "call_expression":
                continue
            array = self._array(access)
            for node in self.body.nodes:
                if (
                    node.start > access.end
                    and self._is_place(node)
                    and not self._is_remote(node)
                    and _root(node) == array
                ):
                    if not any(access.end <= barrier.start < node.start for barrier in self.barriers):
                        return access, node
                    break
        return None

    def _is_followed(self, access: Syntax) -> bool:
        """A barrier stands behind it, or a function that may hold one."""
        return any(barrier.start > access.end for barrier in self.barriers)


def _is_barrier(node: Syntax, groups: set[str]) -> bool:
    if node.kind == "gnu_asm_expression":
        return _IN_ASSEMBLY.search(node.text) is not None
    if node.kind != "call_expression":
        return False
    callee = _callee(node)
    member = _OF_GROUP.search(callee)
    if member is not None and member[1] in groups:
        return True
    arguments = node.child("arguments")
    given = {n.text for n in arguments.walk() if n.kind == "identifier"} if arguments is not None else set()
    return bool(_BARRIER.search(callee)) or (
        callee.rpartition("::")[2] in ("sync", "barrier_wait") and bool(given & groups)
    )


def _mapped_array(call: Syntax) -> str:
    arguments = call.child("arguments")
    return _root(arguments.children[0]) if arguments is not None and arguments.children else ""


def _callee(node: Syntax) -> str:
    callee = node.child("function") if node.kind == "call_expression" else None
    return "" if callee is None else callee.text.partition("<")[0].strip()


def _root(node: Syntax) -> str:
    return next((n.text for n in node.walk() if n.kind == "identifier" and not n.text.endswith("_cast")), "")
