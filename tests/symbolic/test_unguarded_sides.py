"""Sides of the data that the last block goes beyond: what the search takes as a side of the grid."""

from __future__ import annotations

from fixture_format import FIXTURES

from cudalint.engine import ScanOptions, scan


def test_a_side_of_the_grid_with_one_block_is_no_side_to_go_beyond() -> None:
    path = FIXTURES / "IDX127-unguarded-side" / "ok_one_row_of_blocks.cu"
    result = scan(ScanOptions(paths=(str(path),), project_root=str(path.parent), confirm="emulator", jobs=1))
    assert [kernel.complete for kernel in result.kernels] == [True], [note.text for note in result.notes]
