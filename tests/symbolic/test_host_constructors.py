"""What constructors leave in an object: those they delegate to, bases and members that they do not name."""

from __future__ import annotations

import pytest

from cudalint.contract import Binding, Contract, Extent, Geometry, Nullable
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts
from cudalint.term import text

HEAD = """
__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
struct Base { float *data; int n; Base() : n(64) { cudaMalloc(&data, 256); } };
struct Part { int threads = 32; int blocks; Part() : blocks(3) {} };
struct Plain { int blocks = 3; int threads = 32; };
"""


def contract_of(text: str) -> Contract:
    unit = translate(SourceFile("k.cu", "/k.cu", f"{HEAD}\n{text}"), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    return contract


def told(text: str) -> list[str]:
    return [f.text for f in contract_of(text).facts if isinstance(f.what, Geometry | Extent | Nullable | Binding)]


LAUNCH = "k<<<l.part.blocks, l.part.threads>>>(l.data, l.n);"
SAID = ["grid = 3, block = 32", "x = cudaMalloc(256 bytes)", "n = 64"]


@pytest.mark.parametrize(
    "layer",
    [
        "struct Layer : Base { Part part; };",
        "struct Layer : Base { Part part; Layer() {} };",
        "struct Layer : Base { Plain part; Layer() {} };",
        "struct Layer : Base { Part part; Layer() : Base() {} };",
        "struct Middle : Base {}; struct Layer : Middle { Part part; Layer() {} };",
        "struct Layer { float *data = nullptr; int n; Part part; Layer(int m) : n(m) { cudaMalloc(&data, 4 * m); }"
        " Layer() : Layer(64) {} };",
    ],
)
def test_what_a_constructor_does_not_name_is_made_without_arguments(layer: str) -> None:
    assert told(f"{layer} void run() {{ Layer l; {LAUNCH} }}") == SAID


def test_a_constructor_of_a_template_that_was_not_seen_may_leave_anything() -> None:
    box = "template <class T> struct Box { T *data = nullptr; Box() { cudaMalloc(&data, 256); } };"
    contract = contract_of(
        f"{box} struct Layer : Box<float> {{ Layer() {{}} }}; void run() {{ Layer l; k<<<1, 32>>>(l.data, 64); }}"
    )
    assert [m.subject for m in contract.missing] == ["x"]


def test_an_empty_constructor_leaves_what_is_written_behind_it() -> None:
    layer = "struct Layer { float *data; int n; Layer() {} void set(int m) { n = m; cudaMalloc(&data, 4 * m); } };"
    assert told(f"{layer} void run() {{ Layer l; l.set(64); k<<<3, 32>>>(l.data, l.n); }}") == SAID


ARENA = """
struct Spec { void **place; size_t count; bool wide; };
struct Buffers { float *first[18]; float *data; float *last; };
size_t width(bool wide) { if (wide) return 4; return 2; }
void carve(Spec (&specs)[20]) {
  size_t bytes = 0;
  for (size_t i = 0; i < 20; i++) bytes += specs[i].count * width(specs[i].wide);
  void *memory; cudaMalloc(&memory, bytes);
  char *at = (char *)memory;
  for (size_t i = 0; i < 20; i++)
    if (specs[i].count == 0) { *specs[i].place = nullptr; }
    else { *specs[i].place = at; at += specs[i].count * width(specs[i].wide); }
}
void run(size_t B, size_t C) {
  Buffers buffers; Spec specs[20];
  for (int i = 0; i < 18; i++) specs[i] = {(void **)&buffers.first[i], B, false};
  specs[18] = {(void **)&buffers.data, B * C, true};
  specs[19] = {(void **)&buffers.last, C, false};
  carve(specs);
  k<<<B, 64>>>(buffers.data, B * C);
}
"""


def test_an_arena_is_carved_by_a_table_of_twenty_places() -> None:
    extents = [f.text for f in contract_of(ARENA).facts if isinstance(f.what, Extent | Nullable)]
    assert extents == [
        "x is null where B*C == 0",
        "x = cudaMalloc(4*B*C + 36*B + 2*C bytes) + 36*B bytes",
    ]


def test_a_member_that_a_lost_line_names_may_be_anything() -> None:
    layer = "struct Layer { float *data; Layer(int m) : data(nullptr) { auto &pool = *nowhere::get(); data = pool.take(4 * m); } };"
    contract = contract_of(f"{layer} void run(int n) {{ Layer l(n); if (l.data != nullptr) k<<<n, 64>>>(l.data, n); }}")
    assert not any(isinstance(f.what, Nullable) for f in contract.facts)
    assert [m.subject for m in contract.missing] == ["x"]


VIRTUAL = """
struct Op { virtual int block() const { return 32; } virtual ~Op() {} int twice() const { return 2 * block(); } };
struct Wide : Op { int block() const override { return 64; } };
struct Last final : Op { int block() const override { return 128; } };
void run(PARAMETER) { LOCAL float *x; cudaMalloc(&x, 4096); k<<<1, CALL>>>(x, 1); }
"""


@pytest.mark.parametrize(
    ("parameter", "local", "call", "block"),
    [
        ("const Op &op", "", "op.block()", "~"),
        ("Op *op", "", "op->block()", "~"),
        ("Op *op", "", "op->Op::block()", "32"),
        ("const Last &op", "", "op.block()", "128"),
        ("int n", "Wide op;", "op.block()", "64"),
    ],
)
def test_a_virtual_function_is_that_of_a_known_class_or_nobodys(
    parameter: str, local: str, call: str, block: str
) -> None:
    contract = contract_of(VIRTUAL.replace("PARAMETER", parameter).replace("LOCAL", local).replace("CALL", call))
    (geometry,) = (fact.what for fact in contract.facts if isinstance(fact.what, Geometry))
    assert geometry.block is not None and text(geometry.block[0]).startswith(block)
