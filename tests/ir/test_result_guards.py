"""Where the result of a shuffle is read, as far as one condition covers all of it."""

from __future__ import annotations

import pytest

from cudalint import ir
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.ir.result_guards import guarded_places, guards_of_results
from cudalint.ir.text import expr_text
from cudalint.source import SourceFile

KERNEL = """
#include <cuda_runtime.h>
__global__ void k(float *x, int n) {
  int lane = threadIdx.x % 32;
  float v = x[threadIdx.x], other = 0;
  USE
  x[threadIdx.x] = v;
}
"""
SHUFFLE = "__shfl_down_sync(0xffffffff, v, 8)"


def functions(use: str) -> list[ir.Function]:
    source = KERNEL.replace("USE", use.replace("SHUFFLE", SHUFFLE))
    return list(translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit.functions.values())


def guards(use: str) -> list[str]:
    (kernel,) = functions(use)
    return [expr_text(guard) for guard in guards_of_results(kernel).values()]


@pytest.mark.parametrize(
    ("use", "guard"),
    [
        ("other = SHUFFLE; if (lane + 8 < n) v += other;", "(lane + 8) < n"),
        ("other = SHUFFLE; v = lane + 8 < n ? v + other : v;", "(lane + 8) < n"),
        ("other = SHUFFLE; if (lane < n) v = 0; else v += other;", "!(lane < n)"),
        ("other = SHUFFLE; if (lane < n) v += other; if (lane == 3) v -= other;", "(lane < n) || (lane == 3)"),
    ],
)
def test_the_condition_of_all_its_places(use: str, guard: str) -> None:
    assert guards(use) == [guard]


@pytest.mark.parametrize(
    "use",
    [
        "v += SHUFFLE;",
        "other = SHUFFLE; if (lane < n) v += other; v += other;",
        "other = SHUFFLE; if (other < n) v = 0;",
        "other = SHUFFLE; lane = 0; if (lane < n) v += other;",
        "other = SHUFFLE; if (x[lane] < n) v += other;",
        "for (int i = 0; i < n; ++i) { v += other; other = SHUFFLE; if (lane < n) v += other; }",
    ],
)
def test_none_where_it_is_read_elsewhere_or_the_condition_is_another_at_the_shuffle(use: str) -> None:
    assert guards(use) == []


def test_a_line_is_guarded_where_all_its_shuffles_are() -> None:
    uses = "other = SHUFFLE; if (lane + 8 < n) v += other;\n  float all = SHUFFLE; v += all;\n  "
    both = "other = SHUFFLE; if (lane + 8 < n) v += other; float all = SHUFFLE; v += all;"
    assert [[span.line for span in guarded_places(functions(use))] for use in (uses, both)] == [[6], []]
