"""The block of a kernel that nothing launches and whose threads take equal parts of a shared array."""

from __future__ import annotations

import pytest

from cudalint.contract import Contract
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.verdicts.intended_block import intended_block
from cudalint.symbolic.walk.environment import Environment
from cudalint.symbolic.walk.execute import Walk

KERNEL = """
__global__ void k(const int *in, int *out, int n) {
  __shared__ int s[SIZE];
  int t = threadIdx.x;
  LINES
  __syncthreads();
  out[t] = s[0];
}
"""


@pytest.mark.parametrize(
    ("size", "lines", "block"),
    [
        ("512", "s[2 * t] = in[2 * t]; s[2 * t + 1] = in[2 * t + 1];", 256),
        ("128", "s[2 * t + 1] = 0; s[2 * t] = 1;", 64),
        ("512", "s[4 * t] = s[4 * t + 1] = s[4 * t + 2] = s[4 * t + 3] = 0;", 128),
        ("512", "s[2 * t] = in[t];", None),  # every other element is somebody else's, or there for another use
        ("512", "if (n > 0) { s[2 * t] = in[t]; s[2 * t + 1] = in[t]; }", 256),  # all threads or none
        ("512", "if (t < 32) { s[2 * t] = in[t]; s[2 * t + 1] = in[t]; }", None),  # the first warp alone
        ("48", "s[2 * t] = in[t]; s[2 * t + 1] = in[t];", None),  # less than a warp
    ],
)
def test_it_has_as_many_threads_as_there_are_parts(size: str, lines: str, block: int | None) -> None:
    source = SourceFile("k.cu", "/k.cu", KERNEL.replace("SIZE", size).replace("LINES", lines))
    unit = translate(source, ParseOptions(), "/").unit
    kernel = next(f for f in unit.functions.values() if f.name == "k")
    walk = Walk(unit, kernel, Environment(unit, kernel, Contract(kernel.id, ())))
    walk.run()
    assert intended_block(walk.accesses) == block


ROWS = """
__global__ void k(const int *in, int *out, int n) {
  __shared__ int s[SIZE];
  int t = threadIdx.x;
  for (int i = t; i < SIZE; i += STEP) s[i] = in[blockIdx.x * SIZE + i];
  __syncthreads();
  out[blockIdx.x * ACROSS + t] = s[t];
}
"""


@pytest.mark.parametrize(
    ("size", "step", "across", "block"),
    [
        ("1024", "128", "128", 128),  # a block goes through more elements than it has threads, in rounds
        ("1024", "32", "32", 32),  # one warp, as rounds and blocks say
        ("1024", "32", "64", None),
        ("1024", "32", "1", None),  # nothing but rounds says that it is one warp
    ],
)
def test_rounds_of_a_block_say_how_many_threads_it_has(size: str, step: str, across: str, block: int | None) -> None:
    text = ROWS.replace("SIZE", size).replace("STEP", step).replace("ACROSS", across)
    text = text.replace("= s[t]", "= s[t % 2]")
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    kernel = next(f for f in unit.functions.values() if f.name == "k")
    walk = Walk(unit, kernel, Environment(unit, kernel, Contract(kernel.id, ())))
    walk.run()
    assert intended_block(walk.accesses) == block
