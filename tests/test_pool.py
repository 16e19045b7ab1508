"""Work in processes."""

from __future__ import annotations

import gc
import os
import tempfile

import pytest

from cudalint.engine.pool import PATIENCE, patiently, run_all


def thresholds(_: int) -> tuple[int, int, int]:
    return gc.get_threshold()


def fails(_: int) -> None:
    raise ValueError


def test_the_collector_is_patient_during_the_work_and_as_before_behind_it() -> None:
    before = gc.get_threshold()
    assert patiently(thresholds, 1) == PATIENCE
    with pytest.raises(ValueError):
        patiently(fails, 1)
    assert gc.get_threshold() == before


def leaves_a_file(_: int) -> str:
    return tempfile.mkdtemp()


def dies(item: int) -> str:
    if item == 1:
        os._exit(1)
    return leaves_a_file(item)


def test_what_workers_write_goes_with_them_also_where_one_dies() -> None:
    made = run_all([0, 1, 2], dies, lambda item: "", 2)
    assert [bool(folder) for folder in made] == [True, False, True]
    assert not any(os.path.exists(folder) for folder in made)
