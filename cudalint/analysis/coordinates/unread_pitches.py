"""Views whose rows are found by the number of columns, while the pitch that they hold is read by no kernel.

struct View { float *data; int pitch, rows, cols;  float *row(int y) { return data + y * cols; } };

The file has to show that rows may be longer than what they hold: memory that is allocated with a pitch, or one that is rounded up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.methods import CLASSES
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

PITCH = re.compile(r"(row_?)?pitch(_?(in_?)?(elems|elements|bytes))?_?|row_stride_?|ld_?", re.IGNORECASE)
GIVEN_PITCH = re.compile(rf"{PITCH.pattern}|(row_?)?stride_?|ld[abcxyw]_?", re.IGNORECASE)
_LENGTH = re.compile(r"(n_?)?(cols|columns|width|w)_?", re.IGNORECASE)
LENGTH = re.compile(r"(n_?|num_?)?(rows|cols|columns|width|height|w|h|nx|ny|n|m)_?")
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl", ".inc")
_MAKES = re.compile(r"MallocPitch|Malloc3D|MemAllocPitch")
_TAKES = re.compile(r"Memcpy(2D|3D)|Memset2D|blas|gemm|gemv", re.IGNORECASE)


def unread_pitches(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each function of a view that multiplies a row with the number of columns."""
    text = outline.root.file.text
    is_header = PurePath(outline.path).suffix in _HEADERS  # whoever includes it may read the pitch
    if is_header or ("itch" not in text and "row_stride" not in text and "ld" not in text):
        return
    every = list(bodies(program_of(outline)))
    for structure in outline.root.walk():
        if structure.kind not in CLASSES or structure.child("body") is None:
            continue
        members = _members(structure)
        pitches = [name for name in members if PITCH.fullmatch(name)]
        if len(pitches) != 1 or _is_read(pitches[0], every) or not may_differ(pitches[0], outline):
            continue
        for body in every:
            if structure.start <= body.function.body.start < structure.end:
                yield from _rows(body, members, pitches[0])


def _members(structure: Syntax) -> dict[str, bool]:
    """The names of the data, and whether each is a pointer."""
    fields, found = structure.child("body"), dict[str, bool]()
    for declared in () if fields is None else fields.children:
        for declarator in declared.all("declarator") if declared.kind == "field_declaration" else ():
            name = next((n.text for n in declarator.walk() if n.kind == "field_identifier"), "")
            if declarator.kind in ("field_identifier", "pointer_declarator") and name:
                found[name] = declarator.kind == "pointer_declarator"
    return found


def _is_read(pitch: str, every: list[Body]) -> bool:
    """A kernel or device function names it."""
    return any(re.search(rf"\b{re.escape(pitch)}\b", body.function.body.text) for body in every)


def may_differ(pitch: str, outline: Outline, within: Syntax | None = None) -> bool:
    """The pitch is what an allocation gives, or is rounded up, in the file or a part of it; what copies take may be dense."""
    root = outline.root if within is None else within
    member, named = re.compile(rf"(\.|->){re.escape(pitch)}\b"), re.compile(rf"\b{re.escape(pitch)}\b")
    calls = [n for n in root.walk() if n.kind == "call_expression" and n.child("function") is not None]
    makes = [call for call in calls if _MAKES.search(call.children[0].text)]
    if any(member.search(call.text) for call in makes):
        return True
    if any(_TAKES.search(call.children[0].text) and member.search(call.text) for call in calls):
        return False
    if any(named.search(call.text) or _becomes(call, pitch, root, outline) for call in makes):
        return True
    rounded = rf"\b{re.escape(pitch)}\s*=[^;=]*(/\s*\w+\s*\)?\s*\*|&\s*~|align|round|pad)"
    return re.search(rounded, root.text, re.IGNORECASE) is not None


def _becomes(call: Syntax, pitch: str, root: Syntax, outline: Outline) -> bool:
    """A variable that the allocation fills is assigned to the pitch, or is in a list or a constructor of some object."""
    filled = "|".join(sorted(set(re.findall(r"&\s*(\w+)(?![\w.]|->)", call.text))))
    if not filled:
        return False
    named = re.compile(rf"\b({filled})\b")
    if re.search(rf"\b{re.escape(pitch)}\s*=[^;=]*\b({filled})\b", root.text):
        return True
    functions = {function.name.rpartition("::")[2] for function in outline.functions}
    for node in root.walk():
        listed = node.kind == "initializer_list"
        arguments = node.child("value") if node.kind == "init_declarator" else node.child("arguments")
        if arguments is not None and arguments.kind == "argument_list" and node is not call:
            callee = node.child("function")
            listed = callee is None or not (
                callee.text.startswith("cuda") or callee.text.partition("<")[0] in functions
            )
        if listed and named.search(node.text):
            return True
    return False


def are_one_length(pitch: str, length: str, outline: Outline) -> bool:
    """The file asks whether the pitch is the length, or for a multiple: `pitch == rows`, `assert(cols % 32 == 0)`."""
    for node in outline.root.walk():
        if node.op in ("==", "!=") and {_last(side) for side in node.children} == {pitch, length}:
            return True
    hosts = (function.body for function in outline.functions if function.role == "host")
    return any(node.op == "%" and _last(node.children[0]) == length for body in hosts for node in body.walk())


def _last(node: Syntax) -> str:
    return re.split(r"\.|->", uncast(node).bare)[-1]


def _rows(body: Body, members: dict[str, bool], pitch: str) -> Iterator[GuardIssue]:
    """`data + y * cols` and `data[y * cols + x]`, where the row is a parameter."""
    for node in body.nodes:
        if node.kind != "binary_expression" or node.op != "*":
            continue
        sides = [uncast(side).text for side in node.children]
        lengths = [side for side in sides if side in members and _LENGTH.fullmatch(side)]
        rows = [side for side in sides if side in body.scope.parameters]
        if len(lengths) != 1 or len(rows) != 1 or lengths[0] in body.scope.parameters:
            continue
        if any(_is_of_data(parent, members) for parent, _ in body.ancestors(node)):
            text = f"`{short(node)}` finds a row by `{lengths[0]}`, while nothing on the device reads `{pitch}`"
            yield GuardIssue(body.function, node, text)


def _is_of_data(parent: Syntax, members: dict[str, bool]) -> bool:
    """An element of a member, or a sum that begins with one."""
    is_sum = parent.kind == "binary_expression" and parent.op == "+"
    if not (is_sum or parent.kind == "subscript_expression") or not parent.children:
        return False
    return members.get(uncast(parent.children[0]).text, False)
