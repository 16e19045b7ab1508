"""What functions and methods of CuPy, NumPy and PyCUDA make, worded in C++ with the arrays of the vocabulary.

y = cp.empty((n, m), dtype=cp.float32)     cupy::ndarray y = cupy::empty(n, m);
                                           if (y.scalar_type() != cupy::dtype::float32) { cupy::abort(); }
"""

from __future__ import annotations

from dataclasses import replace

from cudalint.frontend.python_host_numbers import as_number, as_type, constant_type, extreme, product, rounded_up
from cudalint.frontend.python_host_values import (
    C_TYPES,
    INTEGERS,
    ITEMS,
    Array,
    Items,
    Lost,
    Nothing,
    Number,
    Pointer,
    Real,
    Shape,
    Truth,
    Type,
    Value,
    number,
)
from cudalint.frontend.python_host_writer import Writer
from cudalint.frontend.python_values import Arguments

ANY = Type("")  # nothing is known of the type
FLOAT, INTEGER = Type("cupy::dtype::float64", "float64"), Type("cupy::dtype::int64", "int64")
SINGLE = Type("cupy::dtype::float32", "float32")  # what torch makes unless it is asked for another type
ROOTS = frozenset(("cupy", "numpy", "pycuda", "math", "cupyx", "torch"))
_MAKERS = {"empty": "empty", "zeros": "zeros", "ones": "ones", "full": "full", "zeros_pinned": "zeros",
           "empty_pinned": "empty",
           "pagelocked_empty": "empty", "pagelocked_zeros": "zeros"}  # fmt: skip
_LIKE = {"empty_like": "empty_like", "zeros_like": "zeros_like", "ones_like": "ones_like", "full_like": "full_like"}
_COPIES = frozenset(
    ("array", "copy", "asfortranarray", "to_gpu", "to_gpu_async", "get", "asnumpy", "to_host", "fromarray")
)
_SAME = frozenset(("asarray", "ascontiguousarray", "asanyarray", "ravel", "squeeze", "atleast_1d", "require"))
_RANDOM = frozenset(
    ("rand", "randn", "random", "random_sample", "ranf", "sample", "uniform", "normal", "standard_normal")
)
_SPREAD = frozenset(("rand", "randn"))  # take their sizes one by one
_SHAPED = frozenset(
    ("abs", "absolute", "exp", "log", "sqrt", "square", "sin", "cos", "tanh", "negative", "floor", "round")
)
_ALLOCATIONS = frozenset(("mem_alloc", "alloc", "alloc_pinned_memory", "malloc_managed", "Memory", "managed_alloc"))
_CONVERSIONS = {"float": "float32", "half": "float16", "double": "float64", "int": "int32", "long": "int64"}  # torch's
_UP, _DOWN = frozenset(("ceil",)), frozenset(("floor", "trunc", "int"))
_HANDLERS = frozenset(("In", "Out", "InOut"))


