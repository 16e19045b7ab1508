"""Calls of functions without a body: whose room knows them, status codes, inputs; the tables are in host_vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic.host.accessors import told_by_object
from cudalint.symbolic.host.allocations import Allocations
from cudalint.symbolic.host.cells import OF_CONTENTS
from cudalint.symbolic.host.contents import fill_of, filled_by_call
from cudalint.symbolic.host.counted import counted, counted_rows
from cudalint.symbolic.host.demands import copied
from cudalint.symbolic.host.described import bytes_of, elements_from
from cudalint.symbolic.host.evaluate import Evaluator
from cudalint.symbolic.host.made_filled import note_made
from cudalint.symbolic.host.names import (
    can_grow,
    class_name,
    is_input,
    is_runtime_call,
    last_name,
    place_type,
    pointee_of,
    pointer_name,
    simple_name,
)
from cudalint.symbolic.host.owned import remade
from cudalint.symbolic.host.owners import Owners
from cudalint.symbolic.host.scans import sum_of
from cudalint.symbolic.host.shapes import Shapes
from cudalint.symbolic.host.site import Site, behind
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.tensors import Tensors
from cudalint.symbolic.host.values import (
    APPROXIMATE,
    OPAQUE,
    Address,
    Either,
    FunctionValue,
    HostObject,
    Record,
    Tensor,
    Text,
    Value,
    addresses,
    container,
    is_tensor_type,
    is_vector_type,
)
from cudalint.symbolic.host.vectors import Vectors
from cudalint.symbolic.host.world import World, place_name
from cudalint.symbolic.host_vocabulary import words
from cudalint.symbolic.walk import integers
from cudalint.term import (
    FALSE,
    TRUE,
    Number,
    Symbol,
    Term,
    add,
    at_most,
    choice,
    disjunction,
    equal,
    interval,
    multiply,
    number,
    quotient,
    remainder,
    symbol,
    truncated_quotient,
)

if TYPE_CHECKING:
    from cudalint.symbolic.host.walk import Walk


IS_OPEN = "python_open"  # what a program in another language asks of what it got
_CUB = "cub::Device"
_MOST_DIVISORS = 8
_REGISTERS_FOR = 64  # threads


class Library:
    def __init__(self, world: World, evaluator: Evaluator) -> None:
        self._site = site = Site(world, evaluator)
        self._shapes = Shapes(site)
        self.vectors = Vectors(site, self._shapes)
        self._tensors = Tensors(site, self._shapes, self.vectors)
        self._allocations, self._owners = Allocations(site), Owners(site)
        self._parsed: dict[tuple[object, ...], Value] = {}  # numbers that were read from a text
        self._divisors: dict[tuple[Term, ...], Term] = {}

    def call(self, stmt: ir.Call, args: list[Value], state: State, walk: Walk) -> Value | None:
        """The result of a call; None where nothing is known of it. Writes are noted in the state."""
        name = simple_name(stmt.function)
        fill = fill_of(name, stmt, args, state) or sum_of(name, stmt, args, state)
        result = self._call(stmt, args, state, walk)
        if fill is not None:
            fill.note(state)
        for written in filled_by_call(name, args, state):
            walk.note_written(written, OF_CONTENTS[0])
        for object_ in walk.symbols.note_call(stmt, name, args, state):
            walk.note_written(object_, OF_CONTENTS[0])
        for object_ in note_made(stmt, name, args, result, self._site, state):
            walk.note_written(object_, OF_CONTENTS[0])
        return result

    def _call(self, stmt: ir.Call, args: list[Value], state: State, walk: Walk) -> Value | None:
        name = simple_name(stmt.function)
        self._site.result = walk.result_name
        if name in words().no_return:
            state.end = "lasting"
            return None
        if name == IS_OPEN:
            return self._is_open(stmt, args, state)
        if name in words().checks and args and isinstance(args[0], Term):
            state.assume(integers.as_truth(args[0]), "lasting")
            return None
        if name in words().copies:
            walk.demands += copied(stmt, words().copies[name], args, state, walk.caller)
            walk.demands += counted(stmt, words().copies[name], args, walk.caller)
        walk.demands += counted_rows(stmt, args, walk.caller)
        if stmt.function.startswith(_CUB) and len(args) > 1 and isinstance(args[0], Address) and args[0].object is None:
            self._forget(args[1], state, walk, approximate=True)  # it only asks how much storage it needs
            return number(0)
        allocator = words().allocators.get(name) or words().allocators.get(f"{class_name(stmt.function)}::{name}")
        if allocator is not None:
            return self._allocations.allocate(stmt, name, allocator, args, state, walk)
        if name in words().pitched_allocators:
            return self._allocations.allocate_pitched(stmt, name, args, state, walk)
        if name in words().plane_allocators:
            return self._allocations.allocate_planes(stmt, name, args, state, walk)
        if name in words().mapped_allocators and len(args) > 1:
            return self._allocations.map(stmt, name, args, state, walk)
        if name in words().queries:
            return self._query(name, args, state, walk)
        if name in words().kernel_lookups:
            return _looked_up(name, args, state, walk)
        if name in words().second_names:
            return self._allocations.second_name(stmt, name, args, state, walk)
        compared = self._shapes.compared_shapes(stmt, name, args, state)
        if compared is not None:
            return compared
        held = self._owners.held(stmt, name, args, state, walk)
        if held is not None:
            return held
        container = self._tensors.call(stmt, name, args, state, walk)
        if container is not None:
            return container
        if name in words().identity and args:
            return args[0]
        if name in words().view_counts and args and isinstance(args[0], Address):
            return elements_from(args[0], pointee_of(stmt.args[0].type), words().view_counts[name], state)
        if name in words().view_bytes and args and isinstance(args[0], Address):
            return bytes_of(args[0], pointee_of(stmt.args[0].type), state)
        if name in words().common_divisors:
            known = self._divisor(stmt, args, state)
            if known is not None:
                return known
        if words().is_ceil_quotient(name) or words().is_multiple(name):
            rounded = self._rounded_up(stmt, name, args, state)
            if rounded is not None:
                return rounded
        if name in words().floor_quotients or name in words().floor_remainders:
            return self._rounded_down(stmt, name, args, walk)
        if name in words().parsers:
            return self._parse(stmt, name, args, state, walk)
        return self._unknown_call(stmt, name, args, state, walk)

    def _is_open(self, stmt: ir.Call, args: list[Value], state: State) -> Term:
        """Whether nothing is known of the tensor: what gave it was not understood, or is what the caller made up."""
        tensor = state.read(args[0], pointee_of(stmt.args[0].type)) if isinstance(args[0], Address) else args[0]
        root = tensor.root() if isinstance(tensor, Tensor) else None
        lost = root is not None and root.dims is None and root.either is None and root.follows is None
        return TRUE if root is not None and lost and root.name.startswith(APPROXIMATE) else FALSE

    def _query(self, name: str, args: list[Value], state: State, walk: Walk) -> Value:
        low, high = words().queries[name]
        if name.endswith("DeviceGetAttribute") and len(args) > 1 and isinstance(args[1], Number):
            known = words().device_attributes.get(str(args[1].value), "")
            low, high = words().device_properties.get(known, (low, high))
        count = 2 if "OccupancyMaxPotentialBlockSize" in name else 1
        for pointer in args[:count]:
            least, limit = (
                (_least_block(name, args, walk), 1024) if pointer is args[count - 1] and count == 2 else (low, high)
            )
            label = f"{pointer_name(pointer, name)}#{self._site.world.count()}"
            walk.store(pointer, ir.INT32, symbol(label, least, limit), state)
        return number(0)

    def device_property(self, place: ir.Place, pointer: Value, type_: ir.Type) -> Value | None:
        """A field of cudaDeviceProp or cudaFuncAttributes in the range that devices have."""
        index = ""
        if isinstance(place, ir.Index) and isinstance(place.index, ir.Const):
            index, place = f"[{place.index.value}]", place.base
        if not isinstance(place, ir.Field) or not isinstance(type_, ir.Int):
            return None
        owner = place_type(place.base)
        if not isinstance(owner, ir.Struct | ir.Unknown) or last_name(owner.name) not in words().property_classes:
            return None
        bounds = words().device_properties.get(place.name + index)
        if bounds is None:
            return None
        low, high = bounds
        return number(low) if low == high else symbol(f"device.{place.name}{index}", low, high)

    def copied_property(self, place: ir.Place, value: Value) -> Value:
        """What a project's own table of devices holds: of `devices[id].warp_size` nothing else is known, and it needs nothing."""
        number_ = words().copied_properties.get(place.name) if isinstance(place, ir.Field) else None
        return number(number_) if number_ is not None and isinstance(value, Symbol) else value

    def _divisor(self, stmt: ir.Call, args: list[Value], state: State) -> Term | None:
        """`std::gcd(8, width)`: a name for it, and that it divides both."""
        given = [behind(stmt, place, arg, state) for place, arg in enumerate(args)]
        terms = tuple(integers.as_integer(arg) for arg in given if isinstance(arg, Term))
        limits = [term.value for term in terms if isinstance(term, Number) and term.value > 0]
        if len(terms) != 2 or not limits:
            return None
        if terms not in self._divisors:
            name = self._site.world.name_for(self._site.evaluator.named(self._site.result or "divisor"))
            self._divisors[terms] = symbol(name, 1, min(limits))
        found = self._divisors[terms]
        powers = [value for value in range(1, min(limits) + 1) if min(limits) % value == 0]
        if len(powers) <= _MOST_DIVISORS:
            state.assume(disjunction(*(equal(found, number(value)) for value in powers)), "lasting")
        for term in terms:
            if not isinstance(term, Number):
                state.assume(equal(remainder(term, found), number(0)), "lasting")
        return found

    def _rounded_up(self, stmt: ir.Call, name: str, args: list[Value], state: State) -> Term | None:
        """`ceildiv(n, 256)`: its name says what it gives, of a divisor that is known to be positive."""
        given = [behind(stmt, place, arg, state) for place, arg in enumerate(args)]
        terms = [integers.as_integer(arg) for arg in given if isinstance(arg, Term)]
        low = interval(terms[1])[0] if len(terms) == len(args) == 2 else None
        if low is None or low < 1:
            return None
        count = truncated_quotient(add(terms[0], terms[1], number(-1)), terms[1])
        return multiply(count, terms[1]) if words().is_multiple(name) else count

    def _rounded_down(self, stmt: ir.Call, name: str, args: list[Value], walk: Walk) -> Value | None:
        """`floor_div(n, 256)`; nothing is known of it where the divisor is not positive."""
        terms = [integers.as_integer(arg) for arg in args if isinstance(arg, Term)]
        if len(terms) != 2 or stmt.target is None:
            return None
        found = (quotient if name in words().floor_quotients else remainder)(*terms)
        low, _ = interval(terms[1])
        if low is not None and low > 0:
            return found
        lost = self._site.world.lost(walk.result_name or name, stmt.target.type, f"{name} of what may not be positive")
        return (
            choice(at_most(number(1), terms[1]), found, integers.as_integer(lost)) if isinstance(lost, Term) else None
        )

    def _parse(self, stmt: ir.Call, name: str, args: list[Value], state: State, walk: Walk) -> Value | None:
        """`atoi(argv[1])`: the same text gives the same number, as long as nothing has written it."""
        text = args[0] if args else None
        if stmt.target is None or not isinstance(text, Address) or text.object is None or text.object.kind != "input":
            return self._unknown_call(stmt, name, args, state, walk)
        key = (name, stmt.target.type, text, state.versions.get(text.object, ""))
        if key not in self._parsed:
            self._parsed[key] = self._site.world.fresh_input(
                self._site.evaluator.named(walk.result_name), stmt.target.type
            )
        return self._parsed[key]

    def _unknown_call(self, stmt: ir.Call, name: str, args: list[Value], state: State, walk: Walk) -> Value | None:
        runtime = is_runtime_call(name)
        short = name.removeprefix("cuda").removeprefix("hip")
        reading = is_input(name)
        keeping = name in words().keeping and bool(args) and is_vector_type(pointee_of(stmt.args[0].type))
        if name in words().writes_bytes and args:
            zeroed = _zeroed(stmt, name, args)
            if zeroed is None:
                walk.forget(args[0], state)
            else:
                walk.store(args[0], zeroed, Record(zeroed), state)
        elif keeping or reading or name in words().writes_first:
            for pointer in args if reading else args[:1]:
                self._forget(pointer, state, walk, approximate=not (reading or keeping))
                if name in words().record_readers:
                    self._site.world.records.update(a.object.name for a in addresses(pointer) if a.object is not None)
        elif (
            name not in words().pure
            and name not in words().standard_pure
            and not (words().is_ceil_quotient(name) or words().is_multiple(name))
            and not (runtime and short in words().writes_no_host_variable)
        ):
            for position, pointer in [(i, arg) for i, arg in enumerate(args) if i not in stmt.constant]:
                member = _member_of(stmt.args[position], pointer) if position < len(stmt.args) else None
                if member is None:
                    self._forget(pointer, state, walk, approximate=True)
                else:
                    self._forget_member(*member, state, walk)
            remade(stmt, args, state)
        if runtime and stmt.target is not None and isinstance(stmt.target.type, ir.Int):
            refusable = name in words().refusable
            return (
                self._site.world.fresh_input(self._site.evaluator.named(name), stmt.target.type)
                if refusable
                else number(0)
            )
        computed = name in words().pure and stmt.target is not None and isinstance(stmt.target.type, ir.Int | ir.Bool)
        if (reading or computed) and stmt.target is not None:
            return self._site.world.fresh_input(self._site.evaluator.named(walk.result_name), stmt.target.type)
        told = told_by_object(stmt, args, state)
        return self._told_by_input(stmt, name, args, state) if told is None else told

    def _told_by_input(self, stmt: ir.Call, name: str, args: list[Value], state: State) -> Value | None:
        """`x.data()` of an object that the caller gives, whose method is elsewhere and changes nothing: memory of the caller's."""
        if stmt.target is None or not isinstance(stmt.target.type, ir.Pointer) or name not in words().data_methods:
            return None
        if len(args) != 1 or 0 not in stmt.constant or not isinstance(args[0], Address):
            return None
        owner = args[0]
        if owner.object is None or owner.object.kind != "input" or owner.object.name.startswith(APPROXIMATE):
            return None
        return state.unwritten(Address(owner.object, owner.offset, (*owner.fields, f"{name}()")), stmt.target.type)

    def _forget(self, pointer: Value, state: State, walk: Walk, approximate: bool) -> None:
        """A call may write what it gets the address of, and what that points to; a tensor keeps its shape, not its elements."""
        seen: set[HostObject] = set()
        pending = [a.object for a in addresses(pointer)]
        pending += self._site.buffers_of(pointer.storage) if isinstance(pointer, Tensor) else []
        if isinstance(pointer, Record):
            pending += [a.object for _, v in pointer.members.values() for a in addresses(v)]
        while pending:
            object_ = pending.pop()
            if object_ is None or object_ in seen:
                continue
            seen.add(object_)
            cells = [state.cells[cell][1] for cell in state.cells.of(object_)]
            if approximate:
                if any(isinstance(v, Tensor) for v in cells):
                    self._forget_counts(object_, state)
                    self._forget_undefined(object_, state)
                pending += self._site.world.below(object_)
            pending += [a.object for v in cells for a in addresses(v)]
            pending += [b for v in cells if isinstance(v, Tensor) for b in self._site.buffers_of(v.storage)]
            pending += self._site.buffers_of(object_.name) if object_.kind == "allocation" else []
            if not any(isinstance(v, Tensor) for v in cells):
                walk.forget(Address(object_, number(0)), state, approximate)

    def _forget_member(self, place: Address, type_: ir.Type, state: State, walk: Walk) -> None:
        """A call that gets the address of one member may write that one, and what it leads to."""
        assert place.object is not None
        deep, name = len(place.fields), place_name(place, type_)
        held = [state.cells[cell][1] for cell in state.cells.of(place.object) if cell[1][:deep] == place.fields]
        for object_ in [*self._site.world.led_to_by(name), *(a.object for v in held for a in addresses(v))]:
            self._forget(Address(object_, number(0)), state, walk, approximate=True)
        walk.store(place, type_, self._site.world.lost(name.removeprefix(APPROXIMATE), type_), state)

    def _forget_counts(self, object_: HostObject, state: State) -> None:
        """A vector may have grown."""
        for cell in state.cells.of(object_):
            type_, value = state.cells[cell]
            if isinstance(value, Tensor) and can_grow(type_):
                label = f"{APPROXIMATE}{value.name.removeprefix(APPROXIMATE)}#{self._site.world.count()}"
                self._site.world.explain(label, self._site.world.because)
                state.cells[cell] = (type_, container(type_, label))

    def _forget_undefined(self, object_: HostObject, state: State) -> None:
        """A tensor that has no memory yet may have been made."""
        for cell in state.cells.of(object_):
            type_, value = state.cells[cell]
            if isinstance(value, Tensor) and value.undefined is not FALSE:
                label = f"{APPROXIMATE}{value.name.removeprefix(APPROXIMATE)}#{self._site.world.count()}"
                self._site.world.explain(label, self._site.world.because)
                state.cells[cell] = (type_, Tensor(label, storage=label))


