"""What the text says of an expression for the threads of a block: different for each, the same for all, or not known.

`int i = blockIdx.x * blockDim.x + threadIdx.x` differs between threads, `n / 2` of a kernel parameter does not, and what comes from
memory or from a call is not known. Who asks about the way of the threads alone may take it that they read one element alike.
Expressions are compared after the names in them are spelled out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from cudalint.analysis.text.scopes import Scope
from cudalint.analysis.text.text_program import CEIL, Body
from cudalint.ir.syntax import Syntax

THREAD, UNIFORM, UNKNOWN = "thread", "uniform", "unknown"
DEPTH = 6
LOOPS = ("for_statement", "while_statement", "do_statement")
_THREAD = re.compile(r"\bthreadIdx\s*\.\s*[xyz]\b")
_LAUNCH = re.compile(r"^(blockIdx|blockDim|gridDim)\s*\.\s*[xyz]$")
_THREAD_PARAMETER = re.compile(
    r"^(tid|tx|ty|tidx|tid_?[xyz]|thread_?id|thread_?idx|threadId[xyz]?|lane|lane_?id|lid|warp_?id)$", re.IGNORECASE
)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?![\w(])[ \t]+([^\n]*)$", re.MULTILINE)
_ARITHMETIC = re.compile(
    r"^(min|max|abs|__u?mul24|static_cast\s*<.*>|(::)?u?int|unsigned|size_t|std::(min|max))$", re.DOTALL
)
_CONSTANT = re.compile(r"^(k?[A-Z]\w*|warpSize|warp_size|true|false)$")
THREAD_CALL = re.compile(
    r"^(\w+(::|\.))*_?(get_?)?(lane_?id|thread_?rank|meta_group_?rank|warp_?(id|rank))$", re.IGNORECASE
)
GROUP_SIZE_CALL = re.compile(
    r"^(block|cta|tb|cg_block|thread_?block|this_thread_block\(\))\.(size|num_threads)$", re.IGNORECASE
)
_GROUP_COORDINATE = re.compile(r"\b\w+(\(\))?\.(thread_index|group_index|group_dim|dim_threads)\(\)\.([xyz])")
_BUILTINS = {
    "thread_index": "threadIdx", "group_index": "blockIdx", "group_dim": "blockDim", "dim_threads": "blockDim",
}  # fmt: skip
_CONSTANT_POINTER = re.compile(r"(const\s+[\w:]+|[\w:]+\s+const)\s*\*[^*]*$")
_CONSTEXPR = re.compile(r"(static\s+)?constexpr\b")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Counter:
    """The counter of a for loop: where it starts and how it goes on, spelled out."""

    loop: Syntax
    init: Syntax
    update: Syntax

    @property
    def step(self) -> str:
        return _SPACE.sub("", self.update.text)


@dataclass(frozen=True, slots=True)
class Local:
    """A declaration with the text from `start` to `end` in which its name means it."""

    start: int
    end: int
    place: int
    value: Syntax | None
    is_constant: bool = False  # `constexpr`: the same for all threads, whether the text tells it or not


@dataclass(slots=True)
class ThreadText:
    """The names of one function, seen by the threads of a block. `is_kernel`: parameters are the same for all.

    `reads_alike`: an element that all threads take of a constant array is the same for all, and not what data say.
    """

    scope: Scope
    is_kernel: bool
    macros: dict[str, str]
    parents: dict[int, Syntax]
    loops: dict[int, dict[str, Counter]]  # by loop statement
    locals: dict[str, list[Local]]
    changes: dict[str, list[int]]
    assignments: dict[int, Syntax] = field(default_factory=dict)  # `name = value`, by place
    shared_scalars: frozenset[str] = frozenset()  # one for all threads of the block
    reads_alike: bool = False
    meanings: dict[int, Callable[..., int]] = field(
        default_factory=dict
    )  # of expressions, as trials of threads work them out
    _kinds: dict[object, str] = field(default_factory=dict)
    _counters: dict[int, Counter | None] = field(default_factory=dict)
    _values: dict[int, Syntax | None] = field(default_factory=dict)

    def local(self, name: Syntax) -> Local | None:
        """The declaration that an identifier means: the innermost one before it."""
        return self._meant(name.text, name.start)

    def _meant(self, name: str, place: int) -> Local | None:
        around = [d for d in self.locals.get(name, ()) if d.start <= place < d.end and d.place <= place]
        return max(around, key=lambda d: (d.start, d.place), default=None)

    def value(self, name: Syntax) -> Syntax | None:
        """The expression that a local variable has there, at least when the place is reached for the first time."""
        if id(name) not in self._values:
            self._values[id(name)] = self._value_there(name)
        return self._values[id(name)]

    def _value_there(self, name: Syntax) -> Syntax | None:
        found = self.local(name)
        if found is None:
            return None
        before = [place for place in self._changes_of(name.text, found) if found.place < place < name.start]
        before = [place for place in before if not self._is_update_around(place, name)] if before else before
        return self._last_value(max(before), name, found) if before else found.value

    def _is_update_around(self, place: int, name: Syntax) -> bool:
        """`for (; i < n; i += 4) f(s[i]);`: what stands before the name in the text comes after it."""
        around = self.parents.get(id(name))
        while around is not None:
            update = around.child("update") if around.kind == "for_statement" else None
            if update is not None and update.start <= place < update.end:
                return True
            around = self.parents.get(id(around))
        return False

    def _last_value(self, place: int, name: Syntax, found: Local) -> Syntax | None:
        """What an assignment gives that stands before the name on every way to it, with no other behind it."""
        node = self.assignments.get(place)
        around = None if node is None else self.parents.get(id(node))
        if node is None or around is None or around.kind != "compound_statement":
            return None
        if not around.start <= name.start < around.end or any(n.text == name.text for n in _right(node)):
            return None
        return node.child("right")

    def is_settled(self, node: Syntax, loop: Syntax, depth: int = 0) -> bool:
        """No local name in it changes from one round of the loop to the next, other than counters.

        What is declared in its body begins anew in each round.
        """
        rounds = loop.child("body") or loop
        for name in node.walk():
            known = name.kind != "identifier" or self.counter(name) is not None or name.text in self.shared_scalars
            found = None if known else self.local(name)
            if found is not None and found.value is None:
                return False
            if (
                found is not None
                and self._changes_of(name.text, found)
                and not rounds.start <= found.place < rounds.end
            ):
                return False
            value = None if found is None or found.place >= name.start else found.value
            if value is not None and (depth >= DEPTH or not self.is_settled(value, loop, depth + 1)):
                return False
        return True

    def _changes_of(self, name: str, found: Local) -> list[int]:
        """Where the variable changes, and not another of its name inside: `for (int x = threadIdx.x; ...; x += 32)`."""
        return [place for place in self.changes.get(name, ()) if self._meant(name, place) is found]

    def counter(self, name: Syntax) -> Counter | None:
        """The counter that an identifier means: that of the loop around it."""
        if id(name) not in self._counters:
            self._counters[id(name)] = self._counter_around(name)
        return self._counters[id(name)]

    def _counter_around(self, name: Syntax) -> Counter | None:
        node: Syntax | None = self.parents.get(id(name))
        while node is not None:
            found = self.loops.get(id(node), {}).get(name.text)
            if found is not None:
                return found
            node = self.parents.get(id(node))
        return None

    def kind(self, node: Syntax, depth: int = 0) -> str:
        """Whether the expression differs between the threads of a block."""
        match node.kind:
            case "number_literal" | "true" | "false" | "char_literal" | "sizeof_expression" | "null":
                return UNIFORM
            case "identifier":
                counter = self.counter(node)
                if counter is not None:
                    return self.kind(counter.init, depth + 1) if depth < DEPTH else UNKNOWN
                return self._kind_of_name(node, depth)
            case "field_expression":
                return self._kind_of_field(node, depth)
            case "subscript_expression":
                return UNIFORM if self.reads_alike and self._is_constant_element(node, depth) else UNKNOWN
            case "pointer_expression" | "lambda_expression":
                return UNKNOWN
            case "call_expression":
                callee, arguments = node.child("function"), node.child("arguments")
                name = "" if callee is None else callee.text.strip()
                if THREAD_CALL.match(name) or GROUP_SIZE_CALL.match(name):
                    return THREAD if THREAD_CALL.match(name) else UNIFORM
                if arguments is None or not (_ARITHMETIC.match(name) or CEIL.search(name)):
                    return UNKNOWN
                return joined(self.kind(part, depth) for part in arguments.children)
            case "cast_expression":
                value = node.child("value")
                return UNKNOWN if value is None else self.kind(value, depth)
            case "qualified_identifier" | "template_function" | "type_descriptor":
                return UNIFORM if node.kind != "template_function" else UNKNOWN
            case _:
                return joined(self.kind(child, depth) for child in node.children) if node.children else UNKNOWN

    def _is_constant_element(self, node: Syntax, depth: int) -> bool:
        """`offsets[blockIdx.x]` of a `const int *offsets` that the kernel is given: all threads of a block read the same."""
        base = node.child("argument")
        if not self.is_kernel or depth >= DEPTH or base is None or base.text not in self.scope.parameters:
            return False
        declared = self.scope.function.parameters[self.scope.parameters.index(base.text)].text
        constant = _CONSTANT_POINTER.match(declared) is not None and base.text not in self.changes
        return constant and all(self.kind(index, depth + 1) == UNIFORM for index in node.children if index is not base)

    def _kind_of_field(self, node: Syntax, depth: int) -> str:
        text = coordinate(node)
        if _THREAD.fullmatch(text):
            return THREAD
        if _LAUNCH.match(text):
            return UNIFORM
        base = node.child("argument")
        known = base is not None and base.kind == "identifier" and self.is_kernel and base.text in self.scope.parameters
        return UNIFORM if known else UNKNOWN

    def _kind_of_name(self, node: Syntax, depth: int) -> str:
        found = self.local(node)
        if found is not None:
            value = self.value(node)
            if node.text in self.shared_scalars or found.is_constant:
                return UNIFORM
            if value is None or depth >= DEPTH:
                return UNKNOWN
            key = id(value)
            if key not in self._kinds:
                self._kinds[key] = UNKNOWN  # while it is looked at
                self._kinds[key] = self.kind(value, depth + 1)
            return self._kinds[key]
        name = node.text
        if name in self.scope.parameters:
            if _THREAD_PARAMETER.match(name) and not self.is_kernel and name not in self.changes:
                return THREAD
            return UNIFORM if self.is_kernel and name not in self.changes else UNKNOWN
        if name in self.macros:
            return THREAD if _THREAD.search(self.macros[name]) else UNIFORM
        constant = name in self.scope.outline.constants or name in self.scope.function.template
        return UNIFORM if constant or _CONSTANT.match(name) else UNKNOWN

    # --- spelling ---------------------------------------------------------------------------------------------------------

    def spelled(self, node: Syntax, depth: int = 0) -> str:
        """The expression with names of one value replaced by it, without spaces and casts."""
        if node.kind == "identifier":
            return self._spelled_name(node, depth)
        if node.kind == "cast_expression" and node.child("value") is not None:
            value = node.child("value")
            return self.spelled(value, depth) if value is not None else node.text
        if node.kind == "binary_expression" and len(node.children) == 2:
            left, right = (self.spelled(child, depth) for child in node.children)
            return f"({left}{node.op}{right})"
        if node.kind == "unary_expression" and node.children:
            return f"{node.op}{self.spelled(node.children[0], depth)}"
        if node.kind == "subscript_expression":
            return "[".join(self.spelled(child, depth) for child in node.children) + "]"
        return coordinate(node)

    def _spelled_name(self, node: Syntax, depth: int) -> str:
        name, counter = node.text, self.counter(node)
        if counter is not None:
            start = self.spelled(counter.init, depth + 1) if depth < DEPTH else "?"
            return f"loop<{start};{counter.step}>"
        value = self.value(node) if depth < DEPTH else None
        if value is not None:
            return self.spelled(value, depth + 1)
        if self.local(node) is None and name in self.macros:
            return _SPACE.sub("", self.macros[name])
        return name


def coordinate(node: Syntax) -> str:
    """Its text without spaces; `block.thread_index().x` is `threadIdx.x`."""
    text = _SPACE.sub("", node.text)
    found = _GROUP_COORDINATE.fullmatch(text)
    return text if found is None else f"{_BUILTINS[found[2]]}.{found[3]}"


def _right(assignment: Syntax) -> list[Syntax]:
    right = assignment.child("right")
    return [] if right is None else [node for node in right.walk() if node.kind == "identifier"]


def thread_text(body: Body, reads_alike: bool = False) -> ThreadText:
    """The names of a function."""
    loops = {id(node): _counters(node) for node in body.nodes if node.kind == "for_statement"}
    local: dict[str, list[Local]] = {}
    changes: dict[str, list[int]] = {}
    assignments: dict[int, Syntax] = {}
    shared: set[str] = set()
    for node in body.nodes:
        if node.kind == "declaration":
            _note_locals(node, body, local)
            if "__shared__" in node.text[:60]:
                shared.update(each.text for each in node.all("declarator") if each.kind == "identifier")
        changed = node.child("left") if node.kind == "assignment_expression" else None
        if node.kind == "update_expression" and node.children:
            changed = node.children[0]
        if changed is not None and changed.kind == "identifier":
            changes.setdefault(changed.text, []).append(node.start)
            if node.kind == "assignment_expression" and node.op == "=":
                assignments[node.start] = node
    macros = {m[1]: m[2] for m in _MACRO.finditer(body.scope.outline.root.file.text)}
    alone = frozenset(name for name in shared if len(local.get(name, ())) == 1)
    is_kernel = body.function.role == "kernel"
    return ThreadText(
        body.scope, is_kernel, macros, body.parents, loops, local, changes, assignments, alone, reads_alike
    )


def _note_locals(node: Syntax, body: Body, local: dict[str, list[Local]]) -> None:
    around: Syntax | None = body.parents.get(id(node))
    while around is not None and around.kind not in ("compound_statement", "for_statement"):
        around = body.parents.get(id(around))
    start, end = (0, len(node.file.text)) if around is None else (around.start, around.end)
    is_constant = _CONSTEXPR.match(node.text) is not None
    for declarator in node.all("declarator"):
        target = declarator.child("declarator") if declarator.kind == "init_declarator" else declarator
        while target is not None and target.kind in ("pointer_declarator", "reference_declarator", "array_declarator"):
            target = target.child("declarator") or (target.children[-1] if target.children else None)
        if target is not None and target.kind == "identifier":
            local.setdefault(target.text, []).append(
                Local(start, end, node.start, declarator.child("value"), is_constant)
            )


def _counters(loop: Syntax) -> dict[str, Counter]:
    """`for (int row = y, from = top; row < n; row += 8, from += 8)` has two."""
    start, update = loop.child("initializer"), loop.child("update")
    if start is None or update is None:
        return {}
    updates = {changed: part for part in _parts(update) if (changed := _changed(part)) is not None}
    inits = dict(filter(None, map(_initial, start.children if start.kind == "declaration" else _parts(start))))
    return {name: Counter(loop, value, updates[name]) for name, value in inits.items() if name in updates}


def _parts(node: Syntax) -> list[Syntax]:
    """The expressions between commas."""
    return [part for side in node.children for part in _parts(side)] if node.kind == "comma_expression" else [node]


def _changed(update: Syntax) -> str | None:
    if update.kind not in ("assignment_expression", "update_expression"):
        return None
    target = update.child("left") or (update.children[0] if update.children else None)
    return target.text if target is not None and target.kind == "identifier" else None


def _initial(start: Syntax) -> tuple[str, Syntax] | None:
    """(name, value) of `i = 0`, declared there or before."""
    declared = start.kind == "init_declarator"
    if not declared and start.kind != "assignment_expression":
        return None
    target, value = (start.child(side) for side in (("declarator", "value") if declared else ("left", "right")))
    return (target.text, value) if target is not None and value is not None and target.kind == "identifier" else None


def joined(kinds: Iterable[str]) -> str:
    """Thread where a part is and none is unknown."""
    found = set(kinds)
    if UNKNOWN in found or not found:
        return UNKNOWN
    return THREAD if THREAD in found else UNIFORM
