"""Strings of a Python file whose every character knows where it was written.

    "a\\n" "b"      Text("a\\nb", the offsets of `a`, of the backslash and of `b`)

Literals are decoded here and not by `ast`, which forgets the places of characters behind escapes and between parts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

NOWHERE = -1

_PREFIX = re.compile(r"([rRbBuUfF]{0,3})(\"\"\"|'''|\"|')")
_ESCAPE = re.compile(
    r"\\(?:(?P<newline>\r\n|\n|\r)|(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]{2})|u(?P<u4>[0-9a-fA-F]{4})"
    r"|U(?P<u8>[0-9a-fA-F]{8})|N\{(?P<name>[^}]*)\}|(?P<plain>.))",
    re.DOTALL,
)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\\": "\\", "'": "'", '"': '"'}
_BETWEEN = re.compile(r"(?:\s|\\\r?\n|#[^\n]*)*")
_PERCENT = re.compile(
    r"%(?:\((?P<key>[^)]*)\))?(?P<flags>[-+ #0]*)(?:\*|\d+)?(?:\.(?:\*|\d+))?[hlL]?(?P<kind>[a-zA-Z%])"
)
_DOLLAR = re.compile(r"\$(?:(?P<escaped>\$)|(?P<named>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)\})")
_JINJA = re.compile(r"\{\{-?\s*(?P<expression>.*?)\s*-?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_MARGIN = re.compile(r"^[ \t]*(?=[^\s])", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Text:
    """`at[i]` is the offset in the Python file of `chars[i]`, NOWHERE for what no literal holds.

    `through` names calls that the text passed and that nobody can follow: what comes out of them may differ.
    """

    chars: str
    at: tuple[int, ...]
    through: tuple[str, ...] = ()

    def __add__(self, other: Text) -> Text:
        return Text(self.chars + other.chars, self.at + other.at, self.through + other.through)

    def cut(self, start: int, end: int | None = None) -> Text:
        return Text(self.chars[start:end], self.at[start:end], self.through)

    def replaced(self, old: str, new: Text, count: int = -1) -> Text:
        """As `str.replace`; an empty `old` changes nothing here."""
        if not old:
            return self
        pieces, at = [], 0
        while count != 0 and (found := self.chars.find(old, at)) >= 0:
            pieces += [self.cut(at, found), new]
            at, count = found + len(old), count - 1
        return joined([*pieces, self.cut(at)])

    def stripped(self, what: str | None = None, left: bool = True, right: bool = True) -> Text:
        start = len(self.chars) - len(self.chars.lstrip(what)) if left else 0
        end = len(self.chars.rstrip(what)) if right else len(self.chars)
        return self.cut(start, max(start, end))

    def dedented(self) -> Text:
        """As `textwrap.dedent`, but for lines of blanks, which keep theirs."""
        margins = [match[0] for match in _MARGIN.finditer(self.chars)]
        if not margins:
            return self
        margin = margins[0]
        for other in margins[1:]:
            same = next((i for i, (a, b) in enumerate(zip(margin, other)) if a != b), min(len(margin), len(other)))
            margin = margin[:same]
        if not margin:
            return self
        pieces, at = [], 0
        for match in re.finditer("^" + re.escape(margin), self.chars, re.MULTILINE):
            pieces.append(self.cut(at, match.start()))
            at = match.end()
        return joined([*pieces, self.cut(at)])


def synthetic(chars: str, at: int = NOWHERE) -> Text:
    """Text that no literal holds, blamed on one place."""
    return Text(chars, (at,) * len(chars))


def joined(pieces: Iterable[Text]) -> Text:
    """All pieces one after the other, in linear time."""
    chars: list[str] = []
    at: list[int] = []
    through: dict[str, None] = {}
    for piece in pieces:
        chars.append(piece.chars)
        at += piece.at
        through |= dict.fromkeys(piece.through)
    return Text("".join(chars), tuple(at), tuple(through))


# --- literals ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Field:
    """A place in braces: its text between them, and where it begins."""

    content: str
    at: int


def literals(source: str, start: int, end: int) -> list[Text | Field]:
    """The literals that stand between two offsets, one after the other, and the fields of f-strings among them."""
    found: list[Text | Field] = []
    at = _skip(source, start)
    while at < end and (match := _PREFIX.match(source, at)) is not None:
        at = _literal(source, match, found)
        at = _skip(source, at)
    return found


def _skip(source: str, at: int) -> int:
    match = _BETWEEN.match(source, at)
    return match.end() if match else at


def literal_end(source: str, match: re.Match[str]) -> int:
    """Where the literal that begins with a prefix and quotes ends, its closing quotes included."""
    quote, at = match[2], match.end()
    stop = re.compile(r"\\.|" + re.escape(quote) + ("" if len(quote) == 3 else r"|\n"), re.DOTALL)
    while (found := stop.search(source, at)) is not None:
        at = found.end()
        if found[0] == quote or found[0] == "\n":
            return at
    return len(source)


def _literal(source: str, match: re.Match[str], found: list[Text | Field]) -> int:
    end = literal_end(source, match)
    body = (match.end(), max(match.end(), end - len(match[2])))
    prefix = match[1].lower()
    decode = _raw if "r" in prefix else _escaped
    if "f" not in prefix:
        found.append(decode(source, *body))
        return end
    found += [p if isinstance(p, Field) else decode(source, *p) for p in _fields(source, *body)]
    return end


def _raw(source: str, start: int, end: int) -> Text:
    text = Text(source[start:end], tuple(range(start, end)))
    return text.replaced("\r\n", synthetic("\n", start)) if "\r" in text.chars else text


def _escaped(source: str, start: int, end: int) -> Text:
    if source.find("\\", start, end) < 0:
        return _raw(source, start, end)
    pieces: list[Text] = []
    at = start
    while (match := _ESCAPE.search(source, at, end)) is not None:
        pieces += [_raw(source, at, match.start()), synthetic(_decoded(match), match.start())]
        at = match.end()
    return joined([*pieces, _raw(source, at, end)])


def _decoded(match: re.Match[str]) -> str:
    if match["newline"] is not None:
        return ""
    if match["plain"] is not None:
        return _PLAIN.get(match["plain"], match[0])
    try:
        if match["octal"] is not None:
            return chr(int(match["octal"], 8))
        if match["name"] is not None:
            return unicodedata.lookup(match["name"])
        return chr(int(match["hex"] or match["u4"] or match["u8"], 16))
    except (KeyError, ValueError, OverflowError):
        return match[0]


def _fields(source: str, start: int, end: int) -> Iterator[tuple[int, int] | Field]:
    """The constant ranges of a format string and its fields; `{{` and `}}` are one brace."""
    at = start
    while at < end:
        brace = next((i for i in range(at, end) if source[i] in "{}"), end)
        if brace == end:
            yield at, end
            return
        if source[brace : brace + 2] in ("{{", "}}"):
            yield at, brace + 1
            at = brace + 2
        elif source[brace] == "}":
            yield at, brace + 1
            at = brace + 1
        else:
            yield at, brace
            close = _closing(source, brace, end)
            yield Field(source[brace + 1 : close], brace + 1)
            at = close + 1


def _closing(source: str, brace: int, end: int) -> int:
    """The brace that closes the field, past nested brackets and quoted strings."""
    depth, at = 0, brace
    while at < end:
        char = source[at]
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth == 0:
                return at
        elif char in "'\"" and depth:
            match = _PREFIX.match(source, at)
            at = min(end, literal_end(source, match)) - 1 if match else at
        at += 1
    return end


# --- filling in --------------------------------------------------------------------------------------------------------

Fill = Callable[[str, int], Text]


def formatted(text: Text, fill: Fill) -> Text:
    """As `str.format`: `fill` gives the text for a field's content."""
    pieces: list[Text] = []
    for piece in _fields(text.chars, 0, len(text.chars)):
        if isinstance(piece, Field):
            pieces.append(fill(piece.content, _place(text, piece.at)))
        else:
            pieces.append(text.cut(*piece))
    return joined(pieces)


