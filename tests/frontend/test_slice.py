"""A slice keeps what the kernel needs, each line where it was; its instrumented copy names every access."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.frontend.instrument import instrument
from cudalint.frontend.slice import CannotSlice, slice_for_nvrtc
from cudalint.source import SourceFile

FILE = """\
#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#define B 64
#define CHECK(x) do { if (x) exit(1); } while (0)
typedef unsigned int index_t;
struct Shape { int rows, cols; };
struct Job { std::vector<int> sizes; };
constexpr int kPad = 1;
static int counter = 0;
__constant__ float table[B];
__device__ inline float twice(float v) { return 2.f * v; }  // used
__device__ float unused(float v) { return v; }
namespace detail {
template <typename T, int N>
static __global__ void __launch_bounds__(B) scale(T* x, Shape s) {
    index_t i = blockIdx.x * B + threadIdx.x + kPad;  // "}" in a comment
    if (i < s.cols) x[i] = twice(table[i % N]);
}
}  // namespace detail
void run(float* x, Shape s) {
    detail::scale<float, 16><<<1, B>>>(x, s);
    printf("}");
}
int main() { return 0; }
"""


def source(text: str, path: str = "k.cu", absolute: str = "/nowhere/k.cu") -> SourceFile:
    return SourceFile(path, absolute, text)


def test_what_the_kernel_needs_stays_on_its_lines() -> None:
    cut = slice_for_nvrtc(source(FILE), "scale", ("float", "16"))
    head, *rest = cut.text.split("\n")
    assert head == '#line 1 "k.cu"'
    kept = {number for number, line in enumerate(rest, 1) if line and not line.startswith("#")}
    assert kept == {6, 7, 9, 11, 12, 14, 15, 16, 17, 18, 19, 20}
    assert rest[2] == "#include <cuda_fp16.h>" and rest[0] == rest[1] == ""
    assert (cut.name_expression, cut.includes) == ("detail::scale<float, 16>", ("cuda_fp16.h",))
    assert "static" not in rest[15] and rest[15].endswith("scale(T* x, Shape s) {")


def test_names_of_host_headers_are_declared() -> None:
    cut = slice_for_nvrtc(source("#include <cstdint>\n__global__ void k(uint8_t* x) { x[0] = INT_MAX; }\n"), "k")
    assert cut.text.startswith("#define INT_MAX 2147483647\ntypedef unsigned char uint8_t;\n#line 1")


@pytest.mark.parametrize(
    "line",
    [
        "static unsigned *x;",  # the name of a parameter
        "static void *workspace = NULL;",  # a name that kernels use, in an initialiser
        "extern Properties total;",
        "template void reduce<int>(int *x);",  # what it instantiates is host code
    ],
)
def test_objects_of_the_host_are_left_out(line: str) -> None:
    kernel = "__global__ void k(int *x, int *total) { if (x != NULL) x[0] = reduce(total); }"
    cut = slice_for_nvrtc(source(f"{line}\n{kernel}\n"), "k")
    assert line not in cut.text and kernel in cut.text


@pytest.mark.parametrize(
    "line", ["const int x = 4;", "__constant__ int x[4];", "struct S { int v; } x;", "int x(int v);"]
)
def test_what_device_code_can_name_stays(line: str) -> None:
    assert line in slice_for_nvrtc(source(f"{line}\n__global__ void k(int *y) {{ y[0] = x; }}\n"), "k").text


def test_narrow_numbers_are_included_where_a_host_header_declared_them() -> None:
    cut = slice_for_nvrtc(source("#include <cublas_v2.h>\n__global__ void k(half *x) { x[0] = half(1); }\n"), "k")
    assert cut.text.startswith("#include <cuda_fp16.h>\n#line 1")


def test_headers_in_quotes_are_inlined(tmp_path: Path) -> None:
    (tmp_path / "f.cuh").write_text(
        "#pragma once\n#include <string>\n__device__ int f(int v) { return v; }\nint host();\n"
    )
    main = tmp_path / "k.cu"
    main.write_text('#include "f.cuh"\n#include "gone.h"\n__global__ void k(int* x) { x[0] = f(1); }\n')
    cut = slice_for_nvrtc(source(main.read_text(), "a/k.cu", str(main)), "k")
    lines = cut.text.split("\n")
    assert lines[0] == '#line 1 "a/k.cu"'
    assert '#line 1 "f.cuh"' in lines and '#line 1 "a/k.cu"' in lines[1:]
    assert "__device__ int f(int v) { return v; }" in lines and "host" not in cut.text
    copy = instrument(cut.text)
    assert copy is not None and copy.sites == (("a/k.cu", 3),)


def test_conditionals_of_dropped_code_stay() -> None:
    text = "void host() {\n#ifdef A\n  f();\n#endif\n}\n__global__ void k() {}\n"
    cut = slice_for_nvrtc(source(text), "k")
    assert cut.text.split("\n")[1:7] == ["", "#ifdef A", "", "#endif", "", "__global__ void k() {}"]


def test_operators_and_template_arguments_are_kept() -> None:
    text = (
        "const int kTile = 8;\n__device__ float2 operator+(float2 a, float2 b) { return a; }\n"
        "template <int N> __global__ void k(float2* x) { x[0] = x[1] + x[2]; }\n"
    )
    cut = slice_for_nvrtc(source(text), "k", ("kTile",))
    assert "kTile = 8" in cut.text and "operator+" in cut.text


@pytest.mark.parametrize("text", ["__global__ void other() {}", "", "__global__ void k();", "__global__ void k() { {"])
def test_a_kernel_that_is_not_there_is_refused(text: str) -> None:
    with pytest.raises(CannotSlice):
        slice_for_nvrtc(source(text), "k")


# --- the instrumented copy ---------------------------------------------------------------------------------------------


def written(body: str) -> str:
    copy = instrument(f"__global__ void k(float* x, int n) {{ {body} }}")
    assert copy is not None
    return copy.text.removeprefix("__global__ void k(float* x, int n) { ").removesuffix(" }")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x[n] = x[0];", "cudalint_::at(x, n, 0, 2) = cudalint_::at(x, 0, 0, 1);"),
        ("x[n] += 1;", "cudalint_::at(x, n, 0, 3) += 1;"),
        ("x[n]++;", "cudalint_::at(x, n, 0, 3)++;"),
        ("*x = n;", "*cudalint_::to(x, 0, 2) = n;"),
        ("float t[2][3]; t[n][0] = 1;", "float t[2][3]; cudalint_::at(cudalint_::at(t, n, 0, 0), 0, 0, 2) = 1;"),
        ("float y = x[n];", "float y = cudalint_::at(x, n, 0, 1);"),
        ("atomicAdd(&x[n], 1.f);", "atomicAdd(&cudalint_::at(x, n, 0, 4), 1.f);"),
        ("float* p = &x[n]; *p = 1;", "float* p = &x[n]; *cudalint_::to(p, 0, 2) = 1;"),
        ("__shared__ int c; c = n;", "__shared__ int c; cudalint_::touch(c, 0, 2) = n;"),
        ("__syncthreads();", "(cudalint_::arrive(0), __syncthreads());"),
        ("__threadfence();", "(cudalint_::fence(0), __threadfence());"),
        ("atomicAdd(x + n, 1.f);", "atomicAdd(cudalint_::to(x + n, 0, 4), 1.f);"),
        ("atomicAdd_block(&x[n], 1.f);", "atomicAdd_block(&cudalint_::at(x, n, 0, 5), 1.f);"),
        ("atomicCAS((int*)x, 0, n);", "atomicCAS(cudalint_::to((int*)x, 0, 4), 0, n);"),
        ("float y = __ldg(x + n);", "float y = __ldg(cudalint_::to(x + n, 0, 1));"),
        (
            "float y = __shfl_down_sync(m, x[n], 1);",
            "float y = cudalint_::shfl_down(0, m, cudalint_::at(x, n, 0, 1), 1);",
        ),
        ("int y = __any_sync(~0u, n > 2);", "int y = __any_sync(cudalint_::meet(0, ~0u), n > 2);"),
        ("__syncwarp();", "cudalint_::syncwarp(0);"),
        ("__syncwarp(n);", "cudalint_::syncwarp(0, n);"),
        ("if (n) return;", "if (n) { cudalint_::leave(0); return; }"),
        ("f(sizeof(x[0]), x[n]);", "f(sizeof(x[0]), cudalint_::at(x, n, 0, 1));"),
        ("q[n].y = 1;", "cudalint_::touch(cudalint_::at(q, n, 0, 0).y, 0, 2) = 1;"),
        ("p->v = 1;", "cudalint_::touch((*cudalint_::to(p, 0, 0)).v, 0, 2) = 1;"),
    ],
)
def test_accesses(body: str, expected: str) -> None:
    assert written(body) == expected


def test_lines_stay_and_sites_are_lines() -> None:
    text = '#line 1 "a.cu"\n__global__ void k(int* x) {\n    x[\n0] = 1;\n    x[1] = 2;\n}\n'
    copy = instrument(text)
    assert copy is not None
    assert copy.text.count("\n") == text.count("\n")
    assert copy.sites == (("a.cu", 2), ("a.cu", 4))


@pytest.mark.parametrize(
    "record", ["struct __attribute__((packed)) R { char a; int b; };", "#pragma pack(1)\nstruct R { char a; int b; };"]
)
def test_no_reference_is_made_to_a_packed_member(record: str) -> None:
    copy = instrument(f"{record}\n__global__ void k(R* r, int* x) {{ x[0] = r[1].b; }}")
    assert copy is not None
    assert "= cudalint_::at(r, 1, 0, 0).b;" in copy.text
    aligned = instrument("struct R { char a; int b; };\n__global__ void k(R* r, int* x) { x[0] = r[1].b; }")
    assert aligned is not None
    assert "= cudalint_::touch(cudalint_::at(r, 1, 0, 0).b, 0, 1);" in aligned.text


BODY = "__device__ void body(int* x) { if (x[0]) return; x[1] = 2; }\n"


@pytest.mark.parametrize(
    ("kernel", "leaves"),
    [
        ("__global__ void k(int* x) { x[2] = 1; body(x); }", True),
        ("__global__ void k(int* x) { body(x); x[2] = 1; }", False),
        ("__global__ void k(int* x) { body(x); }\n__global__ void m(int* x) { body(x); body(x); }", False),
        ("__global__ void k(int* x) { if (x[2]) body(x); }", False),
    ],
)
def test_who_returns_from_what_the_kernel_ends_with_leaves_it(kernel: str, leaves: bool) -> None:
    copy = instrument(BODY + kernel)
    assert copy is not None and ("cudalint_::leave" in copy.text) == leaves


def test_host_code_is_left_alone() -> None:
    assert instrument("void host(int* x) { x[0] = 1; }") is None


def test_counters_of_the_device_are_accesses_too() -> None:
    copy = instrument("__device__ int c;\n__constant__ int n;\n__global__ void k() { c += n; atomicAdd(&c, 1); }")
    assert copy is not None
    assert "cudalint_::touch(c, 0, 3) += n; atomicAdd(&cudalint_::touch(c, 0, 4), 1);" in copy.text


@pytest.mark.parametrize(
    "extra",
    ["#include <cuda/atomic>", "#define DONE __threadfence()", "__device__ int f(int* p) { return __ldcv(p); }"],
)
def test_blocks_are_not_judged_where_other_order_is_possible(extra: str) -> None:
    copy = instrument(f"{extra}\n__global__ void k(int* x) {{ x[0] = 1; }}")
    assert copy is not None and copy.races and not copy.across


@pytest.mark.parametrize("extra", ["#include <cooperative_groups.h>", '__device__ void f() { asm volatile(""); }'])
def test_races_are_not_judged_where_other_synchronisation_is_possible(extra: str) -> None:
    copy = instrument(f"{extra}\n__global__ void k(int* x) {{ x[0] = 1; }}")
    assert copy is not None and not copy.races


def test_values_are_written_in_the_types_of_their_parameters() -> None:
    text = "enum Kind { A, B };\ntemplate <typename T, bool Full, Kind kind, int N = 4>\n__global__ void k(T *x) {}\n"
    cut = slice_for_nvrtc(source(text), "k", ("float", "-1", "1", "8"))
    assert cut.name_expression == "k<float, true, (Kind)1, 8>"


def test_what_ends_a_dead_part_stays() -> None:
    text = "#if 0\nint a;\n#else\n__device__ int b;\n#endif\n__global__ void k(int *x) { x[0] = b; }\n"
    cut = slice_for_nvrtc(source(text), "k")
    assert [line for line in cut.text.split("\n") if line.startswith("#")][1:] == ["#if 0", "#else", "#endif"]


def test_headers_are_found_in_the_folders_that_are_named(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "size.h").write_text("#define SIZE 4\n")
    text = '#include "size.h"\n__global__ void k(int *x) { x[0] = SIZE; }\n'
    cut = slice_for_nvrtc(source(text, absolute=str(tmp_path / "k.cu")), "k", (), (str(tmp_path / "include"),))
    assert "#define SIZE 4" in cut.text


def test_headers_in_angle_brackets_may_lie_beside_their_file(tmp_path: Path) -> None:
    (tmp_path / "kinds.h").write_text("typedef enum Kind { FILL = 0, SCALE = 1 } Kind;\n")
    text = "#include <kinds.h>\ntemplate <int K> __global__ void k(int *x) { if (K == FILL) x[0] = 1; }\n"
    cut = slice_for_nvrtc(source(text, absolute=str(tmp_path / "k.cu")), "k", ("0",))
    assert "FILL = 0" in cut.text


@pytest.mark.parametrize("declaration", ['extern "C" void k(const float *x, int n);', "void k(float *x, int n);"])
def test_a_function_of_the_host_with_the_name_of_the_kernel_is_left_out(declaration: str) -> None:
    text = f"__global__ void k(float *x) {{ x[0] = 1; }}\n{declaration}\n__global__ void other(int *x) {{}}\n"
    cut = slice_for_nvrtc(source(text), "k")
    assert declaration not in cut.text and "__global__ void k(float *x)" in cut.text


def test_a_kernel_that_is_declared_before_stays_so() -> None:
    text = "__global__ void k(float *x);\n__global__ void k(float *x) { x[0] = 1; }\n"
    assert "__global__ void k(float *x);" in slice_for_nvrtc(source(text), "k").text


def test_dynamic_shared_arrays_are_cut_out_as_they_were_written() -> None:
    text = "template <class T> __global__ void k(T *x) { __shared_n T s[1]; s[threadIdx.x] = 1; x[0] = s[0]; }\n"
    assert "extern __shared__ T s[];" in slice_for_nvrtc(source(text), "k", ("float",)).text


def test_versions_are_those_of_the_compiler() -> None:
    text = "#if CUDA_VERSION >= 9000\n#define OLD 0\n#endif\n__global__ void k(long *x) { x[OLD] = CLOCKS_PER_SEC; }\n"
    cut = slice_for_nvrtc(source(text), "k").text
    assert "#define CUDA_VERSION (__CUDACC_VER_MAJOR__" in cut and "#define CLOCKS_PER_SEC 1000000" in cut


def test_functions_of_the_standard_library_come_with_what_else_is_used_of_it() -> None:
    text = "__global__ void k(float *x) { x[0] = std::max(std::log1p(x[1]), 0.0f); }\n"
    cut = slice_for_nvrtc(source(text), "k").text
    assert "const A& max(const A& a, const A& b)" in cut and "#include <cuda/std/cmath>" in cut


def test_types_of_the_standard_library_are_declared() -> None:
    text = "template <class T> __global__ void k(T *x) { if constexpr (std::is_same_v<T, int>) x[0] = 1; }\n"
    assert "constexpr bool is_same_v" in slice_for_nvrtc(source(text), "k", ("int",)).text
    assert "namespace std" not in slice_for_nvrtc(source("__global__ void k(int *x) {}"), "k").text


def test_instances_that_macros_make_are_left_out() -> None:
    text = (
        "typedef enum { FILL, SCALE } What;\n"
        "template <class T, int W> __global__ void k(T *x) { if (W == SCALE) x[0] = 2; }\n"
        "#define MAKE(T) \\\n    template __global__ void k<T, FILL>(T * x);\n"
        "MAKE(int)\nMAKE(Unknown)\n__device__ int after;\n"
    )
    cut = slice_for_nvrtc(source(text), "k", ("int", "1"))
    assert "MAKE(int)" not in cut.text and "MAKE(Unknown)" not in cut.text and "typedef enum" in cut.text


def test_functions_of_the_host_are_left_out_whatever_else_they_are() -> None:
    text = "static constexpr __host__ int size() { return 4; }\n__global__ void k(int *x) { x[0] = size; }\n"
    assert "__host__" not in slice_for_nvrtc(source(text), "k").text


MATRICES = """\
#include <mma.h>
using namespace nvcuda;
__global__ void plain(float* x) { x[0] = 1; }
__global__ void product(float* x) { wmma::fragment<wmma::accumulator, 16, 16, 16, float> c; x[0] = c.x[0]; }
"""


@pytest.mark.parametrize(("kernel", "kept"), [("plain", False), ("product", True)])
def test_the_header_of_matrices_is_asked_for_by_those_that_use_them(kernel: str, kept: bool) -> None:
    cut = slice_for_nvrtc(source(MATRICES), kernel)
    assert (cut.includes == ("mma.h",)) is kept is ("#include <mma.h>" in cut.text) is ("nvcuda" in cut.text)


def test_members_of_the_host_are_left_out_of_classes() -> None:
    text = """\
