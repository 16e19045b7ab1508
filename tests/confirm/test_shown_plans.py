"""A plan holds the launch and the contents in which the emulator saw the defect, not those of its first try."""

from __future__ import annotations

from pathlib import Path

from cudalint.confirm.gpu.plan_file import buffer_bytes, plan_paths, read_plan
from cudalint.engine import ScanOptions, scan

FIXTURE = Path(__file__).parents[2] / "fixtures" / "IDX101-global-bounds" / "bad_guarded_id_from_memory.cu"


def test_the_contents_that_lead_out_of_bounds_are_in_the_plan(tmp_path: Path) -> None:
    scan(ScanOptions(paths=(str(FIXTURE),), select=("IDX101",), plan_dir=str(tmp_path), jobs=1))
    (plan,) = [plan for path in plan_paths(tmp_path) if (plan := read_plan(path))["code"] == "IDX101"]
    rows = plan["args"][3]["value"]
    ids = memoryview(buffer_bytes(plan["buffers"][0], int(plan["seed"]))).cast("i")
    assert rows in ids
