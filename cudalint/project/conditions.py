"""Which macros and which target let a line through the preprocessor.

#if defined(ENABLE_FP8) && __CUDA_ARCH__ >= 900        line inside: -D ENABLE_FP8, target sm_90

Conditions over names and numbers are tried with the fewest changes; others, and `#if 0`, let nothing through.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b((?:[^\n\\]|\\\r?\n|\\.)*)", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(r"\s*(defined\s*\(\s*\w+\s*\)|defined\s+\w+|\w+|&&|\|\||[<>=!]=|[-+*/%()<>!])")
_WORD = re.compile(r"\w+")
_PYTHON = {"&&": "and", "||": "or", "!": "not", "/": "//"}
_ARCH = "__CUDA_ARCH__"
_ARCHES = (900, 1000, 1200, 750, 700)
MOST_NAMES = 6


@dataclass(frozen=True, slots=True)
class Setting:
    """Macros to define, and the target where it has to be another one."""

    defines: tuple[str, ...] = ()
    target: str | None = None


DEFAULT = Setting()


def setting_for(text: str, line: int, arch: int) -> Setting | None:
    """The smallest change that lets the line through; DEFAULT where nothing has to change; None where none is found."""
    conditions = _conditions(text, line)
    names = sorted({n for c in conditions for n in re.findall(r"[A-Za-z_]\w*", c)} - {"defined", "not", "and", "or"})
    free = [n for n in names if not n.startswith("__")][: MOST_NAMES + 1]
    if len(free) > MOST_NAMES:
        return None
    for count in range(len(free) + 1):
        for number in (arch, *_ARCHES):
            for chosen in combinations(free, count):
                known = dict.fromkeys(chosen, 1) | {_ARCH: number, "__CUDACC__": 1, "__cplusplus": 201703}
                if all(_holds(c, known) for c in conditions):
                    return Setting(chosen, None if number == arch else f"sm_{number // 10}")
    return None


def lets_through(text: str, line: int, defines: Iterable[str], arch: int) -> bool:
    """Whether the line is read with these macros."""
    known = dict.fromkeys(defines, 1) | {_ARCH: arch, "__CUDACC__": 1, "__cplusplus": 201703}
    return all(_holds(condition, known) for condition in _conditions(text, line))


def _conditions(text: str, line: int) -> list[str]:
    """What must hold for the line, one entry for each `#if` around it."""
    open_: list[tuple[str, list[str]]] = []
    for match in _DIRECTIVE.finditer(text):
        if text.count("\n", 0, match.start()) + 1 >= line:
            break
        word, written = match[1], _COMMENT.sub(" ", match[2].replace("\\\n", " ").replace("\\\r\n", " ")).strip()
        if word in ("if", "ifdef", "ifndef"):
            head = written.split()[0] if written.split() else ""
            open_.append(({"ifdef": f"defined({head})", "ifndef": f"!defined({head})"}.get(word, written), []))
        elif open_ and word == "endif":
            open_.pop()
        elif open_:
            held, before = open_[-1]
            open_[-1] = ("1" if word == "else" else written, [*before, held])
    return [" && ".join([*(f"!({b})" for b in before), f"({held})"]) for held, before in open_]


def _holds(condition: str, known: Mapping[str, int]) -> bool:
    """Whether the condition is true with these macros; no where it cannot be computed."""
    try:
        return bool(eval(" ".join(_translated(condition, known)), {"__builtins__": {}}))
    except (SyntaxError, TypeError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return False


def _translated(condition: str, known: Mapping[str, int]) -> Iterator[str]:
    """The condition as an expression of numbers and operators only."""
    at, after_value = 0, False
    while at < len(condition.rstrip()):
        token = _TOKEN.match(condition, at)
        if token is None or (after_value and token[1] == "("):  # such as the call of a macro
            raise ValueError(condition)
        at, word = token.end(), token[1]
        after_value = word[0].isalnum() or word[0] in "_)"
        if word.startswith("defined"):
            yield str(int(_WORD.findall(word)[-1] in known))
        elif word[0].isdigit():
            yield str(int(word.rstrip("uUlL"), 0))
        elif word[0].isalpha() or word[0] == "_":
            yield str(known.get(word, 0))
        else:
            yield _PYTHON.get(word, word)
