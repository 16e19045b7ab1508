"""Launches that Python makes of CUDA kernels in its strings: what a contract says of them, and what it leaves open."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import pytest

from cudalint.contract import Contract, Extent, Geometry, Origin
from cudalint.engine.contracts import contracts_of
from cudalint.engine.embedded import parse_options
from cudalint.engine.relocate import Relocation
from cudalint.frontend.python_strings import embedded_sources
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile

HEAD = """
import math
import cupy as cp
import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

CODE = r'''
extern "C" {
__global__ void add(const float *a, float *c, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) c[i] = a[i]; }
__global__ void sub(const float *a, float *c, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) c[i] = -a[i]; }
__global__ void wide(double *a, long long n) { a[blockIdx.x] = n; }
}
template <class T> __global__ void fill(T *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = T(0); }
'''
add = cp.RawKernel(CODE, "add")
mod = cp.RawModule(code=CODE, name_expressions=["fill<float>", "fill<double>"])
"""


@dataclass(frozen=True)
class Told:
    """What one contract says, in Python's words."""

    kernel: str
    function: str
    line: int
    texts: tuple[str, ...]
    inferred: tuple[str, ...]
    missing: tuple[str, ...]

    def geometry(self) -> str:
        return next(text for text in self.texts if text.startswith("grid = "))

    def of(self, name: str) -> str:
        return next((text.partition(" = ")[2] for text in self.texts if text.startswith(f"{name} = ")), "")


def told(function: str, head: str = HEAD) -> list[Told]:
    """The contracts of all kernels in the file, by the places of their launches."""
    file = SourceFile("a.py", "/nowhere/a.py", head + textwrap.dedent(function))
    found = []
    for embedded in embedded_sources(file):
        unit = translate(embedded.source, ParseOptions(), "/nowhere").unit
        relocation = Relocation("a.py", embedded.places(), embedded.words)
        for id_, contracts in contracts_of(unit).items():
            found += [_told(unit.functions[id_].name, relocation.moved(contract)) for contract in contracts]
    return sorted(found, key=lambda each: (each.line, each.kernel, each.function))


def _told(kernel: str, contract: Contract) -> Told:
    site = contract.launch_site
    assert site is not None
    return Told(
        kernel,
        site.host_function,
        site.line - HEAD.count("\n"),
        tuple(fact.text for fact in contract.facts),
        tuple(fact.text for fact in contract.facts if fact.origin is Origin.INFERRED),
        tuple(f"{missing.subject}: {missing.reason}" for missing in contract.missing),
    )


def one(function: str) -> Told:
    found = told(function)
    assert len(found) == 1, found
    return found[0]


def unread(function: str) -> list[str]:
    file = SourceFile("a.py", "/nowhere/a.py", HEAD + textwrap.dedent(function))
    return [why for embedded in embedded_sources(file) for _, why in embedded.unread]


def test_a_launch_says_geometry_extents_and_arguments_with_their_place() -> None:
    found = one("""\
    def run(x):
        n = x.size
        y = cp.empty(n, dtype=cp.float32)
        add(((n + 255) // 256,), (256,), (x, y, np.int32(n)), shared_mem=64)
    """)
    assert (found.kernel, found.function, found.line) == ("add", "run", 4)
    assert found.geometry() == "grid = (x.size + 255) / 256, block = 256, shared = 64 bytes"
    assert found.of("c") == "cupy.empty({x.size}), 4*x.size bytes"
    assert found.of("n") == "x.size"
    assert found.of("a") == "tensor x, 4*x.size bytes, if its elements have 4 bytes"
    assert found.inferred == (f"a = {found.of('a')}",)
    assert found.missing == ()


@pytest.mark.parametrize(
    "grid",
    [
        "(n + 255) // 256", "-(-n // 256)", "-(n // -256)", "math.ceil(n / 256)", "int(np.ceil(n / 256))", "cdiv(n, 256)",
        "cdiv(n, THREADS)", "Sizes.blocks(n)", "(n - 1) // 256 + 1", "(lambda m: (m + 255) // 256)(n)",
    ],
)  # fmt: skip
def test_quotients_that_round_up_are_known_however_they_are_spelt(grid: str) -> None:
    found = one(f"""
    THREADS = 256
    def cdiv(a, b):
        return (a + b - 1) // b
    class Sizes:
        @staticmethod
        def blocks(m):
            return (m + THREADS - 1) // THREADS
    def run(n: int):
        x = cp.zeros(n, cp.float32)
        add(({grid},), (256,), (x, x, n))
    """)
    assert found.geometry() in ("grid = (n + 255) / 256, block = 256", "grid = (n - 1) / 256 + 1, block = 256")
    assert found.missing == ()


