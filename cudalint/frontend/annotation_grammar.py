"""The grammar of annotations: text to syntax trees, with the place of every mistake.

text       = statement (";" statement)*
statement  = ("extent" | "bytes" | "readable" | "align" | "init") "(" element ")" "=" sum
           | ("output" | "external") "(" path ")"  |  "distinct" "(" path ["except" sum] ")"
           | "nullable" "(" path ")" ["iff" condition]  |  "alias" "(" path "," path ")"
           | "shape" "(" path ")" "=" list ["stride" list]  |  "view" "(" path ")" "=" type "[" sum "]"
           | "values" "(" element ")" "in" "[" sum "," sum ("]" | ")")  |  "offsets" "(" path "," sum ")"
           | "assume" condition  |  "let" name "=" sum
           | "launch" ("grid" "=" tuple | "block" "=" tuple | "shared" "=" sum | "cooperative")+
           | "instantiate" name "<" free text ">"  |  "reference" path "=" free text
element    = path ("[" (name | sum | [sum] ":" [sum]) "]")*                 a new name means: for every
condition  = conjunct ("||" conjunct)*          conjunct = comparison ("&&" comparison)*
comparison = sum (("<" | "<=" | ">" | ">=" | "==" | "!=") sum)*       chained: 0 < n <= 4 means 0 < n && n <= 4
sum        = product (("+" | "-") product)*     product  = unary (("*" | "/" | "%") unary)*
unary      = ("-" | "+" | "!") unary | number | path ["[" sum "]"] | name "(" sum ("," sum)* ")" | "(" condition ")"
tuple      = "(" sum ["," sum ["," sum]] ")"    list     = "[" sum ("," sum)* "]"
path       = name ("." name)*                   type     = name ("::" name)*
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeAlias


class AnnotationError(Exception):
    """A statement that cannot be used; `line` and `column` are those of the file, 1-based, in code points."""

    def __init__(self, message: str, line: int, column: int, path: str | None = None) -> None:
        super().__init__(message)
        self.message, self.line, self.column, self.path = message, line, column, path

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.message}"


class GrammarError(Exception):
    """A mistake at an offset of the text; `annotations` turns it into an AnnotationError."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message, self.offset = message, offset


# --- syntax trees ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Literal:
    value: int
    offset: int


@dataclass(frozen=True, slots=True)
class Path:
    """A name or `name.field.field`."""

    name: str
    offset: int


