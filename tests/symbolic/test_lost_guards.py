"""A bound that the host code lost keeps nobody inside and lets nobody out: what rests on it alone is no finding to be shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Finding

SCALED = """
#include <torch/extension.h>
__global__ void scale(const float* w, const float* by, float* y, int columns, int groups, long total) {
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i GUARD total) return;
    y[i] = w[i] * by[i / columns * groups];
}
torch::Tensor scaled(torch::Tensor w, torch::Tensor by, int64_t group) {
    TORCH_CHECK(w.dim() == 2 && w.is_contiguous() && group > 0);
    int rows = w.size(0), columns = w.size(1);
    int groups = (columns + (int)group - 1) / (int)group;
    auto factors = BESIDE;
    auto y = torch::empty_like(w);
    long total = (long)rows * columns;
    scale<<<(total + 255) / 256, 256>>>(w.data_ptr<float>(), factors.data_ptr<float>(), y.data_ptr<float>(), columns,
                                        groups, total);
    return y;
}
"""
COPIED = "by.reshape({rows, groups}).frobnicated(127.0)"
CHANGED = "by.frobnicated(rows, groups)"


def bounds(beside: str, folder: Path, guard: str = ">=") -> list[Finding]:
    path = folder / "scale.cu"
    path.write_text(SCALED.replace("BESIDE", beside).replace("GUARD", guard))
    return [f for f in scan(ScanOptions((str(path),))).findings if f.code == "IDX101"]


@pytest.mark.parametrize("beside", [COPIED, CHANGED], ids=["copied", "changed"])
def test_a_call_that_is_not_understood_between_a_size_and_its_guard_is_no_defect(beside: str, tmp_path: Path) -> None:
    assert not bounds(beside, tmp_path)


def test_numbers_in_a_list_keep_their_values_behind_a_call_that_is_not_understood(tmp_path: Path) -> None:
    (finding,) = bounds(COPIED, tmp_path, guard=">")
    assert finding.span.line == 6


@pytest.mark.parametrize("method", ["div", "clamp", "pow", "sub", "softmax", "masked_fill"])
def test_methods_of_tensors_that_compute_an_element_each_change_none_of_their_arguments(
    method: str, tmp_path: Path
) -> None:
    (finding,) = bounds(f"by.{method}(by, rows).contiguous()", tmp_path, guard=">")
    assert finding.span.line == 6
