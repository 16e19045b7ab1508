"""What lambdas capture, for those that leave the function that holds them: members `capture.0`, ... of their object.

A lambda that is only called where it was made is lowered in place and captures nothing.
"""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind, TypeKind
from cudalint.frontend.lowering.types import is_reference

THIS = 0  # stands for `this` among the identities of captured variables
_VARIABLES = (Kind.VAR_DECL, Kind.PARM_DECL)
_WRAPPERS = (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR)


def captured(closure: Cursor) -> tuple[int, ...] | None:
    """Identities of the captured variables in the order of the members; None where they cannot be told."""
    fields = list(closure.type.get_canonical().get_fields())
    parts = [c for c in clang.children(closure) if not c.kind.is_expression()]  # without what captures are made from
    below = [c for part in parts for c in clang.preorder(part)]
    inside = {clang.identity(c) for c in below if c.kind in _VARIABLES}
    found: dict[int, Cursor] = {}
    for cursor in below:
        key = _used(cursor)
        if key is not None and key not in inside:
            found.setdefault(key, cursor)
    return _placed(found, [f.type for f in fields]) if len(found) == len(fields) else None


def _placed(found: dict[int, Cursor], members: list[clang.ClangType]) -> tuple[int, ...]:
    """With `this` where the members' types say: libclang does not show it among the captures that are written."""
    if THIS not in found:
        return tuple(found)
    others = [key for key in found if key != THIS]
    types = [_plain(found[key].type) for key in others]
    names = [_plain(member) for member in members]
    for at, member in enumerate(members):
        if member.get_canonical().kind == TypeKind.POINTER and names[:at] + names[at + 1 :] == types:
            return (*others[:at], THIS, *others[at:])
    return tuple(found)


def _plain(type_: clang.ClangType) -> str:
    """The type's name without the reference and the const that a capture adds or drops."""
    canonical = type_.get_canonical()
    name = str((canonical.get_pointee() if is_reference(type_) else canonical).spelling)
    return name.removesuffix("const") if name.endswith("*const") else name.removeprefix("const ")


def _used(cursor: Cursor) -> int | None:
    """The identity of the variable, or `this`, that an expression uses and that a lambda has to capture."""
    if cursor.kind == Kind.CXX_THIS_EXPR or (cursor.kind == Kind.MEMBER_REF_EXPR and not clang.children(cursor)):
        return THIS
    if cursor.kind not in (Kind.DECL_REF_EXPR, Kind.VARIABLE_REF):
        return None
    target = clang.referenced(cursor)
    if target is None or target.kind not in _VARIABLES or str(target.storage_class.name) == "STATIC":
        return None
    parent = target.semantic_parent
    if parent is None or parent.kind in (Kind.NAMESPACE, Kind.TRANSLATION_UNIT, Kind.STRUCT_DECL, Kind.CLASS_DECL):
        return None
    constant = target.type.is_const_qualified() and isinstance(clang.evaluate(target), int)
    return None if constant and cursor.kind == Kind.DECL_REF_EXPR else clang.identity(target)


def escaping(root: Cursor) -> dict[int, tuple[int, ...] | None]:
    """Lambdas below `root` that are used otherwise than by calling them here: statement identity to captures."""
    lambdas: dict[int, Cursor] = {}
    owners: dict[int, int] = {}
    called: set[int] = set()
    uses: list[tuple[int, int]] = []
    if not clang.of_kinds(root, Kind.LAMBDA_EXPR):
        return {}
    for cursor in clang.of_kinds(root, Kind.LAMBDA_EXPR, Kind.VAR_DECL, Kind.CALL_EXPR, Kind.DECL_REF_EXPR):
        if cursor.kind == Kind.LAMBDA_EXPR:
            lambdas[statement_identity(cursor)] = cursor
        elif cursor.kind == Kind.VAR_DECL:
            init = clang.initializer(cursor)
            if init is not None and init.kind == Kind.LAMBDA_EXPR:
                owners[clang.identity(cursor)] = statement_identity(init)
        elif cursor.kind == Kind.CALL_EXPR and cursor.spelling == "operator()":
            called.update(statement_identity(core(each)) for each in call_operands(cursor)[:1])
        elif cursor.kind == Kind.DECL_REF_EXPR:
            target = clang.referenced(cursor)
            if target is not None and target.kind == Kind.VAR_DECL:
                uses.append((clang.identity(target), statement_identity(cursor)))
    bound = set(owners.values())
    gone = {key for key in lambdas if key not in bound and key not in called}
    gone |= {owners[target] for target, use in uses if target in owners and use not in called}
    return {key: captured(lambdas[key]) for key in lambdas if key in gone}


