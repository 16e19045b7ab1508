"""Buffer contents from a seed: a counter-based generator, so that every machine makes the same bytes."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from cudalint import ir
from cudalint.confirm.emulate.run import Buffer

LARGEST_LITERAL = 1 << 26


def contents(label: str, element: ir.Type, size: int, bounds: tuple[int, int] | None, seed: int) -> Buffer:
    """A buffer of `size` bytes. Integers lie in `bounds` [low, high) or in [0, 8); floats in (-1, 1)."""
    if size > LARGEST_LITERAL:
        return Buffer(label, None, size=size)
    return Buffer(label, _bytes(label, element, size, bounds, seed))


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
    raw = values.astype(np.dtype(f"<{'i' if element.signed else 'u'}{width}")).view(np.uint8)
    return Buffer(label, np.concatenate([raw, np.zeros(size - len(raw), dtype=np.uint8)]))


def rising(label: str, element: ir.Type, size: int, total: int) -> Buffer:
    """Offsets from 0 to `total` in steps that are as equal as can be."""
    width = ir.size_of(element) or 1
    count = size // width
    if size > LARGEST_LITERAL or not isinstance(element, ir.Int):
        return Buffer(label, None, size=size)
    values = np.array([total * i // max(1, count - 1) for i in range(count)], dtype=np.int64)
    raw = values.astype(np.dtype(f"<{'i' if element.signed else 'u'}{width}")).view(np.uint8)
    return Buffer(label, np.concatenate([raw, np.zeros(size - len(raw), dtype=np.uint8)]))


def _bytes(label: str, element: ir.Type, size: int, bounds: tuple[int, int] | None, seed: int) -> np.ndarray:
    width = ir.size_of(element) or 1
    generator = _generator(label, seed)
    leaf = element.element if isinstance(element, ir.Vector) else element
    leaf_width = ir.size_of(leaf) or 1
    count = -(-size // leaf_width) if width else 0
    if isinstance(leaf, ir.Int):
        low, high = bounds if bounds is not None and bounds[0] < bounds[1] else (0, 8)
        drawn = generator.integers(low, high, size=count, dtype=np.int64)
        raw = drawn.astype(np.dtype(f"<{'i' if leaf.signed else 'u'}{leaf_width}")).view(np.uint8)
    elif isinstance(leaf, ir.Float) and leaf.format in ("f32", "f64", "f16"):
        values = generator.uniform(-1.0, 1.0, size=count)
        raw = values.astype(np.dtype({"f16": "<f2", "f32": "<f4", "f64": "<f8"}[leaf.format])).view(np.uint8)
    else:
        raw = np.zeros(count * leaf_width, dtype=np.uint8)
    return np.ascontiguousarray(raw[:size])


def _generator(label: str, seed: int) -> np.random.Generator:
    key = int.from_bytes(blake2b(label.encode(), digest_size=8).digest(), "little")
    return np.random.Generator(np.random.Philox(key=[seed & 0xFFFFFFFFFFFFFFFF, key]))
