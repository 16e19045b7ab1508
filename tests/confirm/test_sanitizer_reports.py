"""Reports of compute-sanitizer become kinds and lines."""

from __future__ import annotations

import pytest

from cudalint.confirm.gpu import sanitizer
from cudalint.confirm.gpu.results import judge
from tests.confirm.fake_device import make_plan

MEMCHECK = """\
========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at saxpy(int, float, const float *, float *)+0x110 in /tmp/a/9f.cubin.cu:6
=========     by thread (96,0,0) in block (3,0,0)
=========     Access at 0x7f5a400003e8 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f5a40000000 of size 1000 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: cuLaunchKernel [0x2f1a] in libcuda.so.1
=========         Host Frame: main in child.py:99 [0x12]
=========
========= ERROR SUMMARY: 1 error
"""
MISALIGNED = """\
========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 16 bytes
=========     at scale_rows(const float *, float *, int, float)+0x130 in /tmp/a/9f.cubin.cu:9
=========     by thread (0,0,0) in block (1,0,0)
=========     Access to 0x7f34e8000fa4 is misaligned
=========     and is inside the nearest allocation at 0x7f34e8000000 of size 256256 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========
========= ERROR SUMMARY: 1 error
"""
RACECHECK = """\
========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at sum(int *)+0x1b0 in /tmp/a/9f.cubin.cu:10
=========     and Read access at sum(int *)+0x1d0 in /tmp/a/9f.cubin.cu:12 [126 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""
SYNCCHECK = """\
========= COMPUTE-SANITIZER
========= Barrier error detected. Divergent thread(s) in block.
=========     at both(float *)+0x70 in /tmp/a/9f.cubin.cu:8
=========     by thread (32,0,0) in block (0,0,0)
=========
========= ERROR SUMMARY: 1 error
"""


@pytest.mark.parametrize(
    ("output", "kind", "lines"),
    [
        (MEMCHECK, "out_of_bounds", (6,)),
        (MISALIGNED, "misaligned", (9,)),
        (RACECHECK, "race", (10, 12)),
        (SYNCCHECK, "divergence", (8,)),
    ],
)
def test_reports_become_kinds_and_lines(output: str, kind: str, lines: tuple[int, ...]) -> None:
    (report,) = sanitizer.parse(output)
    assert (report.kind, report.lines) == (kind, lines)


def test_a_clean_report_is_empty() -> None:
    assert sanitizer.parse("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n") == []


def test_a_report_at_the_expected_line_confirms() -> None:
    plan = make_plan(expectation={"kinds": ["out_of_bounds"], "lines": [["k.cu", 6]], "blocks": []})
    reports = [report.as_json() for report in sanitizer.parse(MEMCHECK)]
    judged = judge(plan, {"sanitizer": {"tool": "memcheck", "status": "ok", "reports": reports}})
    assert (judged["verdict"], judged["by"]) == ("confirmed", "compute-sanitizer memcheck")