def test_a_quotient_that_python_rounds_down_is_not_the_one_of_c() -> None:
    """-3 // 2 is -2 in Python and -1 in C: what is not negative is a power of two apart."""
    found = one("""
    def run(n: int):
        add((1,), (32,), (cp.zeros(4, cp.float32), cp.zeros(4, cp.float32), n // 2))
    """)
    assert found.of("n") == "n / 2"
    negative = one("""
    def run(n: int):
        add((1,), (32,), (cp.zeros(4, cp.float32), cp.zeros(4, cp.float32), -3 // 2))
    """)
    assert negative.of("n") == "-2"


@pytest.mark.parametrize(
    ("made", "bytes_"),
    [
        ("cp.empty((n, 3))", "24*n"),
        ("cp.zeros(n, dtype='float32')", "4*n"),
        ("cp.ones(n, dtype=np.float16)", "2*n"),
        ("cp.full((n,), 1, dtype=cp.int64)", "8*n"),
        ("cp.arange(n)", "8*n"),
        ("cp.arange(n, dtype=cp.uint8)", "n"),
        ("cp.random.rand(n, 2)", "16*n"),
        ("cp.random.random((n,), dtype=cp.float32)", "4*n"),
        ("cp.random.randint(0, 9, size=n)", "8*n"),
        ("cp.zeros((n, 4), cp.float32).astype(cp.float64)", "32*n"),
        ("cp.zeros(n * n, cp.float32).take(cp.arange(n))", "4*n"),
        ("cp.zeros((n, 4), cp.float32).reshape(-1)", "16*n"),
        ("cp.zeros((n, 4), cp.float32).ravel()", "16*n"),
        ("cp.zeros((n, 4), cp.float32).T", "16*n"),
        ("cp.empty_like(cp.zeros(n, cp.int16))", "2*n"),
        ("cp.asarray(np.zeros(n, np.float32))", "4*n"),
        ("cp.array([[1, 2], [3, 4], [5, 6]], dtype=cp.float32)", "24"),
        ("cp.array([1.0, 2.0])", "16"),
        ("cp.zeros(n, cp.float32) * 2 + 1", "4*n"),
        ("gpuarray.zeros(n, np.float32)", "4*n"),
        ("gpuarray.to_gpu(np.empty(n, dtype=np.float32))", "4*n"),
    ],
)
def test_arrays_have_the_bytes_of_their_elements(made: str, bytes_: str) -> None:
    found = one(f"""
    def run(n: int):
        if n < 1:
            raise ValueError
        x = {made}
        add((1,), (32,), (x, x, 1))
    """)
    assert found.of("c").endswith(f", {bytes_} bytes")


def test_the_type_of_the_array_counts_and_not_that_of_the_parameter() -> None:
    """64-bit elements behind a `float *`: twice as many of the kernel's."""
    contract = next(iter(_contracts("def run(n: int):\n    x = cp.zeros(n)\n    add((1,), (32,), (x, x, n))\n")))
    extents = {fact.what.pointer: fact.what for fact in contract.facts if isinstance(fact.what, Extent)}
    assert (extents["c"].unit, repr(extents["c"].size)) == ("bytes", "8*run:n")


def _contracts(function: str) -> list[Contract]:
    file = SourceFile("a.py", "/nowhere/a.py", HEAD + function)
    units = [translate(e.source, ParseOptions(), "/nowhere").unit for e in embedded_sources(file)]
    return [c for unit in units for contracts in contracts_of(unit).values() for c in contracts]


