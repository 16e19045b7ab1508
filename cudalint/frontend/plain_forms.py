"""One way of writing for what can be written in many: patterns of text see through the choice of words.

    n > i                                       ->   i < n                     what is fixed stands on the right
    !(i < n && j < m)                           ->   i >= n || j >= m          of whole numbers
    if (i >= n) {} else f(i);                   ->   if (i < n) f(i);
    *(x + row * w + i)                          ->   x[row * w + i]
    const bool inside = i < n; if (inside) ...  ->   if (i < n) ...
    x = x + v; i += 1;                          ->   x += v; i++;
    int i = 0; while (i < n) { f(i); i += s; }  ->   for (int i = 0; i < n; i += s) { f(i); }

Each means the same in C++, where sums of indices do not overflow; what the tree does not show to be so stays as it is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cudalint.frontend.plain_names import FIXED, JOINED, OPPOSITE, SETTING, VARYING, WRITTEN, Names
from cudalint.ir.syntax import Syntax

_NEGATED = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}
_COMPOUND = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")
_EITHER_WAY = ("+", "*", "&", "|", "^")
_ASKING = ("if_statement", "while_statement", "for_statement", "conditional_expression")
_LOOSE = ("binary_expression", "conditional_expression", "assignment_expression", "comma_expression", "cast_expression")
_LEAVES = ("continue_statement", "goto_statement", "case_statement", "labeled_statement")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the new text: the old text from `start` to `end`, or `text` in the place of that part."""

    start: int
    end: int
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Places:
    """Where the characters of the new text stood in the old one."""

    pieces: tuple[Piece, ...]
    begins: tuple[int, ...]

    def start(self, offset: int) -> int:
        """Of what begins at the offset."""
        number = max(0, bisect_right(self.begins, offset) - 1)
        piece = self.pieces[number]
        return piece.start if piece.text is not None else min(piece.end, piece.start + offset - self.begins[number])

    def end(self, offset: int) -> int:
        """Of what ends before the offset."""
        number = max(0, bisect_right(self.begins, max(0, offset - 1)) - 1)
        piece = self.pieces[number]
        return piece.end if piece.text is not None else min(piece.end, piece.start + offset - self.begins[number])


def plain_pieces(root: Syntax, length: int) -> tuple[Piece, ...]:
    """The text in plain words, as parts of the old one; none if it is plain."""
    edits: list[tuple[Syntax, list[Piece]]] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.kind == "function_definition":
            body = node.child("body")
            made = None if body is None else _written(node, body)
            if body is not None and made is not None:
                edits.append((body, made))
            continue
        waiting += node.children[::-1]
    if not edits:
        return ()
    pieces, at = list[Piece](), 0
    for body, made in edits:
        pieces += [Piece(at, body.start), *made]
        at = body.end
    pieces.append(Piece(at, length))
    return tuple(piece for piece in pieces if piece.end > piece.start or piece.text)


def places(pieces: tuple[Piece, ...]) -> Places:
    begins, at = [], 0
    for piece in pieces:
        begins.append(at)
        at += len(piece.text) if piece.text is not None else piece.end - piece.start
    return Places(pieces, tuple(begins))


def joined(pieces: tuple[Piece, ...], text: str) -> str:
    return "".join(piece.text if piece.text is not None else text[piece.start : piece.end] for piece in pieces)


def _written(function: Syntax, body: Syntax) -> list[Piece] | None:
    """The body of the function in plain words; nothing if it is, or if it is nested too deeply."""
    try:
        return _Writer(Names.of(function), body.file.text).written(body)
    except RecursionError:
        return None


