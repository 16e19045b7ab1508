"""What a launch as reached says: geometry, bindings, extents, aliases and the conditions on the way.

Each fact is a consequence of the code and of what every contract assumes anyway: the launch is valid (its dimensions are
at least 1 and within the limits) and the allocations before it succeeded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from dataclasses import replace

from cudalint import ir
from cudalint.contract import (
    Alias,
    Assume,
    Binding,
    Extent,
    Fact,
    Geometry,
    Held,
    Missing,
    Nullable,
    Origin,
    Output,
    What,
)
from cudalint.ir.walk import registers_read, statements
from cudalint.source import Span
from cudalint.symbolic.host.computed_sizes import FITS, sizes_that_fit
from cudalint.symbolic.host.contents import INDEX, held, unknown_contents
from cudalint.symbolic.host.described import PitchedImage, StridedArray, left_of, room, settled
from cudalint.symbolic.host.element_types import bytes_of_elements
from cudalint.symbolic.host.evaluate import converted, member_keys
from cudalint.symbolic.host.fact_forms import (
    LARGEST_CHOICE,
    all_terms,
    geometry_text,
    is_unsettled,
    known_numbers,
    large_choices,
    terms_of,
    without_large_choices,
)
from cudalint.symbolic.host.joins import member_of
from cudalint.symbolic.host.launched import LaunchRecord
from cudalint.symbolic.host.narrow import Ranges
from cudalint.symbolic.host.narrowed_inputs import BITS, LEAST, MOST
from cudalint.symbolic.host.positive import INT_MAX, positive_form, without_size_conversions
from cudalint.symbolic.host.spanned import handle_of
from cudalint.symbolic.host.text import is_large, plain, shown
from cudalint.symbolic.host.told_conditions import told_conditions
from cudalint.symbolic.host.values import APPROXIMATE, LARGEST_SIZE, Address, Either, HostObject, Layout, Record, Value
from cudalint.symbolic.host.world import World
from cudalint.symbolic.host_vocabulary import words
from cudalint.symbolic.walk import integers
from cudalint.symbolic.walk.parameters import BLOCK_LIMITS, GRID_LIMITS
from cudalint.term import (
    FALSE,
    TRUE,
    All,
    Number,
    Symbol,
    Term,
    Wrapped,
    add,
    at_most,
    choice,
    conjunction,
    equal,
    free_symbols,
    interval,
    is_number,
    multiply,
    negation,
    number,
    remainder,
    substitute,
    subtract,
    symbol,
    wrapped,
)


class LaunchFacts:
    """What one launch says, in `found`, after `collect()`."""

    def __init__(self, record: LaunchRecord, kernel: ir.Function, world: World) -> None:
        self._record, self._kernel, self._world = record, kernel, world
        self.found: list[Fact] = []
        self.missing: list[Missing] = []
        self._conditions: list[tuple[Term, str]] = []
        self._declared: dict[Term, Span] = {}
        self._fitting: set[Term] = set()  # conditions that no code checks: ordinary sizes keep them
        self._decided: dict[Term, frozenset[Term]] = {}  # what the alternatives spoke of of which a condition is left
        self._buffers: dict[str, tuple[str, Address]] = {}
        self._choices: dict[tuple[tuple[Term, Address], ...], str] = {}
        self._described: list[tuple[str, ir.Type, HostObject, Missing, bool]] = []
        self._elements: ir.Type = ir.VOID  # what the parameter at hand points to
        self._ranges = Ranges()

    def collect(self, narrowed: Iterable[Symbol] = ()) -> None:
        """What the launch says; conversions to int leave the `narrowed` inputs as they are."""
        for each in narrowed:
            fits = integers.between(LEAST, each, MOST)
            self._ranges.learn(fits)
            self._ranges.fits(wrapped(each, BITS, True), each)
            self._conditions.append((fits, f"{shown(each)} fits into an int"))
            self._fitting.add(fits)
        for cond in self._record.path:
            if (
                cond not in self._record.told.declared
            ):  # what the code itself says is not told in the words of a declaration
                self._ranges.learn(cond)
        self._geometry()
        for param, arg in zip(self._kernel.params, self._record.args):
            self._argument(param.var.name, param.var.type, arg)
        self.found += self._record.told.placed
        self._extents_of_layouts()
        holding = settled(cond for cond in self._record.path if cond not in self._record.told.declared)
        for cond in self._record.path:
            for part in cond.parts[0] if isinstance(cond, All) else (cond,):
                left = left_of(part, holding)
                told = self._ranges.told(left)
                self._conditions.append((told, shown(told)))
                if left is not part:
                    self._decided[told] = self._decided.get(told, frozenset()) | free_symbols(part)
                if (where := self._record.told.declared.get(cond)) is not None:
                    self._declared[told] = where
                if cond in self._record.told.fitting:
                    self._fitting.add(told)
                if any(map(is_unsettled, free_symbols(told))):  # it may not be told itself
                    self._conditions += [(size, FITS) for size in sizes_that_fit(part, is_unsettled)]
        self._relevant_conditions()

    def _add(self, what: What, text: str) -> None:
        self.found.append(Fact(what, Origin.LAUNCH, text, self._record.launch.span))

    def _geometry(self) -> None:
        block = tuple(self._dimension(t, limit) for t, limit in zip(self._record.block, BLOCK_LIMITS.values()))
        grid = tuple(self._dimension(t, limit) for t, limit in zip(self._record.grid, GRID_LIMITS.values()))
        shared = self._size(self._record.shared)
        what = Geometry(
            (grid[0], grid[1], grid[2]), (block[0], block[1], block[2]), shared, self._record.launch.cooperative
        )
        self._add(what, geometry_text(what))
        for subject, terms in (("grid", grid), ("block", block), ("shared", (shared,))):
            self._note_lost(subject, terms)

    def _note_lost(self, subject: str, terms: tuple[Term, ...]) -> None:
        """The reason why a term holds a value that was lost, where one does."""
        found = {s for term in terms for s in free_symbols(term) if str(s.parts[0]).startswith(APPROXIMATE)}
        lost = [s for s in found if str(s.parts[0]) not in self._world.passed]
        if lost:
            first = min(lost, key=lambda s: str(s.parts[0]))
            self.missing.append(Missing(subject, self._world.why(str(first.parts[0])) or plain(str(first.parts[0]))))

    def _dimension(self, term: Term, limit: int) -> Term:
        """The term without the cases that give an invalid launch; what that excludes becomes a condition."""
        conditions: list[Term] = []
        simple = positive_form(self._ranges.simplified(term), limit, conditions)
        if isinstance(simple, Symbol):
            conditions += [at_most(number(1), simple), at_most(simple, number(limit))]
        for cond in conditions:
            self._require(cond, "the launch is valid")
        return simple

    def _require(self, cond: Term, why: str) -> None:
        self._ranges.learn(cond)
        self._conditions.append((cond, f"{shown(cond)} ({why})"))

    def _size(self, term: Term) -> Term:
        """A size in bytes without conversions of what is not negative."""
        term = self._ranges.simplified(term)
        if isinstance(term, Wrapped) and term.parts[1] >= 32 and not term.parts[2]:
            inner: Term = term.parts[0]
            inner_low, inner_high = interval(inner)
            fits = inner_high is not None and inner_high <= INT_MAX
            if fits and inner_low is not None and inner_low >= -INT_MAX - 1:
                self._require(at_most(number(0), inner), "the launch is valid")
                return inner
        return term

    def _argument(self, name: str, type_: ir.Type, value: Value) -> None:
        if isinstance(type_, ir.Pointer):
            self._elements = type_.element
            self._pointer(name, value)
        elif isinstance(type_, ir.Int | ir.Bool) and isinstance(value, Term):
            term = self._ranges.simplified(integers.as_integer(value))
            term = converted(term, type_) if isinstance(type_, ir.Int) else integers.as_integer(integers.as_truth(term))
            if not (isinstance(term, Symbol) and term.name == name):
                self._add(Binding(name, term), f"{name} = {shown(term)}")
            self._note_lost(name, (term,))
        elif isinstance(value, Record):
            for position, (key, member) in enumerate(member_keys(type_)[:64]):
                listed = isinstance(type_, ir.Array) and key in value.members
                inner = isinstance(type_, ir.Array) and isinstance(member, ir.Array | ir.Struct)
                if inner or (listed and isinstance(member, ir.Int | ir.Pointer)):
                    self._argument(f"{name}[{position}]", member, member_of(self._world, value, key, member))
                elif key[0]:
                    held = handle_of(value, key, member_of(self._world, value, key, member), self._world)
                    self._argument(f"{name}.{key[0][0]}", member, held)
            self._pitched(name, type_, value)
            self._strided(name, type_, value)

    def _pitched(self, name: str, type_: ir.Type, value: Record) -> None:
        """Rows that lie one step apart, each with room for its columns, as the struct says that describes them."""
        members = {f.name: f for f in type_.fields} if isinstance(type_, ir.Struct) else {}
        image = PitchedImage.of(members)
        if image is None or all(m.subject != f"{name}.{image.data}" for m in self.missing):
            return
        read = (member_of(self._world, value, ((part,), number(0)), members[part].type) for part in image.numbers)
        step, cols, rows = (integers.as_integer(v) if isinstance(v, Term) else None for v in read)
        if step is None or cols is None or rows is None:
            return
        pointer = f"{name}.{image.data}"
        self.missing = [m for m in self.missing if m.subject != pointer]
        size, text = multiply(rows, step), f"{pointer} = {shown(rows)} rows of {shown(step)} bytes"
        self._infer(Extent(pointer, size, "bytes", None, None, given=True, described=True), text)
        self._infer(
            Assume(at_most(multiply(cols, number(image.width)), step)), f"a row of {name} holds {shown(cols)} elements"
        )
        self._infer(Assume(at_most(number(0), rows)), f"{shown(rows)} >= 0")

    def _strided(self, name: str, type_: ir.Type, value: Record) -> None:
        """As many elements as lie between the first and the last one that the struct tells of."""
        members = {f.name: f for f in type_.fields} if isinstance(type_, ir.Struct) else {}
        array = StridedArray.of(members)
        if array is None or all(m.subject != f"{name}.{array.data}" for m in self.missing):
            return
        sizes, strides = (self._numbers(value, members[part]) for part in (array.sizes, array.strides))
        if sizes is None or strides is None:
            return
        pointer, last = f"{name}.{array.data}", number(0)
        bound = {f.what.parameter for f in self.found if isinstance(f.what, Binding)}
        for part, terms in ((array.sizes, sizes), (array.strides, strides)):
            for position, (term, (_, element)) in enumerate(zip(terms, member_keys(members[part].type))):
                if (entry := f"{name}.{part}[{position}]") not in bound:
                    self._argument(entry, element, term)
        self.missing = [m for m in self.missing if m.subject != pointer]
        for size, stride in zip(sizes, strides):
            last = add(last, multiply(subtract(size, number(1)), stride))
            self._infer(Assume(at_most(number(0), size)), f"{shown(size)} >= 0")
            self._infer(Assume(at_most(number(1), stride)), f"{shown(stride)} >= 1")
        text = f"{pointer} = {array.rank} dimensions as {name} tells them"
        self._infer(Extent(pointer, add(last, number(1)), given=True, described=True), text)

    def _numbers(self, value: Record, field: ir.StructField) -> list[Term] | None:
        """The elements of an array of integers in a struct."""
        whole = member_of(self._world, value, ((field.name,), number(0)), field.type)
        if not isinstance(whole, Record):
            return None
        read = [member_of(self._world, whole, key, type_) for key, type_ in member_keys(field.type)]
        found = [integers.as_integer(v) for v in read if isinstance(v, Term)]
        return found if len(found) == len(read) else None

    def _infer(self, what: What, text: str, checks: tuple[str, ...] = ()) -> None:
        if not checks and isinstance(what, Assume):
            checks = (shown(what.cond),)
        self.found.append(Fact(what, Origin.INFERRED, text, self._record.launch.span, checks))

    def _pointer(self, name: str, value: Value) -> None:
        null = _null_condition(value)
        if null is TRUE:
            self._add(Nullable(name, FALSE), f"{name} = nullptr")
            return
        if null is not FALSE:
            self._add(Nullable(name, negation(null)), f"{name} is null where {shown(null)}")
        targets = _targets(value, TRUE)
        self._output(name, targets)
        before = len(self.found)
        self._extent(name, targets)
        if len(targets) == 1:
            self._contents(name, targets[0][1])
        if not any(isinstance(f.what, Extent) for f in self.found[before:]):
            missing = self._open_pointer(name, value, targets)
            object_ = _of_layout(targets)
            if object_ is None or (object_.kind == "allocation" and object_.name not in self._world.strided):
                self.missing.append(missing)
            else:
                at_start = is_number(targets[0][1].offset, 0)
                self._described.append((name, self._elements, object_, missing, at_start))

    def _output(self, name: str, targets: list[tuple[Term, Address]]) -> None:
        """The kernel does more than read what the schema of its operator says is written."""
        object_ = targets[0][1].object if len(targets) == 1 else None
        said = self._record.told.outputs.get(object_.name) if object_ is not None else None
        uses = [s for s in statements(self._kernel.body) if name in registers_read(s)] if said is not None else []
        if said is not None and not all(isinstance(stmt, ir.Load) for stmt in uses):
            span = Span(said.path, said.line, 1, said.line, 1) if said.path else None
            self.found.append(Fact(Output(name), Origin.SCHEMA, said.text, span))

    def _contents(self, name: str, address: Address) -> None:
        """What the host code has filled the memory with."""
        known = held(address, self._elements, self._record.state, self._checked_item(address.object))
        if known is not None:
            value, count = known
            text = f"{name}[i] = {shown(value)} for 0 <= i < {shown(count)}"
            self._add(Held(name, INDEX, value, count, _is_number(address.object)), text)
        elif (why := unknown_contents(address, self._record.state)) is not None:
            self.missing.append(Missing(f"contents of {name}", why))

    def _checked_item(self, object_: HostObject | None) -> int | None:
        """The at::ScalarType of the elements, where the host code itself has checked it."""
        type_ = object_.item_type if object_ is not None else None
        own = {part for cond in self._record.path if cond not in self._record.told.declared for part in _parts(cond)}
        values = map(int, words().item_bytes) if type_ is not None else ()
        if isinstance(type_, Number):
            return type_.value
        return next((value for value in values if equal(type_, number(value)) in own), None)  # type: ignore[arg-type]

    def _extent(self, name: str, targets: list[tuple[Term, Address]]) -> None:
        objects = {id(a.object) for _, a in targets}
        if len(objects) == 1 and len(targets) == 1:
            self._place(name, targets[0][1])
        elif targets:
            self._choice_of_places(name, targets)

    def _open_pointer(self, name: str, value: Value, targets: list[tuple[Term, Address]]) -> Missing:
        """Why nothing bounds the pointer, and which entry point decides it."""
        for _, address in targets:
            object_ = address.object
            assert object_ is not None
            if object_.kind == "input":
                return self._open_input(name, object_.name)
            if object_.kind == "allocation" and object_.name in self._world.strided:
                return Missing(name, f"strides of {plain(object_.name)} are read")
            if object_.kind == "allocation" and object_.size is None:
                return Missing(name, object_.unsized or f"the size of {plain(object_.name)} is not known")
            if object_.kind != "allocation":
                return Missing(name, "the address of a host variable")
        return Missing(name, "not a pointer that was followed" if not isinstance(value, Either) else "one of several")

    def _open_input(self, name: str, label: str) -> Missing:
        why = self._world.why(label)
        if label.startswith(APPROXIMATE) or why:
            return Missing(name, why or f"`{plain(label)}` was lost")
        root, _, rest = label.rpartition(":") if "@" not in label else ("", "", label)
        first = re.split(r"[.\[#@]", rest)[0]
        if not root:
            return Missing(name, f"global variable `{plain(label)}`" if "@" not in label else "an input of the program")
        if first == "this":
            return Missing(name, "member of a class that no constructor fills")
        return Missing(name, f"`{first}` is a parameter of {root}", root)

    def _place(self, name: str, address: Address) -> None:
        object_ = address.object
        assert object_ is not None
        self._alias(name, object_, address)
        if not _has_size(object_) or object_.name in self._world.strided or address.fields:
            return
        where: Span | None = None
        if object_.size is not None:
            size: Term | None = self._allocated(object_)
        else:
            size, where = self._of_checked_type(object_)
        if size is None:
            self._if_elements_fit(name, address, object_)
            return
        offset = None if is_number(address.offset, 0) else address.offset
        rest = size if offset is None else subtract(size, offset)
        after = "" if offset is None else f" + {shown(offset)} bytes"
        extent = Extent(name, rest, "bytes", object_.name, offset, object_.given)
        origin, span = (Origin.LAUNCH, self._record.launch.span) if where is None else (Origin.SCHEMA, where)
        self.found.append(Fact(extent, origin, f"{name} = {_made(object_, size)}{after}", span))

    def _if_elements_fit(self, name: str, address: Address, object_: HostObject) -> None:
        """A tensor whose element type nobody checks is taken to hold what the kernel reads (DESIGN 3, origin 7).

        Where the pointer starts inside it, is one to structs or to bytes, such a buffer may hold anything.
        """
        width = ir.size_of(self._elements) if isinstance(self._elements, ir.Int | ir.Float) else None
        if object_.items is None:
            return
        if not is_number(address.offset, 0) or width is None or width < 2:
            self._with_a_byte_each(name, address, object_, object_.items)
            return
        size = multiply(object_.items, number(width))
        text = f"{name} = {_made(object_, size)}, if its elements have {width} bytes"
        extent = Extent(name, size, "bytes", object_.name, None, object_.given)
        self._infer(extent, text, (f"{plain(object_.name)}.element_size() == {width}",))

    def _with_a_byte_each(self, name: str, address: Address, object_: HostObject, items: Term) -> None:
        """A buffer of elements of any type has as many bytes as elements at least: enough for what stays below that."""
        size = symbol(f"{object_.name}.nbytes", 0, LARGEST_SIZE)
        offset = None if is_number(address.offset, 0) else address.offset
        rest = size if offset is None else subtract(size, offset)
        where = "" if offset is None else f" + {shown(offset)} bytes"
        text = f"{name} = {_made(object_, size)}{where}"
        self._infer(Extent(name, rest, "bytes", object_.name, offset, True, described=True), text)
        told = f"{plain(object_.name)} has {shown(items)} bytes or more"
        self._infer(Assume(at_most(items, size)), told)

    def _extents_of_layouts(self) -> None:
        """Memory that a tensor describes: dense, but for the strides that the kernel gets (DESIGN 3, origin 7)."""
        told = {s for fact in self.found for term in terms_of(fact.what) for s in free_symbols(term)}
        for name, elements, object_, missing, at_start in self._described:
            layout = object_.layout
            assert layout is not None
            width = ir.size_of(elements) if isinstance(elements, ir.Int | ir.Float) else None
            checked = self._checked_block(object_, layout)
            if checked is None and (width is None or width < 2):
                self.missing.append(missing)
                continue
            block = checked or (1, width or 1)
            size = room(_in_bytes(layout, block, object_), block, told)
            unchecked = "" if checked else f" and its elements have {width} bytes"
            text = f"{name} = {_made(object_, size)}, if it is dense{unchecked}"
            buffer = object_.name if at_start else None
            extent = Extent(name, size, "bytes", buffer, None, given=True, described=True)
            tensor = plain(object_.name)
            of_width = () if checked else (f"{tensor}.element_size() == {width}",)
            self._infer(extent, text, (f"{tensor}.is_contiguous()", *of_width))
            if layout.ranked:
                self._keep_strides_natural(object_, layout, told)
            elif object_.kind == "input" and block[0] == 1 and isinstance(block[1], int):
                self._keep_elements_apart(object_, layout, block[1], told)
            cond = conjunction(*(at_most(number(1), each) for each in layout.sizes))
            if all(fact.what != Assume(cond) for fact in self.found):
                text = f"{object_.made_by} is not empty"
                self._infer(Assume(cond), text)

    def _keep_strides_natural(self, object_: HostObject, layout: Layout, told: Set[Term]) -> None:
        """Rows that the kernel steps through do not lie before each other."""
        for stride in layout.strides:
            cond = at_most(number(0), stride)
            if free_symbols(stride) & told and all(fact.what != Assume(cond) for fact in self.found):
                self._infer(Assume(cond), f"strides of {object_.made_by} are not negative")

    def _keep_elements_apart(self, object_: HostObject, layout: Layout, width: int, told: Set[Term]) -> None:
        """Strides in bytes that the kernel gets are those of whole elements."""
        for stride in layout.strides:
            cond = conjunction(at_most(number(width), stride), equal(remainder(stride, number(width)), number(0)))
            if free_symbols(stride) & told and all(fact.what != Assume(cond) for fact in self.found):
                text = f"strides of {object_.made_by} are multiples of {width} bytes"
                self._infer(Assume(cond), text)

    def _checked_block(self, object_: HostObject, layout: Layout) -> tuple[int, int | Term] | None:
        """Elements of a block and its bytes, where the class, a check or a case on the way has fixed the type."""
        if object_.kind == "allocation":
            item = layout.item or self._checked_width(object_)
            return None if item is None else (1, item)
        if layout.ranked:
            own = settled(self._record.path)
            bits = next((b for b in (8, 16, 32, 64, 128) if equal(layout.type, number(b)) in own), None)
            return None if bits is None else (1, bits // 8)
        parts = {part for cond in self._record.path for part in _parts(cond)}
        types = (layout.type, converted(layout.type, ir.INT32))
        for value, (per_block, width) in words().block_bytes.items():
            if any(equal(type_, number(int(value))) in parts for type_ in types):
                return per_block, width
        return None

    def _of_checked_type(self, object_: HostObject) -> tuple[Term | None, Span | None]:
        """Bytes of a buffer whose element type a check or dispatch on the way has fixed.

        With the place of a declaration, where the code itself leaves the type open and only that fixes it.
        """
        if object_.items is None or object_.item_type is None:
            return None, None
        own = [cond for cond in self._record.path if cond not in self._record.told.declared]
        width, where = bytes_of_elements(own, object_.item_type), None
        if width is None and len(own) < len(self._record.path):
            width, where = self._checked_width(object_), self._declaration_of(object_.item_type)
        return None if width is None else multiply(object_.items, width), where

    def _declaration_of(self, item_type: Term) -> Span:
        """The place of the first declaration without which the element type is open."""
        path, declared = self._record.path, self._record.told.declared
        places = [(cond, declared[cond]) for cond in path if cond in declared]
        needed = (at for c, at in places if bytes_of_elements([o for o in path if o is not c], item_type) is None)
        return next(needed, places[0][1])

    def _checked_width(self, object_: HostObject) -> Term | None:
        """Bytes of an element, where a check or dispatch on the way has fixed the type."""
        return None if object_.item_type is None else bytes_of_elements(self._record.path, object_.item_type)

    def _choice_of_places(self, name: str, targets: list[tuple[Term, Address]]) -> None:
        """One of several allocations: its size is chosen with it, its identity only where another argument is the same choice."""
        other = self._choices.setdefault(tuple(targets), name)
        if other != name and not any(a.object is None or a.object.name in self._world.strided for _, a in targets):
            self._add(Alias(other, name, number(0)), f"{other} and {name} are the same pointer")
        result: Term | None = None
        for cond, address in reversed(targets):
            object_ = address.object
            if object_ is None or not _has_size(object_) or object_.size is None or address.fields:
                return
            if object_.name in self._world.strided:
                return
            size = subtract(self._allocated(object_), address.offset)
            result = size if result is None else choice(cond, size, result)
        if result is not None:
            names = " or ".join(dict.fromkeys(plain(a.object.name) for _, a in targets if a.object is not None))
            self._add(Extent(name, result, "bytes"), f"{name} = {names}: {shown(result)} bytes")

    def _alias(self, name: str, object_: HostObject, address: Address) -> None:
        other, first = self._buffers.setdefault(object_.name, (name, address))
        if other != name:
            placed = first.fields == address.fields and object_.name not in self._world.strided
            distance = subtract(address.offset, first.offset) if placed else None
            if distance is not None and any(map(is_unsettled, free_symbols(distance))):
                distance = None
            self._add(Alias(other, name, distance), f"{other} and {name} are both {plain(object_.name)}")

    def _allocated(self, object_: HostObject) -> Term:
        """The size of an allocation that succeeded: no conversion to size_t has wrapped in it."""
        assert object_.size is not None
        size = self._ranges.simplified(without_size_conversions(object_.size))
        low, _ = interval(size)
        if low is None or low < 0:
            self._require(at_most(number(0), size), f"{plain(object_.name)} is allocated")
        return size

    def _relevant_conditions(self) -> None:
        """Conditions that speak, directly or through others, of what the other facts speak of."""
        self._name_large_choices()
        primary = {s for fact in self.found for term in all_terms(fact.what) for s in free_symbols(term)}
        for cond, text in told_conditions(self._conditions, primary, self._decided):
            self._assume(cond, text)

    def _assume(self, cond: Term, text: str) -> None:
        """A condition of the launch, with the place where the project declares it of an operator."""
        where = self._declared.get(cond)
        if cond in self._fitting:
            self.found.append(Fact(Assume(cond), Origin.ORDINARY, f"{text} (ordinary sizes)", self._record.launch.span))
        elif where is None:
            self._add(Assume(cond), text)
        else:
            self.found.append(Fact(Assume(cond), Origin.SCHEMA, text, where))

    def _name_large_choices(self) -> None:
        """Choices too large to be told become unknowns where that leaves a condition on them that can be told.

        `if (rows != cols) exit(1)` relates two sizes of the launch, however long the way is on which each was chosen.
        """
        numbers = known_numbers(self._conditions)
        large = {c for fact in self.found for term in terms_of(fact.what) for c in large_choices(term)}
        large = {c for c in large if is_large(substitute(c, numbers), LARGEST_CHOICE)}
        conds = [c for c, _ in self._conditions if large and is_large(c) and large_choices(c) <= large]
        stated = (Fact(Assume(cond), Origin.LAUNCH, "") for cond in conds)
        named = without_large_choices((*self.found, *stated))
        first, last = len(self.found), len(self.found) + len(conds)
        told = {c: f.what.cond for c, f in zip(conds, named[first:last]) if isinstance(f.what, Assume)}
        told = {
            c: short for c, short in told.items() if short is not TRUE and short is not FALSE and not is_large(short)
        }
        if told:
            self.found = [*named[:first], *named[last:]]
            self._conditions = [(told.get(c, c), shown(told[c]) if c in told else text) for c, text in self._conditions]


def _of_layout(targets: list[tuple[Term, Address]]) -> HostObject | None:
    """The memory whose start the pointer is, where a struct describes it."""
    if len(targets) != 1:
        return None
    address = targets[0][1]
    object_ = address.object
    layout = object_.layout if object_ is not None and not address.fields else None
    at_start = layout is not None and (is_number(address.offset, 0) or address.offset is layout.start)
    return object_ if at_start else None


def _in_bytes(layout: Layout, block: tuple[int, int | Term], object_: HostObject) -> Layout:
    """The layout with strides in bytes; those of a struct are."""
    if object_.kind != "allocation" and not layout.ranked:
        return layout
    width = block[1] if isinstance(block[1], Term) else number(block[1])
    return replace(layout, strides=tuple(multiply(stride, width) for stride in layout.strides))


def _has_size(object_: HostObject) -> bool:
    """Somebody made it on the way, or it came with its size; an element that was lost came with a size that was lost."""
    return object_.kind == "allocation" or (object_.size is not None and not object_.name.startswith(APPROXIMATE))


def _is_number(object_: HostObject | None) -> bool:
    """The array stands for one number that a call passes."""
    return object_ is not None and object_.made_by.partition("(")[0].rpartition(":")[2] in words().numbers


def _parts(cond: Term) -> tuple[Term, ...]:
    return cond.parts[0] if isinstance(cond, All) else (cond,)


def _made(object_: HostObject, size: Term) -> str:
    if object_.made_by.startswith(("tensor", "torch::", "cupy::", "span ")) or "(" in object_.made_by:
        return f"{object_.made_by}, {shown(size)} bytes"
    return f"{object_.made_by}({shown(size)} bytes)"


def _null_condition(value: Value) -> Term:
    """When the pointer is certainly null; unknown pointers are taken as valid."""
    if isinstance(value, Either):
        then, orelse = _null_condition(value.then), _null_condition(value.orelse)
        return choice(value.cond, then, orelse)
    return TRUE if isinstance(value, Address) and value.object is None else FALSE


def _targets(value: Value, cond: Term) -> list[tuple[Term, Address]]:
    """The places that the pointer may be, each under its condition; none if one of them is no address."""
    if isinstance(value, Address):
        return [] if value.object is None else [(cond, value)]
    if isinstance(value, Either):
        then = _targets(value.then, conjunction(cond, value.cond))
        orelse = _targets(value.orelse, conjunction(cond, negation(value.cond)))
        missing = [s for s in (value.then, value.orelse) if not isinstance(s, Address | Either)]
        return [] if missing else then + orelse
    return []
