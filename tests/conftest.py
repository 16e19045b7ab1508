"""Tests marked `gpu` are skipped, with the reason, where no GPU can run them; no test uses the user's cache."""

from __future__ import annotations

import os
from functools import cache

import pytest

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
