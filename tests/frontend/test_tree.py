"""Statements that a second reader sees and lowering never met."""

from __future__ import annotations

import pytest

from cudalint.frontend.lowering import context
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.frontend.tree import lost_statements
from cudalint.source import SourceFile


def lost(body: str, visited: list[str], dropped: tuple[tuple[int, int], ...] = ()) -> list[str]:
    places = sorted(body.index(text) for text in visited)
    return [body[start:end] for start, end in lost_statements(body.encode(), places, dropped)]


@pytest.mark.parametrize(
    "statement", ["a[0] = 1;", "int x = f(a);", "return;", "break;", "f(a);", "while (x) f(a);", "if (x) f(a);"]
)
def test_a_statement_without_a_visited_place_is_lost(statement: str) -> None:
    assert len(lost(f"{{ g(); {statement} }}", ["g()"])) == 1
    assert lost(f"{{ g(); {statement} }}", ["g()", statement.split(") ")[-1]]) == []


@pytest.mark.parametrize(
    "nothing", ["int x;", "using T = float;", "typedef int T;", "static_assert(sizeof(int) == 4);", ";", "// a = 1;"]
)
def test_what_does_nothing_cannot_be_lost(nothing: str) -> None:
    assert lost(f"{{ {nothing} }}", []) == []


@pytest.mark.parametrize(
    "region",
    [
        "#if A\nleft(); other();\n#else\nright();\n#endif\n",
        "if constexpr (A) { left(); other(); } else { right(); }",
        "auto l = [&](int x) { left(); other(); };",
    ],
)
def test_a_region_that_may_be_no_code_counts_as_soon_as_something_in_it_was_visited(region: str) -> None:
    start = [] if region.startswith(("#", "if")) else ["auto"]
    body = f"{{ {region} }}" if not region.startswith("#") else f"{{\n{region}}}"
    assert lost(body, start) == []
    assert lost(body, [*start, "left"]) == ["other();"]


@pytest.mark.parametrize("macro", ["PRAGMA_UNROLL", "UNROLL(4)", "else_ = 1; UNROLL_4\n"])
def test_a_macro_for_a_pragma_before_a_loop_is_no_statement(macro: str) -> None:
    body = f"{{ a[0] = 0; {macro} for (int i = 0; i < 4; ++i) {{ left(); other(); }} }}"
    visited = ["a[0]", "left", *(["else_"] if "else_" in macro else [])]
    assert lost(body, [*visited, "int i", "i < 4", "++i"]) == ["other();"]


def test_a_name_behind_a_directive_is_no_macro_before_a_loop() -> None:
    body = "{\n#ifdef SMOOTH\nfor (;;) { left(); }\n#else\nfor (;;) { right(); }\n#endif\n}"
    assert lost(body, ["right"]) == []


def test_each_branch_of_a_conditional_counts_for_itself() -> None:
    body = "{\n#if A\na = 1;\n#elif B\nb = 1; other();\n#else\nc = 1; more();\n#endif\n}"
    assert lost(body, ["c = 1"]) == ["more();"]
    assert lost(body, ["b = 1"]) == ["other();"]


def test_a_branch_that_a_constant_removes_is_not_lost() -> None:
    body = "{ if (sizeof(int) == 8) { a = 1; } b = 2; }"
    dead = (body.index("{ a"), body.index("} b") + 1)
    assert lost(body, ["b = 2"]) == ["a = 1;"]
    assert lost(body, ["b = 2"], (dead,)) == []


KERNEL = """
__device__ int f(int *a) { a[1] = 2; return 3; }
template <int N> __global__ void k(int *a) {
  if constexpr (N > 2) { a[0] = N; } else { a[1] = N; a[6] = f(a); }
  if (sizeof(int) == 8) a[7] = 1;
}
void host(int *a) { k<1><<<1, 1>>>(a); k<4><<<1, 1>>>(a); }
"""


def test_a_kernel_is_complete_only_if_every_statement_that_it_reaches_was_met(monkeypatch: pytest.MonkeyPatch) -> None:
    source = SourceFile("k.cu", "/nowhere/k.cu", KERNEL)
    (whole,) = translate(source, ParseOptions(), "/nowhere").kernels
    assert whole.complete
    children = context.clang.children
    monkeypatch.setattr(
        "cudalint.frontend.lowering.statements.clang.children",
        lambda cursor: [c for c in children(cursor) if "[1]" not in _first(c)],
    )
    (partial,) = translate(source, ParseOptions(), "/nowhere").kernels
    assert {(g.reason, g.span.line) for g in partial.gaps} == {
        ("statement that the parser lost", 2),
        ("statement that the parser lost", 4),
    }


def _first(cursor: context.Cursor) -> str:
    """The text of an assignment, which the test makes the parser lose."""
    if cursor.kind != context.Kind.BINARY_OPERATOR:
        return ""
    return " ".join(t.spelling for t in cursor.get_tokens()).replace(" ", "")


def test_an_operator_called_by_its_name_is_one_statement() -> None:
    assert lost("{ g(); operator()<st::wide>(a, b); }", ["g()", "operator()"]) == []
    assert lost("{ g(); operator()<st::wide>(a, b); }", ["g()"]) == ["operator()<st::wide>(a, b);"]
