"""How two reports of one file are compared."""

from __future__ import annotations

from typing import Any

from tests.benchmarks.speed import Compared, Scanned, difference, table


def report(verdict: str = "safe", findings: int = 1, **more: Any) -> dict[str, Any]:
    access = {"kind": "global-read-bounds", "path": "a.cu", "line": 3, "column": 5, "verdict": verdict}
    found = [{"code": "IDX101", "path": "a.cu", "line": line, "kernel": "k"} for line in range(findings)]
    return {"findings": found, "kernels": [{"name": "k", "obligations": [access]}], **more}


def test_equal_reports_are_the_same() -> None:
    assert difference(report(), report()) == "same"


def test_what_is_gone_and_what_is_new_is_counted() -> None:
    assert difference(report(findings=3), report(verdict="unknown", findings=1)) == "findings -2 +0, verdicts -1 +1"


def test_notes_alone_are_no_finding() -> None:
    assert difference(report(notes=[]), report(notes=["1 launches not walked"])) == "same findings and verdicts"


def test_a_scan_without_a_report_is_told() -> None:
    assert difference(report(), None) == "no report"


def test_the_ratio_of_all_files_is_that_of_their_sums() -> None:
    rows = [
        Compared("a/a.cu", Scanned(30.0, report()), Scanned(10.0, report())),
        Compared("a/b.cu", Scanned(10.0, report()), Scanned(10.0, report())),
    ]
    lines = table(rows, "former", 2, "a 123").splitlines()
    assert "| a/a.cu | 30.0 | 10.0 | 0.33 | same |" in lines
    assert lines[-1] == "| all | 40.0 | 20.0 | 0.50 | |"
