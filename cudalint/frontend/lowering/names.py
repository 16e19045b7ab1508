"""Qualified names, template arguments and stable ids of functions."""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering.context import Program
from cudalint.frontend.lowering.types import portable

_SCOPES = (
    Kind.NAMESPACE, Kind.STRUCT_DECL, Kind.CLASS_DECL, Kind.UNION_DECL, Kind.CLASS_TEMPLATE,
    Kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION, Kind.ENUM_DECL,
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
    """Arguments of an instantiated function as written: types by name, values as numbers."""
    found = []
    for i in range(max(0, declaration.get_num_template_arguments())):
        kind = _argument_kind(declaration, i)
        if kind == "TYPE":
            found.append(portable(declaration.get_template_argument_type(i).spelling))
        elif kind == "INTEGRAL":
            found.append(str(declaration.get_template_argument_value(i)))
        else:
            found.append(kind.lower())
    return tuple(found)


def _argument_kind(declaration: Cursor, i: int) -> str:
    try:
        return str(declaration.get_template_argument_kind(i).name)
    except ValueError:  # a pack, which the Python class does not know
        return "pack"


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
    parameters = ", ".join(t.spelling for t in declaration.type.argument_types())
    return portable(f"{name}{written}({parameters})")
