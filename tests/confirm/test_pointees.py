"""Memory behind an untyped pointer is drawn as what the kernel reads it as."""

from __future__ import annotations

from cudalint import ir
from cudalint.confirm.pointees import pointees
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile

PROGRAM = """
struct Block { float scale; signed char values[16]; };
__global__ void read(const void *blocks, void *y, void *same, const int *counts) {
  const Block *b = (const Block *)blocks + threadIdx.x;
  const unsigned char *raw = (const unsigned char *)blocks;
  ((float *)y)[threadIdx.x] = b->scale * raw[0] + ((const float *)counts)[0];
}
"""


def test_the_first_type_that_each_untyped_pointer_is_cast_to() -> None:
    unit = translate(SourceFile("k.cu", "/k.cu", PROGRAM), ParseOptions(), "/").unit
    (kernel,) = unit.functions.values()
    found = pointees(kernel)
    assert found.keys() == {"blocks", "y"}
    assert isinstance(found["blocks"], ir.Struct)
    assert found["y"] == ir.F32
