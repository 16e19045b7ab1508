"""How many bytes a type has, by its name in the text: numbers, addresses of none, and vectors of two, three or four numbers."""

from __future__ import annotations

import re

_NAMED = {
    1: "char|bool|unsigned char|signed char|int8_t|uint8_t|uchar|std::uint8_t|std::int8_t|__nv_fp8_e4m3|__nv_fp8_e5m2",
    2: "half|__half|__nv_bfloat16|nv_bfloat16|bfloat16|short|unsigned short|ushort|int16_t|uint16_t|std::uint16_t",
    4: "int|unsigned|unsigned int|uint|float|int32_t|uint32_t|std::int32_t|std::uint32_t",
    8: "double|size_t|int64_t|uint64_t|long long|unsigned long long|cufftComplex|cuComplex|cuFloatComplex"
    "|std::size_t|std::int64_t|std::uint64_t",
    12: "dim3",
    16: "cuDoubleComplex|cufftDoubleComplex",
}
_BYTES = {name: size for size, names in _NAMED.items() for name in names.split("|")}
_VECTOR = re.compile(
    r"(?:__nv_|nv_|__)?(u?char|u?short|u?int|u?longlong|u?long|half|bfloat16|float|double|vec|ivec|uvec|dvec)_?([234])"
)
_LANE = {"char": 1, "short": 2, "half": 2, "bfloat16": 2, "long": 8, "longlong": 8, "double": 8, "dvec": 8}
_USUAL_LANE = 4


def bytes_of_type(name: str) -> int | None:
    """`float` has 4, `double2` 16; None for a type that is not known by its name."""
    vector = _VECTOR.fullmatch(name)
    if vector is not None:
        return _LANE.get(vector[1].removeprefix("u"), _USUAL_LANE) * int(vector[2])
    return _BYTES.get(name)
