"""Planted defects: the instrumented copies record all that their detectors need, and NVCC takes them where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cudalint.confirm.gpu import prelude
from cudalint.confirm.gpu.plan_file import validated
from tests.gpu.large_overflows import KERNELS
from tests.gpu.planted import GUILTY, PLANTED, plan, plans


@pytest.mark.parametrize("name", sorted(PLANTED))
def test_every_planted_defect_has_a_guilty_line_and_a_twin_without_one(name: str) -> None:
    planted = PLANTED[name]
    bad, ok = plan(f"bad_{name}", planted.kinds, planted.bad), plan(f"ok_{name}", ("clean",), planted.ok)
    assert bad["expectation"]["lines"] and not ok["expectation"]["lines"]
    for each in (bad, ok):
        copy = validated(each)["slice"]["instrumented"]
        assert copy["races"] and copy["across"]
    assert GUILTY not in planted.ok
    guilty = {tuple(line) for line in bad["expectation"]["lines"]}
    assert guilty <= {tuple(site) for site in bad["slice"]["instrumented"]["sites"]}


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
def test_nvcc_takes_the_instrumented_copies(tmp_path: Path) -> None:
    """All of them in one translation unit, each in a namespace of its own."""
    texts = [made["slice"]["instrumented"]["text"] for made in plans()]
    whole = prelude.TEXT + prelude.WINDOW + "".join(f"namespace k{n} {{\n{text}\n}}\n" for n, text in enumerate(texts))
    (tmp_path / "all.cu").write_text(whole)
    command = ["nvcc", "-std=c++17", "-arch=sm_90", "--ptx", "-o", str(tmp_path / "all.ptx"), str(tmp_path / "all.cu")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]


def test_ten_overflows_have_twins_of_the_same_kernel() -> None:
    bad = sorted(KERNELS.glob("bad_*.cu"))
    assert len(bad) == 10
    for path in bad:
        twin = path.with_name(path.name.replace("bad_", "ok_"))
        head = next(line for line in path.read_text().split("\n") if "__global__" in line)
        assert head in twin.read_text() and twin.read_text() != path.read_text()
