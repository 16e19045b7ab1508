"""Buffer contents from a seed: a counter-based generator, so that every machine makes the same bytes."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import numpy as np

from cudalint import ir
from cudalint.confirm.emulate.run import Buffer

LARGEST_LITERAL = 1 << 26
LARGEST_CONSTANT = 64 << 10  # bytes of constant memory
BYTE = 8
MOST_LEAVES = 1 << 12
PIECE = 1 << 15  # numbers that are drawn at a time, so that they stay in the cache of the core


def contents(label: str, element: ir.Type, size: int, bounds: tuple[int, int] | None, seed: int) -> Buffer:
    """A buffer of `size` bytes.

    Integers lie in `bounds` [low, high) or in [0, 8), signed bytes in [-4, 8); floats in (-1, 1); truths are either.
    """
    if size > LARGEST_LITERAL:
        return Buffer(label, None, size=size)
    return Buffer(label, _bytes(label, element, size, bounds, seed))


def constant_buffers(unit: ir.Unit, seed: int, filled: tuple[Buffer, ...] = ()) -> Iterator[Buffer]:
    """Contents of the constant memory that the text leaves open, since the host fills it: `filled` says with what, or drawn."""
    yield from filled
    known = {buffer.name for buffer in filled}
    for name, global_ in unit.globals.items():
        if name in known:
            continue
        type_ = global_.var.type
        element, size = (type_.element if isinstance(type_, ir.Array) else type_), ir.size_of(type_)
        open_ = isinstance(element, ir.Int | ir.Float) and global_.init is None
        if open_ and global_.storage is ir.Storage.CONSTANT and size is not None and size <= LARGEST_CONSTANT:
            yield contents(name, element, size, None, seed)


def different(
    label: str, element: ir.Type, size: int, bounds: tuple[int, int] | None, exempt: int | None, seed: int
) -> Buffer:
    """Integers of `bounds` of which none comes twice but `exempt`; ValueError where there are too few."""
    width = ir.size_of(element) or 1
    if size > LARGEST_LITERAL or not isinstance(element, ir.Int):
        return Buffer(label, None, size=size)
    count = size // width
    least, most = ir.int_range(element)
    low, high = bounds if bounds is not None else (0, count)
    low, high = max(low, least), min(high, most + 1)
    available = max(0, high - low)
    if available < count and exempt is None:
        raise ValueError(f"{count} different values in [{low}, {high})")
    chosen = _generator(label, seed).permutation(min(available, max(count, 1) * 8))[:count] + low
    values = np.full(count, exempt or 0, np.int64)
    values[: len(chosen)] = chosen
    raw = _integers(values, element).view(np.uint8)
    return Buffer(label, np.concatenate([raw, np.zeros(size - len(raw), dtype=np.uint8)]))


def rising(label: str, element: ir.Type, size: int, total: int) -> Buffer:
    """Offsets from 0 to `total` in steps that are as equal as can be."""
    width = ir.size_of(element) or 1
    count = size // width
    if size > LARGEST_LITERAL or not isinstance(element, ir.Int):
        return Buffer(label, None, size=size)
    values = np.array([total * i // max(1, count - 1) for i in range(count)], dtype=np.int64)
    raw = _integers(values, element).view(np.uint8)
    return Buffer(label, np.concatenate([raw, np.zeros(size - len(raw), dtype=np.uint8)]))


def _integers(values: np.ndarray[Any, np.dtype[np.int64]], type_: ir.Int) -> np.ndarray[Any, np.dtype[Any]]:
    """The numbers in the type, one behind the other; of 128 bits as two halves each."""
    if type_.bits > 64:
        return np.stack([values, values >> 63], axis=1).astype("<i8").reshape(-1)
    return values.astype(np.dtype(f"<{'i' if type_.signed else 'u'}{type_.bits // 8}"))


def _bytes(label: str, element: ir.Type, size: int, bounds: tuple[int, int] | None, seed: int) -> np.ndarray:
    leaf = element.element if isinstance(element, ir.Vector) else element
    if isinstance(leaf, ir.Struct | ir.Array):
        return _compound(label, leaf, size, seed)
    leaf_width = ir.size_of(leaf) or 1
    count = -(-size // leaf_width)
    return np.ascontiguousarray(_drawn(_generator(label, seed), leaf, count, bounds)[:size])


def _drawn(
    generator: np.random.Generator, leaf: ir.Type, count: int, bounds: tuple[int, int] | None
) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The bytes of `count` numbers; zeros for a type that is no number."""
    width = ir.size_of(leaf) or 1
    bytes_ = np.zeros(count * width, dtype=np.uint8)
    for first in range(0, count, PIECE):
        piece = _piece(generator, leaf, min(PIECE, count - first), bounds)
        if piece is None:
            break
        bytes_[first * width : first * width + piece.nbytes] = piece.view(np.uint8)
    return bytes_


