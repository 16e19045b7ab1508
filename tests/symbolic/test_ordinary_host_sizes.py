"""What no code checks is no fact of a launch: that sizes of memory of the host fit the types in which they are worked out."""

from __future__ import annotations

import pytest

from cudalint.contract import Assume, Origin
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts

SOURCE = """
#include <cstdlib>
__global__ void fill(float *x, int n) {{ if (threadIdx.x < n) x[threadIdx.x] = 0; }}
void run(int rows, int columns) {{
  if (rows < 1 || columns < 1) return;
  {check}
  long n = rows * columns;
  float *image = (float *)malloc(sizeof(float) * n), *x;
  cudaMalloc(&x, sizeof(float) * n);
  fill<<<1, 256>>>(x, n);
}}
"""


def upper_bounds(check: str) -> dict[str, Origin]:
    """Where the conditions on the product of the two sizes come from."""
    unit = translate(SourceFile("k.cu", "/k.cu", SOURCE.format(check=check)), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    conditions = {str(f.what.cond): f.origin for f in contract.facts if isinstance(f.what, Assume)}
    return {text: origin for text, origin in conditions.items() if "*" in text and "<=" in text}


@pytest.mark.parametrize(
    ("check", "origin"),
    [
        pytest.param("", Origin.ORDINARY, id="nobody asks"),
        pytest.param("if (rows * (long)columns > 1000) return;", Origin.LAUNCH, id="checked"),
    ],
)
def test_a_product_that_fits_is_a_fact_where_it_is_checked(check: str, origin: Origin) -> None:
    found = upper_bounds(check)
    assert origin in found.values(), found
    assert (Origin.LAUNCH in found.values()) is bool(check), found
