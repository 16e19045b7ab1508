"""A branch asks the same thing, whether its test has a name or an empty branch."""

from __future__ import annotations

import pytest

from cudalint.frontend.translate import ParseOptions, translate
from cudalint.ir.text import unit_text
from cudalint.source import SourceFile

KERNEL = "__global__ void k(float* x, float z, int n, int m) {{ int i = threadIdx.x; {} }}"


def branches(statements: str) -> list[str]:
    source = SourceFile("k.cu", "/k.cu", KERNEL.format(statements))
    return [
        line.strip() for line in unit_text(translate(source, ParseOptions(), "/").unit).split("\n") if "if " in line
    ]


PLAIN = branches("if (i < n) x[i] = 0;")


@pytest.mark.parametrize(
    "statements",
    [
        "bool inside = i < n; if (inside) x[i] = 0;",
        "const bool inside = i < n; m += 1; if (inside) x[i] = 0;",
        "if (i >= n) {} else x[i] = 0;",
        "bool outside = i >= n; if (outside) {} else x[i] = 0;",
        "for (int j = 0; j < m; j++) { i = j * 32; bool inside = i < n; if (inside) x[i] = 0; }",
    ],
)
def test_a_test_is_asked_in_place(statements: str) -> None:
    assert branches(statements) == PLAIN


@pytest.mark.parametrize(
    "statements",
    [
        "bool inside = i < n; i += 32; if (inside) x[i] = 0;",
        "bool inside = i < n; inside = true; if (inside) x[i] = 0;",
        "bool inside = i < n; for (;;) { if (inside) x[i] = 0; i += 32; }",
        "if (z >= x[0]) {} else x[i] = 0;",
    ],
)
def test_what_changes_in_between_keeps_its_name(statements: str) -> None:
    (branch,) = branches(statements)
    assert branch != PLAIN[0] and ("inside" in branch or "!" in branch)