def used_inside(root: Cursor, lambdas: dict[int, tuple[int, ...] | None]) -> frozenset[int]:
    """Identities of the variables that these lambdas below `root` name."""
    inside = [c for c in clang.of_kinds(root, Kind.LAMBDA_EXPR) if statement_identity(c) in lambdas]
    below = (c for closure in inside for c in clang.of_kinds(closure, Kind.DECL_REF_EXPR))
    targets = (clang.referenced(c) for c in below)
    return frozenset(clang.identity(t) for t in targets if t is not None and t.kind == Kind.VAR_DECL)


def made_captures(closure: Cursor) -> list[Cursor]:
    """The variables of `[p = x + 1]`, which exist from when the lambda is made."""
    start, end = closure.extent.start.offset, closure.extent.end.offset
    named = (clang.referenced(c) for c in clang.children(closure) if c.kind == Kind.VARIABLE_REF)
    return [v for v in named if v is not None and v.kind == Kind.VAR_DECL and start <= v.location.offset < end]


def changed_behind(root: Cursor, closure: Cursor) -> set[int]:
    """Identities of the variables that are assigned below `root` behind a lambda, or by the lambda itself."""
    start, found = closure.extent.start.offset, set()
    for cursor in clang.of_kinds(root, Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR, Kind.UNARY_OPERATOR):
        if cursor.extent.end.offset <= start or not _assigns(cursor):
            continue
        target = clang.referenced(_whole(clang.children(cursor)[0]))
        if target is not None and target.kind in _VARIABLES:
            found.add(clang.identity(target))
    return found


def _whole(place: Cursor) -> Cursor:
    """`p` of `p.size.x` and of `p.sizes[0]`."""
    place = core(place)
    while place.kind in (Kind.MEMBER_REF_EXPR, Kind.ARRAY_SUBSCRIPT_EXPR) and clang.children(place):
        place = core(clang.children(place)[0])
    return place


def _assigns(cursor: Cursor) -> bool:
    if cursor.kind == Kind.UNARY_OPERATOR:
        return clang.unary_operator(cursor) in ("x++", "x--", "++x", "--x")
    return cursor.kind == Kind.COMPOUND_ASSIGNMENT_OPERATOR or clang.binary_operator(cursor) == "="


def call_operands(call: Cursor) -> list[Cursor]:
    """The object and the arguments of `f(x)` and of `f.template operator()<T>(x)`."""
    callee = core(clang.children(call)[0]) if clang.children(call) else None
    if callee is not None and callee.kind == Kind.MEMBER_REF_EXPR and callee.spelling == "operator()":
        owner = [c for c in clang.children(callee) if c.kind.is_expression()]
        return [*owner[:1], *clang.arguments(call)]
    return clang.arguments(call)


def statement_identity(cursor: Cursor) -> int:
    return int(cursor.data[1] or 0)


def core(cursor: Cursor) -> Cursor:
    """The expression without the parentheses and conversions around it."""
    while cursor.kind in _WRAPPERS and len(clang.children(cursor)) == 1:
        cursor = clang.children(cursor)[0]
    return cursor


def referenced(root: Cursor, lambdas: dict[int, tuple[int, ...] | None]) -> set[int]:
    """Variables that one of these lambdas captures by reference."""
    found: set[int] = set()
    for cursor in clang.preorder(root) if lambdas else ():
        held = lambdas.get(statement_identity(cursor)) if cursor.kind == Kind.LAMBDA_EXPR else None
        if held is not None:
            found |= {key for key, by in zip(held, by_reference(cursor.type)) if by}
    return found


def by_reference(closure_type: clang.ClangType) -> list[bool]:
    return [is_reference(f.type) for f in closure_type.get_canonical().get_fields()]
