"""Each `fixtures/lowering/*.cu` is lowered and compared with the text beside it.

Write the texts anew with `CUDALINT_WRITE_GOLDEN=1 pytest tests/frontend/test_lowering.py`, and read what changed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cudalint import ir
from cudalint.frontend.translate import ParseOptions, Translation, translate
from cudalint.ir.text import unit_text
from cudalint.ir.walk import statements
from cudalint.source import SourceFile

FIXTURES = Path(__file__).parents[2] / "fixtures" / "lowering"
NAMES = sorted(p.stem for p in FIXTURES.glob("*.cu"))


def lowered(text: str, path: str = "k.cu", **options: str) -> Translation:
    return translate(SourceFile(path, f"/nowhere/{path}", text), ParseOptions(**options), "/nowhere")


def shown(translation: Translation) -> str:
    """Kernels with what was not understood of them, then the IR."""
    lines = []
    for kernel in translation.kernels:
        state = "exact" if kernel.exact else "complete" if kernel.complete else "incomplete"
        lines.append(f"# {kernel.qualified}: {state}, {len(kernel.functions)} function(s)\n")
        lines += [f"#   gap {g.span.line}: {g.reason}\n" for g in kernel.gaps]
        lines += [f"#   opaque {g.span.line}: {g.reason}\n" for g in kernel.opaque]
    return "".join(lines) + "\n" + unit_text(translation.unit)


@pytest.mark.parametrize("name", NAMES)
def test_golden(name: str) -> None:
    source, golden = FIXTURES / f"{name}.cu", FIXTURES / f"{name}.ir"
    text = shown(lowered(source.read_text(), f"{name}.cu"))
    if os.environ.get("CUDALINT_WRITE_GOLDEN"):
        golden.write_text(text)
    assert golden.read_text() == text


def test_there_are_fixtures() -> None:
    assert len(NAMES) >= 20


def test_the_same_bytes_on_every_run() -> None:
    text = (FIXTURES / "templates.cu").read_text()
    assert shown(lowered(text)) == shown(lowered(text))


def test_a_hole_leaves_constants_of_earlier_lines_alone() -> None:
    text = """
    void log(int level);
    void f(int n) {
      const int size = 4 * n;
      int count = n;
      log(1, size, count);
      log(1, size + lost(size), count);
    }
    """
    shown = unit_text(
        lowered(text + "__global__ void k(float* y) { y[0] = 0; } void g() { k<<<1, 1>>>(nullptr); f(2); }").unit
    )
    writes = [line.rsplit("writes", 1)[1] for line in shown.splitlines() if "writes" in line]
    assert writes and all("size" not in written and "count" in written for written in writes), shown


def test_what_a_generic_lambda_hands_on_by_reference_is_set() -> None:
    text = """
    struct Scale { __device__ void operator()(float x, int bits, float& scale) const { scale = x * bits; } };
    template <class Q> __global__ void k(Q quantizer, float* s, const float* x, const int* r) {
      float scale;
      auto invoke = [&](auto bits) { quantizer(x[threadIdx.x], bits, scale); };
      r ? invoke(r[0]) : invoke('a');
      s[threadIdx.x] = scale;
    }
    void f(float* s, const float* x, const int* r) { k<<<1, 64>>>(Scale{}, s, x, r); }
    """
    shown = unit_text(lowered(text).unit)
    assert "local scale: f32" in shown and "&scale" in shown, shown


def test_a_launch_that_is_not_understood_leaves_what_it_is_launched_with_alone() -> None:
    text = """
    void f(float* x, int steps) {
      dim3 grid(8), block(32, 6);
      for (int i = 0; i < steps; ++i) {
        stage_of_another_file<<<grid, block>>>(x, steps, lost);
        k<<<grid, block>>>(x);
      }
    }
    """
    shown = unit_text(lowered("__global__ void k(float* x) { x[threadIdx.x] = 0; }" + text).unit)
    assert "unmodelled" in shown and "writes (grid" not in shown and "writes (block" not in shown, shown


def test_an_instance_is_named_by_functions_templates_and_packs_too() -> None:
    text = """
template <typename T> struct Row {};
__device__ float twice(float v) { return 2 * v; }
template <float (*op)(float), template <typename> class C, typename... Ts>
__global__ void apply(float* x, Ts... more) { x[threadIdx.x] = op(x[threadIdx.x]); }
void run(float* x) { apply<twice, Row, int, Row<float>><<<1, 32>>>(x, 1, Row<float>()); }
"""
    (kernel,) = (f for f in lowered(text, "k.cu").unit.functions.values() if f.role is ir.Role.KERNEL)
    assert kernel.template_args == ("twice", "Row", "int", "Row<float>")


def test_an_alias_of_an_absent_type_is_no_number() -> None:
    text = """
    #include "cutlass/cutlass.h"
    namespace cutlass::spreading {
    typedef cutlass::uint128_t wide_t;
    __global__ void spread(unsigned x) {
      wide_t raw;
      reinterpret_cast<unsigned *>(&raw)[3] = x;
    }
    }
    """
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    declared = [s.var for f in unit.functions.values() for s in statements(f.body) if isinstance(s, ir.Declare)]
    assert [ir.size_of(var.type) for var in declared if var.name == "raw"] == [None]


def test_a_hole_of_a_device_method_writes_where_the_members_point_that_it_names() -> None:
    text = """
    struct Queue {
      __device__ void keep() {
        slots[threadIdx.x] = first @ 2;
      }
      int first; int* slots; int* others;
    };
    __global__ void k(int* x) { __shared__ int s[64]; Queue q{x[0], s, x}; q.keep(); x[threadIdx.x] = s[threadIdx.x]; }
    """
    shown = unit_text(lowered(text).unit)
    written = [line.rsplit("writes", 1)[1] for line in shown.splitlines() if "unmodelled" in line]
    assert written and all("[0]" in each for each in written), shown
    assert "this[0].slots" in shown and "this[0].others" not in shown
