"""Contracts from host code as people write it: each function of a source launches `k` once, and says what it guarantees."""

from __future__ import annotations

import functools

import pytest

from cudalint.contract import Assume, Contract, Extent, Origin
from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts, walk
from cudalint.term import free_symbols

SOURCE = """
#include <memory>
#include <optional>
#include <thrust/device_vector.h>
#include <torch/extension.h>
__global__ void k(float *x, const float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = y[i]; }

void vectors(int n) {
  thrust::device_vector<float> v(n), w(n);
  k<<<(n + 255) / 256, 256>>>(thrust::raw_pointer_cast(v.data()), thrust::raw_pointer_cast(&w[0]), n);
}
void second_name(int n) {
  float *h, *d;
  cudaHostAlloc(&h, n * sizeof(float), 0);
  cudaHostGetDevicePointer(&d, h, 0);
  auto u = std::make_unique<float[]>(n);
  k<<<1, 32>>>(d, u.get(), n);
}
void properties(float *d, int n) {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  k<<<p.multiProcessorCount * 4, p.maxThreadsPerBlock>>>(d, d, n);
}
void current_properties(float *d, int n) {
  k<<<at::cuda::getCurrentDeviceProperties()->maxGridSize[1], 32>>>(d, d, n);
}
struct Shape { int major; };
void no_property(Shape s, float *d, int n) { k<<<s.major, 32>>>(d, d, n); }
void doubling(float *d, int n, int m) {
  int block = 32;
  while (block < m && block < 1024) block *= 2;
  k<<<1, block>>>(d, d, n);
}
void halving(float *d, int n) {
  int s = n;
  while (s > 1) { int t = (s + 1) / 2; k<<<t, 32>>>(d, d, t); s = t; }
}
void started_elsewhere(float *d, int n) {
  int s = n, t = 1000;
  while (s > 1) { s = t; t = n; k<<<s, 32>>>(d, d, n); }
}
static void helper(float *d, int n) { k<<<n, 128>>>(d, d, n); }
static void apply(void (*f)(float *, int), float *d, int n) { f(d, n); }
void through_pointer(int n) { float *d; cudaMalloc(&d, n * 4); apply(helper, d, n); }
void rounded(float *d, int n) { k<<<(int)ceil((float)n / 256.0f), 256>>>(d, d, n); }
void rounded_pairs(float *d, int n) {
  const unsigned block = 128;
  k<<<(int)ceil((float)n / (2.f * block)), 256>>>(d, d, n);
}
void rounded_product(float *d, int n, int m) { k<<<(int)ceil((float)n * m / 256.0f), 256>>>(d, d, n); }
void last_size(torch::Tensor x) { k<<<x.size(-1), 32>>>(x.data_ptr<float>(), x.data_ptr<float>(), x.size(x.dim() - 1)); }
void maybe(torch::Tensor x, const std::optional<torch::Tensor> &bias) {
  k<<<1, 32>>>(x.data_ptr<float>(), bias.has_value() ? bias->data_ptr<float>() : nullptr, x.numel());
}
void checked_type(torch::Tensor x) {
  TORCH_CHECK(x.scalar_type() == torch::kFloat32);
  k<<<1, 32>>>(static_cast<float *>(x.data_ptr()), static_cast<const float *>(x.exp().data_ptr()), x.numel());
}
void none(torch::Tensor x) {
  std::optional<torch::Tensor> bias = std::nullopt;
  k<<<bias.has_value() ? 2 : 1, 32>>>(x.data_ptr<float>(), nullptr, x.numel());
}
void gemm(float *d, int n) {
  const float alpha = 1.0f;
  cublasSgemm(0, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, d, n, d, n, &alpha, d, n);
  k<<<n, 32>>>(d, d, n);
}
struct cudaGraphicsResource;
void mapped(cudaGraphicsResource *resource, int n) {
  float *d;
  size_t bytes;
  cudaGraphicsResourceGetMappedPointer((void **)&d, &bytes, resource);
  k<<<bytes / 1024, 256>>>(d, d, n);
}
int measure(const int *shape);
void read_only(float *d, int n) { int shape = n; measure(&shape); k<<<shape, 32>>>(d, d, n); }
void same_shape(torch::Tensor q, torch::Tensor w) {
  TORCH_CHECK(q.dim() == 2 && q.size(1) == 64);
  TORCH_CHECK(w.sizes() == q.sizes());
  k<<<1, 32>>>(q.data_ptr<float>(), w.data_ptr<float>(), w.size(-1));
}
void read_sizes(torch::Tensor a) { k<<<a.size(0), 32>>>(a.data_ptr<float>(), nullptr, a.size(1)); }
void counted(torch::Tensor a) { k<<<a.size(0), 32>>>(a.data_ptr<float>(), nullptr, a.numel() / a.size(0)); }
void strided(torch::Tensor a, int64_t K, int64_t stride) {
  TORCH_CHECK(a.dim() == 1 && stride > 0);
  auto windows = (a.size(0) - K) / stride + 1;
  auto y = torch::empty({windows}, a.options());
  k<<<(windows + 31) / 32, 32>>>(y.data_ptr<float>(), a.data_ptr<float>(), windows);
}
void swapped(int n, int rounds) {
  float *old, *next;
  cudaMalloc(&old, n * 4);
  cudaMalloc(&next, n * 4);
  for (int r = 0; r < rounds; ++r) {
    k<<<n, 32>>>(next, old, r);
    std::swap(old, next);
  }
}
void rotated(int n, int rounds) {
  float *a, *b, *c;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 8);
  cudaMalloc(&c, n * 12);
  for (int r = 0; r < rounds; ++r) {
    float *t = a;
    a = b;
    b = c;
    c = t;
  }
  k<<<n, 32>>>(a, b, 1);
}
void moved_on(int n, int rounds) {
  float *a, *b;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  for (int r = 0; r < rounds; ++r) {
    k<<<n, 32>>>(a, b, r);
    std::swap(a, b);
    a += r;
  }
}
void chosen(int argc, char **argv) {
  int rows = 1024, cols = 768;
  if (argc > 2) { rows = atoi(argv[1]); cols = atoi(argv[2]); }
  float *d;
  cudaMalloc(&d, rows * cols * 4);
  k<<<rows, 32>>>(d, d, cols);
}
void same_text(int argc, char **argv) {
  int rows = atoi(argv[1]), cols = atoi(argv[1]);
  if (atoi(argv[1]) % 16 != 0) exit(1);
  float *d;
  cudaMalloc(&d, rows * cols * 4);
  k<<<rows, 32>>>(d, d, cols);
}
void text_read_again(char *line) {
  int rows = atoi(line);
  fgets(line, 80, stdin);
  k<<<rows, 32>>>(nullptr, nullptr, atoi(line));
}
void checked_rows(torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(a.sizes() == b.sizes());
  TORCH_CHECK(a.size(2) == 64);
  k<<<a.size(0), 32>>>(a.data_ptr<float>(), b.data_ptr<float>(), a.size(1));
}
void viewed(torch::Tensor a) {
  auto rows = a.view({-1, a.size(-1)});
  auto sums = torch::empty({rows.size(0)}, a.options());
  k<<<rows.size(0), 32>>>(sums.data_ptr<float>(), rows.data_ptr<float>(), rows.size(1));
}
void flattened(torch::Tensor a) {
  auto flat = a.reshape({-1});
  k<<<1, 32>>>(flat.data_ptr<float>(), nullptr, flat.size(0));
}
void strided_late(torch::Tensor a) { k<<<1, 32>>>(a.data_ptr<float>(), nullptr, a.stride(0)); }
void made_dense(torch::Tensor a, int rows, int cols) {
  auto y = torch::empty({rows, cols, 2}, a.options());
  k<<<1, 32>>>(y.data_ptr<float>(), nullptr, y.stride(0));
}
void made_images(torch::Tensor a, int rows, int cols) {
  auto y = torch::empty({rows, cols, 2, 3}, a.options());
  k<<<1, 32>>>(y.data_ptr<float>(), nullptr, y.stride(-3));
}
void made_channels_last(torch::Tensor a, int rows, int cols) {
  auto y = torch::empty({rows, cols, 2, 3}, a.options(), at::MemoryFormat::ChannelsLast);
  k<<<1, 32>>>(y.data_ptr<float>(), nullptr, y.stride(0));
}
void made_with_options(torch::Tensor a, int rows, int cols) {
  auto y = torch::empty({rows, cols, 2, 3}, a.options().memory_format(at::MemoryFormat::ChannelsLast));
  k<<<1, 32>>>(y.data_ptr<float>(), nullptr, y.stride(0));
}
int change(int *shape);
void changed(float *d, int n) { int shape = n; change(&shape); k<<<shape, 32>>>(d, d, n); }
"""


