"""Kernels whose launches are all written for one thread, and cannot be followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Verdict

CLAMP = """
template <typename T> __global__ void clamp_down(T *value, T limit) { value[0] = value[0] < limit ? T(0) : value[0]; }
template <typename View> void step(View view) {
  clamp_down<<<LAUNCH>>>(view.data_handle(), static_cast<typename View::value_type>(1e-9));
}
"""


@pytest.mark.parametrize(("launch", "told"), [("1, 1", False), ("dim3(1), dim3(1, 1, 1)", False), ("1, 32", True)])
def test_one_thread_races_with_nobody_and_proves_nothing(tmp_path: Path, launch: str, told: bool) -> None:
    file = tmp_path / "clamp.cu"
    file.write_text(CLAMP.replace("LAUNCH", launch))
    result = scan(ScanOptions((str(file),), project_root=str(tmp_path)))
    assert any(f.code == "SYN102" for f in result.findings) is told
    (kernel,) = result.kernels
    assert all(o.verdict is not Verdict.SAFE for o in kernel.obligations if not o.kind.endswith("overflow")) or told


KERNEL = "template <typename T> __global__ void close_sum(T *sum, int n) { sum[0] = T(1) / (sum[0] - n); }\n"
STEP = """#pragma once
#include "missing/views.hpp"
#include "close.cuh"
template <typename View> void step(View view) { ns::close_sum<typename View::value_type><<<LAUNCH, 0, stream>>>(view.data(), 3); }
"""


@pytest.mark.parametrize(("launch", "told"), [("1, 1", False), ("2, 1", True), ("1, THREADS", True)])
def test_a_header_is_launched_as_the_headers_that_include_it_say(tmp_path: Path, launch: str, told: bool) -> None:
    """A template of which nothing makes an instance launches, in a file that is not read with the kernel."""
    (tmp_path / "close.cuh").write_text(KERNEL)
    (tmp_path / "step.cuh").write_text(STEP.replace("LAUNCH", launch))
    (tmp_path / "main.cu").write_text('#include "step.cuh"\n')
    result = scan(ScanOptions((str(tmp_path),), project_root=str(tmp_path)))
    assert any(f.code == "SYN102" for f in result.findings) is told
