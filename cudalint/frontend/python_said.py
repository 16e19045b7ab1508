"""A value of a Python expression as C++ says it: its text, and what kind of value that is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

NO_KIND = "python_value"  # the class of what C++ may get as anything

DTYPES = {
    "float32": "at::kFloat", "float": "at::kFloat", "float16": "at::kHalf", "half": "at::kHalf", "float64": "at::kDouble",
    "double": "at::kDouble", "bfloat16": "at::kBFloat16", "uint8": "at::kByte", "int8": "at::kChar", "int16": "at::kShort",
    "int32": "at::kInt", "int": "at::kInt", "int64": "at::kLong", "long": "at::kLong", "bool": "at::kBool",
}  # fmt: skip

_KEYWORDS = frozenset((
    "auto", "case", "char", "const", "default", "delete", "do", "double", "enum", "extern", "float", "goto", "inline", "int",
    "long", "new", "operator", "private", "protected", "public", "register", "short", "signed", "sizeof", "static", "struct",
    "switch", "template", "this", "throw", "typedef", "union", "unsigned", "using", "virtual", "void",
))  # fmt: skip


class Kind(Enum):
    """What a value is in C++: its type, and a function that gives one of which nothing is known."""

    TENSOR = "at::Tensor", "python_tensor()"
    INT = "long", "python_int()"
    BOOL = "bool", "python_bool()"
    TYPE = "at::ScalarType", "python_type()"
    SIZES = "at::IntArrayRef", "python_sizes()"
    POINTER = "void *", "python_any()"
    FLOAT = "double", "python_float()"
    OPTIONAL = "std::optional<at::Tensor>", "std::optional<at::Tensor>(python_tensor())"
    NONE = "void *", "nullptr"
    ANY = NO_KIND, "python_any()"


@dataclass(frozen=True, slots=True)
class Said:
    """`natural`: an integer that is not negative. `flat`: of a tensor only the product of its sizes is that of the one in Python.

    `item` is the type of the elements of a tensor, where it is made with one.
    """

    text: str
    kind: Kind
    natural: bool = False
    flat: bool = False
    item: str = ""


UNKNOWN = Said(Kind.ANY.value[1], Kind.ANY)


def in_c(name: str) -> str:
    """The name of a Python variable in C++."""
    return f"{name}_" if name in _KEYWORDS else name
