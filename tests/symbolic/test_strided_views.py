"""Structs with sizes and strides by dimension: an index is held against those of its own array alone."""

from __future__ import annotations

import pytest

from cudalint.finding import Confidence, Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts

PROGRAM = """
template <class T, int N> struct Tensor {
  T *data_; long stride_[N]; long size_[N]; MORE
  __device__ __host__ long getSize(int i) const { return size_[i]; }
  __device__ T &at(long i, long j) const { return data_[i * stride_[0] + j * stride_[1]]; }
};
__global__ void k(Tensor<float, 2> x, Tensor<float, 2> y) {
  long i = blockIdx.x, j = threadIdx.x + (long)blockIdx.y * blockDim.x;
  BODY
}
void run(Tensor<float, 2> x, Tensor<float, 2> y) {
  k<<<dim3(x.getSize(0), (x.getSize(1) + 255) / 256), 256>>>(x, y);
}
"""
INSIDE = "if (i < x.getSize(0) && j < x.getSize(1)) "


@pytest.mark.parametrize(
    ("body", "more", "left"),
    [
        pytest.param(f"{INSIDE} x.at(i, j) = 1;", "", {}, id="inside"),
        pytest.param("if (j <= x.getSize(1)) x.at(i, j) = 1;", "", {"x.data_"}, id="one more"),
        pytest.param(f"{INSIDE} x.at(j, i) = 1;", "", {"x.data_"}, id="the other way round"),
        pytest.param(f"{INSIDE} x.at(i, j) = y.at(i, j);", "", {}, id="of another one nobody says"),
        pytest.param("if (j <= x.getSize(1)) x.at(i, j) = 1;", "int ndim;", {}, id="a rank of its own"),
    ],
)
def test_which_arrays_are_left(body: str, more: str, left: set[str]) -> None:
    text = PROGRAM.replace("BODY", body).replace("MORE", more)
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    found = analyse(unit, unit.functions[kernel], contract)
    wrong = [o for o in found.obligations if o.verdict is Verdict.VIOLATED and o.kind == "bounds"]
    assert {o.object.name for o in wrong if o.object is not None} == set(left)
    assert all(o.confidence is Confidence.HIGH for o in wrong)
