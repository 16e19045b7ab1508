"""Arguments for kernel templates that nothing in the file instantiates."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress

from cudalint.frontend import clang
from cudalint.frontend.annotation_grammar import GrammarError, InstanceOf, Parser, split_statements
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering.names import qualified_name
from cudalint.frontend.lowering.unit import INSTANCES
from cudalint.frontend.syntax import SyntaxIndex

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


def instance_text(missing: list[Cursor], templates: list[Cursor], named: Iterable[str] = ()) -> str:
    """A function that names one instance of each missing template; a line each, so that one error costs one instance.

    `named` are instances that somebody asks for, `kernel<arguments>`: they come in place of a guessed one.
    """
    spelled = {template.spelling: qualified_name(template) for template in templates}
    asked = {name: _kernel_of(name) for name in named if _kernel_of(name) in spelled}
    lines = [f"  (void)&::{spelled[kernel]}{name[name.index('<') :]};" for name, kernel in asked.items()]
    guessed = (_line(template) for template in missing if template.spelling not in asked.values())
    lines += [line for line in guessed if line is not None]
    return "\n".join(["", f"static void {INSTANCES}() {{", *lines, "}", ""]) if lines else ""


def named_instances(indexes: Iterable[SyntaxIndex]) -> tuple[str, ...]:
    """What the comments of the files ask for by `instantiate kernel<arguments>`."""
    return instances_in(annotation.text for each in indexes for annotation in each.annotations)


_EXPLICIT = re.compile(
    r"^[ \t]*template\s+(?!<)(?:__\w+__\s+|__\w+__\([^()]*\)\s*)*[\w:&*<> ]*?([A-Za-z_][\w:]*<[^;(){}]*>)\s*\(", re.MULTILINE
)


def explicit_instances(text: str) -> tuple[str, ...]:
    """`launch<half>` of `template void launch<half>(const half *);`, which the parser does not show."""
    return tuple(dict.fromkeys(" ".join(found[1].split()) for found in _EXPLICIT.finditer(text)))


def instances_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The instances that annotations ask for; malformed statements are reported elsewhere."""
    found: dict[str, None] = {}
    for text in texts:
        for offset, piece in split_statements(text):
            if piece.startswith("instantiate"):
                with suppress(GrammarError):
                    statement = Parser(piece, offset).statement()
                    if isinstance(statement, InstanceOf):
                        found[statement.text] = None
    return tuple(found)


def _kernel_of(instance: str) -> str:
    return instance.partition("<")[0].strip().rsplit("::", 1)[-1]


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
