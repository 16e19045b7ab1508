"""Likely arguments of a template that nobody instantiates: what its declaration says, else what the names of its parameters say."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind

_VALUES = (
    (re.compile(r"(?:\b|_)(?:n|num_?|n(?:um)?_(?!head)\w+_)_?dims?(?:\b|_)|rank", re.IGNORECASE), 3),
    (re.compile(r"block|thread|tpb|nt\b", re.IGNORECASE), 128),
    (
        re.compile(
            r"win(?:dow)?(?:_|\b)|(?:\b|_)w_(?:len|wid)|(?:filter|kernel|window|mask)_?(?:size|len|w\b|h\b|width|height|diam)"
            r"|ksize|k[wh]\b",
            re.IGNORECASE,
        ),
        5,
    ),
    (re.compile(r"head|dim|hidden", re.IGNORECASE), 64),
    (re.compile(r"warp", re.IGNORECASE), 4),
    (re.compile(r"vec|unroll|ilp|per_|items|pack", re.IGNORECASE), 4),
    (re.compile(r"bit", re.IGNORECASE), 4),
    (re.compile(r"tile|size|width", re.IGNORECASE), 32),
)
_SIDE = re.compile(r"dim|axis")  # a size, or which one of several dimensions
_OTHER_VALUES = {128: 256, 64: 8, 32: 16, 5: 3, 4: 2, 3: 2}


_ITERATOR = re.compile(r"Iter|(?:Itr|It|Ptr|Pointer|Map)\d*\Z|iterator")


_INDEX = re.compile(r"(?i:index|offset|idx)|(?:^|_)id(?![a-z])|Id(?![a-z])")
UNNAMED = "(anonymous namespace)::"
FUNCTION = "::std::__cudalint_called"  # of our headers: a function of any type, which returns any value


def enumerators(parameter: Cursor) -> tuple[str, ...]:
    """The names of the values of a template parameter of an enumeration's type."""
    type_ = parameter.type.get_canonical()
    if parameter.kind != Kind.TEMPLATE_NON_TYPE_PARAMETER or type_.kind != clang.TypeKind.ENUM:
        return ()
    return tuple(c.spelling for c in clang.children(type_.get_declaration()) if c.kind == Kind.ENUM_CONSTANT_DECL)


def other_enumerator(parameter: Cursor, i: int, text: str) -> str | None:
    """The i-th likely value after the first, which is the guess."""
    names = sorted(enumerators(parameter), key=lambda name: -_as_arguments(text)[name])
    return _scoped(parameter, names[i + 1]) if i + 1 < len(names) else None


def _scoped(parameter: Cursor, enumerator: str) -> str:
    type_ = parameter.type.get_canonical()
    spelling = type_.spelling.replace(UNNAMED, "")
    scope = spelling if type_.get_declaration().is_scoped_enum() else spelling.rpartition("::")[0]
    return f"{scope}::{enumerator}" if scope else enumerator


@lru_cache(maxsize=2)
def _as_arguments(text: str) -> Counter[str]:
    """How often each name is an argument of a template in the text."""
    lists = re.findall(r"\w\s*<([^<>;{}()]*)>", text)
    return Counter(argument.strip().rpartition("::")[2] for each in lists for argument in each.split(","))


def likely_argument(parameter: Cursor, text: str, other: bool = False) -> str | None:
    """A likely argument; an enumerator is the one that the text has most often as a template's argument."""
    if parameter.kind == Kind.TEMPLATE_TYPE_PARAMETER and _ITERATOR.search(parameter.spelling):
        return "int *"
    if parameter.kind == Kind.TEMPLATE_TYPE_PARAMETER:
        return "int" if _INDEX.search(parameter.spelling) else "float"
    if parameter.kind != Kind.TEMPLATE_NON_TYPE_PARAMETER:
        return None
    type_ = parameter.type.get_canonical()
    if type_.kind == clang.TypeKind.BOOL:
        return "true"
    if type_.kind == clang.TypeKind.ENUM:
        uses = _as_arguments(text)
        best = max(enumerators(parameter), key=lambda name: uses[name], default="")
        return _scoped(parameter, best) if uses[best] else f"({type_.spelling.replace(UNNAMED, '')})0"
    is_passed = type_.kind in (clang.TypeKind.POINTER, clang.TypeKind.LVALUEREFERENCE)
    if is_passed and type_.get_pointee().kind == clang.TypeKind.FUNCTIONPROTO:
        return FUNCTION
    declared = _default_of(parameter)
    if declared is not None and not other:
        return declared
    if type_.kind.name in ("INT", "UINT", "LONG", "ULONG", "LONGLONG", "ULONGLONG", "SHORT", "USHORT", "CHAR_S"):
        value = next((v for pattern, v in _VALUES if pattern.search(parameter.spelling)), 4)
        if other and _SIDE.fullmatch(parameter.spelling):
            return "1"
        return str(_OTHER_VALUES[value] if other else value)
    return None


def _default_of(parameter: Cursor) -> str | None:
    """The number that the declaration gives a parameter of which nobody says another."""
    for child in clang.children(parameter):
        inner = child
        while inner.kind == Kind.UNEXPOSED_EXPR and len(parts := clang.children(inner)) == 1:
            inner = parts[0]
        if inner.kind == Kind.INTEGER_LITERAL:
            return next((token.spelling for token in inner.get_tokens() if token.spelling[:1].isdigit()), None)
    return None