def percent_filled(text: Text, fill: Fill) -> Text:
    """As `text % values`: `fill` gets the key, or the number of the conversion as text."""
    count = -1

    def value(match: re.Match[str], at: int) -> Text:
        nonlocal count
        if match["kind"] == "%":
            return synthetic("%", at)
        count += 1
        return fill(match["key"] if match["key"] is not None else str(count), at)

    return _substituted(text, _PERCENT, value)


def dollar_filled(text: Text, fill: Fill) -> Text:
    """As `string.Template.substitute`."""
    return _substituted(
        text, _DOLLAR, lambda m, at: synthetic("$", at) if m["escaped"] else fill(m["named"] or m["braced"], at)
    )


def jinja_filled(text: Text, fill: Fill) -> Text:
    """`{{ name }}` by its value; statements and comments of the template language are left out."""
    return _substituted(
        text, _JINJA, lambda m, at: fill(m["expression"], at) if m["expression"] is not None else synthetic("", at)
    )


def _substituted(text: Text, pattern: re.Pattern[str], value: Callable[[re.Match[str], int], Text]) -> Text:
    pieces: list[Text] = []
    at = 0
    for match in pattern.finditer(text.chars):
        pieces += [text.cut(at, match.start()), value(match, _place(text, match.start()))]
        at = match.end()
    return joined([*pieces, text.cut(at)])


def _place(text: Text, index: int) -> int:
    return text.at[index] if index < len(text.at) else NOWHERE
