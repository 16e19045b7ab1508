"""What a function's text says of its names: what is set, how it is declared, and how much it changes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from cudalint.ir.syntax import Syntax

OPPOSITE = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
JOINED = {"&&": "||", "||": "&&"}
SETTING = ("assignment_expression", "update_expression")
_WHOLE = re.compile(
    r"(?:(?:const|constexpr|volatile|static|unsigned|signed|int|long|short|char|size_t|ssize_t|ptrdiff_t|uint|ulong"
    r"|u?int(?:8|16|32|64)_t|std::\w*size_t|std::u?int(?:8|16|32|64)_t)\s*)+"
)
_BUILTIN = re.compile(r"(?:threadIdx|blockIdx|blockDim|gridDim)\.[xyz]|warpSize|true|false")
_THREAD = ("threadIdx", "blockIdx")
WRITTEN, FIXED, OPEN, VARYING = range(4)


@dataclass
class Names:
    """The parameters and variables of a function: what is set, and how it is declared.

    `levels` counts the pointers and arrays around a name; `whole` names are integers, `other` ones may be anything; `sets` are
    changed somewhere, or hide one another, and `last_set` is where the last change ends. `values` are what variables begin with,
    `tests` and `shapes` those that are comparisons and copies of a `dim3`.
    """

    parameters: set[str] = field(default_factory=set)
    variables: set[str] = field(default_factory=set)
    levels: dict[str, int] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    other: set[str] = field(default_factory=set)
    sets: set[str] = field(default_factory=set)
    last_set: dict[str, int] = field(default_factory=dict)
    values: dict[str, Syntax | None] = field(default_factory=dict)
    tests: dict[str, Syntax | None] = field(default_factory=dict)
    shapes: dict[str, Syntax | None] = field(default_factory=dict)
    uses: dict[str, int] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, function: Syntax) -> Names:
        names = cls()
        for node in function.walk():
            if node.kind in ("parameter_declaration", "optional_parameter_declaration", "declaration"):
                names._declare(node)
            elif node.kind in SETTING or (node.kind == "pointer_expression" and node.op == "&"):
                names._set(node.children[0] if node.children else None, node.end)
            elif node.kind == "call_expression":
                names._call(node)
            elif node.kind == "identifier":
                names.uses[node.text] = names.uses.get(node.text, 0) + 1
        return names

    def _declare(self, node: Syntax) -> None:
        type_ = node.child("type")
        head = "" if type_ is None else node.file.text[node.start : type_.end]
        for declarator in node.all("declarator"):
            name, levels = _declared(declarator)
            if name is None:
                continue
            if name in self.values:
                self.sets.add(name)  # one of the two hides the other
                self.last_set[name] = node.end
            if node.kind == "declaration":
                self.variables.add(name)
            else:
                self.parameters.add(name)
            self.levels[name] = levels if self.levels.get(name, levels) == levels else 0
            (self.whole if not levels and _WHOLE.fullmatch(head.strip()) else self.other).add(name)
            value = declarator.child("value") if declarator.kind == "init_declarator" else None
            self.values[name] = value if name not in self.values else None
            given = value.children if value is not None and value.kind == "initializer_list" else ()
            is_copy = type_ is not None and type_.text == "dim3" and [g.kind for g in given] == ["identifier"]
            self.shapes[name] = given[0] if is_copy else None
            is_test = value is not None and _is_test(value) and type_ is not None and type_.text in ("bool", "auto")
            self.tests[name] = value if is_test and name not in self.tests and not levels else None

    def _set(self, target: Syntax | None, at: int) -> None:
        name = _base(target)
        if name:
            self.sets.add(name)
            self.last_set[name] = max(at, self.last_set.get(name, 0))

    def _call(self, node: Syntax) -> None:
        """A function may change what it is given, and a method what it is called for."""
        function, given = node.child("function"), node.child("arguments")
        changed = [function] if function is not None and function.kind == "field_expression" else []
        for name in map(_base, (*changed, *(given.children if given is not None else ()))):
            self.last_set[name] = max(node.end, self.last_set.get(name, 0))

    def test(self, name: str) -> Syntax | None:
        """The comparison that a name stands for wherever it is used: neither it nor what it compares is set later."""
        return self._kept(self.tests.get(name), name)

    def shape(self, name: str) -> Syntax | None:
        """The name that a `dim3` is a copy of."""
        return self._kept(self.shapes.get(name), name)

    def _kept(self, value: Syntax | None, name: str) -> Syntax | None:
        if value is None or name in self.sets:
            return None
        for node in value.walk():
            if node.kind in ("subscript_expression", "call_expression", "pointer_expression"):
                return None
            if node.kind == "identifier" and self.last_set.get(node.text, 0) > value.start:
                return None
        return value

    def is_whole(self, node: Syntax) -> bool:
        """A comparison of whole numbers, whose negation is the opposite comparison."""
        for part in node.walk():
            if part.kind == "identifier":
                known = part.text in self.whole and part.text not in self.other
                constant = part.text.isupper() and part.text not in self.parameters | self.variables
                if not known and not constant and part.text not in ("threadIdx", "blockIdx", "blockDim", "gridDim"):
                    return False
            elif part.kind == "number_literal":
                if "." in part.text or (part.text[-1] in "fF" and not part.text.lower().startswith("0x")):
                    return False
            elif part.kind == "field_expression":
                if _BUILTIN.fullmatch(part.bare) is None:
                    return False
            elif part.kind not in ("binary_expression", "field_identifier"):
                return False
        return True

    def rank(self, node: Syntax) -> int:
        """How much a value changes while the function runs: WRITTEN, FIXED, OPEN (nobody knows) or VARYING."""
        rank = WRITTEN
        for part in node.walk():
            if part.kind in ("subscript_expression", "call_expression", *SETTING):
                rank = max(rank, OPEN)
            elif part.kind in ("identifier", "this"):
                is_varying = part.text in _THREAD or part.text in self.sets
                rank = max(rank, VARYING if is_varying else self._rank_of(part.text))
        return rank

    def _rank_of(self, name: str) -> int:
        """A variable that keeps what it begins with is as fixed as that."""
        if name not in self.variables:
            return FIXED
        if name not in self.ranks:
            self.ranks[name] = OPEN
            value = self.values.get(name)
            self.ranks[name] = OPEN if value is None else max(FIXED, self.rank(value))
        return self.ranks[name]


def _base(node: Syntax | None) -> str:
    """The name of what a member is taken of, or the name itself."""
    while node is not None and node.kind == "field_expression" and node.children:
        node = node.children[0]
    return node.text if node is not None and node.kind == "identifier" else ""


def _declared(node: Syntax) -> tuple[str | None, int]:
    """The name of a declarator, and how many pointers and arrays are around it."""
    levels, at = 0, node
    while at.kind != "identifier":
        levels += at.kind in ("pointer_declarator", "array_declarator")
        if at.kind in ("function_declarator", "reference_declarator", "structured_binding_declarator"):
            return None, 0
        inner = at.child("declarator")
        if inner is None:
            inner = next((c for c in at.children if c.kind.endswith(("declarator", "identifier"))), None)
        if inner is None:
            return None, 0
        at = inner
    return at.text, levels


def _is_test(node: Syntax) -> bool:
    return node.kind == "binary_expression" and (node.op in OPPOSITE or node.op in JOINED)
