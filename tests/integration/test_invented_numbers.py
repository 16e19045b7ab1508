"""Numbers that stand for constants of headers that are not there, and for arguments of templates, make no finding."""

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Finding, Verdict

TABLE_OF_FEATURES = """
#include <cuda_runtime.h>

template <int FEATURES>
__global__ void scaled(float* y, int n) {
    constexpr float SCALES[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] *= SCALES[4 * FEATURES];
}
"""

TILE_OF_A_LOST_SIZE = """
#include <cuda_runtime.h>
#include <device/tiles.h>

constexpr int ROW = TILE_SIDE + 1;

__global__ void mirror(const float* x, float* y) {
    __shared__ float tile[2][ROW];
    tile[blockIdx.y % 2][threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    y[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockIdx.y % 2][blockDim.x - 1 - threadIdx.x];
}

cudaError_t run_mirror(const float* x, float* y, int blocks) {
    mirror<<<blocks, 256>>>(x, y);
    return cudaGetLastError();
}
"""


def errors(folder: Path, text: str) -> list[Finding]:
    (folder / "k.cu").write_text(text)
    result = scan(ScanOptions((str(folder / "k.cu"),), project_root=str(folder), jobs=1))
    assert [kernel.complete for kernel in result.kernels]
    return [f for f in result.findings if f.code.startswith("IDX")]


@pytest.mark.parametrize("text", [TABLE_OF_FEATURES, TILE_OF_A_LOST_SIZE], ids=["template", "header"])
def test_what_rests_on_an_invented_number_is_not_shown(tmp_path: Path, text: str) -> None:
    assert not errors(tmp_path, text)


def test_what_goes_wrong_for_any_number_is(tmp_path: Path) -> None:
    (found,) = errors(tmp_path, TABLE_OF_FEATURES.replace("4 * FEATURES", "12 + FEATURES"))
    assert found.code == "IDX103"


def test_what_goes_wrong_for_a_number_that_is_written_is(tmp_path: Path) -> None:
    used = "\ntemplate __global__ void scaled<4>(float*, int);\n"
    assert [f.code for f in errors(tmp_path, TABLE_OF_FEATURES + used)] == ["IDX103"]
    known = TILE_OF_A_LOST_SIZE.replace("#include <device/tiles.h>", "#define TILE_SIDE 32")
    assert {f.code for f in errors(tmp_path, known)} == {"IDX102"}


def test_a_table_that_python_may_fill_is_not_known(tmp_path: Path) -> None:
    kernel = """
__constant__ int place[4] = {0, 1, 2, 3};
extern "C" __global__ void k(float* y) {
    __shared__ float s[4];
    if (threadIdx.x < 4) s[place[threadIdx.x]] = 1.0f;
    __syncthreads();
    if (threadIdx.x < 4) y[threadIdx.x] = s[threadIdx.x];
}
"""
    python = f"import cupy\nmodule = cupy.RawModule(code=r'''{kernel}''')\nplace = module.get_global('place')\n"
    for name, text, proved in (("k.cu", kernel, True), ("k.py", python, False)):
        (tmp_path / name).write_text(text)
        result = scan(ScanOptions((str(tmp_path / name),), project_root=str(tmp_path), jobs=1))
        written = [o for k in result.kernels for o in k.obligations if o.kind.startswith("shared-write")]
        assert written and all(o.verdict is Verdict.SAFE for o in written) is proved


STEP_ALONG = """
#include <cuda_runtime.h>
struct Array { float* data; int dims[4], strides[4]; };

template <typename T, unsigned dim>
__global__ void differences(Array out, Array in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < out.dims[0]) combined<T>(out.data[i], in.data[i + in.strides[dim]], in.data[i]);
}
"""


def test_a_dimension_that_we_chose_is_not_shown_of_a_kernel_with_holes_either(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(STEP_ALONG)
    result = scan(ScanOptions((str(tmp_path / "k.cu"),), project_root=str(tmp_path), jobs=1))
    assert not [f for f in result.findings if f.code == "IDX103"]