def _zeroed(stmt: ir.Call, name: str, args: list[Value]) -> ir.Struct | None:
    """The struct of which `memset(&s, 0, sizeof(s))` makes every member zero."""
    pointer = stmt.args[0]
    while isinstance(pointer, ir.Cast | ir.Bitcast):
        pointer = pointer.operand
    type_ = pointee_of(pointer.type)
    if name != "memset" or len(args) != 3 or not isinstance(type_, ir.Struct) or not isinstance(args[0], Address):
        return None
    whole = isinstance(args[2], Number) and args[2].value == ir.size_of(type_)
    return type_ if whole and args[1] is number(0) and type_.fields else None


def _least_block(name: str, args: list[Value], walk: Walk) -> int:
    """Below what number of threads no block is suggested: 255 registers are the most that a thread has, and every device has
    those of more than 64. Limits of the call and of kernels, and shared memory by the thread, go further down."""
    limits = args[3:4] + args[5:6] if name.startswith("cuOccupancy") else args[4:5]
    unlimited = all(arg is number(0) or (isinstance(arg, Address) and arg.object is None) for arg in limits)
    if "VariableSMem" in name or not unlimited:
        return 1
    kernels = (function for unit in walk.linked.units for function in unit.functions.values())
    return min([_REGISTERS_FOR, *(function.launch_bounds[0] for function in kernels if function.launch_bounds)])


