"""What all states of one walk share: names, the objects behind unknown pointers, and what a place held at first."""

from __future__ import annotations

import re
from collections.abc import Collection

from cudalint import ir
from cudalint.analysis.operators import Written
from cudalint.source import Span
from cudalint.symbolic.host.text import plain, shown
from cudalint.symbolic.host.values import (
    APPROXIMATE,
    OPAQUE,
    Address,
    HostObject,
    Layout,
    Origin,
    Record,
    Stored,
    Value,
    container,
    is_tensor_type,
    is_vector_type,
)
from cudalint.symbolic.walk import integers
from cudalint.symbolic.walk.parameters import type_range
from cudalint.term import (
    Number,
    Symbol,
    Term,
    disjunction,
    equal,
    free_symbols,
    is_number,
    multiply,
    negation,
    number,
    quotient,
    remainder,
    symbol,
)

OF_NO_FUNCTION = "static"  # whose variables outlive calls
_NUMBERED = re.compile(r"#[0-9]+(?![0-9a-f])")


class World:
    """What all states of one walk share: fresh names and the objects behind unknown pointers."""

    def __init__(self) -> None:
        self._count = 0
        self._inputs: dict[str, HostObject] = {}
        self._led_to: dict[str, dict[str, None]] = {}  # by what holds them, directly or not, the names of inputs
        self._taken: set[str] = set()
        self.strided: set[str] = set()  # buffers of tensors whose strides the program reads
        self.formatted = False  # the program has spoken of memory formats, which order dimensions otherwise
        self.preparing = False  # before the root has begun: what is allocated now comes to it as given
        self.noted: list[Stored] | None = None  # the stores of the loop whose iteration is walked
        self.because = ""  # why a value that is lost now is lost
        self._why: dict[str, str] = {}
        self.declared: dict[Term, Span] = {}  # what the project declares of an operator, and where
        self.fitting: set[Term] = set()  # that sizes of memory fit the types in which the code works them out
        self.outputs: dict[str, Written] = {}  # buffers that the operator at hand writes, as its schema says
        self._checked: dict[Term, list[frozenset[Term]]] = {}  # of it, what the code checks under which branches
        self.chosen: dict[object, tuple[Value, object]] = {}  # elements that an index chooses, by what was written then
        self._integers: dict[str, ir.Int] = {}  # by name, the type that it was first read as
        self.records: set[str] = set()  # objects whose entries one call read from a file
        self.passed: set[str] = set()  # unknowns that are arguments of some call: parameters to what it launches

    def count(self) -> int:
        self._count += 1
        return self._count

    def note_checked(self, cond: Term, branches: frozenset[Term]) -> None:
        """The code makes sure of a condition where these branches are taken."""
        if cond in self.declared:
            self._checked.setdefault(cond, []).append(branches)

    def guarded(self, guard: Term, term: Term) -> Term:
        """What holds where the guard does not; a declaration stays one, and so does what only ordinary sizes keep."""
        made = disjunction(guard, term)
        if term in self.fitting:
            self.fitting.add(made)
        if term in self.declared:
            self.declared.setdefault(made, self.declared[term])
        return made

    def declared_on(self, path: Collection[Term]) -> dict[Term, Span]:
        """The conditions of a way that the project only declares of an operator, and the code has not checked so far on it."""
        if not self.declared:
            return {}
        given = frozenset(path)
        told = [term for term in path if term in self.declared]
        open_ = (t for t in told if not any(branches <= given for branches in self._checked.get(t, ())))
        return {term: self.declared[term] for term in open_}

    def lost(self, name: str, type_: ir.Type, why: str = "") -> Value:
        """A value that is not known here."""
        label = f"{APPROXIMATE}{name}#{self.count()}"
        self.explain(label, why or self.because)
        return self.unknown(label, type_)

    def explain(self, label: str, why: str) -> None:
        """Keep why the unknown with this label was lost."""
        if why:
            self._why[_numbered(label)] = why

    def why(self, label: str) -> str:
        """Why a value was lost, or nothing for an input."""
        return self._why.get(_numbered(label), "")

    def fresh_input(self, name: str, type_: ir.Type) -> Value:
        """A value that comes from outside the program."""
        return self.unknown(self.name_for(name), type_)

    def name_for(self, name: str) -> str:
        """A name that no other value has; one that is taken gets a number."""
        label = name if name not in self._taken else f"{name}@{self.count()}"
        self._taken.add(label)
        return label

    def unknown(self, label: str, type_: ir.Type) -> Value:
        """The unknown value with this name; the same name gives the same value."""
        self._taken.add(label)
        if isinstance(type_, ir.Bool):
            return negation(equal(symbol(label, 0, 1), number(0)))
        if isinstance(type_, ir.Int):
            return self._integer(label, type_)
        if isinstance(type_, ir.Pointer):
            return Address(self.input(label), number(0))
        if is_tensor_type(type_) or is_vector_type(type_):
            return container(type_, label)
        if isinstance(type_, ir.Struct | ir.Vector | ir.Array):
            return Record(type_, {}, Origin(Address(self.input(label), number(0)), ""))
        return OPAQUE

    def _integer(self, label: str, type_: ir.Int) -> Term:
        """An unsigned size that a launch hands on as an int is one number: two symbols of a name would have ranges of their own."""
        first = self._integers.setdefault(label, type_)
        if first.bits != type_.bits or first.signed == type_.signed:
            return symbol(label, *type_range(type_))
        value = symbol(label, *type_range(first))
        return value if type_.signed and type_.bits == 64 else integers.convert(value, type_)

    def input(self, label: str) -> HostObject:
        return self._inputs[label] if label in self._inputs else self._keep(HostObject(label, "input"))

    def _keep(self, object_: HostObject) -> HostObject:
        if object_.name not in self._inputs:
            plain_name = object_.name.removeprefix(APPROXIMATE)
            for place in (at for at, mark in enumerate(plain_name) if mark in ".["):
                self._led_to.setdefault(plain_name[:place], {})[object_.name] = None
        self._inputs[object_.name] = object_
        return object_

    def below(self, object_: HostObject) -> list[HostObject]:
        """What pointers in memory of somebody else's lead to, as far as they were read."""
        return self.led_to_by(object_.name)

    def led_to_by(self, name: str) -> list[HostObject]:
        """What the place of that name leads to, as far as it was read."""
        return [self._inputs[each] for each in self._led_to.get(name.removeprefix(APPROXIMATE), ())]

    def sized_input(self, object_: HostObject, size: Term, kind: str) -> HostObject:
        """The same memory of somebody else's, where what came with its pointer says how large it is."""
        if object_.size is None:
            made = f"{kind} {plain(object_.name.rpartition('.')[0])}"
            return self._keep(HostObject(object_.name, object_.kind, size, made, given=True))
        return self._inputs[object_.name]

    def owned_memory(self, object_: HostObject, size: Term, kind: str) -> HostObject:
        """The memory that an object owns, whose members say how large it is, wherever the object comes from."""
        if object_.kind == "input":
            made = f"{kind} {plain(object_.name.rpartition('.')[0])}"
            return self._keep(HostObject(object_.name, "allocation", size, made, given=True))
        return object_

    def described_input(self, object_: HostObject, layout: Layout) -> HostObject:
        """The same memory of somebody else's, where the struct around its pointer describes it."""
        if object_.layout is None and object_.size is None:
            made = f"tensor {plain(object_.name.rpartition('.')[0])}"
            return self._keep(HostObject(object_.name, object_.kind, None, made, given=True, layout=layout))
        return self._inputs[object_.name]

    def lost_integer(self, name: str) -> Symbol:
        label = f"{APPROXIMATE}{name}#{self.count()}"
        self.explain(label, self.because)
        return symbol(label)


