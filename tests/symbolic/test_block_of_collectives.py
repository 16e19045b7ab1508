"""The block that a collective of cub is instantiated for."""

from __future__ import annotations

import pytest

from cudalint.symbolic.verdicts.intended_block import sides_of_collective


@pytest.mark.parametrize(
    ("type_name", "sides"),
    [
        ("cub::BlockReduce<float, 128>", (128, 1, 1)),
        ("cub::BlockReduce<float, 128>::TempStorage", (128, 1, 1)),
        ("cub::BlockReduce<cub::KeyValuePair<int, float>, 256>", (256, 1, 1)),
        ("cub::BlockReduce<float, 32, cub::BLOCK_REDUCE_WARP_REDUCTIONS, 8>", (32, 8, 1)),
        ("cub::BlockScan<int, 32, cub::BLOCK_SCAN_RAKING, 2, 2>", (32, 2, 2)),
        ("cub::BlockLoad<float, 64, 4, cub::BLOCK_LOAD_DIRECT, 2>", (64, 2, 1)),
        ("cub::BlockRadixSort<float, 128, 4, int>", (128, 1, 1)),
    ],
)
def test_sides_follow_from_the_template_arguments(type_name: str, sides: tuple[int, int, int]) -> None:
    assert sides_of_collective(type_name) == sides


@pytest.mark.parametrize(
    "type_name",
    ["cub::BlockReduce<float, THREADS>", "cub::WarpReduce<float, 16>", "mine::BlockReduce<float, 128>", "float"],
)
def test_no_block_where_the_number_is_open_or_the_type_is_another(type_name: str) -> None:
    assert sides_of_collective(type_name) is None
