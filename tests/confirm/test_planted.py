"""Planted defects: the instrumented copies record all that their detectors need, and NVCC takes them where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cudalint.confirm.gpu import prelude
from cudalint.confirm.gpu.plan_file import validated
from cudalint.frontend.instrument import instrument
from tests.gpu.large_overflows import KERNELS
from tests.gpu.planted import GUILTY, PLANTED, plan, plans

FORMS = r"""
#include <cuda_fp16.h>
#include <cuda_bf16.h>
struct S { int* p; int a[4]; volatile int v; };
__device__ int table[16]; __device__ volatile unsigned flag; __device__ float4 wide;
template <class T> __device__ T sum(T v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d); return v; }
template <class T, int W> __device__ T sumw(T v) {
#pragma unroll
  for (int d = W / 2; d > 0; d /= 2) v = v + __shfl_down_sync(~0u, v, d, W);
  return v; }
__global__ void k(const float* __restrict__ x, float* y, S s, __half2* h, __nv_bfloat16* b, unsigned char* c,
                  unsigned long long* l, const float4* f, int n) {
  __shared__ int hist[256]; __shared__ float one; __shared__ unsigned mask;
  int t = threadIdx.x;
  atomicAdd(hist, 1); atomicAdd(hist + t, 1); atomicAdd(s.p + 1, 2);
  atomicMax(&s.p[1], 3); atomicAdd(table, 1); atomicAdd(&table[t & 15], 1);
  atomicCAS(l, 0ull, 1ull); atomicExch(y, 2.f);
  atomicAdd_block(hist, 1); atomicAdd(h, h[0]); atomicAdd(y + (t > 3 ? 1 : 0), 1.f);
  y[0] = __ldg(x) + __ldg(x + t) + __ldg(&x[2]); float4 q = __ldg(f + t); q = __ldcs(f); __stcs(y + t, q.x);
  double d = __shfl_sync(0xffffffff, (double)y[t], 0); y[1] = d;
  h[t] = __shfl_down_sync(0xffffffff, h[t], 1); b[t] = __shfl_xor_sync(0xffffffffu, b[t], 1);
  h[1] = sum(h[0]); y[2] = sum(y[3]); s.p[0] = sum(t); y[5] = sumw<float, 16>(y[6]); l[2] = sum(l[1]);
  int cc = __shfl_up_sync(0xffffffff, c[t], 1u); bool any = __any_sync(__activemask(), cc > 1);
  size_t z = __shfl_sync(0xffffffff, (size_t)cc, t % 32, 32);
  long g = __shfl_sync(0xffffffff, (long)z, (int)z);
  y[8] = any + g + __popc(__ballot_sync(0xffffffff, t < n)) + __reduce_add_sync(0xffffffffu, t);
  unsigned m = __match_any_sync(0xffffffff, t); __syncwarp(m); __syncwarp();
  if (t == 0) { mask = m; one = 2; flag = 1; __threadfence(); } while (flag == 0) {} wide.x = 1;
  s.v = 3; int r = __syncthreads_or(t) + __syncthreads_count(t > 2); y[9] = r + one + mask;
}
"""


@pytest.mark.parametrize("name", sorted(PLANTED))
def test_every_planted_defect_has_a_guilty_line_and_a_twin_without_one(name: str) -> None:
    planted = PLANTED[name]
    bad, ok = plan(f"bad_{name}", planted.kinds, planted.bad), plan(f"ok_{name}", ("clean",), planted.ok)
    assert bad["expectation"]["lines"] and not ok["expectation"]["lines"]
    for each in (bad, ok):
        copy = validated(each)["slice"]["instrumented"]
        assert copy["races"] and copy["across"]
    assert GUILTY not in planted.ok
    guilty = {tuple(line) for line in bad["expectation"]["lines"]}
    assert guilty <= {tuple(site) for site in bad["slice"]["instrumented"]["sites"]}


def compiled(text: str, folder: Path) -> str:
    """What NVCC says; nothing where it takes the text."""
    (folder / "k.cu").write_text(text)
    command = ["nvcc", "-std=c++17", "-arch=sm_90", "--ptx", "-o", str(folder / "k.ptx"), str(folder / "k.cu")]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stderr[:2000] if done.returncode else ""


needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")


@needs_nvcc
def test_nvcc_takes_pointers_types_and_widths_of_all_kinds(tmp_path: Path) -> None:
    copy = instrument(FORMS)
    assert copy is not None and copy.races and copy.across
    for window in ("", prelude.WINDOW):
        assert compiled(prelude.TEXT + window + copy.text, tmp_path) == ""


@needs_nvcc
def test_nvcc_takes_the_instrumented_copies(tmp_path: Path) -> None:
    """All of them in one translation unit, each in a namespace of its own."""
    texts = [made["slice"]["instrumented"]["text"] for made in plans()]
    whole = prelude.TEXT + prelude.WINDOW + "".join(f"namespace k{n} {{\n{text}\n}}\n" for n, text in enumerate(texts))
    assert compiled(whole, tmp_path) == ""


def test_ten_overflows_have_twins_of_the_same_kernel() -> None:
    bad = sorted(KERNELS.glob("bad_*.cu"))
    assert len(bad) == 10
    for path in bad:
        twin = path.with_name(path.name.replace("bad_", "ok_"))
        head = next(line for line in path.read_text().split("\n") if "__global__" in line)
        assert head in twin.read_text() and twin.read_text() != path.read_text()
