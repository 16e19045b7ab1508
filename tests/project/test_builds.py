"""Files of one program by its build script; what none of them calls is nobody's choice of sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.project.builds import programs_beside

TOOLS = """
#include <cuda_runtime.h>
__global__ void widen(const char *x, float *y, int rows, int cols) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column < cols)
    for (int row = 0; row < rows; row++) y[row * cols + column] = x[row * cols + column];
}
cudaError_t widened(const char *x, float *y, int rows, int cols) {
  widen<<<(cols + 255) / 256, 256>>>(x, y, rows, cols);
  return cudaGetLastError();
}
"""
CALL = """
int widened(const char *x, float *y, int rows, int cols);
int main(int argc, char **argv) { return widened(0, 0, atoi(argv[1]), atoi(argv[2])); }
"""


def test_a_program_is_made_of_the_sources_that_the_script_names(tmp_path: Path) -> None:
    for name in ("main.cpp", "tools.cu", "other.cu"):
        (tmp_path / name).write_text("")
    script = 'project(x)\n# add_executable(old other.cu)\nadd_executable(run\n  main.cpp "tools.cu") # both\n'
    (tmp_path / "CMakeLists.txt").write_text(script)
    both = frozenset(str((tmp_path / name).resolve()) for name in ("main.cpp", "tools.cu"))
    assert programs_beside(str(tmp_path / "tools.cu")) == (both,)
    assert programs_beside(str(tmp_path / "other.cu")) == ()


def test_without_a_script_there_is_no_program(tmp_path: Path) -> None:
    assert programs_beside(str(tmp_path / "tools.cu")) == ()


@pytest.mark.parametrize(
    ("script", "main", "found"),
    [
        ("add_executable(run main.cpp tools.cu)", "int main() { return 0; }", False),
        ("add_executable(run main.cpp tools.cu)", CALL, True),
        ("add_executable(run main.cpp)\nadd_library(tools tools.cu)", "int main() { return 0; }", True),
    ],
)
def test_sizes_of_a_function_that_nothing_in_its_program_calls_are_as_large_as_nobody_makes_them(
    tmp_path: Path, script: str, main: str, found: bool
) -> None:
    (tmp_path / "tools.cu").write_text(TOOLS)
    (tmp_path / "main.cpp").write_text(main)
    (tmp_path / "CMakeLists.txt").write_text(script)
    options = ScanOptions(
        paths=(str(tmp_path / "tools.cu"),), project_root=str(tmp_path), select=("IDX201",), jobs=1, confirm="off"
    )
    assert bool(scan(options).findings) is found
