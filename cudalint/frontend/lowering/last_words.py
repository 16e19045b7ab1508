"""Temporaries with which the program ends: `if (bad) Fatal(__FILE__, __LINE__) << "why";`, whose destructor never returns."""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind

_ENDS = frozenset({"abort", "exit", "_Exit", "_exit", "quick_exit", "terminate"})
MOST_CALLS = 24  # of one statement: a longer chain says more than last words


def ends_program(statement: Cursor) -> bool:
    """Whether an expression statement makes an object of such a class and drops it."""
    calls = clang.of_kinds(statement, Kind.CALL_EXPR)
    for _, call in zip(range(MOST_CALLS), calls):
        target = clang.referenced(call)
        if target is not None and target.kind == Kind.CONSTRUCTOR and _is_fatal(target.semantic_parent):
            return True
    return False


def _is_fatal(class_: Cursor | None) -> bool:
    if class_ is None:
        return False
    known: dict[int, bool] = class_._tu.__dict__.setdefault("_cudalint_fatal_classes", {})
    key = clang.identity(class_)
    if key not in known:
        destructor = next((c for c in clang.children(class_) if c.kind == Kind.DESTRUCTOR), None)
        known[key] = destructor is not None and _never_returns(destructor)
    return known[key]


def _never_returns(destructor: Cursor) -> bool:
    """By its attribute, or since a statement of its body throws or calls what does not return."""
    definition = destructor.get_definition() or destructor
    if _is_noreturn(destructor) or _is_noreturn(definition):
        return True
    body = next((c for c in clang.children(definition) if c.kind == Kind.COMPOUND_STMT), None)
    for statement in () if body is None else clang.children(body):
        target = clang.referenced(statement) if statement.kind == Kind.CALL_EXPR else None
        if statement.kind == Kind.CXX_THROW_EXPR or (
            target is not None and (target.spelling in _ENDS or _is_noreturn(target))
        ):
            return True
    return False


def _is_noreturn(function: Cursor) -> bool:
    attributes = (c for c in clang.children(function) if c.kind == Kind.UNEXPOSED_ATTR)
    return any("noreturn" in "".join(t.spelling for t in a.get_tokens()).lower() for a in attributes)
