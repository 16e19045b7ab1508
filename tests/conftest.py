"""Tests marked `gpu` are skipped, with the reason, where no GPU can run them; no test uses the user's cache."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from unittest.mock import patch

import pytest

from cudalint import term
from cudalint.project.cache import VARIABLE

os.environ[VARIABLE] = ""


@cache
def missing_gpu() -> str | None:
    """Why GPU tests cannot run here, or None where they can."""
    try:
        import cupy
    except ImportError:
        return "needs CuPy, which is not installed"
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # a missing driver shows itself in several ways
        return f"needs an NVIDIA GPU: {error}"
    return None if count else "needs an NVIDIA GPU"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("gpu") is not None and (reason := missing_gpu()) is not None:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True, scope="session")
def terms_of_test_modules_stay() -> Iterator[None]:
    """Terms are equal by identity, and a scan of many files empties their table: those that modules of tests hold are put back."""
    held, forget_all = dict(term._interned), term.forget_all

    def forget_all_others() -> None:
        forget_all()
        term._interned.update(held)

    with patch.object(term, "forget_all", forget_all_others):
        yield
