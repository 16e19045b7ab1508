"""A witness as a concrete launch: geometry, arguments and buffers, with every byte from one seed.

A plan names what the run is expected to show, so that a run on another machine can be judged there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from cudalint import ir
from cudalint.confirm.emulate.run import Aggregate, Argument, Buffer, LaunchInput, PointerTo, Scalar
from cudalint.confirm.inputs import contents, different, rising
from cudalint.confirm.pointees import pointees
from cudalint.confirm.thresholds import thresholds
from cudalint.contract import (
    Alias,
    Binding,
    Contract,
    Distinct,
    ElementValues,
    Extent,
    Geometry,
    Held,
    Initial,
    Nullable,
    Offsets,
    Placed,
    Values,
)
from cudalint.finding import LaunchShape
from cudalint.source import Span
from cudalint.term import (
    BITWISE,
    POWER_OF_TWO,
    Apply,
    Number,
    Symbol,
    Term,
    Undefined,
    add,
    at_most,
    conjunction,
    evaluator,
    free_symbols,
    interval,
    less,
    number,
)

UNKNOWN = "~"  # before the name of what the analysis lost
DEFAULT_EXTENT_BYTES = 1 << 16
POINTER_BYTES, ROW_BYTES, MOST_ROWS = 8, 1 << 12, 64  # of a table of rows
DEFAULT_SHARED = 32 << 10  # dynamic shared memory that a launch may ask for beside what is static
GUARD_ALIGN = 256
VARIANTS: tuple[tuple[float, tuple[int, int]], ...] = (
    (1.0, (0, 8)), (0.0, (0, 100)), (0.25, (-1, 3)), (-1.0, (0, 100)), (2.0, (-1, 3)), (1.0, (0, 1)),
    (1.0, (1, 2)),
)  # fmt: skip  # an argument of floating point, and the range of integers in every other buffer
ZEROED = (0, 1)  # in all of them: counters, flags and marks as most hosts leave them before a launch
ALIKE = (1, 2)  # in all of them, and sizes and other arguments are 1, too: `if (level[v] == depth)`, `if (active[v])`
ORDER = frozenset(("race", "divergence", "exit_before_barrier", "warp_mask"))  # who comes where, and when
INT_BITS = 31
ROOM = 100  # of sizes that no access in question depends on
REALS = {"f16": "<f2", "f32": "<f4", "f64": "<f8"}


class CannotPlan(Exception):
    """The contract does not say enough to launch the kernel; the text says what is missing."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the run has to show: an event of one of `kinds` at one of `spans`."""

    kinds: tuple[str, ...]
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """One launch of one kernel of the unit."""

    kernel: str
    launch: LaunchInput
    buffers: tuple[Buffer, ...]
    expectation: Expectation
    bounds: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # of the contents, by buffer
    constants: tuple[Buffer, ...] = ()  # variables of the device that host code has filled


def _value_all_over(what: Held | Initial) -> int | None:
    """The one number that memory is promised to hold when the kernel begins, or that host code has filled it with."""
    if isinstance(what, Held):
        return what.value.value if isinstance(what.value, Number) else None
    return what.value


def _of_each(held: Held) -> ElementValues | None:
    """The numbers that host code has given the elements one by one; one for all is no choice of a place, and drawn."""
    if held.index not in free_symbols(held.value):
        return None
    inside = conjunction(at_most(number(0), held.index), less(held.index, held.count))
    return ElementValues(held.pointer, held.index, held.value, add(held.value, number(1)), inside)


class _Assignment:
    """The witness's values; a symbol that it does not name has the value of its range that is next to `usual`."""

    def __init__(self, values: Mapping[str, int], usual: int = 1) -> None:
        self.values = dict(values)
        self.usual = usual

    def value(self, term: Term) -> int:
        complete = dict(self.values)
        for atom in free_symbols(term):
            low, high = interval(atom) if isinstance(atom, Symbol) else (0, 1)
            complete.setdefault(str(atom.parts[0]), _nearest(self.usual, low, high))
        try:
            return evaluator(complete, _computed)(term)
        except Undefined as error:
            raise CannotPlan(f"the value of {error} is not known") from None


def _computed(term: Term, value: Callable[[Term], int]) -> int:
    """A power of two or a bit operation of what is known."""
    if isinstance(term, Apply):
        args = tuple(map(value, term.parts[1]))
        if term.parts[0] == POWER_OF_TWO and 0 <= args[0] < INT_BITS:
            return 1 << args[0]
        if term.parts[0] in BITWISE:
            return BITWISE[term.parts[0]](*args)
    raise Undefined(str(term.parts[0]))


