"""Plans run by the emulator: the verdicts of a GPU's run on any machine, huge extents in little memory, damage at its own cost."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import Any

import pytest

from cudalint.cli.main import run as command
from cudalint.confirm import emulated
from cudalint.confirm.emulated import result
from cudalint.confirm.gpu.plan_file import plan_paths, read_plan, validated, with_id
from cudalint.engine import ScanOptions, scan

ROW = """
#include <cuda_runtime.h>
__global__ void fill(float *out, int rows, int cols) {
    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows && c < cols) out[r * cols + c] = 1.0f;
}
void run(int rows, int cols) {
    float *out;
    cudaMalloc(&out, sizeof(float) * rows * (size_t)cols);
    fill<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(out, rows, cols);
}
"""
TAIL = """
__global__ void copy(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) y[i] = x[i];
}
void run(const float *host, int n) {
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    copy<<<(n + 255) / 256, 256>>>(x, y, n);
}
"""
FIXED = TAIL.replace("i <= n", "i < n")
TREE = """
__global__ void sum(const float *x, float *out) {
    __shared__ float tile[256];
    int t = threadIdx.x;
    tile[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    for (int s = 128; s > 0; s /= 2)
        if (t < s) tile[t] += tile[t + s];
    if (t == 0) out[blockIdx.x] = tile[0];
}
void run(const float *host, int blocks) {
    float *x, *out;
    cudaMalloc(&x, blocks * 256 * sizeof(float));
    cudaMalloc(&out, blocks * sizeof(float));
    sum<<<blocks, 256>>>(x, out);
}
"""


def plans(text: str, folder: Path) -> list[dict[str, Any]]:
    source, where = folder / "k.cu", folder / "plans"
    source.write_text(text)
    scan(ScanOptions((str(source),), plan_dir=str(where), jobs=1))
    return [read_plan(path) for path in plan_paths(where)]


@pytest.mark.parametrize(("text", "code"), [(TAIL, "IDX101"), (TREE, "SYN101"), (ROW, "IDX201")])
def test_what_was_found_is_confirmed(text: str, code: str, tmp_path: Path) -> None:
    found = {plan["code"]: result(plan) for plan in plans(text, tmp_path)}
    assert found[code]["verdict"] == "confirmed" and found[code]["by"] == "emulator"


def test_a_correct_kernel_runs_clean(tmp_path: Path) -> None:
    made = plans(FIXED, tmp_path)
    assert len(made) == 3
    assert [result(plan)["verdict"] for plan in made] == ["clean"] * 3


def test_a_kernel_that_leaves_something_else_differs(tmp_path: Path) -> None:
    plan = plans(FIXED, tmp_path)[0]
    outputs = dict.fromkeys(plan["expectation"]["outputs"], "0" * 20)
    changed = with_id({**plan, "expectation": {**plan["expectation"], "outputs": outputs}})
    assert outputs and result(changed)["verdict"] == "differs"


def test_a_plan_without_the_failure_in_it_is_a_fault_or_clean_but_never_confirmed(tmp_path: Path) -> None:
    (plan,) = [plan for plan in plans(TAIL, tmp_path) if plan["code"] == "IDX101"]
    elsewhere = {**plan["emulator"]["meant"], "lines": [["k.cu", 1]], "starts": [["k.cu", 1, 1]]}
    other = with_id({**plan, "emulator": {**plan["emulator"], "meant": elsewhere}})
    assert result(other)["verdict"] == "fault"  # out of bounds, and not where it was said
    size = {"name": plan["buffers"][0]["name"], "size": 1 << 12, "contents": {"zero": True}}
    roomy = with_id({**plan, "buffers": [{**size, "name": buffer["name"]} for buffer in plan["buffers"]]})
    assert result(roomy)["verdict"] == "clean"


def test_an_overflow_in_gigabytes_takes_little_memory(tmp_path: Path) -> None:
    (plan,) = [plan for plan in plans(ROW, tmp_path) if plan["code"] == "IDX201"]
    assert plan["buffers"][0]["size"] > 8 << 30
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert result(plan)["verdict"] == "confirmed"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 128 << 10  # KiB


def test_the_command_writes_results_that_a_scan_takes_for_what_they_are(tmp_path: Path) -> None:
    made = plans(TAIL, tmp_path)
    where = tmp_path / "plans"
    assert made and command(["confirm", str(where), "--on", "emulator"]) == 0
    found = scan(ScanOptions((str(tmp_path / "k.cu"),), results_dir=str(where), confirm="off", jobs=1)).findings
    (finding,) = [finding for finding in found if finding.code == "IDX101"]
    assert finding.evidence.value == "emulated" and (finding.evidence_reason or "").startswith("emulator: ")


def test_a_plan_without_ir_says_so(tmp_path: Path) -> None:
    plan = {name: value for name, value in plans(TAIL, tmp_path)[0].items() if name not in ("ir", "emulator")}
    outcome = result(with_id(plan))
    assert (outcome["verdict"], outcome["error"]) == ("error", "not-emulated")


@pytest.mark.parametrize(
    "change",
    [
        {"args": []},
        {"args": [{"bytes": "AAAA", "pointers": []}] * 3},
        {"buffers": [{"name": "x", "size": 1 << 40, "contents": {"drawn": "f32", "bounds": None}}], "args": []},
        {"launch": {"grid": [1 << 30, 60000, 1], "block": [1024, 1, 1], "shared": 0}},
    ],
    ids=["no arguments", "other arguments", "a terabyte", "too many threads"],
)
def test_what_makes_no_sense_costs_its_own_plan(change: dict[str, Any], tmp_path: Path) -> None:
    plan = validated(with_id({**plans(TAIL, tmp_path)[0], **change}))
    outcome = result(plan)
    assert outcome["verdict"] == "error" and "\n" not in outcome["detail"]


def test_a_damaged_table_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = plans(TAIL, tmp_path)[0]
    plan["ir"]["table"]["nodes"][3] = ["Popen", "id"]
    outcome = result(with_id(plan))
    assert outcome["verdict"] == "error" and "none of the language" in outcome["detail"]
    for path in plan_paths(tmp_path / "plans"):
        path.write_text(json.dumps({"schema": "cudalint-plan/1"}))
    assert emulated.run_plans(str(tmp_path / "plans")) == 3
    said = capsys.readouterr()
    assert all("is missing" in line for line in said.err.splitlines()) and "unreadable" in said.out
