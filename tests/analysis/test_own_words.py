"""Patterns that are left out where the function itself says that they are meant."""

import pytest

from cudalint.analysis.guards.closed_beside_open import closed_beside_open
from cudalint.analysis.precision.vanishing_divisors import vanishing_divisors
from cudalint.frontend.outline import outline
from cudalint.ir.syntax import Outline
from cudalint.source import SourceFile

CARRIED = """
__global__ void carry(float *cache, const float *from, int n) {
  int place = threadIdx.x;  const int k = 2;
  if (place < k) cache[place] = from[place];
}
__global__ void filter(float *b, float *cache, const float *of, const float *from, int n) {
  int place = threadIdx.x;  const int k = 2;
  if (place <= k) b[place] = of[place];
  %s
}
"""
NORM = """
struct C { float re, im; };
__device__ C %s(const C &a, const C &b) {
  float s = fabsf(b.re) + fabsf(b.im);
  float t = 1.f / s;
  float re = b.re * t, im = b.im * t;
  s = re * re + im * im;
  t = 1.f / s;
  return C{a.re * re * t, a.im * im * t};
}
"""


def outlined(text: str) -> Outline:
    return outline(SourceFile("k.cu", "k.cu", text))


@pytest.mark.parametrize(("also", "told"), [("", 1), ("if (place < k) cache[place] = from[place];", 0)])
def test_a_function_that_asks_for_both_ends_means_both(also: str, told: int) -> None:
    assert len(list(closed_beside_open(outlined(CARRIED % also)))) == told


@pytest.mark.parametrize(("name", "told"), [("quotient", True), ("operator/", False)])
def test_a_division_of_complex_numbers_divides_by_what_it_is_given(name: str, told: bool) -> None:
    assert bool(list(vanishing_divisors(outlined(NORM % name)))) is told
