"""What is not understood becomes a statement that names what it may touch."""

from __future__ import annotations

import re

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Diagnostic, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.context import HOLES, Body
from cudalint.frontend.lowering.types import is_reference
from cudalint.ir import nodes as ir
from cudalint.ir.types import VOID, Pointer, Struct
from cudalint.source import Span

_SYNC = re.compile(r"sync|barrier|bar\.|wait|arrive", re.IGNORECASE)
_EXIT = re.compile(r"\breturn\b|\bthrow\b|\bexit\b|trap|goto|\b[A-Z][A-Z0-9_]{3,}\s*\(")
_NAME = re.compile(r"[A-Za-z_]\w*")
_COPIED = re.compile(
    r"<<<[^;]*|\{[^{};=&]*\}"
)  # a kernel, and a list `{rows, columns}`, gets values: those stay as they are


def hole(body: Body, reason: str, cursor: Cursor) -> None:
    """A hole for a piece of syntax: every variable below it may be read and written."""
    variables: dict[str, ir.Var] = {}
    _collect(body, cursor, variables)
    emit_hole(body, reason, body.span(cursor), body.text(cursor), tuple(variables.values()))


HOLES["hole"] = hole


def _collect(body: Body, cursor: Cursor, found: dict[str, ir.Var]) -> None:
    if cursor.kind in (Kind.DECL_REF_EXPR, Kind.VARIABLE_REF):
        target = clang.referenced(cursor)
        var = body.variables.get(clang.identity(target)) if target is not None else None
        if var is not None:
            found[var.name] = var
    if cursor.kind == Kind.CXX_THIS_EXPR and body.this is not None:
        found[body.this.name] = body.this
    for child in clang.children(cursor):
        _collect(body, child, found)


def emit_hole(body: Body, reason: str, span: Span, text: str, variables: tuple[ir.Var, ...]) -> None:
    members = _members_in(body, text, variables)
    writes: list[ir.Place] = members if body.for_host else []
    if not body.for_host:
        variables = (*variables, *_pointers_in(body, members, span))
    changing = set(_NAME.findall(_COPIED.sub("", text)))
    for var in variables:
        copied = _COPIED.search(text) is not None and var.name.split(".")[0] not in changing
        if not copied and not _is_constant(body, var, span):
            writes.append(ir.Variable(var))
        if isinstance(var.type, Pointer) and var.name not in body.memory and var.type.element != VOID:
            writes.append(build.element(var, build.ZERO, var.type.element))
    body.gap(reason, span)
    body.emit(
        ir.Unmodelled(
            reason, span, tuple(v for v in variables if v.name not in body.memory), tuple(writes),
            bool(_EXIT.search(text)), bool(_SYNC.search(text)),
        )
    )  # fmt: skip


def _members_in(body: Body, text: str, variables: tuple[ir.Var, ...]) -> list[ir.Place]:
    """Members of the object of a method that the text names without `this->`."""
    this = body.this
    if this is None or this in variables or not isinstance(this.type, Pointer):
        return []
    type_, names = this.type.element, set(_NAME.findall(text)) - {var.name.split(".")[0] for var in variables}
    names -= _lasting_members(body)
    fields = type_.fields if isinstance(type_, Struct) else ()
    return [ir.Field(build.element(this, build.ZERO, type_), f.name, f.type) for f in fields if f.name in names]


def _lasting_members(body: Body) -> set[str]:
    """Members that host code keeps whatever it calls: in a const method those that are not mutable, elsewhere the const ones.

    A reference stays, too, and what it leads to where that is const.
    """
    if not body.for_host or body.owner.semantic_parent is None:
        return set()
    fields = body.owner.semantic_parent.type.get_canonical().get_fields()
    constant = body.owner.is_const_method()
    return {
        f.spelling for f in fields if (constant and not f.is_mutable_field()) or _is_lasting(f.type.get_canonical())
    }


def _is_lasting(type_: clang.ClangType) -> bool:
    type_ = type_.get_pointee() if is_reference(type_) else type_
    return bool(type_.is_const_qualified())


def _pointers_in(body: Body, members: list[ir.Place], span: Span) -> tuple[ir.Var, ...]:
    """What the members of an object of device code point to, in variables: the hole may write there."""
    pointers = [place for place in members if isinstance(build.place_type(place), Pointer)]
    loaded = [body.read(place, span) for place in pointers]
    return tuple(value for value in loaded if isinstance(value, ir.Var))


def _is_constant(body: Body, var: ir.Var, span: Span) -> bool:
    """A `const` variable keeps its value behind the lines of its declaration, part of which may be what was lost."""
    declared = body.constants.get(var.name)
    return declared is not None and (span.path != declared.path or span.line > declared.end_line)


def error_hole(body: Body, error: Diagnostic) -> None:
    """A line with a parse error: a statement may be lost there."""
    text = body.program.locator.line(error.path, error.line).rstrip("\r")
    start = len(text) - len(text.lstrip()) + 1
    span = Span(body.program.locator.shown(error.path), error.line, start, error.line, max(start, len(text) + 1))
    named = {name.split(".")[0]: var for name, var in ((v.name, v) for v in body.variables.values())}
    used = {name: named[name] for name in _NAME.findall(text) if name in named}
    emit_hole(body, f"parse error: {error.message}", span, text, tuple(used.values()))
