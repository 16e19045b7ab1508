"""Inline assembly behind macros: libclang says where a macro is used, so its definition is looked up in the text.

#define COMMIT() asm volatile("cp.async.commit_group;")          COMMIT();
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor
from cudalint.frontend.lowering.context import Body

_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:[^\n\\]|\\\r?\n|\\.)*)", re.MULTILINE)
_ASM = re.compile(r"\b(?:asm|__asm__|__asm)\b[^(;]*\(")
_PARENTHESIS = re.compile(r'"(?:[^"\\]|\\.)*"|[()]', re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")
_DEEPEST = 4


def assembly_texts(body: Body, cursor: Cursor) -> list[str]:
    """Every `asm(...)` that the macro used at the cursor can stand for."""
    names = _NAME.match(body.text(cursor))
    if names is None:
        return []
    known = body.program.macros
    if not known:
        files = [body.program.main, *(f for f in clang.included_files(cursor) if not f.startswith(body.program.stubs))]
        for file in files:
            for name, text in _definitions(body.program.locator.content(file)):
                known.setdefault(name, []).append(text)
    return list(dict.fromkeys(_expansions(known, names[0], _DEEPEST)))


def _expansions(known: dict[str, list[str]], name: str, depth: int) -> Iterator[str]:
    for text in known.get(name, ()) if depth else ():
        yield from _calls(text)
        for inner in dict.fromkeys(_NAME.findall(text)):
            if inner != name and inner in known:
                yield from _expansions(known, inner, depth - 1)


@lru_cache(maxsize=64)
def _definitions(content: bytes) -> tuple[tuple[str, str], ...]:
    text = content.decode("utf-8", "replace")
    return tuple((m[1], re.sub(r"\\\r?\n", " ", m[2])) for m in _DEFINE.finditer(text))


def _calls(text: str) -> Iterator[str]:
    for start in _ASM.finditer(text):
        depth = 0
        for match in _PARENTHESIS.finditer(text, start.end() - 1):
            depth += {"(": 1, ")": -1}.get(match[0], 0)
            if depth == 0 and match[0] == ")":
                yield text[start.start() : match.end()]
                break
