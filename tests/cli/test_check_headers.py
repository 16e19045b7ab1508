"""Kernels of headers and fragments are read in the files that include them, once each."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import cudalint
from tests.cli.test_check_python import report
from tests.project.test_discovery import tree

FRAGMENT = """__global__ void fill(float *y, int n) {
  int i = blockIdx.x * SIZE + threadIdx.x;
  y[i] = 0.f;
}
"""
MAIN = """#include <cuda_runtime.h>
#define SIZE 64
#include "fill{ending}"
int main() {
  float *y;
  cudaMalloc(&y, 100 * sizeof(float));
  fill<<<2, 64>>>(y, 100);
  return cudaDeviceSynchronize();
}
"""


def project(root: Path, ending: str = "_kernel.cu") -> Path:
    return tree(root, {f"fill{ending}": FRAGMENT, "main.cu": MAIN.replace("{ending}", ending), ".git/HEAD": ""})


def test_a_fragment_is_read_with_the_macros_and_the_launches_of_the_file_around(tmp_path: Path) -> None:
    for ending in ("_kernel.cu", ".cuh", ".inl"):
        result = report(project(tmp_path / ending.strip("._"), ending))
        assert [(k["name"], k["path"], k["complete"]) for k in result["kernels"]] == [("fill", f"fill{ending}", True)]
        (finding,) = (f for f in result["findings"] if f["code"] == "IDX101")
        assert (finding["path"], finding["line"], finding["launch_site"]["path"]) == (f"fill{ending}", 3, "main.cu")


def test_given_files_alone_are_reported_with_the_facts_of_the_others(tmp_path: Path) -> None:
    root = project(tmp_path)
    (finding,) = report(root / "fill_kernel.cu")["findings"]
    assert (finding["path"], finding["launch_site"]["path"]) == ("fill_kernel.cu", "main.cu")


def test_a_file_is_checked_with_the_fragments_that_it_consists_of(tmp_path: Path) -> None:
    root = project(tmp_path)
    result = report(root / "main.cu")
    assert [(k["name"], k["path"]) for k in result["kernels"]] == [("fill", "fill_kernel.cu")]
    assert ("IDX101", "fill_kernel.cu") in [(f["code"], f["path"]) for f in result["findings"]]


def test_a_file_that_only_launches_is_checked_with_the_kernels_of_its_headers(tmp_path: Path) -> None:
    root = project(tmp_path, ".cuh")
    assert [k["path"] for k in report(root / "main.cu")["kernels"]] == ["fill.cuh"]


def test_headers_beside_kernels_of_its_own_are_reported_where_they_are_asked_for(tmp_path: Path) -> None:
    root = project(tmp_path, ".cuh")
    (root / "main.cu").write_text(MAIN.replace("{ending}", ".cuh") + KERNEL_BESIDE)
    assert [k["name"] for k in report(root / "main.cu")["kernels"]] == ["beside"]


def test_a_kernel_in_two_files_around_is_listed_once(tmp_path: Path) -> None:
    root = project(tmp_path, ".cuh")
    other = MAIN.replace("{ending}", ".cuh").replace("fill<<<2, 64>>>(y, 100);", "").replace("SIZE 64", "SIZE 32")
    tree(root, {"other.cu": other})
    assert len(report(root)["kernels"]) == 1


def test_a_kernel_that_no_file_around_compiles_is_read_alone(tmp_path: Path) -> None:
    hidden = "#ifdef NEVER_DEFINED\n" + FRAGMENT.replace("SIZE", "64") + "#endif\n"
    tree(tmp_path, {"fill.cuh": hidden + KERNEL_BESIDE, "main.cu": MAIN.replace("{ending}", ".cuh"), ".git/HEAD": ""})
    names = [kernel["name"] for kernel in report(tmp_path)["kernels"]]
    assert names == ["fill", "beside"]


KERNEL_BESIDE = "__global__ void beside(float *y) { y[0] = 0.f; }\n"


def test_a_comment_in_the_header_suppresses_and_annotates(tmp_path: Path) -> None:
    text = FRAGMENT.replace("y[i] = 0.f;", "y[i] = 0.f;  // cudalint: ignore[IDX101] padded")
    tree(tmp_path, {"fill.cuh": text, "main.cu": MAIN.replace("{ending}", ".cuh"), ".git/HEAD": ""})
    assert [f for f in report(tmp_path)["findings"] if f["code"] == "IDX101"] == []


def test_the_report_does_not_depend_on_processes_or_the_folder(tmp_path: Path) -> None:
    reports = set()
    for place in ("one", "two/deeper"):
        root = project(tmp_path / place)
        tree(root, {"z.cu": FRAGMENT.replace("SIZE", "blockDim.x")})
        reports |= {cudalint("check", ".", "--jobs", jobs, cwd=root).stdout for jobs in "12"}
        reports |= {cudalint("check", str(root), "--jobs", "2").stdout}
    assert len(reports) == 1


GUARDED = (
    "__global__ void fill(float* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 1; }\n"
)
LAUNCHER = "inline void launch_fill(float* y, int n) { fill<<<(n + 255) / 256, 256>>>(y, n); }\n"


def launched_by(sizes: list[int], root: Path, launcher: bool = False) -> Path:
    """A header whose kernel so many files launch, each for a number of elements of 200."""
    call = "launch_fill(y, {0})" if launcher else "fill<<<2, 256>>>(y, {0})"
    texts = {
        f"f{place}.cu": f'#include "k.cuh"\nvoid run{place}() {{ float* y; cudaMalloc(&y, 800); {call.format(size)}; }}\n'
        for place, size in enumerate(sizes)
    }
    return tree(root, {"k.cuh": "#pragma once\n" + GUARDED + LAUNCHER * launcher, **texts, ".git/HEAD": ""})


def test_the_launches_of_all_files_around_a_header_count(tmp_path: Path) -> None:
    for launcher in (False, True):
        folder = tmp_path / str(launcher)
        folder.mkdir()
        result = report(launched_by([200, 100, 300], folder, launcher))
        assert [(f["code"], f["path"], f["line"]) for f in result["findings"] if f["code"] == "IDX101"] == [
            ("IDX101", "k.cuh", 2)
        ]


def test_nothing_is_proved_of_a_kernel_of_a_header_that_files_launch_which_nobody_reads(tmp_path: Path) -> None:
    (few := tmp_path / "few").mkdir()
    (many := tmp_path / "many").mkdir()
    (one,) = report(launched_by([200, 100], few))["kernels"]
    assert {o["verdict"] for o in one["obligations"]} == {"safe"}
    (other,) = report(launched_by([100] * 40, many))["kernels"]
    assert {o["verdict"] for o in other["obligations"]} == {"unknown"}
