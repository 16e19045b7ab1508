"""What the C functions of libclang return, made into objects of its Python package with fewer calls.

The package asks libclang for a null cursor at each result, looks for the translation unit with `hasattr`, and reads
text through three properties: a third of the time in which a file is lowered. The fields read here are those of
libclang 18, which pyproject.toml pins.
"""

from __future__ import annotations

from typing import Any

INVALID_FILE = 70  # the kind of the null cursor
OWNED_ELSEWHERE = 2  # the flag of a CXString whose pointer is no text


def quicken(cindex: Any) -> None:
    """Replace the conversions of the package's C functions by the ones below."""
    lib = cindex.conf.lib
    get_text = lib.clang_getCString

    def text(result: Any, _function: Any, _arguments: Any) -> Any:
        if result.free == OWNED_ELSEWHERE:
            return get_text(result)
        return None if (found := result.spelling) is None else found.decode()

    made = {
        cindex.Cursor.from_result: _cursor,
        cindex.Cursor.from_cursor_result: _cursor,
        cindex.Type.from_result: _type,
        cindex._CXString.from_result: text,
    }
    for name, *_, convert in (each for each in cindex.functionList if len(each) == 4):
        if convert in made and hasattr(lib, name) and name != "clang_getTranslationUnitCursor":
            getattr(lib, name).errcheck = made[convert]


def _cursor(result: Any, _function: Any, arguments: Any) -> Any:
    if result._kind_id == INVALID_FILE:
        return None
    result._tu = arguments[0]._tu
    return result


def _type(result: Any, _function: Any, arguments: Any) -> Any:
    result._tu = arguments[0]._tu
    return result