def test_checks_are_conditions_and_fix_types() -> None:
    found = one("""
    def run(x, y):
        assert x.shape == y.shape
        if x.dtype != cp.float32 or y.dtype != cp.float32:
            raise TypeError
        if x.size > 1 << 20:
            return
        add((x.size,), (1,), (x, y, x.size))
    """)
    assert found.of("a") == "tensor x, 4*x.size bytes"
    assert found.of("c") == "tensor y, 4*y.size bytes"
    assert any("y.size == x.size" in text or "x.size == y.size" in text for text in found.texts)
    assert any("1048576" in text or "2^20" in text for text in found.texts)


def test_sizes_are_those_of_a_shape_that_is_taken_apart() -> None:
    found = one("""
    def run(x):
        rows, cols = x.shape
        y = cp.empty((rows, cols), dtype=x.dtype)
        add((rows,), (cols,), (x.astype(cp.float32), y.astype(cp.float32), rows * cols))
    """)
    assert found.geometry() == "grid = x.shape[0], block = x.shape[1]"
    assert found.of("a").endswith("4*x.shape[0]*x.shape[1] bytes")


def test_kernels_are_followed_through_attributes_dictionaries_and_functions() -> None:
    found = told("""
    class Ops:
        threads = 64
        def __init__(self, n):
            self.n = n
            self.module = cp.RawModule(code=CODE)
            self.kernels = {"add": self.module.get_function("add"), "sub": self.module.get_function("sub")}
            self.buffer = cp.empty(n, dtype=cp.float32)
        def run(self, name):
            self.kernels["sub"]((self.n,), (self.threads,), (self.buffer, self.buffer, self.n))
            self.kernels[name]((1,), (32,), (self.buffer, self.buffer, self.n))
    _kept = None
    def kept():
        global _kept
        if _kept is None:
            _kept = cp.RawKernel(CODE, "sub")
        return _kept
    def launch(kernel, n, *args):
        kernel((n,), (16,), args)
    def outer(x):
        launch(kept(), x.size, x, x, x.size)
    """)
    assert [(t.kernel, t.function, t.geometry()) for t in found] == [
        ("sub", "Ops.run", "grid = n, block = 64"),
        ("add", "Ops.run", "grid = 1, block = 32"),
        ("sub", "Ops.run", "grid = 1, block = 32"),
        ("sub", "launch", "grid = x.size, block = 16"),
    ]
    assert found[0].of("c") == "cupy.empty({n}), 4*n bytes"


def test_an_attribute_that_is_set_twice_is_not_known() -> None:
    found = one("""
    class Ops:
        def __init__(self, n):
            self.n = n
        def grow(self):
            self.n = self.n * 2
        def run(self):
            x = cp.zeros(8, cp.float32)
            add((self.n,), (32,), (x, x, 8))
    """)
    assert found.missing == ("grid: `self.n` is not known",)


def test_instances_of_templates_are_launched_by_name() -> None:
    found = told("""
    def run(n: int):
        mod.get_function("fill<double>")((n,), (1,), (cp.zeros(n), n))
    """)
    assert [(t.kernel, t.of("a")) for t in found] == [("fill", "cupy.zeros({n}), 8*n bytes")]


def test_a_name_that_is_known_in_part_means_each_instance_that_begins_so() -> None:
    found = told("""
    def run(x, n: int):
        mod.get_function(f"fill<{x.dtype.name}>")((n,), (1,), (x, n))
    """)
    assert [t.geometry() for t in found] == ["grid = n, block = 1"] * 2


def test_pycuda_launches_by_keywords_handlers_and_prepared_calls() -> None:
    found = told("""
    pm = SourceModule(CODE)
    def plain(n: int):
        a = drv.mem_alloc(n * 4)
        pm.get_function("add")(a, a, np.int32(n), block=(128, 1, 1), grid=((n + 127) // 128, 1), shared=16)
    def handled(a):
        f = pm.get_function("add")
        out = np.zeros(a.size, dtype=np.float32)
        f(drv.In(a), drv.Out(out), np.int32(a.size), block=(32, 1, 1), grid=(1, 1))
    def prepared(n: int):
        g = gpuarray.zeros(n, np.float32)
        f = pm.get_function("add").prepare("PPi")
        f.prepared_call((n, 1), (32, 1, 1), g.gpudata, g.gpudata, n)
    """)
    assert [(t.function, t.geometry()) for t in found] == [
        ("plain", "grid = (n + 127) / 128, block = 128, shared = 16 bytes"),
        ("handled", "grid = 1, block = 32"),
        ("prepared", "grid = n, block = 32"),
    ]
    assert found[0].of("c") == "mem_alloc(4*n bytes)"
    assert found[1].of("c").endswith("4*a.size bytes")
    assert found[2].of("c") == "cupy.zeros({n}), 4*n bytes"


