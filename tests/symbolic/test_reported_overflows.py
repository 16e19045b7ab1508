"""An order of accesses whose index overflows, and is told to, is proved for indices that do not, and says so."""

from __future__ import annotations

import pytest

from cudalint.finding import Reason, Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.model import Obligation

PROGRAM = """
#include <torch/extension.h>
__global__ void scale(float *y, unsigned rows, unsigned columns) {
  unsigned row = blockIdx.x;
  for (unsigned c = threadIdx.x; c < columns; c += blockDim.x) y[INDEX] = c;
}
torch::Tensor run(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 2 && x.scalar_type() == torch::kFloat);
  auto y = torch::empty({x.size(0), x.size(1), 4}, x.options());
  scale<<<x.size(0), 256>>>(y.data_ptr<float>(), x.size(0), x.size(1));
  return y;
}
"""


def order_of(index: str) -> Obligation:
    unit = translate(SourceFile("k.cu", "/k.cu", PROGRAM.replace("INDEX", index)), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    (found,) = [o for o in analyse(unit, unit.functions[kernel], contract).sync_results if o.kind == "race"]
    return found


@pytest.mark.parametrize(
    ("index", "reason"),
    [
        pytest.param("(row * columns + c) * 4", Reason.PRECONDITION, id="overflows, and is told"),
        pytest.param("((size_t)row * columns + c) * 4", None, id="does not overflow"),
    ],
)
def test_an_order_says_which_indices_it_takes_not_to_overflow(index: str, reason: Reason | None) -> None:
    found = order_of(index)
    assert (found.verdict, found.reason) == (Verdict.SAFE, reason)
    assert any("does not overflow" in fact.text for fact in found.facts) is (reason is not None)


def test_threads_that_meet_without_overflow_are_no_matter_of_it() -> None:
    assert order_of("(row * columns + c) / 2").verdict is Verdict.VIOLATED