def library_call(writer: Writer, name: str, arguments: Arguments, written: Lost, hint: str) -> Value | None:
    """What a function of an array library gives; None for one that is not known. `name` is its full one."""
    last = name.rpartition(".")[2]
    host = name.startswith("numpy") or last in ("get", "asnumpy")
    first = arguments.get("", 0)
    if last in ITEMS and name.split(".")[0] in ROOTS:
        return _scalar(last, first, written)
    if last == "dtype" and first is not None:
        return as_type(first)
    if last in ("minimum", "maximum", "max", "min") and len(arguments.positional) == 2:
        return extreme(last[:3], list(arguments.positional))
    if last == "prod" and isinstance(first, Shape) and len(arguments.positional) == 1:
        return size_of(first.array)
    if last in _UP | _DOWN | {"prod", "log2", "sqrt"} and isinstance(first, Real | Number | Items):
        return _of_numbers(last, first)
    if last in _ALLOCATIONS and isinstance(size := as_number(first), Number):
        pointer = writer.declare(Pointer(""), hint, f"cupy::mem_alloc({size.text})")
        return pointer
    if last == "to_device" and isinstance(first, Array):
        return writer.declare(Pointer(""), hint, f"cupy::mem_alloc({bytes_of(first).text})")
    if last in _HANDLERS and isinstance(first, Array):
        return copied(writer, first, type_of(first), hint)
    if last in _LIKE and isinstance(first, Array):
        type_ = _asked(arguments, 2 if last == "full_like" else 1, type_of(first))
        return replace(copied(writer, first, type_, hint, _LIKE[last]), host=host)
    if last in _COPIES | _SAME and isinstance(first, Array):
        return _converted(writer, last, first, arguments, host, hint)
    if last in _COPIES | _SAME and isinstance(first, Items):
        return _listed(writer, first, arguments, host, hint)
    if last in _SHAPED and isinstance(first, Array) and len(arguments.positional) == 1:
        return copied(writer, first, ANY, hint)
    made = _made(writer, name, last, arguments, hint)
    return None if made is None else replace(made, host=host)


def _made(writer: Writer, name: str, last: str, arguments: Arguments, hint: str) -> Array | None:
    first = arguments.get("", 0)
    if name.startswith("torch."):
        return _made_by_torch(writer, last, arguments, hint)
    if last in _MAKERS:
        shape = arguments.named.get("shape", first)
        full = last == "full"
        default = _type_of_number(arguments.get("fill_value", 1)) if full else FLOAT
        return created(writer, _MAKERS[last], shape, _asked(arguments, 2 if full else 1, default), hint)
    if last == "arange":
        return _ranged(writer, arguments, hint)
    if last == "linspace":
        return created(writer, "empty", arguments.get("num", 2) or number(50), _asked(arguments, None, FLOAT), hint)
    if last in ("eye", "identity") and isinstance(first, Number):
        second = arguments.get("M", 1) if last == "eye" else None
        sides = Items((first, second if isinstance(second, Number) else first))
        return created(writer, "zeros", sides, _asked(arguments, None, FLOAT), hint)
    if ".random" not in name:
        return None
    if last == "randint":
        size = arguments.get("size", 2)
        return created(writer, "empty", size, _asked(arguments, 3, INTEGER), hint)
    if last in _SPREAD:
        return created(writer, last, Items(arguments.positional), _asked(arguments, None, FLOAT), hint)
    if last in _RANDOM or "size" in arguments.named:
        spots = {
            "random": 0,
            "random_sample": 0,
            "ranf": 0,
            "sample": 0,
            "standard_normal": 0,
            "uniform": 2,
            "normal": 2,
        }
        size = arguments.get("size", spots.get(last))
        return created(writer, "empty", size, _asked(arguments, None, FLOAT if last in _RANDOM else ANY), hint)
    return None


def _made_by_torch(writer: Writer, last: str, arguments: Arguments, hint: str) -> Array | None:
    """Sizes one by one or in a list, and 32-bit floats."""
    first = arguments.get("size", 0)
    if last == "arange":
        return _ranged(writer, arguments, hint)
    if last not in ("empty", "zeros", "ones", "rand", "randn", "full"):
        return None
    listed = isinstance(first, Items | Shape)
    shape = first if listed or last == "full" else Items(arguments.positional)
    default = ANY if last == "full" else SINGLE
    return created(writer, last, shape, _asked(arguments, None, default), hint)


