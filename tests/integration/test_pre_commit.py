"""The hook as pre-commit runs it, in a small repository of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
BAD = (ROOT / "fixtures" / "showcase" / "saxpy.cu").read_text(encoding="utf-8")
GOOD = BAD.replace("    y[i] = a", "    if (i < n) y[i] = a")
CONFIGURATION = """\
repos:
  - repo: local
    hooks:
      - id: cudalint
        name: cudalint
        language: system
        entry: {python} -m cudalint.cli.main check --hook
        types: [text]
        files: {files}
        require_serial: true
"""


def call(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PRE_COMMIT_HOME": str(cwd.parent / "pre-commit-home"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        **{f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        environment.pop(name, None)
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def pattern() -> str:
    """The `files` of the published hook."""
    lines = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8").splitlines()
    return next(line.split(": ", 1)[1] for line in lines if line.strip().startswith("files:"))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with the hook, nothing committed."""
    root = tmp_path / "project"
    root.mkdir()
    call("git", "init", "-q", cwd=root)
    (root / ".pre-commit-config.yaml").write_text(CONFIGURATION.format(python=sys.executable, files=pattern()))
    (root / "plain.py").write_text("print('no CUDA here')\n")
    return root


def hook(root: Path) -> subprocess.CompletedProcess[str]:
    call("git", "add", "-A", cwd=root)
    return call(sys.executable, "-m", "pre_commit", "run", "--verbose", cwd=root)


def test_the_manifest_is_valid() -> None:
    found = call(sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml", cwd=ROOT)
    assert found.returncode == 0, found.stdout + found.stderr


def test_a_bad_kernel_stops_the_commit(repository: Path) -> None:
    (repository / "k.cu").write_text(BAD)
    found = hook(repository)
    assert found.returncode == 1
    assert "error[IDX101]" in found.stdout and "k.cu:" in found.stdout


def test_a_good_kernel_passes(repository: Path) -> None:
    (repository / "k.cu").write_text(GOOD)
    assert hook(repository).returncode == 0


def test_files_without_cuda_are_silent(repository: Path) -> None:
    found = hook(repository)
    assert found.returncode == 0
    assert "no CUDA" not in found.stdout + found.stderr


def test_only_the_files_of_the_commit_are_reported(repository: Path) -> None:
    (repository / "old.cu").write_text(BAD)
    call("git", "add", "-A", cwd=repository)
    assert call("git", "commit", "-qm", "old", "--no-verify", cwd=repository).returncode == 0
    (repository / "new.cu").write_text(GOOD)
    assert hook(repository).returncode == 0


def test_the_published_hook_matches_the_endings() -> None:
    import re

    names = ["a.cu", "b.cuh", "c.hip", "d.h", "e.hpp", "f.cpp", "g.cc", "h.c", "i.py"]
    assert all(re.search(pattern(), name) for name in names)
    assert not re.search(pattern(), "a.md")


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs cudalint's own git repository")
def test_the_published_hook_installs_and_runs(repository: Path) -> None:
    """pre-commit makes the environment of the hook itself, from this repository and the package index."""
    (repository / "k.cu").write_text(BAD)
    call("git", "add", "-A", cwd=repository)
    command = [sys.executable, "-m", "pre_commit", "try-repo", str(ROOT), "cudalint", "--files", "k.cu", "--verbose"]
    found = call(*command, cwd=repository)
    if "Could not find a version" in found.stdout or "No matching distribution" in found.stdout:
        pytest.skip("needs a package index")
    assert found.returncode == 1
    assert "error[IDX101]" in found.stdout
