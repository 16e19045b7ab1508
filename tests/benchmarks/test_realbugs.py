"""The benchmark of real bugs takes the right files and scores by line."""

import subprocess
from pathlib import Path

import pytest

from cudalint.finding import KernelResult, Note, ObligationResult, ScanResult, Verdict
from cudalint.source import Span
from tests.benchmarks import realbugs
from tests.benchmarks.clones import extract, git_directory
from tests.benchmarks.realbugs import Row, fetch, read_rows, score, why_missed

KERNEL = """#include "sizes.h"
#include <other.h>
__global__ void clear(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i %s n) out[i] = 0;
}
void host(int n) {
  float *out;
  cudaMalloc(&out, n * sizeof(float));
  clear<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(out, n);
}
"""
COLUMNS = (
    "id", "repo", "fix_commit", "parent_commit", "file_path", "function", "lines_in_parent", "bug_class", "family",
    "decidable_from_file", "fix_date", "hunks_parent", "hunks_fix", "explanation",
)  # fmt: skip


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    run = subprocess.run(["git", "-C", str(folder), *identity, *arguments], capture_output=True, text=True, check=True)
    return run.stdout.strip()


@pytest.fixture
def history(tmp_path: Path) -> tuple[Path, str, str]:
    """A clone `me+kernels` with the guard `i <= n` in the first commit and `i < n` in the second."""
    clone = tmp_path / "me+kernels"
    for name, text in {"src/k.cu": KERNEL % "<=", "include/sizes.h": "#define BLOCK 256\n", "other.h": "\n"}.items():
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_text(text)
    git(clone, "init", "-q")
    git(clone, "add", ".")
    git(clone, "commit", "-qm", "wrong")
    parent = git(clone, "rev-parse", "HEAD")
    (clone / "src/k.cu").write_text(KERNEL % "<")
    git(clone, "commit", "-qam", "right")
    return clone, parent, git(clone, "rev-parse", "HEAD")


def test_a_file_comes_with_the_quoted_headers_of_its_commit_and_nothing_else(
    history: tuple[Path, str, str], tmp_path: Path
) -> None:
    _, parent, _ = history
    extract(git_directory(tmp_path, "me/kernels"), parent, "src/k.cu", tmp_path / "out")
    files = sorted(p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*") if p.is_file())
    assert files == ["include/sizes.h", "src/k.cu"]
    assert "i <= n" in (tmp_path / "out/src/k.cu").read_text()


@pytest.mark.parametrize(("family", "outcome"), [("bounds", "hit"), ("race", "miss")])
def test_a_row_is_hit_by_a_rule_of_its_family_and_silent_after_the_fix(
    history: tuple[Path, str, str], tmp_path: Path, family: str, outcome: str
) -> None:
    _, parent, fix = history
    values = ["R1", "me/kernels", fix, parent, "src/k.cu", "clear", "5", "-", family, "yes", "-", "5+1", "5+1", "-"]
    (tmp_path / "list.tsv").write_text("\t".join(COLUMNS) + "\n" + "\t".join(values) + "\n")
    (row,) = read_rows(tmp_path / "list.tsv")
    fetch(row, tmp_path, tmp_path / "work")
    scored = score(row, tmp_path / "work", limit=60)
    assert (scored.outcome, scored.remains) == (outcome, False)


@pytest.mark.parametrize(
    ("family", "reason"),
    [
        ("bounds", "1 obligations there are safe"),
        ("race", "kernel `sum`: synchronisation is not decided: the walk stopped at its limit"),
    ],
)
def test_a_missed_race_is_not_explained_by_what_is_known_of_bounds(family: str, reason: str) -> None:
    span = Span("k.cu", 7, 1, 7, 9)
    told = Note("kernel `sum`: synchronisation is not decided: the walk stopped at its limit")
    kernel = KernelResult(
        "sum", span, True, True, obligations=(ObligationResult("shared-write-bounds", span, Verdict.SAFE),)
    )
    result = ScanResult("", (), (), (kernel,), (told,), 1, 0)
    row = Row("RB1", "me/kernels", "", "", "k.cu", "sum", (7,), family, "yes", (), ())
    assert why_missed(row, result) == reason


def test_what_takes_too_long_in_the_audit_profile_is_scanned_at_default_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def scanned(root: Path, path: str, limit: float, select: tuple[str, ...], profile: str) -> realbugs.Scan:
        asked.append(profile)
        return realbugs.Scan(None, f"{realbugs.TOO_LONG} of 1 s" if profile == "audit" else "RuntimeError: other", 1.0)

    monkeypatch.setattr(realbugs, "_scanned", scanned)
    assert realbugs.bounded_scan(tmp_path, "k.cu", 1).failure == "RuntimeError: other"
    assert asked == ["audit", "default"]
