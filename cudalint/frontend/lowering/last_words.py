"""Temporaries with which the program ends: `if (bad) Fatal(__FILE__, __LINE__) << "why";`, whose destructor never returns.

good ? (void)0 : Void() & (Fatal() << "why");     a side of it ends the program, and not the whole
good || (Fatal() << "why", false);                neither does what is evaluated at times
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind

_ENDS = frozenset({"abort", "exit", "_Exit", "_exit", "quick_exit", "terminate"})
_APART = (Kind.LAMBDA_EXPR, Kind.StmtExpr)  # what has statements of its own
MOST_CALLS = 24  # of one statement: a longer chain says more than last words


def ends_program(statement: Cursor) -> bool:
    """Whether an expression makes an object of such a class, whatever its parts give, and drops it."""
    for _, call in zip(range(MOST_CALLS), _calls(statement)):
        target = clang.referenced(call)
        if target is not None and target.kind == Kind.CONSTRUCTOR and _is_fatal(target.semantic_parent):
            return True
    return False


def _calls(cursor: Cursor) -> Iterator[Cursor]:
    """The calls below that are made each time."""
    if cursor.kind == Kind.CALL_EXPR:
        yield cursor
    below = clang.children(cursor)
    if cursor.kind == Kind.CONDITIONAL_OPERATOR or _is_short_circuit(cursor):
        below = below[:1]
    for child in below:
        if child.kind not in _APART:
            yield from _calls(child)


def _is_short_circuit(cursor: Cursor) -> bool:
    return cursor.kind == Kind.BINARY_OPERATOR and clang.binary_operator(cursor) in ("&&", "||")


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
