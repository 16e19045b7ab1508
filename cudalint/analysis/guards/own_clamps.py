"""Functions of a file that keep a number between two others, whatever they are called.

__device__ int inside(int v, int low, int high) { return v < low ? low : (v > high ? high : v); }
__device__ int inside(int v, int low, int high) { return min(max(v, low), high); }
"""

from __future__ import annotations

import re

from cudalint.analysis.text.text_program import program_of
from cudalint.ir.syntax import Outline, TextFunction

_FORMS = [
    re.compile(form)
    for form in (
        r"(?P<v>\w+)<=?(?P<low>\w+)\?(?P=low):\(?(?P=v)>=?(?P<high>\w+)\?(?P=high):(?P=v)\)?",
        r"(?P<v>\w+)>=?(?P<high>\w+)\?(?P=high):\(?(?P=v)<=?(?P<low>\w+)\?(?P=low):(?P=v)\)?",
        r"(?:::|std::)?min\((?:::|std::)?max\((?P<v>\w+),(?P<low>\w+)\),(?P<high>\w+)\)",
        r"(?:::|std::)?max\((?:::|std::)?min\((?P<v>\w+),(?P<high>\w+)\),(?P<low>\w+)\)",
    )
]


def own_clamps(outline: Outline) -> dict[str, int]:
    """The place of the upper bound among the three parameters, by the function's name."""
    program = program_of(outline)
    found: dict[str, int] = {}
    for function in outline.functions:
        if len(function.parameters) == 3:
            high = _high(function)
            parameters = program.scope(function).parameters
            if high in parameters:
                found[function.name] = parameters.index(high)
    return found


def _high(function: TextFunction) -> str:
    """The name of the upper bound, where the function does nothing but clamp."""
    statements = function.body.children
    if len(statements) != 1 or statements[0].kind != "return_statement":
        return ""
    text = statements[0].bare.removeprefix("return").removesuffix(";")
    while text.startswith("(") and text.endswith(")") and text.find(")") == len(text) - 1:
        text = text[1:-1]
    return next((found["high"] for form in _FORMS if (found := form.fullmatch(text)) is not None), "")
