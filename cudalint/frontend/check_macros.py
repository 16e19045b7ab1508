"""Macros that nothing defines and that check a condition, by their names and what they get.

    CV_Assert(src.cols == dst.cols);        RAFT_EXPECTS(n > 0, "no rows");        PADDLE_ENFORCE_EQ(x.size(), n, message);

Every project has them, in a header that a scan of one file or of one folder does not see. What stands in the first parentheses
is a comparison, and behind the line it holds: whoever does not keep it gets an error. Those of debug builds hold nothing, and
those of tests (`EXPECT_EQ`) only report.
"""

from __future__ import annotations

import re

_NAME = re.compile(
    r"(?:[A-Z0-9]+_)*(?:CHECK|ASSERT|EXPECTS|REQUIRES?|ENFORCE|VERIFY|ENSURES?|THROW_IF_NOT)"
    r"(?:_(?P<relation>EQ|NE|LT|LE|GT|GE)|_(?:MSG|FMT|TRUE|ARGS?|WITH_INFO|WITH_MSG|DIM|SHAPE|INPUT))?\Z"
    r"|[A-Z]\w*_Assert\Z"
)
_DEBUG = re.compile(r"(?:\A|_)(?:DCHECK|DASSERT|DEBUG|DBG|Dbg)(?:_|\Z)")
_COMPARED = re.compile(r"[=!<>]=|&&|\|\||(?<![<\w])<(?!<)|(?<=[\s\w)\]])<(?=\s)|(?<![->])>(?=\s)|\A\s*!")
_RELATIONS = {"EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}
_SAID = "__cudalint_said()"


def check_macro(name: str, after: str) -> str | None:
    """Parameters and body of a macro by the text behind its name; None where it is no check."""
    found = _NAME.match(name)
    if found is None or _DEBUG.search(name) or not after.startswith("("):
        return None
    if relation := found["relation"]:
        return f"(a, b, ...) (__cudalint_host_check((a) {_RELATIONS[relation]} (b)), {_SAID})"
    if not _COMPARED.search(first_argument(after)):
        return None
    return f"(condition, ...) (__cudalint_host_check(__cudalint_holds(condition)), {_SAID})"


def first_argument(text: str) -> str:
    """What stands behind an opening parenthesis up to the first comma of that depth, or to its end."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 or (depth == 1 and letter == ","):
            return text[1:place]
    return text[1:]
