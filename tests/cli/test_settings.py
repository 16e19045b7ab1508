"""What cudalint.toml changes on the command line, and what the command line changes back."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import cudalint
from tests.cli.test_check_python import report
from tests.project.test_discovery import tree

UNCHECKED = """#include <cuda_runtime.h>
__global__ void fill(float *y) { y[threadIdx.x] = 0.f; }
void run() { float *y; cudaMalloc(&y, 128); fill<<<1, 32>>>(y); }
"""


def test_the_project_says_from_which_level_on_findings_fail(tmp_path: Path) -> None:
    root = tree(tmp_path, {"a.cu": UNCHECKED, "cudalint.toml": 'fail-level = "note"\n'})
    assert cudalint("check", str(root)).returncode == 1
    assert cudalint("check", str(root), "--fail-level", "error").returncode == 0
    assert cudalint("check", str(root), "--untrusted").returncode == 0


def test_folders_in_the_configuration_start_at_the_root(tmp_path: Path) -> None:
    text = '#include "sizes.h"\n__global__ void k(float *x) { x[SIZE] = 0.f; }\n'
    tree(tmp_path, {
        "src/a.cu": text, "one/sizes.h": "#define SIZE 1\n", "two/sizes.h": "#define SIZE 2\n",
        "cudalint.toml": 'include = ["two"]\n',
    })  # fmt: skip
    assert report(tmp_path / "src")["coverage"]["kernels_complete"] == 1


def test_a_compile_database_in_the_project_is_used(tmp_path: Path) -> None:
    text = "__global__ void k(float *x) { x[SIZE] = 0.f; }\n"
    entry = '[{"directory": "..", "file": "a.cu", "command": "nvcc -DSIZE=3 -c a.cu"}]'
    root = tree(tmp_path, {"a.cu": text, "build/compile_commands.json": entry, ".git/HEAD": ""})
    assert report(root)["coverage"]["kernels_complete"] == 1
    assert report(root, "--untrusted")["coverage"]["kernels_complete"] == 0


def test_a_broken_compile_database_counts_only_where_it_was_named(tmp_path: Path) -> None:
    root = tree(tmp_path, {"a.cu": UNCHECKED, "compile_commands.json": "{"})
    assert cudalint("check", str(root)).returncode == 0
    assert cudalint("check", str(root), "--compile-commands", str(root)).returncode == 2


def test_includes_that_include_each_other_end(tmp_path: Path) -> None:
    loop = {"a.h": '#include "b.h"\n', "b.h": '#include "a.h"\n', "k.cu": f'#include "a.h"\n{UNCHECKED}'}
    assert report(tree(tmp_path, loop))["coverage"]["kernels"] == 1
