"""Buffers that hold results of functions: each element is told with how far a device may be from it.

    near = {buffer: {element, wanted: bytes, allowed: distances as doubles}}        bytes are packed and base64

An element that depends on no function is allowed nothing, so that it has to be equal; one that is allowed an infinite distance
may be anything.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
DTYPES = {
    **{f"{sign}{bits}": np.dtype(f"<{sign}{bits // 8}") for sign in "iu" for bits in (8, 16, 32, 64)},
    "f16": np.dtype("<f2"), "bf16": np.dtype("<u2"), "f32": np.dtype("<f4"), "f64": np.dtype("<f8"), "bool": np.dtype("u1"),
}  # fmt: skip
MOST_BYTES = 1 << 27  # of a buffer that is compared


def packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def unpacked(text: object) -> bytes:
    """Raises ValueError."""
    if not isinstance(text, str):
        raise ValueError("packed bytes are a string")
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
    except (ValueError, zlib.error):
        raise ValueError("bytes that are not packed") from None
    if not unpacking.eof:
        raise ValueError("packed bytes that are cut off, or more than can be compared")
    return data


def numbers(data: bytes, element: str) -> Array:
    """The whole elements of a buffer as doubles."""
    dtype = DTYPES[element]
    raw = np.frombuffer(data[: len(data) // dtype.itemsize * dtype.itemsize], dtype)
    if element == "bf16":
        return np.left_shift(raw.astype(np.uint32), np.uint32(16)).view(np.float32).astype(np.float64)
    return raw.astype(np.float64)


def written(element: str, wanted: bytes, allowed: Array) -> dict[str, str]:
    return {"element": element, "wanted": packed(wanted), "allowed": packed(allowed.astype("<f8").tobytes())}


def check(entry: object) -> None:
    """Raises ValueError for an entry that cannot be compared with."""
    if not isinstance(entry, dict) or entry.get("element") not in DTYPES:
        raise ValueError("no element type that is known")
    count = len(unpacked(entry.get("wanted"))) // DTYPES[entry["element"]].itemsize
    if len(unpacked(entry.get("allowed"))) != 8 * count:
        raise ValueError("not a distance for each element")


def outside(entry: Mapping[str, str], data: bytes) -> dict[str, Any]:
    """How many elements are farther away than allowed, the first of them, and the largest share of what is allowed."""
    element = entry["element"]
    wanted, given = numbers(unpacked(entry["wanted"]), element), numbers(data, element)
    allowed = np.frombuffer(unpacked(entry["allowed"]), "<f8")
    with np.errstate(all="ignore"):
        distance = np.abs(given - wanted)
        same = (given == wanted) | (np.isnan(given) & np.isnan(wanted))
        wrong = ~same & ~(distance <= allowed) & ~np.isinf(allowed)
        share = np.where(same | wrong | np.isinf(allowed), 0.0, distance / allowed)
    found: dict[str, Any] = {"outside": int(wrong.sum()), "share": round(float(share.max(initial=0.0)), 3)}
    if wrong.any():
        first = int(np.argmax(wrong))
        found |= {"first": first, "given": repr(float(given[first])), "wanted": repr(float(wanted[first]))}
        found["allowed"] = float(allowed[first])
    return found
