"""What the callers of a function in its file give it, and what that says of the memory behind a pointer.

cudaMalloc(&text, n + 1);  count<<<..>>>(text, n);                       an element more than the number that is given with it
insert(store + row * (n + 1) + 1, v);  list[-1] = lowest;                an element before the first
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.called_functions import given_to
from cudalint.analysis.text.guard_patterns import names_in
from cudalint.analysis.text.text_program import Program
from cudalint.ir.syntax import Syntax, TextFunction

_HOPS = 4
_MAKES = re.compile(r"malloc|alloc|memcpy|memset|copy|resize|assign|reserve|make_unique|make_shared", re.IGNORECASE)
_FIRST_NAME = re.compile(r"[A-Za-z_]\w*")
_ONE_MORE = re.compile(r"(?<![eE])\+1(?![\w.])|(?<!\w)1\+")
_BEHIND_FIRST = re.compile(r"\+\d+$|\[\d*[1-9]\]$")


def sources_of(
    name: str, function: TextFunction, program: Program, hops: int = _HOPS
) -> Iterator[tuple[str, Syntax | None]]:
    """The names that the memory of a pointer has, from here up the calls, each with the expression that it was found in."""
    yield name, None
    held = [(value, function) for value in program.scope(function).values.get(name, [])]
    for value, where in [*held, *given_to(name, function, program)] if hops else ():
        first = _FIRST_NAME.search(re.sub(r"\b\w+_cast<[^()]*>|^\([^()]*\*\)", "", value.text))
        if first is not None and (first[0] != name or where is not function):
            yield from ((each, found or value) for each, found in sources_of(first[0], where, program, hops - 1))
        yield name, value


def has_one_more(names: set[str], program: Program) -> bool:
    """The host makes or fills memory of one of these names with an element more than some number."""
    for function in program.outline.functions if names else ():
        for node in function.body.walk() if function.role == "host" else ():
            if node.kind == "init_declarator":
                target, value = node.child("declarator"), node.child("value")
                mentioned = target is not None and value is not None and not names.isdisjoint(names_in(target))
                if mentioned and value is not None and _ONE_MORE.search(value.bare):
                    return True
            callee, arguments = node.child("function"), node.child("arguments")
            if callee is None or arguments is None or _MAKES.search(callee.text) is None:
                continue
            named = names & (names_in(arguments) | set(_FIRST_NAME.findall(callee.text)))
            if named and any(_ONE_MORE.search(argument.bare) for argument in arguments.children):
                return True
    return False


def is_used_at(names: set[str], index: re.Pattern[str], program: Program) -> bool:
    """Some function of the file has `name[index]`."""
    for function in program.outline.functions if names else ():
        for node in function.body.walk():
            if node.kind == "subscript_expression" and len(node.children) == 2 and node.children[0].text in names:
                if index.fullmatch(node.children[1].bare):
                    return True
    return False


def begins_behind_first(values: list[Syntax]) -> bool:
    """`store + row * n + 1`, `&row[1]`: a place stands before the one that is given."""
    return any(_BEHIND_FIRST.search(value.bare.rstrip(")")) for value in values)