def _looked_up(name: str, args: list[Value], state: State, walk: Walk) -> Value:
    """`cuModuleGetFunction(&f, module, "scale")`: the kernel of that name, wherever it is."""
    out, said = words().kernel_lookups[name]
    if max(out, said) < len(args):
        walk.store(args[out], ir.Pointer(ir.VOID), _kernel_named(args[said]), state)
    return number(0)


def _kernel_named(said: Value) -> Value:
    if isinstance(said, Text):
        return FunctionValue(said.said)
    if isinstance(said, Either):
        then, orelse = _kernel_named(said.then), _kernel_named(said.orelse)
        if isinstance(then, FunctionValue | Either) and isinstance(orelse, FunctionValue | Either):
            return Either(said.cond, then, orelse)
    return OPAQUE


def _member_of(arg: ir.Expr, pointer: Value) -> tuple[Address, ir.Type] | None:
    """The member whose address an argument is (`&job->handle`), unless it goes on as bytes or anything."""
    passed = pointee_of(arg.type)
    while isinstance(arg, ir.Cast | ir.Bitcast):
        arg = arg.operand
    if not (isinstance(arg, ir.AddressOf) and isinstance(arg.place, ir.Field) and isinstance(pointer, Address)):
        return None
    type_ = arg.place.type
    if (
        passed in (ir.VOID, ir.INT8, ir.UINT8)
        or isinstance(type_, ir.Array)
        or is_vector_type(type_)
        or is_tensor_type(type_)
    ):
        return None
    whole = pointer.object is not None and bool(pointer.fields) and isinstance(pointer.offset, Number)
    return (pointer, type_) if whole else None
