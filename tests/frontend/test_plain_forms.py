"""Patterns of text see one way of writing, and findings stand where the user wrote them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudalint.frontend.outline import outline
from cudalint.ir.syntax import Syntax
from cudalint.source import SourceFile

KERNEL = """\
__global__ void k(float* x, float z, const int* table, Grid g, int n, int m) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {}
}}
"""


def read(statements: str) -> Syntax:
    return outline(SourceFile("k.cu", "/k.cu", KERNEL.format(statements))).functions[0].body


def plain(statements: str) -> str:
    """What patterns see behind the first statement, in single spaces."""
    return " ".join(read(statements).text.partition(";")[2][:-1].split())


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("if (n > i) x[i] = 0;", "if (i < n) x[i] = 0;"),
        ("if (n * 2 >= i + 1) x[i] = 0;", "if ((i + 1) <= (n * 2)) x[i] = 0;"),
        ("for (int j = 0; 4 > j; j++) x[j] = 0;", "for (int j = 0; j < 4; j++) x[j] = 0;"),
        ("if (!(i < n && 0 < m)) return;", "if ((i >= n) || (m <= 0)) return;"),
        ("if (i >= n) {} else x[i] = 0;", "if (i < n) x[i] = 0;"),
        ("if (!(x[i] > z)) {} else { x[i] = z; }", "if (x[i] > z) { x[i] = z; }"),
        ("*(x + i * m + 1) = 2;", "x[i * m + 1] = 2;"),
        ("*(i + x - 1) = 2;", "x[i - 1] = 2;"),
        ("float s[4][4]; *(*(s + i) + 1) = 2;", "float s[4][4]; s[i][1] = 2;"),
        ("x[0] = *(x + table[i]) * z;", "x[0] = x[table[i]] * z;"),
        ("if (i < n) (*(x + i)) += *(x + m);", "if (i < n) x[i] += x[m];"),
        ("if (i < n) z = (float)(*(x + i));", "if (i < n) z = (float)(x[i]);"),
        ("const bool inside = i < n; x[0] = 1; if (inside) x[i] = 0;", "const bool inside = i < n; x[0] = 1; if (i < n) x[i] = 0;"),
        ("bool found = table[i] > 0; if (!found) return;", "if (!(table[i] > 0)) return;"),
        ("if (!(g.value > i)) return;", "if (!(i < g.value)) return;"),
        ("x[*(table + i)] = *(table + *table);", "x[table[i]] = table[*table];"),
        ("x[i] = x[i] + z;", "x[i] += z;"),
        ("m = 2 * m; i += 1;", "m *= 2; i++;"),
        ("x[i + 0] = z + 1.f;", "x[i + 0] = z + 1.f;"),
        ("int blocks = (255 + n) / 256;", "int blocks = (n + 255) / 256;"),
        ("int j = i; while (j < n) { x[j] = 0; j += blockDim.x; }", "for (int j = i; j < n; j += blockDim.x) { x[j] = 0; }"),
        ("x[0] = z; while (i < n) { x[i] = 0; i = i + 32; }", "x[0] = z; for (; i < n; i += 32) { x[i] = 0; }"),
        ("int j = i; while (j < n) { x[j] = 0; ++j; } x[j] = 1;", "int j = i; for (; j < n; ++j) { x[j] = 0; } x[j] = 1;"),
        ("int j; j = 0; while (n > j) { x[j] = 0; ++j; }", "int j; for (j = 0; j < n; ++j) { x[j] = 0; }"),
    ],
)  # fmt: skip
def test_what_means_the_same_is_seen_in_one_way(written: str, seen: str) -> None:
    assert plain(written) == seen


@pytest.mark.parametrize(
    "kept",
    [
        "if (!(z > 0.f)) return;",  # not a number is neither more nor at most
        "if (i < n) x[i] = 0;",
        "if (table[i] < i) return;",
        "const bool inside = i < n; i += 32; if (inside) x[i] = 0;",
        "const bool inside = i < n; advance(i); if (inside) x[i] = 0;",
        "bool inside = i < n; inside = true; if (inside) x[i] = 0;",
        "bool found = table[i] > 0; x[i] = 0; if (found) return;",
        "while (i < n) { if (x[i] > z) continue; i++; }",
        "while (i < n) { i *= 2; x[i] = 0; }",
        "x[0] = *x + 1;",
        "m = m - n - 1;",
        "m = n - m;",
    ],
)
def test_what_may_mean_something_else_stays(kept: str) -> None:
    assert plain(kept) == kept


def test_places_are_those_of_the_file() -> None:
    body = read("const bool inside = n > i;\n    x[0] = 1;\n    if (inside)\n        *(x + i) = 0;")
    tests = [node for node in body.walk() if node.kind == "binary_expression" and node.op == "<"]
    assert [(node.text, node.place[0]) for node in tests] == [("i < n", 3), ("i < n", 3)]
    (element,) = (node for node in body.walk() if node.text == "x[i]")
    assert element.place == (6, 9, 6, 17)


PARTS = "i n m x[i] (i+1) !(i<n) n>i *(x+i) 0 && || ; if( ) { } while(n>i) i++ i=i+1; else bool b=i<n; b"
words = st.sampled_from(PARTS.split(" "))


@given(st.lists(words, max_size=30))
def test_any_text_has_places_in_its_file(parts: list[str]) -> None:
    text = KERNEL.format(" ".join(parts))
    lines = text.split("\n")
    for node in outline(SourceFile("k.cu", "/k.cu", text)).root.walk():
        line, column, end_line, end_column = node.place
        assert (1, 1) <= (line, column) <= (end_line, end_column) <= (len(lines), len(lines[-1]) + 1)
