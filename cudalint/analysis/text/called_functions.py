"""What the functions and macros of a file do through those of the file that they call, and what their callers give them."""

from __future__ import annotations

import re
from functools import lru_cache

from cudalint.analysis.text.macros import macros_of, that_mention
from cudalint.analysis.text.text_program import PROGRAMS_KEPT, Program
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*(?:<[^<>;]*>\s*)?\(")


@lru_cache(maxsize=PROGRAMS_KEPT)
def that_come_to(pattern: re.Pattern[str], outline: Outline) -> frozenset[str]:
    """The last names of functions of the host, and macros, whose text, or that of one they call, has the pattern."""
    functions = [(f.name.rpartition("::")[2], f.body.text) for f in outline.functions if f.role == "host"]
    texts = functions + macros_of(outline.root.file.text)
    begin = {name for name, text in texts if pattern.search(text)}
    return frozenset(that_mention(begin, ((name, " ".join(_CALLED.findall(text))) for name, text in texts)))


def given_to(name: str, function: TextFunction, program: Program) -> list[tuple[Syntax, TextFunction]]:
    """What calls and launches of the file give a parameter, and where they stand."""
    parameters = program.scope(function).parameters
    if name not in parameters:
        return []
    at = parameters.index(name)
    calls = program.callers(function.name.rpartition("::")[2].partition("<")[0])
    return [(call.arguments[at], call.function) for call in calls if at < len(call.arguments)]
