"""Which loops fold an array in halves, and which numbers of elements lose one on the way."""

from __future__ import annotations

import pytest

from cudalint import ir
from cudalint.analysis.loops.halving_loops import HalvingLoop, halving_loops, lost_at
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile


def loops(body: str) -> list[HalvingLoop]:
    text = f"""
__global__ void k(float *x, int n) {{
  __shared__ float s[512];
  int t = threadIdx.x;
  s[t] = x[t];
  {body}
  x[t] = s[0];
}}
"""
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    (kernel,) = unit.functions.values()
    return list(halving_loops(unit, kernel))


FOLD = "if (t < h) s[t] += s[t + h]; __syncthreads();"


@pytest.mark.parametrize(
    ("head", "least"),
    [
        ("for (int h = blockDim.x / 2; h > 0; h /= 2)", 0),
        ("for (unsigned h = blockDim.x >> 1; h; h >>= 1)", 0),
        ("for (int h = blockDim.x / 2; 0 < h; h = h / 2)", 0),
        ("for (int h = blockDim.x / 2; h >= 64; h >>= 1)", 63),
    ],
)
def test_a_fold_of_all_threads_is_found_with_its_end(head: str, least: int) -> None:
    (found,) = loops(f"{head} {{ {FOLD} }}")
    assert isinstance(found.count, ir.Builtin)
    assert (found.array, found.count.name, found.least) == ("s", "blockDim.x", least)


def test_the_number_of_elements_is_twice_a_first_half_that_is_a_number() -> None:
    (found,) = loops(f"for (int h = 48; h > 0; h /= 2) {{ {FOLD} }}")
    assert isinstance(found.count, ir.Const)
    assert found.count.value == 96


@pytest.mark.parametrize(
    "body",
    [
        "for (int n = blockDim.x; n > 1;) { int h = (n + 1) / 2; if (t + h < n) s[t] += s[t + h]; __syncthreads(); n = h; }",
        "for (int h = blockDim.x / 2; h > 0; h /= 2) { if (t < h) s[t] += s[t + h];"
        " if (t == 0 && h % 2) s[0] += s[h - 1]; __syncthreads(); }",
        "for (int h = blockDim.x / 2; h > 0; h /= 2) { if (t < h) s[t] += s[t + h + 1]; __syncthreads(); }",
        "for (int h = blockDim.x / 2; h > 0; h /= 4) { if (t < h) s[t] += s[t + h]; __syncthreads(); }",
        "for (int h = 1; h < blockDim.x; h *= 2) { if (t % (2 * h) == 0) s[t] += s[t + h]; __syncthreads(); }",
    ],
    ids=["upper half", "adds the odd one", "another distance", "quarters", "from neighbours on"],
)
def test_other_loops_are_none(body: str) -> None:
    assert loops(body) == []


@pytest.mark.parametrize(
    ("count", "least", "left"),
    [(256, 0, None), (96, 0, 3), (6, 0, 3), (7, 0, 7), (2, 0, None), (1, 0, None), (192, 32, None), (300, 31, 75)],
)
def test_an_odd_number_loses_one_unless_the_loop_ends_before(count: int, least: int, left: int | None) -> None:
    assert lost_at(count, least) == left
