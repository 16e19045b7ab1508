"""The scopes that a file opens: what is called in one of them is the function that stands there."""

from __future__ import annotations

import pytest

from cudalint.project.named_scopes import calls_another, opened_scopes


@pytest.mark.parametrize(
    ("text", "scopes"),
    [
        (b"namespace kernels { void run(); }", {b"kernels"}),
        (b"namespace outer::inner { struct Run; }", {b"outer", b"inner", b"Run"}),
        (b"namespace cg = cooperative_groups;", set()),
    ],
)
def test_a_second_name_of_a_namespace_opens_none(text: bytes, scopes: set[bytes]) -> None:
    assert opened_scopes(text) == scopes


def test_a_function_of_a_library_with_the_same_name_is_not_that_of_the_file() -> None:
    text = b"void reduce(int n) { sum = cg::reduce(tile, n); }"
    own = opened_scopes(b"namespace cg = cooperative_groups;  template <class T> void reduce(int n, T *x);")
    assert not calls_another(b"reduce", text, own)
    assert calls_another(b"reduce", text, opened_scopes(b"namespace cg { void reduce(int, int); }"))
