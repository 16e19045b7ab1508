"""Annotations in a scan: a launch that breaks one is found where it stands, and --untrusted lists what it ignores."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Verdict

SOURCE = """// cudalint: assume n % 4 == 0 ; extent(x) = n
__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = n; }
void run(float *x) {
  k<<<4, 256>>>(x, 1001);
}
"""


def test_a_broken_promise_is_found_at_the_launch(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(SOURCE)
    result = scan(ScanOptions(paths=(str(tmp_path),), jobs=1))
    broken = [f for f in result.findings if f.code == "CUL003"]
    assert [(f.span.line, f.message) for f in broken] == [(4, "run() launches `k` without keeping `assume n % 4 == 0`")]
    assert not any(f.code == "CUL002" for f in result.findings)


def test_untrusted_annotations_are_listed_and_have_no_effect(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(SOURCE)
    result = scan(ScanOptions(paths=(str(tmp_path),), jobs=1, untrusted=True))
    assert not any(f.code == "CUL003" for f in result.findings)
    assert [note.text for note in result.notes if "ignored" in note.text] == [
        "kernel `k`: annotations ignored (--untrusted): assume n % 4 == 0 ; extent(x) = n"
    ]
    assert not any(a.origin == "annotation" for k in result.kernels for o in k.obligations for a in o.facts)


PASSED = """// cudalint: extent(x) = 1000 ; RANGE
__global__ void last(float *x, int n) { x[n - 1] = 0; }
void run(float *x, int n) { last<<<1, 1>>>(x, n); }
"""


@pytest.mark.parametrize(
    ("range_", "verdict"),
    [
        ("assume 0 < n <= 1000", Verdict.SAFE),
        ("assume 0 < n <= 1001", Verdict.VIOLATED),
    ],
)
def test_a_range_holds_of_what_a_launch_passes(tmp_path: Path, range_: str, verdict: Verdict) -> None:
    (tmp_path / "k.cu").write_text(PASSED.replace("RANGE", range_))
    result = scan(ScanOptions(paths=(str(tmp_path),), jobs=1))
    bounds = [o for k in result.kernels for o in k.obligations if o.kind == "global-write-bounds"]
    assert [o.verdict for o in bounds] == [verdict]
