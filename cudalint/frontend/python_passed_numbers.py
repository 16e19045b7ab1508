"""Numbers that a Python launch hands on as the bytes of another type than the kernel's parameter has.

    k((g,), (b,), (x, 0.5))        of k(float *x, float a): the eight bytes of a double, of which a float is the lower half

A library that is given types converts numbers (`prepare` of PyCUDA); and an integer's low bytes are the narrower integer.
"""

from __future__ import annotations

from dataclasses import dataclass

from cudalint.frontend.python_host_values import INTEGERS, ITEMS, Number, Real, Value

_REALS = {"float": "float32", "double": "float64", "half": "float16", "__half": "float16"}
_WHOLE = frozenset(
    ("int", "unsigned", "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "size_t", "int32_t",
     "uint32_t", "int64_t", "uint64_t", "short", "unsigned short")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PassedNumber:
    """The argument at a `place` of a launch (from 1) is of type `held`; the parameter is of type `taken`, as it is written."""

    at: int
    kernel: str
    place: int
    held: str
    taken: str


def mistaken(type_: str, value: Value) -> tuple[str, str] | None:
    """The types of a number and of its parameter, where the one is not read as the other."""
    plain = type_.replace("const", "").strip()
    held = _held(value)
    if not held or (plain not in _REALS and plain not in _WHOLE):
        return None
    wanted = _REALS.get(plain, "")
    if held in INTEGERS and not wanted:
        return None
    return None if held == wanted else (held, plain)


def _held(value: Value) -> str:
    """NumPy's name of the type whose bytes are handed on; nothing where that is not certain."""
    if isinstance(value, Number) and (value.item or value.value is not None):
        return value.item or "int64"
    return ITEMS[value.item][0] if isinstance(value, Real) and value.item else ""
