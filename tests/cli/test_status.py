from __future__ import annotations

from dataclasses import replace

import pytest

from cudalint.cli.status import exit_status
from cudalint.finding import Level, Note, ScanResult, Verdict
from tests.report.factory import BOUNDS, EMPTY, KERNELS, NOTE

PROVED = replace(KERNELS[0], obligations=(KERNELS[0].obligations[1],))
CLEAN = replace(EMPTY, kernels=(PROVED,), files=1)
FAILED = replace(CLEAN, notes=(Note("cannot be read", "k.cu", failed=True),))


@pytest.mark.parametrize(
    ("scan", "level", "status"),
    [
        (CLEAN, "error", 0),
        (EMPTY, "error", 0),
        (replace(CLEAN, findings=(BOUNDS,)), "error", 1),
        (replace(CLEAN, findings=(BOUNDS,)), "never", 0),
        (replace(CLEAN, findings=(replace(BOUNDS, level=Level.WARNING),)), "error", 0),
        (replace(CLEAN, findings=(replace(BOUNDS, level=Level.WARNING),)), "warning", 1),
        (replace(CLEAN, findings=(NOTE,)), "warning", 0),
        (replace(CLEAN, findings=(NOTE,)), "note", 1),
        (FAILED, "error", 3),
        (replace(FAILED, findings=(BOUNDS,)), "error", 1),
        (replace(CLEAN, notes=(Note("said"),)), "error", 0),
    ],
)
def test_status(scan: ScanResult, level: str, status: int) -> None:
    assert exit_status(scan, level) == status


def test_holes_and_unknowns_count_only_where_required() -> None:
    scan = replace(EMPTY, kernels=KERNELS)
    assert exit_status(scan, "error") == 0
    assert exit_status(scan, "error", require_complete=True) == 3
    assert exit_status(scan, "error", require_proof=True) == 3
    assert exit_status(CLEAN, "error", require_complete=True, require_proof=True) == 0
    obligation = replace(PROVED.obligations[0], verdict=Verdict.UNKNOWN)
    assert exit_status(replace(CLEAN, kernels=(replace(PROVED, obligations=(obligation,)),)), "error", False, True) == 3
