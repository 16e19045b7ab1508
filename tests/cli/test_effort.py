"""What is left out where the solver has worked enough on a kernel, and that it is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint import ir
from cudalint.contract import Contract
from cudalint.engine import ScanOptions, scan
from cudalint.finding import ScanResult, Verdict
from cudalint.symbolic import analyse as symbolic
from cudalint.symbolic.issues import Analysis
from cudalint.symbolic.solver.effort import TIRED_AFTER, Effort
from tests.project.test_discovery import tree

LAUNCHED_TWICE = """
__global__ void fill(float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 0.f; }
void run(float* y, int n) {
  fill<<<1, 256>>>(y, n);
  fill<<<1, 64>>>(y, n / 2);
}
"""
TWO_INSTANCES = """
template <int N> __global__ void fill(float* y) { if (threadIdx.x < N) y[threadIdx.x] = 0.f; }
void run(float* y) {
  fill<16><<<1, 32>>>(y);
  fill<32><<<1, 64>>>(y);
}
"""


def notes_where_a_launch_takes(
    steps: int, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch, **more: int
) -> list[str]:
    """Of a scan in which the questions about each launch take so many steps."""
    costly_launches(steps, monkeypatch)
    return [note.text for note in scanned(text, folder, **more).notes]


def costly_launches(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    analyse = symbolic.analyse

    def costly(unit: ir.Unit, kernel: ir.Function, contract: Contract, effort: Effort) -> Analysis:
        effort.steps += steps
        return analyse(unit, kernel, contract, effort)

    monkeypatch.setattr(symbolic, "analyse", costly)


def scanned(text: str, folder: Path, **more: int) -> ScanResult:
    return scan(ScanOptions((str(tree(folder, {"a.cu": text})),), jobs=1, **more))  # type: ignore[arg-type]


def test_a_further_launch_is_left_out_where_the_first_took_many_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert notes_where_a_launch_takes(0, LAUNCHED_TWICE, tmp_path, monkeypatch) == []
    notes = notes_where_a_launch_takes(TIRED_AFTER, LAUNCHED_TWICE, tmp_path, monkeypatch)
    assert notes == ["kernel `fill`: 1 launches not walked"]


def test_a_further_instance_is_left_out_where_the_first_tired_the_solver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert notes_where_a_launch_takes(0, TWO_INSTANCES, tmp_path, monkeypatch) == []
    notes = notes_where_a_launch_takes(TIRED_AFTER, TWO_INSTANCES, tmp_path, monkeypatch)
    assert notes == ["kernel `fill`: 1 instances not walked"]


def test_where_no_rule_asks_for_a_walk_none_is_missed(tmp_path: Path) -> None:
    result = scan(ScanOptions((str(tree(tmp_path, {"a.cu": TWO_INSTANCES})),), jobs=1, select=("API101",)))
    assert not any("not walked" in note.text for note in result.notes)


def verdicts(result: ScanResult) -> set[Verdict]:
    return {o.verdict for kernel in result.kernels for o in kernel.obligations if o.kind == "global-write-bounds"}


@pytest.mark.parametrize(("elements", "verdict"), [(32, Verdict.SAFE), (31, Verdict.UNKNOWN)])
def test_what_is_proved_of_one_instance_has_to_hold_of_one_that_is_left_out(
    elements: int, verdict: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allocated = TWO_INSTANCES.replace("(float* y) {\n", f"() {{\n  float* y; cudaMalloc(&y, {elements} * 4);\n")
    assert "cudaMalloc" in allocated
    costly_launches(TIRED_AFTER, monkeypatch)
    assert verdicts(scanned(allocated, tmp_path)) == {verdict}


def test_more_effort_looks_at_all_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert notes_where_a_launch_takes(TIRED_AFTER, LAUNCHED_TWICE, tmp_path, monkeypatch, effort=200) == []


@pytest.mark.parametrize(("elements", "verdict"), [(128, Verdict.SAFE), (127, Verdict.UNKNOWN)])
def test_what_is_proved_of_one_launch_has_to_hold_of_one_that_is_left_out(
    elements: int, verdict: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One launch writes 64 elements of 64; the other one, of which only that is asked, 128 of so many."""
    text = f"""
    __global__ void fill(float* y, int n) {{ if (threadIdx.x < n) y[threadIdx.x] = 0.f; }}
    int main() {{
      float *y, *z;
      cudaMalloc(&y, 64 * 4);
      cudaMalloc(&z, {elements} * 4);
      fill<<<1, 64>>>(y, 64);
      fill<<<1, 128>>>(z, 128);
    }}
    """
    costly_launches(TIRED_AFTER, monkeypatch)
    assert verdicts(scanned(text, tmp_path)) == {verdict}


