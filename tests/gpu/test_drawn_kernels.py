"""Plans of drawn launches are made where there is no GPU: a kernel under its contract has three."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.gpu.drawn_kernels import main

SCALE = """
__global__ void scale(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2.0f; }
void run(int n) { float *x; cudaMalloc(&x, n * 4); scale<<<(n + 255) / 256, 256>>>(x, n); }
"""


def test_a_kernel_under_its_contract_has_three_plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "clones" / "one").mkdir(parents=True)
    (tmp_path / "clones" / "one" / "k.cu").write_text(SCALE)
    monkeypatch.setenv("CUDALINT_CORPORA", str(tmp_path / "clones"))
    monkeypatch.setattr("sys.argv", ["drawn_kernels", str(tmp_path / "out"), "one", "--seconds", "60"])
    main()
    (kernel,) = json.loads((tmp_path / "out" / "kernels.json").read_text())["kernels"]
    assert len(kernel["plans"]) == kernel["launches"] == 3
