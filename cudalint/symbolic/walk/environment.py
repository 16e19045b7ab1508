"""What one contract means for one walk: values of parameters and builtins, extents of objects, and the facts as Terms.

Simple bounds among the facts (`n <= 4096`) narrow the ranges of their symbols, so that intervals decide more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from cudalint import ir
from cudalint.analysis.text.members_read import names_read
from cudalint.contract import (
    Assume,
    Binding,
    Contract,
    ElementExtent,
    Extent,
    External,
    Fact,
    Geometry,
    Nullable,
    Origin,
)
from cudalint.finding import Assumption
from cudalint.ir.walk import evaluated, statements
from cudalint.symbolic.model import Address, Aggregate, MemoryObject, Value
from cudalint.symbolic.solver.narrowing import divided_safely, narrowed_symbols
from cudalint.symbolic.walk import integers, overlaps
from cudalint.symbolic.walk.arguments import may_be_null, member_label, passed_by_thread, reached_by_both
from cudalint.symbolic.walk.contents import Contents
from cudalint.symbolic.walk.expressions import Evaluator, members_of
from cudalint.symbolic.walk.parameters import builtin_symbol, is_wide, parameter_symbol, type_of_parameter
from cudalint.term import (
    FALSE,
    TRUE,
    Any_,
    Apply,
    Choice,
    Number,
    Symbol,
    Term,
    Wrapped,
    add,
    at_most,
    choice,
    equal,
    flag,
    free_symbols,
    interval,
    less,
    multiply,
    negation,
    number,
    quotient,
    remainder,
    rewrite,
    substitute,
    symbol,
)

AXES = ("x", "y", "z")
THREADS_PER_BLOCK = 1024
SHARED_PER_BLOCK = 227 << 10  # bytes, where a launch asks for all that there are on the largest devices
RESIDENT_BLOCKS = 1 << 13  # on a device of 256 multiprocessors with 32 blocks each
POINTER_BYTES = 8
DIMENSION_OF = {"threadIdx": "blockDim", "blockIdx": "gridDim"}


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A condition that holds in every launch that the contract describes."""

    term: Term
    assumption: Assumption


_SIZE_BITS = 32


