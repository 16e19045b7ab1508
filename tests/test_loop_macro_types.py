"""A loop of a macro that nothing defines counts in the type that it is given: elements beyond that are not proved."""

from pathlib import Path

import pytest

from cudalint.engine.options import ScanOptions
from cudalint.engine.scan import scan
from cudalint.finding import Verdict

PROGRAM = """
#include <cuda_runtime.h>
template <typename T>
__global__ void fill(T *x, int64_t n) {
  LOOP { x[i] = 0; }
}
void run(int64_t n) {
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  fill<float><<<4096, 256>>>(x, n);
}
"""


def overflows(folder: Path, loop: str) -> set[Verdict]:
    (folder / "cudalint.toml").write_text("")
    (folder / "k.cu").write_text(PROGRAM.replace("LOOP", loop))
    result = scan(ScanOptions((str(folder),), project_root=str(folder), jobs=1, select=("IDX101", "IDX201")))
    return {o.verdict for kernel in result.kernels for o in kernel.obligations if "race" not in o.kind}


@pytest.mark.parametrize("loop", ["KERNEL_LOOP_TYPE(i, n, int)", "KERNEL_LOOP_T(int32_t, i, n)"])
def test_a_counter_of_32_bits_is_not_safe_up_to_a_bound_of_64(tmp_path: Path, loop: str) -> None:
    assert overflows(tmp_path, loop) == {Verdict.UNKNOWN, Verdict.VIOLATED}


@pytest.mark.parametrize("loop", ["KERNEL_LOOP_TYPE(i, n, int64_t)", "KERNEL_LOOP_T(int64_t, i, n)"])
def test_a_counter_of_64_bits_is(tmp_path: Path, loop: str) -> None:
    assert overflows(tmp_path, loop) == {Verdict.SAFE}
