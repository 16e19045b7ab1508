"""What host calls mean, as data: allocations, container methods, calls without effect, calls that end the program.

One TOML file for each library lies in `vocabularies/`; a project adds its own words under `[vocabulary]` of its
configuration, with the same keys. Names are matched without template arguments and namespaces.

    [vocabulary]
    checks = ["MY_CHECK"]                                    MY_CHECK(cond, ...): from here on cond holds
    tensor_classes = ["Array"]                               has size(i), numel(), data_ptr<T>()
    [vocabulary.allocators]
    my_malloc = { sizes = [1], out = 0, owner = "device" }      my_malloc(&p, bytes)
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

FOLDER = Path(__file__).parent / "vocabularies"
_CEIL_QUOTIENT = re.compile(  # every project has one, under one of these names
    r"(?:i|u|ui|int|uint|thc|cuda)?"
    r"(?:ceildiv(?:ide|ision)?|div(?:ide)?(?:round|rounding|androundup|int)?up|divceil|cdiv|updiv|roundupdiv|roundingupdiv)"
)
_MULTIPLE = re.compile(
    r"(?:i|int)?(?:round|align|pad)up(?:to)?(?:multiple)?(?:of)?|(?:next|ceilto)multiple(?:of)?|roundto(?:next)?multiple"
)


Owner = Literal["", "device", "host", "pinned", "managed"]


class VocabularyError(Exception):
    """A table that is no vocabulary: one line that names the key."""


@dataclass(frozen=True, slots=True)
class Allocator:
    """`out` is the argument that receives the pointer (None: the result does); the size is the product of `sizes`.

    `owner` says whose memory it is: of the device, the host, pinned for both, managed for both, or nobody knows.
    """

    sizes: tuple[int, ...]
    out: int | None = None
    owner: Owner = ""


@dataclass(frozen=True, slots=True)
class Copy:
    """A call that writes `bytes` bytes behind argument `to` and reads as many behind `of`; `at` is an offset into a symbol."""

    to: int
    bytes: int
    of: int | None = None
    at: int | None = None


@dataclass(frozen=True, slots=True)
class ViewStruct:
    """The members of a struct that describes memory: the pointer, elements and strides in bytes by dimension, and the type.

    Dimensions are innermost first.
    """

    data: str
    sizes: str
    strides: str
    type: str


@dataclass(frozen=True, slots=True)
class RankedView:
    """The same for a struct with as many dimensions as its `rank` says, outermost first.

    `strides` count elements, `bits` is the width of an element, inside the member before the dot; the first element lies
    `start` bytes behind the pointer.
    """

    data: str
    rank: str
    sizes: str
    strides: str
    bits: str
    start: str


@dataclass(frozen=True, slots=True)
class HeldMemory:
    """`memory` names what a method gives a pointer to; the member `count` of its object counts the elements there."""

    memory: str
    count: str


@dataclass(frozen=True, slots=True)
class OwnedMemory:
    """The members of an object that owns memory: the pointer and the bytes there; of pitched memory, those of one row."""

    memory: str
    width: str
    rows: str = ""
    step: str = ""


@dataclass(frozen=True, slots=True)
class ColumnMaker:
    """A factory of columns whose elements have one width: the arguments that count them and, 0 for none, ask for a bitmask.

    `arguments` is how many a call of it has at least; the column has the count in `count_member` as well.
    """

    size: int
    arguments: int
    count_member: str
    bits: int | None = None


Names = frozenset[str]
_NONE: Names = frozenset()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All libraries together. Sets are names of functions, methods or classes; `..._prefixes` beginnings of names."""

    allocators: Mapping[str, Allocator] = field(default_factory=dict)
    pitched_allocators: Names = _NONE
    plane_allocators: Names = _NONE
    mapped_allocators: Names = _NONE  # store a pointer through [0] and its size in bytes through [1]
    kernel_lookups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # store at [0] the kernel named by [1]
    frees: Names = _NONE  # give back the memory that their first argument points to
    copies: Mapping[str, Copy] = field(default_factory=dict)  # and fills
    second_names: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # stores at [0] a second pointer to [1]
    queries: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # writes integers in this range
    device_attributes: Mapping[str, str] = field(default_factory=dict)  # device properties, by what a query names them
    device_properties: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    copied_properties: Mapping[str, int] = field(default_factory=dict)  # fields by these names, of whatever class
    property_classes: Names = _NONE
    no_return: Names = _NONE
    registries: Names = (
        _NONE  # what functions are passed to so that others may call them by name: those callers are told
    )
    checks: Names = _NONE  # the first argument holds behind the call
    success_prefixes: Names = _NONE  # return a status, which is taken as success
    refusable: Names = _NONE  # of these calls: what a program asks for, and goes on another way where it is refused
    inputs: Names = _NONE  # results, and the memory that they write, come from outside
    input_prefixes: Names = _NONE
    record_readers: Names = _NONE  # of the inputs: fill the memory that they write with entries of one record
    parsers: Names = _NONE  # give the number that their one argument, a text, says
    pure: Names = _NONE  # write no memory that a launch depends on
    standard_pure: Names = _NONE  # take references, and change nothing behind them
    writes_first: Names = _NONE  # write through their first argument only
    writes_bytes: Names = _NONE  # write the bytes behind their first argument, and nothing that these lead to
    writes_no_host_variable: Names = _NONE  # of the runtime, without its `cuda` or `hip`
    identity: Names = _NONE  # return their argument
    common_divisors: Names = _NONE  # of two integers the greatest one
    ceil_quotients: Names = _NONE  # of two integers, rounded up; functions whose bodies are elsewhere
    floor_quotients: Names = _NONE  # of two integers, rounded down, and what is left then
    floor_remainders: Names = _NONE
    multiples: Names = _NONE  # of the second integer the first one that is not below the first
    tensor_classes: Names = _NONE
    vector_classes: Names = _NONE
    initialised_classes: Names = _NONE  # of these, containers whose elements all have one value when they are made
    byte_classes: Names = _NONE  # containers that count bytes
    scalar_classes: Names = _NONE  # containers of one element
    keeping: Names = _NONE  # methods of containers that may write elements, and leave their number and place
    capacity_methods: Names = _NONE  # of containers: leave their elements as they are
    list_methods: Names = _NONE  # of containers: give a place in them, or put one more element behind the last
    optionals: Names = _NONE
    pointer_classes: Names = _NONE  # own or wrap one pointer
    size_methods: Names = _NONE
    count_methods: Names = _NONE
    empty_methods: Names = _NONE  # of containers: say whether there are no elements
    data_methods: Names = _NONE
    accessors: Names = _NONE  # give pointer, sizes and strides of a tensor of the rank of their type
    checked_data_methods: Names = _NONE  # those that fail where the element type is another
    stride_methods: Names = _NONE
    density_methods: Names = _NONE  # say whether the strides of a tensor are those of its sizes
    rank_methods: Names = _NONE
    device_methods: Names = _NONE  # of a tensor: the device that it is on
    shape_comparisons: Names = _NONE
    type_methods: Names = _NONE
    same_tensor: Names = _NONE  # give the tensor itself where it is dense
    dense_copies: Names = _NONE  # give a dense tensor of the same sizes for a view whose elements lie in each other
    same_shape: Names = _NONE  # give a tensor of the shape of their first argument, with storage of its own
    matrix_products: Names = _NONE  # of two matrices
    products: Names = _NONE  # of two matrices, if that is what they are
    swaps: Names = _NONE  # give the tensor with two dimensions exchanged, the first two where none are named
    sums: Names = _NONE  # along the dimension that is their only further argument, which is then left out
    joins: Names = _NONE  # lay the tensors of a list behind each other, along a dimension
    stackings: Names = _NONE  # lay the tensors of a list along a dimension of their own
    chunks: Names = _NONE  # take a tensor apart into so many parts of a dimension
    splits: Names = _NONE  # take a tensor apart into parts of so many elements of a dimension
    row_choices: Names = _NONE  # of a dimension take the elements that a tensor of places names
    repetitions: Names = _NONE  # take each element of a dimension so many times
    computing: Names = _NONE  # take every element of the tensors that they are given, and give new ones
    creations: Names = _NONE
    ranges: Names = _NONE  # make a tensor of the whole numbers from one to another
    fillings: Mapping[str, int] = field(default_factory=dict)  # give a tensor all of whose elements are this number
    filled_with: Mapping[str, int] = field(default_factory=dict)  # the same, of the number that is their argument here
    numbers: Names = _NONE  # make an array of the one number that a call passes for all elements
    holding: Names = _NONE  # say what the elements of their first argument are: the first one, and the step to the next
    converting: Names = _NONE  # give their object, or a copy of it in another place or type
    kept_types: Names = _NONE  # give elements of the type of their first argument, where no options name another
    copying: Names = _NONE  # give memory of its own whatever their object is, and change nothing
    number_classes: Names = _NONE  # hold one number of any type
    size_lists: Names = _NONE
    views: Names = _NONE
    rearranging: Names = _NONE  # give a tensor of other sizes with as many elements
    selections: Names = _NONE  # leave out a dimension, the first one where only a place in it is given
    narrowings: Names = _NONE  # of a dimension keep some: dimension, first one, how many
    slices: Names = _NONE  # the same: dimension, first one, the one behind the last
    insertions: Names = _NONE  # add a dimension of one
    flattenings: Names = _NONE  # make one dimension of all, or of those from one to another
    permutations: Names = _NONE  # of all dimensions
    expansions: Names = _NONE  # repeat dimensions of one
    thin_views: Names = _NONE  # give a tensor that may have more elements than memory
    item_bytes: Mapping[str, int] = field(default_factory=dict)  # of an element, by the value of its type
    device_views: Names = _NONE  # give an owner of a struct with the members of their first argument
    column_makers: Mapping[str, ColumnMaker] = field(default_factory=dict)
    column_views: Names = _NONE  # by class and method: give a struct with the memory of a column
    column_members: Mapping[str, str] = field(default_factory=dict)  # of that struct
    bases: Names = _NONE  # give a copy of their object as one of its base class
    view_structs: Mapping[str, ViewStruct] = field(default_factory=dict)
    ranked_views: Mapping[str, RankedView] = field(default_factory=dict)
    view_counts: Mapping[str, int] = field(default_factory=dict)  # of elements, from this dimension on
    view_bytes: Names = _NONE  # count the bytes from the first element of a view to behind its last one
    held_memory: Mapping[str, HeldMemory] = field(default_factory=dict)  # by class and method
    owned_memory: Mapping[str, OwnedMemory] = field(default_factory=dict)  # by class
    remaking: Mapping[str, Mapping[str, int]] = field(
        default_factory=dict
    )  # by method: members that are an argument then
    block_bytes: Mapping[str, tuple[int, ...]] = field(
        default_factory=dict
    )  # elements of a block, and its bytes, by type

    def is_ceil_quotient(self, name: str) -> bool:
        return name in self.ceil_quotients or _CEIL_QUOTIENT.fullmatch(_spelled(name)) is not None

    def is_multiple(self, name: str) -> bool:
        return name in self.multiples or _MULTIPLE.fullmatch(_spelled(name)) is not None

    @property
    def indexing(self) -> frozenset[str]:
        """Methods that give a view of which the sizes follow from those of the tensor."""
        kinds = (self.selections, self.narrowings, self.slices, self.insertions, self.flattenings, self.permutations)
        return frozenset().union(*kinds, self.expansions)

    @property
    def asking(self) -> frozenset[str]:
        """Calls that tell of a tensor or check something, and change nothing."""
        return (
            self.checks
            | self.size_methods
            | self.count_methods
            | self.empty_methods
            | self.stride_methods
            | self.rank_methods
        )


