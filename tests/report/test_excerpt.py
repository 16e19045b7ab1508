from __future__ import annotations

import pytest

from cudalint.report.excerpt import excerpt
from cudalint.report.terminal import clean, width
from cudalint.source import SourceFile, Span


def shown(text: str, column: int, end_column: int, line: int = 1, end_line: int | None = None) -> list[str]:
    sources = {"k.cu": SourceFile("k.cu", "/k.cu", text)}
    return excerpt(sources, Span("k.cu", line, column, end_line or line, end_column))


def test_underlines_the_span() -> None:
    assert shown("a[i] = 0;", 1, 5) == ["1 | a[i] = 0;", "  | ^^^^"]


def test_tabs_take_four_cells() -> None:
    assert shown("\ta[i] = 0;", 2, 6) == ["1 |     a[i] = 0;", "  |     ^^^^"]


def test_wide_characters_take_two_cells() -> None:
    assert shown("/*漢字*/ a;", 8, 9) == ["1 | /*漢字*/ a;", "  |          ^"]
    assert width("e\u0301") == 1


def test_a_span_of_many_lines_is_marked_to_the_end_of_its_first() -> None:
    assert shown("f(a,\n  b);", 1, 5, end_line=2) == ["1 | f(a,", "  | ^^^^"]


def test_long_lines_are_cut_around_the_mark() -> None:
    code, underline = shown("x" * 5000 + "HERE" + "y" * 5000, 5001, 5005)
    assert len(code) < 200 and "HERE" in code
    assert code.index("HERE") == underline.index("^^^^")


@pytest.mark.parametrize(("line", "column"), [(0, 1), (9, 1), (1, 99)])
def test_places_outside_of_the_text_do_no_harm(line: int, column: int) -> None:
    shown("abc", column, column + 1, line)


def test_what_drives_a_terminal_is_replaced() -> None:
    assert clean("a\x1b[31mb\u202ec\ud800") == "a\ufffd[31mb\ufffdc\ufffd"


def test_an_unknown_file_has_no_excerpt() -> None:
    assert excerpt({}, Span("k.cu", 1, 1, 1, 2)) == []
