"""What counts as proved in the table of proof shares."""

from __future__ import annotations

from typing import Any

from tests.benchmarks.proof_shares import Shares, joined, shares_of


def said(kind: str, verdict: str, reason: str | None = None, detail: str | None = None) -> dict[str, Any]:
    return {"kind": kind, "verdict": verdict, "reason": reason, "detail": detail}


def report(*obligations: dict[str, Any], path: str = "ok_a.cu") -> dict[str, Any]:
    return {"kernels": [{"path": path, "obligations": list(obligations)}]}


def test_an_access_counts_where_its_extent_is_known() -> None:
    found = shares_of(report(
        said("global-read-bounds", "safe"), said("global-write-bounds", "unknown", "no-extent"),
        said("shared-read-dimension", "unreachable"), said("global-read-bounds", "unknown", "overflow"),
        said("read-overflow", "safe"),
    ))  # fmt: skip
    assert (found.accesses, found.known, found.verdicts["safe"]) == (4, 3, 2)
    assert found.reasons == {"overflow": 1}


def test_what_rests_on_an_inferred_precondition_is_counted_apart() -> None:
    found = shares_of(report(said("global-read-bounds", "safe", "inferred-precondition")))
    assert (found.verdicts["safe"], found.verdicts["inferred"], found.known) == (0, 1, 1)


def test_a_kernel_is_free_of_races_where_all_its_arrays_are() -> None:
    one = shares_of(report(said("shared-access-race", "safe"), said("shared-access-race", "unknown", "solver-limit")))
    other = shares_of(report(said("shared-access-race", "safe"), said("global-access-race", "safe")))
    both = joined([one, other])
    assert both.ordered["shared"] == {"open": 1, "free": 1} and both.ordered["global"] == {"free": 1}
    inferred = shares_of(
        report(said("global-access-race", "safe", "inferred-precondition"), said("global-access-race", "safe"))
    )
    assert inferred.ordered["global"] == {"inferred": 1}


def test_files_of_other_names_are_left_out() -> None:
    assert shares_of(report(said("global-read-bounds", "safe"), path="x/bad_a.cu"), "ok_").kernels == 0
    assert shares_of(report(said("global-read-bounds", "safe"), path="x/ok_a.cu"), "ok_").kernels == 1


def test_a_row_says_the_share() -> None:
    shares = Shares(kernels=1, accesses=4)
    shares.verdicts.update({"safe": 3, "violated": 1})
    assert "| 3 | 75.0 % |" in shares.row("a", "0123")
