"""The table of contracts: what is done is not done again, and what was not asked for stays as it was."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.contracts import FileFacts, Launch, Pointer, State, merged, state_of


def test_repositories_that_were_not_asked_for_keep_their_lines_and_reasons() -> None:
    first = merged(
        "", {"a": ["| a | 1 |", "## a: why not", "", "- one"], "b": ["| b | 1 |", "## b: why not", "", "- two"]}
    )
    second = merged(first, {"b": ["| b | 2 |", "## b: why not", "", "- three"]})
    assert "| a | 1 |" in second and "- one" in second and "| b | 2 |" in second and "- three" in second
    assert "| b | 1 |" not in second and "- two" not in second
    assert merged(second, {}) == second


def test_what_is_done_comes_back_from_the_file_and_for_no_other_repository(tmp_path: Path) -> None:
    facts = FileFacts("k.cu", [Launch("k.cu", 3, "k", "k.cu", False, None, {"x": Pointer("extent")})], 0.5)
    State(tmp_path / "state").keep("a", facts)
    again = State(tmp_path / "state")
    assert again.facts("a", "k.cu") == facts
    assert again.facts("b", "k.cu") is None and again.facts("a", "l.cu") is None


def test_a_pointer_is_as_open_as_its_worst_launch_and_its_caller_is_one_that_nothing_else_calls() -> None:
    def launch(pointer: Pointer) -> Launch:
        return Launch("k.cu", 3, "k", "k.cu", False, None, {"x": pointer})

    sized, left = launch(Pointer("extent")), launch(Pointer("caller", "run"))
    assert state_of("x", [sized, left], {}) == ("caller", "run")
    assert state_of("x", [sized, left], {"run": {"k.cu"}}) == ("caller", "run")
    assert state_of("x", [sized, left], {"run": {"main.cu"}})[0] == "open"
    assert state_of("x", [sized, sized], {}) == ("extent", "")
