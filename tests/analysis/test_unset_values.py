"""Which uses of a variable without a value are told, and which are left alone because conditions may belong together."""

from pathlib import Path

import pytest

from cudalint import ir
from cudalint.analysis.initialisation.unset_shared import unset_shared
from cudalint.analysis.initialisation.unset_values import Lack, unset_uses
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile

HELPERS = """
__device__ float sum_down(float v) { for (int o = 16; o; o /= 2) v += __shfl_down_sync(~0u, v, o); return v; }
__device__ void put(float &v) { v = 1; }
__device__ float twice(float v) { return v + v; }
__device__ void add_to(int *p) { atomicAdd(p, 1); }
"""


def lacks(body: str) -> list[tuple[str, Lack]]:
    unit, kernel = _read(body)
    return [(use.unset.variable, use.unset.lack) for use in unset_uses(kernel, unit)]


def shared(body: str) -> list[tuple[str, bool]]:
    unit, kernel = _read(body)
    return [(unset.variable, unset.adds) for unset in unset_shared(kernel, unit)]


def _read(body: str) -> tuple[ir.Unit, ir.Function]:
    text = f"{HELPERS}__global__ void k(float *x, int n, bool b) {{ int i = threadIdx.x; {body} }}\n"
    unit = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(), "/nowhere").unit
    return unit, next(f for f in unit.functions.values() if f.name == "k")


@pytest.mark.parametrize(
    "body",
    [
        "float v; x[i] = v;",
        "float v; x[i] = twice(v);",
        "float v; for (int j = 0; j < n; j++) v += x[j]; x[i] = v;",
        "float v[2]; v[0] += x[i]; x[i] = v[0];",
        "float v[2]; for (int j = 0; j < n; j++) for (int c = 0; c < 2; c++) v[c] += x[j]; x[i] = v[0];",
        "int v; x[v] = 1;",
        "bool v; if (v) x[i] = 1;",
        "float v; if (b) x[i] = v;",
        "float v; atomicAdd(x, v);",
        "float v; for (int j = 0; j < n; j++) { x[j] += v; v = x[j]; }",
    ],
)
def test_what_nothing_has_set_is_told_wherever_it_is_used(body: str) -> None:
    assert lacks(body) == [("v", Lack.NEVER)]


@pytest.mark.parametrize(
    "body",
    [
        "float v; if (b) v = 1; x[i] = v;",
        "float v; for (int j = 0; j < n; j++) if (x[j] > 0) { v = x[j]; break; } x[i] = v;",
        "float v; if (i < n) v = x[i]; x[i] = twice(v) + 1;",
        "float v; if (b) { if (i < n) v = x[i]; } x[i] = v;",
        "float v[4]; for (int j = 0; j < 4; j++) if (x[j] > 0) v[j] = x[j]; for (int j = 0; j < 4; j++) x[j] = v[j];",
        "float v[4]; for (int j = 0; j < 4; j++) { if (j >= n) break; v[j] = x[j]; }"
        " float s = 0; for (int j = 0; j < 4; j++) s += v[j]; x[i] = s;",
        "float v[4]; for (int t = 0; t < n; t++) {"
        " for (int j = 0; j < 4; j++) { if (x[j] < 0) continue; v[j] = x[j]; }"
        " float s = 0; for (int j = 0; j < 4; j++) s += v[j]; x[t] = s; }",
        "float v; if (b) { x[i] = 0; } else { v = 1; } for (int j = 0; j < n; j++) x[j] += v;",
    ],
)
def test_what_one_branch_sets_is_told_where_both_use_it(body: str) -> None:
    assert lacks(body) == [("v", Lack.SOMETIMES)]


@pytest.mark.parametrize(
    "body",
    [
        "float v; if (i < n) v = x[i]; v = sum_down(v); if (i == 0) x[0] = v;",
        "float v; if (i < n) v = x[i]; for (int o = 16; o; o /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));"
        " if (i < n) x[i] = v;",
    ],
)
def test_lanes_behind_the_end_take_part_in_a_reduction(body: str) -> None:
    assert lacks(body) == [("v", Lack.SPREAD)]


