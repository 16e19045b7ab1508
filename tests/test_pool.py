"""Work in processes."""

from __future__ import annotations

import gc

import pytest

from cudalint.engine.pool import PATIENCE, patiently


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
