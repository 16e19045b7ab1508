from __future__ import annotations

import pytest

from cudalint.report.fingerprints import line_hashes


@pytest.mark.parametrize(
    ("text", "hashes"),
    [
        ("", ["c129715d7a2bc9a3:1"]),
        (" a\nb\n  \t\tc\n d", ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"]),
    ],
)
def test_vectors(text: str, hashes: list[str]) -> None:
    assert line_hashes(text) == hashes


def test_line_ends_are_one() -> None:
    assert line_hashes("a\r\nb\rc\nd") == line_hashes("a\nb\nc\nd")


def test_equal_blocks_are_counted() -> None:
    text = "x\n" * 200
    ordinals = [each.partition(":")[2] for each in line_hashes(text)]
    assert ordinals[:3] == ["1", "2", "3"]
    assert len(ordinals) == 201


def test_beyond_the_block_does_not_matter() -> None:
    text = "a" * 100 + "b"
    assert line_hashes(text)[0] == line_hashes("a" * 100 + "c")[0]


def test_code_units_of_utf_16() -> None:
    assert line_hashes("\U0001f600") == line_hashes("\ud83d\ude00")


def test_a_rolling_hash_says_the_same() -> None:
    text = "int a;\n\n  b\t= 2;\r\n" * 20 + "€"
    assert line_hashes(text) == rolling(text)


def rolling(text: str) -> list[str]:
    """The published algorithm, written as it is described: a ring of 100 units."""
    ring, starts, position, raw = [0] * 100, [False] * 100, 0, 0
    hashes: list[str] = []

    def publish() -> None:
        if starts[position]:
            value = f"{raw:x}"
            hashes.append(f"{value}:{sum(each.startswith(value + ':') for each in hashes) + 1}")
            starts[position] = False

    def roll(unit: int) -> None:
        nonlocal position, raw
        raw = (37 * raw + unit - pow(37, 100, 1 << 64) * ring[position]) % (1 << 64)
        ring[position] = unit
        position = (position + 1) % 100

    begin, after_return = True, False
    for unit in [*map(ord, text), 65535]:
        if chr(unit) in " \t" or (after_return and unit == 10):
            after_return = False
            continue
        after_return = unit == 13
        unit = 10 if unit == 13 else unit
        publish()
        starts[position], begin = starts[position] or begin, unit == 10
        roll(unit)
    for _ in range(100):
        publish()
        roll(0)
    return hashes
