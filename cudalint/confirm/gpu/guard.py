"""Guard bands: [band | data | band] in one allocation, filled with a poison before each run and compared after it.

A write into a band is seen as a changed byte. A read of a band is seen where the outputs of two runs with different
poisons differ while two runs with the same poison agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b

BAND = 1 << 20
NARROW_BAND = 1 << 12  # of many small cases
ALIGN = 256
POISONS = (0x3C, 0x3C, 0xC2)  # twice the same tells a nondeterministic kernel from one that reads a band


@dataclass(frozen=True, slots=True)
class Layout:
    """Byte offsets inside the allocation: the data lies at [start, end), just before the upper band."""

    size: int
    band: int

    @property
    def start(self) -> int:
        return self.band

    @property
    def end(self) -> int:
        return self.band + self.size

    @property
    def total(self) -> int:
        return max(1, self.end + self.band)


@dataclass(frozen=True, slots=True)
class Breach:
    """A changed band: `offset` is the first changed byte, from the start of the data."""

    buffer: str
    side: str
    offset: int
    count: int

    def as_json(self) -> dict[str, object]:
        return {"buffer": self.buffer, "side": self.side, "offset": self.offset, "count": self.count}


def breaches(buffer: str, layout: Layout, below: bytes, above: bytes, poison: int) -> list[Breach]:
    """What was written into the bands, nearest to the data first."""
    found = []
    changed = [at for at, byte in enumerate(below) if byte != poison] if below.count(poison) != len(below) else []
    if changed:
        found.append(Breach(buffer, "below", changed[-1] - layout.band, len(changed)))
    changed = [at for at, byte in enumerate(above) if byte != poison] if above.count(poison) != len(above) else []
    if changed:
        found.append(Breach(buffer, "above", layout.size + changed[0], len(changed)))
    return found


def digest(data: bytes) -> str:
    return blake2b(data, digest_size=10).hexdigest()


def depends_on_poison(outputs: Iterable[Mapping[str, str]]) -> list[str]:
    """Buffers that differ between the poisons and agree under one; `outputs` are digests in the order of POISONS."""
    runs = list(outputs)
    if len(runs) < len(POISONS):
        return []
    first, again, other = runs[:3]
    return sorted(name for name in first if first[name] == again.get(name) and first[name] != other.get(name))


def nondeterministic(outputs: Iterable[Mapping[str, str]]) -> list[str]:
    runs = list(outputs)
    return [] if len(runs) < 2 else sorted(name for name in runs[0] if runs[0][name] != runs[1].get(name))
