"""What host code changes in an indirect way before a launch is not what it was: nothing is proved by the earlier value."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.finding import Verdict
from tests.symbolic.test_launches_made_again import written

MANY = "int sizes[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};"
SIZES = "int sizes[3] = {50, 100, 200};"


@pytest.mark.parametrize(
    "program",
    [
        f"void run(int k) {{ MEMORY {SIZES} if (k >= 0 && k < 3) {{ sizes[1] = 300; LAUNCH(y, sizes[k]); }} }}",
        f"void run(int k) {{ MEMORY {SIZES} if (k >= 0 && k < 3) {{ sizes[k] = 300; LAUNCH(y, sizes[2]); }} }}",
        f"void run(int k, int n) {{ MEMORY {SIZES} if (k >= 0 && k < 3) {{ sizes[k] = n; sizes[0] = 1;"
        " LAUNCH(y, sizes[2]); } }",
        f"void run(int k) {{ MEMORY {MANY} if (sizes[k] <= 200) {{ sizes[1] = 300; LAUNCH(y, sizes[k]); }} }}",
        "void run(int* sizes, int k) { MEMORY if (sizes[2] <= 200) { sizes[k] = 300; LAUNCH(y, sizes[2]); } }",
        "void run(bool more) { MEMORY int n = 200, m = 0; (more ? n : m) += 1; LAUNCH(y, n); }",
        "void run(bool more) { MEMORY int n = 200, m = 0; (more ? n : m) = 300; LAUNCH(y, n); }",
        "void run(bool more) { MEMORY int n = 200, m = 0; ++(more ? m : n); LAUNCH(y, n); }",
        "struct A { int n; A(int k) : n(k) {} }; struct B : A { int n; B(int k) : A(k + 9), n(k) {} };"
        " int main() { MEMORY B b(200); LAUNCH(y, b.A::n); }",
    ],
    ids=[
        "element",
        "chosen",
        "chosen before another",
        "of many",
        "of a caller",
        "added",
        "assigned",
        "stepped",
        "hidden member",
    ],
)
def test_the_earlier_value_proves_nothing(program: str, tmp_path: Path) -> None:
    assert written(program, tmp_path).verdict in (Verdict.UNKNOWN, Verdict.VIOLATED)


@pytest.mark.parametrize(
    "program",
    [
        f"void run(int k) {{ MEMORY {SIZES} if (k >= 0 && k < 3) {{ sizes[1] = 150; LAUNCH(y, sizes[k]); }} }}",
        f"void run(int k) {{ MEMORY {SIZES} if (k >= 0 && k < 3) {{ sizes[k] = 300; sizes[2] = 9; LAUNCH(y, sizes[2]); }} }}",
        f"void run(int k) {{ MEMORY {SIZES} if (k >= 0 && k < 3) {{ sizes[k] = 120; LAUNCH(y, sizes[k]); }} }}",
        f"void run(int k) {{ MEMORY {MANY} if (sizes[k] <= 200) {{ LAUNCH(y, sizes[k]); }} }}",
        "void run(int* sizes, int k) { MEMORY if (sizes[2] <= 200) { sizes[1] = 300; LAUNCH(y, sizes[2]); } }",
        "void run(bool more) { MEMORY int n = 200, m = 0; m = more ? n : m; LAUNCH(y, n); }",
        "struct A { int n; A(int k) : n(k) {} }; struct B : A { int n; B(int k) : A(k + 9), n(k) {} };"
        " int main() { MEMORY B b(200); LAUNCH(y, b.n); }",
    ],
    ids=["element", "written again", "the same", "of many", "another", "read", "hiding member"],
)
def test_what_is_not_changed_proves_it(program: str, tmp_path: Path) -> None:
    found = written(program, tmp_path)
    assert (found.verdict, found.reason) == (Verdict.SAFE, None)
