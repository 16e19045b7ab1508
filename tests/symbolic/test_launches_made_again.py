"""A launch that is made again with other values, in ways that the walk of host code does not follow, is not proved by the first."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.finding import ObligationResult, Verdict
from tests.project.test_discovery import tree

KERNEL = """#include <cstdlib>
__global__ void fill(float* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 1.f; }
"""
MEMORY = "float* y; cudaMalloc(&y, 200 * sizeof(float));"


def written(program: str, folder: Path) -> ObligationResult:
    """What is said of the write, of 200 elements at most."""
    text = KERNEL + program.replace("MEMORY", MEMORY).replace("LAUNCH", "fill<<<2, 256>>>") + "\n"
    result = scan(ScanOptions((str(tree(folder, {"a.cu": text})),), jobs=1, confirm="off"))
    (found,) = (o for kernel in result.kernels for o in kernel.obligations if o.kind == "global-write-bounds")
    return found


@pytest.mark.parametrize(
    "program",
    [
        "int main() { MEMORY int n = 100, k = 0; again: LAUNCH(y, n); n = 300; if (k++ < 1) goto again; }",
        "int f(); int main() { MEMORY int n = 100; try { n = 300; if (f()) throw 1; n = 100; } catch (...) { }"
        " LAUNCH(y, n); }",
        "union U { int n; float f; }; int main() { MEMORY U u; u.n = 100; u.f = 4.2e-43f; LAUNCH(y, u.n); }",
        "void cut(int& n) { try { if (n > 200) throw 1; } catch (int) { n = n - 1; } }"
        " int main(int c, char**) { MEMORY int n = c; cut(n); LAUNCH(y, n); }",
        "int cut(int n) { try { if (n > 200) throw 1; return n; } catch (int) { return n - 1; } }"
        " int main(int c, char**) { MEMORY LAUNCH(y, cut(c)); }",
        "int f(); int cut(int n) { try { n = f(); if (n > 200) throw 1; n = 0; } catch (int) { return n; } return 1; }"
        " int main(int c, char**) { MEMORY LAUNCH(y, cut(c)); }",
        "int twice(int n) { again: n *= 2; if (n < 150) goto again; return n; }"
        " int main() { MEMORY int n = twice(80); if (n < 200) LAUNCH(y, n); }",
        "int f(); int main() { MEMORY int n = 100; try { if (f()) throw 1; LAUNCH(y, n); } catch (int) { n = f();"
        " LAUNCH(y, n); return 1; } }",
    ],
    ids=[
        "goto",
        "handler",
        "union",
        "handler in a call",
        "value of a handler",
        "behind a handler",
        "goto in a call",
        "in a handler",
    ],
)
def test_what_the_launch_passes_then_is_not_known(program: str, tmp_path: Path) -> None:
    assert written(program, tmp_path).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "program",
    [
        "void go(float* y, int n) { LAUNCH(y, n); if (n < 300) go(y, n + 50); } int main() { MEMORY go(y, 50); }",
        "#include <thread>\nvoid work(float* y, int n) { LAUNCH(y, n); }\n"
        "int main() { MEMORY work(y, 100); std::thread t(work, y, 300); t.join(); }",
    ],
    ids=["recursion", "thread"],
)
def test_a_function_that_is_called_with_other_values_is_taken_alone(program: str, tmp_path: Path) -> None:
    found = written(program, tmp_path)
    assert found.verdict is Verdict.UNKNOWN or found.reason is not None  # safe where callers keep a relation


def test_a_loop_that_tests_behind_its_body_is_followed(tmp_path: Path) -> None:
    (tmp_path / "few").mkdir()
    program = "int main() { MEMORY int n = 50; do { LAUNCH(y, n); n += 50; } while (n < LAST); }"
    assert written(program.replace("LAST", "300"), tmp_path).verdict is Verdict.VIOLATED
    few = written(program.replace("LAST", "201"), tmp_path / "few")
    assert (few.verdict, few.reason) == (Verdict.SAFE, None)


@pytest.mark.parametrize(
    "program",
    [
        "int f(); int main() { MEMORY int n = 100; try { if (f()) throw 1; } catch (...) { return 1; } LAUNCH(y, n); }",
        "int main(int c, char** v) { MEMORY int n = 100; if (c < 2) goto done; LAUNCH(y, n); done: return 0; }",
        "union U { int n; float f; }; int main() { MEMORY U u; u.f = 1; u.n = 100; LAUNCH(y, u.n); }",
        "int cut(int n) { try { if (n > 200) throw 1; return n; } catch (int) { return 200; } }"
        " int main(int c, char**) { MEMORY LAUNCH(y, cut(c)); }",
    ],
    ids=["handler that returns", "goto behind the launch", "union", "value of a handler"],
)
def test_what_leads_to_no_other_launch_takes_no_proof_away(program: str, tmp_path: Path) -> None:
    found = written(program, tmp_path)
    assert (found.verdict, found.reason) == (Verdict.SAFE, None)