class _Writer:
    """Writes the statements of one function; `changed` is nothing where a node stays as it is."""

    def __init__(self, names: Names, text: str) -> None:
        self._names = names
        self._text = text
        self._cut: set[int] = set()  # characters of the old text that nothing needs any more
        self._makers: dict[str, Callable[[Syntax, Syntax | None, str], list[Piece] | None]] = {
            "binary_expression": self._comparison,
            "unary_expression": self._negation,
            "pointer_expression": self._dereference,
            "if_statement": self._branch,
            "assignment_expression": self._assignment,
            "compound_statement": self._block,
            "identifier": self._name,
        }

    def written(self, body: Syntax) -> list[Piece] | None:
        pieces = self.changed(body, None, "")
        cut = sorted(self._cut)
        return pieces if not pieces or not cut else [part for piece in pieces for part in _without(piece, cut)]

    def changed(self, node: Syntax, parent: Syntax | None, name: str) -> list[Piece] | None:
        if node.kind in ("ERROR", "lambda_expression"):
            return None
        maker = self._makers.get(node.kind)
        made = maker(node, parent, name) if maker is not None else None
        return made if made is not None else self._with_children(node, {})

    def _with_children(self, node: Syntax, instead: dict[int, list[Piece]]) -> list[Piece] | None:
        """The node with what its children become, or with what is given in their place."""
        pieces, at, same = list[Piece](), node.start, True
        for child, name in zip(node.children, node.fields, strict=True):
            made = instead.get(id(child)) if instead else None
            made = made if made is not None else self.changed(child, node, name)
            if made is not None:
                same = False
                pieces += [Piece(at, child.start), *made]
                at = child.end
        return None if same else [*pieces, Piece(at, node.end)]

    def _of(self, node: Syntax, parent: Syntax | None = None) -> list[Piece]:
        made = self.changed(node, parent, "")
        return made if made is not None else [Piece(node.start, node.end)]

    def _operand(self, node: Syntax) -> list[Piece]:
        """With the parentheses that it may have had."""
        made = self._of(node)
        if node.kind not in _LOOSE:
            return made
        return [Piece(node.start, node.start, "("), *made, Piece(node.end, node.end, ")")]

    # --- tests ---

    def _comparison(self, node: Syntax, parent: Syntax | None, name: str) -> list[Piece] | None:
        if node.op == "+":
            return self._sum(node)
        return self._compared(node, node.op) if node.op in OPPOSITE and self._is_mirrored(node) else None

    def _is_mirrored(self, node: Syntax) -> bool:
        left, right = node.children
        if any(side.kind == "binary_expression" and side.op in OPPOSITE for side in (left, right)):
            return False
        ranks = self._names.rank(left), self._names.rank(right)
        return ranks[0] < ranks[1] and (ranks[0] == WRITTEN or ranks == (FIXED, VARYING))

    def _compared(self, node: Syntax, op: str) -> list[Piece]:
        left, right = node.children
        if self._is_mirrored(node):
            left, right, op = right, left, OPPOSITE[op]
        middle = Piece(node.start, node.end, f" {op} ")
        return [*self._operand(left), middle, *self._operand(right)]

    def _negation(self, node: Syntax, parent: Syntax | None, name: str) -> list[Piece] | None:
        if node.op != "!" or not node.children:
            return None
        made = self._negated(node.children[0])
        if made is None or (name == "condition" and parent is not None and parent.kind in _ASKING[:3]):
            return made
        return [Piece(node.start, node.start, "("), *made, Piece(node.end, node.end, ")")]

    def _negated(self, node: Syntax) -> list[Piece] | None:
        """The opposite, where it can be said without a negation."""
        if node.kind == "identifier":
            value = self._names.test(node.text)
            return self._negated(value) if value is not None else None
        if node.kind != "binary_expression":
            return None
        if node.op in _NEGATED:
            return self._compared(node, _NEGATED[node.op]) if self._names.is_whole(node) else None
        if node.op not in JOINED:
            return None
        left, right = (self._negated(side) for side in node.children)
        if left is None or right is None:
            return None
        around = (Piece(node.start, node.start, "("), Piece(node.end, node.end, ")"))
        between = Piece(node.start, node.end, f" {JOINED[node.op]} ")
        wrapped = [(around[0], *side, around[1]) for side in (left, right)]
        return [*wrapped[0], between, *wrapped[1]]

    def _name(self, node: Syntax, parent: Syntax | None, name: str) -> list[Piece] | None:
        """A name that stands for a comparison, where it is asked; a copy of a `dim3`, where it is launched with."""
        if parent is not None and parent.kind == "kernel_call_syntax":
            shape = self._names.shape(node.text)
            return None if shape is None else self._of(shape)
        value = self._names.test(node.text)
        if value is None or parent is None or node.start < value.end:
            return None
        if name == "condition" and parent.kind in _ASKING:
            return self._of(value)
        return self._operand(value) if parent.kind == "binary_expression" and parent.op in JOINED else None

    def _branch(self, node: Syntax, parent: Syntax | None, name: str) -> list[Piece] | None:
        """`if (c) {} else s` is `if (!(c)) s`."""
        condition, then, other = (node.child(each) for each in ("condition", "consequence", "alternative"))
        if condition is None or then is None or other is None or then.kind != "compound_statement" or then.children:
            return None
        if condition.kind in ("declaration", "condition_clause") or len(then.bare) != 2:
            return None
        if condition.kind == "unary_expression" and condition.op == "!":
            test = self._of(condition.children[0], node)
        else:
            made = self._negated(condition)
            test = made or [
                Piece(condition.start, condition.start, "!("),
                *self._of(condition),
                Piece(condition.end, condition.end, ")"),
            ]
        rest = other.children[-1] if other.kind == "else_clause" and other.children else other
        head = self._text.find("(", node.start, condition.start + 1) + 1
        if head == 0:
            return None
        rest_of_it = [Piece(rest.end, other.end)] if other.end > rest.end else []  # its semicolon
        between = Piece(then.start, then.start, ") ")
        return [Piece(node.start, head), *test, between, *self._of(rest, node), *rest_of_it]

    # --- values ---

    def _dereference(self, node: Syntax, parent: Syntax | None, name: str) -> list[Piece] | None:
        if node.op != "*" or not node.children or node.children[0].kind != "binary_expression":
            return None
        terms = list(_terms(node.children[0], "+"))
        arrays = [term for term in terms if self._is_array(term[1])]
        if len(arrays) != 1 or arrays[0][0] != "+" or len(terms) < 2:
            return None
        _, array = arrays[0]
        begin = [Piece(node.start, array.end, array.text)] if array.kind == "identifier" else self._of(array)
        pieces = [*begin, Piece(array.end, array.end, "[")]
        first = True
        for sign, term in terms:
            if term is array:
                continue
            if not first or sign == "-":
                pieces.append(Piece(term.start, term.start, sign if first else f" {sign} "))
            is_product = term.kind == "binary_expression" and term.op in ("*", "/", "%")
            pieces += self._of(term) if is_product else self._operand(term)
            first = False
        self._cut.update(self._parentheses(node, parent))
        return [*pieces, Piece(node.end, node.end, "]")]

    def _parentheses(self, node: Syntax, parent: Syntax | None) -> tuple[int, ...]:
        """Those right around an operand, which an element does not need; those that a parent begins with call nothing."""
        text, before, after = self._text, node.start - 1, node.end
        while before >= 0 and text[before] == " ":
            before -= 1
        while after < len(text) and text[after] == " ":
            after += 1
        if before < 0 or after == len(text) or text[before] != "(" or text[after] != ")":
            return ()
        if parent is not None and parent.start == before:
            return before, after
        called = text[max(0, before - 80) : before].rstrip()
        return () if called and (called[-1] in "_)]>" or called[-1].isalnum()) else (before, after)

    def _is_array(self, node: Syntax) -> bool:
        return self._levels(node) > 0

    def _levels(self, node: Syntax) -> int:
        """How often a value can be dereferenced, as far as declarations of pointers and arrays tell."""
        if node.kind == "identifier":
            return self._names.levels.get(node.text, 0)
        if node.kind == "subscript_expression" or (node.kind == "pointer_expression" and node.op == "*"):
            return self._levels(node.children[0]) - 1 if node.children else 0
        if node.kind == "binary_expression" and node.op in ("+", "-"):
            return max(self._levels(side) for side in node.children)
        return 0

    def _assignment(self, node: Syntax, parent: Syntax | None, name: str) -> list[Piece] | None:
        target, value = node.children
        stands_alone = parent is not None and (
            parent.kind == "compound_statement" or name in ("update", "consequence", "body")
        )
        if not stands_alone or any(part.kind in ("call_expression", "update_expression") for part in target.walk()):
            return None
        if node.op == "=" and value.kind == "binary_expression" and value.op in _COMPOUND:
            left, right = value.children
            if right.bare == target.bare and value.op in _EITHER_WAY and left.bare != target.bare:
                left, right = right, left
            if left.bare == target.bare and left.kind == target.kind:
                if right.bare == "1" and value.op in "+-":
                    return [*self._of(target), Piece(target.end, node.end, value.op * 2)]
                between = Piece(target.end, value.start, f" {value.op}= ")
                return [*self._of(target), between, *self._of(right)]
        if node.op in ("+=", "-=") and value.text == "1":
            return [*self._of(target), Piece(target.end, node.end, node.op[0] * 2)]
        return None

    def _sum(self, node: Syntax) -> list[Piece] | None:
        """`255 + n` is `n + 255`."""
        left, right = node.children
        if left.kind != "number_literal" or right.kind in _LOOSE or self._names.rank(right) == WRITTEN:
            return None
        return [*self._of(right), Piece(node.start, node.end, " + "), *self._of(left)]

    # --- statements ---

    def _asked_once(self, branch: Syntax, before: Syntax, instead: dict[int, list[Piece]]) -> None:
        """`bool inside = f(i); if (inside) ...`: asked right behind it, and nowhere else."""
        condition = branch.child("condition")
        is_negated = condition is not None and condition.kind == "unary_expression" and condition.op == "!"
        asked = condition.children[0] if condition is not None and is_negated and condition.children else condition
        if condition is None or asked is None or asked.kind != "identifier" or not _declares(before, asked.text):
            return
        type_, value = before.child("type"), before.all("declarator")[0].child("value")
        if type_ is None or type_.text not in ("bool", "auto") or value is None or value.kind == "initializer_list":
            return
        if self._names.uses.get(asked.text) != 2 or self._text[before.end : branch.start].strip():
            return
        test = self._of(value, branch) if not is_negated else self._negated(value)
        if test is None:
            test = [Piece(value.start, value.start, "!("), *self._of(value), Piece(value.end, value.end, ")")]
        made = self._with_children(branch, {id(condition): test})
        if made is not None:
            instead[id(before)], instead[id(branch)] = [Piece(before.start, before.start, " ")], made

    def _block(self, node: Syntax, parent: Syntax | None, name: str) -> list[Piece] | None:
        return self._statements(node, {})

    def _statements(self, node: Syntax, instead: dict[int, list[Piece]]) -> list[Piece] | None:
        for place, child in enumerate(node.children):
            if child.kind == "while_statement":
                before = node.children[place - 1] if place else None
                self._counted(child, before, node.children[place + 1 :], instead)
            elif child.kind == "if_statement" and place:
                self._asked_once(child, node.children[place - 1], instead)
        return self._with_children(node, instead) if instead else None

    def _counted(
        self, loop: Syntax, before: Syntax | None, later: tuple[Syntax, ...], instead: dict[int, list[Piece]]
    ) -> None:
        """A `while` that counts at its end."""
        condition, body = loop.child("condition"), loop.child("body")
        if condition is None or body is None or body.kind != "compound_statement" or len(body.children) < 2:
            return
        step = body.children[-1]
        counter = step.children[0] if step.kind in SETTING and step.children else None
        if counter is None or counter.kind != "identifier" or _names_in(condition).isdisjoint((counter.text,)):
            return
        if step.kind == "assignment_expression" and step.op == "=" and counter.text not in _names_in(step.children[1]):
            return
        inside = list(body.walk())
        if any(part.kind in _LEAVES for part in inside) or _times_set(inside, counter.text) != 1:
            return
        semicolon = self._text.find(";", step.end, body.end)
        if semicolon < 0 or self._text[step.end : semicolon].strip():
            return
        begin: list[Piece] = [Piece(loop.start, loop.start, ";")]
        if before is not None and self._begins(before, loop, counter.text, later):
            is_declaration = before.kind == "declaration"
            if not is_declaration:
                self._cut.add(self._text.index(";", before.end))
            begin = [*self._of(before, loop), *([] if is_declaration else begin)]
            instead[id(before)] = [Piece(before.start, before.start, " ")]
        self._cut.add(semicolon)
        kept = self._statements(body, {id(step): [Piece(step.start, step.start, " ")]}) or []
        head = [
            Piece(loop.start, loop.start, "for ("),
            *begin,
            Piece(condition.start, condition.start, " "),
            *self._of(condition, loop),
        ]
        made = self.changed(step, body, "")
        update = made if made is not None else [Piece(step.start, step.end)]
        instead[id(loop)] = [
            *head, Piece(condition.end, condition.end, "; "), *update, Piece(body.start, body.start, ") "), *kept,
        ]  # fmt: skip

    def _begins(self, node: Syntax, loop: Syntax, name: str, later: tuple[Syntax, ...]) -> bool:
        """It declares this name alone, which nobody asks for behind the loop, or sets it, and stands right before the loop."""
        end = node.end if node.kind == "declaration" else self._text.find(";", node.end, loop.start) + 1
        if end == 0 or self._text[end : loop.start].strip() or "//" in node.text:
            return False
        if node.kind == "assignment_expression":
            return node.op == "=" and node.children[0].text == name and not self._text[node.end : end - 1].strip()
        return _declares(node, name) and all(name not in _names_in(each) for each in later)