def test_grid_and_block_are_taken_as_the_library_takes_them() -> None:
    """PyCUDA names them; CuPy has the grid first, and a pair in brackets where the kernel is configured."""
    found = told("""
    def run(x):
        add((1, 2, 3), (4, 5), (x, x, 9))
        add[(7,), (8,)](x, x, 9)
        add(grid=(2,), block=(32,), args=(x, x, 9))
    """)
    assert [t.geometry() for t in found] == [
        "grid = (1, 2, 3), block = (4, 5)", "grid = 7, block = 8", "grid = 2, block = 32",
    ]  # fmt: skip


def test_branches_are_joined_and_loops_hand_on() -> None:
    found = told("""
    def run(x, wide: bool):
        if wide:
            threads = 512
        else:
            threads = 64
        add((1,), (threads,), (x, x, x.size))
        step = 1
        while step < x.size:
            add((step,), (32,), (x, x, step))
            step *= 2
    """)
    assert found[0].geometry() == "grid = 1, block = (wide != 0 ? 512 : 64)"
    assert any("step" in text and "x.size" in text for text in found[1].texts)
    assert found[2].geometry() == "grid = 1, block = 32"  # of the first round


def test_a_buffer_that_is_passed_twice_is_one() -> None:
    found = one("def run(x):\n    add((1,), (32,), (x, x, x.size))\n")
    assert "a and c are both x" in found.texts
    other = one("def run(x):\n    add((1,), (32,), (x, x.copy(), x.size))\n")
    assert not any("both" in text for text in other.texts)


def test_slices_begin_inside_their_array() -> None:
    found = one("def run():\n    x = cp.zeros(100, cp.float32)\n    add((1,), (32,), (x[10:], x[:5], 1))\n")
    assert found.of("a") == "cupy.zeros({100}), 400 bytes + 40 bytes"
    assert found.of("c") == "cupy.zeros({100}), 400 bytes"


@pytest.mark.parametrize(
    ("passed", "subject"),
    [
        ("x, x, somewhere()", "n"),
        ("x, x, n ** 0.5", "n"),
        ("x, x, np.int16(n)", "n"),  # two bytes for an int
        ("x, somewhere(), n", "c"),
        ("x, 5, n", "c"),
        ("x, x[::-1], n", "c"),
    ],
)
def test_an_argument_that_is_not_understood_is_left_open(passed: str, subject: str) -> None:
    found = one(f"def run(x, n: int):\n    add((1,), (32,), ({passed}))\n")
    assert [text.partition(":")[0] for text in found.missing] == [subject]


def test_a_number_of_fewer_bytes_than_the_parameter_is_not_known() -> None:
    found = told("def run(n: int):\n    mod.get_function('wide')((1,), (1,), (cp.zeros(4), np.int32(n)))\n")
    assert [text.partition(":")[0] for text in found[0].missing] == ["n"]
    plain = told("def run(n: int):\n    mod.get_function('wide')((1,), (1,), (cp.zeros(4), n))\n")
    assert plain[0].missing == ()


def test_a_call_with_too_few_arguments_says_nothing_of_them() -> None:
    found = one("def run(x):\n    add((4,), (32,), (x, x))\n")
    assert found.geometry() == "grid = 4, block = 32"
    assert {text.partition(":")[0] for text in found.missing} == {"a", "c", "n"}


@pytest.mark.parametrize(
    "function",
    [
        "def run(name, x):\n    mod.get_function(name)((1,), (32,), (x, x, 1))\n",
        "def run(x):\n    k = cp.RawKernel(CODE, 'add') if x.size else None\n    getattr(k, '__call__')((1,), (1,), (x, x, 1))\n",
    ],
)
def test_a_launch_of_nobody_knows_which_kernel_is_in_no_contract(function: str) -> None:
    assert told(function) == []


