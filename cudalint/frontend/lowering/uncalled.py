"""Device functions that nobody calls: nothing leads to them, so that they are checked by themselves.

    __device__ int lane() { return threadIdx.x & 31; }       no other text names `lane`

Nobody calls what no text names: an instance that was not made, another branch of `#if` or a macro may hold the call. What
has no name to be called by (operators, constructors, what the compiler calls) is left out, and so are virtual members.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lexical import blank
from cudalint.frontend.lowering.context import Program
from cudalint.frontend.lowering.functions import body_of, role_of
from cudalint.ir import nodes as ir

_NAMED = (Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.FUNCTION_TEMPLATE)
_SPACES = (Kind.TRANSLATION_UNIT, Kind.NAMESPACE, Kind.LINKAGE_SPEC)


def uncalled(program: Program, declarations: list[Cursor], wanted: list[Cursor]) -> list[Cursor]:
    """The definitions among the `wanted` whose names stand nowhere else, in the order of the text."""
    places: dict[str, set[tuple[str, int]]] = {}
    for declaration in declarations:
        file, _, _, offset = program.locator.position(declaration.location)
        places.setdefault(declaration.spelling, set()).add((file, offset))
    texts = {file: _plain(program, file) for file in sorted({program.file_of(d) for d in wanted})}
    named = _occurrences(texts, {d.spelling for d in wanted if _is_own_device_code(program, d)})
    return [
        d
        for d in wanted
        if d.spelling in named
        and _is_own_device_code(program, d)
        and not any(_is_elsewhere(program, d, at) for at in named[d.spelling] - places[d.spelling])
    ]


def _is_own_device_code(program: Program, declaration: Cursor) -> bool:
    """A function for the device alone, or for both sides, that is written out where it stands and is called by its name."""
    if declaration.kind not in _NAMED or declaration.spelling in program.named_elsewhere:
        return False
    if not declaration.spelling.isidentifier() or body_of(declaration) is None:
        return False
    if role_of(declaration) != ir.Role.DEVICE:
        return False
    if declaration.kind == Kind.CXX_METHOD and (declaration.is_virtual_method() or declaration.is_default_method()):
        return False
    owner = declaration.semantic_parent
    if declaration.kind == Kind.FUNCTION_TEMPLATE or owner is None:
        return owner is not None and owner.kind in _SPACES
    return owner.kind in (*_SPACES, Kind.STRUCT_DECL, Kind.CLASS_DECL)


def _is_elsewhere(program: Program, declaration: Cursor, place: tuple[str, int]) -> bool:
    """The name stands outside of the function: what only calls itself is called by nobody."""
    file, start, end = program.locator.extent(declaration)
    return place[0] != file or not start <= place[1] < end


def _plain(program: Program, file: str) -> str:
    """The text without comments; one character for each byte."""
    content = program.locator.content(file)
    return blank((content[: program.length] if file == program.main else content).decode("latin-1")).plain


def _occurrences(texts: dict[str, str], names: set[str]) -> dict[str, set[tuple[str, int]]]:
    """Where the names stand in the texts, as file and offset."""
    found: dict[str, set[tuple[str, int]]] = {name: set() for name in names}
    for file, text in texts.items() if names else ():
        for name, offset in _words(text):
            if name in found:
                found[name].add((file, offset))
    return found


def _words(text: str) -> Iterator[tuple[str, int]]:
    return ((word[0], word.start()) for word in re.finditer(r"[A-Za-z_]\w*", text, re.ASCII))
