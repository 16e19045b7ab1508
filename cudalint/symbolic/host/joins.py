"""How states become one where paths join, and values where two of them may be there."""

from __future__ import annotations

from dataclasses import replace

from cudalint import ir
from cudalint.symbolic.host.cells import OF_CONTENTS, REST
from cudalint.symbolic.host.sides import on_sides
from cudalint.symbolic.host.state import Conjunct, State, is_inside, readable_as
from cudalint.symbolic.host.values import (
    APPROXIMATE,
    NULL,
    OPAQUE,
    Address,
    Either,
    FunctionValue,
    HostObject,
    Opaque,
    Origin,
    Ratio,
    Record,
    Reference,
    Sizes,
    Tensor,
    Value,
    depth,
)
from cudalint.symbolic.host.world import World, initial, is_aggregate, place_name
from cudalint.symbolic.walk import integers
from cudalint.term import (
    FALSE,
    TRUE,
    All,
    IsZero,
    Not,
    Sum,
    Term,
    add,
    choice,
    conjunction,
    disjunction,
    is_truth,
    multiply,
    negation,
    number,
    subtract,
)

_DEEPEST_CHOICE = 4
_DEEPEST_CHOICE_OF_FUNCTIONS = 16  # a table of kernels by the size of the block or of a row


def _is_function(value: Reference) -> bool:
    """Whether it is a function, whichever way its conditions go."""
    if isinstance(value, Either):
        return _is_function(value.then) and _is_function(value.orelse)
    return isinstance(value, FunctionValue)


def merge_values(world: World, cond: Term, a: Value, b: Value, name: str, type_: ir.Type) -> Value:
    """`a` where the condition holds, else `b`; a lost value where the two cannot be combined."""
    if a is b or a == b:
        return a
    if isinstance(a, Term) and isinstance(b, Term):
        if is_truth(a) and is_truth(b):
            return choice(cond, a, b)
        return chosen(cond, integers.as_integer(a), integers.as_integer(b))
    if isinstance(a, Reference) and isinstance(b, Reference):
        merged = _merge_addresses(cond, a, b)
        most = _DEEPEST_CHOICE_OF_FUNCTIONS if _is_function(merged) else _DEEPEST_CHOICE
        return merged if depth(merged) <= most else world.lost(name, type_, "one of many pointers")
    if isinstance(a, Record) and isinstance(b, Record):
        return _merge_records(world, cond, a, b, name)
    if isinstance(a, Ratio) and isinstance(b, Ratio) and a.denominator is b.denominator:
        return Ratio(choice(cond, a.numerator, b.numerator), a.denominator, conjunction(a.exact, b.exact))
    if isinstance(a, Tensor) and isinstance(b, Tensor) and TRUE in (a.undefined, b.undefined):
        return _merge_undefined(cond, a, b)
    if isinstance(a, Tensor) and isinstance(b, Tensor) and a.either is None and b.either is None:
        label = f"{APPROXIMATE}{name}#{world.count()}"
        world.explain(label, "differs between two paths")
        like = a.root() if a.root() is b.root() else None  # `if (!x.is_cuda()) x = x.cuda();`
        return Tensor(label, like=like, storage=label, either=(cond, a, b))
    if isinstance(a, Sizes | Opaque) or isinstance(b, Sizes | Opaque):
        return OPAQUE
    return world.lost(name, type_, "differs between two paths")


def chosen(cond: Term, then: Term, orelse: Term) -> Term:
    """The choice between two integers; `x == 0 ? y : y + 4 * x` is the latter for any x."""
    zero = cond.parts[0] if isinstance(cond, Not) else cond
    if isinstance(zero, IsZero) and _is_multiple(subtract(then, orelse), zero.parts[0]):
        return orelse if zero is cond else then
    return choice(cond, then, orelse)


def _is_multiple(term: Term, of: Term) -> bool:
    own, others = _monomials(term), _monomials(of)
    first = next(iter(others))
    return first in own and multiply(term, number(others[first])) is multiply(of, number(own[first]))


def _monomials(term: Term) -> dict[tuple[Term, ...], int]:
    return dict(term.monomials) if isinstance(term, Sum) else {(term,): 1}


def _merge_undefined(cond: Term, a: Tensor, b: Tensor) -> Tensor:
    """`at::Tensor t; if (cond) t = at::empty(...);`: who reads it reads the one that was made, or none."""
    made = b if a.undefined is TRUE else a
    undefined = disjunction(conjunction(cond, a.undefined), conjunction(negation(cond), b.undefined))
    return replace(made, undefined=undefined)


def _merge_addresses(cond: Term, a: Reference, b: Reference) -> Reference:
    if isinstance(a, Address) and isinstance(b, Address) and a.object is b.object and a.fields == b.fields:
        return Address(a.object, chosen(cond, a.offset, b.offset), a.fields)
    return Either(cond, a, b)


