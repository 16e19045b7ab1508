"""`cudalint import LOG`: reports of runs made elsewhere confirm findings at the same access, or are findings of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cudalint.cli.main import run
from cudalint.confirm.sanitizer_log import Frame, LogError, read

ROOT = Path(__file__).parents[2]
SHOWCASE = ROOT / "fixtures" / "showcase"
HEAD, TAIL = "========= COMPUTE-SANITIZER\n", "=========\n========= ERROR SUMMARY: 1 error\n"
OUT_OF_BOUNDS = """\
========= Invalid __global__ read of size 4 bytes
=========     at saxpy(int, float, const float *, float *)+0x110 in /build/7/fixtures/showcase/saxpy.cu:6
=========     by thread (1,0,0) in block (0,0,0)
=========     Address 0x7f1240000004 is out of bounds
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: run_saxpy in saxpy.cu:16
"""
RACE = """\
========= Error: Race reported between Write access at block_sum(float *)+0x90 in block_sum.cu:10
=========     and Read access at block_sum(float *)+0xa0 in block_sum.cu:10 [126 hazards]
"""
UNSET = """\
========= Uninitialized __global__ memory read of size 4 bytes
=========     at 0x70 in C:\\build\\showcase\\saxpy.cu:6:saxpy(int, float, float const *, float *)
=========     by thread (0,0,0) in block (0,0,0)
"""
FOREIGN = """\
========= Invalid __shared__ write of size 4 bytes
=========     at other<float>(int*)+0x110 in /else/other.cu:99
"""
CALL = '========= Program hit cudaErrorLaunchFailure (error 719) due to "failure" on CUDA API call to cudaFree.\n'


def imported(log: str, folder: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    """The status, and the report as JSON."""
    path, out = folder / "sanitizer.log", folder / "out.json"
    path.write_text(HEAD + log + TAIL)
    status = run(["import", str(path), *arguments, "-o", f"json={out}"])
    return status, json.loads(out.read_text())


def codes(report: dict[str, Any]) -> dict[str, str]:
    return {finding["code"]: finding["evidence"] for finding in report["findings"]}


# --- a scan and a log ------------------------------------------------------------------------------------------------


def test_a_report_at_the_access_confirms_the_finding(tmp_path: Path) -> None:
    status, report = imported(OUT_OF_BOUNDS, tmp_path, str(SHOWCASE / "saxpy.cu"), "--project-root", str(ROOT))
    (finding,) = report["findings"]
    assert status == 1 and finding["code"] == "IDX101" and finding["evidence"] == "confirmed"
    assert finding["evidence_reason"] == (
        "compute-sanitizer memcheck: Invalid __global__ read of size 4 bytes by thread (1,0,0) in block (0,0,0)"
    )
    assert finding["witness"]["values"]  # what the scan knows of it stays


def test_a_report_of_another_kind_or_line_is_a_finding_of_its_own(tmp_path: Path) -> None:
    moved = OUT_OF_BOUNDS.replace("saxpy.cu:6", "saxpy.cu:5")
    _, report = imported(UNSET + moved, tmp_path, str(SHOWCASE / "saxpy.cu"), "--project-root", str(ROOT))
    found = [(f["code"], f["line"], f["evidence"]) for f in report["findings"]]
    assert sorted(found) == [("IDX101", 5, "confirmed"), ("IDX101", 6, "emulated"), ("IDX303", 6, "confirmed")]


def test_a_race_is_confirmed_where_both_sides_are(tmp_path: Path) -> None:
    _, report = imported(RACE, tmp_path, str(SHOWCASE / "block_sum.cu"))
    assert codes(report) == {"SYN101": "confirmed"}
    away = RACE.replace("0xa0 in block_sum.cu:10", "0xa0 in block_sum.cu:6")
    _, report = imported(away, tmp_path, str(SHOWCASE / "block_sum.cu"))
    assert sorted(f["evidence"] for f in report["findings"]) == ["confirmed", "emulated"]


def test_what_is_of_no_file_of_the_project_is_said_and_no_finding(tmp_path: Path) -> None:
    status, report = imported(FOREIGN + CALL, tmp_path, str(SHOWCASE / "dot.cu"), "--select", "IDX")
    notes = [note["text"] for note in report["notes"]]
    assert status == 0 and not report["findings"]
    assert any("/else/other.cu is no file of the project" in note for note in notes)
    assert any("about no kernel: Program hit" in note for note in notes)


def test_a_line_behind_the_end_is_of_another_version(tmp_path: Path) -> None:
    _, report = imported(
        OUT_OF_BOUNDS.replace(":6", ":600"), tmp_path, str(SHOWCASE / "dot.cu"), str(SHOWCASE / "saxpy.cu")
    )
    assert any("another version" in note["text"] for note in report["notes"])


def test_a_suppression_holds_for_reports_as_well(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text("__global__ void k(int *p) {\n    p[0] = 1;  // cudalint: ignore[IDX303] on purpose\n}\n")
    log = "========= Uninitialized __global__ memory read of size 4 bytes\n=========     at k(int *)+0x1 in k.cu:2\n"
    _, report = imported(log, tmp_path, str(source))
    assert "IDX303" not in codes(report) and report["hidden"]["suppressed"] == 1


# --- a log alone -----------------------------------------------------------------------------------------------------


def test_a_log_alone_is_mapped_to_the_files_below(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "k.cu").write_text("__global__ void k(int *p) {\n    p[9] = 1;\n}\n")
    log = "========= Invalid __global__ write of size 4 bytes\n=========     at k(int *)+0x1 in k.cu:2\n"
    status, report = imported(3 * log, tmp_path, "--project-root", str(tmp_path))
    (finding,) = report["findings"]
    assert status == 1 and (finding["path"], finding["line"], finding["column"]) == ("src/k.cu", 2, 5)
    assert finding["kernel"] == "k" and "(3 reports)" in finding["evidence_reason"] and report["kernels"] == []


def test_sarif_and_text_come_from_the_same_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, sarif = tmp_path / "a.log", tmp_path / "a.sarif"
    log.write_text(HEAD + UNSET + TAIL)
    assert run(["import", str(log), "--project-root", str(SHOWCASE), "-o", f"sarif={sarif}"]) == 1
    assert "IDX303" in capsys.readouterr().out
    assert json.loads(sarif.read_text())["runs"][0]["results"][0]["ruleId"] == "IDX303"


# --- logs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "kind", "frames"),
    [
        (["Invalid __local__ read of size 8", "    at 0x148 in a b.cu:42:void ns::go<int>(int*,int*)"], "out_of_bounds",
         [Frame("go", "a b.cu", 42)]),
        (["Invalid __global__ write of size 4 bytes", "    at _ZN2ns5saxpyIfEEviPT_+0x1 in x.cu:3",
          "    Address 0x4 is out of bounds"], "null", [Frame("saxpy", "x.cu", 3)]),
        (["Invalid __global__ write of size 4 bytes", "    at k()+0x1 in x.cu:3",
          "    Address 0x7f0000000001 is misaligned"], "misaligned", [Frame("k", "x.cu", 3)]),
        (["Invalid __global__ write of size 4 bytes", "    at inner()+0x60 in lib.cuh:14",
          "    Device Frame: outer()+0x20 in x.cu:30"], "out_of_bounds",
         [Frame("inner", "lib.cuh", 14), Frame("outer", "x.cu", 30)]),
        (["Invalid __global__ write of size 1 bytes", "    at 0x60 in Iota(unsigned char*)"], "out_of_bounds",
         [Frame("Iota", "", 0)]),
        (["ERROR: Potential WAW hazard detected at __shared__ 0x0 in block (0,0,0) :",
          "    Write Thread (0,0,0) at WAW()+0x2f0 in w.cu:20", "    Write Thread (1,0,0) at WAW()+0x2f0 in w.cu:21"], "race",
         [Frame("WAW", "w.cu", 20), Frame("WAW", "w.cu", 21)]),
        (["Barrier error detected. Divergent thread(s) in warp.", "    at k(int *)+0xa0 in s.cu:61"], "divergence",
         [Frame("k", "s.cu", 61)]),
    ],
)  # fmt: skip
def test_forms_of_old_and_new_versions(lines: list[str], kind: str, frames: list[Frame]) -> None:
    (report,) = read("\n".join(f"2026-11-25T10:00:00Z ========= {line}" for line in lines))
    assert report.kind == kind and [*report.sides, *report.callers] == frames


def test_an_inlined_header_of_somebody_else_is_told_at_the_line_that_calls_it(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("__global__ void k(int *p) {\n    load(p + 9);\n}\n")
    log = (
        "========= Invalid __global__ read of size 4 bytes\n=========     at load(int *)+0x1 in /usr/include/lib.cuh:7\n"
        "=========     Device Frame: k(int *)+0x9 in k.cu:2\n"
    )
    _, report = imported(log, tmp_path, "--project-root", str(tmp_path))
    assert [(f["line"], f["kernel"]) for f in report["findings"]] == [(2, "k")]


def test_xml_says_the_same(tmp_path: Path) -> None:
    record = (
        "<record><kind>Precise</kind><level>Error</level><what><text>Invalid write: Access is out of bounds</text>"
        "<space>global</space><size>4</size></what><where><func>k(int *)</func><path>k.cu</path><line>2</line></where>"
        "<who><threadIdx><x>3</x><y>1</y><z>0</z></threadIdx><blockIdx><x>2</x><y>0</y><z>0</z></blockIdx></who></record>"
    )
    (report,) = read(f"<?xml version='1.0'?><ComputeSanitizerOutput>{record}</ComputeSanitizerOutput>")
    assert report.kind == "out_of_bounds" and report.sides == (Frame("k", "k.cu", 2),)
    assert report.who == "thread (3,1,0) in block (2,0,0)" and report.memory == "global"


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "",
        "<ComputeSanitizerOutput><record>",
        "<other/>",
        "<!DOCTYPE a [<!ENTITY b 'ccc'>]><ComputeSanitizerOutput>&b;</ComputeSanitizerOutput>",
        "<" * 10_000,
    ],
    ids=["text", "empty", "cut", "root", "entities", "angles"],
)
def test_what_is_no_log_is_one_line(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(LogError):
        read(text)
    (tmp_path / "x.log").write_text(text)
    assert run(["import", str(tmp_path / "x.log")]) == 3
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1


def test_a_long_line_costs_no_more_than_a_short_one() -> None:
    text = "========= Invalid __global__ write of size 4\n========= " + "at x in " * 200_000 + "\n"
    (report,) = read(text)
    assert report.kind == "out_of_bounds"


def test_a_path_out_of_the_project_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.cu").write_text("\n".join("x" * 9))
    log = "========= Invalid __global__ write of size 4 bytes\n=========     at k(int *)+0x1 in ../secret.cu:2\n"
    _, report = imported(log, tmp_path, "--project-root", str(tmp_path / "in"))
    assert not report["findings"] and "no file of the project" in report["notes"][0]["text"]


def test_no_such_log_is_a_mistake_of_the_user(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", "/nowhere.log"]) == 2 and "compute-sanitizer --log-file" in capsys.readouterr().err
