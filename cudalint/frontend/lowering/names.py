"""Qualified names, template arguments and stable ids of functions."""

from __future__ import annotations

import re

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind, TypeKind
from cudalint.frontend.lowering.context import Program
from cudalint.frontend.lowering.types import portable

_SCOPES = (
    Kind.NAMESPACE, Kind.STRUCT_DECL, Kind.CLASS_DECL, Kind.UNION_DECL, Kind.CLASS_TEMPLATE,
    Kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION, Kind.ENUM_DECL,
)  # fmt: skip

PARAMETERS = (
    Kind.TEMPLATE_TYPE_PARAMETER, Kind.TEMPLATE_NON_TYPE_PARAMETER, Kind.TEMPLATE_TEMPLATE_PARAMETER,
)  # fmt: skip
_UNSIGNED = (
    TypeKind.UCHAR, TypeKind.CHAR_U, TypeKind.USHORT, TypeKind.UINT, TypeKind.ULONG, TypeKind.ULONGLONG,
)  # fmt: skip


def qualified_name(declaration: Cursor) -> str:
    parts = [declaration.spelling]
    parent = declaration.semantic_parent
    while parent is not None and parent.kind in _SCOPES:
        if parent.spelling and not _is_inline_namespace(parent.spelling):
            parts.append(parent.spelling)
        parent = parent.semantic_parent
    return portable("::".join(reversed(parts)))


def _is_inline_namespace(name: str) -> bool:
    return name.startswith("__") and name.strip("_").isdigit()


def template_args(declaration: Cursor) -> tuple[str, ...]:
    """Arguments of an instantiated function as written: types by name, values as numbers, those of a pack one by one."""
    kinds = [_argument_kind(declaration, i) for i in range(max(0, declaration.get_num_template_arguments()))]
    printed = () if {"TYPE", "INTEGRAL"}.issuperset(kinds) else _printed_args(declaration)
    found = []
    for i, kind in enumerate(kinds):
        if kind == "TYPE":
            found.append(portable(declaration.get_template_argument_type(i).spelling))
        elif kind == "INTEGRAL":
            found.append(_number(declaration, i))
        elif len(printed) != len(kinds):
            found.append(kind.lower())
        elif printed[i].startswith("<"):  # a pack
            found += [portable(each) for each in _parts(printed[i][1:])]
        else:
            found.append(portable(printed[i].removeprefix("&")))
    return tuple(found)


def _number(declaration: Cursor, i: int) -> str:
    """The value of an argument in the type of its parameter: libclang gives `true` as -1, and what is unsigned with a sign."""
    value = int(declaration.get_template_argument_value(i))
    if value > 0:
        return str(value)
    template = clang.template_of(declaration)
    parameters = [p for p in clang.children(template) if p.kind in PARAMETERS] if template is not None else []
    if i >= len(parameters) or parameters[i].kind != Kind.TEMPLATE_NON_TYPE_PARAMETER:
        return str(value)
    kind = parameters[i].type.get_canonical().kind
    if kind == TypeKind.BOOL:
        return "true" if value else "false"
    return str(int(declaration.get_template_argument_unsigned_value(i))) if kind in _UNSIGNED else str(value)


def _printed_args(declaration: Cursor) -> tuple[str, ...]:
    """The arguments in the text of the declaration: functions, templates and packs have no other name."""
    text = clang.declared_as(declaration)
    start = re.search(rf"(?<!\w){re.escape(declaration.spelling)}<", text)
    return _parts(text[start.end() :]) if start else ()


def _parts(text: str) -> tuple[str, ...]:
    """What commas separate, up to the bracket that ends it: `int, n::W<int>>(float *)`."""
    depth, start, parts = 0, 0, []
    for i, character in enumerate(text):
        if character in "<([{":
            depth += 1
        elif depth and (character in ")]}" or (character == ">" and text[i - 1] != "-")):
            depth -= 1
        elif not depth and character in ",>":
            parts.append(text[start:i].strip())
            start = i + 1
            if character == ">":
                break
    return tuple(part for part in parts if part)


def _argument_kind(declaration: Cursor, i: int) -> str:
    try:
        return str(declaration.get_template_argument_kind(i).name)
    except ValueError:  # a pack or a template, which the Python class does not know
        return "other"


def function_id(program: Program, declaration: Cursor) -> str:
    """The id of a function, unique in the unit; the same on every run."""
    key = clang.identity(declaration)
    known = program.ids.get(key)
    if known is not None:
        return known
    made = unique = written_id(declaration)
    count = 1
    while unique in program.used:
        count += 1
        unique = f"{made}#{count}"
    program.used.add(unique)
    program.ids[key] = unique
    return unique


def written_id(declaration: Cursor) -> str:
    """The id before it is made unique: what every unit calls the same function."""
    arguments = template_args(declaration)
    written = f"<{', '.join(arguments)}>" if arguments else ""
    owner = declaration.semantic_parent
    scope = f"{owner.type.spelling}::" if owner is not None and "<" in (owner.type.spelling or "") else ""
    name = f"{scope}{declaration.spelling}" if scope else qualified_name(declaration)
    parameters = ", ".join(t.spelling for t in clang.parameter_types(declaration.type))
    return portable(f"{name}{written}({parameters})")