@functools.cache
def contracts() -> dict[str, Contract]:
    unit = translate(SourceFile("host.cu", "/host.cu", SOURCE), ParseOptions(), "/").unit
    found = [c for each in launch_contracts(unit).values() for c in each]
    return {c.launch_site.host_function: c for c in found if c.launch_site is not None and not c.first}


def texts(function: str) -> list[str]:
    return [fact.text for fact in contracts()[function].facts]


def reasons(function: str) -> dict[str, str]:
    return {m.subject: m.reason for m in contracts()[function].missing}


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("vectors", "x = device_vector of n(4*n bytes)"),
        ("vectors", "y = device_vector of n(4*n bytes)"),
        ("second_name", "x = cudaHostAlloc(4*n bytes)"),
        ("second_name", "y = make_unique(4*n bytes)"),
        ("properties", "grid = 4*device.multiProcessorCount, block = 1024"),
        ("current_properties", "grid = 65535, block = 32"),
        ("no_property", "grid = s.major, block = 32"),
        ("doubling", "block >= 32"),
        ("halving", "n = (s + 1) / 2"),
        ("halving", "n <= -1 || (s >= 0 && s <= n)"),
        ("helper", "x = cudaMalloc(4*n bytes)"),
        ("helper", "grid = n, block = 128"),
        ("last_size", "grid = x.size(-1), block = 32"),
        ("maybe", "x = tensor x, 4*x.numel() bytes"),
        ("read_only", "grid = n, block = 32"),
        ("swapped", "x = next or old: 4*n bytes"),
        ("swapped", "y = old or next: 4*n bytes"),
        ("strided_late", "n = a.stride(0)"),
        ("made_dense", "n = 2*cols"),
        ("made_images", "n = 6"),
        ("viewed", "grid = rows.size(0), block = 32"),
        ("viewed", "x = torch::empty({rows.size(0)}), 4*rows.size(0) bytes"),
        ("viewed", "a.numel() == a.size(-1)*rows.size(0)"),
        ("flattened", "n = a.numel()"),
        ("chosen", "one of its sizes is (argc >= 3 ? cols : 768)"),
        ("same_text", "n = rows"),
        ("same_text", "16*(rows / 16) == rows"),
        ("text_read_again", "grid = rows, block = 32"),
        ("checked_rows", "x = tensor a, 4*a.numel() bytes, if a.numel() == a.size(0)*a.size(1)*a.size(2)"),
        ("checked_rows", "y = tensor b, 4*b.numel() bytes, if b.numel() == b.size(0)*b.size(1)*b.size(2)"),
        ("checked_type", "x = tensor x, 4*x.numel() bytes"),
        ("none", "grid = 1, block = 32"),
        ("gemm", "grid = n, block = 32"),
        ("same_shape", "x = tensor q, 4*q.size(0)*q.size(1) bytes"),
        ("same_shape", "y = tensor w, 4*w.size(0)*w.size(1) bytes"),
        ("same_shape", "w.size(0) == q.size(0)"),
        ("same_shape", "n = w.size(1)"),
        ("read_sizes", "x = tensor a, 4*a.numel() bytes, if a.numel() == a.size(0)*a.size(1)"),
        ("counted", "x = tensor a, 4*a.numel() bytes"),
        ("strided", "x = torch::empty({windows}), 4*windows bytes"),
        ("strided", "grid = (windows + 31) / 32, block = 32"),
        ("mapped", "grid = d.size / 1024, block = 256"),
        ("mapped", "x = cudaGraphicsResourceGetMappedPointer(d.size bytes)"),
    ],
)
def test_said(function: str, said: str) -> None:
    assert said in texts(function)


def test_a_text_that_was_written_again_may_say_another_number() -> None:
    assert "n = rows" not in texts("text_read_again")


def test_a_doubled_block_is_a_power_of_two() -> None:
    assert any(text.startswith("block == 32 || block == 64 || block == 128") for text in texts("doubling"))


def test_what_rounds_is_a_function_of_its_input() -> None:
    assert texts("rounded")[0].startswith("grid = (n >= -8388608 && n <= 8388608 ? (n + 255) / 256 : rounded(")
    assert "grid" not in reasons("rounded")
    assert texts("rounded_pairs")[0] == texts("rounded")[0]


def test_what_sizes_are_together_in_floating_point_is_not_known() -> None:
    assert "grid" in reasons("rounded_product")


def test_a_value_from_an_earlier_iteration_has_no_start() -> None:
    assert reasons("started_elsewhere")["grid"] == "`t` is assigned in a loop"


def test_a_tensor_whose_element_type_nobody_checks_is_taken_to_hold_what_is_read() -> None:
    assumed = {f.text: f.origin for f in contracts()["checked_type"].facts if isinstance(f.what, Extent)}
    assert assumed == {
        "x = tensor x, 4*x.numel() bytes": Origin.LAUNCH,
        "y = exp(x), 4*x.numel() bytes, if its elements have 4 bytes": Origin.INFERRED,
    }


READ_AS = {
    "(unsigned char *)x.data_ptr()": "x.nbytes bytes",
    "(float *)x.data_ptr() + n": "x.nbytes bytes + 4*n bytes",
    "(pair *)x.data_ptr()": "x.nbytes bytes",
}


@pytest.mark.parametrize("used", READ_AS)
def test_a_buffer_that_may_hold_anything_has_a_byte_for_each_element_at_least(used: str) -> None:
    source = f"""
    #include <torch/extension.h>
    struct pair {{ float a, b; }};
    template <class T> __global__ void read(const T *x) {{ }}
    void f(torch::Tensor x, int n) {{ read<<<1, 32>>>({used}); }}
    """
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    (extent,) = [f for f in contract.facts if isinstance(f.what, Extent)]
    assert extent.text == f"x = tensor x, {READ_AS[used]}" and extent.origin is Origin.INFERRED
    told = {f.text for f in contract.facts if isinstance(f.what, Assume) and f.origin is Origin.INFERRED}
    assert told == {"x has x.numel() bytes or more"}


