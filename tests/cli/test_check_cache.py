"""A second check of unchanged kernels walks none of them and says the same; any change that matters is seen."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.engine import file as files
from cudalint.finding import ScanResult
from cudalint.project.cache import VARIABLE

KERNEL = """#include <cuda_runtime.h>
__global__ void twice(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = 2 * in[i];
}
"""
HOST = """#include "twice.cuh"
void run(int n) {
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  twice<<<(n + 255) / 256, 256>>>(a, b, n);
}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / "twice.cuh").write_text(KERNEL)
    (root / "run.cu").write_text(HOST)
    return root


def checked(project: Path, **more: Any) -> ScanResult:
    return scan(ScanOptions((str(project),), project_root=str(project), jobs=1, cache=True, **more))


def codes(result: ScanResult) -> set[str]:
    return {finding.code for finding in result.findings if finding.code.startswith("IDX")}


def forbid_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    def walked(*_: object) -> None:
        raise AssertionError("a kernel was walked")

    monkeypatch.setenv("CUDALINT_TRACEBACK", "1")
    monkeypatch.setattr(files, "analyse_kernel", walked)


def entries(project: Path) -> list[Path]:
    return sorted((project.parent / "cache").glob("??/*"))


def test_an_unchanged_kernel_is_not_walked_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = checked(project)
    assert codes(first) == {"IDX101"}
    assert any(finding.witness is not None for finding in first.findings)
    forbid_walks(monkeypatch)
    assert checked(project) == first


def test_without_the_option_nothing_is_kept(project: Path) -> None:
    scan(ScanOptions((str(project),), project_root=str(project), jobs=1))
    assert entries(project) == []


def test_a_kernel_that_was_mended_is_walked(project: Path) -> None:
    checked(project)
    (project / "twice.cuh").write_text(KERNEL.replace("i <= n", "i < n"))
    assert codes(checked(project)) == set()


def test_a_launch_that_was_mended_elsewhere_is_seen(project: Path) -> None:
    checked(project)
    (project / "run.cu").write_text(HOST.replace("n * sizeof(float)", "(n + 1) * sizeof(float)"))
    assert codes(checked(project)) == set()


HEADER = "__host__ __device__ inline int last_of(int n) { return n - 1; }\n"
REACHES = """#include "middle.cuh"
__global__ void %(name)s(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= last_of(n)) out[i] = 0.0f;
}
void run_%(name)s(int n) {
  float *out;
  cudaMalloc(&out, n * sizeof(float));
  %(name)s<<<(n + 255) / 256, 256>>>(out, n);
}
"""


def test_a_changed_header_is_seen_by_all_kernels_that_reach_it_and_by_them_alone(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "last.cuh").write_text(HEADER)
    (project / "middle.cuh").write_text('#pragma once\n#include "last.cuh"\n')
    for name in ("first", "second"):
        (project / f"{name}.cu").write_text(REACHES % {"name": name})
    before = checked(project)
    assert {f.kernel for f in before.findings if f.code == "IDX101"} == {"twice"}
    walked: list[str] = []
    walk = files.analyse_kernel

    def noted(entry: Any, *rest: Any) -> Any:
        walked.append(entry.name)
        return walk(entry, *rest)

    monkeypatch.setattr(files, "analyse_kernel", noted)
    (project / "last.cuh").write_text(HEADER.replace("n - 1", "n"))
    after = checked(project)
    assert {f.kernel for f in after.findings if f.code == "IDX101"} == {"first", "second", "twice"}
    assert sorted(walked) == ["first", "second"]


def test_another_question_is_not_answered_by_the_first(project: Path) -> None:
    checked(project)
    assert codes(checked(project, ignore=("IDX",))) == set()
    assert codes(checked(project)) == {"IDX101"}


def test_a_change_of_nothing_that_a_kernel_sees_walks_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = checked(project)
    (project / "run.cu").write_text(HOST + "// a word at the end\n")
    forbid_walks(monkeypatch)
    assert checked(project) == first


def test_a_failure_of_ours_is_not_kept(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as context:
        context.setattr(files, "analyse_kernel", fails)
        assert "IDX101" not in codes(checked(project))
    assert entries(project) == []
    assert codes(checked(project)) == {"IDX101"}


class Harmful:
    def __init__(self, made: Path) -> None:
        self.made = made

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.made),)


@pytest.mark.parametrize("harmful", [True, False])
def test_what_somebody_else_put_there_is_no_answer_and_runs_nothing(project: Path, harmful: bool) -> None:
    first = checked(project)
    harm = project / "harm"
    content = pickle.dumps(Harmful(harm) if harmful else (1, 2, 3))
    for path in entries(project):
        path.write_bytes(blake2b(content, digest_size=16).digest() + content)
    assert checked(project) == first
    assert not harm.exists()


def test_the_key_is_the_same_in_every_process_and_for_any_number_of_jobs(project: Path) -> None:
    printed = set()
    for seed, jobs in (("1", "1"), ("2", "2")):
        command = [sys.executable, "-m", "cudalint.cli.main", "check", str(project), "--jobs", jobs]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        printed.add(subprocess.run(command, capture_output=True, env=environment, check=False).stdout)
        kept = entries(project)
    assert len(printed) == 1
    assert len(kept) == 1
