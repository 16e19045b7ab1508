"""What a GPU left of real kernels, as a table: a kernel is as equal as the least equal of its launches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.gpu import sanitizer_table
from tests.gpu.real_kernels.table import DIFFERS, EQUAL, NEAR, NOT_RUN, main, row_of
from tests.gpu.run_all import write_results


def result(
    id_: str, verdict: str = "clean", near: tuple[str, ...] = (), compared: tuple[str, ...] = ("x",)
) -> dict[str, Any]:
    return {
        "id": id_, "verdict": verdict, "compared": list(compared), "near": list(near), "detail": f"detail of {id_}",
        "versions": {"gpu": "some GPU"},
    }  # fmt: skip


def kernel(*plans: str, reasons: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "repository": "r", "file": "a.cu", "kernel": "k", "launches": len(plans) + len(reasons), "plans": list(plans),
        "reasons": list(reasons),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("results", "outcome", "compared"),
    [
        ([result("1"), result("2")], EQUAL, 2),
        ([result("1"), result("2", near=("y",))], NEAR, 2),
        ([result("1", near=("x",), compared=())], NEAR, 1),
        ([result("1"), result("2", "differs")], DIFFERS, 2),
        ([result("1"), result("2", "error")], EQUAL, 1),
        ([result("1", "error")], NOT_RUN, 0),
        ([result("1", compared=())], NOT_RUN, 0),
    ],
)
def test_outcomes(results: list[dict[str, Any]], outcome: str, compared: int) -> None:
    row = row_of(kernel(*(r["id"] for r in results)), {r["id"]: r for r in results})
    assert (row.outcome, row.compared) == (outcome, compared)


def test_what_was_not_run_says_why() -> None:
    assert row_of(kernel(reasons=("no plan",)), {}).detail == "no plan"
    assert row_of(kernel("1"), {}).detail == "no result"
    assert row_of(kernel("1"), {"1": result("1", "error")}).detail == "detail of 1"


@pytest.mark.parametrize("out", ["results", "results.json"])
def test_the_table_is_made_of_a_folder_or_of_one_file(tmp_path: Path, out: str) -> None:
    write_results(tmp_path / out, [result("1"), result("2", near=("y",))])
    index = {"commits": {"r": "0123456789abcdef"}, "kernels": [kernel("1"), kernel("2")]}
    (tmp_path / "kernels.json").write_text(json.dumps(index))
    assert main([str(tmp_path / out), str(tmp_path), str(tmp_path / "table.md")]) == 0
    text = (tmp_path / "table.md").read_text()
    assert "| r | 0123456789ab | 2 | 1 | 1 | 0 | 0 |" in text and "gpu some GPU" in text
    assert "| `k` | r/a.cu | 1 of 1 | equal byte for byte |" in text


def witness(id_: str, seconds: float, *lines: int, status: str = "ok") -> dict[str, Any]:
    reports = [{"kind": "race", "lines": [line], "text": "Race reported"} for line in lines]
    return {
        "id": id_, "verdict": "confirmed", "expected": ["race"], "code": "SYN101", "path": "bad.cu", "kernel": "k",
        "detail": "race: the line before (bad.cu:7)", "versions": {"gpu": "some GPU"}, "seconds": seconds,
        "observations": {"sanitizer": {"status": status, "tool": "racecheck", "reports": reports}},
    }  # fmt: skip


def test_the_sanitizer_is_told_by_the_line_that_it_names(tmp_path: Path) -> None:
    both = [witness("a", 3.0, 7), witness("b", 3.0, 9), witness("c", 3.0), witness("d", 9.0, status="timeout")]
    (tmp_path / "both0.json").write_text(json.dumps({"results": both}))
    (tmp_path / "ours0.json").write_text(json.dumps({"results": [{**w, "seconds": 1.0} for w in both]}))
    assert sanitizer_table.main([str(tmp_path), str(tmp_path / "out.md")]) == 0
    text = (tmp_path / "out.md").read_text()
    assert "| SYN101 | 4 | 4 | 1.00 | 1 | 1 | 1 | 1 | 2.00 |" in text
    assert "- SYN101 bad.cu `k`: racecheck: nothing" in text
    assert "- SYN101 bad.cu `k`: racecheck: timeout" in text