def array_method(writer: Writer, array: Array, name: str, arguments: Arguments, hint: str) -> Value | None:
    """What a method of an array gives."""
    first = arguments.get("", 0)
    if name in _CONVERSIONS:
        return copied(writer, array, constant_type(_CONVERSIONS[name]) or ANY, hint)
    if name in ("new_empty", "new_zeros", "new_ones"):
        shape = first if isinstance(first, Items | Shape) else Items(arguments.positional)
        return created(writer, name.removeprefix("new_"), shape, _asked(arguments, None, type_of(array)), hint)
    match name:
        case "data_ptr":
            return None if (text := address(array)) is None else Pointer(text)
        case "contiguous" | "cuda" | "detach" | "cpu":
            return array
        case "clone":
            return copied(writer, array, type_of(array), hint)
        case "astype":
            return copied(writer, array, _asked(arguments, 0, ANY), hint)
        case "take" if isinstance(first, Array) and len(arguments.positional) == 1 and not arguments.named:
            return copied(writer, first, type_of(array), hint)  # an element for each index
        case "copy" | "get" | "flatten":
            made = copied(writer, array, type_of(array), hint)
            made = replace(made, host=name == "get")
            return replace(made, dims=(size_of(array),), flat=True) if name == "flatten" else made
        case "ravel":
            return replace(array, dims=(size_of(array),), flat=True)
        case "reshape" | "view" if first is not None and as_type(first) is None:
            parts = first.parts if isinstance(first, Items) else arguments.positional
            return replace(array, dims=_reshaped(array, parts), flat=True)
        case "transpose" if not arguments.positional:
            return transposed(array)
        case "squeeze":
            return replace(array, dims=None, flat=True)
        case "fill" | "set" | "setflags" | "sort":
            return array
        case "set_async":
            return array
        case _:
            return None


def array_attribute(writer: Writer, array: Array, name: str) -> Value | None:
    """`x.size`, `x.shape`, `x.dtype`, `x.T`, `x.data.ptr`"""
    match name:
        case "size":
            return size_of(array)
        case "shape" if array.dims is not None:
            return Items(array.dims)
        case "shape" if not array.flat:
            return Shape(array)
        case "ndim" if array.dims is not None:
            return number(len(array.dims))
        case "ndim" if not array.flat:
            return Number(f"{array.text}.dim()", None, True)
        case "dtype":
            return type_of(array)
        case "itemsize":
            return item_bytes(array)
        case "nbytes":
            return bytes_of(array)
        case "mem_size":
            return size_of(array)
        case "T":
            return transposed(array)
        case "data" | "gpudata" | "ptr" | "device_ctypes_pointer":
            return None if (text := address(array)) is None else Pointer(text)
        case _:
            return None


def torch_size(writer: Writer, array: Array, name: str, place: Value | None) -> Value | None:
    """`x.size(0)`, `x.size()`, `x.numel()`, `x.dim()`"""
    if name in ("numel", "nelement"):
        return size_of(array)
    shape = array_attribute(writer, array, "shape")
    if name == "dim" or place is None:
        return array_attribute(writer, array, "ndim") if name == "dim" else shape
    if not isinstance(place, Number) or place.value is None:
        return None
    if isinstance(shape, Items):
        return shape.parts[place.value] if -len(shape.parts) <= place.value < len(shape.parts) else None
    return Number(f"{array.text}.size({place.value})", None, True) if isinstance(shape, Shape) else None


def size_of(array: Array) -> Number:
    """The number of its elements."""
    return product(array.dims) if array.dims is not None else Number(f"{array.text}.numel()", None, True)


def type_of(array: Array) -> Type:
    """The type of its elements."""
    return Type(f"cupy::dtype::{array.item}", array.item) if array.item else Type(f"{array.text}.scalar_type()")


def item_bytes(array: Array) -> Number:
    """Bytes of an element."""
    return number(ITEMS[array.item][1]) if array.item else Number(f"{array.text}.element_size()", None, True)


def bytes_of(array: Array) -> Number:
    """Bytes of all of them."""
    return product((size_of(array), item_bytes(array)))


def address(array: Array) -> str | None:
    """The C++ of where the first element lies; None inside an array of elements of unknown width."""
    if array.start is None:
        return f"{array.text}.data_ptr()"
    if not array.item:
        return None
    return f"(void *)((char *){array.text}.data_ptr() + {array.start.text} * {ITEMS[array.item][1]})"