struct Shape {
    int rows;
  public:
    __host__ int area(std::vector<int> v) const {
        return v.size();
    }
    __host__ Shape();
    __host__ __device__ int twice() const { return 2 * rows; }
};
__global__ void k(Shape s, int* x) { x[0] = s.twice(); }
"""
    kept = slice_for_nvrtc(source(text), "k").text.split("\n")
    assert kept[1:4] == ["struct Shape {", "    int rows;", "  public:"]
    assert kept[4:8] == [""] * 4 and "twice" in kept[8]


@pytest.mark.parametrize(("space", "kept"), [("", False), ("__device__ ", True)])
def test_how_the_host_makes_objects_is_left_out_of_classes(space: str, kept: bool) -> None:
    text = f"""\
struct Counter {{
    int value;
    {space}void* operator new(size_t bytes) {{ void* p; cudaMallocManaged(&p, bytes); return p; }}
    {space}void operator delete(void* p) {{ cudaFree(p); }}
}};
__global__ void k(Counter* c) {{ c->value = 1; }}
"""
    cut = slice_for_nvrtc(source(text), "k").text
    assert ("cudaMallocManaged" in cut) is ("cudaFree" in cut) is kept
    assert "int value;" in cut


def test_types_of_pointers_to_functions_are_kept() -> None:
    text = "typedef void (*load_t)(float*, int);\n__global__ void k(load_t f, float* x) { f(x, 1); }\n"
    assert "typedef" in slice_for_nvrtc(source(text), "k").text


def test_shuffles_of_torch_are_recorded_where_they_are_called() -> None:
    text = "__global__ void k(float* y) { y[0] = WARP_SHFL_DOWN(y[0], 1) + WARP_SHFL(y[1], 0, 16, m); }\n"
    made = instrument(slice_for_nvrtc(source(text), "k").text)
    assert made is not None
    kernel = made.text.partition("__global__")[2]
    assert "cudalint_::shfl_down(2, 0xffffffff, cudalint_::at(y, 0, 2, 1), 1)" in kernel
    assert "cudalint_::shfl(2, m, cudalint_::at(y, 1, 2, 1), 0, 16)" in kernel
    assert made.sites[2][1] == 1


def test_what_torch_declares_for_device_code_is_declared() -> None:
    text = "__global__ void k(at::Half* x, float* y) { y[0] = WARP_SHFL_XOR(float(x[0]), 1); }\n"
    head = slice_for_nvrtc(source(text), "k").text.split("#line")[0]
    assert "using c10::Half;" in head and "__shfl_xor_sync" in head and "WARP_SHFL(" not in head
    own = "template <class T> __device__ T WARP_SHFL_XOR(T v, int m) { return v; }\n"
    assert "__shfl" not in slice_for_nvrtc(source(own + text), "k").text


@pytest.mark.parametrize(
    ("body", "declared"),
    [
        ("gpuAtomicAdd(x, 1.0f);", "A gpuAtomicAdd(A* at, A value)"),
        ("gpuAtomicAddNoReturn(x, 1.0f);", "void gpuAtomicAddNoReturn(A* at, A value)"),
        ("x[threadIdx.x / C10_WARP_SIZE] = CUDART_PI_F;", "C10_WARP_SIZE 32"),
        ("__builtin_prefetch(x);", "#define __builtin_prefetch(...)"),
        ("cufftComplex z = {x[0], 1}; x[1] = z.y;", "typedef float2 cufftComplex;"),
    ],
)
def test_what_a_library_declares_for_device_code_is_declared(body: str, declared: str) -> None:
    text = f"__global__ void k(float* x) {{ {body} }}\n"
    assert declared in slice_for_nvrtc(source(text), "k").text.split("#line")[0]


def test_code_for_the_system_is_that_of_the_front_end() -> None:
    text = "#if !defined(__linux__)\n#error another system\n#endif\n__global__ void k(int* x) { x[0] = 1; }\n"
    assert slice_for_nvrtc(source(text), "k").text.startswith("#define __linux__ 1\n")


def test_classes_of_host_types_are_left_out() -> None:
    text = (
        "class Error : public std::exception { std::string text; };\n__global__ void k(int* x) { int Error = x[0]; }\n"
    )
    assert "std::" not in slice_for_nvrtc(source(text), "k").text


@pytest.mark.parametrize(("body", "kept"), [("x[0] = 1;", False), ("cub::WarpReduce<int>::TempStorage t;", True)])
def test_cub_is_asked_for_by_those_that_name_it(body: str, kept: bool) -> None:
    cut = slice_for_nvrtc(source(f"#include <cub/cub.cuh>\n__global__ void k(int* x) {{ {body} }}\n"), "k")
    assert ("cub/warp/warp_reduce.cuh" in cut.includes) is kept is ("<cub/" in cut.text)


def test_a_table_that_macros_open_and_close_is_an_item_with_the_names_in_its_brackets() -> None:
    text = """\
#define TABLE_BEGIN(type, name, size) static const __device__ type name[size] = {
#define TABLE_END() };
TABLE_BEGIN(int, squares, 4)
    0, 1, 4, 9,
TABLE_END()

TABLE_BEGIN(int, cubes, 4)
    0, 1, 8, 27,
TABLE_END()

__global__ void k(int* x) { x[threadIdx.x] = squares[threadIdx.x % 4]; }
"""
    made = slice_for_nvrtc(SourceFile("k.cu", "/nowhere/k.cu", text), "k").text
    assert "TABLE_BEGIN(int, squares, 4)\n    0, 1, 4, 9,\nTABLE_END()" in made
    assert "cubes" not in made
