"""Vectors of sizes: written out, filled one by one, or those of a tensor with another last one."""

from __future__ import annotations

import pytest

from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts

PROGRAM = """
#include <torch/extension.h>
__global__ void act(float *out, const float *in, int d) {
  const int64_t t = blockIdx.x;
  for (int i = threadIdx.x; i < d; i += blockDim.x) out[t * STRIDE + i] = in[t * d];
}
torch::Tensor run(torch::Tensor in, int64_t rows, bool wide) {
  TORCH_CHECK(in.is_contiguous() && in.scalar_type() == torch::kFloat RANK);
  const int64_t n = in.numel() / in.size(-1);
  const int d = in.size(-1);
  TORCH_CHECK(n > 0 && n < 5000 && d > 0 && d < 5000);
  SHAPE
  auto out = torch::empty(shape, in.options());
  act<<<n, 128>>>(out.data_ptr<float>(), in.data_ptr<float>(), d);
  return out;
}
"""
RANK_2 = "&& in.dim() == 2"
WRITTEN = "std::vector<int64_t> shape = {in.size(0), in.size(1)};"
FILLED = "std::vector<int64_t> shape; shape.push_back(in.size(0)); shape.push_back(d);"
COPIED = "auto shape = in.sizes().vec();"


@pytest.mark.parametrize(
    ("shape", "rank", "stride", "verdict"),
    [
        pytest.param(WRITTEN, RANK_2, "d", Verdict.SAFE, id="written out"),
        pytest.param(WRITTEN, RANK_2, "2 * d", Verdict.VIOLATED, id="written out, another stride"),
        pytest.param(FILLED, RANK_2, "d", Verdict.SAFE, id="filled"),
        pytest.param(FILLED, RANK_2, "2 * d", Verdict.VIOLATED, id="filled, another stride"),
        pytest.param(f"{COPIED} shape[1] = d / 2;", RANK_2, "d", Verdict.VIOLATED, id="a place of a known rank"),
        pytest.param(f"{COPIED} shape.back() = d;", "", "d", Verdict.SAFE, id="the last"),
        pytest.param(f"{COPIED} shape.back() = d / 2;", "", "d", Verdict.VIOLATED, id="a shorter last"),
        pytest.param(f"{COPIED} shape[shape.size() - 1] = d / 2;", "", "d", Verdict.VIOLATED, id="by its number"),
        pytest.param(f"{COPIED} shape[0] = 2 * rows; shape.back() = d;", "", "d", Verdict.UNKNOWN, id="another, too"),
        pytest.param(f"{COPIED} shape.pop_back(); shape.push_back(d);", "", "d", Verdict.UNKNOWN, id="taken away"),
        pytest.param(
            f"{COPIED} shape.back() = d / 2; auto old = shape; old.back() = d; shape = old;", "", "d", Verdict.UNKNOWN,
            id="copied",
        ),
        pytest.param(f"{COPIED} if (wide) shape[rows] = 1;", "", "d", Verdict.UNKNOWN, id="at times"),
    ],
)  # fmt: skip
def test_what_is_made_of_a_vector_of_sizes(shape: str, rank: str, stride: str, verdict: Verdict) -> None:
    text = PROGRAM.replace("SHAPE", shape).replace("RANK", rank).replace("STRIDE", stride)
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    found = analyse(unit, unit.functions[kernel], contract)
    assert [o.verdict for o in found.obligations if (o.kind, o.access) == ("bounds", "write")] == [verdict]