@dataclass(frozen=True, slots=True)
class Application:
    function: str
    args: tuple[Expression, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class Prefix:
    op: str
    operand: Expression
    offset: int


@dataclass(frozen=True, slots=True)
class Infix:
    op: str
    left: Expression
    right: Expression
    offset: int


@dataclass(frozen=True, slots=True)
class Chain:
    """`first op expr op expr ...` of comparisons, each with its right neighbour."""

    first: Expression
    rest: tuple[tuple[str, Expression], ...]
    offset: int


@dataclass(frozen=True, slots=True)
class Content:
    """`path[index]`: what the array holds there at the start of the launch."""

    path: Path
    index: Expression
    offset: int


Expression: TypeAlias = Literal | Path | Application | Prefix | Infix | Chain | Content


@dataclass(frozen=True, slots=True)
class Slice:
    """`[low:high]`; a bound that was left out is None."""

    low: Expression | None
    high: Expression | None


@dataclass(frozen=True, slots=True)
class Element:
    """A pointer, or `pointer[i][a:b]`: the elements that a statement speaks of."""

    path: Path
    brackets: tuple[Expression | Slice, ...] = ()


@dataclass(frozen=True, slots=True)
class Measure:
    """extent, bytes, readable, align or init."""

    kind: str
    element: Element
    value: Expression


@dataclass(frozen=True, slots=True)
class Mark:
    """output, distinct (with the value that may repeat) or external."""

    kind: str
    pointer: Path
    exempt: Expression | None = None


@dataclass(frozen=True, slots=True)
class ShapeOf:
    pointer: Path
    dimensions: tuple[Expression, ...]
    strides: tuple[Expression, ...] | None


@dataclass(frozen=True, slots=True)
class ViewOf:
    pointer: Path
    type: Path
    count: Expression


@dataclass(frozen=True, slots=True)
class OffsetsOf:
    pointer: Path
    total: Expression


@dataclass(frozen=True, slots=True)
class InstanceOf:
    """`kernel<arguments>` as written."""

    text: str
    offset: int


@dataclass(frozen=True, slots=True)
class NullableIff:
    pointer: Path
    null: Expression | None


@dataclass(frozen=True, slots=True)
class SameBuffer:
    a: Path
    b: Path


@dataclass(frozen=True, slots=True)
class Range:
    element: Element
    low: Expression
    high: Expression
    closed: bool


@dataclass(frozen=True, slots=True)
class Assumed:
    cond: Expression


@dataclass(frozen=True, slots=True)
class Let:
    """Without a value the name is that of a size which no parameter holds."""

    name: Path
    value: Expression | None


@dataclass(frozen=True, slots=True)
class LaunchOf:
    """A dimension that was left out is None; `grid` and `block` hold one to three expressions."""

    grid: tuple[Expression, ...] | None
    block: tuple[Expression, ...] | None
    shared: Expression | None
    cooperative: bool


@dataclass(frozen=True, slots=True)
class ReferenceText:
    output: Path
    expression: str


Statement: TypeAlias = (
    Measure | Mark | NullableIff | SameBuffer | Range | Assumed | Let | LaunchOf | ReferenceText
    | ShapeOf | ViewOf | OffsetsOf | InstanceOf
)  # fmt: skip

MEASURES = ("extent", "bytes", "readable", "align", "init")
MARKS = ("output", "distinct", "external")
STATEMENTS = (
    *MEASURES, *MARKS, "nullable", "alias", "values", "assume", "let", "launch", "reference", "shape", "view", "offsets",
    "instantiate",
)  # fmt: skip
LATER = ("ensures",)
_INSTANCE = re.compile(r"[A-Za-z_][\w:]*\s*<[\w\s:<>,*&.()+-]*>\Z")


# --- statements of a text --------------------------------------------------------------------------------------------


def split_statements(text: str) -> list[tuple[int, str]]:
    """(offset, statement) for each non-empty piece between `;`; a reference may hold `;` in quotes."""
    pieces: list[tuple[int, str]] = []
    start, quote = 0, ""
    for offset, char in enumerate(text + ";"):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"" and text[start:offset].lstrip().startswith("reference"):
            quote = char if char in text[offset + 1 :] else ""
        elif char == ";":
            piece = text[start:offset]
            if piece.strip():
                lead = len(piece) - len(piece.lstrip())
                pieces.append((start + lead, piece.strip()))
            start = offset + 1
    return pieces


def nearest(name: str, names: tuple[str, ...] | list[str]) -> str:
    """`; did you mean ...?`, or nothing when no name is near."""
    found = get_close_matches(name, names, n=1, cutoff=0.6)
    return f"; did you mean `{found[0]}`?" if found else ""


# --- tokens ----------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>0[xX][0-9a-fA-F]+|\d[\d_]*)[uUlL]*(?![\w.])
    |(?P<name>[A-Za-z_]\w*)
    |(?P<op><=|>=|==|!=|&&|\|\||[-+*/%<>=!()\[\],.;:])
    |(?P<bad>\S))""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    offset: int


def tokens_of(text: str, offset: int) -> list[Token]:
    """The tokens of one statement that starts at `offset`; the last one is of kind `end`."""
    tokens: list[Token] = []
    position = 0
    while match := _TOKEN.match(text, position):
        kind = match.lastgroup or "bad"
        tokens.append(Token(kind, match.group(kind), offset + match.start(kind)))
        position = match.end()
    tokens.append(Token("end", "", offset + len(text.rstrip())))
    return tokens


# --- parser ----------------------------------------------------------------------------------------------------------

_DEEPEST = 60


