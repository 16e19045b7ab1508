"""Accesses to shared memory and barriers of one function in the order of its text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from cudalint.analysis.text import shared_assembly
from cudalint.analysis.text.call_names import (
    ATOMIC,
    BARRIER,
    BARRIER_MACRO,
    COLLECTIVE,
    FENCE,
    GROUPS,
    HARMLESS,
    METHOD_MOVE,
    MOVES,
    OF_GROUP,
    OF_WARP,
    TEMPLATE,
    TILE,
    VECTOR_MOVE,
    VOTE,
    VOTES,
    WHOLE_BARRIER,
    WHOLE_GROUP,
    plain_name,
)
from cudalint.analysis.text.scopes import leaves
from cudalint.analysis.text.shared_names import TABLE, Row, summed, without_casts
from cudalint.analysis.text.text_program import Body
from cudalint.analysis.text.thread_text import LOOPS
from cudalint.ir.syntax import Syntax


@dataclass(frozen=True, slots=True, eq=False)
class Guard:
    """A condition that holds (or not) where the access stands, with the statement that asks it."""

    owner: Syntax
    condition: Syntax
    holds: bool


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """One access: `kind` is read, write or atomic; `barriers` is the number of barriers in the text before it."""

    kind: str
    array: str
    indices: tuple[Syntax, ...]
    node: Syntax
    guards: tuple[Guard, ...]
    barriers: int
    value: Syntax | None = None
    handed: bool = False  # to a function, which may not look at all of it
    shuffles: int = 0  # how many stand in the text before it


@dataclass(slots=True)
class LoopSpan:
    """A loop with the events and barriers from `first` to `last` (exclusive) inside it."""

    node: Syntax
    first_event: int
    first_barrier: int
    last_event: int = 0
    last_barrier: int = 0


@dataclass(slots=True)
class Events:
    """What the walk over a function's text leaves."""

    accesses: list[Event] = field(default_factory=list)
    loops: list[LoopSpan] = field(default_factory=list)
    barriers: list[tuple[Syntax, tuple[Guard, ...]]] = field(default_factory=list)  # with __syncthreads in it
    conditions: list[tuple[Guard, ...]] = field(default_factory=list)  # of every barrier
    of_warp: set[int] = field(default_factory=set)  # barriers that order the threads of one warp at most
    perhaps: set[int] = field(default_factory=set)  # calls in which there may be one, as far as the text shows

    @property
    def count(self) -> int:
        return len(self.conditions)


def shared_events(
    body: Body, arrays: Iterable[str], synchronising: frozenset[str], rows: Mapping[str, Row] = MappingProxyType({})
) -> Events:  # fmt: skip
    """`synchronising` names functions of the file that hold a barrier; `rows` are pointers into the arrays."""
    walker = _Walker(body, arrays, synchronising, rows)
    walker.statement(body.function.body, ())
    return walker.events