@pytest.mark.parametrize(("place", "verdict"), [("i", Verdict.SAFE), ("2 * i", Verdict.UNKNOWN)])
def test_elements_of_two_bytes_may_be_what_is_read_byte_by_byte(place: str, verdict: Verdict) -> None:
    source = f"""
    #include <torch/extension.h>
    __global__ void widen(const unsigned char *x, float *y, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] = x[{place}];
    }}
    void f(torch::Tensor x, torch::Tensor y) {{
      int n = x.numel();
      TORCH_CHECK(y.numel() == n);
      widen<<<(n + 255) / 256, 256>>>((unsigned char *)x.data_ptr(), y.data_ptr<float>(), n);
    }}
    """
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    (((kernel, (contract,))),) = launch_contracts(unit).items()
    obligations = analyse(unit, unit.functions[kernel], contract).obligations
    assert [o.verdict for o in obligations if o.kind == "bounds" and o.access == "read"] == [verdict]


def test_unknown_calls_change_what_they_get_the_address_of_unless_const() -> None:
    assert reasons("changed")["grid"] == "call of change"
    assert "grid" not in reasons("read_only")


def test_open_pointers_name_the_parameter_that_decides() -> None:
    missing = {m.subject: m.caller for m in contracts()["doubling"].missing}
    assert missing["x"] == missing["y"] == "doubling"