class Environment:
    """Built once per contract; gives terms to the walk and facts to the queries."""

    def __init__(self, unit: ir.Unit, kernel: ir.Function, contract: Contract) -> None:
        self.unit = unit
        self.kernel = kernel
        self.contract = contract
        self.facts: list[KnownFact] = []
        self.null_tests: dict[str, Term] = {}
        self.tables: dict[str, ElementExtent] = {}
        self.extent_facts: dict[str, Assumption] = {}
        self._narrowed = narrowed_symbols(contract)
        self._passed: tuple[int, dict[Term, Term]] = (-1, {})
        self._objects: dict[str, MemoryObject] = {}
        self._offsets: dict[str, Term] = {}
        self._loaded: dict[tuple[str, tuple[Term, ...]], MemoryObject] = {}
        self._globals: dict[str, MemoryObject] = {}
        self._constants: dict[str, tuple[int, ...]] = {}
        self._shared: MemoryObject | None = None
        self._builtins: dict[str, Term] = {}
        self.geometry = next((f.what for f in contract.facts if isinstance(f.what, Geometry)), None)
        self.launch_known = self.geometry is not None and any(d is not None for d in self.geometry.block)
        self._bindings = {f.what.parameter: f.what.value for f in contract.facts if isinstance(f.what, Binding)}
        if contract.device:
            self._bindings = passed_by_thread(kernel.params)
        self._limits: dict[Term, None] = {}
        self.from_memory: set[Term] = set()  # variables of loops that begin or go on with numbers from memory
        self.begun_in_memory: set[Term] = (
            set()
        )  # those of them that begin so, and what was loaded into arrays of the thread
        self.given = {f.what.pointer for f in contract.facts if isinstance(f.what, Extent) and f.what.given}
        self.external = {f.what.pointer for f in contract.facts if isinstance(f.what, External)}
        self._place_launch()
        self._place_facts()
        self.contents = Contents(contract, self._term)
        self.values = self.contents.bounded()
        self._place_objects()

    def inputs_of_launch(self, beside: str = "") -> frozenset[Term]:
        """What the geometry and the scalar arguments depend on; of a struct those members that the program reads.

        Without the numbers in a struct whose only pointer is the one that they are `beside`: they come along with it.
        """
        owner = beside.rpartition(".")[0]
        is_alone = bool(owner) and [name for name in self._objects if name.rpartition(".")[0] == owner] == [beside]
        told = (atoms for name, atoms in self._inputs_told if not is_alone or name.rpartition(".")[0] != owner)
        return frozenset().union(*told)

    @cached_property
    def _inputs_told(self) -> list[tuple[str, frozenset[Term]]]:
        """The inputs by the argument that tells the kernel of them; a side of the launch has no name."""
        dimensions = (*self.geometry.grid, *self.geometry.block) if self.geometry else ()
        read = names_read(self._bindings, self.unit, self.kernel)
        told = [("", d) for d in dimensions if d is not None]
        told += [(name, b) for name, b in self._bindings.items() if name in read]
        return [(n, frozenset(a for a in free_symbols(self._term(t)) if isinstance(a, Symbol))) for n, t in told]

    @cached_property
    def named_by_host(self) -> frozenset[str]:
        """What host functions name that nothing declares: no macro that each thread reads otherwise."""
        bodies = (f.body for f in self.unit.functions.values() if f.role is ir.Role.HOST)
        named = (e for body in bodies for s in statements(body) for e in evaluated(s) if isinstance(e, ir.Opaque))
        return frozenset(e.reason for e in named if e.reason.startswith(ir.UNDECLARED))

    # --- launch ---------------------------------------------------------------------------------------------------------

    def builtin(self, name: str) -> Term:
        if name in self._builtins:
            return self._builtins[name]
        if name == "warpSize":
            return number(32)
        if name in ("laneid", "warpid"):
            linear = self.linear_thread()
            return remainder(linear, number(32)) if name == "laneid" else quotient(linear, number(32))
        return symbol(f"~{name}", 0, (1 << 31) - 1, "thread")

    def linear_thread(self) -> Term:
        """The thread's number in its block, x fastest."""
        b = self.builtin
        inner = add(b("threadIdx.y"), multiply(b("threadIdx.z"), b("blockDim.y")))
        return add(b("threadIdx.x"), multiply(inner, b("blockDim.x")))

    def _place_launch(self) -> None:
        for position, axis in enumerate(AXES):
            block = self.geometry.block[position] if self.geometry else None
            grid = self.geometry.grid[position] if self.geometry else None
            dim = self._dimension(f"blockDim.{axis}", block)
            blocks = self._dimension(f"gridDim.{axis}", grid)
            self._inside(f"threadIdx.{axis}", dim)
            self._inside(f"blockIdx.{axis}", blocks)
        b = self._builtins
        threads = multiply(multiply(b["blockDim.x"], b["blockDim.y"]), b["blockDim.z"])
        limit = self.kernel.launch_bounds[0] if self.kernel.launch_bounds else THREADS_PER_BLOCK
        text = f"__launch_bounds__({limit})" if self.kernel.launch_bounds else "a block has at most 1024 threads"
        origin = Origin.KERNEL if self.kernel.launch_bounds else Origin.LIMIT
        self._know(at_most(threads, number(limit)), Assumption(text, origin.value))
        shared = self.geometry.shared if self.geometry else None
        if shared is not None and not isinstance(shared, Number):
            text = f"a block has at most {SHARED_PER_BLOCK >> 10} KiB of shared memory"
            self._know(at_most(self._narrow(shared), number(SHARED_PER_BLOCK)), Assumption(text, Origin.LIMIT.value))
        if (self.geometry is None or self.geometry.grid[0] is None) and not any(map(is_wide, self.kernel.params)):
            text = "gridDim.x*blockDim.x < 2^31, since no parameter counts further"
            self._know(
                at_most(multiply(b["gridDim.x"], b["blockDim.x"]), number((1 << 31) - 1)),
                Assumption(text, Origin.ORDINARY.value),
            )

    def _dimension(self, name: str, given: Term | None) -> Term:
        limit = builtin_symbol(name).parts[2]
        resident = self.geometry is not None and self.geometry.cooperative and name.startswith("gridDim.")
        if resident:
            limit = min(limit, RESIDENT_BLOCKS)
        term = builtin_symbol(name) if given is None else self._bound(self._narrow(_before_conversion(given)))
        self._builtins[name] = term
        text = f"1 <= {name} <= {limit} ({'a cooperative launch is resident' if resident else 'a launch is valid'})"
        self._know(integers.between(1, term, limit), Assumption(text, Origin.LIMIT.value))
        for defined in divided_safely(term):
            self._know(
                defined,
                Assumption(f"the host computes {name}, and divides by nothing that is zero", Origin.LAUNCH.value),
            )
        return term

    def _inside(self, name: str, dimension: Term) -> None:
        base = builtin_symbol(name)
        _, low, high, scope = base.parts
        largest = interval(dimension)[1]
        if largest is not None:
            high = max(0, min(high, largest - 1))
        position = symbol(name, low, high, scope)
        self._builtins[name] = number(0) if high == 0 else position
        self._know(
            less(position, dimension), Assumption(f"{name} < {DIMENSION_OF[name[:-2]]}.{name[-1]}", Origin.LIMIT.value)
        )

    # --- facts ----------------------------------------------------------------------------------------------------------

    def _know(self, term: Term, assumption: Assumption) -> None:
        if term.kind != "truth" or term is FALSE:
            self.facts.append(KnownFact(term, assumption))

    def _narrow(self, term: Term) -> Term:
        return self._as_computed(substitute(term, {**self._narrowed, **self._launch_names()}))

    def _as_computed(self, term: Term) -> Term:
        """Values of the host as they are meant: before a launch neither signed arithmetic (C++ [expr.pre]) nor a cut to a
        signed type loses anything, which is assumed.

        What is computed only under a condition stays as it is, since the launch tells nothing of it elsewhere.
        """
        if self.contract.launch_site is None:
            return term
        memo: dict[Term, Term] = {}

        def leaf(part: Term) -> Term | None:
            if isinstance(part, Any_ | Apply):
                return part
            if isinstance(part, Choice):
                return choice(rewrite(part.parts[0], leaf, memo), part.parts[1], part.parts[2])
            if not isinstance(part, Wrapped) or not part.parts[2] or not _is_of_launch(part):
                return None
            inner, bits, _ = part.parts
            if bits < _SIZE_BITS:
                return None  # a char or short is no size: whoever passes one means its low bits
            meant = rewrite(inner, leaf, memo)
            limit = 1 << (bits - 1)
            fits = integers.between(-limit, meant, limit - 1)
            if fits is not TRUE and fits not in self._limits:
                self._limits[fits] = None
                text = "what the host computes fits into its signed types"
                self._know(fits, Assumption(text, Origin.LAUNCH.value))
            return meant

        return rewrite(term, leaf, memo)

    def is_limit(self, fact: Term) -> bool:
        """It says what fits into a type, or how many elements some sizes make: it relates no input to another."""
        return fact in self._limits

    def _launch_names(self) -> dict[Term, Term]:
        """Facts that speak of `blockDim.x` mean this launch's."""
        return {builtin_symbol(n): t for n, t in self._builtins.items() if builtin_symbol(n) is not t}

    def _place_facts(self) -> None:
        if self.contract.device:
            told = {f.what.pointer for f in self.contract.facts if isinstance(f.what, Extent | Nullable)}
            self.null_tests |= {
                name: null for name, null in may_be_null(self.kernel.params).items() if name not in told
            }
        for fact in self.contract.facts:
            what = fact.what
            if isinstance(what, Assume):
                cond = self._narrow(self._bound(what.cond))
                if fact.origin is Origin.LIMIT:
                    self._limits[cond] = None
                self._know(cond, fact.assumption())
            elif isinstance(what, Nullable):
                self._place_nullable(what)
            elif isinstance(what, ElementExtent):
                self.tables[what.pointer] = what
                self.extent_facts.setdefault(f"{what.pointer}[]", fact.assumption())

    def _place_nullable(self, what: Nullable) -> None:
        present = flag(f"present({what.pointer})") if what.present is None else self._term(what.present)
        self.null_tests[what.pointer] = negation(present)

    @property
    def bindings(self) -> Mapping[str, Term]:
        """What the launch passes for scalar parameters, by their names."""
        return self._bindings

    def stated(self, term: Term) -> Term:
        """A term over the kernel's parameters as this launch means it."""
        return self._term(term)

    def _term(self, term: Term) -> Term:
        return self._bound(self._narrow(term))

    def _bound(self, term: Term) -> Term:
        """Parameter names replaced by what the launch passes."""
        return substitute(term, self._arguments()) if self._bindings else term

    def _arguments(self) -> dict[Term, Term]:
        """What is passed for each scalar parameter, as far as the launch is placed."""
        placed, mapping = self._passed
        if placed == len(self._builtins):
            return mapping
        mapping = {}
        for name, value in self._bindings.items():
            type_ = type_of_parameter(self.kernel, name)
            if isinstance(type_, ir.Int | ir.Bool):
                own = parameter_symbol(name, type_)
                mapping[own] = mapping[self._narrow(own)] = self._narrow(value)
        self._passed = len(self._builtins), mapping
        return mapping

    # --- objects --------------------------------------------------------------------------------------------------------

    def _place_objects(self) -> None:
        for fact in self.contract.facts:
            if isinstance(fact.what, Extent):
                self._place_extent(fact, fact.what)

    def _place_extent(self, fact: Fact, what: Extent) -> None:
        size = self._term(what.size)
        self.extent_facts.setdefault(what.pointer, fact.assumption())
        element = self._element_of(what.pointer)
        if what.unit == "elements":
            width = ir.size_of(element)
            if width is None:
                return
            size = multiply(size, number(width))
        offset = self._term(what.offset) if what.offset is not None else number(0)
        key = f"buffer {what.buffer}" if what.buffer else what.pointer
        if key not in self._objects:
            total = add(size, offset)
            self._objects[key] = MemoryObject(
                what.pointer,
                "global",
                element,
                total,
                None,
                self._is_read_only(what.pointer),
                described=what.described,
                inside=what.inside,
            )
        elif what.buffer and not self._is_read_only(what.pointer):
            old = self._objects[key]
            self._objects[key] = replace(old, read_only=False)
        if what.pointer != key:
            self._offsets[what.pointer] = offset
            self._objects.setdefault(what.pointer, self._objects[key])
        self._share_updates(key)

    def _share_updates(self, key: str) -> None:
        current = self._objects[key]
        for name in [f.what.pointer for f in self.contract.facts if isinstance(f.what, Extent) and f.what.buffer]:
            if key.startswith("buffer ") and name in self._objects and self._buffer_of(name) == key:
                self._objects[name] = current

    def _buffer_of(self, pointer: str) -> str | None:
        for fact in self.contract.facts:
            if isinstance(fact.what, Extent) and fact.what.pointer == pointer and fact.what.buffer:
                return f"buffer {fact.what.buffer}"
        return None

    def _element_of(self, pointer: str) -> ir.Type:
        name, _, rest = pointer.partition(".")
        type_: ir.Type = ir.VOID
        for param in self.kernel.params:
            if param.var.name == name:
                type_ = param.var.type
        for part in rest.split(".") if rest else ():
            found = ir.field_of(type_, part)
            type_ = found.type if found else ir.VOID
        return type_.element if isinstance(type_, ir.Pointer) else type_

    def _is_read_only(self, pointer: str) -> bool:
        return not self.contract.device and any(p.const for p in self.kernel.params if p.var.name == pointer)

    def pointer(self, name: str, type_: ir.Pointer, read_only: bool) -> Address:
        """The address that a pointer parameter (or field) holds at entry."""
        found = self._objects.get(name)
        if found is None:
            found = MemoryObject(name, "global", type_.element, None, None, read_only)
            self._objects[name] = found
        return Address(found, self._offsets.get(name, number(0)))

    def global_object(self, name: str) -> MemoryObject | None:
        declared = self.unit.globals.get(name)
        if declared is None:
            return None
        if declared.storage is ir.Storage.DYNAMIC_SHARED:  # declared outside of functions
            return self.dynamic_shared(declared.var)
        return self._globals.setdefault(name, self.static_object(declared.var, declared.storage))

    def constants(self, name: str) -> tuple[int, ...]:
        """The integers that constant memory of this name holds at every launch; none where host code may copy others there."""
        if name not in self._constants:
            declared = self.unit.globals.get(name)
            init = declared.init if declared is not None and declared.storage is ir.Storage.CONSTANT else None
            whole = tuple(value for value in init or () if isinstance(value, int))
            copied = any(repr(name) in repr(f.body) for f in self.unit.functions.values() if f.role is ir.Role.HOST)
            copied = copied or self.unit.path.endswith(".py")  # Python reaches it by the module's `get_global`
            self._constants[name] = whole if init is not None and len(whole) == len(init) and not copied else ()
        return self._constants[name]

    def one_block(self) -> bool:
        """The grid is known to hold a single block."""
        return all(self._builtins[f"gridDim.{axis}"] is number(1) for axis in AXES)

    def assume_flat_launch(self, used: set[str]) -> None:
        """An axis that the kernel never reads has one position, where the launch does not say otherwise.

        The first side of a grid that callers pass, too, where the kernel reads another: one that reads none is launched with any
        number, and one that reads no `threadIdx.x` may have meant to.
        """
        for position, axis in enumerate(AXES):
            for index, dimension, given in (
                (f"threadIdx.{axis}", f"blockDim.{axis}", self.geometry.block if self.geometry else None),
                (f"blockIdx.{axis}", f"gridDim.{axis}", self.geometry.grid if self.geometry else None),
            ):
                told = given[position] if given is not None else None
                passed = isinstance(told, Symbol) and told.name.endswith(f".{axis}")  # a `dim3` that callers pass
                if axis == "x":
                    reads_other = not used.isdisjoint(("blockIdx.y", "blockIdx.z"))
                    left_open = passed and index == "blockIdx.x" and reads_other
                else:
                    left_open = told is None or passed
                if index not in used and left_open:
                    text = f"{dimension} is 1, since the kernel does not read {index}"
                    self._know(equal(self._builtins[dimension], number(1)), Assumption(text, Origin.DEFAULT.value))

    def is_named(self, found: MemoryObject) -> bool:
        """A parameter or a global variable, so that its name stands for one allocation."""
        return self._objects.get(found.name) is found or self._globals.get(found.name) is found

    def is_of_caller(self, found: MemoryObject) -> bool:
        """What a pointer leads to that callers of a device function pass: each thread may have memory of its own there."""
        return self.is_memory_of_caller(found.name) and self._objects.get(found.name) is found

    def may_be_same(self, found: MemoryObject) -> list[MemoryObject]:
        """What callers of a device function may pass as the same memory as this: two references to one variable."""
        if not self.contract.device:
            return []
        shared = [each for each in (*self._globals.values(), self._shared) if each is not None]
        return reached_by_both(found, list(dict.fromkeys(self._objects.values())), shared, self.kernel.params)

    def is_memory_of_caller(self, name: str) -> bool:
        return self.contract.device and name.removesuffix("[]") in self._objects

    def overlapping(self, found: MemoryObject) -> frozenset[MemoryObject]:
        """Other objects that may be the same memory, as an annotation or a launch says."""
        names = overlaps.names_of_one(self.contract.facts, found.name)
        others = (self._objects.get(name) for name in names)
        return frozenset(other for other in others if other is not None and other is not found)

    def as_filled(self, found: MemoryObject, type_: ir.Type, offset: Term, value: Term) -> list[Term]:
        """What host code has left where a number is read, of memory that has one name and that the kernel does not write."""
        if (
            self.overlapping(found)
            or found.name in self.external
            or self._offsets.get(found.name) not in (None, number(0))
        ):
            return []
        return self.contents.left_as_filled(found.name, type_, offset, value)

    def as_placed(self, found: MemoryObject, type_: ir.Int, offset: Term, value: Term) -> list[Term]:
        """What host code has copied to a variable of the device, where a number is read there that the kernel does not write."""
        return self.contents.left_as_placed(found.name, type_, offset, value) if self.is_named(found) else []

    def distance(self, found: MemoryObject, other: MemoryObject) -> Term | None:
        """How many bytes `other` begins behind `found`, where a launch passes both as the same memory."""
        distance = overlaps.distance(self.contract.facts, found.name, other.name)
        return None if distance is None else self._term(distance)

    def static_object(self, var: ir.Var, storage: ir.Storage) -> MemoryObject:
        size = ir.size_of(var.type)
        memory = {ir.Storage.CONSTANT: "constant", ir.Storage.SHARED: "shared"}.get(storage, "global")
        term = None if size is None else number(size)
        return MemoryObject(var.name, memory, var.type, term, None, memory == "constant")

    def dynamic_shared(self, var: ir.Var) -> MemoryObject:
        """All `extern __shared__` arrays of a launch begin at the same byte."""
        if self._shared is None:
            shared = self.geometry.shared if self.geometry else None
            size = None if shared is None else self._term(shared)
            self._shared = MemoryObject(var.name, "shared", var.type, size, None, False, True)
        return self._shared

    def loaded_object(self, label: str, args: tuple[Term, ...], type_: ir.Pointer) -> MemoryObject:
        """The allocation behind a pointer that was read from memory: the same place gives the same one."""
        key = (label, args)
        if key not in self._loaded:
            table = label.removeprefix("mem:")
            size = self._table_size(table, args, type_)
            self._loaded[key] = MemoryObject(f"{table}[]", "global", type_.element, size, entry=args)
        return self._loaded[key]

    def _table_size(self, table: str, args: tuple[Term, ...], type_: ir.Pointer) -> Term | None:
        """The bytes that a pointer of a table points to, where an annotation says so."""
        stated = self.tables.get(table)
        width = None if stated is None else 1 if stated.unit == "bytes" else ir.size_of(type_.element)
        if stated is None or width is None or len(args) != 1:
            return None
        index = quotient(args[0], number(POINTER_BYTES))
        return multiply(substitute(self._term(stated.size), {stated.index: index}), number(width))

    # --- arguments ------------------------------------------------------------------------------------------------------

    def argument(self, param: ir.Param, evaluator: Evaluator) -> Value:
        return self._argument(param.var.name, param.var.type, param.const, evaluator)

    def _argument(self, name: str, type_: ir.Type, const: bool, evaluator: Evaluator) -> Value:
        if isinstance(type_, ir.Pointer):
            return self.pointer(name, type_, const)
        if name in self._bindings and isinstance(type_, ir.Int | ir.Bool):
            return self._as_computed(integers.convert(self._narrow(self._bindings[name]), type_))
        if name in self._bindings and self.contract.device:
            return self._bindings[name]
        if isinstance(type_, ir.Int):
            return self._narrow(parameter_symbol(name, type_))
        if isinstance(type_, ir.Bool):
            return integers.as_truth(parameter_symbol(name, type_))
        if isinstance(type_, ir.Struct | ir.Vector | ir.Array):
            return Aggregate(type_, dict(self._members(name, type_, 0, evaluator)))
        return symbol(name)

    def _members(
        self, name: str, type_: ir.Type, base: int, evaluator: Evaluator
    ) -> list[tuple[int, tuple[ir.Type, Value]]]:
        leaves: list[tuple[int, tuple[ir.Type, Value]]] = []
        for position, (offset, member) in enumerate(members_of(type_)):
            label = member_label(name, type_, position)
            if isinstance(member, ir.Struct | ir.Vector | ir.Array):
                leaves += self._members(label, member, base + offset, evaluator)
            else:
                leaves.append((base + offset, (member, self._argument(label, member, False, evaluator))))
        return leaves


def _before_conversion(dimension: Term) -> Term:
    """`k<<<rows * cols, 256>>>` means rows * cols blocks, not what is left of them in a dim3: the launch is valid."""
    is_wrapped = isinstance(dimension, Wrapped) and dimension.parts[1] >= _SIZE_BITS and _is_of_launch(dimension)
    return dimension.parts[0] if is_wrapped else dimension


def _is_of_launch(term: Term) -> bool:
    return all(isinstance(atom, Symbol) and atom.scope == "launch" for atom in free_symbols(term))
