"""Statements of a Python host program, worded in C++: assignments, branches that join, loops, returns."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from cudalint.frontend.python_host_conditions import Conditions
from cudalint.frontend.python_host_names import stored
from cudalint.frontend.python_host_numbers import as_number, binary, settled
from cudalint.frontend.python_host_values import (
    Array,
    Items,
    Kernel,
    Lost,
    Nothing,
    Number,
    Shape,
    String,
    Table,
    Truth,
    Value,
    is_plain,
    leaves,
    merged,
    number,
    rebuilt,
    renamed,
    settings,
    shape_of,
)
from cudalint.frontend.python_host_writer import AnyLine, Line, ReturnLine, Writer, c_name, held

if TYPE_CHECKING:
    from cudalint.frontend.python_host import Program

_UNROLLED = 16
_ROUNDS = 3


class Walker(Conditions):
    """One function, or the statements of the module."""

    def __init__(
        self, program: Program, writer: Writer, names: dict[str, Value], node: ast.AST, owner: str, depth: int
    ) -> None:
        super().__init__(program, writer, names, node, owner, depth)
        self._loops: list[dict[str, Value]] = []
        self._returned: list[Value] = []
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        self.start = program.reader.offset(line, column)

    def result(self) -> Value | None:
        """What all returns give, where that is of one sort; the others are left without a value."""
        if not self._returned:
            return None
        sort = merged(self._returned)
        return Lost("several results", self.start) if sort is None else sort

    def statements(self, body: Iterable[ast.stmt]) -> bool:
        """Word them in order; whether nobody comes behind them."""
        for stmt in body:
            self.program.reader.count()
            self.writer.at = self.program.reader.offset(stmt.lineno, stmt.col_offset)
            if self._statement(stmt):
                return True
        return False

    def statements_of(self, body: list[ast.stmt]) -> None:
        self.statements(body)

    def inlined(self, body: Iterable[ast.stmt]) -> bool:
        """The statements without the ends of a function: a return leaves the rest aside."""
        for stmt in body:
            if any(isinstance(each, ast.Return) for each in ast.walk(stmt)):
                self.forget(stored(stmt))
            elif self.statements([stmt]):
                return True
        return False

    def _statement(self, stmt: ast.stmt) -> bool:
        match stmt:
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                self._assign(stmt)
            case ast.Expr():
                self.value(stmt.value)
            case ast.If():
                return self._if(stmt)
            case ast.For() | ast.AsyncFor():
                self._for(stmt)
            case ast.While():
                self._loop(stmt, None, lambda: self._while_head(stmt))
                self.statements(stmt.orelse)
            case ast.With() | ast.AsyncWith():
                for item in stmt.items:
                    value = self.value(item.context_expr)
                    if item.optional_vars is not None:
                        self._bind(item.optional_vars, Lost("with", self.writer.at) if is_plain(value) else value)
                return self.statements(stmt.body)
            case ast.Assert() | ast.Raise() | ast.Return() | ast.Break() | ast.Continue():
                return self._jump(stmt)
            case ast.Try():
                return self._try(stmt)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.define(stmt)
            case _:
                self.forget(stored(stmt))
        return False

    def _jump(self, stmt: ast.Assert | ast.Raise | ast.Return | ast.Break | ast.Continue) -> bool:
        match stmt:
            case ast.Assert():
                cond = self.truth(stmt.test)
                if settled(cond) is None:
                    self.writer.emit(f"if (!{cond.text}) {{ cupy::abort(); }}")
                self.learn(stmt.test, True)
                return False
            case ast.Raise():
                self.writer.emit("cupy::abort();")
            case ast.Return():
                value = self.value(stmt.value, "result") if stmt.value is not None else Nothing()
                self.passed_on(value)
                self._returned.append(value)
                self.writer.lines.append(ReturnLine(value, self.writer.at))
            case ast.Break() | ast.Continue():
                self._carry()
                self.writer.emit("break;" if isinstance(stmt, ast.Break) else "continue;")
        return True

    # --- assignments --------------------------------------------------------------------------------------------------

    def _assign(self, stmt: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        if stmt.value is None:
            return
        if isinstance(stmt, ast.AugAssign):
            self._augment(stmt)
            return
        targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]
        first = targets[0]
        if (
            isinstance(first, ast.Tuple)
            and isinstance(stmt.value, ast.Tuple)
            and len(first.elts) == len(stmt.value.elts)
        ):
            value: Value = Items(tuple(self.value(v, _hint(t)) for t, v in zip(first.elts, stmt.value.elts)))
        else:
            value = self.value(stmt.value, _hint(first))
        for target in targets:
            self._bind(target, value)

    def _augment(self, stmt: ast.AugAssign) -> None:
        old, more = self.value(stmt.target), self.value(stmt.value)
        if isinstance(old, Array):
            return  # in place
        found = binary(stmt.op, old, more)
        kind = Number if isinstance(old, Number) and isinstance(more, Number) else None
        self._bind(stmt.target, found or Lost(self.reader.written(stmt.target), self.writer.at, kind))

    def _bind(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name() if target.id in self.unstable:
                self.names[target.id] = Lost(target.id, self.writer.at)
            case ast.Name() if self.node is self.program.tree and self.program.is_changed(target.id):
                pass
            case ast.Name():
                self.names[target.id] = self._kept(value, target.id)
                self._drop_parts(target.id)
            case ast.Attribute(value=ast.Name(id=owner)):
                if target.attr in ("shape", "strides") and isinstance(self.names.get(owner), Array):
                    self.names[owner] = Lost(owner, self.writer.at, Array)
                    return
                self.names[f"{owner}.{target.attr}"] = self._kept(value, target.attr)
            case ast.Tuple() | ast.List():
                self._unpack(target, value)
            case ast.Starred():
                self._bind(target.value, Lost(self.reader.written(target), self.writer.at))
            case ast.Subscript(value=ast.Name(id=owner)) if not isinstance(self.names.get(owner), Array):
                self._set_entry(owner, target, value)
            case _:
                pass

    def _drop_parts(self, name: str) -> None:
        for part in [each for each in self.names if each.startswith(f"{name}.")]:
            del self.names[part]

    def _kept(self, value: Value, hint: str) -> Value:
        """What is lost is lost once: all uses of the name mean the same value."""
        if isinstance(value, Lost) and value.kind in (Number, Array, Truth):
            empty: Value = Array("") if value.kind is Array else Number("") if value.kind is Number else Truth("")
            return self.writer.declare(empty, hint, self.writer.lost(value, value.kind))
        if isinstance(value, Number | Truth) and not value.text.isidentifier():
            return held(value, hint, self.writer)
        return value

    def _set_entry(self, owner: str, target: ast.Subscript, value: Value) -> None:
        table, key = self.names.get(owner), self.value(target.slice)
        if isinstance(table, Table) and isinstance(key, String) and key.whole:
            rest = tuple(entry for entry in table.entries if entry[0] != key.chars)
            self.names[owner] = Table((*rest, (key.chars, value)))
        elif table is not None:
            self.names[owner] = Lost(owner, self.writer.at)

    def _unpack(self, target: ast.Tuple | ast.List, value: Value) -> None:
        count = len(target.elts)
        if isinstance(value, Shape) and not any(isinstance(e, ast.Starred) for e in target.elts):
            self.writer.emit(f"if ({value.array.text}.dim() != {count}) {{ cupy::abort(); }}")
            sizes = tuple(Number(f"{value.array.text}.size({place})", None, True) for place in range(count))
            self.rank(value.array, sizes)
            value = Items(sizes)
        if isinstance(value, Items) and len(value.parts) == count:
            kept = [self._kept(part, getattr(e, "id", "value")) for part, e in zip(value.parts, target.elts)]
            for element, part in zip(target.elts, kept):
                self._bind(element, part)
            return
        kind = Number if isinstance(value, Shape) else None
        for element in target.elts:
            self._bind(element, Lost(self.reader.written(element), self.writer.at, kind))

    def forget(self, names: Iterable[str]) -> None:
        """They may be anything from here on."""
        for name in names:
            self.names[name] = Lost(name, self.writer.at)

    # --- branches -----------------------------------------------------------------------------------------------------

    def _if(self, stmt: ast.If) -> bool:
        cond = self.truth(stmt.test)
        known = settled(cond)
        if known is not None:
            return self.statements(stmt.body if known else stmt.orelse)
        sides = [self._side(stmt.test, stmt.body, True), self._side(stmt.test, stmt.orelse, False)]
        return self._join(f"if ({cond.text}) {{", sides, stmt)

    def _side(self, test: ast.expr | None, body: list[ast.stmt], holds: bool) -> _Side:
        """The lines of a branch, the names behind it, and whether it ends."""
        names = dict(self.names)
        before = self.writer.block()
        if test is not None:
            self.learn(test, holds)
        ended = self.statements(body)
        side = self.writer.close(before), self.names, ended
        self.names = names
        return side

    def _join(self, head: str, sides: list[_Side], stmt: ast.stmt) -> bool:
        live = [side for side in sides if not side[2]]
        before = dict(self.names)
        self.writer.at = self.program.reader.offset(stmt.lineno, stmt.col_offset)
        if live:
            changed = {n for _, names, _ in live for n in names if names[n] != before.get(n)}
            changed |= {n for n in before if any(n not in names for _, names, _ in live)}
            for name in sorted(changed):
                self.names[name] = self._joined_name(name, live)
        for opening, (lines, _, _) in zip((head, "} else {"), sides):
            self.writer.emit(opening)
            self.writer.lines += lines
        self.writer.emit("}")
        return not live

    def _joined_name(self, name: str, live: list[_Side]) -> Value:
        """A name behind branches, in variables that each of them sets."""
        values = [names[name] for _, names, _ in live if name in names]
        if not values:  # each of them deletes it
            return Lost(name, self.writer.at, None)
        sort = merged(values)
        if sort is not None and (not any(True for _ in leaves(sort)) or (len(live) > 1 and sort == values[-1])):
            return sort
        if sort is None:
            kinds = {value.kind if isinstance(value, Lost) else type(value) for value in values}
            kind = kinds.pop() if len(kinds) == 1 else None
            return Lost(name, self.writer.at, kind if kind in (Number, Array, Truth, Kernel) else None)
        target = self._target(sort, name)
        for lines, names, _ in live:
            if name in names:
                lines += self._setting(target, names[name])
        return target

    def _target(self, value: Value, name: str) -> Value:
        """Variables of the value's sort that hold nothing known yet."""

        def variable(leaf: Value) -> Value:
            own = self.writer.fresh(name.rpartition(".")[2])
            self.writer.emit(f"{c_name(leaf)} {own} = {self.writer.lost(Lost(name), type(leaf))};")
            return renamed(leaf, own)

        return rebuilt(value, variable)

    def _setting(self, target: Value, value: Value) -> list[AnyLine]:
        pairs = settings(target, value) or []
        return [Line(f"{self.writer.text(to)} = {self.writer.text(given)};", self.writer.at) for to, given in pairs]

    def _try(self, stmt: ast.Try) -> bool:
        """What runs to its end, or as far as one of the handlers says."""
        body = [*stmt.body, *stmt.orelse]
        sides = [self._side(None, body, True)]
        touched = stored(stmt)
        for handler in stmt.handlers:
            names = dict(self.names)
            self.forget(touched)
            side = self._side(None, handler.body, True)
            self.names = names
            if not side[2]:
                sides.append(side)
        if len(sides) == 1:
            lines, self.names, ended = sides[0]
            self.writer.lines += lines
        else:
            cond = self.writer.lost(Lost("that nothing is raised"), Truth)
            ended = self._join(f"if ({cond}) {{", sides[:2], stmt)
            if len(sides) > 2:
                self.forget(touched)
        return self.statements(stmt.finalbody) or ended

    # --- loops --------------------------------------------------------------------------------------------------------

    def _for(self, stmt: ast.For | ast.AsyncFor) -> None:
        items = self._iterated(stmt.iter)
        jumps = any(isinstance(each, ast.Break | ast.Continue | ast.Return) for each in ast.walk(stmt))
        if isinstance(items, Items) and len(items.parts) <= _UNROLLED and not jumps:
            for item in items.parts:
                self._bind(stmt.target, item)
                self.statements(stmt.body)
        elif (ends := self._range(stmt.iter)) is not None and isinstance(stmt.target, ast.Name):
            self._loop(stmt, stmt.target.id, lambda: self._range_head(stmt, *ends))
        else:
            self._loop(stmt, None, lambda: self._unknown_head(stmt))
        self.statements(stmt.orelse)

    def _iterated(self, node: ast.expr) -> Value:
        """What a loop goes through: a list, the entries of a dictionary, numbered items."""
        match node:
            case ast.Call(func=ast.Name(id="range")):
                ends = self._range(node)
                values = [each.value for each in ends] if ends is not None else [None]
                if None not in values:
                    low, high, step = (value for value in values if value is not None)
                    found = range(low, high, step)
                    if len(found) <= 4:
                        return Items(tuple(map(number, found)))
                return Lost("range")
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner]):
                items = self._iterated(inner)
                if isinstance(items, Items):
                    return Items(tuple(Items((number(i), part)) for i, part in enumerate(items.parts)))
                return Lost("enumerate")
            case ast.Call(func=ast.Name(id="zip"), args=parts):
                lists = [self._iterated(part) for part in parts]
                if lists and all(isinstance(each, Items) for each in lists):
                    return Items(tuple(Items(row) for row in zip(*(e.parts for e in lists if isinstance(e, Items)))))
                return Lost("zip")
            case _:
                return self.value(node)

    def _range(self, node: ast.expr) -> tuple[Number, Number, Number] | None:
        """First, last and step of a `range`."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"):
            return None
        values = [as_number(self.value(each)) for each in node.args]
        numbers = [value for value in values if isinstance(value, Number)]
        if len(numbers) < len(values) or not 1 <= len(numbers) <= 3:
            return None
        low, high = (number(0), numbers[0]) if len(numbers) == 1 else numbers[:2]
        step = numbers[2] if len(numbers) == 3 else number(1)
        return (low, high, step) if step.value is not None and step.value != 0 else None

    def _range_head(self, stmt: ast.For | ast.AsyncFor, low: Number, high: Number, step: Number) -> str:
        assert isinstance(stmt.target, ast.Name) and step.value is not None
        name = self.writer.fresh(stmt.target.id)
        natural = low.natural if step.value > 0 else high.natural or high.value == -1
        self.names[stmt.target.id] = Number(name, None, natural)
        sign, more = ("<", f"+= {step.value}") if step.value > 0 else (">", f"-= {-step.value}")
        return f"for (long {name} = {low.text}; {name} {sign} {high.text}; {name} {more}) {{"

    def _unknown_head(self, stmt: ast.For | ast.AsyncFor) -> str:
        self._bind(stmt.target, Lost(self.reader.written(stmt.target), self.writer.at))
        return f"while ({self.writer.lost(Lost(self.reader.written(stmt.iter)), Truth)}) {{"

    def _while_head(self, stmt: ast.While) -> str:
        before = self.writer.block()
        cond = self.truth(stmt.test)
        if self.writer.close(before):
            cond = Truth(self.writer.lost(Lost(self.reader.written(stmt.test)), Truth))
        return f"while ({cond.text}) {{"

    def _loop(self, stmt: _Loop, counter: str | None, head: Callable[[], str]) -> None:
        """A loop with variables for what its rounds hand on."""
        before = dict(self.names)
        carried = self._carried(stmt, sorted(stored(stmt) - {counter}), head)
        targets: dict[str, Value] = {}
        for name, value in carried.items():
            if isinstance(value, Lost):
                self.names[name] = value
                continue
            targets[name] = self.names[name] = self._target(value, name)
            if name in before:
                self.writer.lines += self._setting(targets[name], before[name])
        outside = dict(self.names)
        opening = head()
        lines = self.writer.block()
        self._loops.append(targets)
        if not self.statements(stmt.body):
            self._carry()
        self._loops.pop()
        inside = self.writer.close(lines)
        self.writer.at = self.program.reader.offset(stmt.lineno, stmt.col_offset)
        self.writer.nested(opening, inside)
        self.names = outside
        if counter is not None:
            self.names[counter] = Lost(counter, self.writer.at, Number)

    def _carried(self, stmt: _Loop, touched: list[str], head: Callable[[], str]) -> dict[str, Value]:
        """Of what sort each name that a round changes is at its start; Lost where it is not of one."""
        before, carried = dict(self.names), dict[str, Value]()
        for _ in range(_ROUNDS):
            after, found = self._round(stmt, head, carried), dict[str, Value]()
            for name in touched:
                start, end = carried.get(name, before.get(name)), after.get(name)
                if end is not None and (name in carried or end != start):
                    found[name] = self._of_both(name, start, end)
            if {n: shape_of(v) for n, v in found.items()} == {n: shape_of(v) for n, v in carried.items()}:
                return found
            carried = found
        return {name: Lost(name, self.writer.at) for name in touched}

    def _of_both(self, name: str, start: Value | None, end: Value) -> Value:
        sort = merged([end if start is None else start, end])
        return Lost(name, self.writer.at) if sort is None else sort

    def _round(self, stmt: _Loop, head: Callable[[], str], carried: Mapping[str, Value]) -> dict[str, Value]:
        """The names behind one round that begins with values of these sorts; nothing is written."""
        names, quiet = dict(self.names), self.quiet
        before = self.writer.block()
        with self.writer.aside():
            for name, value in carried.items():
                self.names[name] = value if isinstance(value, Lost) else self._target(value, name)
            self.quiet = True
            self._loops.append({})
            head()
            self.statements(stmt.body)
            self._loops.pop()
        self.quiet = quiet
        self.writer.close(before)
        after, self.names = self.names, names
        return after

    def _carry(self) -> None:
        """Hand the values of this round on to the next one."""
        targets = self._loops[-1] if self._loops else {}
        temporaries: list[tuple[Value, Value]] = []
        for name, target in targets.items():
            value = self.names.get(name)
            if value is not None and value != target:
                given = (
                    value
                    if settings(target, value) is not None
                    else rebuilt(target, partial(self._nothing_known, name))
                )
                temporaries.append((target, given))
        if len(temporaries) > 1:
            temporaries = [(t, rebuilt(v, lambda leaf: self.writer.declare(leaf, "next"))) for t, v in temporaries]
        for target, value in temporaries:
            self.writer.lines += self._setting(target, value)

    def _nothing_known(self, name: str, leaf: Value) -> Value:
        return self.writer.unknown(Lost(name), type(leaf))


_Side = tuple[list[AnyLine], dict[str, Value], bool]
_Loop = ast.For | ast.AsyncFor | ast.While


def _hint(target: ast.expr) -> str:
    """What is made for a target is named after it."""
    return target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else "value"