def test_a_launch_that_is_not_read_is_said_to_be() -> None:
    assert unread("def run(name, x):\n    mod.get_function(name)((1,), (32,), (x, x, 1))\n") != []


def test_a_public_function_has_free_arguments_beside_those_of_the_main_program() -> None:
    found = told("""
    def run(n):
        x = cp.zeros(n, cp.float32)
        add((n,), (1,), (x, x, np.int32(n)))
    if __name__ == "__main__":
        run(1000)
    """)
    assert sorted(t.geometry() for t in found) == ["grid = 1000, block = 1", "grid = n, block = 1"]


def test_a_private_function_has_what_its_callers_pass() -> None:
    found = one("""
    def _run(n):
        x = cp.zeros(n, cp.float32)
        add((n,), (1,), (x, x, np.int32(n)))
    def public():
        _run(64)
    """)
    assert found.geometry() == "grid = 64, block = 1"


@pytest.mark.parametrize(
    "caller",
    [
        "def public(f):\n    f(_run)\n",
        "def public(*a):\n    _run(*a)\n    _run(3)\n",
        "TABLE = [_run]\ndef public():\n    _run(2)\n",
    ],
)
def test_a_function_that_is_handed_on_may_get_anything(caller: str) -> None:
    text = "def _run(n):\n    x = cp.zeros(n, cp.float32)\n    add((n,), (1,), (x, x, np.int32(n)))\n" + caller
    assert "grid = n, block = 1" in [t.geometry() for t in told(text)]


def test_what_an_inner_function_changes_is_not_known() -> None:
    found = one("""
    def run(x):
        n = 5
        def change():
            nonlocal n
            n = 7
        change()
        add((n,), (1,), (x, x, 1))
    """)
    assert [text.partition(":")[0] for text in found.missing] == ["grid"]


def test_geometry_is_an_expression_of_terms_and_no_text() -> None:
    contracts = _contracts("def run(x):\n    add((x.size,), (64,), (x, x, x.size))\n")
    geometry = next(f.what for f in contracts[0].facts if isinstance(f.what, Geometry))
    assert ("run:x.numel()" in repr(geometry.grid[0]), repr(geometry.block[0])) == (True, "64")


def test_nothing_of_the_file_runs_and_broken_files_have_no_launches() -> None:
    assert told("raise SystemExit\n") == []
    assert told("def run(:\n") == []


def test_what_a_function_gives_is_known_to_its_caller() -> None:
    found = told("""
    def _made(n):
        return cp.zeros(n, cp.float32), n * 2
    def run(n: int):
        x, m = _made(n)
        add((m,), (32,), (x, x, m))
    """)
    assert [(t.function, t.geometry(), t.of("c")) for t in found] == [
        ("run", "grid = 2*n, block = 32", "cupy.zeros({n}), 4*n bytes")
    ]


def test_a_shape_that_is_taken_apart_is_so_many_sizes() -> None:
    found = one("""
    def run(shape):
        rows, cols = shape
        x = cp.empty(shape, dtype=cp.float32)
        add((rows,), (cols,), (x, x, rows * cols))
    """)
    assert found.geometry() == "grid = shape_0, block = shape_1"
    assert found.of("c") == "cupy.empty({shape_0, shape_1}), 4*shape_0*shape_1 bytes"


def test_a_launch_in_a_loop_has_the_counter_of_the_loop() -> None:
    found = one("""
    def run(x):
        for i in range(x.size):
            add((i + 1,), (8,), (x, x, i))
    """)
    assert (found.geometry(), found.of("n")) == ("grid = i + 1, block = 8", "i")
    assert {"i >= 0", "i < x.size"} <= set(found.texts)


def test_a_loop_down_to_zero_counts_powers_of_two() -> None:
    found = one("""
    def run(x, levels):
        for level in range(levels, -1, -1):
            add((2 ** level,), (8,), (x, x, level))
    """)
    assert found.geometry() == "grid = pow2(level), block = 8"


def test_an_inner_function_launches_with_the_names_around_it() -> None:
    found = told("""
    def run(x):
        n = x.size
        def inner(q):
            add((n,), (1,), (x, x, q))
        inner(4)
        return lambda: add((2,), (n,), (x, x, 1))
    """)
    assert [t.geometry() for t in found] == ["grid = x.size, block = 1", "grid = 2, block = x.size"]


