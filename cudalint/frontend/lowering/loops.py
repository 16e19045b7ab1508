"""Loops and switches."""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.context import Body, statement
from cudalint.frontend.lowering.ranges import range_of
from cudalint.frontend.lowering.types import is_aggregate, is_reference
from cudalint.ir import nodes as ir
from cudalint.ir.types import BOOL, INT32, INT64, Array, Bool, Pointer
from cudalint.source import Span

ELEMENT = "element of a range: "  # of which nothing is known

Statements = list[ir.Stmt]


@statement(Kind.FOR_STMT)
def counted(body: Body, cursor: Cursor) -> None:
    init, cond, step, block = parts(body, cursor)
    if init is not None:
        body.statement(init)
    with body.nested() as pre:
        test = build.truth(body.value(cond)) if cond is not None else build.TRUE
    with body.nested() as after:
        if step is not None:
            body.discard(step)
    made = loop_body(body, block)
    body.emit(ir.Loop(tuple(pre), test, tuple(after), tuple(made), True, body.span(cursor), unroll(body, cursor)))


def loop_body(body: Body, block: Cursor) -> Statements:
    with body.nested() as made:
        body.statement(block)
    return made


def parts(body: Body, cursor: Cursor) -> tuple[Cursor | None, Cursor | None, Cursor | None, Cursor]:
    """Init, condition, step and body: libclang leaves missing ones out, so the semicolons of the text decide."""
    *head, block = clang.children(cursor)
    if len(head) == 3:
        return head[0], head[1], head[2], block
    file, start, end = body.program.locator.extent(cursor)
    first, second = semicolons(body.program.locator.content(file), start, end)
    found: list[Cursor | None] = [None, None, None]
    for part in head:
        _, at, _ = body.program.locator.extent(part)
        if first < 0:
            slot = 0 if part.kind == Kind.DECL_STMT else 1 if body.type_of(part) == BOOL else 2
        else:
            slot = 0 if at <= first else 1 if at <= second else 2
        found[slot] = part
    return found[0], found[1], found[2], block


def semicolons(content: bytes, start: int, end: int) -> tuple[int, int]:
    """Offsets of the two semicolons of `for (...)`; -1 where the text at `start` is no `for` (a macro's use)."""
    if content[start : start + 3] != b"for":
        return -1, -1
    depth, found = 0, []
    for at in range(start, end):
        byte = content[at : at + 1]
        if byte in b"({[":
            depth += 1
        elif byte in b")}]":
            depth -= 1
        elif byte == b";" and depth == 1:
            found.append(at)
            if len(found) == 2:
                return found[0], found[1]
    return -1, -1


def unroll(body: Body, cursor: Cursor) -> int | None:
    """The count of a `#pragma unroll` before the loop; 0 where it has none."""
    file, start, _ = body.program.locator.extent(cursor)
    before = body.program.locator.content(file)[max(0, start - 160) : start].rstrip()
    line = before[before.rfind(b"\n") + 1 :].strip()
    if not line.startswith(b"#pragma") or b"unroll" not in line:
        return None
    digits = bytes(c for c in line.partition(b"unroll")[2] if 48 <= c <= 57)
    return int(digits) if digits else 0


@statement(Kind.WHILE_STMT)
def while_loop(body: Body, cursor: Cursor) -> None:
    below = clang.children(cursor)
    with body.nested() as pre:
        for declared in below[:-2]:
            body.statement(declared)
        test = build.truth(body.value(below[-2]))
    made = loop_body(body, below[-1])
    body.emit(ir.Loop(tuple(pre), test, (), tuple(made), True, body.span(cursor), unroll(body, cursor)))


@statement(Kind.DO_STMT)
def do_loop(body: Body, cursor: Cursor) -> None:
    block, cond = clang.children(cursor)
    made = loop_body(body, block)
    with body.nested() as pre:
        test = build.truth(body.value(cond))
    if test == build.FALSE and not pre and not leaves(made):
        for statement_ in made:
            body.emit(statement_)
        return
    body.emit(ir.Loop(tuple(pre), test, (), tuple(made), False, body.span(cursor)))


def leaves(statements: Statements | tuple[ir.Stmt, ...]) -> bool:
    """Whether a break or continue of the enclosing loop is inside."""
    for made in statements:
        if isinstance(made, (ir.Break, ir.Continue)):
            return True
        if isinstance(made, ir.If) and (leaves(made.then) or leaves(made.orelse)):
            return True
    return False


@statement(Kind.BREAK_STMT)
def leave(body: Body, cursor: Cursor) -> None:
    body.emit(ir.Break(body.span(cursor)))


@statement(Kind.CONTINUE_STMT)
def proceed(body: Body, cursor: Cursor) -> None:
    body.emit(ir.Continue(body.span(cursor)))