@pytest.mark.parametrize(
    "body",
    [
        "float v; if (b) { if (i < n) v = x[i]; } if (i > 2) x[i] = v;",
        "float v; if (b) { if (i < n) v = x[i]; } x[i] = __shfl_sync(~0u, v, n);",
        "float v; if (i < n) v = x[i]; float w = v * 2; if (i < n) x[i] = w;",
        "float v; if (i < n) v = x[i]; x[i] = i < n ? v : 0;",
        "float v; if (i >= n) return; else v = 1; x[i] = v;",
        "float v; if (i < n) v = x[i]; if (i >= n) return; x[i] = v;",
        "float v; put(v); x[i] = v;",
        "float v; do { v = x[i]; x[i] = v + 1; } while (x[i] != v); x[i] = v;",
        "float v; for (int j = 0; j < n; j++) if (x[j] > 0) v = x[j]; x[i] = v;",
        "float v; bool f = false; for (int j = 0; j < n; j++) if (x[j] > 0) { v = j; f = true; break; } if (f) x[i] = v;",
        "float v; bool f = false; for (int j = 0; j < n; j++) if (x[j] > 0) { v = j; f = true; break; } if (!f) return; x[i] = v;",
        "float v; for (int j = 0; ; j++) if (x[j] > 0) { v = x[j]; break; } x[i] = v;",
        "float v; for (int j = 0; j < n; j++) { v = x[j]; if (v > 0) break; } x[i] = v;",
        "float v; for (int j = 0; j < n; j++) { if (x[j] > 0) { v = x[j]; break; } v = 0; } x[i] = v;",
        "float v; for (int j = 0; j < n; j++) { if (j == 0) { v = 0; continue; } x[j] = v; }",
        "float v; for (int j = 0; j < n; j++) { if (j > 0) x[j] = v; v = x[j]; }",
        "float v; switch (n) { case 0: v = 1; break; case 1: v = 2; break; default: v = 3; } x[i] = v;",
        "float v; if (n == 0) v = 1; else if (n == 1) v = 2; x[i] = v;",
        "float v; if (b) v = x[0]; v = __shfl_sync(~0u, v, 0); x[i] = v;",
        "float v; if (b) v = x[i]; v = sum_down(v); if (b) x[0] = v;",
        "float v[4]; int c = 0; if (b) v[c++] = 1; for (int j = 0; j < c; j++) x[j] = v[j];",
        "float v[2]; for (int j = 0; j < 2; j++) v[j] = 0; x[i] = v[0] + v[1];",
        "float v[4]; for (int j = 0; j < 4; j++) { if (j < n) v[j] = x[j]; else v[j] = 0; } x[i] = v[0] + v[3];",
        "float v[4]; for (int j = 0; j < 4; j++) if (j < n) v[j] = x[j]; for (int j = 0; j < 4; j++) if (j < n) x[j] = v[j];",
        "float v[4]; for (int j = 0; j < 4; j++) if (j < n) v[j] = x[j]; for (int j = 0; j < n; j++) x[j] = v[j];",
        "float v[4]; int c = 0; for (int j = 0; j < 4; j++) if (x[j] > 0) v[c++] = x[j]; x[i] = v[0];",
        "float v[4]; for (int j = 0; j < 4; j++) if (j < n) v[j] = x[j]; int c = (int)x[n]; x[i] = v[c];",
        "float v; if (b) v = x[i]; else x[i] = v;",
        "float v; if (b) v = x[i]; float s[2] = {1, v}; x[i] = s[0];",
        'float v; asm("mov.f32 %0, 0f00000000;" : "=f"(v)); x[i] = v;',
    ],
)
def test_conditions_that_may_belong_together_are_left_alone(body: str) -> None:
    assert lacks(body) == []


def test_shared_memory_begins_as_anything() -> None:
    assert shared("__shared__ int s[32]; atomicAdd(&s[i], 1); __syncthreads(); x[i] = s[i];") == [("s", True)]
    assert shared("__shared__ float s[32]; x[i] = s[i];") == [("s", False)]


@pytest.mark.parametrize(
    "body",
    [
        "__shared__ int s[32]; s[i] = 0; __syncthreads(); atomicAdd(&s[0], 1);",
        "__shared__ int s; add_to(&s); x[i] = s;",
        "__shared__ int s; if (b) s = 0; x[i] = s;",
    ],
)
def test_shared_memory_that_something_sets_is_left_alone(body: str) -> None:
    assert shared(body) == []


def test_an_initial_value_that_was_not_understood_is_one(tmp_path: Path) -> None:
    """A name that a header misses leaves a declaration without its initial value in clang's tree."""
    header = """namespace warps { struct Group; }
template <typename T> __device__ T sum(T v) {
  for (int o = warps::SIZE / 2; o > 0; o >>= 1) v += __shfl_down_sync(~0u, v, o);
  return v;
}
"""
    (tmp_path / "sum.cuh").write_text(header)
    text = '#include "sum.cuh"\n__global__ void k(float *x) { float v = sum(x[threadIdx.x]); x[threadIdx.x] = v; }\n'
    path = tmp_path / "k.cu"
    path.write_text(text)
    unit = translate(SourceFile("k.cu", str(path), text), ParseOptions(), str(tmp_path)).unit
    kernel = next(f for f in unit.functions.values() if f.name == "k")
    assert unset_uses(kernel, unit) == []


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (
            "int s[8], top = 0; for (int j = 0; j < 8; j++) { while (top > 0 && x[j] > n) x[s[--top]] = j; s[top++] = j; }",
            False,
        ),
        ("int s[8], top = 0; for (int j = 0; j < 8; j++) { while (x[top] > n) x[s[top++]] = j; }", True),
    ],
)
def test_a_stack_is_read_once_an_earlier_round_has_filled_it(body: str, told: bool) -> None:
    assert [name for name, _ in lacks(body)] == ["s"] * told
