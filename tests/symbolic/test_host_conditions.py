"""Which conditions on the way to a launch its contract tells."""

from __future__ import annotations

from cudalint.contract import Assume
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts

TEXT = """
#include <cstdlib>
__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
void check(int n, int mode, int rows, int packed, int other) {
  if (mode == 2) { if (packed) exit(1); if (rows != n) exit(1); }
  if (other > 3) exit(1);
}
void run(float *x, int n, int mode, int rows, int packed, int other) {
  check(n, mode, rows, packed, other);
  if (mode == 2) k<<<(n + 255) / 256, 256>>>(x, n);
}
"""


def test_what_decides_a_check_of_a_size_is_told_with_it_and_nothing_else() -> None:
    """Behind `mode == 2` the check `mode != 2 || rows == n` is `rows == n`: that still rests on the mode, and so on `packed`."""
    unit = translate(SourceFile("k.cu", "/k.cu", TEXT), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    told = {fact.text for fact in contract.facts if isinstance(fact.what, Assume)}
    assert {"n == rows", "mode == 2", "packed == 0"} <= told
    assert not any("other" in text for text in told)


COUNTED = """
__global__ void k(float *x, int n) { x[n] = 1; }
int log2_ceil(int n) { int bits = 0; while ((1 << bits) < n) ++bits; return bits; }
void run(float *x, int n) {
  int bits = log2_ceil(n);
  if (bits == 7) k<<<1, 1 << bits>>>(x, n);
}
"""


def test_a_loop_that_only_counts_ends_one_step_behind_what_let_it_go_on() -> None:
    unit = translate(SourceFile("k.cu", "/k.cu", COUNTED), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    told = {fact.text for fact in contract.facts if isinstance(fact.what, Assume)}
    assert {"bits == 7", "n <= pow2(bits)", "bits == 0 || pow2(bits - 1) < n"} <= told
