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
