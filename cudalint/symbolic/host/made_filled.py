"""What tensors and vectors hold when they are made, kept until somebody may have changed them.

    torch::full({n}, 7)   x.new_zeros({n})   torch::arange(a, b)   t.fill_(3)   std::vector<int> v(n, 7)

The buffer of a tensor is made when its pointer is asked for: until then the numbers are kept for its storage. Whatever
gets the tensor and is not known to only read it, and what gives a view of it, ends that; who then reads the pointer has them
as `contents` of memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint import ir
from cudalint.symbolic.host.cells import HELD
from cudalint.symbolic.host.contents import ANYWHERE, INDEX, forget_contents, in_type
from cudalint.symbolic.host.names import class_name, is_constructor, pointee_of
from cudalint.symbolic.host.site import Site, behind
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import Address, HostObject, Record, Tensor, Value, is_tensor_type
from cudalint.symbolic.host_vocabulary import words
from cudalint.symbolic.walk import integers
from cudalint.term import Term, add, multiply, number

VALUE = "__value"  # of a number in a class of its own (c10::Scalar)
_WIDE = frozenset((3, 4, 28, 29))  # at::ScalarType: 32 and 64 bits, which hold any number of elements
_SCALAR_TYPE = ir.INT8  # what an enumerator of at::ScalarType is passed as
_INT_BITS = 32
_OF_WORDED = ".py"  # where a program in another language is worded, what it does to elements is not


def note_made(
    stmt: ir.Call, name: str, args: list[Value], result: Value | None, site: Site, state: State
) -> list[HostObject]:
    """Keep what a call fills, forget what it may write: the buffers whose contents are not known any longer."""
    if class_name(stmt.function) in words().number_classes and is_constructor(stmt.function):
        _keep_number(stmt, args, state)
        return []
    if name in words().holding and len(args) == 3:
        _hold_what_is_said(stmt, args, site, state)
        return []
    carried = _carried(name, stmt, args, state)
    forgotten = _forgotten(stmt, name, args, result, state)
    for object_ in forgotten:
        forget_contents(object_, state)
    gives = stmt.target is not None and is_tensor_type(pointee_of(stmt.target.type))
    made = next(_tensors(stmt.args[0].type, args[0], state), None) if args and name.endswith("_") else result
    if gives and isinstance(made, Tensor) and not made.thin:
        value = _value_of(stmt, name, args, state)
        if value is not None and not stmt.span.path.endswith(_OF_WORDED):
            keep(made, ir.INT64 if _is_wide(stmt, args, state) else ir.VOID, value, site, state)
        elif carried is not None:
            keep(made, *carried, site, state)
    return forgotten


def _hold_what_is_said(stmt: ir.Call, args: list[Value], site: Site, state: State) -> None:
    first, step = (behind(stmt, position, args[position], state) for position in (1, 2))
    tensor = next(_tensors(stmt.args[0].type, args[0], state), None)
    if tensor is not None and isinstance(first, Term) and isinstance(step, Term):
        value = add(integers.as_integer(first), multiply(integers.as_integer(step), INDEX))
        keep(tensor, ir.VOID, value, site, state)


def _carried(name: str, stmt: ir.Call, args: list[Value], state: State) -> tuple[ir.Type, Term] | None:
    """What the result of `x.to(device)` holds: what `x` does, unless another type may have made other numbers of it."""
    if name not in words().converting or not args:
        return None
    for tensor in _tensors(stmt.args[0].type, args[0], state):
        cells = (state.cells[c] for c in state.cells.of_contents() if c[1] == (HELD,) and c[0].name == tensor.storage)
        for type_, value in cells:
            exact = name == "clone" or (isinstance(type_, ir.Int) and type_.bits >= _INT_BITS) or value in ANYWHERE
            return (type_, value) if exact and isinstance(value, Term) else None
    return None


def keep(tensor: Tensor, type_: ir.Type, value: Term, site: Site, state: State) -> None:
    """Elements of the tensor by number. The type is void where nothing tells it, else one as wide as the numbers need."""
    for buffer in site.buffers_of(tensor.storage):
        forget_contents(buffer, state)
    object_ = site.buffers.setdefault(f"{tensor.storage} as made", HostObject(tensor.storage, "allocation"))
    state.cells[object_, (HELD,), number(0)] = type_, value


def move(tensor: Tensor, buffer: HostObject, element: ir.Type, is_new: bool, site: Site, state: State) -> None:
    """Whoever has a pointer to the buffer may write it: from here on its memory is what counts."""
    others = [b for b in site.buffers_of(tensor.storage) if b is not buffer]
    made = site.buffers.get(f"{tensor.storage} as made")
    known = state.cells.get((made, (HELD,), number(0))) if made is not None else None
    if is_new and any(b is not made for b in others):
        forget_contents(buffer, state)  # seen as two kinds of elements
    elif known is not None:
        forget_contents(buffer, state)
        value = in_type(known[1], element)
        if value is not None:
            state.cells[buffer, (HELD,), number(0)] = element, value


def fill_vector(pointer: Value, element: ir.Type | None, value: Value, state: State) -> None:
    """All elements of a vector that has just been made."""
    held = None if element is None else in_type(value, element)
    if isinstance(pointer, Address) and pointer.object is not None and element is not None and held is not None:
        for cell in state.cells.of(pointer.object):
            del state.cells[cell]
        state.cells[pointer.object, (HELD,), number(0)] = element, held


def _keep_number(stmt: ir.Call, args: list[Value], state: State) -> None:
    place = args[0] if len(args) == 2 else None
    if isinstance(place, Address) and place.object is not None:
        value = behind(stmt, 1, args[1], state)
        if isinstance(value, Term):
            state.cells[place.object, (*place.fields, VALUE), place.offset] = ir.INT64, integers.as_integer(value)


def number_at(stmt: ir.Call, position: int, args: list[Value], state: State) -> Term | None:
    """A whole number that is passed as it is, by reference, or in a class of numbers."""
    if not 0 <= position < len(args) or position >= len(stmt.args):
        return None
    type_, value = stmt.args[position].type, behind(stmt, position, args[position], state)
    if isinstance(value, Address) and isinstance(type_, ir.Pointer) and isinstance(type_.element, ir.Struct):
        value, type_ = state.read(value, type_.element), type_.element
    if isinstance(value, Record):
        _, value = value.members.get(((VALUE,), number(0)), (type_, value))
    if isinstance(type_, ir.Bool) or pointee_of(type_) == _SCALAR_TYPE or not isinstance(value, Term):
        return None
    return integers.as_integer(value)


def range_of(stmt: ir.Call, args: list[Value], state: State) -> tuple[Term, Term, Term] | None:
    """First number, the one behind the last, and the step of `arange(n)`, `arange(a, b)`, `arange(a, b, step)`."""
    given: list[Term] = []
    for position in range(min(3, len(args))):
        each = number_at(stmt, position, args, state)
        if each is None:
            break
        given.append(each)
    rest = [pointee_of(arg.type) for arg in stmt.args[len(given) :]]
    if not given or any(
        isinstance(type_, ir.Float) or (isinstance(type_, ir.Int) and type_ != _SCALAR_TYPE) for type_ in rest
    ):
        return None
    low, high = (number(0), given[0]) if len(given) == 1 else (given[0], given[1])
    return low, high, given[2] if len(given) == 3 else number(1)


def _value_of(stmt: ir.Call, name: str, args: list[Value], state: State) -> Term | None:
    """What every element of the result is, by its number."""
    if name in words().ranges:
        ends = range_of(stmt, args, state)
        return None if ends is None else add(ends[0], multiply(ends[2], INDEX))
    if name in words().fillings:
        return number(words().fillings[name])
    if name in words().filled_with:
        return number_at(stmt, words().filled_with[name], args, state)
    return None


def _is_wide(stmt: ir.Call, args: list[Value], state: State) -> bool:
    """The call names a type that holds any number of elements."""
    last = behind(stmt, len(args) - 1, args[-1], state) if args else None
    type_ = pointee_of(stmt.args[-1].type) if stmt.args else ir.VOID
    return type_ == _SCALAR_TYPE and isinstance(last, Term) and any(last is number(each) for each in _WIDE)


def _forgotten(stmt: ir.Call, name: str, args: list[Value], result: Value | None, state: State) -> list[HostObject]:
    """The buffers of tensors that the call may write, or gives another name for."""
    known = {c[0].name: c[0] for c in state.cells.of_contents()}
    if not known or _only_reads(stmt, name, result):
        return []
    storages = dict.fromkeys(t.storage for p, arg in enumerate(args) for t in _tensors(stmt.args[p].type, arg, state))
    return [known[storage] for storage in storages if storage in known]


def _only_reads(stmt: ir.Call, name: str, result: Value | None) -> bool:
    vocabulary = words()
    if is_constructor(stmt.function) and class_name(stmt.function) in vocabulary.tensor_classes:
        return True  # another name for the same memory, which is known by its storage
    if name.endswith("_") or name == "operator=":
        return name == "operator="
    copying = (
        vocabulary.dense_copies
        | vocabulary.copying
        | frozenset(vocabulary.fillings)
        | frozenset(vocabulary.filled_with)
    )
    asking = vocabulary.asking | vocabulary.data_methods | vocabulary.accessors | vocabulary.type_methods
    if name in copying | asking | vocabulary.standard_pure | vocabulary.pure | vocabulary.identity:
        return True
    method = class_name(stmt.function) in vocabulary.tensor_classes and 0 in stmt.constant and len(stmt.args) == 1
    told = stmt.target.type if stmt.target is not None else ir.VOID
    return method and not isinstance(result, Tensor) and not isinstance(told, ir.Pointer) and not is_tensor_type(told)


def _tensors(type_: ir.Type, value: Value, state: State) -> Iterator[Tensor]:
    """The tensors that an argument is, points to or holds; what gets a vector and may write it is another's matter."""
    seen: set[HostObject] = set()
    pending: list[tuple[ir.Type, Value]] = [(pointee_of(type_), value)]
    while pending:
        of, each = pending.pop()
        if isinstance(each, Tensor) and is_tensor_type(of):
            yield each
            pending += [(of, one) for one in (each.either or ())[1:]]
        elif isinstance(each, Record):
            pending += each.members.values()
        elif isinstance(each, Address) and each.object is not None and each.object not in seen:
            seen.add(each.object)
            pending += [state.cells[cell] for cell in state.cells.of(each.object)]
