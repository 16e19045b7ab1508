"""A file with many kernels is taken in pieces where one process would keep the others waiting."""

from __future__ import annotations

import pytest

from cudalint.engine.file import KERNELS_SHARED, Piece
from cudalint.engine.jobs import Job, pieces_of
from cudalint.frontend.translate import ParseOptions
from cudalint.source import SourceFile


def job(kernels: int, name: str = "k.cu") -> Job:
    text = "".join(f"__global__ void k{number}() {{}}\n" for number in range(kernels))
    return Job(SourceFile(name, f"/{name}", text), ParseOptions())


@pytest.mark.parametrize(("count", "of"), [(0, 3), (1, 3), (7, 3), (9, 9), (30, 4)])
def test_every_share_is_in_one_piece(count: int, of: int) -> None:
    taken = [place for number in range(of) for place in Piece(number, of).range(count)]
    assert taken == list(range(count))


def test_a_file_that_is_most_of_the_work_is_split_for_all_processes() -> None:
    assert len(pieces_of(job(40), share=40 / 2)) == 2
    assert len(pieces_of(job(40), share=40 / 64)) == 40 // KERNELS_SHARED


@pytest.mark.parametrize("small", [job(0), job(1), job(KERNELS_SHARED), job(40, "k.py")])
def test_few_kernels_and_python_files_are_one_piece(small: Job) -> None:
    assert pieces_of(small, share=1.0) == [small]


def test_a_file_that_is_a_small_part_of_the_work_is_one_piece() -> None:
    assert pieces_of(job(40), share=100.0) == [job(40)]
