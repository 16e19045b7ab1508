"""Arguments for kernel templates that nothing in the file instantiates."""

from __future__ import annotations

import re

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering.names import qualified_name
from cudalint.frontend.lowering.unit import INSTANCES

_PARAMETERS = (
    Kind.TEMPLATE_TYPE_PARAMETER, Kind.TEMPLATE_NON_TYPE_PARAMETER, Kind.TEMPLATE_TEMPLATE_PARAMETER,
)  # fmt: skip
_VALUES = (
    (re.compile(r"block|thread|tpb|nt\b", re.IGNORECASE), 128),
    (re.compile(r"head|dim|hidden", re.IGNORECASE), 64),
    (re.compile(r"warp", re.IGNORECASE), 4),
    (re.compile(r"vec|unroll|ilp|per_|items|pack", re.IGNORECASE), 4),
    (re.compile(r"bit", re.IGNORECASE), 4),
    (re.compile(r"tile|size|width", re.IGNORECASE), 32),
)


def instance_text(templates: list[Cursor]) -> str:
    """A function that names one instance of each template; a line each, so that one error costs one instance."""
    lines = [line for template in templates if (line := _line(template)) is not None]
    return "\n".join(["", f"static void {INSTANCES}() {{", *lines, "}", ""]) if lines else ""


def _line(template: Cursor) -> str | None:
    arguments = []
    for parameter in clang.children(template):
        if parameter.kind not in _PARAMETERS:
            continue
        argument = _argument(parameter)
        if argument is None:
            return None
        arguments.append(argument)
    return f"  (void)&::{qualified_name(template)}<{', '.join(arguments)}>;"


def _argument(parameter: Cursor) -> str | None:
    if parameter.kind == Kind.TEMPLATE_TYPE_PARAMETER:
        return "int" if re.search(r"index|offset|idx", parameter.spelling, re.IGNORECASE) else "float"
    if parameter.kind != Kind.TEMPLATE_NON_TYPE_PARAMETER:
        return None
    type_ = parameter.type.get_canonical()
    if type_.kind == clang.TypeKind.BOOL:
        return "true"
    if type_.kind == clang.TypeKind.ENUM:
        return f"({type_.spelling})0"
    if type_.kind.name in ("INT", "UINT", "LONG", "ULONG", "LONGLONG", "ULONGLONG", "SHORT", "USHORT", "CHAR_S"):
        value = next((v for pattern, v in _VALUES if pattern.search(parameter.spelling)), 4)
        return str(value)
    return None
