"""Which conditions on the way to a launch its contract tells."""

from __future__ import annotations

from cudalint.contract import Assume, terms_of
from cudalint.engine.draws import names_in
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.host.text import shown

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
    assert {"bits == 7", "n <= 128", "n >= 65"} <= told


SIDES = """
#include <torch/extension.h>
struct Step { int h, w; };
__global__ void k(const float *x, const float *bias, float *y, Step step, int64_t total) { y[0] = 1; }
void run(torch::Tensor x, const c10::optional<torch::Tensor> &bias_opt, std::vector<int64_t> step) {
  TORCH_CHECK(x.dim() == 2 && step.size() == 2);
  for (int d = 0; d < 2; ++d) {
    TORCH_CHECK(step[d] > 0 && x.size(d) >= step[d], "a step of ", step[d], " is too long for ", x.size(d));
    TORCH_CHECK(x.size(d) % step[d] == 0 && x.size(d) < 4096, "the rest of ", x.size(d), " is lost");
  }
  torch::Tensor bias;
  if (bias_opt.has_value()) bias = bias_opt->to(x.options()).contiguous();
  Step s;
  s.h = int(step[0]), s.w = int(step[1]);
  auto y = torch::empty({x.size(0) / s.h, x.size(1) / s.w}, x.options());
  k<<<(y.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), bias.defined() ? bias.data_ptr<float>() : nullptr,
                                      y.data_ptr<float>(), s, y.numel());
}
"""


def test_checks_of_each_side_in_a_loop_are_told_and_what_is_only_known_as_an_int_is_one() -> None:
    unit = translate(SourceFile("k.cu", "/k.cu", SIDES), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    texts = {fact.text for fact in contract.facts}
    assert {"step <= x.size(0)", "step[1] <= x.size(1)", "step.h = step", "step.w = step[1]"} <= texts
    terms = [shown(term) for fact in contract.facts for term in terms_of(fact.what)]
    assert not any("-step" in term for term in terms)  # what a negative step would make
    assert not any("defined" in name or name.startswith("~") for name in names_in(contract))
