"""Launches from Python on the command line: findings name them, proofs rest on them, `contract` prints them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import cudalint
from tests.cli.test_check_python import report

FILE = """import cupy as cp
import numpy as np

scale = cp.RawKernel(r'''
extern "C" __global__ void scale(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  {guard}y[i] = a * x[i];
}
''', "scale")


def scaled(x, a):
    n = x.size
    y = cp.empty(n, dtype=cp.{type})
    scale(({grid},), (256,), (x.astype(cp.float32), y, cp.float32(a), np.int32(n)))
    return y
"""


def written(folder: Path, guard: str = "if (i < n) ", type: str = "float32", grid: str = "(n + 255) // 256") -> Path:
    file = folder / "a.py"
    file.write_text(FILE.replace("{guard}", guard).replace("{type}", type).replace("{grid}", grid))
    return file


def findings(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = report(folder)["findings"]
    return found


def test_an_unguarded_kernel_under_a_grid_that_rounds_up_is_an_error_that_names_the_launch(tmp_path: Path) -> None:
    written(tmp_path, guard="")
    (finding,) = findings(tmp_path)
    assert (finding["code"], finding["confidence"], finding["path"], finding["line"]) == ("IDX101", "high", "a.py", 7)
    assert finding["launch_site"] == {"path": "a.py", "line": 15, "host_function": "scaled"}


def test_the_guarded_twin_is_safe_under_the_launch(tmp_path: Path) -> None:
    written(tmp_path)
    result = report(tmp_path)
    assert result["findings"] == []
    assert {verdict: n for verdict, n in result["coverage"]["obligations"].items() if n} == {"safe": 5}


def test_narrower_elements_than_the_parameter_says_are_read_past_their_end(tmp_path: Path) -> None:
    written(tmp_path, type="float16")
    found = {finding["code"]: finding for finding in findings(tmp_path)}
    assert sorted(found) == ["IDX101"]
    assert (found["IDX101"]["line"], found["IDX101"]["launch_site"]["line"]) == (7, 15)
    (related,) = found["IDX101"]["related"]
    assert related["line"] == 15 and "the kernel takes `y` for float" in related["message"]


def test_wider_elements_are_room_enough(tmp_path: Path) -> None:
    written(tmp_path, type="float64")
    assert [finding["code"] for finding in findings(tmp_path)] == ["API127"]


def test_block_and_grid_mixed_up_are_found(tmp_path: Path) -> None:
    file = written(tmp_path, guard="")
    file.write_text(file.read_text().replace("((n + 255) // 256,), (256,)", "(256,), (n,)"))
    assert [(f["code"], f["line"]) for f in findings(tmp_path)] == [("IDX101", 7)]


def test_a_launch_that_leaves_elements_out_is_seen_from_its_grid(tmp_path: Path) -> None:
    """The grid is rounded down: the last elements are nobody's."""
    written(tmp_path, grid="n // 256")
    codes = {f["code"] for f in findings(tmp_path)}
    assert codes and "IDX101" not in codes


def test_contract_prints_geometry_and_extents_with_places_in_the_python_file(tmp_path: Path) -> None:
    file = written(tmp_path)
    shown = cudalint("contract", "scale", str(file)).stdout
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert lines[:2] == ["scale at a.py:5", "launched by scaled at a.py:15"]
    assert "grid = (x.size + 255) / 256, block = 256 launch a.py:15" in lines
    assert "y = cupy.empty({x.size}), 4*x.size bytes launch a.py:15" in lines
    assert "n = x.size launch a.py:15" in lines
    assert "accesses: 4 safe" in " ".join(lines)


def test_contract_says_what_was_lost_and_which_launch_is_not_read(tmp_path: Path) -> None:
    file = written(tmp_path, grid="somewhere(n)")
    file.write_text(file.read_text() + "\n\ndef other(name, x):\n    cp.RawModule(code=S).get_function(name)\n")
    lines = [" ".join(line.split()) for line in cudalint("contract", "scale", str(file)).stdout.splitlines()]
    assert "open: grid: `somewhere(n)` is not known" in lines


def test_a_launch_that_is_not_read_is_a_note(tmp_path: Path) -> None:
    file = written(tmp_path)
    more = "\n\nmodule = cp.RawModule(code='extern \"C\" __global__ void f(int *x) { x[0] = 1; }')\n"
    more += "\n\ndef other(name, x):\n    module.get_function(name)((1,), (1,), (x,))\n"
    file.write_text(file.read_text() + more)
    notes = [note["text"] for note in report(tmp_path)["notes"]]
    assert any("the launch at a.py:23 is not read" in note for note in notes)


def test_how_the_host_code_is_spelt_in_cpp_is_nobodys_fault(tmp_path: Path) -> None:
    """No finding on an unchecked launch, a narrowed argument or a product of sizes that nobody wrote."""
    written(tmp_path)
    result = cudalint("check", str(tmp_path), "--profile", "audit").stdout
    assert "API101" not in result
    assert "py_host" not in result


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_report_has_no_names_of_the_wording(tmp_path: Path, jobs: str) -> None:
    written(tmp_path, guard="")
    text = cudalint("check", str(tmp_path), "--jobs", jobs).stdout
    assert "x.size" in text
    assert not any(word in text for word in ("py_host", "py_lost", "cupy::", "numel"))