EXTENTS_OF_VIEW = ("__extents", "__sizes")


def _numbered(label: str) -> str:
    """The part of an unknown's name that tells it from all others."""
    found = _NUMBERED.findall(label)
    return found[-1] if found else label


def initial(world: World, origin: Origin, type_: ir.Type) -> Value:
    """The unknown value that a place had at first, or after the last unknown write to its object."""
    if is_aggregate(type_):
        return Record(type_, {}, origin)
    if isinstance(type_, ir.Pointer) and origin.address.fields[-1:] == ("__pointer",):
        return _of_span(world, origin, type_)
    return _unknown_at(world, origin, type_)


def _of_span(world: World, origin: Origin, type_: ir.Pointer) -> Value:
    """The pointer of a span that came from elsewhere: there are as many elements behind it as the span says."""
    fields = (*origin.address.fields[:-1], "__size")
    count = _unknown_at(
        world, Origin(Address(origin.address.object, origin.address.offset, fields), origin.version), ir.UINT64
    )
    found, size = _unknown_at(world, origin, type_), ir.size_of(type_.element)
    if isinstance(found, Address) and found.object is not None and isinstance(count, Term) and size is not None:
        return Address(world.sized_input(found.object, multiply(count, number(size)), "span"), number(0))
    return found


def _unknown_at(world: World, origin: Origin, type_: ir.Type) -> Value:
    label = place_name(origin.address, type_)
    if ":" not in label and "#" in label + origin.version:  # else the walk of a kernel would take it for one of its own
        label = label.replace(label.lstrip(APPROXIMATE), f"{OF_NO_FUNCTION}:{label.lstrip(APPROXIMATE)}")
    if origin.version.startswith(APPROXIMATE) and not label.startswith(APPROXIMATE):
        label = APPROXIMATE + label
    return world.unknown(label + origin.version.removeprefix(APPROXIMATE), type_)


def place_name(address: Address, type_: ir.Type) -> str:
    """`main:p[3].n` for the place, as a name of its unknown content."""
    name = address.object.name if address.object is not None else "null"
    size = ir.size_of(type_)
    mark = ""
    if isinstance(address.offset, Number):
        at = address.offset.value
        if address.fields[-2:] == EXTENTS_OF_VIEW and size and at % size == 0:  # of an mdspan
            return ".".join((name, *address.fields[:-2], f"extent({at // size})"))
        if at:
            name += f"[{at // size if size and at % size == 0 else at}]"
    else:
        unit = number(size) if size and is_number(remainder(address.offset, number(size)), 0) else number(1)
        name += f"[{shown(quotient(address.offset, unit))}]"
    if not isinstance(address.offset, Number):
        mark = f"#{address.offset.digest.hex()[:8]}"
        lost = any(str(s.parts[0]).startswith(APPROXIMATE) for s in free_symbols(address.offset))
        name = APPROXIMATE + name if lost and not name.startswith(APPROXIMATE) else name
    return name + "".join("." + f for f in address.fields) + mark


def is_aggregate(type_: ir.Type) -> bool:
    return isinstance(type_, ir.Struct | ir.Vector | ir.Array) and not (is_tensor_type(type_) or is_vector_type(type_))
