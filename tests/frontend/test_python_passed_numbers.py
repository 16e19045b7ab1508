"""Numbers and arrays that a Python launch hands to a kernel as another type than its parameter has."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan

FILE = '''
import cupy as cp
import numpy as np
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

CODE = r"""
extern "C" __global__ void mix(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
"""
mix = cp.RawKernel(CODE, "mix")
n = 4096
x = cp.zeros(n, dtype=cp.float32)
y = cp.empty(n, dtype=cp.float32)
'''


def told(tmp_path: Path, lines: str) -> list[str]:
    """The messages of API127 about the launches."""
    path = tmp_path / "mixing.py"
    path.write_text(FILE + lines)
    options = ScanOptions(paths=(str(path),), project_root=str(tmp_path), confirm="off", jobs=1, select=("API127",))
    result = scan(options)
    assert result.kernels
    return [finding.message for finding in result.findings]


@pytest.mark.parametrize(
    ("number", "held"),
    [
        ("0.5", "float64"),
        ("-0.5", "float64"),
        ("n / 8192", "float64"),
        ("float(n)", "float64"),
        ("np.float64(0.5)", "float64"),
        ("cp.float16(0.5)", "float16"),
        ("2", "int64"),
        ("np.int32(2)", "int32"),
    ],
)
def test_bytes_of_another_type_are_told(tmp_path: Path, number: str, held: str) -> None:
    found = told(tmp_path, f"mix((16,), (256,), (x, y, {number}, n))\n")
    assert found == [f"what is passed is {held}, and the kernel takes argument 3 for float"]


@pytest.mark.parametrize("number", ["cp.float32(0.5)", "np.float32(n / 3)", "np.single(1)", "x.mean()"])
def test_the_type_of_the_parameter_and_what_is_not_known_are_fine(tmp_path: Path, number: str) -> None:
    assert told(tmp_path, f"mix((16,), (256,), (x, y, {number}, cp.int32(n)))\n") == []


def test_the_low_bytes_of_an_integer_are_the_narrower_one(tmp_path: Path) -> None:
    assert told(tmp_path, "mix((16,), (256,), (x, y, cp.float32(1), n))\n") == []


def test_a_real_number_is_no_integer(tmp_path: Path) -> None:
    found = told(tmp_path, "mix((16,), (256,), (x, y, cp.float32(1), 4096.0))\n")
    assert found == ["what is passed is float64, and the kernel takes argument 4 for int"]


def test_arrays_of_doubles_are_no_floats(tmp_path: Path) -> None:
    found = told(tmp_path, "mix((16,), (256,), (cp.random.rand(n), y, cp.float32(1), n))\n")
    assert len(found) == 1 and found[0].endswith("holds double, and the kernel takes `x` for float")


def test_arrays_of_callers_may_have_any_type(tmp_path: Path) -> None:
    assert told(tmp_path, "def run(v, a):\n    mix((16,), (256,), (v, y, a, n))\n") == []


def test_a_function_is_told_with_what_its_callers_pass(tmp_path: Path) -> None:
    found = told(tmp_path, "def run(a):\n    mix((16,), (256,), (x, y, a, n))\n\nrun(0.25)\n")
    assert found == ["what is passed is float64, and the kernel takes argument 3 for float"]


def test_prepared_calls_convert_numbers(tmp_path: Path) -> None:
    lines = """
module = SourceModule(CODE)
prepared = module.get_function("mix")
prepared.prepare("PPfi")
a = gpuarray.zeros(n, np.float32)
b = gpuarray.empty(n, np.float32)
prepared.prepared_call((16, 1), (256, 1, 1), a.gpudata, b.gpudata, 0.5, n)
"""
    assert told(tmp_path, lines) == []


@pytest.mark.parametrize(("type_", "told_of"), [("T", 0), ("float32", 1)])
def test_a_type_variable_is_the_type_that_the_array_has(tmp_path: Path, type_: str, told_of: int) -> None:
    kernel = f'sums = cp.ElementwiseKernel("raw {type_} a, int32 m", "{type_} w", "w = a[i % m]", "sums")\n'
    assert len(told(tmp_path, kernel + "sums(cp.zeros(n, dtype=cp.float64), n, size=n)\n")) == told_of