def _spelled(name: str) -> str:
    return name.replace("_", "").lower()


@functools.cache
def shipped() -> Vocabulary:
    """The libraries that cudalint knows."""
    found = Vocabulary()
    for path in sorted(FOLDER.glob("*.toml")):
        found = extended(found, tomllib.loads(path.read_text(encoding="utf-8")))
    return found


def extended(base: Vocabulary, tables: Mapping[str, Any]) -> Vocabulary:
    """The vocabulary with further words; raises VocabularyError for what is no key or has the wrong form."""
    known = {each.name for each in fields(Vocabulary)}
    changes: dict[str, Any] = {}
    for key, value in tables.items():
        if key not in known:
            raise VocabularyError(f"unknown key `{key}` of the vocabulary")
        old = getattr(base, key)
        if isinstance(old, frozenset):
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise VocabularyError(f"`{key}` of the vocabulary is a list of names")
            changes[key] = old | frozenset(value)
        else:
            if not isinstance(value, dict):
                raise VocabularyError(f"`{key}` of the vocabulary is a table")
            changes[key] = {**old, **{name: _entry(key, name, item) for name, item in value.items()}}
    return replace(base, **changes)


def _entry(key: str, name: str, item: Any) -> Any:
    if key == "allocators":
        allowed = isinstance(item, dict) and set(item) <= {"sizes", "out", "owner"} and "sizes" in item
        allowed = allowed and item.get("owner", "") in get_args(Owner) and isinstance(item.get("out", 0), int)
        if not allowed or not isinstance(item["sizes"], list) or not all(isinstance(n, int) for n in item["sizes"]):
            raise VocabularyError(
                f'`{name}` of the vocabulary\'s allocators is {{ sizes = [1], out = 0, owner = "device" }}, '
                "where the owner is device, host, pinned or managed"
            )
        return Allocator(tuple(item["sizes"]), item.get("out"), item.get("owner", ""))
    if key in ("item_bytes", "view_counts", "copied_properties", "fillings", "filled_with"):
        if not isinstance(item, int):
            raise VocabularyError(f"`{name}` of the vocabulary's {key} is an integer")
        return int(item)
    if key == "view_structs":
        if not _holds(item, str) or set(item) != {each.name for each in fields(ViewStruct)}:
            raise VocabularyError(f"`{name}` of the vocabulary's view_structs names data, sizes, strides and type")
        return ViewStruct(**item)
    if key == "ranked_views":
        if not _holds(item, str) or set(item) != {each.name for each in fields(RankedView)}:
            raise VocabularyError(
                f"`{name}` of the vocabulary's ranked_views names data, rank, sizes, strides, bits and start"
            )
        return RankedView(**item)
    if key == "held_memory":
        if not _holds(item, str) or set(item) != {"memory", "count"}:
            raise VocabularyError(f'`{name}` of the vocabulary\'s held_memory is {{ memory = "data", count = "n_" }}')
        return HeldMemory(**item)
    if key == "column_makers":
        if not _holds(item, int, str) or set(item) | {"bits"} != {each.name for each in fields(ColumnMaker)}:
            raise VocabularyError(
                f'`{name}` of the vocabulary\'s column_makers is {{ size = 1, arguments = 2, count_member = "size_" }}'
            )
        return ColumnMaker(**item)
    if key in ("column_members", "device_attributes"):
        if not isinstance(item, str):
            raise VocabularyError(f"`{name}` of the vocabulary's {key} is the name of a member")
        return item
    if key == "owned_memory":
        if not _holds(item, str) or not {"memory", "width"} <= set(item) <= {each.name for each in fields(OwnedMemory)}:
            raise VocabularyError(
                f'`{name}` of the vocabulary\'s owned_memory is {{ memory = "data_", width = "bytes_" }}'
            )
        return OwnedMemory(**item)
    if key == "remaking":
        if not _holds(item, int):
            raise VocabularyError(f"`{name}` of the vocabulary's remaking is {{ bytes_ = 1 }}")
        return item
    if key == "copies":
        if not _holds(item, int) or not {"to", "bytes"} <= set(item) <= {"to", "bytes", "of", "at"}:
            raise VocabularyError(f"`{name}` of the vocabulary's copies is {{ to = 0, of = 1, bytes = 2 }}")
        return Copy(**item)
    if not isinstance(item, list) or len(item) != 2 or not all(isinstance(bound, int) for bound in item):
        raise VocabularyError(f"`{name}` of the vocabulary's {key} is a pair of integers")
    return tuple(item)


def _holds(item: Any, *types: type) -> bool:
    return isinstance(item, dict) and all(isinstance(value, types) for value in item.values())


_active: list[Vocabulary] = []


def words() -> Vocabulary:
    """The vocabulary of the project that is being analysed."""
    return _active[-1] if _active else shipped()


@contextmanager
def speaking(tables: Mapping[str, Any]) -> Iterator[None]:
    """Within the block the project's own words count as well."""
    _active.append(extended(shipped(), tables) if tables else shipped())
    try:
        yield
    finally:
        _active.pop()
