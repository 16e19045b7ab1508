"""Labels are facts about findings of one commit; the comparison loses none of either."""

from __future__ import annotations

import pytest

from tests.benchmarks.labels import COLUMNS, LABELS, Label, Place, by_family, compare, read_labels, section

TEXT = f"# commit abc\n{COLUMNS}\na.cu\t3\tIDX101\tk\ttrue\trun() at a.cu:9 passes any n\na.cu\t5\tIDX201\tk\tfalse\tno caller\n"


def test_labels_say_commit_place_and_reason() -> None:
    commit, labels = read_labels(TEXT)
    assert commit == "abc"
    assert labels[0] == Label(Place("a.cu", 3, "IDX101"), "k", True, "run() at a.cu:9 passes any n")


@pytest.mark.parametrize("line", ["a.cu\t3\tIDX101\tk\tmaybe\twhy", "a.cu\t3\tIDX101\tk\ttrue\t", "a.cu\t3\tIDX101"])
def test_a_line_that_is_no_label_is_named(line: str) -> None:
    with pytest.raises(ValueError, match="line 5"):
        read_labels(TEXT + line)


def test_every_finding_and_every_label_is_in_one_group() -> None:
    _, labels = read_labels(TEXT)
    result = compare([Place("a.cu", 3, "IDX101"), Place("b.cu", 1, "IDX101")], labels)
    assert [label.place.line for label in result.true] == [3]
    assert result.false == ()
    assert result.unlabelled == (Place("b.cu", 1, "IDX101"),)
    assert [label.place.line for label in result.gone] == [5]
    assert "1 true, 0 false, 1 without a label; 0 told with another one; 1 labels" in section("x", "abc", result)


def test_a_place_that_another_finding_names_is_not_lost() -> None:
    _, labels = read_labels(TEXT)
    result = compare(
        [Place("a.cu", 3, "IDX101")], labels, related=[Place("a.cu", 5, "IDX201"), Place("a.cu", 9, "IDX101")]
    )
    assert [label.place.line for label in result.beside] == [5]
    assert result.gone == result.unlabelled == ()


def test_the_families_are_counted_apart() -> None:
    _, labels = read_labels(TEXT)
    both = compare([label.place for label in labels], labels)
    assert by_family([("x", both), ("y", both)]).splitlines()[2:] == [
        "| x | 1 true, 1 false | 0 true, 0 false | 0 true, 0 false |",
        "| y | 1 true, 1 false | 0 true, 0 false | 0 true, 0 false |",
        "| all | 2 true, 2 false | 0 true, 0 false | 0 true, 0 false |",
    ]


@pytest.mark.parametrize("path", sorted(LABELS.glob("*.tsv")), ids=lambda path: path.stem)
def test_the_labels_that_are_kept_can_be_read(path: object) -> None:
    _, labels = read_labels(LABELS.joinpath(str(path)).read_text(encoding="utf-8"))
    assert len({label.place for label in labels}) == len(labels)