class Parser:
    """Recursive descent over one statement."""

    def __init__(self, text: str, offset: int) -> None:
        self._text, self._start = text, offset
        self._tokens = tokens_of(text, offset)
        self._next = 0
        self._depth = 0

    def statement(self) -> Statement:
        """The whole statement; GrammarError where it is malformed."""
        head = self._take("name", "a statement")
        if head.text == "reference":
            return self._reference()
        if head.text == "instantiate":
            return self._instance(head)
        found = self._body(head)
        if self._peek().kind != "end":
            raise self._unexpected("the end of the statement")
        return found

    def condition(self) -> Expression:
        """The whole text as an expression."""
        found = self._condition()
        if self._peek().kind != "end":
            raise self._unexpected("the end of the expression")
        return found

    def _body(self, head: Token) -> Statement:
        name = head.text
        if name in MEASURES:
            element = self._element()
            self._expect("=")
            return Measure(name, element, self._sum())
        if name in MARKS:
            return self._mark(name)
        if name == "shape":
            return self._shape()
        if name == "view":
            return self._view()
        if name == "offsets":
            return self._offsets()
        if name == "nullable":
            pointer = self._pointer()
            return NullableIff(pointer, self._condition() if self._accept("iff") else None)
        if name == "alias":
            return self._alias()
        if name == "values":
            return self._values()
        if name == "assume":
            return Assumed(self._condition())
        if name == "let":
            return self._let()
        if name == "launch":
            return self._launch(head)
        if name in LATER:
            raise GrammarError(f"`{name}` is not supported by this version", head.offset)
        raise GrammarError(f"unknown statement `{name}`{nearest(name, STATEMENTS)}", head.offset)

    def _mark(self, name: str) -> Mark:
        self._expect("(")
        path = self._path()
        exempt = self._sum() if name == "distinct" and self._accept("except") else None
        self._close()
        return Mark(name, path, exempt)

    def _shape(self) -> ShapeOf:
        pointer = self._pointer()
        self._expect("=")
        dimensions = self._list()
        strides = self._list() if self._accept("stride") else None
        if strides is not None and len(strides) != len(dimensions):
            raise GrammarError(f"{len(dimensions)} dimensions have as many strides", offset_of(strides[0]))
        return ShapeOf(pointer, dimensions, strides)

    def _list(self) -> tuple[Expression, ...]:
        self._expect("[")
        parts = [self._sum()]
        while self._accept(","):
            parts.append(self._sum())
        self._expect("]")
        return tuple(parts)

    def _view(self) -> ViewOf:
        pointer = self._pointer()
        self._expect("=")
        first = self._take("name", "a type")
        parts = [first.text]
        while self._accept(":"):
            self._expect(":")
            parts.append(self._take("name", "a type").text)
        self._expect("[")
        count = self._sum()
        self._expect("]")
        return ViewOf(pointer, Path("::".join(parts), first.offset), count)

    def _offsets(self) -> OffsetsOf:
        self._expect("(")
        path = self._path()
        self._expect(",")
        total = self._sum()
        self._expect(")")
        return OffsetsOf(path, total)

    def _instance(self, head: Token) -> InstanceOf:
        start = head.offset - self._start + len(head.text)
        text = " ".join(self._text[start:].split())
        if _INSTANCE.match(text) is None:
            raise GrammarError("expected `kernel<arguments>`", self._tokens[1].offset)
        return InstanceOf(text, head.offset)

    def _alias(self) -> SameBuffer:
        self._expect("(")
        a = self._path()
        self._expect(",")
        b = self._path()
        self._expect(")")
        return SameBuffer(a, b)

    def _values(self) -> Range:
        element = self._element()
        if not self._accept("in"):
            raise self._unexpected("`in`")
        self._expect("[")
        low = self._sum()
        self._expect(",")
        high = self._sum()
        if self._accept("]"):
            return Range(element, low, high, True)
        if self._accept(")"):
            return Range(element, low, high, False)
        raise self._unexpected("`)` or `]`")

    def _let(self) -> Let:
        name = self._take("name", "a name")
        return Let(Path(name.text, name.offset), self._sum() if self._accept("=") else None)

    def _launch(self, head: Token) -> LaunchOf:
        dims: dict[str, tuple[Expression, ...]] = {}
        shared: Expression | None = None
        cooperative = False
        while self._peek().kind != "end":
            key = self._take("name", "`grid`, `block`, `shared` or `cooperative`")
            if key.text in dims or (key.text == "shared" and shared is not None):
                raise GrammarError(f"`{key.text}` is given twice", key.offset)
            if key.text == "cooperative":
                cooperative = True
            elif key.text == "shared":
                self._expect("=")
                shared = self._sum()
            elif key.text in ("grid", "block"):
                self._expect("=")
                dims[key.text] = self._tuple()
            else:
                hint = nearest(key.text, ("grid", "block", "shared", "cooperative"))
                raise GrammarError(f"a launch has no `{key.text}`{hint}", key.offset)
            self._accept(",")
        if not dims and shared is None and not cooperative:
            raise GrammarError(
                "a launch states `grid=(...)`, `block=(...)`, `shared=...` or `cooperative`", head.offset
            )
        return LaunchOf(dims.get("grid"), dims.get("block"), shared, cooperative)

    def _tuple(self) -> tuple[Expression, ...]:
        opening = self._expect("(")
        parts = [self._sum()]
        while self._accept(","):
            parts.append(self._sum())
        self._expect(")")
        if len(parts) > 3:
            raise GrammarError("a launch has three dimensions at most", opening.offset)
        return tuple(parts)

    def _reference(self) -> ReferenceText:
        output = self._path()
        equals = self._expect("=")
        expression = self._text[equals.offset - self._start + 1 :].strip()
        if not expression:
            raise GrammarError("expected the reference expression", self._tokens[-1].offset)
        return ReferenceText(output, " ".join(expression.split()))

    def _pointer(self) -> Path:
        self._expect("(")
        path = self._path()
        self._close()
        return path

    def _close(self) -> None:
        if self._peek().text == "[":
            raise GrammarError("this statement speaks of a whole array", self._peek().offset)
        self._expect(")")

    def _element(self) -> Element:
        self._expect("(")
        path = self._path()
        brackets: list[Expression | Slice] = []
        while self._accept("["):
            low = None if self._peek().text == ":" else self._sum()
            if self._accept(":"):
                high = None if self._peek().text == "]" else self._sum()
                brackets.append(Slice(low, high))
            elif low is not None:
                brackets.append(low)
            self._expect("]")
        self._expect(")")
        return Element(path, tuple(brackets))

    def _path(self) -> Path:
        first = self._take("name", "a name")
        parts = [first.text]
        while self._accept("."):
            parts.append(self._take("name", "a field name").text)
        return Path(".".join(parts), first.offset)

    # --- expressions --------------------------------------------------------------------------------------------------

    def _condition(self) -> Expression:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise GrammarError("the expression is nested too deeply", self._peek().offset)
        left = self._conjunct()
        while op := self._accept("||"):
            left = Infix("||", left, self._conjunct(), op.offset)
        self._depth -= 1
        return left

    def _conjunct(self) -> Expression:
        left = self._comparison()
        while op := self._accept("&&"):
            left = Infix("&&", left, self._comparison(), op.offset)
        return left

    def _comparison(self) -> Expression:
        first = self._sum()
        rest: list[tuple[str, Expression]] = []
        while op := self._accept("<", "<=", ">", ">=", "==", "!="):
            rest.append((op.text, self._sum()))
        if self._peek().text == "=" and self._peek().kind == "op":
            raise GrammarError("`=` states a fact; compare with `==`", self._peek().offset)
        return Chain(first, tuple(rest), offset_of(first)) if rest else first

    def _sum(self) -> Expression:
        left = self._product()
        while op := self._accept("+", "-"):
            left = Infix(op.text, left, self._product(), op.offset)
        return left

    def _product(self) -> Expression:
        left = self._unary()
        while op := self._accept("*", "/", "%"):
            left = Infix(op.text, left, self._unary(), op.offset)
        return left

    def _unary(self) -> Expression:
        prefixes: list[Token] = []
        while op := self._accept("-", "+", "!"):
            prefixes.append(op)
        found = self._primary()
        for op in reversed(prefixes):
            found = Prefix(op.text, found, op.offset)
        return found

    def _primary(self) -> Expression:
        token = self._peek()
        if token.kind == "number":
            self._next += 1
            return Literal(
                int(token.text.replace("_", ""), 0) if "x" in token.text.lower() else int(token.text), token.offset
            )
        if token.kind == "name" and self._tokens[self._next + 1].text == "(":
            return self._application()
        if token.kind == "name":
            path = self._path()
            if not self._accept("["):
                return path
            index = self._sum()
            self._expect("]")
            return Content(path, index, path.offset)
        if self._accept("("):
            inner = self._condition()
            self._expect(")")
            return inner
        raise self._unexpected("a number, a name or `(`")

    def _application(self) -> Application:
        name = self._take("name", "a function")
        self._expect("(")
        args = [self._condition()]
        while self._accept(","):
            args.append(self._condition())
        self._expect(")")
        return Application(name.text, tuple(args), name.offset)

    # --- tokens -------------------------------------------------------------------------------------------------------

    def _peek(self) -> Token:
        return self._tokens[self._next]

    def _accept(self, *texts: str) -> Token | None:
        token = self._peek()
        if token.kind in ("op", "name") and token.text in texts:
            self._next += 1
            return token
        return None

    def _expect(self, text: str) -> Token:
        token = self._accept(text)
        if token is None:
            raise self._unexpected(f"`{text}`")
        return token

    def _take(self, kind: str, what: str) -> Token:
        token = self._peek()
        if token.kind != kind:
            raise self._unexpected(what)
        self._next += 1
        return token

    def _unexpected(self, expected: str) -> GrammarError:
        token = self._peek()
        found = "the statement ends" if token.kind == "end" else f"found `{token.text}`"
        return GrammarError(f"expected {expected}, but {found}", token.offset)


def offset_of(expr: Expression) -> int:
    """Where the expression begins in the text."""
    match expr:
        case Literal() | Path() | Application() | Prefix() | Chain() | Content():
            return expr.offset
        case Infix():
            return offset_of(expr.left)
