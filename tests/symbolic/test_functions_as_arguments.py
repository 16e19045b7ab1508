"""Device functions that are handed to others, or that a variable is: what is called is known."""

from __future__ import annotations

import pytest

from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts

PROGRAM = """
typedef float (*Op)(const float *, int);
__device__ float ahead(const float *x, int i) { return x[i + 1]; }
__device__ float here(const float *x, int i) { return x[i]; }
template <typename T> __device__ T doubled(T v) { return v * 2; }
__device__ float apply(Op op, const float *x, int i) { return (*op)(x, i); }
__device__ float twice(Op op, const float *x, int i) { return apply(op, x, i) + op(x, i); }
__device__ void set(Op *op) { *op = ahead; }
__device__ void set_it(Op &op) { op = ahead; }
__device__ float other(Op op, const float *x, int i) { if (i > 3) op = ahead; return op(x, i); }
__device__ float by_address(Op op, const float *x, int i) { set(&op); return op(x, i); }
__device__ float by_reference(Op op, const float *x, int i) { set_it(op); return op(x, i); }
template <typename F> __device__ void each(F &&f, const float *x, float *y, int i) { y[i] = f(x, i); }
template <typename F> __device__ void changed(F f, float *y, int i) { y[i] = f(y[i]); }
__global__ void k(const float *x, float *y, int n, int which) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  BODY
}
void run(int n, int which) {
  if (n < 1 || n > 100000) return;
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  k<<<(n + 255) / 256, 256>>>(x, y, n, which);
}
"""


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        pytest.param("y[i] = twice(here, x, i);", Verdict.SAFE, id="handed on"),
        pytest.param("y[i] = other(here, x, i);", Verdict.UNKNOWN, id="a parameter that is set"),
        pytest.param("y[i] = by_address(here, x, i);", Verdict.UNKNOWN, id="a parameter that is set by its address"),
        pytest.param("y[i] = by_reference(here, x, i);", Verdict.UNKNOWN, id="a parameter that is set by a reference"),
        pytest.param("Op op = here; Op &it = op; it = ahead; y[i] = op(x, i);", Verdict.UNKNOWN, id="by another name"),
        pytest.param("y[i] = twice(&ahead, x, i);", Verdict.VIOLATED, id="handed on beyond"),
        pytest.param("y[i] = twice(here, x, i) + twice(ahead, x, i);", Verdict.VIOLATED, id="one of both"),
        pytest.param("each(here, x, y, i);", Verdict.SAFE, id="by reference"),
        pytest.param("each(ahead, x, y, i);", Verdict.VIOLATED, id="by reference beyond"),
        pytest.param("changed(doubled<float>, y, i);", Verdict.SAFE, id="of a template"),
        pytest.param("Op op = here; y[i] = op(x, i);", Verdict.SAFE, id="a variable"),
        pytest.param("Op op = which ? here : ahead; y[i] = op(x, i);", Verdict.VIOLATED, id="a choice"),
        pytest.param("Op op = which ? here : ahead; if (which) y[i] = op(x, i);", Verdict.SAFE, id="the first choice"),
        pytest.param("Op op = here; op = which ? ahead : op; y[i] = op(x, i);", Verdict.UNKNOWN, id="changed"),
    ],
)
def test_what_a_function_that_is_handed_over_does(body: str, verdict: Verdict) -> None:
    unit = translate(SourceFile("k.cu", "/k.cu", PROGRAM.replace("BODY", body)), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    found = analyse(unit, unit.functions[kernel], contract)
    results = {o.verdict for o in (*found.obligations, *found.sync_results)}
    assert verdict is Verdict.UNKNOWN or (Verdict.VIOLATED in results) == (verdict is Verdict.VIOLATED)
    assert (results <= {Verdict.SAFE, Verdict.UNREACHABLE}) == (verdict is Verdict.SAFE)
