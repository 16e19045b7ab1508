"""What of a text is code, without parsing it, and which brackets belong together.

    f("{"); // (        blank        f(   );
    #if A               blank, and both branches start at the nesting of the `#if`

Comments, literals, directives and `#if 0` become blanks of the same length, so that every place stays where it was.
Any text can be read, in linear time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

_START = re.compile(r"//|/\*|[\"'#]")
_COMMENT = re.compile(r"//(?>(?:[^\n\\]|\\(?:\r?\n|.)|\\\Z)*)|/\*(?:.*?\*/|.*\Z)", re.DOTALL)
_STRING = re.compile(r"\"(?>(?:[^\"\\\n]|\\(?:\r\n|.))*)\"?|'(?>(?:[^'\\\n]|\\.)*)'?", re.DOTALL)
_RAW_STRING = re.compile(r"\"(?P<tag>[^\s()\\\"]{0,16})\((?:.*?\)(?P=tag)\"|.*\Z)", re.DOTALL)
_HASH = re.compile(r"#(?>(?:/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)|\\\r?\n|//[^\n]*|[^\n])*)")
_WORD_BEFORE = 24
_INDENT = 200
_DIRECTIVE = re.compile(r"#\s*(\w*)[ \t]*(.*)", re.DOTALL)
_IN_DIRECTIVE = re.compile(r'"(?:[^"\\\n]|\\.)*"|(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))', re.DOTALL)
_KERNEL_MACRO = re.compile(r"(\w+)(?:\([^)\n]*\))?[ \t\\].*\b__global__\b", re.DOTALL)
_BRACKET = re.compile(r"[(){}\[\]]")
_CLOSES = {")": "(", "]": "[", "}": "{"}
DEEPEST = 1_000

_Stack: TypeAlias = list[tuple[str, list[int]]]


# --- what is code ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Blanked:
    """`text` without comments is `plain`; without literals and directives too it is `code`. All have one length."""

    text: str
    plain: str
    code: str
    comments: list[tuple[int, int]]
    conditionals: list[tuple[int, str]]
    kernel_macros: frozenset[str]


def blank(text: str) -> Blanked:
    blanker = _Blanker(text)
    at = 0
    while (start := _START.search(text, at)) is not None:
        at = blanker.lexeme(start.start(), start[0])
    return blanker.finish()


class _Blanker:
    def __init__(self, text: str) -> None:
        self._text = text
        self._plain: list[str] = []
        self._code: list[str] = []
        self._done = 0
        self._comments: list[tuple[int, int]] = []
        self._conditionals: list[tuple[int, str]] = []
        self._macros: set[str] = set()
        self._dead = 0  # depth of conditionals inside an `#if 0`, counting itself

    def lexeme(self, at: int, mark: str) -> int:
        """Take in what begins with `mark` at `at`, and return where to go on."""
        if mark == "#":
            return self._directive(at, self._end(_HASH, at)) if self._begins_line(at) else at + 1
        if mark in ("//", "/*"):
            return self._comment(at, self._end(_COMMENT, at))
        word = self._word(at)
        if mark == "'" and word[:1].isdigit():
            return at + 1
        raw = mark == '"' and word in ("R", "u8R", "uR", "UR", "LR") and _RAW_STRING.match(self._text, at)
        return self._literal(at, raw.end() if raw else self._end(_STRING, at))

    def _end(self, pattern: re.Pattern[str], at: int) -> int:
        match = pattern.match(self._text, at)
        return match.end() if match else at + 1

    def _begins_line(self, at: int) -> bool:
        """Whether only blanks (and comments, which are copied already) stand before it on its line."""
        low = max(self._done, at - _INDENT)
        return self._text[self._text.rfind("\n", low, at) + 1 or low : at].strip() == ""

    def _word(self, at: int) -> str:
        low = at
        while low > max(0, at - _WORD_BEFORE) and (self._text[low - 1].isalnum() or self._text[low - 1] in "_."):
            low -= 1
        return self._text[low:at]

    def finish(self) -> Blanked:
        self._copy(len(self._text))
        plain, code = "".join(self._plain), "".join(self._code)
        macros = frozenset(self._macros)
        return Blanked(self._text, plain, code, self._comments, self._conditionals, macros)

    def _copy(self, until: int) -> None:
        piece = self._text[self._done : until]
        self._emit(piece, piece)
        self._done = until

    def _emit(self, plain: str, code: str) -> None:
        self._done += len(plain)
        if self._dead:
            plain = code = _spaces(plain)
        self._plain.append(plain)
        self._code.append(code)

    def _literal(self, start: int, end: int) -> int:
        self._copy(start)
        self._emit(self._text[start:end], _spaces(self._text[start:end]))
        return end

    def _comment(self, start: int, end: int) -> int:
        self._copy(start)
        piece = _spaces(self._text[start:end])
        if not self._dead:
            self._comments.append((start, end))
        self._emit(piece, piece)
        return end

    def _directive(self, start: int, end: int) -> int:
        self._copy(start)
        written = self._text[start:end]
        plain = _IN_DIRECTIVE.sub(lambda m: _spaces(m[0]) if m["comment"] else m[0], written)
        if not self._dead:
            inside = (m for m in _IN_DIRECTIVE.finditer(written) if m["comment"])
            self._comments += [(start + m.start(), start + m.end()) for m in inside]
        match = _DIRECTIVE.match(plain)
        name, rest = (match[1], match[2].strip()) if match else ("", "")
        was_dead = self._dead
        self._condition(start, name, rest)
        if name == "define" and not was_dead:
            macro = _KERNEL_MACRO.match(rest)
            if macro and "{" not in rest:
                self._macros.add(macro[1])
        dead, self._dead = self._dead, min(self._dead, was_dead)  # what ends an `#if 0` stays, as its beginning does
        self._emit(plain, _spaces(plain))
        self._dead = dead
        return end

    def _condition(self, start: int, name: str, rest: str) -> None:
        if self._dead:
            if name.startswith("if"):
                self._dead += 1
            elif name == "endif" or (self._dead == 1 and name in ("else", "elif")):
                self._dead -= 1
        elif name == "if" and rest in ("0", "false", "(0)"):
            self._dead = 1
        if name.startswith("if") or name in ("else", "elif", "elifdef", "elifndef", "endif"):
            self._conditionals.append((start, name))


def _spaces(text: str) -> str:
    """The text as blanks; the ends of its lines stay."""
    if "\n" not in text:
        return " " * len(text)
    return "\n".join(" " * len(line) for line in text.split("\n"))


# --- brackets ---------------------------------------------------------------------------------------------


class Brackets:
    """`match` maps each opening bracket to its closing one and back; `outer` maps a launch to the braces around it."""

    def __init__(self, blanked: Blanked) -> None:
        self.match: dict[int, int] = {}
        self.outer: dict[int, tuple[int, ...]] = {}
        self._stack: _Stack = []
        self._saved: list[tuple[_Stack, _Stack]] = []
        events: list[tuple[int, str]] = [(m.start(), m[0]) for m in _BRACKET.finditer(blanked.code)]
        events += blanked.conditionals
        events += [(m.start(), "<<<") for m in re.finditer("<<<", blanked.code)]
        for at, what in sorted(events):
            self._event(at, what)

    def _event(self, at: int, what: str) -> None:
        if what in ("(", "[", "{"):
            self._open(at, what)
        elif what in _CLOSES:
            self._close(at, what)
        elif what == "<<<":
            self.outer[at] = tuple(places[0] for kind, places in self._stack[:64] if kind == "{")
        elif what.startswith("if"):
            self._saved.append((self._stack[:DEEPEST], []))
        elif what == "endif":
            if self._saved:
                self._saved.pop()
        elif self._saved:
            self._other_branch()

    def _open(self, at: int, what: str) -> None:
        places = [at]
        if self._saved:  # a bracket that every branch opens once is closed for all of them
            before, left = self._saved[-1]
            depth = len(self._stack) - len(before)
            if 0 <= depth < len(left) and left[depth][0] == what:
                places += left[depth][1]
        self._stack.append((what, places))

    def _close(self, at: int, what: str) -> None:
        opener = _CLOSES[what]
        while self._stack and self._stack[-1][0] != opener and (what == "}" or self._stack[-1][0] != "{"):
            self._stack.pop()
        if self._stack and self._stack[-1][0] == opener:
            _, places = self._stack.pop()
            self.match[at] = places[0]
            for place in places:
                self.match[place] = at

    def _other_branch(self) -> None:
        before, _ = self._saved[-1]
        left = self._stack[len(before) :]
        self._saved[-1] = (before, left)
        self._stack = list(before)