@pytest.mark.parametrize(("barrier", "verdict"), [("__syncthreads();", Verdict.SAFE), ("", Verdict.UNKNOWN)])
def test_the_order_of_threads_has_to_hold_of_what_is_left_out_as_well(
    barrier: str, verdict: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block of one thread races with nobody; one of 64 does without the barrier."""
    text = f"""
    __global__ void turn(float* y) {{
      __shared__ float s[64]; s[threadIdx.x] = y[threadIdx.x]; {barrier} y[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
    }}
    int main() {{ float *y; cudaMalloc(&y, 256); turn<<<1, 1>>>(y); turn<<<1, 64>>>(y); }}
    """
    costly_launches(TIRED_AFTER, monkeypatch)
    (kernel,) = scanned(text, tmp_path).kernels
    assert {o.verdict for o in kernel.obligations if o.kind == "shared-access-race"} == {verdict}


def test_nothing_is_proved_of_a_template_with_more_instances_than_are_read(tmp_path: Path) -> None:
    """The first six of eight are read; the last one writes an element too far."""
    calls = "".join(f"put<{i}><<<1, 1>>>(y); " for i in (1, 2, 3, 4, 5, 6, 7, 64))
    text = "template <int N> __global__ void put(float* y) { y[N] = 0; }\n"
    text += f"void run() {{ float* y; cudaMalloc(&y, 256); {calls} }}\n"
    assert Verdict.SAFE not in verdicts(scanned(text, tmp_path))


def test_nothing_is_proved_of_a_kernel_that_kernels_launch(tmp_path: Path) -> None:
    text = """
    __global__ void fill(float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 0.f; }
    __global__ void again(float* y) { fill<<<1, 256>>>(y, 65); }
    void run() { float* y; cudaMalloc(&y, 256); fill<<<1, 256>>>(y, 64); again<<<1, 1>>>(y); }
    """
    assert verdicts(scanned(text, tmp_path)) == {Verdict.UNKNOWN}


def test_a_place_that_only_launches_come_to_that_are_left_out_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
    __global__ void put(float* y, int way) { if (way) y[64] = 0; else y[0] = 0; }
    void run() { float* y; cudaMalloc(&y, 256); put<<<1, 1>>>(y, 0); put<<<1, 1>>>(y, 1); }
    """
    costly_launches(TIRED_AFTER, monkeypatch)
    assert verdicts(scanned(text, tmp_path)) == {Verdict.SAFE, Verdict.UNKNOWN}


def test_a_number_that_is_passed_is_part_of_what_is_proved(tmp_path: Path) -> None:
    """The seventeenth launch reads behind the shared array; those that are walked pass numbers that are inside."""
    passed = "".join(f"pick<<<1, 64>>>(y, {k}); " for k in (*range(8), 100, *range(9, 17)))
    (kernel,) = scanned(f"""
    __global__ void pick(float* y, int k) {{
      __shared__ float s[64]; s[threadIdx.x] = 0; __syncthreads(); y[threadIdx.x] = s[k];
    }}
    void run() {{ float* y; cudaMalloc(&y, 256); {passed} }}
    """, tmp_path).kernels  # fmt: skip
    (read,) = (o for o in kernel.obligations if o.kind == "shared-read-dimension")
    assert read.verdict is not Verdict.SAFE


def halved(times: int) -> str:
    """Levels of a pyramid, each half as large: from 160 elements the sixth is 5, of which a half is rounded up."""
    return f"""
    __global__ void halve(const float* in, float* out, int n) {{
      int i = threadIdx.x;
      if (i < n) out[i] = in[2 * i] + in[2 * i + 1];
    }}
    int main() {{
      float* level[{times + 1}];
      int size[{times + 1}];
      size[0] = 160;
      cudaMalloc(&level[0], 160 * 4);
      for (int l = 1; l <= {times}; ++l) {{
        size[l] = (size[l - 1] + 1) / 2;
        cudaMalloc(&level[l], size[l] * 4);
        halve<<<1, 128>>>(level[l - 1], level[l], size[l]);
      }}
    }}
    """


def test_launches_of_a_loop_are_all_walked_where_none_is_hard(tmp_path: Path) -> None:
    assert [f.code for f in scanned(halved(5), tmp_path).findings if f.code.startswith("IDX")] == []
    assert [f.code for f in scanned(halved(7), tmp_path).findings if f.code.startswith("IDX")] == ["IDX101"]


def of_sizes(*blocks: int) -> str:
    """An instance of a kernel for each number, launched with that block."""
    launches = "".join(f"sums<{min(block, 256)}><<<1, {block}>>>(y); " for block in blocks)
    return f"""
    template <int N> __global__ void sums(float* y) {{ __shared__ float s[N]; s[threadIdx.x] = y[0]; y[1] = s[0]; }}
    void run(float* y) {{ {launches} }}
    """


def test_instances_are_all_walked_where_none_is_hard(tmp_path: Path) -> None:
    assert [f.code for f in scanned(of_sizes(16, 32, 64, 128, 256), tmp_path).findings if f.code == "IDX102"] == []
    found = scanned(of_sizes(16, 32, 64, 128, 512), tmp_path).findings
    assert [f.code for f in found if f.code == "IDX102"] == ["IDX102"]