class _Walker:
    def __init__(
        self, body: Body, arrays: Iterable[str], synchronising: frozenset[str], rows: Mapping[str, Row]
    ) -> None:
        self.arrays = frozenset(arrays)
        self.rows = rows
        self.parents = body.parents
        self.synchronising = synchronising
        self.tables = frozenset(TABLE.findall(body.function.body.text))
        self.events = Events()
        self.known = {f.name: f for f in body.scope.outline.functions}
        self.lambdas = {
            name: values[0]
            for name, values in body.scope.values.items()
            if len(values) == 1 and values[0].kind == "lambda_expression"
        }
        self._inside: set[str] = set()
        self._addresses: dict[str, tuple[str, tuple[Syntax, ...]] | None] = {}  # of names that hold one, up to here
        self._shuffles = 0

    # --- statements -------------------------------------------------------------------------------------------------------

    def statement(self, node: Syntax, guards: tuple[Guard, ...]) -> None:
        match node.kind:
            case "compound_statement":
                for child in node.children:
                    self.statement(child, guards)
                    guards = (*guards, *_left(child))
            case "if_statement":
                self._if(node, guards)
            case kind if kind.startswith("preproc_"):
                self._preprocessed(node, guards)
            case kind if kind in LOOPS or kind == "for_range_loop":
                self._loop(node, guards)
            case _ if "__shared__" in node.text[:60] and node.kind != "if_statement" and "{" not in node.text[:1]:
                return
            case "declaration":
                for declarator in node.all("declarator"):
                    value = declarator.child("value")
                    if value is not None and not self._is_row(declarator):
                        self._keep_address(declarator.child("declarator"), value)
                        self.expression(value, guards)
            case "identifier":
                if BARRIER_MACRO.fullmatch(node.text):
                    self._barrier(node, guards)
            case "gnu_asm_expression":
                self._assembly(node, guards)
            case "ERROR":
                return
            case _ if node.kind.endswith("_statement") or node.kind in ("else_clause", "case_statement"):
                for child in node.children:
                    self.statement(child, guards)
            case _:
                self.expression(node, guards)

    def _preprocessed(self, node: Syntax, guards: tuple[Guard, ...]) -> None:
        """Of `#if` and `#else` only one is there."""
        if node.kind not in ("preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif"):
            return
        inside = (*guards, Guard(node, node, True)) if node.kind != "preproc_else" else guards
        for name, child in zip(node.fields, node.children):
            if name == "alternative":
                self.statement(child, (*guards, Guard(node, node, False)))
            elif name not in ("condition", "name"):
                self.statement(child, inside)
                inside = (*inside, *_left(child))

    def _if(self, node: Syntax, guards: tuple[Guard, ...]) -> None:
        condition = node.child("condition")
        if condition is None:
            return
        self.expression(condition, guards)
        for name, holds in (("consequence", True), ("alternative", False)):
            branch = node.child(name)
            if branch is not None:
                self.statement(branch, (*guards, Guard(node, condition, holds)))

    def _loop(self, node: Syntax, guards: tuple[Guard, ...]) -> None:
        start = node.child("initializer")
        if start is not None:
            self.statement(start, guards)
        span = LoopSpan(node, len(self.events.accesses), self.events.count)
        condition = node.child("condition")
        inner = guards if condition is None else (*guards, Guard(node, condition, True))
        if condition is not None and node.kind != "do_statement":
            self.expression(condition, guards)
        body, update = node.child("body"), node.child("update")
        if body is not None:
            self.statement(body, inner)
        if update is not None:
            self.expression(update, inner)
        if condition is not None and node.kind == "do_statement":
            self.expression(condition, guards)
        span.last_event, span.last_barrier = len(self.events.accesses), self.events.count
        self.events.loops.append(span)

    # --- expressions ------------------------------------------------------------------------------------------------------

    def expression(self, node: Syntax, guards: tuple[Guard, ...]) -> None:
        match node.kind:
            case "lambda_expression":
                return
            case "assignment_expression":
                self._assignment(node, guards)
            case "update_expression" if node.children:
                self._access("read", node.children[0], guards)
                self._access("write", node.children[0], guards)
            case "call_expression":
                self._call(node, guards)
            case "conditional_expression" | "binary_expression" if node.op in ("", "&&", "||"):
                self._guarded(node, guards)
            case _ if self._place(node) is not None:
                self._access("read", node, guards)
            case "gnu_asm_expression":
                self._assembly(node, guards)
            case "pointer_expression" if node.op == "&" and node.children and self._place(node.children[0]):
                self._escape(node.children[0], guards)
            case _ if node.kind.endswith("_statement"):
                self.statement(node, guards)
            case _:
                for child in node.children:
                    self.expression(child, guards)

    def _assembly(self, node: Syntax, guards: tuple[Guard, ...]) -> None:
        made = shared_assembly.converted(node)
        if made is not None:
            self._addresses[made[0]] = self._pointed(made[1])
            return
        for kind, address in shared_assembly.moved(node):
            found = self._address(address)
            if found is not None:
                self._note(Event(kind, *found, address, guards, self.events.count))
        order = shared_assembly.ordered(node)
        if order:
            self._barrier(node, guards)
        if order == "warp":
            self.events.of_warp.add(self.events.count - 1)

    def _keep_address(self, name: Syntax | None, value: Syntax) -> None:
        """`unsigned at = __cvta_generic_to_shared(&tile[i]);`"""
        if name is not None and name.kind == "identifier":
            pointer = shared_assembly.made_address(value)
            self._addresses[name.text] = None if pointer is None else self._pointed(pointer)

    def _address(self, node: Syntax) -> tuple[str, tuple[Syntax, ...]] | None:
        """What an operand of assembly is the shared address of."""
        pointer = shared_assembly.made_address(node)
        if pointer is not None:
            return self._pointed(pointer)
        return self._addresses.get(node.text) if node.kind == "identifier" else None

    def _guarded(self, node: Syntax, guards: tuple[Guard, ...]) -> None:
        """`c ? a : b` and `c && a` read under a condition."""
        first, *rest = node.children
        self.expression(first, guards)
        for position, child in enumerate(rest):
            holds = position == 0 and node.op != "||"
            self.expression(child, (*guards, Guard(node, first, holds)))

    def _assignment(self, node: Syntax, guards: tuple[Guard, ...]) -> None:
        left, right = node.child("left"), node.child("right")
        if left is None or right is None:
            return
        self._keep_address(left, right)
        self.expression(right, guards)
        if self._place(left) is None:
            for child in left.children:
                self.expression(child, guards)
            return
        if node.op != "=":
            self._access("read", left, guards)
        self._access("write", left, guards, right if node.op == "=" else None)

    def _call(self, node: Syntax, guards: tuple[Guard, ...]) -> None:
        callee, arguments = node.child("function"), node.child("arguments")
        if callee is None or arguments is None:
            return
        name = callee.text.strip()
        if ATOMIC.match(TEMPLATE.sub("", name)) and arguments.children:
            self._atomic(arguments.children, name, guards)
            return
        if VECTOR_MOVE.match(plain_name(name)):
            self._vector_move(arguments, "store" if "st" in plain_name(name).lower() else "load", guards)
            return
        if "." in name and METHOD_MOVE.match(member := plain_name(name).rpartition(".")[2]):
            if self._method_move(arguments.children, "write" if "store" in member else "read", guards):
                return
        moved = shared_assembly.wrapped(plain_name(name), arguments.children)
        found = None if moved is None else self._address(moved[1]) or self._pointed(moved[1])
        if moved is not None and found is not None:
            self._wrapped_move(node, Event(moved[0], *found, moved[1], guards, self.events.count))
            return
        for argument in arguments.children:
            before = len(self.events.accesses)
            self.expression(argument, guards)
            if argument.kind == "identifier" and len(self.events.accesses) > before:
                self.events.accesses[-1] = replace(self.events.accesses[-1], handed=True)
        self._effect(node, name, guards)

    def _atomic(self, arguments: tuple[Syntax, ...], name: str, guards: tuple[Guard, ...]) -> None:
        """`atomicAdd(&counts[bin], 1)`, or a project's own that takes the place as another argument."""
        updated = False
        for argument in arguments:
            target = argument.children[0] if argument.kind == "pointer_expression" and argument.children else argument
            pointed = target is not argument or argument is arguments[0]
            stored = arguments[-1] if name.lstrip(":") == "atomicExch" else None
            found = self._pointed(argument) if argument is arguments[0] else None
            if pointed and not updated and self._place(target) is not None:
                self._access("atomic", target, guards, stored)
                updated = True
            elif found is not None:  # `counts + bin`
                for index in found[1]:
                    self.expression(index, guards)
                self._note(Event("atomic", *found, argument, guards, self.events.count, stored))
                updated = True
            else:
                self.expression(argument, guards)

    def _method_move(self, arguments: tuple[Syntax, ...], kind: str, guards: tuple[Guard, ...]) -> bool:
        """`v.store_to(shared, i)`, `v.load(shared + i)`: at least the first element of a vector in registers."""
        found = self._pointed(arguments[0]) if arguments else None
        if found is None:
            return False
        for argument in arguments[1:]:
            self.expression(argument, guards)
        array, indices = found
        self._note(Event(kind, array, indices or arguments[1:2], arguments[0], guards, self.events.count))
        return True

    def _vector_move(self, arguments: Syntax, what: str, guards: tuple[Guard, ...]) -> None:
        """`store128(shared + i, v)`: at least the element that the pointer is of."""
        for place, argument in enumerate(arguments.children):
            if (found := self._pointed(argument)) is None:
                self.expression(argument, guards)
                continue
            kind = "write" if what == "store" and place == 0 else "read"
            self._note(Event(kind, *found, argument, guards, self.events.count))

    def _wrapped_move(self, call: Syntax, event: Event) -> None:
        """`load_matrix_sync(fragment, tile + i, 16)`, `cp_async16(&tile[i], x)`; the former is for a whole warp."""
        arguments = call.child("arguments")
        for argument in () if arguments is None else arguments.children:
            if argument is not event.node:
                self.expression(argument, event.guards)
        for index in event.indices:
            self.expression(index, event.guards)
        self._note(event)
        callee = call.child("function")
        if callee is not None and OF_WARP.match(plain_name(callee.text.strip())):
            self._barrier(call, event.guards)

    def _is_row(self, declarator: Syntax) -> bool:
        """The address alone is taken."""
        named = declarator.child("declarator")
        while named is not None and named.kind == "pointer_declarator" and named.children:
            named = named.child("declarator") or named.children[-1]
        return named is not None and (named.text in self.rows or named.text in self.arrays)

    def _pointed(self, node: Syntax) -> tuple[str, tuple[Syntax, ...]] | None:
        """What a pointer points at: `array + i`, `&array[i]`, through casts."""
        inner = without_casts(node)
        indices: tuple[Syntax, ...] = ()
        recounted = False  # `(float4 *)row + i` counts other elements than `row + i`
        while inner is not None and inner.kind == "binary_expression" and inner.op == "+" and len(inner.children) == 2:
            base, offset = inner.children
            indices = (summed(offset, indices[0]) if indices else offset,)
            inner = without_casts(base)
            recounted = recounted or inner is not base
        if inner is None:
            return None
        start = None if recounted else self.rows.get(inner.text)
        if inner.kind == "pointer_expression" and inner.op == "&" and inner.children:  # `&tile[i] + j`
            found = self._place(inner.children[0])
            if found is None or not indices:
                return found
            start = None if recounted or not found[1] else Row(*found)
        if start is not None:
            return start.array, start.at(indices[0]) if indices else start.indices
        return (inner.text, indices) if inner.text in self.arrays else None

    def _effect(self, node: Syntax, name: str, guards: tuple[Guard, ...]) -> None:
        """What a call does to the order of accesses: only what is known not to synchronise does nothing."""
        plain = plain_name(name)
        member = plain.rpartition(".")[2].rpartition(">")[2]
        made = self.lambdas.get(name)
        if made is not None and name not in self._inside:
            body = made.child("body")
            self._inside.add(name)
            if body is not None:
                self.statement(body, guards)
            self._inside.discard(name)
        elif (
            VOTE.match(name)
            or GROUPS.match(member)
            or (plain in self.known and not self.orders(plain) and "." not in name)
        ):
            self._shuffles += "sh" in plain or (plain in self.known and "__shfl" in self.known[plain].body.text)
        elif shared_assembly.orders_itself(name) and plain not in self.synchronising:
            return
        elif (BARRIER.search(name) and not FENCE.match(name)) or plain in self.synchronising:
            self._barrier(node, guards)
        elif self._may_meet(node, name, member):
            self._barrier(node, guards)
            self.events.perhaps.add(self.events.count - 1)

    def orders(self, name: str) -> bool:
        """A function of the file that may hold a barrier of any kind."""
        body = VOTES.sub("", self.known[name].body.text)
        return name in self.synchronising or BARRIER.search(f"{name} {body}") is not None

    def _may_meet(self, node: Syntax, name: str, member: str) -> bool:
        """A call of what the file does not define: by its name, or because shared memory is given to it."""
        if HARMLESS.match(name) or HARMLESS.match(member):
            return False
        arguments = node.child("arguments")
        given = () if arguments is None else arguments.children
        named = [n for part in given for n in part.walk() if n.kind == "identifier" and n.text in self.arrays]
        if not named and given and MOVES.match(member) and "(" not in name.rpartition(".")[0]:
            return False  # of a vector in registers
        parent = self.parents.get(id(node))
        if not given and parent is not None and parent.kind != "expression_statement" and member not in self.known:
            return COLLECTIVE.search(name) is not None  # it is asked for a value
        handed = not all(map(self._is_value, named))
        return handed or not given or COLLECTIVE.search(name) is not None

    def _is_value(self, array: Syntax) -> bool:
        """`f(tile[i])` hands over a value; a row of a table, or an address, is memory."""
        around = self.parents.get(id(array))
        if around is None or around.kind != "subscript_expression" or around.children[0] is not array:
            return False
        outer = self.parents.get(id(around))
        taken = outer is not None and (outer.kind == "field_expression" or outer.op == "&")
        return not taken and array.text not in self.tables

    def _barrier(self, node: Syntax, guards: tuple[Guard, ...]) -> None:
        self.events.conditions.append(guards)
        if node.kind != "call_expression":
            return
        callee = node.child("function")
        name = callee.text.strip() if callee is not None else ""
        plain = plain_name(name)
        arguments = node.child("arguments")
        group = arguments.children[0].text if arguments is not None and arguments.children else "block"
        of_tile = plain == "sync" and TILE.search(group) is not None and not WHOLE_GROUP.search(group)
        if of_tile or OF_WARP.match(plain) or (OF_GROUP.match(name) and not WHOLE_GROUP.search(group)):
            self.events.of_warp.add(self.events.count - 1)
        if WHOLE_BARRIER.match(name) or plain in self.synchronising:
            self.events.barriers.append((node, guards))

    def _escape(self, place: Syntax, guards: tuple[Guard, ...]) -> None:
        """The address of an element goes elsewhere: what happens to it is not followed."""
        for child in place.children:
            if child.kind != "identifier":
                self.expression(child, guards)

    def _place(self, node: Syntax) -> tuple[str, tuple[Syntax, ...]] | None:
        """(array, indices) of a shared element, member or scalar; none for what a pointer points at itself."""
        indices: list[Syntax] = []
        member = ""
        if node.kind == "pointer_expression" and node.op == "*" and node.children:
            return self._pointed(node.children[0])
        while True:
            if node.kind == "subscript_expression" and node.children:
                indices = [*node.children[1:], *indices]
                node = node.children[0]
            elif node.kind == "field_expression" and node.child("argument") is not None:
                named, base = node.child("field"), node.child("argument")
                member = f".{named.text if named is not None else ''}{member}"
                if base is None:
                    return None
                node = base
            else:
                break
        if node.kind in ("cast_expression", "call_expression") and [index.text for index in indices] == ["0"]:
            return None if member else self._pointed(node)  # `reinterpret_cast<float4 *>(&tile[i])[0]`
        row = self.rows.get(node.text) if node.kind == "identifier" and not member and len(indices) == 1 else None
        if row is not None:
            return row.array, row.at(indices[0])
        if node.kind != "identifier" or node.text not in self.arrays:
            return None
        return node.text + member, tuple(indices)

    def _access(self, kind: str, node: Syntax, guards: tuple[Guard, ...], value: Syntax | None = None) -> None:
        found = self._place(node)
        if found is None:
            self.expression(node, guards) if kind == "read" and node.kind not in ("identifier",) else None
            return
        for index in found[1]:
            self.expression(index, guards)
        self._note(Event(kind, *found, node, guards, self.events.count, value))

    def _note(self, event: Event) -> None:
        self.events.accesses.append(replace(event, shuffles=self._shuffles))


def _left(statement: Syntax) -> tuple[Guard, ...]:
    """What holds behind `if (c) return;`."""
    condition, consequence = statement.child("condition"), statement.child("consequence")
    if statement.kind != "if_statement" or condition is None or consequence is None or statement.child("alternative"):
        return ()
    return (Guard(statement, condition, False),) if leaves(consequence) else ()
