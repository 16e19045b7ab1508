"""Functions that nobody in sight calls find what the only function that fills a pointer has left in it."""

from __future__ import annotations

import pytest

from cudalint.contract import Contract
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts

KERNEL = "__global__ void k(float *x, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) x[i] = 1; }\n"


def contract_of(text: str) -> Contract:
    unit = translate(SourceFile("k.cu", "/k.cu", KERNEL + text), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    return contract


def facts(text: str) -> list[str]:
    return [fact.text for fact in contract_of(text).facts]


MEMBERS = "float *x = nullptr, *spare = nullptr; int n = 0;"
ALLOCATED = "x = cudaMalloc(4*m bytes)"


@pytest.mark.parametrize(
    "text",
    [
        "static float *x; static int n; void set(int m) { n = m; cudaMalloc(&x, m * 4); } void run() { LAUNCH }",
        "class C { float *x; int n; public: C(int m) : n(m) { cudaMalloc(&x, m * 4); } void run() { LAUNCH } };",
        "class C { float *x; int n; public: C(int m) : n(m) { set(); } void set() { cudaMalloc(&x, n * 4); }"
        " void run() { LAUNCH } };",
        f"struct C {{ {MEMBERS} void set(int m) {{ n = m; cudaMalloc(&x, m * 4); }} void run() {{ LAUNCH }} }};",
        f"struct C {{ {MEMBERS} }}; void set(C *c, int m) {{ c->n = m; cudaMalloc(&c->x, m * 4); }}"
        " void run(C *c) { OBJECT }",
        f"struct C {{ {MEMBERS} }}; C *make(int m) {{ C *c = (C *)malloc(sizeof(C)); c->n = m;"
        " cudaMalloc(&c->x, m * 4); return c; } void run(C *c) { OBJECT }",
    ],
    ids=[
        "variables",
        "constructor",
        "constructor that calls",
        "method",
        "function of an object",
        "who makes an object",
    ],
)
@pytest.mark.parametrize("after", ["", "free"])
def test_what_one_function_fills_another_one_finds(text: str, after: str) -> None:
    text = text.replace("LAUNCH", "k<<<(n + 255) / 256, 256>>>(x, n);")
    text = text.replace("OBJECT", "k<<<(c->n + 255) / 256, 256>>>(c->x, c->n);")
    if after == "free" and "static" in text:
        text += " void clear() { cudaFree(x); x = nullptr; n = 0; }"
    told = facts(text)
    assert ALLOCATED in told
    assert "grid = (m + 255) / 256, block = 256" in told
    assert any("is taken to run after" in fact for fact in told)


def test_each_object_was_made_for_itself() -> None:
    text = """
    struct V { float *x; int n; V(int m) : n(m) { cudaMalloc(&x, m * 4); } V(const V &o) : x(o.x), n(o.n) {} };
    void run(V &a, V &b) { k<<<(a.n + 255) / 256, 256>>>(b.x, a.n); }
    """
    told = facts(text)
    assert "x = cudaMalloc(4*b.m bytes)" in told and "n = m" in told


def test_a_parameter_that_a_constructor_keeps_is_left_to_its_caller() -> None:
    text = "struct C { float *x; int n; C(float *y, int m) : x(y), n(m) {} void run() { k<<<n, 256>>>(x, n); } };"
    assert [(m.subject, m.caller) for m in contract_of(text).missing] == [("x", "C")]


@pytest.mark.parametrize(
    "text",
    [
        "class C { float *x; int n; public: C(int m) : n(m) { cudaMalloc(&x, m * 4); } void grow(int m) { n = m; }"
        " void run() { LAUNCH } };",
        "static float *x; static int n; void set(int m) { n = m; cudaMalloc(&x, m * 4); } void use(int m) { n = m; }"
        " void run() { LAUNCH }",
    ],
)
def test_what_others_assign_as_well_may_be_anything(text: str) -> None:
    told = facts(text.replace("LAUNCH", "k<<<(n + 255) / 256, 256>>>(x, n);"))
    assert ALLOCATED in told and "n = m" not in told


@pytest.mark.parametrize(
    "text",
    [
        "static float *x; void one(int m) { cudaMalloc(&x, m * 4); } void two(int m) { cudaMalloc(&x, m * 8); }",
        "static float *x; void set(bool all, int m) { if (all) cudaMalloc(&x, m * 4); else x = nullptr; }",
        "void elsewhere(float **); static float *x; void set(int m) { elsewhere(&x); }",
    ],
    ids=["two fill it", "it may be null", "who fills it is not in sight"],
)
def test_nothing_is_known_of_it(text: str) -> None:
    contract = contract_of(text + " void run(int n) { k<<<n, 256>>>(x, n); }")
    assert "x" in [m.subject for m in contract.missing]


def test_what_a_constructor_sets_for_the_time_being_is_not_what_it_is() -> None:
    """`init()` may be in another file."""
    text = (
        "struct C { float *x; int n; C() : x(nullptr), n(0) {} void init(int); void run() { k<<<n, 256>>>(x, n); } };"
    )
    assert facts(text)[0] == "grid = this.n, block = 256"


CHECKING = """
struct C { int n; C(int m) : n(m) { if (m % 32) throw 1; } MORE void run(float *x) { k<<<(n + 31) / 32, 32>>>(x, n); } };
"""


def test_what_the_only_constructor_checks_holds_of_every_object() -> None:
    assert "m == 32*(m / 32)" in facts(CHECKING.replace("MORE", ""))
    for more in ("C() {}", "C() : n(5) {}", "void set(int m) { n = m; }"):
        assert not any("32*(" in fact for fact in facts(CHECKING.replace("MORE", more)))


def test_launches_of_who_runs_first_are_not_told_twice() -> None:
    text = "static float *x; void set(int m) { cudaMalloc(&x, m * 4); k<<<m, 256>>>(x, m); } void run() { k<<<1, 1>>>(x, 1); }"
    unit = translate(SourceFile("k.cu", "/k.cu", KERNEL + text), ParseOptions(), "/").unit
    (contracts,) = launch_contracts(unit).values()
    assert sorted(c.launch_site.host_function for c in contracts if c.launch_site) == ["run", "set"]


FAILING = """extern bool ready(int);
static struct { float *data; size_t pitch; } image;
int make(int m) {
  if (!ready(1)) return 1;
  cudaMallocPitch((void **)&image.data, &image.pitch, m * 4, 16);
  if (!ready(2)) return 1;
  return 0;
}
void run(int m) { k<<<16, 256>>>(image.data, image.pitch / 4); }
"""


def test_a_function_that_may_fail_is_taken_to_have_come_to_its_end() -> None:
    told = facts(FAILING)
    assert "x = cudaMallocPitch(16*image.pitch bytes)" in told
    assert "image.pitch >= 4*m" in told or "4*m <= image.pitch" in told
    assert not any("||" in fact for fact in told if "pitch" in fact)


CONTAINER = """
class Made {
 public:
  Made(int m) : n(m), x(m) {}
  Made(const Absent &) = delete;
  void run() { k<<<(n + 255) / 256, 256>>>(thrust::raw_pointer_cast(x.data()), n); }
MORE
 private:
  int n;
  thrust::device_vector<float> x;
};
"""


def test_a_container_has_the_size_that_the_constructor_gives_it() -> None:
    text = "#include <thrust/device_vector.h>\n" + CONTAINER
    assert "x = device_vector of m(4*m bytes)" in facts(text.replace("MORE", ""))
    resized = facts(text.replace("MORE", "  void more(int by) { x.resize(by); }"))
    assert not any(fact.startswith("x = device_vector of m") for fact in resized)


BROKEN = """
#include <vector>
#include <rmm/device_uvector.hpp>
struct Inputs { std::vector<float> given; };
struct Test {
  Test() : inputs(absent::Base::GetParam()), x(inputs.given.size(), 0) {}
  void run() { k<<<(inputs.given.size() + 255) / 256, 256>>>(x.data(), inputs.given.size()); }
  Inputs inputs;
  rmm::device_uvector<float> x;
};
"""


def test_a_member_whose_initialiser_does_not_compile_is_not_empty() -> None:
    (count,) = [fact.removeprefix("n = ") for fact in facts(BROKEN) if fact.startswith("n = ")]
    assert count.endswith(".given.numel()")
    assert f"x = device_uvector of {count}, 4*{count} bytes" in facts(BROKEN)


LOST = "float *x; size_t pitch; int n; int main(int c, char **v) { n = c; if (start(v)) ALLOCATE k<<<n, 256>>>(x, pitch); }"


def test_a_variable_that_code_out_of_sight_lets_fill_is_filled_at_the_launch() -> None:
    told = facts(LOST.replace("ALLOCATE", "{ pitch = n * 256; cudaMalloc(&x, pitch * 4); }"))
    assert "x = cudaMalloc(1024*c bytes)" in told
    assert "n = 256*c" in told
    assert "x is filled before the launch: nobody launches with null" in told


def test_a_variable_that_an_input_lets_fill_may_hold_what_an_earlier_call_left() -> None:
    text = "float *x; int room; void grow(int n) { if (n > room) { cudaMalloc(&x, n * 4); room = n; } k<<<n, 256>>>(x, n); }"
    assert not any(fact.startswith("x = cudaMalloc") for fact in facts(text))
