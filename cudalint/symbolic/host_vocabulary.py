"""What host calls mean, as data: allocations, container methods, calls without effect, calls that end the program.

Names are matched without template arguments; a name without `::` also matches as the last part of a qualified one.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Allocator:
    """`out` is the argument that receives the pointer (None: the result does); the size is the product of `sizes`."""

    sizes: tuple[int, ...]
    out: int | None = None
    device: bool = False


ALLOCATORS: dict[str, Allocator] = {
    **{
        api + name: Allocator((1,), 0, True)
        for api in ("cuda", "hip")
        for name in ("Malloc", "MallocManaged", "MallocAsync", "MallocHost", "HostAlloc", "HostMalloc")
    },
    "cuMemAlloc": Allocator((1,), 0, True),
    "cuMemAlloc_v2": Allocator((1,), 0, True),
    "cudaMallocFromPoolAsync": Allocator((1,), 0, True),
    "malloc": Allocator((0,)),
    "calloc": Allocator((0, 1)),
    "realloc": Allocator((1,)),
    "aligned_alloc": Allocator((1,)),
    "operator new": Allocator((0,)),
    "operator new[]": Allocator((0,)),
    "new": Allocator((0,)),
    "new[]": Allocator((0,)),
}
PITCHED_ALLOCATORS = ("cudaMallocPitch", "hipMallocPitch")

NO_RETURN = frozenset(
    (
        *("exit", "_exit", "_Exit", "abort", "quick_exit", "terminate", "throw", "__assert_fail", "longjmp"),
        *("torchCheckFail", "torchInternalAssertFail", "__throw_runtime_error", "__throw_logic_error"),
    )
)

SUCCESS_PREFIXES = ("cuda", "hip", "cublas", "cudnn", "curand", "cufft", "cusparse", "cusolver", "nccl")
"""Calls of these libraries return a status; it is taken as success (0)."""

QUERIES: dict[str, tuple[int, int]] = {
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": (0, 64),
    "cudaOccupancyMaxPotentialBlockSize": (1, 1 << 20),
    "cudaDeviceGetAttribute": (0, (1 << 31) - 1),
    "cudaGetDevice": (0, 63),
    "cudaGetDeviceCount": (1, 64),
}
"""Calls that write integers in these ranges through their leading pointer arguments."""

SECOND_NAMES: dict[str, tuple[int, int]] = {
    "cudaHostGetDevicePointer": (0, 1),
    "hipHostGetDevicePointer": (0, 1),
    "cuMemHostGetDevicePointer": (0, 1),
    "cudaGetSymbolAddress": (0, 1),
    "hipGetSymbolAddress": (0, 1),
}
"""Calls that store a second pointer to the same memory: (where, of what)."""

PROPERTY_CLASSES = frozenset(("cudaDeviceProp", "hipDeviceProp_t", "hipDeviceProp_tR0600", "cudaFuncAttributes"))

DEVICE_PROPERTIES: dict[str, tuple[int, int]] = {
    "multiProcessorCount": (1, 1024),
    "maxThreadsPerBlock": (1024, 1024),
    "maxThreadsPerMultiProcessor": (1024, 2048),
    "warpSize": (32, 32),
    "sharedMemPerBlock": (49152, 49152),
    "sharedMemPerBlockOptin": (49152, 1 << 18),
    "sharedMemPerMultiprocessor": (49152, 1 << 18),
    "regsPerBlock": (32768, 65536),
    **{f"maxThreadsDim[{i}]": (limit, limit) for i, limit in enumerate((1024, 1024, 64))},
    **{f"maxGridSize[{i}]": (limit, limit) for i, limit in enumerate(((1 << 31) - 1, 65535, 65535))},
    "maxBlocksPerMultiProcessor": (16, 32),
    "totalGlobalMem": (1 << 28, 1 << 40),
    "totalConstMem": (65536, 65536),
    "concurrentKernels": (0, 1),
    "clockRate": (1, (1 << 31) - 1),
    "numRegs": (0, 255),
    "maxDynamicSharedSizeBytes": (0, 1 << 18),
    "sharedSizeBytes": (0, 49152),
    "major": (3, 20),
    "minor": (0, 9),
}

INPUTS = frozenset(
    (
        *(
            "atoi",
            "atol",
            "atoll",
            "atof",
            "strtol",
            "strtoul",
            "strtoll",
            "strtoull",
            "stoi",
            "stol",
            "stoul",
            "stoull",
        ),
        *("rand", "random", "getenv", "scanf", "fscanf", "sscanf", "fread", "getCmdLineArgumentInt", "getopt"),
        *("getchar", "fgetc", "fgets", "time", "clock", "operator>>", "read", "ftell", "strlen"),
    )
)
INPUT_PREFIXES = ("sdkLoad", "sdkFindFile", "sdkGet", "checkCmdLine", "getCmdLine", "argp_", "cv::imread", "stbi_")
"""Calls whose results (and the memory they write) are inputs of the program, not values that were lost."""

STANDARD_PURE = frozenset(
    ("make_unique", "make_unique_for_overwrite", "make_shared", "make_pair", "make_tuple", "make_optional")
)
"""Functions of std with forwarding references that change none of their arguments."""

PURE = frozenset(
    (
        *("printf", "fprintf", "puts", "putchar", "fputs", "fflush", "fopen", "fclose", "fwrite", "free", "srand"),
        *("operator delete", "operator delete[]", "memcmp", "strcmp", "strncmp", "perror", "operator<<", "usleep"),
        *("isatty", "fseek", "rewind", "exp", "log", "sqrt", "pow", "fabs", "ceil", "floor"),
    )
)
"""Calls that write no memory which a launch depends on."""

WRITES_FIRST = frozenset(
    ("memcpy", "memset", "memmove", "cudaMemcpy", "cudaMemcpyAsync", "cudaMemset", "hipMemcpy", "hipMemset")
)
"""Calls that write through their first argument only."""

WRITES_NO_HOST_VARIABLE = frozenset(
    (
        *("Free", "FreeAsync", "FreeHost", "DeviceSynchronize", "ThreadSynchronize", "GetLastError", "PeekAtLastError"),
        *("SetDevice", "StreamSynchronize", "StreamDestroy", "EventRecord", "EventSynchronize", "EventDestroy"),
        *(
            "GetErrorString",
            "GetErrorName",
            "FuncSetAttribute",
            "FuncSetCacheConfig",
            "MemcpyToSymbol",
            "MemPrefetchAsync",
        ),
        *("MemsetAsync", "MemcpyToSymbolAsync", "DeviceReset", "StreamWaitEvent", "BindTexture", "UnbindTexture"),
        *("DeviceSetLimit", "DeviceSetCacheConfig", "ProfilerStart", "ProfilerStop", "MemAdvise", "LaunchKernel"),
    )
)
"""Runtime calls, without their `cuda` or `hip`, that change no host variable."""

# --- containers ------------------------------------------------------------------------------------------------------

TYPE_METHODS = frozenset(("scalar_type", "dtype"))
ITEM_BYTES = dict(enumerate((1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4, 2)))
ITEM_BYTES.update({23: 1, 24: 1, 25: 1, 26: 1, 27: 2, 28: 4, 29: 8})
"""Bytes of an element by the value of its at::ScalarType."""
SIZE_METHODS = frozenset(("size", "sym_size"))
COUNT_METHODS = frozenset(("numel", "sym_numel"))
DATA_METHODS = frozenset(("data_ptr", "data", "mutable_data_ptr", "const_data_ptr", "data_as", "begin", "get"))
STRIDE_METHODS = frozenset(("stride", "strides"))
RANK_METHODS = frozenset(("dim", "ndimension", "ndim"))
SAME_TENSOR = frozenset(
    ("contiguous", "expect_contiguous", "operator=", "set_requires_grad", "const_cast", "move", "forward")
)
"""Methods whose result is the tensor itself where it is dense."""
SAME_SHAPE = frozenset(
    (
        *("clone", "to", "cuda", "cpu", "detach", "toType", "type", "half", "empty_like", "zeros_like", "ones_like"),
        *("full_like", "rand_like", "randn_like", "zero_", "fill_", "relu", "sigmoid", "exp", "neg", "alias"),
    )
)
"""Methods and functions whose result has the shape of their first argument and its own storage."""
CREATIONS = frozenset(
    ("empty", "zeros", "ones", "full", "rand", "randn", "new_empty", "new_zeros", "new_ones", "new_full")
)
SIZE_LISTS = frozenset(("ArrayRef", "IntArrayRef", "SymIntArrayRef", "IntHeaderOnlyArrayRef", "OptionalArrayRef"))
VIEWS = frozenset(("view", "reshape"))
IDENTITY = frozenset(("addressof", "move", "forward"))
OPTIONALS = frozenset(("optional", "Optional"))
POINTER_CLASSES = frozenset(("unique_ptr", "shared_ptr", "device_ptr", "pointer", "intrusive_ptr", "device_reference"))