def _is_listed(record: Record) -> bool:
    """Every member is known, so that nothing comes from the origin."""
    fields = record.type.fields if isinstance(record.type, ir.Struct) else ()
    return bool(fields) and all(((field.name,), number(0)) in record.members for field in fields)


def _merge_records(world: World, cond: Term, a: Record, b: Record, name: str) -> Value:
    same = (a.origin is None and b.origin is None) or (
        a.origin is not None
        and b.origin is not None
        and (a.origin.address, a.origin.version) == (b.origin.address, b.origin.version)
    )
    if not same and not (_is_listed(a) and _is_listed(b)):
        return world.lost(name, a.type, "differs between two paths")
    members: dict[tuple[tuple[str, ...], Term], tuple[ir.Type, Value]] = {}
    for key in [*a.members, *(k for k in b.members if k not in a.members)]:
        type_ = (a.members.get(key) or b.members[key])[0]
        left, right = member_of(world, a, key, type_), member_of(world, b, key, type_)
        members[key] = (type_, merge_values(world, cond, left, right, ".".join((name, *key[0])), type_))
    return Record(a.type, members, a.origin)


def member_of(world: World, record: Record, key: tuple[tuple[str, ...], Term], type_: ir.Type) -> Value:
    """A member by fields and byte offset."""
    found = record.members.get(key)
    first_of_array = isinstance(type_, ir.Array) and found is not None and not is_aggregate(found[0])
    if found is not None and readable_as(found[0], type_) and not first_of_array:
        return found[1]
    deep = len(key[0])
    for length in range(1, deep):
        outer = record.members.get((key[0][:length], number(0)))
        if outer is not None and isinstance(outer[1], Record):
            return member_of(world, outer[1], (key[0][length:], key[1]), type_)
    if is_aggregate(type_):
        inner = {
            (fields[deep:], subtract(offset, key[1])): content
            for (fields, offset), content in record.members.items()
            if fields[:deep] == key[0] and is_inside(subtract(offset, key[1]), type_)
        }
        return Record(type_, inner, None if record.origin is None else _origin_below(record.origin, key))
    if record.origin is not None:
        return initial(world, _origin_below(record.origin, key), type_)
    return zero(type_)


def _origin_below(origin: Origin, key: tuple[tuple[str, ...], Term]) -> Origin:
    base = origin.address
    return Origin(Address(base.object, add(base.offset, key[1]), base.fields + key[0]), origin.version)


def zero(type_: ir.Type) -> Value:
    """The value of a member that an initialiser leaves out."""
    if isinstance(type_, ir.Int):
        return number(0)
    if isinstance(type_, ir.Bool):
        return FALSE
    if isinstance(type_, ir.Pointer):
        return NULL
    return Record(type_) if is_aggregate(type_) else OPAQUE


def join(cond: Term, then: State, orelse: State, base: State) -> State:
    """The state behind `if (cond) then else orelse`, both walked from `base`; a side that has ended adds nothing."""
    if then.end or orelse.end:
        alive, ended = (orelse, then) if then.end else (then, orelse)
        if alive.end:
            alive.end = "left" if "left" in (then.end, orelse.end) else "lasting"
            return alive
        _recause(alive, len(base.path), ended.end or "left")
        _settle(alive, len(base.path))
        return alive
    result = _merge_contents(cond, then, orelse)
    result.path = _merge_paths(cond, then, orelse, len(base.path))
    return result


def _recause(alive: State, start: int, cause: str) -> None:
    """The branch's conditions stay: for good, or until the end of what the other side has left."""
    alive.path = alive.path[:start] + tuple(
        Conjunct(c.term, cause) if c.cause == "branch" else c for c in alive.path[start:]
    )


def _settle(alive: State, start: int) -> None:
    """`if (!allocate(&p)) return;`: behind it, what depends on whether the call has succeeded does so no more."""
    held = {
        part for c in alive.path[start:] for part in (c.term, *(c.term.parts[0] if isinstance(c.term, All) else ()))
    }
    for cell, (type_, value) in list(alive.cells.items()) if held else ():
        settled = on_sides(value, held)
        if settled is not value:
            alive.cells[cell] = (type_, settled)


def _merge_contents(cond: Term, then: State, orelse: State) -> State:
    world = then.world
    result = State(world, doubt=then.doubt or orelse.doubt)
    result.registers = dict(then.registers)
    for name in [n for n, a in then.registers.items() if orelse.registers.get(n, a) is not a]:
        a, b = then.registers[name], orelse.registers[name]
        result.registers[name] = merge_values(world, cond, a, b, name.split("/")[-1], _type_of(a))
    result.registers.update((n, b) for n, b in orelse.registers.items() if n not in then.registers)
    result.versions = dict(then.versions)
    if then.versions != orelse.versions:
        changed = [o for o, version in then.versions.items() if orelse.versions.get(o, "") != version]
        changed += [o for o, version in orelse.versions.items() if version and o not in then.versions]
        for object_ in changed:
            result.versions[object_] = f"~#{world.count()}"
            world.explain(result.versions[object_], _why_either(then, orelse, object_))
    for place in (*then.chosen, *(each for each in orelse.chosen if each not in then.chosen)):
        same = then.chosen.get(place) == orelse.chosen.get(place)
        result.chosen[place] = then.chosen[place] if same else f"{APPROXIMATE}#{world.count()}"
    _merge_cells(cond, then, orelse, result)
    return result