@statement(Kind.CXX_FOR_RANGE_STMT)
def ranged(body: Body, cursor: Cursor) -> None:
    """`for (T x : array)`, `for (T x : {a, b})` and those over pointers that an object gives.

    Other ranges are holes in device code; host code goes through them any number of times, with any elements.
    """
    below = [c for c in clang.children(cursor) if c.kind != Kind.DECL_STMT or c == clang.children(cursor)[-1]]
    place = _range_place(body, below[1]) if len(below) == 3 else None
    ends = range_of(body, below[0], below[1]) if place is None and len(below) == 3 else None
    if place is None and ends is None:
        if body.role is ir.Role.HOST and len(below) == 3:
            _any_elements(body, below[0], below[1], below[2], body.span(cursor))
        else:
            body.hole("range for over an object", cursor)
        return
    declared, _, block = below
    span = body.span(cursor)
    type_ = INT32 if ends is None else INT64
    index = body.fresh(type_, span, "i")
    body.emit(ir.Assign(index, ir.Const(0, type_), span))
    element, count = _element_of(place, index) if ends is None else _element_behind(*ends, index)
    with body.nested() as made:
        _declare_item(body, declared, element)
        body.statement(block)
    test = ir.Binary(ir.BinaryOp.LESS, index, count, BOOL)
    step = ir.Assign(index, ir.Binary(ir.BinaryOp.ADD, index, ir.Const(1, type_), type_), span)
    body.emit(ir.Loop((), test, (step,), tuple(made), True, span))


def _any_elements(body: Body, declared: Cursor, range_: Cursor, block: Cursor, span: Span) -> None:
    """A loop over elements that nothing is known of; what it may write through a reference belongs to the range."""
    type_ = declared.type.get_pointee() if is_reference(declared.type) else declared.type
    if is_reference(declared.type) and not type_.is_const_qualified():
        body.hole("range for over an object", range_)
    with body.nested() as made:
        item = body.program.types.translate(type_)
        first = ir.Opaque(f"{ELEMENT}{declared.spelling}", (), Pointer(item))
        _declare_item(body, declared, build.element(first, ir.Const(0, INT64), item))
        body.statement(block)
    body.emit(ir.Loop((), ir.Opaque("another element of a range", (), BOOL), (), tuple(made), True, span))


def _element_of(array: ir.Place | None, index: ir.Var) -> tuple[ir.Place, ir.Expr]:
    """An element of an array, and how many there are."""
    assert array is not None
    type_ = build.place_type(array)
    assert isinstance(type_, Array)
    return ir.Index(array, index, type_.element), ir.Const(type_.count or 0, INT32)


def _element_behind(first: ir.Expr, count: ir.Expr, index: ir.Var) -> tuple[ir.Place, ir.Expr]:
    assert isinstance(first.type, Pointer)
    return build.element(first, index, first.type.element), count


def _range_place(body: Body, range_: Cursor) -> ir.Place | None:
    """The array that is gone through; the elements of a braced list are one of our own."""
    if isinstance(body.type_of(range_), Array):
        return body.place(range_)
    while range_.kind == Kind.UNEXPOSED_EXPR and len(clang.children(range_)) == 1:
        range_ = clang.children(range_)[0]
    if range_.kind != Kind.INIT_LIST_EXPR or not (items := clang.children(range_)):
        return None
    values = [body.value(item) for item in items]
    array = body.temporary(Array(values[0].type, len(values)), body.span(range_))
    for i, value in enumerate(values):
        at = ir.Index(array, ir.Const(i, INT32), values[0].type)
        body.write(at, build.convert(value, values[0].type), body.span(items[i]))
    return array


def _declare_item(body: Body, declared: Cursor, element: ir.Place) -> None:
    span, key = body.span(declared), clang.identity(declared)
    type_ = body.program.types.translate(declared.type)
    var = ir.Var(body.unique(declared.spelling), type_)
    body.variables[key] = var
    reference = is_reference(declared.type)
    memory = not reference and (is_aggregate(type_) or key in body.address_taken)
    if memory:
        body.memory.add(var.name)
    body.emit(ir.Declare(var, ir.Storage.LOCAL if memory else ir.Storage.REGISTER, span))
    if reference:
        body.references.add(key)
        body.emit(ir.Assign(var, build.address(element), span))
    else:
        body.write(ir.Variable(var), build.convert(body.read(element, span), type_), span)


@statement(Kind.SWITCH_STMT)
def switch(body: Body, cursor: Cursor) -> None:
    """A loop that runs once: each case runs when it was matched or the case before fell through."""
    below = clang.children(cursor)
    for declared in below[:-2]:
        body.statement(declared)
    span, block = body.span(cursor), below[-1]
    value = body.value(below[-2])
    subject = body.fresh(value.type, span)
    body.emit(ir.Assign(subject, value, span))
    groups = cases(block)
    if groups is None:
        body.hole("switch with labels inside other statements", cursor)
        return
    constants = [[_constants(body, label) for label in labels if label is not None] for labels, _ in groups]
    if any(c is None for group in constants for c in group):
        body.hole("switch with a label that is not constant", cursor)
        return
    conditions = [_matches(subject, [c for c in group if c is not None]) for group in constants]
    last = groups[-1][0] if groups else []
    only_last = len(last) == 1 and last[0] is None  # `default` at the end needs no test of its own in a chain
    other = build.TRUE if only_last and len(groups) > 1 else build.negated(_any(conditions))
    arms = []
    for (labels, statements), cond in zip(groups, conditions):
        test = _any([cond, other]) if any(c is None for c in labels) else cond
        with body.nested() as made:
            for child in statements:
                body.statement(child)
        arms.append((test, made))
    if not emit_chain(body, arms, cursor):
        emit_once(body, arms, cursor)


