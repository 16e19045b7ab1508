"""Plans of the fixtures on a GPU: each witness is confirmed, each drawn launch of an ok fixture is clean.

cudalint check fixtures --plan DIR            where the analyser is
CUDALINT_PLANS=DIR pytest -m gpu tests/gpu    where the GPU is
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from cudalint.confirm.gpu.plan_file import plan_paths
from cudalint.confirm.gpu.pool import WorkerFailed
from cudalint.confirm.gpu.worker import Settings, each_result
from tests.gpu.run_all import as_expected, sanitizer_verdict

_RULE = re.compile(r"[A-Z]{3}\d{3}-")
PLANS = os.environ.get("CUDALINT_PLANS", "")
NOT_SHOWN = {
    "IDX201-index-overflow/bad_int_below_a_size.cu": "the wrapped place passes no guard: nothing is accessed that should be",
    "IDX201-index-overflow/bad_number_of_block.cu": "the wrapped place is another element of the same array",
    "SYN306-shuffle-width/bad_distance_of_width.cu": "each lane gets its own value: a wrong result, and no fault",
    "SYN102-global-race/bad_lock_taken_by_store.cu": "volatile stores are no race of their own: what the lock guards is one",
}
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not PLANS, reason="CUDALINT_PLANS names no folder of plans")]


@pytest.fixture(scope="module")
def outcomes() -> list[tuple[dict[str, Any], float]]:
    pytest.importorskip("cupy", reason="CuPy is not installed")
    settings = Settings(sanitizer=os.environ.get("CUDALINT_SANITIZER", "auto"))
    try:
        found = list(each_result(plan_paths(Path(PLANS)), settings))
    except WorkerFailed as error:
        pytest.skip(str(error))
    unreadable = [outcome for _, outcome, _ in found if isinstance(outcome, str)]
    assert not unreadable
    return [(outcome, seconds) for _, outcome, seconds in found if not isinstance(outcome, str)]


def test_there_are_plans(outcomes: list[tuple[dict[str, Any], float]]) -> None:
    assert outcomes


def test_every_witness_is_confirmed(outcomes: list[tuple[dict[str, Any], float]]) -> None:
    assert _unexpected(outcomes, clean=False) == []


def test_what_is_listed_as_not_shown_is_not(outcomes: list[tuple[dict[str, Any], float]]) -> None:
    assert [o["path"] for o, _ in outcomes if _is_listed(o["path"]) and o["verdict"] == "confirmed"] == []


def test_every_drawn_launch_of_an_ok_fixture_is_clean(outcomes: list[tuple[dict[str, Any], float]]) -> None:
    ours = [(o, seconds) for o, seconds in outcomes if Path(o["path"]).name.startswith("ok_")]
    assert _unexpected(ours, clean=True) == []


def _unexpected(outcomes: list[tuple[dict[str, Any], float]], clean: bool) -> list[str]:
    return [
        f"{o['path']} {o['code']}: {o['verdict']} ({o['detail']}), sanitizer: {sanitizer_verdict(o)}, {seconds:.2f} s"
        for o, seconds in outcomes
        if (o["expected"] == ["clean"]) is clean
        and not as_expected(o)
        and _is_of_a_rule(o["path"])
        and not _rests_on_contents(o["path"])
        and not _lacks_code(o)
        and not (clean is False and _is_listed(o["path"]))
    ]


def _is_listed(path: str) -> bool:
    return any(path.endswith(listed) for listed in NOT_SHOWN)


def _is_of_a_rule(path: str) -> bool:
    """Others, such as those that show how statements are lowered, promise nothing of their kernels."""
    return _RULE.match(Path(path).parent.name) is not None


def _lacks_code(outcome: dict[str, Any]) -> bool:
    """Not every machine with a GPU has all headers of the toolkit; some functions have their bodies elsewhere, some types too.

    What the code of a library does to the memory that it gets is not recorded.
    """
    if outcome["error"] == "not_instrumented":
        return True
    missing = (
        "cannot open source file",
        "Unresolved extern function",
        'name followed by "::" must be a class or namespace name',
    )
    return outcome["verdict"] == "error" and any(text in outcome["detail"] for text in missing)


def _rests_on_contents(path: str) -> bool:
    """A limit's witness needs memory contents that no plan makes: it is of low confidence and need not be shown."""
    return Path(path).name.startswith("limit_")
