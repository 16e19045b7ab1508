"""What throws ends the host function's way to its launches, however the thrown value is made."""

from __future__ import annotations

import pytest

from cudalint.frontend.translate import ParseOptions, translate
from cudalint.ir.text import unit_text
from cudalint.source import SourceFile

SOURCE = """
#include <stdexcept>
#include <string>
__global__ void k(float* x) { x[threadIdx.x] = 0; }
void launched(float* x, int threads) {
  THROWING;
  k<<<1, threads>>>(x);
}
"""


@pytest.mark.parametrize(
    "throwing",
    [
        "if (threads > 1024) throw 1",
        'if (threads > 1024) throw std::runtime_error("too many: " + std::to_string(threads))',
        'threads = threads > 1024 ? throw std::runtime_error(std::string("no ") + "more") : threads',
    ],
    ids=["number", "made of temporaries", "in a choice"],
)
def test_a_throw_is_no_hole(throwing: str) -> None:
    source = SourceFile("k.cu", "/nowhere/k.cu", SOURCE.replace("THROWING", throwing))
    shown = unit_text(translate(source, ParseOptions(), "/nowhere").unit)
    assert "trap" in shown and "unmodelled" not in shown, shown