Label = tuple[Cursor, Cursor]  # the first value and the last one, of `case 1 ... 4:` as of `case 4:`
Group = tuple[list[Label | None], list[Cursor]]


def cases(block: Cursor) -> list[Group] | None:
    """Labels (None for default) with the statements after them."""
    found: list[Group] = []
    items = clang.children(block) if block.kind == Kind.COMPOUND_STMT else [block]
    for item in items:
        labels: list[Label | None] = []
        while item.kind in (Kind.CASE_STMT, Kind.DEFAULT_STMT):
            below = clang.children(item)
            labels.append((below[0], below[-2]) if item.kind == Kind.CASE_STMT else None)
            item = below[-1]
        if labels:
            found.append((labels, [item]))
        elif found:
            found[-1][1].append(item)
        elif item.kind != Kind.DECL_STMT:
            return None
    return found


def _constants(body: Body, label: Label) -> tuple[ir.Const, ir.Const] | None:
    values = [clang.evaluate(end) for end in label]
    found = [build.const(value, body.type_of(end)) for value, end in zip(values, label) if value is not None]
    return (found[0], found[1]) if len(found) == len(label) else None


def _matches(subject: ir.Var, labels: list[tuple[ir.Const, ir.Const]]) -> ir.Expr:
    tests: list[ir.Expr] = []
    for first, last in labels:
        low, high = build.convert(first, subject.type), build.convert(last, subject.type)
        if low == high:
            tests.append(ir.Binary(ir.BinaryOp.EQUAL, subject, low, BOOL))
        else:
            above = ir.Binary(ir.BinaryOp.GREATER_EQUAL, subject, low, BOOL)
            below = ir.Binary(ir.BinaryOp.LESS_EQUAL, subject, high, BOOL)
            tests.append(ir.Binary(ir.BinaryOp.LOGICAL_AND, above, below, BOOL))
    return _any(tests)


def _any(tests: list[ir.Expr]) -> ir.Expr:
    result: ir.Expr = build.FALSE
    for test in tests:
        if test == build.FALSE:
            continue
        result = test if result == build.FALSE else ir.Binary(ir.BinaryOp.LOGICAL_OR, result, test, Bool())
    return result


def emit_chain(body: Body, arms: list[tuple[ir.Expr, Statements]], cursor: Cursor) -> bool:
    """`if ... else if ...`, where no arm falls through and none has a break inside."""
    if not all(ends(made) for _, made in arms[:-1]) or any(inner_break(made) for _, made in arms):
        return False
    chain: tuple[ir.Stmt, ...] = ()
    for test, made in reversed(arms):
        then = tuple(made[:-1]) if made and isinstance(made[-1], ir.Break) else tuple(made)
        chain = then if test == build.TRUE else (ir.If(test, then, chain, body.span(cursor)),)
    for statement_ in chain:
        body.emit(statement_)
    return True


def emit_once(body: Body, arms: list[tuple[ir.Expr, Statements]], cursor: Cursor) -> None:
    """A loop that runs once; an arm runs when its label matched or the arm before fell through."""
    span = body.span(cursor)
    if any(continues(made) for _, made in arms):
        body.hole("continue inside a switch that falls through", cursor)
        return
    labels = _any([test for test, _ in arms if test != build.TRUE])
    with body.nested() as once:
        entered = body.fresh(BOOL, span)
        body.emit(ir.Assign(entered, build.FALSE, span))
        for test, made in arms:
            own = build.negated(labels) if test == build.TRUE else test
            hit = ir.Binary(ir.BinaryOp.LOGICAL_OR, entered, own, BOOL)
            body.emit(ir.If(hit, (ir.Assign(entered, build.TRUE, span), *made), (), span))
        body.emit(ir.Break(span))
    body.emit(ir.Loop((), build.TRUE, (), tuple(once), True, span))


def ends(made: Statements) -> bool:
    return bool(made) and isinstance(made[-1], (ir.Break, ir.Return, ir.Continue, ir.Trap))


def inner_break(made: Statements) -> bool:
    """A break that is not the arm's last statement."""
    body = made[:-1] if made and isinstance(made[-1], ir.Break) else made
    return any(isinstance(s, ir.Break) or (isinstance(s, ir.If) and has_break(s)) for s in body)


def has_break(made: ir.If) -> bool:
    return any(isinstance(s, ir.Break) or (isinstance(s, ir.If) and has_break(s)) for s in (*made.then, *made.orelse))


def continues(made: Statements | tuple[ir.Stmt, ...]) -> bool:
    return any(
        isinstance(s, ir.Continue) or (isinstance(s, ir.If) and (continues(s.then) or continues(s.orelse)))
        for s in made
    )