def test_an_explicit_instance_of_a_launching_template_is_walked() -> None:
    source = """
template <class T> __global__ void fill(T *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
template <class T> void run_fill(T *x, int n) { fill<T><<<n, 64>>>(x, n); }
template void run_fill<double>(double *, int);
"""
    unit = translate(SourceFile("fill.cu", "/fill.cu", source), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    assert kernel == "fill<double>(double *, int)"
    assert contract.facts[0].text == "grid = n, block = 64"


def test_a_rank_that_nobody_checked_is_inferred() -> None:
    (extent,) = [f for f in contracts()["read_sizes"].facts if isinstance(f.what, Extent)]
    assert extent.origin is Origin.INFERRED


def test_sizes_that_were_compared_are_one_input() -> None:
    sizes = {f.what.size for f in contracts()["same_shape"].facts if isinstance(f.what, Extent)}
    assert [repr(size) for size in sizes] == ["256*same_shape:q.size(0)"]


def test_pointers_that_a_loop_passes_around_hold_one_of_the_buffers_each_in_turn() -> None:
    sizes = {f.what.pointer: f.what.size for f in contracts()["rotated"].facts if isinstance(f.what, Extent)}
    assert [sizes[name].kind for name in ("x", "y")] == ["choice", "choice"]
    symbols = [{str(s.parts[0]) for s in free_symbols(sizes[name])} for name in ("x", "y")]
    assert symbols[0] == symbols[1], "one turn decides for all of them"


def test_pointers_that_a_loop_moves_on_are_lost() -> None:
    assert reasons("moved_on") == {"x": "written in a loop", "y": "written in a loop"}


def test_strides_that_are_read_after_the_pointer_make_its_extent_unknown() -> None:
    assert reasons("strided_late")["x"] == "strides of a are read"


KERNEL = "__global__ void k(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n"


@pytest.mark.parametrize("function", ["made_channels_last", "made_with_options"])
def test_strides_of_what_is_made_in_another_memory_format_are_open(function: str) -> None:
    assert "n = empty.stride(0)" in texts(function)


def facts_in(source: str) -> list[list[str]]:
    """The facts of each launch of `k` in a source of its own."""
    unit = translate(SourceFile("k.cu", "/k.cu", KERNEL + source), ParseOptions(), "/").unit
    return [[fact.text for fact in c.facts] for found in launch_contracts(unit).values() for c in found]


@pytest.mark.parametrize(
    ("spelled", "said"),
    [
        ("elem", "x = cudaMalloc(n*sizeof(elem) bytes)"),  # used as a type, too
        ("ELEM", "x = cudaMalloc(n*sizeof(ELEM) bytes)"),  # a name that might be anything
        ("holder", "x = cudaMalloc(n*sizeof(holder) bytes)"),
        ("elem *", "x = cudaMalloc(8*n bytes)"),
        ("known", "x = cudaMalloc(8*n bytes)"),
    ],
)
def test_the_size_of_a_guessed_type_is_no_number(spelled: str, said: str) -> None:
    types = "struct known { int a, b; }; struct holder { known k; elem e; };\n"
    source = types + f"void f(int n) {{ float *d; cudaMalloc(&d, n * sizeof({spelled})); k<<<1, 32>>>(d, n); }}\n"
    (facts,) = facts_in(source)
    assert said in facts


def test_a_power_whose_exponent_a_case_fixes_is_a_number() -> None:
    source = """
    int log2_ceil(int n) { int l = 0; while ((1 << l) < n) ++l; return l; }
    void f(float *x, int n) {
      int l = log2_ceil(n), lanes = (1 << l) < 32 ? 1 << l : 32;
      switch (l) { case 3: k<<<n, dim3(lanes, 128 / lanes)>>>(x, n); break; case 7: k<<<n, lanes>>>(x, n); break; }
    }
    """
    assert [facts[0] for facts in facts_in(source)] == ["grid = n, block = (8, 16)", "grid = n, block = 32"]


def test_a_program_goes_on_where_the_device_refuses() -> None:
    source = """
    void f(float *x, int n) {
      if (cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, n) == cudaSuccess) k<<<1, 32, n>>>(x, n);
      else k<<<1, 64>>>(x, n);
    }
    """
    assert [facts[0] for facts in facts_in(source)] == [
        "grid = 1, block = 32, shared = n bytes",
        "grid = 1, block = 64",
    ]


def test_a_condition_that_a_case_makes_small_is_told() -> None:
    source = """
    int log2_ceil(int n) { int l = 0; while ((1 << l) < n) ++l; return l; }
    void f(float *x, int n, int rows) {
      int l = log2_ceil(n), power = 1 << l, lanes = power < 32 ? power : 32, each = (128 / lanes) * (power <= 128 ? 2 : 1);
      if (rows % each != 0) exit(1);
      switch (l) { case 7: k<<<rows / each, lanes>>>(x, rows); }
    }
    """
    (facts,) = facts_in(source)
    assert facts[0] == "grid = rows / 8, block = 32" and "8*(rows / 8) == rows" in facts


@pytest.mark.parametrize(
    "spelled",
    [
        "int b = n / 512; if (n % 512 != 0) b = b + 1;",
        "int b = n / 512; b = n % 512 == 0 ? b : b + 1;",
        "int b = n / 512 + (n % 512 ? 1 : 0);",
        "int b = n / 512 + (n % 512 != 0);",
    ],
)
def test_rounding_up_by_a_remainder_is_a_quotient(spelled: str) -> None:
    (positive,) = facts_in(f"void f(float *x, unsigned n) {{ {spelled} k<<<b, 512>>>(x, n); }}\n")
    assert positive[0] == "grid = (n + 511) / 512, block = 512"
    (either,) = facts_in(f"void f(float *x, int n) {{ {spelled} k<<<b, 512>>>(x, n); }}\n")
    assert either[0] == "grid = (n <= -1 ? 1 : (n + 511) / 512), block = 512", "C gives one block for -511 to -1"


def test_containers_of_several_calls_of_one_function_are_different_ones() -> None:
    source = """
    #include <thrust/device_vector.h>
    struct view { const float *data; size_t count; size_t size() const { return count; } };
    static thrust::device_vector<float> copied(view v) { thrust::device_vector<float> copy(v.size()); return copy; }
    __global__ void two(float *x, float *y) { x[threadIdx.x] = y[threadIdx.x]; }
    void f(view a, view b) {
      auto x = copied(a), y = copied(b);
      two<<<1, 32>>>(thrust::raw_pointer_cast(x.data()), thrust::raw_pointer_cast(y.data()));
    }
    """
    (facts,) = facts_in(source)
    assert "x = device_vector of a.count(4*a.count bytes)" in facts
    assert "y = device_vector of b.count(4*b.count bytes)" in facts
    assert not any("are both" in fact for fact in facts)


@pytest.mark.parametrize(
    "copied",
    [
        "thrust::device_vector<float> y = h;",
        "thrust::device_vector<float> y(h.begin(), h.end());",
        "thrust::device_vector<float> y; y = h;",
        "thrust::device_vector<float> z = h, y = z;",
    ],
)
def test_a_vector_that_is_made_of_another_has_its_size_and_memory_of_its_own(copied: str) -> None:
    source = f"""
    #include <thrust/device_vector.h>
    #include <thrust/host_vector.h>
    __global__ void two(float *x, float *y) {{ x[threadIdx.x] = y[threadIdx.x]; }}
    void f(size_t n) {{
      thrust::host_vector<float> h(n);
      for (size_t i = 0; i < n; ++i) h[i] = i;
      thrust::device_vector<float> x = h;
      {copied}
      two<<<1, 32>>>(thrust::raw_pointer_cast(x.data()), thrust::raw_pointer_cast(y.data()));
    }}
    """
    (facts,) = facts_in(source)
    assert "x = host_vector of n(4*n bytes)" in facts
    assert any(fact.startswith("y = ") and fact.endswith("of n(4*n bytes)") for fact in facts)
    assert not any("are both" in fact for fact in facts)


def test_half_of_a_vector_is_half_as_large() -> None:
    source = """
    #include <thrust/device_vector.h>
    #include <vector>
    void f(int n) {
      std::vector<float> h(2 * n);
      thrust::device_vector<float> x(h.begin(), h.begin() + n);
      k<<<1, 32>>>(thrust::raw_pointer_cast(x.data()), n);
    }
    """
    (facts,) = facts_in(source)
    assert "x = device_vector of n(4*n bytes)" in facts


def test_the_bytes_of_a_tensor_are_those_of_its_elements() -> None:
    source = "#include <torch/extension.h>\nvoid f(at::Tensor t) { k<<<1, 32>>>(t.data_ptr<float>(), t.nbytes()); }\n"
    (facts,) = facts_in(source)
    assert "n = t.element_size()*t.numel()" in facts


def test_what_is_not_known_of_an_argument_is_no_input() -> None:
    source = """
    struct span { const float *data; size_t count; size_t size() const { return count; } };
    span found(int which);
    static size_t blocks(span given) { return given.size(); }
    void f(float *x, int n) { k<<<blocks(found(1)), blocks(found(2))>>>(x, n); }
    """
    unit = translate(SourceFile("k.cu", "/k.cu", KERNEL + source), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    assert {missing.subject for missing in contract.missing} >= {"grid", "block"}


def test_the_members_of_constant_structs_are_known() -> None:
    source = """
    const unsigned width = 512;
    const dim3 block(16, 16, 1), grid(width / block.x, width / block.y);
    struct kind { unsigned char code, bits; unsigned short lanes; };
    constexpr kind wide = kind{1, 64, 1};
    void f(float *x) { k<<<grid, block>>>(x, wide.bits); }
    """
    (facts,) = facts_in(source)
    assert facts[0] == "grid = (32, 32), block = (16, 16)" and "n = 64" in facts


@pytest.mark.parametrize(
    "checked",
    [
        "TVM_FFI_ICHECK_EQ(a.dtype(), dl_int32);",
        "if (a.dtype() != dl_int32) return;",
        "if (encoded(a.dtype()) != encoded(dl_int32)) return;",
    ],
)
def test_the_type_that_a_dlpack_tensor_was_checked_to_have_sizes_its_buffer(checked: str) -> None:
    source = f"""
    #include <tvm/ffi/container/tensor.h>
    constexpr DLDataType dl_int32 = DLDataType{{kDLInt, 32, 1}};
    constexpr int64_t encoded(DLDataType type) {{ return (type.code << 16) | (type.bits << 8) | type.lanes; }}
    void f(tvm::ffi::TensorView a) {{ {checked} k<<<1, 32>>>(static_cast<float *>(a.data_ptr()), 1); }}
    """
    (facts,) = facts_in(source)
    assert "x = tensor a, 4*a.numel() bytes" in facts


def test_a_span_that_is_passed_on_keeps_its_size() -> None:
    source = """
    #include <thrust/device_vector.h>
    template <class T> struct host_span { const T *from; size_t count; size_t size() const { return count; } };
    static thrust::device_vector<float> copied(host_span<float> s) { thrust::device_vector<float> copy(s.size()); return copy; }
    void f(host_span<float> a, host_span<float> b) {
      auto x = copied(a), y = copied(b);
      k<<<1, 32>>>(thrust::raw_pointer_cast(x.data()), 0);
      k<<<1, 64>>>(thrust::raw_pointer_cast(y.data()), 0);
    }
    """
    assert [facts[1] for facts in facts_in(source)] == [
        "x = device_vector of a.count(4*a.count bytes)",
        "x = device_vector of b.count(4*b.count bytes)",
    ]


def test_an_unknown_call_may_grow_a_vector_and_write_its_elements() -> None:
    source = """
    #include <vector>
    void looks_at(std::vector<int> const &v);
    void changes(std::vector<int> &v);
    void f(float *x) {
      std::vector<int> v(3);
      v[0] = 7;
      looks_at(v);
      k<<<v[0], v.size()>>>(x, 0);
      changes(v);
      k<<<v[0], 32>>>(x, 0);
      k<<<1, v.size()>>>(x, 0);
    }
    """
    unit = translate(SourceFile("k.cu", "/k.cu", KERNEL + source), ParseOptions(), "/").unit
    ((before, grid, block),) = launch_contracts(unit).values()
    assert before.facts[0].text == "grid = 7, block = 3"
    assert [m.reason for m in grid.missing if m.subject == "grid"] == ["call of changes"]
    assert [m.reason for m in block.missing if m.subject == "block"] == ["call of changes"]


def test_what_is_appended_to_a_vector_stays_what_it_was() -> None:
    source = """
    #include <vector>
    struct job { float *to; int n; };
    void f(std::vector<job> &all, int n) {
      job next;
      cudaMalloc(&next.to, n * sizeof(float));
      next.n = n;
      all.push_back(next);
      k<<<1, 32>>>(next.to, next.n);
    }
    """
    (facts,) = facts_in(source)
    assert "x = cudaMalloc(4*n bytes)" in facts and "n = n" in facts


@pytest.mark.parametrize(("assigned", "said"), [("", "4*total"), ("other = i + j;", "4*total"), ("total = i + j;", "")])
def test_a_long_reference_on_the_host_changes_the_variables_that_it_writes(assigned: str, said: str) -> None:
    steps = "".join(f"s += a[i * n + j] * {k};" for k in range(600))
    source = f"""
    static int total = 0, other = 0;
    static float sum(const float *a, int n) {{
        float s = 0;
        for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {{ {steps} {assigned} }}
        return s;
    }}
    void f(const float *a, int n) {{
        total = 512; other = 1;
        float *d; cudaMalloc(&d, total * sizeof(float));
        sum(a, n);
        k<<<1, 32>>>(d, total);
    }}
    """
    (facts,) = facts_in(source)
    assert ("n = 512" in facts) == bool(said)


def test_a_common_divisor_divides_both() -> None:
    source = """
    #include <numeric>
    template <int V> __global__ void wide(float *x, unsigned n) { x[threadIdx.x * V] = n; }
    void f(float *x, unsigned n) {
        const unsigned width = std::gcd(16 / sizeof(float), n);
        switch (width) {
            case 4: wide<4><<<1, n / width>>>(x, n); break;
            case 3: wide<3><<<1, n / width>>>(x, n); break;
        }
    }
    """
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    assert kernel.startswith("wide<4>") and not any(m.subject == "block" for m in contract.missing)
    assert {f.text for f in contract.facts} >= {"grid = 1, block = n / 4", "n % 4 == 0", "width == 4"}


def test_memory_that_comes_as_a_number_is_the_callers() -> None:
    source = """
    void f(long long address, int n) { k<<<1, 32>>>(reinterpret_cast<float *>(address), n); }
    void g(long long address, int n) { k<<<1, 32>>>(reinterpret_cast<float *>(address * 2), n); }
    """
    unit = translate(SourceFile("k.cu", "/k.cu", KERNEL + source), ParseOptions(), "/").unit
    (found,) = launch_contracts(unit).values()
    assert [[(m.subject, m.caller) for m in c.missing] for c in found] == [[("x", "f")], [("x", None)]]


def test_a_span_that_a_kernel_gets_by_value_is_as_long_as_it_says() -> None:
    source = """
    #include <span>
    #include <rmm/device_uvector.hpp>
    __global__ void each(std::span<float> y, const float *x, int n) { if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x]; }
    void made(int n, rmm::cuda_stream_view s) {
        rmm::device_uvector<float> v(n, s);
        each<<<1, n>>>(v, std::span<float>(v).subspan(2).data(), n);
    }
    void given(std::span<float> a, std::span<const float> b) { each<<<1, 32>>>(a, b.data(), b.size()); }
    """
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    (found,) = launch_contracts(unit).values()
    assert [
        [f.text for f in c.facts if ".data()" in f.text or "bytes" in f.text or "n = " in f.text] for c in found
    ] == [
        ["y.__pointer = device_uvector of n(4*n bytes)", "x = device_uvector of n(4*n bytes) + 8 bytes", "n = n"],
        ["y.__pointer = span a, 4*a.size() bytes", "x = span b, 4*b.size() bytes", "n = b.size()"],
    ]


def test_the_rows_of_a_tensor_of_ggml_are_the_product_of_its_outer_sizes() -> None:
    source = """
    struct ggml_tensor { int64_t ne[4]; size_t nb[4]; void *data; };
    int64_t ggml_nrows(const ggml_tensor *);
    struct ggml_cuda_pool { virtual void *alloc(size_t size, size_t *actual) = 0; };
    void f(ggml_cuda_pool &pool, const ggml_tensor *t) {
        size_t actual;
        float *x = (float *)pool.alloc(t->ne[0] * sizeof(float), &actual);
        k<<<ggml_nrows(t), 32>>>(x, t->ne[0]);
    }
    """
    (facts,) = facts_in(source)
    assert "grid = t[1].ne*t[2].ne*t[3].ne, block = 32" in facts and "x = alloc(4*t.ne bytes)" in facts


@pytest.mark.parametrize(
    ("before", "launched", "said"),
    [
        ("assert(t->type == 0);", "(float *)t->data, t->ne[0]", "4*t.ne*t[1].ne bytes, if it is dense"),
        ("assert(t->type == 1);", "(float *)t->data, t->ne[0]", "2*t.ne*t[1].ne bytes, if it is dense"),
        ("assert(t->type == 8);", "(float *)t->data, t->ne[0]", "34*(t.ne / 32)*t[1].ne bytes, if it is dense"),
        ("", "(float *)t->data, t->ne[0]", "4*t.ne*t[1].ne bytes, if it is dense and its elements have 4 bytes"),
        ("", "(float *)t->data, t->nb[1]", "t[1].nb*t[1].ne + 4*t.ne - t[1].nb bytes, if it is dense and its elements"),
        ("t->ne[0] = 7;", "(float *)t->data, t->ne[0]", "4*t.ne*t[1].ne bytes"),
        ("", "(float *)t->data + 1, t->ne[0]", None),
        ("t->data = other;", "(float *)t->data, t->ne[0]", None),
        ("fill(t);", "(float *)t->data, t->ne[0]", None),
        ("ggml_tensor u = *t; u.data = other; t = &u;", "(float *)t->data, t->ne[0]", None),
    ],
)
def test_memory_that_a_struct_describes_is_taken_to_be_dense_where_the_kernel_gets_no_strides(
    before: str, launched: str, said: str | None
) -> None:
    source = f"""
    #include <cassert>
    struct ggml_tensor {{ int type; int64_t ne[2]; size_t nb[2]; void *data; }};
    void fill(ggml_tensor *);
    void f(ggml_tensor *t, void *other) {{ {before} k<<<1, 32>>>({launched}); }}
    """
    unit = translate(SourceFile("k.cu", "/k.cu", KERNEL + source), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    extents = [f for f in contract.facts if isinstance(f.what, Extent)]
    assert all(f.origin is Origin.INFERRED and isinstance(f.what, Extent) and f.what.described for f in extents)
    assert [said in f.text for f in extents] == ([] if said is None else [True])
    assert ("x" in {m.subject for m in contract.missing}) == (said is None)


@pytest.mark.parametrize(
    ("before", "launched", "said"),
    [
        ("assert(t->type == 0);", "(float *)t->data, t->nb[1]", ["strides of tensor t are multiples of 4 bytes"]),
        ("", "(float *)t->data, t->nb[1]", ["strides of tensor t are multiples of 4 bytes"]),
        ("assert(t->type == 8);", "(float *)t->data, t->nb[1]", []),  # 32 values in 34 bytes
        ("assert(t->type == 0);", "(float *)t->data, t->ne[0]", []),
    ],
)
def test_strides_that_the_kernel_gets_are_those_of_whole_elements(before: str, launched: str, said: list[str]) -> None:
    source = f"""
    #include <cassert>
    struct ggml_tensor {{ int type; int64_t ne[2]; size_t nb[2]; void *data; }};
    void f(ggml_tensor *t) {{ {before} k<<<1, 32>>>({launched}); }}
    """
    unit = translate(SourceFile("k.cu", "/k.cu", KERNEL + source), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    assert [fact.text for fact in contract.facts if fact.text.startswith("strides of")] == said


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("auto d = device_view::create(c); each<<<c.n, 32>>>(*d);", None),
        ("auto d = column_device_view::create(c); each<<<c.n, 32>>>(*d);", "v.n = c.n"),
        ("auto d = column_device_view::create(s.parent()); each<<<s.n, 32>>>(*d);", "v.n = s.n"),
        ("c.n = 7; auto d = column_device_view::create(c); each<<<1, 32>>>(*d);", "v.n = 7"),
        ("auto d = column_device_view::create(c); c.n = 7; each<<<1, 32>>>(*d);", "v.n = c.n"),
        ("auto d = column_device_view::create(c); change(*d); each<<<1, 32>>>(*d);", None),
    ],
)
def test_a_view_for_the_device_has_what_the_members_of_its_source_have(body: str, said: str | None) -> None:
    source = f"""
    #include <memory>
    struct column_view {{ int n; const void *data; }};
    struct strings_column_view : column_view {{ column_view parent() const; }};
    struct device_view {{ int n; const void *data; static std::unique_ptr<device_view> create(column_view); }};
    struct column_device_view {{ int n; const void *data; static std::unique_ptr<column_device_view> create(column_view); }};
    template <class T> __global__ void each(T v) {{}}
    template <class T> void change(T &);
    void f(column_view c, strings_column_view s) {{ {body} }}
    """
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    known = [f.text for f in contract.facts if f.text.startswith("v.n = ")]
    assert known == ([said] if said else []) or (said is None and "v.n" in {m.subject for m in contract.missing})
    assert "v.data" in {m.subject for m in contract.missing}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("TORCH_CHECK(x.dim() == 2); k<<<1, 32>>>(x.data_ptr<float>(), x.stride(0));",
         "4*x.size(0)*x.stride(0) + 4*x.size(1) - 4*x.stride(0) bytes, if it is dense"),
        ("TORCH_CHECK(x.dim() == 2); TORCH_CHECK(x.stride(-1) == 1); k<<<1, 32>>>(x.data_ptr<float>(), x.size(1));",
         "4*x.size(0)*x.size(1) bytes, if it is dense"),
        ("TORCH_CHECK(x.dim() == 1); k<<<1, 32>>>(x.data_ptr<float>(), x.stride(-1));",
         "4*x.size(0)*x.stride(0) - 4*x.stride(0) + 4 bytes, if it is dense"),
        ("k<<<1, 32>>>(x.data_ptr<float>(), x.stride(0));", None),
        ("x = x.view({2, 3}); k<<<1, 32>>>(x.data_ptr<float>(), x.stride(0));", None),
        ("TORCH_CHECK(x.dim() == 2); k<<<1, 32>>>(x.data_ptr<float>() + 1, x.stride(0));", None),
        ("x = torch::empty({n, n}, at::kFloat); k<<<1, 32>>>(x.data_ptr<float>(), x.stride(0));", "4*n*n bytes"),
        ("x = y.to(at::kFloat); k<<<1, 32>>>(x.data_ptr<float>(), x.stride(0));", None),
    ],
)  # fmt: skip
def test_a_tensor_whose_strides_the_kernel_gets_reaches_as_far_as_they_say(body: str, said: str | None) -> None:
    source = f"""
    #include <torch/extension.h>
    void f(at::Tensor x, at::Tensor y, int n) {{ {body} }}
    """
    unit = translate(SourceFile("k.cu", "/k.cu", KERNEL + source), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    extents = [f for f in contract.facts if isinstance(f.what, Extent)]
    assert len(extents) == (said is not None)
    assert all(f.text.endswith(said or "") for f in extents)


@pytest.mark.parametrize(
    ("before", "made", "said"),
    [
        ("", "", {"x is null where n >= 9", "x = torch::empty({n}), 4*n bytes"}),
        (" = torch::zeros({1, 7}, at::kFloat)", "", {"x = t: (n <= 8 ? 4*n : 28) bytes"}),
        ("", "fill(t);", {"x = t: (n <= 8 ? 4*n : 4*t.numel()) bytes"}),
        ("", "look(t);", {"x is null where n >= 9", "x = torch::empty({n}), 4*n bytes"}),
    ],
)
def test_a_tensor_that_one_path_makes_is_that_one_or_the_other(before: str, made: str, said: set[str]) -> None:
    source = f"""
    #include <torch/extension.h>
    void fill(at::Tensor &t); void look(const at::Tensor &t);
    void f(int n) {{
        at::Tensor t{before};
        {made}
        if (n <= 8) t = torch::empty({{n}}, at::kFloat);
        k<<<1, 32>>>(t.data_ptr<float>(), n);
    }}
    """
    (facts,) = facts_in(source)
    assert {f for f in facts if f.startswith("x ")} == said


@pytest.mark.parametrize(
    ("loop", "said"),
    [
        ("while (grid.x > 2 * sm) grid.x >>= 1;", "grid = (grid.x, 3), block = 64"),
        ("while (grid.x > 2 * sm) { grid.x >>= 1; grid.y = next(sm); }", ""),
        ("while (grid.x > 2 * sm) { grid.x = next(sm); }", ""),
        ("while (grid.x > 2 * sm) { grid.x >>= 1; change(grid); }", ""),
        ("while (grid.x > 2 * sm) { grid.x >>= 1; if (sm) grid = dim3(1); }", ""),
    ],
)
def test_a_member_that_a_loop_halves_stays_below_its_start(loop: str, said: str) -> None:
    source = f"""
    unsigned next(unsigned); void change(dim3 &);
    void f(float *x, int n, unsigned sm) {{ dim3 grid(n, 3); {loop} k<<<grid, 64>>>(x, n); }}
    """
    unit = translate(SourceFile("k.cu", "/k.cu", KERNEL + source), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    assert any(m.subject == "grid" for m in contract.missing) == (not said)
    texts = [f.text for f in contract.facts]
    assert not said or (texts[0] == said and {"grid.x <= n", "grid.x <= 2*sm"} <= set(texts))


@pytest.mark.parametrize(
    ("start", "step", "said"),
    [
        ("256", "t >>= 1", "t == 256 || n < 2*t || (t == 0 && n <= 2*t)"),
        ("m", "t /= 2", "m <= -1 || m == t || n < 2*t || n <= 2*t"),
        ("256", "t -= 2", ""),
        ("256", "t >>= 2", ""),
    ],
)
def test_what_a_loop_halves_was_twice_as_large_in_its_last_iteration(start: str, step: str, said: str) -> None:
    """`while (t > n) t /= 2` ends with more than half of n, so that it is not 0 for any n above 0."""
    source = f"void f(float *x, int n, int m) {{ int t = {start}; while (t > n) {step}; k<<<n, t>>>(x, n); }}"
    unit = translate(SourceFile("k.cu", "/k.cu", KERNEL + source), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    texts = [f.text for f in contract.facts]
    assert any(said == text for text in texts) == bool(said)


def test_host_code_goes_through_a_container_any_number_of_times() -> None:
    source = """
    #include <torch/extension.h>
    #include <map>
    #include <vector>
    void f(std::vector<at::Tensor> tensors, std::map<int, int> sizes, int m, int n) {
        for (const auto &pair : sizes) { m += pair.second; }
        for (auto &t : tensors) { k<<<n, 32>>>(t.data_ptr<float>(), t.numel()); }
        k<<<m, 64>>>(nullptr, n);
    }
    """
    unit = translate(SourceFile("k.cu", "/k.cu", KERNEL + source), ParseOptions(), "/").unit
    (found,) = launch_contracts(unit).values()
    first, second = ([f.text for f in c.facts] for c in found)
    assert first[:3] == ["grid = n, block = 32", "x = tensor t, 4*t.numel() bytes", "n = t.numel()"]
    assert "n = n" in second and [m.subject for m in found[1].missing] == ["grid"]


def test_a_tensor_that_one_path_copies_has_the_shape_that_it_had() -> None:
    source = """
    #include <torch/extension.h>
    void f(at::Tensor x) {
        if (!x.is_cuda()) x = x.cuda();
        k<<<x.size(0), 32>>>(x.data_ptr<float>(), x.numel());
    }
    """
    (facts,) = facts_in(source)
    assert "grid = x.size(0), block = 32" in facts and "n = x.numel()" in facts
    assert any(f.startswith("x = ") and f.endswith(" bytes") for f in facts)


def test_buffers_of_bytes_and_containers_of_one_element_have_their_sizes() -> None:
    source = """
    #include <rmm/device_buffer.hpp>
    #include <rmm/device_scalar.hpp>
    #include <rmm/device_uvector.hpp>
    void f(int n, const float *from, rmm::device_buffer &given, rmm::cuda_stream_view s) {
        rmm::device_buffer made{n * sizeof(float), s}, copied{from, n * 2ul, s};
        rmm::device_scalar<float> one(s);
        k<<<1, 32>>>(static_cast<float *>(made.data()), 0);
        k<<<2, 32>>>(static_cast<float *>(copied.data()), 0);
        k<<<3, 32>>>(one.data(), 0);
        k<<<4, 32>>>(static_cast<float *>(given.data()), 0);
    }
    """
    assert [facts[1] for facts in facts_in(source)] == [
        "x = device_buffer of 4*n(4*n bytes)",
        "x = device_buffer of 2*n(2*n bytes)",
        "x = device_scalar(4 bytes)",
        "x = tensor given, given.numel() bytes",
    ]


@pytest.mark.parametrize(
    ("call", "used", "said"),
    [
        ("v.end();", "v.data()", "x = device_uvector of n(4*n bytes)"),
        ("v.set_element_async(0, 1, s);", "v.data()", "x = device_uvector of n(4*n bytes)"),
        ("v.resize(2 * n, s);", "v.data()", "x = resize to 2*n(8*n bytes)"),
        ("changes(v);", "v.data()", "x = tensor v, 4*v.numel() bytes"),  # another count than n
        ("", "v.element_ptr(2)", "x = device_uvector of n(4*n bytes) + 8 bytes"),
        ("", "v.end() - 2", "x = device_uvector of n(4*n bytes) + 4*n - 8 bytes"),
    ],
)
def test_what_a_method_leaves_of_a_vector_on_the_device(call: str, used: str, said: str) -> None:
    source = f"""
    #include <rmm/device_uvector.hpp>
    void changes(rmm::device_uvector<float> &v);
    void f(int n, rmm::cuda_stream_view s) {{ rmm::device_uvector<float> v(n, s); {call} k<<<1, 32>>>({used}, 0); }}
    """
    (facts,) = facts_in(source)
    assert [fact for fact in facts if fact.startswith("x = ")] == [said]


def test_a_vector_that_was_assigned_may_grow_as_well() -> None:
    source = """
    #include <vector>
    void changes(std::vector<float> &v);
    void f(int n) {
        std::vector<float> v;
        v = std::vector<float>(n);
        changes(v);
        k<<<1, 32>>>(v.data(), 0);
    }
    """
    (facts,) = facts_in(source)
    assert [fact for fact in facts if fact.startswith("x = ")] == ["x = tensor v, 4*v.numel() bytes"]


def test_the_device_of_a_tensor_is_an_input() -> None:
    source = """
    #include <tvm/ffi/container/tensor.h>
    int blocks(DLDevice device) {
        static int cache[64] = {0};
        int id = device.device_id;
        if (id >= 0 && id < 64 && cache[id] > 0) return cache[id];
        int sms = 0;
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, id);
        cache[id] = sms * 4;
        return sms * 4;
    }
    void f(tvm::ffi::TensorView a) { k<<<blocks(a.device()), 32>>>(static_cast<float *>(a.data_ptr()), a.numel()); }
    """
    unit = translate(SourceFile("k.cu", "/k.cu", KERNEL + source), ParseOptions(), "/").unit
    (found,) = launch_contracts(unit).values()
    assert [m.subject for c in found for m in c.missing] == []


@pytest.mark.parametrize(
    ("before", "blocks", "said"),
    [
        ("", "missing::ceildiv(n, 256)", "grid = (n + 255) / 256, block = 32"),
        ("", "CEIL_DIV(n, 256)", "grid = (n + 255) / 256, block = 32"),
        ("", "intDivUp(n, 256)", "grid = (n + 255) / 256, block = 32"),
        ("", "next_multiple(n, 256u) / 256", "grid = (n + 255) / 256, block = 32"),
        ("", "ALIGN_UP(n, 256u) / 256", "grid = (n + 255) / 256, block = 32"),
        ("template <class T> T div_up(T a, T b);", "div_up(n, 256u)", "grid = (n + 255) / 256, block = 32"),
        (
            "unsigned ceil_div(unsigned a, unsigned b) { return a / b; }",
            "ceil_div(n, 256u)",
            "grid = n / 256, block = 32",
        ),
        ("", "round_up(n)", None),
        ("", "ceil_div(n, step)", None),
        ("", "ceil_sum(n, 256)", None),
    ],
)
def test_a_quotient_whose_function_is_elsewhere_has_the_meaning_of_its_name(
    before: str, blocks: str, said: str | None
) -> None:
    source = f"{before} void f(float *x, unsigned n, int step) {{ k<<<{blocks}, 32>>>(x, 0); }}"
    unit = translate(SourceFile("k.cu", "/k.cu", KERNEL + source), ParseOptions(), "/").unit
    ((found,),) = launch_contracts(unit).values()
    lost = any(m.subject == "grid" for m in found.missing)
    assert lost if said is None else found.facts[0].text == said


@pytest.mark.parametrize("name", ["Tensor", "vector", "device_buffer"])
def test_a_class_of_the_project_with_the_name_of_a_librarys_is_a_struct_like_others(name: str) -> None:
    source = f"""
    struct {name} {{
        float *data; int rows, cols;
        {name}(int r, int c) : rows(r), cols(c) {{ cudaMalloc(&data, r * c * sizeof(float)); }}
        __host__ __device__ int size() const {{ return rows * cols; }}
    }};
    __global__ void each({name} y) {{ int i = blockIdx.x * 256 + threadIdx.x; if (i < y.size()) y.data[i] = 0; }}
    void made(int r, int c) {{ {name} y(r, c); each<<<(y.size() + 255) / 256, 256>>>(y); }}
    void given({name} &y) {{ each<<<(y.size() + 255) / 256, 256>>>(y); }}
    """
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    ((made, given),) = launch_contracts(unit).values()
    assert [f.text for f in made.facts][:4] == [
        "grid = (c*r + 255) / 256, block = 256", "y.data = cudaMalloc(4*c*r bytes)", "y.rows = r", "y.cols = c",
    ]  # fmt: skip
    assert "y.data = cudaMalloc(4*c*r bytes)" in [f.text for f in given.facts]  # its constructor has made it


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ("scale f(v, out);", ["f.v.x = span of 4*n bytes", "f.v.n = n"]),
        ("scale f(v, out); f.v.n = 7;", ["f.v.x = span of 4*n bytes", "f.v.n = 7"]),
        ("scale f(v, out); f.v = w;", ["f.v.x = span of 8 bytes", "f.v.n = 2"]),
        ("scale f(w, out); if (n > 5) f = scale(w, out);", ["f.v.x = span of 8 bytes", "f.v.n = 2"]),
    ],
)
def test_a_struct_that_is_copied_into_a_member_keeps_what_is_known_of_it(made: str, said: list[str]) -> None:
    source = f"""
    struct view {{ float *x; int n; float *unset; }};
    struct scale {{ view v; float *y; scale(view const &v, float *y) : v(v), y(y) {{}} }};
    __global__ void each(scale f) {{ f.y[threadIdx.x] = f.v.x[threadIdx.x]; }}
    void f(float *out, int n) {{
        view v, w;
        cudaMalloc(&v.x, n * sizeof(float)); v.n = n;
        cudaMalloc(&w.x, 8); w.n = 2;
        {made}
        each<<<1, 32>>>(f);
    }}
    """
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    ((found,),) = launch_contracts(unit).values()
    told = [f.text.replace("cudaMalloc(", "span of ").replace(")", "") for f in found.facts if f.text.startswith("f.v")]
    assert told == said


def test_naming_a_tensor_for_messages_changes_nothing_of_it() -> None:
    source = """
    #include <torch/extension.h>
    void f(const at::Tensor &x, int n) {
        at::TensorArg given{x, "x", 1};
        at::CheckedFrom from = "f";
        at::checkAllSameGPU(from, {given});
        at::Tensor y = at::empty({n}, x.options());
        at::TensorArg made{y, "y", 2};
        at::checkSameType(from, given, made);
        k<<<1, 32>>>(y.data_ptr<float>(), x.size(0));
    }
    """
    (facts,) = facts_in(source)
    assert "x = torch::empty({n}), 4*n bytes" in facts and "n = x.size(0)" in facts


@pytest.mark.parametrize(
    ("inherited", "said"),
    [("public rmm::device_scalar<T>", ["x = device_scalar(4 bytes)"]), ("public own<T>", [])],
)
def test_a_class_of_the_project_has_what_it_inherits_from_a_container(inherited: str, said: list[str]) -> None:
    source = f"""
    #include <rmm/device_scalar.hpp>
    template <class T> struct own {{ int n; own(rmm::cuda_stream_view s); T *data(); }};
    template <class T> struct device_scalar : {inherited} {{
        int last;
        device_scalar(T v, rmm::cuda_stream_view s) : {inherited.removeprefix("public ")}(s) {{ last = v; }}
    }};
    void f(int n, rmm::cuda_stream_view s) {{ device_scalar<float> one(0, s); k<<<1, 32>>>(one.data(), n); }}
    """
    (facts,) = facts_in(source)
    assert [fact for fact in facts if fact.startswith("x = ")] == said


@pytest.mark.parametrize(
    ("before", "said"),
    [("", "f"), ("changes(a);", None), ("array b; ", "f"), ("array &a = made();", None)],
)
def test_memory_of_an_object_that_comes_from_a_caller_is_the_callers(before: str, said: str | None) -> None:
    source = f"""
    struct array {{ const float *data() const; private: void *p; }};
    void changes(array &a);
    array &made();
    void f(array &{"other" if "&a" in before else "a"}) {{ {before} k<<<1, 32>>>((float *)a.data(), 4); }}
    """
    unit = translate(SourceFile("k.cu", "/k.cu", KERNEL + source), ParseOptions(), "/").unit
    ((found,),) = launch_contracts(unit).values()
    assert [m.caller for m in found.missing] == [said]


def test_conditions_on_the_device_of_a_tensor_are_told_where_the_launch_depends_on_it() -> None:
    source = """
    #include <tvm/ffi/container/tensor.h>
    #include <cassert>
    void f(tvm::ffi::TensorView a, tvm::ffi::TensorView b) {
        assert(a.device().device_id == b.device().device_id);
        assert(a.size(0) == b.size(0));
        k<<<1, 32>>>(static_cast<float *>(a.data_ptr()), b.size(0));
        assert(a.device().device_id < 8);
        k<<<a.device().device_id + 1, 32>>>(static_cast<float *>(a.data_ptr()), b.size(0));
    }
    """
    sizes, ids = facts_in(source)
    assert not any("device" in fact for fact in sizes) and any("a.device().device_id" in fact for fact in ids[1:])


BENCHED = """
template <int BLOCK> __global__ void k(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = BLOCK; }
static void run(float *x, int n, int block) {
    auto launch = [&](auto width) { k<width.value><<<n, width.value>>>(x, n); };
    if (block == 32) launch(std::integral_constant<int, 32>{});
    if (block == 64) launch(std::integral_constant<int, 64>{});
}
template <class Run, class... Args> void bench(Run run, Args &&...args) {
    for (int i = 0; i < 10; i++) run(std::forward<Args>(args)...);
}
int main() {
    float *x;
    cudaMalloc(&x, 4096);
    int blocks[] = {32, 64};
    for (int j = 0; j < 2; j++) { int block = blocks[j]; CALL; }
}
"""


@pytest.mark.parametrize("call", ["run(x, 1024, block)", "bench(run, x, 1024, block)"])
def test_a_function_that_another_one_gets_is_followed_however_long_it_is(
    call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "LONGEST_ASIDE", 5)
    source = "#include <type_traits>\n#include <utility>\n" + BENCHED.replace("CALL", call)
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    told = [[fact.text for fact in c.facts[:2]] for found in launch_contracts(unit).values() for c in found]
    assert told == [[f"grid = 1024, block = {n}", "x = cudaMalloc(4096 bytes)"] for n in (32, 64)]


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ("search(bytes, count, wide);", "block = (256, 1, 1), as callers have it"),
        (
            "search(bytes, count, wide); search(bytes, count, 64);",
            "block = (64, 1, 1) or (256, 1, 1), as callers have it",
        ),
        ("search(bytes, count, wide); search(bytes, count, count);", None),
    ],
)
def test_the_block_that_callers_have_is_kept_where_they_tell_nothing_else(calls: str, said: str | None) -> None:
    source = f"""
    void search(long bytes, int count, int order) {{
        float *x;
        cudaMalloc(&x, bytes);
        k<<<count, order < 1024 ? order : 1024>>>(x, order);
    }}
    long size_of(const char *);
    int next(const char *);
    int main(int argc, char **argv) {{
        int wide = 256;
        long bytes = size_of(argv[1]);
        while (int count = next(argv[1])) {{ {calls} }}
    }}
    """
    (facts,) = facts_in(source)
    assert [text for text in facts if text.endswith("as callers have it")] == ([said] if said else [])


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ("search(bytes, count, 1);", "gridDim.x = 1, as callers have it"),
        ("search(bytes, count, 1); search(bytes, count, 2);", "gridDim.x = 1 or 2, as callers have it"),
        ("search(bytes, count, 1); search(bytes, count, count);", None),
    ],
)
def test_a_side_of_the_grid_that_callers_have_is_kept(calls: str, said: str | None) -> None:
    source = f"""
    void search(long bytes, int count, int parts) {{
        float *x;
        cudaMalloc(&x, bytes);
        k<<<dim3(parts, count), count>>>(x, parts);
    }}
    long size_of(const char *);
    int next(const char *);
    int main(int argc, char **argv) {{
        long bytes = size_of(argv[1]);
        while (int count = next(argv[1])) {{ {calls} }}
    }}
    """
    (facts,) = facts_in(source)
    assert [text for text in facts if text.endswith("as callers have it")] == ([said] if said else [])
