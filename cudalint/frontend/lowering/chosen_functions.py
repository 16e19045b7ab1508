"""Calls of one of a few functions: `table[i](x)` with a constant table, and `(fast ? one : other)(x)`.

    static const func_t funcs[2] = {scale<1>, scale<4>};         if (kind == 0) scale<1>(x);
    funcs[kind](x);                                        ->    else scale<4>(x);

What leads to an entry is compared where it can be read twice; else each of the functions may be the one. Behind the end of a
table there is no function: the last one is called for its own entries only, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind, TypeKind
from cudalint.frontend.lowering.names import PARAMETERS, qualified_name, template_args
from cudalint.frontend.lowering.scan import is_only_read
from cudalint.frontend.lowering.types import FUNCTIONS, portable

MOST_CHOICES = 24
_DEEPEST = 8
_FUNCTIONS = (Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.FUNCTION_TEMPLATE, Kind.CONSTRUCTOR)
_WRAPPERS = (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR, Kind.CSTYLE_CAST_EXPR, Kind.CXX_STATIC_CAST_EXPR)
_LASTING = (
    Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR, Kind.INTEGER_LITERAL, Kind.BINARY_OPERATOR, Kind.CXX_BOOL_LITERAL_EXPR,
    Kind.CXX_THIS_EXPR, Kind.CHARACTER_LITERAL, *_WRAPPERS,
)  # fmt: skip
When = tuple[tuple[Cursor, int], ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """A function, and the ways to it: on each, expressions with the value of each.

    Of a template that nothing resolves the `arguments` are as they are written, but for those of the template around. It is
    `listed` where a table holds it.
    """

    function: Cursor
    ways: tuple[When, ...]
    arguments: str = ""
    listed: bool = False

    @property
    def instance(self) -> str:
        """What every unit calls the instance of the template."""
        names = [c.spelling for c in clang.children(self.function) if c.kind in PARAMETERS]
        values = dict(zip(names, (part.strip() for part in self.arguments.split(","))))
        parameters = (c.type.spelling for c in clang.children(self.function) if c.kind == Kind.PARM_DECL)
        types = (_with(values, type_) for type_ in parameters)
        return portable(f"{qualified_name(self.function)}<{self.arguments}>({', '.join(types)})")


def is_choice(call: Cursor, tables: bool = True) -> bool:
    """Not one function by its name; an entry of one of the `tables` is chosen whatever its number is."""
    below = clang.children(call)
    callee = _unwrapped(below[0]) if below else call
    if callee.kind == Kind.DECL_REF_EXPR:
        target = clang.referenced(callee)
        return target is not None and target.kind == Kind.VAR_DECL
    return callee.kind == Kind.CONDITIONAL_OPERATOR or (tables and callee.kind == Kind.ARRAY_SUBSCRIPT_EXPR)


def choices_of(callee: Cursor) -> tuple[Choice, ...]:
    """Every function that the expression may give, with the ways to each of them; none where it may give others."""
    found: dict[tuple[int, str], Choice] = {}
    for choice in _choices(callee, (), {}, _DEEPEST):
        if choice is None:
            return ()
        key = clang.identity(choice.function), choice.arguments
        known = found.get(key)
        found[key] = choice if known is None else replace(known, ways=known.ways + choice.ways)
    return tuple(found.values()) if len(found) <= MOST_CHOICES else ()


def lasts(cursor: Cursor) -> bool:
    """An expression that has the same value when it is read again."""
    return cursor.kind in _LASTING and all(map(lasts, clang.children(cursor)))


def _choices(cursor: Cursor, when: When, given: Mapping[str, str], depth: int) -> Iterator[Choice | None]:
    """None stands for functions that are not known. `given`: the arguments of the template around, by their names."""
    cursor = _unwrapped(cursor)
    below = [c for c in clang.children(cursor) if c.kind.is_expression()]
    if depth == 0:
        yield None
    elif cursor.kind == Kind.DECL_REF_EXPR:
        target = clang.referenced(cursor)
        if target is not None and target.kind == Kind.FUNCTION_DECL:
            yield Choice(target, (when,))
        elif target is not None and target.kind == Kind.OVERLOADED_DECL_REF:
            yield _template(cursor, target, when, given)
        else:
            init = _constant(target)
            yield from (None,) if init is None else _choices(init, when, _given_around(target), depth - 1)
    elif cursor.kind == Kind.CONDITIONAL_OPERATOR and len(below) == 3:
        for value, each in ((1, below[1]), (0, below[2])):
            yield from _choices(each, (*when, (below[0], value)), given, depth - 1)
    elif cursor.kind == Kind.UNARY_OPERATOR and clang.unary_operator(cursor) in ("&", "*") and below:
        yield from _choices(below[-1], when, given, depth - 1)
    elif cursor.kind == Kind.ARRAY_SUBSCRIPT_EXPR:
        yield from _entries(cursor, when, depth)
    elif not _is_null(cursor):
        yield None


def _template(cursor: Cursor, target: Cursor, when: When, given: Mapping[str, str]) -> Choice | None:
    """`scale<4>` where one template has that name."""
    meant = clang.overloads(target)
    written = re.search(r"<([^<>]*)>", "".join(token.spelling for token in cursor.get_tokens()))
    if len(meant) != 1 or meant[0].kind != Kind.FUNCTION_TEMPLATE or written is None:
        return None
    arguments = ", ".join(_with(given, part.strip()) for part in written[1].split(","))
    return Choice(meant[0], (when,), arguments)


def _given_around(variable: Cursor | None) -> dict[str, str]:
    """What the parameters of the template are in the instance that a variable is in."""
    around = None if variable is None else variable.semantic_parent
    template = None if around is None else clang.template_of(around)
    if around is None or template is None:
        return {}
    names, values = [c.spelling for c in clang.children(template) if c.kind in PARAMETERS], template_args(around)
    return dict(zip(names, values)) if len(names) == len(values) else {}


def _with(values: Mapping[str, str], text: str) -> str:
    return re.sub(r"\w+", lambda m: values.get(m[0], m[0]), text)


def _entries(cursor: Cursor, when: When, depth: int) -> Iterator[Choice | None]:
    """Of `table[i][j]` those of the table."""
    places: list[Cursor] = []
    while cursor.kind == Kind.ARRAY_SUBSCRIPT_EXPR:
        below = clang.children(cursor)
        places.insert(0, below[1])
        cursor = _unwrapped(below[0])
    variable = clang.referenced(cursor) if cursor.kind == Kind.DECL_REF_EXPR else None
    table = _constant(variable)
    if table is None:
        yield None
        return
    lists: list[tuple[Cursor, When]] = [(table, when)]
    for place in places:
        if any(items.kind != Kind.INIT_LIST_EXPR for items, _ in lists):
            yield None
            return
        lists = [
            (item, (*known, (place, number)))
            for items, known in lists
            for number, item in enumerate(clang.children(items))
        ]
    given = _given_around(variable)
    for item, known in lists:
        for choice in _choices(item, known, given, depth - 1):
            yield None if choice is None else replace(choice, listed=True)


def _constant(variable: Cursor | None) -> Cursor | None:
    """What a variable of pointers to functions always is: a constant, or one that its function only reads."""
    if variable is None or variable.kind != Kind.VAR_DECL:
        return None
    type_ = variable.type.get_canonical()
    constant = type_.is_const_qualified()
    while type_.get_array_element_type().kind != TypeKind.INVALID:
        type_ = type_.get_array_element_type()
        constant = constant or type_.is_const_qualified()
    if type_.get_canonical().get_pointee().get_canonical().kind not in FUNCTIONS:
        return None
    owner = variable.semantic_parent
    settled = constant or (owner is not None and owner.kind in _FUNCTIONS and is_only_read(variable, owner))
    return clang.initializer(variable) if settled else None


def _unwrapped(cursor: Cursor) -> Cursor:
    while cursor.kind in _WRAPPERS and len(below := [c for c in clang.children(cursor) if c.kind.is_expression()]) == 1:
        cursor = below[0]
    return cursor


def _is_null(cursor: Cursor) -> bool:
    return cursor.kind in (Kind.INTEGER_LITERAL, Kind.CXX_NULL_PTR_LITERAL_EXPR, Kind.GNU_NULL_EXPR)
