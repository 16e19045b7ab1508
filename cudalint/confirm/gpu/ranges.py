"""A large range of addresses behind which one small piece of memory lies again and again (CUDA's virtual memory management).

    | guard, unmapped | piece | piece | ... | piece | guard, unmapped |
                      ^ start                 at least `size` bytes

A correct kernel may write all of it; an address that wraps ends in a guard, where the device faults.
"""

from __future__ import annotations

from typing import Any

from cudalint.confirm.gpu.memory import DeviceError


class Range:
    """Mapped from `start` on; raises DeviceError. Needs the package cuda-bindings."""

    def __init__(self, gpu: int, size: int, piece: int, guard: int) -> None:
        try:
            from cuda.bindings import driver
        except ImportError:
            raise DeviceError(
                "no-ranges",
                "large ranges of addresses need the package cuda-bindings (`pip install cuda-bindings`)",
                dead=False,
            ) from None
        self._driver: Any = driver
        property_ = _property(driver, gpu)
        flag = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
        grain = int(self._given(driver.cuMemGetAllocationGranularity(property_, flag)))
        self._piece = -(-piece // grain) * grain
        self._mapped = -(-size // self._piece) * self._piece
        self._guard = -(-guard // grain) * grain
        self._handle = self._given(driver.cuMemCreate(self._piece, property_, 0))
        self._base = int(self._given(driver.cuMemAddressReserve(self._mapped + 2 * self._guard, 0, 0, 0)))
        self.start = self._base + self._guard
        for at in range(self.start, self.start + self._mapped, self._piece):
            self._given(driver.cuMemMap(at, self._piece, 0, self._handle, 0))
        self._given(driver.cuMemSetAccess(self.start, self._mapped, [_access(driver, gpu)], 1))

    def free(self) -> None:
        self._given(self._driver.cuMemUnmap(self.start, self._mapped))
        self._given(self._driver.cuMemRelease(self._handle))
        self._given(self._driver.cuMemAddressFree(self._base, self._mapped + 2 * self._guard))

    def _given(self, answer: tuple[Any, ...]) -> Any:
        """What the driver gives; its errors by their names."""
        error = answer[0]
        if error != self._driver.CUresult.CUDA_SUCCESS:
            raise DeviceError(error.name, f"{error.name}: a large range of addresses cannot be made", dead=True)
        return answer[1] if len(answer) > 1 else None


def _property(driver: Any, gpu: int) -> Any:
    property_ = driver.CUmemAllocationProp()
    property_.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    property_.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    property_.location.id = gpu
    return property_


def _access(driver: Any, gpu: int) -> Any:
    access = driver.CUmemAccessDesc()
    access.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    access.location.id = gpu
    access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    return access
