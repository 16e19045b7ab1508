"""CUDA in Python strings from the command line: places, comments and counts are those of the Python file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cli.command import cudalint

GUARDED = """import cupy as cp

N = 64
SOURCE = r'''
extern "C" __global__ void fill(float *y, int n) {   // cudalint: extent(y) = n; launch grid=(4) block=(64)
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 0.f; {comment}
}
'''
kernel = cp.RawKernel(SOURCE, "fill")
"""


def report(folder: Path, *arguments: str) -> dict[str, Any]:
    found = cudalint("check", str(folder), "--format", "json", *arguments)
    assert found.returncode in (0, 1), found.stderr
    result: dict[str, Any] = json.loads(found.stdout)
    return result


def test_a_finding_lies_in_the_python_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GUARDED.replace("{comment}", ""))
    result = report(tmp_path)
    (finding,) = result["findings"]
    assert (finding["code"], finding["path"], finding["line"], finding["column"]) == ("IDX101", "a.py", 7, 3)
    assert [(k["name"], k["line"], k["complete"]) for k in result["kernels"]] == [("fill", 5, True)]


def test_columns_count_the_characters_of_the_python_file(tmp_path: Path) -> None:
    line = "a = 'ä\\t' ; s = '// cudalint: extent(y) = 4\\n__global__ void f(float *y) { y[threadIdx.x + 4] = 0.f; }'"
    (tmp_path / "a.py").write_text(f"import cupy\n{line}\ncupy.RawKernel(s, 'f')\n", encoding="utf-8")
    finding = report(tmp_path)["findings"][0]
    assert (finding["line"], finding["column"]) == (2, line.index("y[threadIdx") + 1)


def test_a_comment_in_the_string_suppresses(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GUARDED.replace("{comment}", "// cudalint: ignore[IDX101] filled elsewhere"))
    assert report(tmp_path)["findings"] == []


def test_a_python_comment_suppresses_on_its_line(tmp_path: Path) -> None:
    line = "s = '// cudalint: extent(y) = 4\\n__global__ void f(float *y) { y[threadIdx.x + 4] = 0.f; }'"
    for comment, hidden in (("", 0), ("  # cudalint: ignore[IDX101] padded", 1), ("  # cudalint: ignore[IDX102]", 0)):
        (tmp_path / "a.py").write_text(f"{line}{comment}\ncupy.RawKernel(s, 'f')\n")
        assert report(tmp_path)["hidden"].get("suppressed", 0) == hidden


def test_a_bad_annotation_is_shown_where_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GUARDED.replace("{comment}", "").replace("extent(y)", "extend(y)"))
    findings = {f["code"]: f for f in report(tmp_path)["findings"]}
    line = GUARDED.split("\n")[4]
    assert (findings["CUL001"]["line"], findings["CUL001"]["column"]) == (5, line.index("extent") + 1)


def test_the_report_is_the_same_for_any_number_of_processes(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(GUARDED.replace("{comment}", ""))
    (tmp_path / "c.cu").write_text("__global__ void f(float *y) { y[-1] = 0.f; }\n")
    one, two = (cudalint("check", str(tmp_path), "--jobs", jobs).stdout for jobs in "12")
    assert one == two
    assert "a.py:7" in one


def test_a_file_with_no_cuda_in_its_strings_is_no_file_of_the_scan(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from cupy import RawKernel\n")
    assert report(tmp_path)["coverage"]["files"] == 0


UNCOUNTED = """import cupy as cp

add = cp.RawKernel(r'''
extern "C" __global__ void add(const float *a, const float *b, float *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
}
''', "add")


def total(n):
    n = (n + 255) // 256 * 256{padding}
    a, b, c = cp.arange(n, dtype=cp.float32), cp.ones(n, dtype=cp.float32), cp.empty(n, dtype=cp.float32)
    add((-(-n // 256),), (256,), (a, b, c))
    return c
"""


def test_arrays_have_their_sizes_where_no_parameter_of_the_kernel_holds_them(tmp_path: Path) -> None:
    for padding, codes in (("", []), (" - 1", ["IDX101"])):
        (tmp_path / "a.py").write_text(UNCOUNTED.replace("{padding}", padding))
        result = report(tmp_path)
        assert [finding["code"] for finding in result["findings"]] == codes
        verdicts = [
            o["verdict"] for kernel in result["kernels"] for o in kernel["obligations"] if o["kind"].endswith("bounds")
        ]
        assert [verdict == "violated" for verdict in verdicts] == [bool(codes)] * 3


TAPS = """import cupy as cp

box = cp.RawKernel(r'''
extern "C" __global__ void box(const float *image, float *out, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w) return;
  float sum = 0.f;
  for (int d = -1; d <= 1; d++) {
    int tap = x + d;
    if (tap < 0 || tap {beyond} w) continue;
    sum += image[y * w + tap];
  }
  out[y * w + x] = sum / 3;
}
''', "box")


def smooth(image):
    h, w = image.shape
    image = cp.ascontiguousarray(image, dtype=cp.float32)
    out = cp.empty((h, w), dtype=cp.float32)
    box(((w + 127) // 128, h), (128,), (image, out, cp.int32(w)))
    return out
"""


def test_a_copy_of_an_argument_has_its_sizes_and_each_tap_is_asked_about(tmp_path: Path) -> None:
    for beyond, found in ((">=", []), (">", [("IDX101", 11)])):
        (tmp_path / "a.py").write_text(TAPS.replace("{beyond}", beyond))
        assert [(finding["code"], finding["line"]) for finding in report(tmp_path)["findings"]] == found
