"""The GPU by CuPy: plain allocations without a pool, NVRTC, and launches with arguments as bytes.

NVRTC is asked directly: CuPy's `RawModule` appends `-ftz=true`, so that subnormal numbers would become zeros.
Kernels run on a stream of their own. One that does not end leaves the memory readable by another stream, so that what it has
written down tells where its threads wait.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from cudalint.confirm.gpu.memory import DeviceError

NOT_READY = 600
POLLS = 1000  # that are tried at once; later ones wait
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2
LARGE_SHARED = 48 << 10
Result = TypeVar("Result")


class CupyDevice:
    """One GPU; after a fault every call fails, and the process has to end."""

    def __init__(self, gpu: int, limit: float = 5.0) -> None:
        import cupy

        self.limit = limit
        self._ranges: dict[int, Any] = {}
        self._unfinished = False
        self._loaded: Any = None  # stays loaded: to unload a module waits for its kernel to end

        self._cupy: Any = cupy
        self._runtime: Any = cupy.cuda.runtime
        cupy.cuda.set_allocator(None)
        self._runtime.setDevice(gpu)
        self._runtime.free(0)
        self._stream: Any = cupy.cuda.Stream(non_blocking=True)
        self._side: Any = cupy.cuda.Stream(non_blocking=True)
        self._binaries: dict[tuple[str, str, tuple[str, ...]], tuple[bytes, str]] = {}
        self.gpu = gpu

    def count(self) -> int:
        """The GPUs of this machine."""
        return int(self._runtime.getDeviceCount())

    def versions(self) -> dict[str, str]:
        properties = self._runtime.getDeviceProperties(self.gpu)
        name = properties["name"]
        return {
            "cupy": str(self._cupy.__version__),
            "gpu": name.decode() if isinstance(name, bytes) else str(name),
            "driver": str(self._runtime.driverGetVersion()),
            "runtime": str(self._runtime.runtimeGetVersion()),
            "capability": f"{properties['major']}.{properties['minor']}",
        }

    # --- memory -------------------------------------------------------------------------------------------------------

    def allocate(self, size: int) -> int:
        return int(_named(lambda: self._runtime.malloc(size)))

    def free(self, address: int) -> None:
        _named(lambda: self._runtime.free(address))

    def reserve(self, size: int, piece: int, guard: int) -> int:
        from cudalint.confirm.gpu.ranges import Range

        made = Range(self.gpu, size, piece, guard)
        self._ranges[made.start] = made
        return made.start

    def release(self, address: int) -> None:
        self._ranges.pop(address).free()

    def available(self) -> int:
        return int(self._runtime.memGetInfo()[0])

    def write(self, address: int, data: bytes) -> None:
        if data:
            source = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value
            _named(lambda: self._runtime.memcpy(address, source, len(data), HOST_TO_DEVICE))

    def fill(self, address: int, value: int, size: int) -> None:
        if size:
            _named(lambda: self._runtime.memset(address, value, size))

    def read(self, address: int, size: int) -> bytes:
        if not size:
            return b""
        target = ctypes.create_string_buffer(size)
        if self._unfinished:
            side, copy = self._side, self._runtime.memcpyAsync
            _named(lambda: copy(ctypes.addressof(target), address, size, DEVICE_TO_HOST, side.ptr))
            _named(side.synchronize)
        else:
            _named(lambda: self._runtime.memcpy(ctypes.addressof(target), address, size, DEVICE_TO_HOST))
        return target.raw

    # --- kernels ------------------------------------------------------------------------------------------------------

    def load(self, text: str, name: str, options: tuple[str, ...]) -> tuple[Any, Any]:
        try:
            binary, lowered = self._compiled(text, name, options)
            module = self._cupy.cuda.function.Module()
            module.load(binary)
            loaded = self._loaded = module, module.get_function(lowered)
            return loaded
        except self._cupy.cuda.compiler.CompileException as error:
            raise DeviceError("compile", _first_error(str(error)), dead=False) from None
        except Exception as error:
            raise _device_error(error) from None

    def _compiled(self, text: str, name: str, options: tuple[str, ...]) -> tuple[bytes, str]:
        """The machine code, and what the kernel is called in it."""
        key = (text, name, options)
        if key not in self._binaries:
            with_folders = self._cupy._core.core.assemble_cupy_compiler_options(("--ftz=false", *options))
            binary, lowered = self._cupy.cuda.compiler.compile_using_nvrtc(
                text, with_folders, filename="kernel.cu", name_expressions=(name,)
            )
            self._binaries[key] = (binary, lowered[name])
        return self._binaries[key]

    def symbol(self, module: tuple[Any, Any], name: str) -> int | None:
        try:
            return int(module[0].get_global_var(name))
        except Exception:  # CuPy has several for a name that is not there
            return None

    def launch(self, module: tuple[Any, Any], launch: Mapping[str, Any], args: list[bytes]) -> bool:
        kernel = module[1]
        if launch["shared"] > LARGE_SHARED:
            attribute = self._cupy.cuda.driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            _named(lambda: self._cupy.cuda.driver.funcSetAttribute(kernel.ptr, attribute, launch["shared"]))
        holders = [ctypes.create_string_buffer(arg, max(len(arg), 1)) for arg in args]
        pointers = (ctypes.c_void_p * max(1, len(holders)))(*(ctypes.addressof(h) for h in holders))
        driver = self._cupy.cuda.driver
        start = driver.launchCooperativeKernel if launch.get("cooperative") else driver.launchKernel
        extra = () if launch.get("cooperative") else (0,)
        dims = (*launch["grid"], *launch["block"], launch["shared"], self._stream.ptr)
        _named(self._runtime.deviceSynchronize)
        _named(lambda: start(kernel.ptr, *dims, ctypes.addressof(pointers), *extra))
        self._unfinished = not self._ends()
        return not self._unfinished

    def _ends(self) -> bool:
        """Whether the kernel ends within the limit. Its error is raised by its name."""
        deadline = time.monotonic() + self.limit
        polls = 0
        while _named(lambda: int(self._runtime.streamQuery(self._stream.ptr))) == NOT_READY:
            polls += 1
            if polls > POLLS:
                if time.monotonic() > deadline:
                    return False
                time.sleep(0.001)
        _named(self._stream.synchronize)
        return True


def _named(call: Callable[[], Result]) -> Result:
    try:
        return call()
    except Exception as error:
        raise _device_error(error) from None


def _device_error(error: Exception) -> DeviceError:
    """CuPy says `cudaErrorIllegalAddress: an illegal memory access was encountered`."""
    text = str(error).strip()
    name = text.split(":")[0].split()[0] if text else type(error).__name__
    known = name.startswith(("cudaError", "CUDA_ERROR"))
    name = name if known else type(error).__name__
    return DeviceError(name, text.splitlines()[0] if text else name, dead=True)


def _first_error(log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if "error" in line]
    return lines[0] if lines else log.strip().splitlines()[0] if log.strip() else "NVRTC refused the source"
