"""Updates of memory that threads make one beside the other without an atomic, as far as the text tells the place.

    if (threadIdx.x == 0) *sum += part;                          // one thread of each block, all of them at one element
    grad[points[i]] += g;                                        // wherever the data of each thread says
    row = grad + r * columns;  row[points[i]] += g;              // with r of many threads
    out[found++] = i;                                            // a variable of the device
    s_counts[bins[i]]++;                                         // shared memory, wherever the data of each thread says
    if (atomicCAS(&seen[v], 0, 1) == 0) list[(*count)++] = v;    // claims an element of many, and updates another one

For kernels that have no IR. Nothing is said where the text shows a lock, a fence or a flag, or where the data are named as all
different; that data name one element twice is certain where the kernel has atomics, or sums up by the name of its result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.launch_text import launches_of
from cudalint.analysis.text.scopes import leaves, uncast
from cudalint.analysis.text.shared_names import shared_arrays
from cudalint.analysis.text.text_program import Body, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

THREAD, BLOCK, FOLDED, DATA, OPAQUE = "thread", "block", "folded", "data", "opaque"
_DEPTH = 6
ORDERED = re.compile(
    r"atomic(CAS|Exch)|(?<![bc])lock|mutex|volatile|__threadfence|semaphore|acquire|release|grid\w*\s*\.\s*sync|this_grid|\basm\b|is_?last|"
    r"compare_exchange|[.>]exchange\s*\(",
    re.IGNORECASE,
)
_DIFFERENT = re.compile(
    r"perm|sort|uniq|order|inv|slot|csr|csc|row_?ptr|offs|start|bucket|scan|prefix|map", re.IGNORECASE
)
_GATHERING = re.compile(r"grad|hist|count|bins?\b|sum|acc|total|degree", re.IGNORECASE)
_UPDATES = ("+=", "-=", "*=", "|=", "&=", "^=")
_FOLDING = ("/", "%", ">>", "&")
_PLAIN_CALL = re.compile(
    r"^(::|std::)?(f?(min|max|abs)f?|u?int|size_t|long|unsigned|float|double|__u?mul24|(static|reinterpret)_cast\s*<.*>"
    r"|__(float|double|half)2u?(int|ll)_r[nzud]|l{0,2}(floor|ceil|round|trunc|rint)f?|r?sqrtf?|(__)?(exp|log)(2|10)?f?|(__)?powf?)$",
    re.DOTALL,
)
_SIZE_CALL = re.compile(r"(\.|->)(getSize|size|shape|stride|numel|width|height|rows|cols)$")
_ATOMIC = re.compile(r"atomic", re.IGNORECASE)
_TOLD_BY_ATOMIC = re.compile(r"atomic\w*\s*(<[^<>]*>\s*)?\(", re.IGNORECASE)
_DEVICE_VARIABLE = re.compile(r"((static|inline|volatile)\s+)*__device__\b(?!.*\bvolatile\b)", re.DOTALL)
_CLAIM = re.compile(r"atomic(CAS|Exch)")
_SPACE = re.compile(r"\s+")


def lost_updates(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each place of a kernel."""
    if "blockIdx" not in outline.root.file.text:
        return
    program, variables = program_of(outline), frozenset(_variables(outline))
    for body in bodies(program, ("kernel",)):
        judge = Judge(body, variables)
        text = body.function.body.text
        if "blockIdx" not in text or (ORDERED.search(text) and not judge.note_claims()):
            continue
        if any(has_one_block(launch) for launch in launches_of(body.function.name, program)):
            continue
        told: set[str] = set()
        for node in body.nodes:
            place = _updated(node)
            if place is None or (spelled := _SPACE.sub("", place.text)) in told:
                continue
            found = judge.issue(place, node)
            if found is not None:
                told.add(spelled)
                yield found