def test_what_raises_or_not_is_left_open() -> None:
    found = one("""
    def run(x):
        try:
            n = x.size
        except ValueError:
            n = 3
        add((1,), (32,), (x, x, n))
    """)
    assert [text.partition(":")[0] for text in found.missing] == ["n"]


def test_a_list_of_arguments_may_grow() -> None:
    found = one("""
    def run(x, more: bool):
        args = [x]
        args.append(x)
        args += [x.size]
        add((1,), (32,), args)
    """)
    assert (found.of("n"), found.missing) == ("x.size", ())


def test_tensors_of_torch_are_passed_by_their_addresses() -> None:
    found = told("""
    import torch
    def run(x):
        assert x.dtype == torch.float32
        rows, cols = x.shape
        y = x.new_zeros([rows, cols * 2])
        z = torch.empty(rows, cols)
        n = y.numel()
        add(grid=((n + 511) // 512, 1, 1), block=(512, 1, 1), args=[x.data_ptr(), y.data_ptr(), n])
        add((x.size(0),), (x.shape[-1],), (x.contiguous().data_ptr(), z.data_ptr(), z.nelement()))
    """)
    assert [(t.geometry(), t.of("c"), t.missing) for t in found] == [
        (
            "grid = (x.shape[0]*x.shape[1] + 255) / 256, block = 512",
            "cupy.zeros({x.shape[0], 2*x.shape[1]}), 8*x.shape[0]*x.shape[1] bytes",
            (),
        ),
        (
            "grid = x.shape[0], block = x.shape[1]",
            "cupy.empty({x.shape[0], x.shape[1]}), 4*x.shape[0]*x.shape[1] bytes",
            (),
        ),
    ]


@pytest.mark.parametrize("dialect", ["-std=c++11", "--std=c++14", "-std=gnu++14", "-std=c++17"])
def test_the_dialect_that_a_source_asks_for_costs_no_launch(dialect: str) -> None:
    text = HEAD + textwrap.dedent(f"""
        old = cp.RawModule(code=CODE, options=("{dialect}",)).get_function("wide")
        def run(a):
            old((a.shape[0],), (1,), (a, cp.int64(3)))
    """)
    (source,) = [each for each in embedded_sources(SourceFile("a.py", "/nowhere/a.py", text)) if each.std]
    unit = translate(source.source, parse_options(source, ParseOptions()), "/nowhere").unit
    (contract,) = [each for contracts in contracts_of(unit).values() for each in contracts]
    assert not contract.missing and "grid = a.size(0)" in str([fact.text for fact in contract.facts])


def test_a_function_that_makes_the_kernel_of_a_name_gives_each_caller_its_own() -> None:
    found = told("""\
    def made(name):
        return cp.RawKernel(CODE, name)
    def run(x, y):
        made("sub")((x.size,), (32,), (x, y, cp.int32(7)))
        made("add")((x.size,), (64,), (x, y, cp.int32(8)))
    """)
    assert [(each.kernel, each.geometry(), each.of("n")) for each in found] == [
        ("sub", "grid = x.size, block = 32", "7"),
        ("add", "grid = x.size, block = 64", "8"),
    ]


@pytest.mark.parametrize("count", ["int(np.prod(x.shape))", "math.prod(x.shape)"])
def test_the_product_of_a_shape_is_the_number_of_elements(count: str) -> None:
    found = one(f"""
    def run(x):
        n = {count}
        add(((n + 255) // 256,), (256,), (x, x, np.int32(n)))
    """)
    assert found.of("n") == "x.size" and not found.missing


def test_an_elementwise_kernel_that_a_key_chooses_and_a_name_that_every_branch_deletes_are_left_out() -> None:
    found = told(
        """
        KERNELS = {
            "up": cp.ElementwiseKernel("T x", "T y", "y = x + 1", "up"),
            "down": cp.ElementwiseKernel("T x", "T y", "y = x - 1", "down"),
        }

        def step(x, order, n):
            size = n
            if order == "up":
                del size
            else:
                del size
            y = KERNELS[order](x)
            add((1,), (256,), (x, y, n))
        """
    )
    assert [each.kernel for each in found] == ["add"]
