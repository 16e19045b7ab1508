"""Tests marked `gpu` are skipped, with the reason, where no GPU can run them; no test uses the user's cache.

The tests of a module run in one process, which keeps what they share; those of fixtures are shared out fixture by fixture.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from cudalint import term
from cudalint.cli import scanning
from cudalint.project.cache import VARIABLE

os.environ[VARIABLE] = ""
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # the many processes that tests start compile the modules once
scanning.APART = (
    False  # commands that run in a test's process share what that has read; those in their own do as users'
)

# how long an example takes is no property: the machine may be busy
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


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


def pytest_collection_finish() -> None:
    """The terms that test modules hold as constants stay, whatever the scans of other tests forget."""
    for constant in list(term._interned.values()):
        term.keep(constant)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("gpu") is not None and (reason := missing_gpu()) is not None:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(optionalhook=True)  # xdist may be absent
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A module is one process's work, but for the fixtures: they take longer than all other modules together."""
    if config.getvalue("dist") != "loadscope":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class ByModuleOrFixture(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            module, _, name = nodeid.partition("::")
            return f"{module}::{name.partition('[')[2]}" if module.endswith("test_fixtures.py") else module

    return ByModuleOrFixture(config, log)