def _nearest(value: int, low: int | None, high: int | None) -> int:
    if low is None:
        return 0
    value = max(low, value)
    return value if high is None else min(value, high)


def make_plan(
    kernel: ir.Function, contract: Contract, shape: LaunchShape, values: Mapping[str, int], expectation: Expectation, seed: int,
    reals: Mapping[str, float] = MappingProxyType({}), variant: int = 0, held: Mapping[str, int] = MappingProxyType({}),
) -> Plan:  # fmt: skip
    """The plan for a witness; raises CannotPlan. `reals` are arguments of floating point, `held` says what all elements are.

    Where nothing is said such an argument is 1 and integers in memory lie in [0, 8); another `variant` has others, so
    that a guard which compares them lets some threads pass. Memory has room for any small launch where its bounds are not what
    the run has to show, dynamic shared memory too: a size that nothing relates to the launch is zero in most witnesses.
    """
    least = DEFAULT_EXTENT_BYTES if expectation.kinds and ORDER.issuperset(expectation.kinds) else 0
    return _Planner(kernel, contract, shape, values, seed, reals, variant, least, held).plan(expectation)


class _Planner:
    def __init__(
        self, kernel: ir.Function, contract: Contract, shape: LaunchShape, values: Mapping[str, int], seed: int,
        reals: Mapping[str, float], variant: int = 0, least: int = 0, held: Mapping[str, int] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        self.kernel = kernel
        self.held = held
        self.least = least  # bytes of a buffer
        self.real, self.free = VARIANTS[variant % len(VARIANTS)]
        self.variant = variant
        self.reals = reals
        self.contract = contract
        self.shape = shape
        builtins = {f"gridDim.{a}": v for a, v in zip("xyz", shape.grid)}
        builtins |= {f"blockDim.{a}": v for a, v in zip("xyz", shape.block)}
        self.assignment = _Assignment({**values, **builtins}, ROOM if variant and self.free != ALIKE else 1)
        self.thresholds = thresholds(kernel, contract) if variant and self.free != ALIKE else frozenset()
        self.seed = seed
        self.pointees = pointees(kernel)
        self.buffers: dict[str, Buffer] = {}
        self.bounds: dict[str, tuple[int, int]] = {}
        self.bindings = {f.what.parameter: f.what.value for f in contract.facts if isinstance(f.what, Binding)}
        self._name_parameters()
        self.extents = {f.what.pointer: f.what for f in reversed(contract.facts) if isinstance(f.what, Extent)}
        self.ranges = {f.what.pointer: f.what for f in contract.facts if isinstance(f.what, Values | ElementValues)}
        inputs = {
            param.var.name for param in kernel.params if param.const
        }  # with what comes to hand, where no one promises it
        filled = (f.what for f in contract.facts if isinstance(f.what, Initial)
                  or (isinstance(f.what, Held) and f.what.pointer not in inputs))  # fmt: skip
        self.filled = {what.pointer: value for what in filled if (value := _value_all_over(what)) is not None}
        self.listed = {f.what.pointer: _of_each(f.what) for f in contract.facts if isinstance(f.what, Held)}
        self.offsets = {f.what.pointer: f.what.total for f in contract.facts if isinstance(f.what, Offsets)}
        same = (f.what for f in contract.facts if isinstance(f.what, Alias) and f.what.distance == number(0))
        self.same = {alias.b: alias.a for alias in same}  # pointers that are another one
        self.distinct = {f.what.pointer: f.what for f in contract.facts if isinstance(f.what, Distinct)}
        self.nullable = {f.what.pointer: f.what for f in contract.facts if isinstance(f.what, Nullable)}

    def _name_parameters(self) -> None:
        """Facts may speak of a parameter by its own name: it is what the launch passes."""
        for param in self.kernel.params:
            name = param.var.name
            if name in self.bindings and isinstance(param.var.type, ir.Int | ir.Bool):
                with suppress(CannotPlan):
                    self.assignment.values[name] = self.scalar(name, param.var.type)

    def plan(self, expectation: Expectation) -> Plan:
        args = tuple(self.argument(p.var.name, p.var.type) for p in self.kernel.params)
        geometry = next((f.what for f in self.contract.facts if isinstance(f.what, Geometry)), None)
        shared = self.shape.shared
        if geometry is None or geometry.shared is None:
            shared = max(shared, DEFAULT_SHARED if self.least else 0)
        launch = LaunchInput(self.shape.grid, self.shape.block, shared, args, constants=self.absent())
        return Plan(self.kernel.id, launch, tuple(self.buffers.values()), expectation, self.bounds, self.constants())

    def absent(self) -> dict[str, int]:
        """The values of constants that nothing declares, as the launch was made with them."""
        values = sorted(self.assignment.values.items())
        return {name.removeprefix(UNKNOWN): value for name, value in values if name.startswith(UNKNOWN + ir.UNDECLARED)}

    def constants(self) -> tuple[Buffer, ...]:
        """Variables of the device as host code has filled them; what it has not is zero."""
        data: dict[str, np.ndarray] = {}
        for fact in self.contract.facts:
            what = fact.what
            if isinstance(what, Placed):
                value = self.assignment.value(what.value) % (1 << 8 * what.width)
                place = data.setdefault(what.pointer, np.zeros(what.size, dtype=np.uint8))
                place[what.offset : what.offset + what.width] = np.frombuffer(
                    value.to_bytes(what.width, "little"), np.uint8
                )
        return tuple(Buffer(name, filled) for name, filled in data.items())

    # --- arguments ----------------------------------------------------------------------------------------------------

    def argument(self, name: str, type_: ir.Type) -> Argument:
        if isinstance(type_, ir.Pointer):
            return self.pointer(name, type_)
        if isinstance(type_, ir.Struct | ir.Vector | ir.Array):
            return self.aggregate(name, type_)
        if isinstance(type_, ir.Float):
            return Scalar(self.reals.get(name, self.real))
        value = self.scalar(name, type_)
        return Scalar(bool(value) if isinstance(type_, ir.Bool) else value)

    def scalar(self, name: str, type_: ir.Type) -> int:
        if name in self.thresholds:
            low, high = self.free  # the lowest one is below what is read, and one in the middle parts the threads
            return _in_type((low + high) // 2 if self.variant // 2 % 2 else low, type_)
        if name in self.bindings:
            return _in_type(self.assignment.value(self.bindings[name]), type_)
        if name in self.assignment.values:
            return _in_type(self.assignment.values[name], type_)
        return 1

    def pointer(self, name: str, type_: ir.Pointer) -> PointerTo:
        nullable = self.nullable.get(name)
        if nullable is not None:
            present = nullable.present
            if present is None:
                present_value = self.assignment.values.get(f"present({name})", 1)
            else:
                present_value = self.assignment.value(present)
            if not present_value:
                return PointerTo(None)
        extent = self.extents.get(name)
        if extent is None:
            return self._untied(name, type_)
        width = 1 if extent.unit == "bytes" else ir.size_of(type_.element)
        if width is None:
            raise CannotPlan(f"the element size of `{name}` is not known")
        offset = self.assignment.value(extent.offset) if extent.offset is not None else 0
        size = max(0, self.assignment.value(extent.size) * width) + offset
        if name not in self.distinct:
            size = max(size, self.least)
        buffer = extent.buffer or self.same.get(name, name)
        known = self.buffers.get(buffer)
        if known is None:
            self.buffers[buffer] = self.buffer(buffer, name, type_, size)
        return PointerTo(buffer, offset)

    def _untied(self, name: str, type_: ir.Pointer) -> PointerTo:
        """Nothing says how large it is: large enough for small launches, so that the run can go on."""
        self.buffers.setdefault(name, self.buffer(name, name, type_, DEFAULT_EXTENT_BYTES))
        return PointerTo(name, 0)

    def buffer(self, label: str, pointer: str, type_: ir.Pointer, size: int) -> Buffer:
        if isinstance(type_.element, ir.Pointer) and size <= DEFAULT_EXTENT_BYTES:
            return self._table(label, type_.element, size)
        value = self.held.get(pointer, self.filled.get(pointer))
        if value is not None and isinstance(type_.element, ir.Int):
            return contents(label, type_.element, size, (value, value + 1), self.seed)
        if pointer in self.offsets:
            return rising(label, type_.element, size, self.assignment.value(self.offsets[pointer]))
        limits = self.ranges.get(pointer) or self.listed.get(pointer)
        if isinstance(limits, ElementValues) and isinstance(type_.element, ir.Int) and size <= DEFAULT_EXTENT_BYTES:
            return self._by_element(label, limits, type_.element, size)
        bounds = self._range(pointer, type_, size)
        if bounds is not None:
            self.bounds[label] = bounds
        if pointer in self.distinct:
            try:
                return different(label, type_.element, size, bounds, self.distinct[pointer].exempt, self.seed)
            except ValueError as error:
                raise CannotPlan(f"`{pointer}` cannot hold what is promised of it: {error}") from None
        other = len(self.buffers) % 2 != self.variant // 2 % 2  # not places and what lies there at once
        if bounds is None and (other or self.free in (ZEROED, ALIKE)):
            bounds = self.free
        return contents(label, self.pointees.get(pointer, type_.element), size, bounds, self.seed)

    def _table(self, label: str, type_: ir.Pointer, size: int) -> Buffer:
        """Pointers to rows that lie one behind the other; those behind the last row are null."""
        entries = min(size // POINTER_BYTES, MOST_ROWS)
        rows = f"{label}[]"
        self.buffers[rows] = self.buffer(rows, rows, type_, entries * ROW_BYTES)
        pointers = tuple((POINTER_BYTES * i, PointerTo(rows, ROW_BYTES * i)) for i in range(entries))
        return Buffer(label, np.zeros(size, dtype=np.uint8), pointers=pointers)

    def _by_element(self, label: str, limits: ElementValues, element: ir.Int, size: int) -> Buffer:
        """Each element in the range that is promised of it; those of which nothing is promised in [0, 8)."""
        plain = contents(label, element, size, None, self.seed)
        drawn = contents(label, ir.Int(64, True), size // (element.bits // 8) * 8, (0, 1 << 62), self.seed)
        if plain.data is None or drawn.data is None or element.bits > 64:
            return plain
        data = plain.data.copy()
        elements = data[: len(drawn.data) // 8 * (element.bits // 8)].view(
            f"<{'i' if element.signed else 'u'}{element.bits // 8}"
        )
        for place, chance in enumerate(drawn.data.view("<i8").tolist()):
            at = _Assignment({**self.assignment.values, limits.index.name: place})
            with suppress(CannotPlan):
                if at.value(limits.where) and (low := at.value(limits.low)) < (high := at.value(limits.high)):
                    elements[place] = _in_type(low + chance % (high - low), element)
        return Buffer(label, data)

    def _range(self, pointer: str, type_: ir.Pointer, size: int) -> tuple[int, int] | None:
        """What the elements are promised to lie in: [low, high)."""
        limits = self.ranges.get(pointer)
        if limits is None:
            return None
        with suppress(CannotPlan) if isinstance(limits, ElementValues) else nullcontext():
            low, high = self.assignment.value(limits.low), self.assignment.value(limits.high)
            if low >= high and size >= (ir.size_of(type_.element) or 1) and isinstance(limits, Values):
                raise CannotPlan(f"no value lies in what is promised of `{pointer}`: [{low}, {high})")
            return low, high
        return None

    def aggregate(self, name: str, type_: ir.Type) -> Aggregate:
        size = ir.size_of(type_)
        if size is None:
            raise CannotPlan(f"the layout of `{name}` is not known")
        data = np.zeros(size, dtype=np.uint8)
        pointers: list[tuple[int, PointerTo]] = []
        self._fill(name, type_, 0, data, pointers)
        return Aggregate(data, tuple(pointers))

    def _fill(
        self, name: str, type_: ir.Type, base: int, data: np.ndarray, pointers: list[tuple[int, PointerTo]]
    ) -> None:
        if isinstance(type_, ir.Struct):
            for member in type_.fields:
                self._fill(f"{name}.{member.name}", member.type, base + member.offset, data, pointers)
        elif isinstance(type_, ir.Vector):
            for lane in range(type_.lanes):
                width = ir.size_of(type_.element) or 1
                self._fill(f"{name}.{ir.LANES[lane]}", type_.element, base + lane * width, data, pointers)
        elif isinstance(type_, ir.Array):
            for position in range(type_.count or 0):
                width = ir.size_of(type_.element) or 1
                self._fill(f"{name}[{position}]", type_.element, base + position * width, data, pointers)
        elif isinstance(type_, ir.Pointer):
            pointers.append((base, self.pointer(name, type_)))
        elif isinstance(type_, ir.Int | ir.Bool):
            width = ir.size_of(type_) or 1
            value = self.scalar(name, type_) % (1 << (8 * width))
            data[base : base + width] = np.frombuffer(value.to_bytes(width, "little"), dtype=np.uint8)
        elif isinstance(type_, ir.Float) and type_.format in REALS:
            raw = np.array([self.reals.get(name, self.real)], dtype=REALS[type_.format]).view(np.uint8)
            data[base : base + len(raw)] = raw


def _in_type(value: int, type_: ir.Type) -> int:
    if not isinstance(type_, ir.Int):
        return value
    low, _ = ir.int_range(type_)
    return (value - low) % (1 << type_.bits) + low
