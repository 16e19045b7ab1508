"""Which files a build script makes one program of.

add_executable(resize main.cpp resize.cu tools.cu)
"""

from __future__ import annotations

import os
import re

SCRIPT = "CMakeLists.txt"
MAX_BYTES = 1 << 20
_COMMENT = re.compile(r"#[^\n]*")
_PROGRAM = re.compile(r"\b(?:cuda_)?add_executable\s*\(\s*\S+\s([^()]*)\)", re.IGNORECASE)
_WORD = re.compile(r'"([^"]*)"|([^\s"]+)')


def programs_beside(path: str) -> tuple[frozenset[str], ...]:
    """The sources of each program that the script beside a file names, with it among them; whole paths."""
    folder = os.path.dirname(path)
    script = os.path.join(folder, SCRIPT)
    try:
        if os.path.getsize(script) > MAX_BYTES:
            return ()
        with open(script, encoding="utf-8", errors="replace") as file:
            text = _COMMENT.sub("", file.read())
    except OSError:
        return ()
    named = (
        {os.path.realpath(os.path.join(folder, a or b)) for a, b in _WORD.findall(m[1])}
        for m in _PROGRAM.finditer(text)
    )
    return tuple(frozenset(sources) for sources in named if os.path.realpath(path) in sources)