def _piece(
    generator: np.random.Generator, leaf: ir.Type, count: int, bounds: tuple[int, int] | None
) -> np.ndarray[Any, np.dtype[Any]] | None:
    """The next numbers of the generator; None for a type that is no number."""
    if isinstance(leaf, ir.Int):
        low, high = bounds if bounds is not None and bounds[0] < bounds[1] else (-4 if leaf == ir.INT8 else 0, 8)
        drawn = generator.integers(low, high, size=count, dtype=np.int64)
        return _integers(drawn, leaf)
    if isinstance(leaf, ir.Bool):
        return generator.integers(0, 2, size=count, dtype=np.uint8)
    if isinstance(leaf, ir.Float) and leaf.format in ("f32", "f64", "f16", "bf16"):
        values = generator.uniform(-1.0, 1.0, size=count)
        if leaf.format == "bf16":  # cut off: any bits are a number
            return (values.astype("<f4").view("<u4") >> 16).astype("<u2")
        return values.astype(np.dtype({"f16": "<f2", "f32": "<f4", "f64": "<f8"}[leaf.format]))
    return None


def _compound(label: str, type_: ir.Struct | ir.Array, size: int, seed: int) -> np.ndarray:
    """Objects whose fields are drawn one after the other; small integers in all their bits, as packed fields have them."""
    width = ir.size_of(type_)
    if not width or not size:
        return np.zeros(size, dtype=np.uint8)
    generator = _generator(label, seed)
    rows = np.zeros((-(-size // width), width), dtype=np.uint8)
    for offset, leaf in _leaves(type_, 0):
        bounds = ir.int_range(leaf) if isinstance(leaf, ir.Int) and leaf.bits == BYTE else None
        limits = (bounds[0], bounds[1] + 1) if bounds is not None else None
        drawn = _drawn(generator, leaf, len(rows), limits).reshape(len(rows), -1)
        rows[:, offset : offset + drawn.shape[1]] = drawn
    return np.ascontiguousarray(rows.reshape(-1)[:size])


def _leaves(type_: ir.Type, base: int) -> Iterator[tuple[int, ir.Type]]:
    """The numbers in an object with their offsets."""
    if isinstance(type_, ir.Struct):
        for member in type_.fields:
            yield from _leaves(member.type, base + member.offset)
    elif isinstance(type_, ir.Array | ir.Vector):
        width = ir.size_of(type_.element) or 0
        count = type_.lanes if isinstance(type_, ir.Vector) else type_.count or 0
        for place in range(min(count, MOST_LEAVES)):
            yield from _leaves(type_.element, base + place * width)
    else:
        yield base, type_


def _generator(label: str, seed: int) -> np.random.Generator:
    key = int.from_bytes(blake2b(label.encode(), digest_size=8).digest(), "little")
    return np.random.Generator(np.random.Philox(key=[seed & 0xFFFFFFFFFFFFFFFF, key]))