def transposed(array: Array) -> Array:
    """The same memory with its sizes the other way round."""
    dims = None if array.dims is None else array.dims[::-1]
    return replace(array, dims=dims, flat=array.flat or dims is None or len(dims) > 1)


def first_size(array: Array) -> Number | None:
    """`len(x)`"""
    if array.dims is not None:
        return array.dims[0] if array.dims else None
    return None if array.flat else Number(f"{array.text}.size(0)", None, True)


# --- arrays that are made --------------------------------------------------------------------------------------------------


def created(writer: Writer, maker: str, shape: Value | None, type_: Type, hint: str) -> Array | None:
    """A new array of these sizes."""
    if shape is None:
        return None
    if isinstance(shape, Shape):
        return copied(writer, shape.array, type_, hint)
    given = shape.parts if isinstance(shape, Items) else (shape,)
    parts = [part for part in map(as_number, given) if isinstance(part, Number)]
    if len(parts) < len(given):
        return None
    sizes = tuple(replace(part, natural=True, item="") for part in parts)
    return declared(writer, f"cupy::{maker}({', '.join(part.text for part in sizes) or '1'})", type_, sizes, hint)


def copied(writer: Writer, array: Array, type_: Type, hint: str, maker: str = "empty_like") -> Array:
    """A new array of the same sizes."""
    if array.dims is not None:
        made = created(writer, maker.removesuffix("_like"), Items(array.dims), type_, hint)
        assert made is not None
        return made
    if array.start is not None:
        return declared(writer, writer.lost(Lost(f"a copy of a part of {array.text}"), Array), type_, None, hint)
    return declared(writer, f"cupy::{maker}({array.text})", type_, None, hint, array.flat)


def declared(
    writer: Writer, text: str, type_: Type, dims: tuple[Number, ...] | None, hint: str, flat: bool = False
) -> Array:
    """A variable for an array, and the type of its elements."""
    made = writer.declare(Array(""), hint, text)
    assert isinstance(made, Array)
    if type_.text:
        writer.emit(f"if ({made.text}.scalar_type() != {type_.text}) {{ cupy::abort(); }}")
    return Array(made.text, type_.item, dims, None, flat)


def _converted(writer: Writer, last: str, array: Array, arguments: Arguments, host: bool, hint: str) -> Array | None:
    type_ = _asked(arguments, 1 if last != "ravel" else None, type_of(array))
    if last in ("ravel", "squeeze"):
        return replace(array, dims=(size_of(array),) if last == "ravel" else None, flat=True)
    same = last in _SAME and type_ == type_of(array) and array.host == host
    return array if same else replace(copied(writer, array, type_, hint), host=host)


def _listed(writer: Writer, items: Items, arguments: Arguments, host: bool, hint: str) -> Array | None:
    """`cp.array([1, 2, 3])`"""
    sizes, inner = [number(len(items.parts))], items
    while inner.parts and all(isinstance(part, Items) for part in inner.parts):
        lengths = {len(part.parts) for part in inner.parts if isinstance(part, Items)}
        first = inner.parts[0]
        if len(lengths) != 1 or not isinstance(first, Items):
            return None
        sizes.append(number(len(first.parts)))
        inner = first
    kinds = {_type_of_number(part).item for part in inner.parts}
    if not kinds or any(isinstance(part, Lost | Items | Array) for part in inner.parts):
        return None
    default = INTEGER if kinds == {"int64"} else FLOAT if kinds <= {"int64", "float64"} else ANY
    made = created(writer, "empty", Items(tuple(sizes)), _asked(arguments, 1, default), hint)
    return None if made is None else replace(made, host=host)