def _terms(node: Syntax, sign: str) -> Iterator[tuple[str, Syntax]]:
    """The terms of a sum with their signs."""
    if node.kind == "binary_expression" and node.op in ("+", "-"):
        left, right = node.children
        yield from _terms(left, sign)
        flipped = {"+": "-", "-": "+"}[sign]
        yield from _terms(right, sign if node.op == "+" else flipped)
    else:
        yield sign, node


def _names_in(node: Syntax) -> set[str]:
    return {part.text for part in node.walk() if part.kind == "identifier"}


def _times_set(nodes: list[Syntax], name: str) -> int:
    return sum(
        1
        for node in nodes
        if (node.kind in SETTING or (node.kind == "pointer_expression" and node.op == "&"))
        and node.children
        and node.children[0].text == name
    )


def _declares(node: Syntax, name: str) -> bool:
    """It declares this name, and no other, with what it begins with."""
    declarators = node.all("declarator") if node.kind == "declaration" else ()
    if len(declarators) != 1 or declarators[0].kind != "init_declarator":
        return False
    inner = declarators[0].child("declarator")
    return inner is not None and inner.text == name


def _without(piece: Piece, cut: list[int]) -> Iterator[Piece]:
    """The piece without these characters of the old text."""
    at = piece.start
    if piece.text is None:
        for number in range(bisect_left(cut, piece.start), bisect_left(cut, piece.end)):
            yield Piece(at, cut[number])
            at = cut[number] + 1
    yield piece if at == piece.start else Piece(at, piece.end)