def _why_either(then: State, orelse: State, object_: HostObject) -> str:
    whys = (then.world.why(state.versions.get(object_, "")) for state in (then, orelse))
    return next((why for why in whys if why), "written on one of two paths")


def _merge_cells(cond: Term, then: State, orelse: State, result: State) -> None:
    mine, others = then.cells, orelse.cells
    result.cells = mine.copy()
    differing = [c for c, a in mine.items() if (b := others.get(c)) is None or a[1] is not b[1]]
    for cell in [*differing, *(c for c in others if c not in mine)]:
        a, b = mine.get(cell), others.get(cell)
        if cell[1] in OF_CONTENTS and (a is None or b is None or a[0] != b[0]):
            result.cells.drop(cell)  # no one number stands for all elements of the side that nothing is known of
            continue
        if a is None or b is None:
            differ = then.versions.get(cell[0], "") != orelse.versions.get(cell[0], "")
            if cell[1][-1:] == (REST,) and len(cell[1]) > 1:  # a member that is copied whole says nothing of others
                type_ = a[0] if a is not None else b[0]  # type: ignore[index]
                name = place_name(Address(cell[0], cell[2], cell[1][:-1]), type_)
                result.cells[cell] = (type_, then.world.lost(name, type_))
                continue
            if cell[1][-1:] == (REST,):
                result.versions[cell[0]] = f"~#{then.world.count()}"
                then.world.explain(result.versions[cell[0]], "copied on one of two paths")
            if differ or cell[1][-1:] == (REST,):
                result.cells.drop(cell)
                continue
        type_ = a[0] if a is not None else b[0]  # type: ignore[index]
        address = Address(cell[0], cell[2], cell[1])
        left = a[1] if a is not None else then.read(address, type_)
        right = b[1] if b is not None else orelse.read(address, type_)
        name = place_name(address, type_)
        result.cells[cell] = (type_, merge_values(then.world, cond, left, right, name, type_))


def _type_of(value: Value) -> ir.Type:
    """A type for the unknown that replaces two registers that cannot be combined."""
    if isinstance(value, Term):
        return ir.BOOL if is_truth(value) else ir.INT64
    if isinstance(value, Reference):
        return ir.Pointer(ir.VOID)
    if isinstance(value, Record):
        return value.type
    return ir.Unknown("at::Tensor") if isinstance(value, Tensor) else ir.F64


def _merge_paths(cond: Term, then: State, orelse: State, start: int) -> tuple[Conjunct, ...]:
    """What each side has learnt beyond the branch itself, guarded by the side."""
    path = then.path[:start]
    for side, guard in ((then, negation(cond)), (orelse, cond)):
        for conjunct in side.path[start:]:
            if conjunct.cause != "branch":
                guarded = then.world.guarded(guard, conjunct.term)
                if guarded is not TRUE and all(guarded is not c.term for c in path):
                    path = (*path, Conjunct(guarded, conjunct.cause))
    return path


def join_exits(states: list[State], base: State) -> State:
    """One state behind a function or loop that was left at several places; `base` is the state where it began."""
    if not states:
        ended = base.copy()
        ended.end = "lasting"
        return ended
    start = len(base.path)
    result = states[-1]
    for state in reversed(states[:-1]):
        guard = conjunction(*(c.term for c in state.path[start:] if c.cause != "lasting"))
        merged = _merge_contents(guard, state, result)
        merged.path = _common_path(guard, state, result, start)
        result = merged
    if len(states) == 1:
        result.path = (*result.path[:start], *[c for c in result.path[start:] if c.cause == "lasting"])
    return result


def _common_path(guard: Term, a: State, b: State, start: int) -> tuple[Conjunct, ...]:
    """Lasting conditions: those of both, and those of one guarded by how it was left."""
    path = a.path[:start]
    others = {c.term for c in b.path[start:]}
    for conjunct in a.path[start:]:
        if conjunct.cause == "lasting":
            alike = conjunct.term in others
            term = conjunct.term if alike else a.world.guarded(negation(guard), conjunct.term)
            path = path if term is TRUE else (*path, Conjunct(term, "lasting"))
    mine = {c.term for c in path[start:]}
    for conjunct in b.path[start:]:
        if conjunct.cause == "lasting" and conjunct.term not in mine:
            term = a.world.guarded(guard, conjunct.term)
            path = path if term is TRUE else (*path, Conjunct(term, "lasting"))
    return path