def _ranged(writer: Writer, arguments: Arguments, hint: str) -> Array | None:
    """`arange(n)`, `arange(a, b)`: as many elements as there are integers from the one to the other."""
    ends = [as_number(value) for value in arguments.positional[:3]]
    numbers = [end for end in ends if isinstance(end, Number)]
    if not numbers or len(numbers) < len(ends):
        return None
    default = INTEGER if all(not each.item for each in numbers) else ANY
    low, high = (number(0), numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])
    step = numbers[2] if len(numbers) == 3 else number(1)
    if step.value is None or step.value < 1:
        return None
    count = high if low.value == 0 else Number(f"({high.text} - {low.text})")
    if low.value is not None and high.value is not None:
        count = number(max(0, high.value - low.value))
    steps = rounded_up(count, step) if step.value > 1 else count
    size = steps if steps is None or steps.natural else extreme("max", [steps, number(0)])
    return created(writer, "empty", size, _asked(arguments, 3, default), hint)


def _reshaped(array: Array, parts: tuple[Value, ...]) -> tuple[Number, ...] | None:
    numbers = [part for part in map(as_number, parts) if isinstance(part, Number)]
    if len(numbers) < len(parts):
        return None
    open_ = [place for place, part in enumerate(numbers) if part.value == -1]
    if len(open_) > 1:
        return None
    if open_:
        others = product(tuple(part for place, part in enumerate(numbers) if place not in open_))
        count = size_of(array)
        rest = count if others.value == 1 else Number(f"cupy::floor_div({count.text}, {others.text})", None, True)
        numbers[open_[0]] = rest
    return tuple(replace(part, natural=True) for part in numbers)


def _asked(arguments: Arguments, place: int | None, default: Type) -> Type:
    """The type that a call asks for."""
    given = arguments.get("dtype", place)
    if given is None or isinstance(given, Nothing):
        return default
    return as_type(given) or ANY


def _type_of_number(value: Value | None) -> Type:
    """The type that NumPy gives a plain number."""
    match value:
        case Number():
            return constant_type(value.item or "int64") or ANY
        case Truth():
            return constant_type("bool") or ANY
        case Real():
            return FLOAT
        case _:
            return ANY


# --- numbers ---------------------------------------------------------------------------------------------------------------


def _scalar(name: str, value: Value | None, written: Lost) -> Value | None:
    """`np.int32(n)`; of `np.float32(a)` only its type."""
    item = ITEMS[name][0]
    value = None if value is None else as_number(value)
    if item not in INTEGERS:
        return Real(item=item) if item.startswith("float") else Real() if item.startswith("complex") else None
    if isinstance(value, Number):
        if value.value is not None and _fits(value.value, item):
            return Number(value.text, value.value, value.natural, item)
        return Number(f"(({C_TYPES[item]})({value.text}))", None, value.natural and value.item == item, item)
    return Lost(written.written, written.at, Number)


def _fits(value: int, item: str) -> bool:
    bits = ITEMS[item][1] * 8
    return 0 <= value < 1 << bits if item.startswith("u") else -(1 << bits - 1) <= value < 1 << bits - 1


def _of_numbers(last: str, value: Real | Number | Items) -> Value | None:
    """`math.ceil(n / 256)`, `int(n / 256)`, `np.prod(shape)`"""
    if isinstance(value, Items):
        parts = [part for part in value.parts if isinstance(part, Number)]
        return product(tuple(parts)) if last == "prod" and len(parts) == len(value.parts) else None
    if isinstance(value, Number):
        return value if last in _UP | _DOWN else Real()
    if value.above is None or value.below is None:
        return Real() if last in ("sqrt", "log2") else None
    if last in _UP:
        return rounded_up(value.above, value.below)
    if last in ("floor", "trunc", "int") and (value.above.natural or last == "floor"):
        if value.below.value is not None and value.below.value <= 0:
            return None
        return Number(f"cupy::floor_div({value.above.text}, {value.below.text})", None, value.above.natural)
    return None
