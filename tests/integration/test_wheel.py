"""What the wheel and the source archive hold: rules behind the symbolic link, header stubs, nothing compiled."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling")
ROOT = Path(__file__).parent.parent.parent


def build(kind: str, folder: Path) -> Path:
    """The one archive that the build leaves in the folder."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (archive,) = folder.iterdir()
    return archive


def test_the_wheel_holds_rules_and_stubs(tmp_path: Path) -> None:
    with zipfile.ZipFile(build("wheel", tmp_path)) as archive:
        names = archive.namelist()
    rules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "rules").rglob("*.py")}
    stubs = {
        path.relative_to(ROOT).as_posix() for path in (ROOT / "cudalint/frontend/stubs").rglob("*") if path.is_file()
    }
    assert {f"cudalint/{name}" for name in rules} <= set(names)
    assert stubs <= set(names)
    assert not [name for name in names if name.endswith(".pyc") or name.startswith(("tests/", "fixtures/"))]


def test_the_source_archive_holds_the_rules_as_files(tmp_path: Path) -> None:
    with tarfile.open(build("sdist", tmp_path)) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    assert {
        "cudalint/rules/__init__.py",
        "cudalint/cli/main.py",
        "pyproject.toml",
        "LICENSE",
        "tests/__main__.py",
    } <= names
