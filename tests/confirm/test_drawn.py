"""Accesses that the solver leaves open are tried in drawn launches: what leaves its object there is a finding with that launch."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Finding

WINDOW = """
#include <torch/extension.h>
__global__ void pool(const float* x, float* y, int C, int H, int W, int K, int step, int OH, int OW, int total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int ow = i % OW, oh = (i / OW) % OH, c = i / (OW * OH);
    float best = -1e30f;
    for (int a = 0; a < K; ++a)
        for (int b = 0; b < K; ++b)
            best = fmaxf(best, x[(c * H + oh * step + a) * W + ow * step + b]);
    y[i] = best;
}
torch::Tensor pooled(torch::Tensor x, int64_t K, int64_t step) {
    TORCH_CHECK(x.dim() == 3 && x.is_contiguous() && x.scalar_type() == torch::kFloat);
    auto C = x.size(0), H = x.size(1), W = x.size(2);
    TORCH_CHECK(K > 0 && step > 0 && K <= H && K <= W);
    auto OH = (H - K) / step + 1;
    auto OW = (W - K) / step + 1;
    auto y = torch::empty({C, OH, OW}, x.options());
    int total = y.numel();
    pool<<<(total + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), C, H, W, K, step, OH, OW, total);
    C10_CUDA_CHECK(cudaGetLastError());
    return y;
}
"""
WRONG_STRIDE = WINDOW.replace("+ a) * W +", "+ a) * H +")
WRONG_COUNT = WINDOW.replace("auto OH = (H - K) / step + 1;", "auto OH = (H - K + step) / step + 1;")


def bounds(source: str, folder: Path, confirm: str = "emulate") -> list[Finding]:
    path = folder / "pool.cu"
    path.write_text(source)
    found = scan(ScanOptions((str(path),), confirm=confirm)).findings
    return [finding for finding in found if finding.code == "IDX101"]


def test_a_correct_window_gives_no_finding(tmp_path: Path) -> None:
    assert not bounds(WINDOW, tmp_path)


@pytest.mark.parametrize("source", [WRONG_STRIDE, WRONG_COUNT], ids=["stride", "count"])
def test_a_wrong_window_is_found_with_the_launch_that_shows_it(source: str, tmp_path: Path) -> None:
    (finding,) = bounds(source, tmp_path)
    assert "best, x[" in source.splitlines()[finding.span.line - 1]
    witness = finding.witness
    assert witness is not None and witness.index is not None and witness.extent is not None
    assert not 0 <= witness.index < witness.extent
    assert finding.evidence.value == "emulated"


def test_vectors_are_not_tried_with_sizes_that_are_no_multiple_of_them(tmp_path: Path) -> None:
    source = """
#include <cuda_runtime.h>
__global__ void rows(const float4 *x, float4 *y, int n, int per) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / (per / 4), col = i % (per / 4);
    if (row < n / per) y[row * (per / 4) + col] = x[row * (per / 4) + col];
}
void run(int n, int per) {
    if (per < 4 || n < per || n > 4096) return;
    float *x, *y;
    cudaMalloc(&x, n / per * per * sizeof(float));
    cudaMalloc(&y, n / per * per * sizeof(float));
    rows<<<(n + 127) / 128, 128>>>((float4 *)x, (float4 *)y, n, per);
}
"""
    assert not bounds(source, tmp_path)
