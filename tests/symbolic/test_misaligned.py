"""Which accesses are said to lie where their type may not."""

from __future__ import annotations

import pytest

from cudalint.contract import Contract
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse


def misaligned(body: str) -> int:
    text = f"#include <cuda_runtime.h>\n__global__ void k(const float4* x, const float* y, float* out) {{ {body} }}"
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    (kernel,) = unit.functions.values()
    return len(analyse(unit, kernel, Contract("k", ())).misaligned)


@pytest.mark.parametrize("lanes", ["v.y", "v.w", "v.y + v.z", "v.x + v.w"])
def test_the_lanes_that_are_used_of_a_vector_lie_where_they_may(lanes: str) -> None:
    assert misaligned(f"float4 v = x[threadIdx.x]; out[threadIdx.x] = {lanes};") == 0


@pytest.mark.parametrize("first", ["threadIdx.x", "2 * threadIdx.x"])
def test_a_vector_that_begins_between_two_is_told(first: str) -> None:
    body = f"float4 v = *reinterpret_cast<const float4*>(y + {first}); out[threadIdx.x] = v.x;"
    assert misaligned(body) == 1