def lost_shared_updates(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each array of a kernel: counts of what the data say, each added up by many threads of the block."""
    if "__shared__" not in outline.root.file.text and "hared" not in outline.root.file.text:
        return
    for body in bodies(program_of(outline), ("kernel",)):
        text = body.function.body.text
        if "threadIdx" not in text or ORDERED.search(text):
            continue
        arrays = frozenset(name for name, volatile in shared_arrays(body, {}).items() if not volatile)
        judge = Judge(body, frozenset())
        told: set[str] = set()
        for node in body.nodes if arrays else ():
            base, indices = (None, ()) if (place := _updated(node)) is None else taken_apart(place)
            if base in arrays and base not in told and judge.is_of_data(indices, node):
                told.add(base)
                message = (
                    f"lost updates of `{base}`: threads whose data name one element read and write it without an atomic"
                )
                certain = _GATHERING.search(base) is not None or _ATOMIC.search(text) is not None
                yield GuardIssue(body.function, node, message, certain=certain)


def _variables(outline: Outline) -> Iterator[str]:
    """Single variables of the file that lie in the memory of the device: `static __device__ unsigned found;`."""
    inside = [(f.body.start, f.body.end) for f in outline.functions]
    for node in outline.root.walk():
        declared = node.child("declarator") if node.kind == "declaration" else None
        if declared is None or not _DEVICE_VARIABLE.match(node.text):
            continue
        target = declared.child("declarator") if declared.kind == "init_declarator" else declared
        if target is not None and target.kind == "identifier":
            if not any(start <= node.start < end for start, end in inside):
                yield target.text


def has_one_block(launch: TextLaunch) -> bool:
    return launch.grid[0] is not None and all(side is None or side.text == "1" for side in launch.grid)


def _updated(node: Syntax) -> Syntax | None:
    """The element that a statement reads and writes: `x[i] += v`, `x[i]++`, `x[i] = x[i] + v`."""
    if node.kind == "update_expression" and node.children:
        place = node.children[0]
        while place.kind == "parenthesized_expression" and place.children:
            place = place.children[0]
    elif node.kind == "assignment_expression":
        left, right = node.child("left"), node.child("right")
        if left is None or right is None:
            return None
        own = _SPACE.sub("", left.text)
        if node.op not in _UPDATES and not (node.op == "=" and _is_sum_with(right, own)):
            return None
        place = left
    else:
        return None
    return place if place.kind in ("subscript_expression", "pointer_expression", "identifier") else None


def _is_sum_with(right: Syntax, own: str) -> bool:
    parts = right.children if right.kind == "binary_expression" and right.op in ("+", "-") else ()
    return any(_SPACE.sub("", part.text) == own for part in parts)


@dataclass(slots=True)
class Judge:
    """What the places of one kernel's updates depend on."""

    body: Body
    _of_device: frozenset[str]
    _known: dict[str, frozenset[str]] = field(default_factory=dict)
    _claims: frozenset[int] = frozenset()

    def note_claims(self) -> bool:
        """Whether all that orders threads are atomics that each claim an element of many, outside of waiting loops; noted then."""
        text = self.body.function.body.text
        start, claims = self.body.function.body.start, set[int]()
        for node in self.body.nodes:
            callee, arguments = node.child("function"), node.child("arguments")
            if node.kind == "call_expression" and callee is not None and _CLAIM.fullmatch(callee.text):
                if arguments is None or not self._is_one_of_many(arguments.children[0]) or self._is_waited_for(node):
                    return False
                claims.add(id(node))
                text = text[: callee.start - start] + " " * len(callee.text) + text[callee.end - start :]
        self._claims = frozenset(claims)
        return ORDERED.search(text) is None

    def _is_one_of_many(self, argument: Syntax) -> bool:
        """`&seen[v]` or `seen + v`, chosen by the thread or its data."""
        if argument.kind == "pointer_expression" and argument.op == "&" and argument.children:
            base, indices = taken_apart(argument.children[0])
        else:
            parts = argument.children if argument.op == "+" and len(argument.children) == 2 else ()
            base, indices = (parts[0].text, (parts[1],)) if parts else (None, ())
        tags = frozenset().union(*(self.tags(index) for index in indices))
        return base is not None and bool(tags & {THREAD, DATA}) and OPAQUE not in tags

    def _is_waited_for(self, call: Syntax) -> bool:
        return any(parent.kind in ("while_statement", "do_statement") for parent, _ in self.body.ancestors(call))

    def _is_claimed(self, condition: Syntax) -> bool:
        """The condition is about a claim alone."""
        names = [n.text for n in condition.walk() if n.kind == "identifier"]
        values = [value for name in names for value in self.body.scope.values.get(name, ())]
        single = not any(node.op in ("&&", "||") for node in condition.walk())
        return single and any(id(node) in self._claims for part in (condition, *values) for node in part.walk())

    def issue(self, place: Syntax, statement: Syntax, apart_from: Syntax | None = None) -> GuardIssue | None:
        """What is wrong with an update, whatever the condition `apart_from` says."""
        base, indices = self._from_parameter(*taken_apart(place))
        of_device = place.kind == "identifier" and base in self._of_device and base not in self.body.scope.types
        if base is None or not (of_device or self._is_given(base, place)):
            return None
        tags = frozenset().union(*(self.tags(index) for index in indices))
        guards = [guard for guard in self._guards(statement) if guard[0] is not apart_from]
        if OPAQUE in tags or any(self._keeps_apart(guard) for guard in guards) or (tags and self._claims):
            return None
        single = any(self._is_one_thread(guard) for guard in guards)
        function, certain = self.body.function, True
        if not tags:
            text = f"lost updates of `{base}`: threads of all blocks read and write one element without an atomic"
        elif (
            DATA in tags and THREAD not in tags and not (single and BLOCK in tags) and not self._are_different(indices)
        ):
            text = f"lost updates of `{base}`: threads whose data name one element read and write it without an atomic"
            certain = _GATHERING.search(base) is not None or _ATOMIC.search(function.body.text) is not None
        else:
            return None
        return GuardIssue(function, statement, text, certain=certain)

    def _from_parameter(self, base: str | None, indices: tuple[Syntax, ...]) -> tuple[str | None, tuple[Syntax, ...]]:
        """Of an element behind `float *row = grad + r * columns`, the parameter and all of the indices."""
        scope = self.body.scope
        values = scope.values.get(base, []) if base is not None and base not in scope.grown else []
        value = uncast(values[0]) if len(values) == 1 and base not in scope.parameters else None
        left, right = (None, None) if value is None else (value.child("left"), value.child("right"))
        if value is None or value.op != "+" or left is None or right is None or left.kind != "identifier":
            return base, indices
        return self._from_parameter(left.text, (right, *indices))

    def is_of_data(self, indices: tuple[Syntax, ...], statement: Syntax) -> bool:
        """The data of each thread say which element it updates, and nothing keeps two threads of a block apart."""
        tags = frozenset().union(*(self.tags(index) for index in indices))
        if DATA not in tags or tags & {OPAQUE, THREAD, FOLDED} or self._are_different(indices):
            return False
        guards = list(self._guards(statement))
        return not any(self._keeps_apart(guard) or self._is_one_thread(guard) for guard in guards)

    def _is_given(self, base: str, place: Syntax) -> bool:
        scope = self.body.scope
        return (
            place.kind != "identifier"
            and base in scope.parameters
            and base not in scope.grown
            and base not in scope.values
        )

    def tags(self, node: Syntax, depth: int = 0) -> frozenset[str]:
        """What an expression depends on, through the names in it."""
        if depth > _DEPTH:
            return frozenset((OPAQUE,))
        match node.kind:
            case "identifier":
                return self._of_name(node.text, depth)
            case "number_literal" | "sizeof_expression" | "true" | "false" | "char_literal" | "type_descriptor":
                return frozenset()
            case "field_expression":
                return self._of_field(node, depth)
            case "subscript_expression" | "pointer_expression":
                inner = frozenset().union(*(self.tags(child, depth + 1) for child in node.children[1:]))
                if node.kind == "pointer_expression":
                    inner = self.tags(node.children[0], depth + 1) if node.children else inner
                return frozenset((DATA,)) if inner & {THREAD, DATA, FOLDED} else inner
            case "call_expression":
                return self._of_call(node, depth)
            case "conditional_expression":
                first, *ways = (self.tags(child, depth) for child in node.children)
                return frozenset().union(first, *ways) if len(set(ways)) == 1 else frozenset((OPAQUE,))
            case _:
                found = frozenset().union(*(self.tags(child, depth) for child in node.children))
                if node.kind == "binary_expression" and node.op in _FOLDING and THREAD in found:
                    return (found - {THREAD}) | {FOLDED}
                return found if node.children else frozenset((OPAQUE,))

    def _of_field(self, node: Syntax, depth: int) -> frozenset[str]:
        text = _SPACE.sub("", node.text)
        if text.startswith("threadIdx."):
            return frozenset((THREAD,))
        if text.startswith("blockIdx."):
            return frozenset((BLOCK,))
        if text.startswith(("blockDim.", "gridDim.")):
            return frozenset()
        base = node.child("argument")
        if base is not None and base.kind in ("subscript_expression", "pointer_expression"):
            return self.tags(base, depth)
        given = base is not None and base.kind == "identifier" and base.text in self.body.scope.parameters
        return frozenset() if given else frozenset((OPAQUE,))

    def _of_call(self, node: Syntax, depth: int) -> frozenset[str]:
        callee, arguments = node.child("function"), node.child("arguments")
        name = "" if callee is None else callee.text.strip()
        if arguments is not None and _PLAIN_CALL.match(name):
            return frozenset().union(*(self.tags(part, depth) for part in arguments.children))
        base = name.partition(".")[0].partition("->")[0]
        sized = _SIZE_CALL.search(name) is not None and base in self.body.scope.parameters
        return frozenset() if sized else frozenset((OPAQUE,))

    def _of_name(self, name: str, depth: int) -> frozenset[str]:
        if name not in self._known:
            self._known[name] = frozenset()  # while it is looked at
            self._known[name] = self._spelled(name, depth)
        return self._known[name]

    def _spelled(self, name: str, depth: int) -> frozenset[str]:
        scope = self.body.scope
        values = scope.values.get(name, [])
        if name in scope.parameters:
            return frozenset((OPAQUE,)) if values or name in scope.grown else frozenset()
        if not values:
            constant = name in scope.outline.constants or name.isupper() or name in self.body.function.template
            return frozenset() if constant else frozenset((OPAQUE,))
        return frozenset().union(*(self.tags(value, depth + 1) for value in values))

    # --- guards -----------------------------------------------------------------------------------------------------------

    def _guards(self, statement: Syntax) -> Iterator[tuple[Syntax, bool]]:
        """The conditions on the way to a statement, and whether they hold there."""
        for parent, child in self.body.ancestors(statement):
            condition = parent.child("condition")
            if condition is not None and condition is not child:
                yield condition, child is not parent.child("alternative")
            for before in parent.children if parent.kind == "compound_statement" else ():
                left, then = before.child("condition"), before.child("consequence")
                if (
                    before.end <= child.start
                    and before.kind == "if_statement"
                    and left is not None
                    and then is not None
                ):
                    if leaves(then):
                        yield left, False

    def _is_one_thread(self, guard: tuple[Syntax, bool]) -> bool:
        condition, holds = guard
        wanted = "==" if holds else "!="
        return any(
            (part.op == wanted or part.op == "!") and any(self.tags(side) == {THREAD} for side in part.children)
            for part in condition.walk()
        )

    def _keeps_apart(self, guard: tuple[Syntax, bool]) -> bool:
        """It chooses a block, asks for what the text does not tell or what an atomic told, or compares two elements."""
        condition, _ = guard
        if self._claims and self._is_claimed(condition):
            return False
        if OPAQUE in self.tags(condition):
            return True
        for part in condition.walk():
            if part.op in ("==", "!=", "!", "<", ">", "<=", ">=") and len(part.children) in (1, 2):
                tags = [self.tags(side) for side in part.children]
                if part.op in ("==", "!=", "!") and any(BLOCK in each for each in tags):
                    return True
                if len(tags) == 2 and all(DATA in each for each in tags) and not self._is_loop(condition):
                    return True
        names = {n.text for n in condition.walk() if n.kind == "identifier"}
        told = (value.text for name in names for value in self.body.scope.values.get(name, ()))
        return any(map(_TOLD_BY_ATOMIC.search, (condition.text, *told)))

    def _is_loop(self, condition: Syntax) -> bool:
        """`for (e = starts[v]; e < starts[v + 1]; ...)` counts, and keeps nobody away."""
        parent = self.body.parents.get(id(condition))
        return parent is not None and parent.kind == "for_statement"

    def _are_different(self, indices: tuple[Syntax, ...]) -> bool:
        """What the data are called says that no two are alike."""
        pending = [n.text for index in indices for n in index.walk() if n.kind == "identifier"]
        seen: set[str] = set()
        while pending:
            name = pending.pop()
            if _DIFFERENT.search(name):
                return True
            if name not in seen:
                seen.add(name)
                pending += [
                    n.text for v in self.body.scope.values.get(name, ()) for n in v.walk() if n.kind == "identifier"
                ]
        return False


def taken_apart(place: Syntax) -> tuple[str | None, tuple[Syntax, ...]]:
    """The pointer and the indices of an element: `x[i][j]`, `*x`, `*(x + i)`."""
    indices: tuple[Syntax, ...] = ()
    while place.kind == "subscript_expression" and place.children:
        indices = (*place.children[1:], *indices)
        place = place.children[0]
    if place.kind == "pointer_expression" and place.op == "*" and place.children:
        place = place.children[0]
        while place.kind == "parenthesized_expression" and place.children:
            place = place.children[0]
        if place.kind == "binary_expression" and place.op == "+" and len(place.children) == 2:
            indices, place = (place.children[1], *indices), place.children[0]
    return (place.text if place.kind == "identifier" else None), indices
