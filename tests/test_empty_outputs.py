"""An output of no elements, as rows of one element that are halved have: nothing of it stays unset."""

from __future__ import annotations

from pathlib import Path

from cudalint.engine.options import ScanOptions
from cudalint.engine.scan import scan

HALVED = """
#include <torch/extension.h>
template <typename T> __global__ void act(T *out, const T *in, int d) {
  const int64_t t = blockIdx.x;
  for (int i = threadIdx.x; i < d; i += blockDim.x) out[t * d + i] = in[t * 2 * d + i] * in[t * 2 * d + d + i];
}
torch::Tensor halved(torch::Tensor input) {
  TORCH_CHECK(input.is_contiguous() && input.scalar_type() == torch::kFloat && input.dim() == 2);
  int64_t num_tokens = input.size(0);
  int d = input.size(1) / 2;
  auto out = torch::empty({num_tokens, d}, input.options());
  act<float><<<num_tokens, 256>>>(out.data_ptr<float>(), input.data_ptr<float>(), d);
  return out;
}
"""


def test_rows_without_elements_are_no_gap(tmp_path: Path) -> None:
    (tmp_path / "cudalint.toml").write_text("")
    (tmp_path / "k.cu").write_text(HALVED)
    result = scan(ScanOptions((str(tmp_path),), project_root=str(tmp_path), jobs=1, cache=False, profile="audit"))
    assert not any("internal error" in note.text for note in result.notes)
    assert [kernel.name for kernel in result.kernels if kernel.obligations] == ["act"]
