"""What is said of kernels: complete or not, with which gaps, in which places."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.frontend.lowering.functions import MOST_HOST_INSTANCES, MOST_INSTANCES
from cudalint.frontend.translate import KernelEntry, ParseOptions, Surroundings, Translation, translate
from cudalint.ir import nodes as ir
from cudalint.ir.types import size_of
from cudalint.ir.walk import statements
from cudalint.source import SourceFile


def lowered(text: str, root: Path | None = None, **options: object) -> Translation:
    folder = str(root or "/nowhere")
    return translate(SourceFile("k.cu", f"{folder}/k.cu", text), ParseOptions(**options), folder)  # type: ignore[arg-type]


def only(translation: Translation) -> KernelEntry:
    (kernel,) = translation.kernels
    return kernel


def body(translation: Translation, name: str) -> list[ir.Stmt]:
    function = next(f for f in translation.unit.functions.values() if f.name == name)
    return list(statements(function.body))


def test_a_load_has_the_span_of_its_subscript() -> None:
    text = "__global__ void k(float *a, int i) {\n  a[0] = 2 * a[i + 1];\n}\n"
    (load,) = (s for s in body(lowered(text), "k") if isinstance(s, ir.Load))
    assert (load.span.line, load.span.column, load.span.end_column) == (2, 14, 22)


def test_columns_count_code_points() -> None:
    text = "__global__ void k(float *a) {\n  /* é€ */ a[1] = 2;\n}\n"
    (store,) = (s for s in body(lowered(text), "k") if isinstance(s, ir.Store))
    assert (store.span.line, store.span.column) == (2, 12)


def test_an_argument_of_a_macro_keeps_its_place() -> None:
    text = "#define SET(p) p = 1\n__global__ void k(float *a) {\n  SET(a[7]);\n}\n"
    (store,) = (s for s in body(lowered(text), "k") if isinstance(s, ir.Store))
    assert (store.span.line, store.span.column) == (3, 7)


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("again: a[0] += 1; if (a[0] < 9) goto again;", "goto to an earlier or inner label"),
        ('asm volatile("frobnicate.sync 0;");', "inline assembly: frobnicate"),
        ("a[0] = unknown_function(a);", "unknown_function"),
        ("int = 3;", "parse error"),
        ("missing_type x; x.run(a);", "missing_type"),
    ],
)
def test_what_is_not_understood_is_a_gap(statement: str, reason: str) -> None:
    kernel = only(lowered(f"__global__ void k(float *a) {{ {statement} }}\n"))
    assert not kernel.complete
    assert not kernel.exact
    assert any(reason in g.reason for g in kernel.gaps)


def test_unknown_assembly_may_synchronise() -> None:
    made = body(lowered('__global__ void k() { asm volatile("frobnicate.sync 0;"); }\n'), "k")
    (hole,) = (s for s in made if isinstance(s, ir.Unmodelled))
    assert hole.may_sync


def test_a_guessed_name_is_symbolic_and_a_gap() -> None:
    translation = lowered("__global__ void k(int *a) { a[0] = UNKNOWN_SIZE + 1; }\n")
    kernel = only(translation)
    assert not kernel.complete
    assert any("UNKNOWN_SIZE" in g.reason for g in kernel.gaps)
    (store,) = (s for s in body(translation, "k") if isinstance(s, ir.Store))
    assert not isinstance(store.value, ir.Const)


def test_a_type_that_nothing_declares_is_a_number_where_a_loop_counts_with_it() -> None:
    text = (
        "template <class T> __global__ void shift(T* y, const count_type n) {\n"
        "  const count_type step = sizeof(T) / 2;\n"
        "  T kept[step];\n"
        "  for (count_type i = 0; i < step; i++) kept[i] = y[i + n];\n"
        "  for (count_type i = threadIdx.x; i < step; i += 32) y[i] = kept[i];\n"
        "}\n"
    )
    translation = lowered(text)
    kernel = only(translation)
    assert kernel.functions and [gap.reason for gap in kernel.gaps] == ["unknown name count_type"]
    assert [s.span.line for s in body(translation, "shift") if isinstance(s, ir.Store)] == [4, 5]


def test_the_size_of_a_class_with_an_unreadable_member_is_not_known() -> None:
    translation = lowered(
        "template <class T> struct Rows;\nstruct Volume { Rows<float> values; int columns; };\n"
        "__global__ void k(Volume v, int *a) { a[0] = 1; }\n"
    )
    (kernel,) = translation.unit.functions.values()
    assert size_of(kernel.params[0].var.type) is None


def test_a_gap_of_a_called_function_is_the_kernels() -> None:
    text = (
        "__device__ void f(int *a) { out: a[0] += 1; if (a[0] < 9) goto out; }\n__global__ void k(int *a) { f(a); }\n"
    )
    assert not only(lowered(text)).complete


def test_a_kernel_that_the_parser_loses_is_listed() -> None:
    kernel = only(lowered("__global__ void k(Missing<int>::type<3> a, float *x) { x[0] = 1; }\n"))
    assert kernel.name == "k"
    assert not kernel.complete


def test_each_instance_of_a_template_is_a_function() -> None:
    text = (
        "template <class T> __global__ void k(T *x) { x[0] = 1; }\n"
        "void run(int *a, float *b) { k<<<1, 1>>>(a); k<float><<<1, 1>>>(b); }\n"
    )
    kernel = only(lowered(text))
    assert kernel.functions == ("k<int>(int *)", "k<float>(float *)")
    assert kernel.complete
    assert kernel.template


def test_a_template_that_cannot_be_instantiated_is_a_gap() -> None:
    kernel = only(lowered("template <template <class> class T> __global__ void k(T<int> x) {}\n"))
    assert kernel.functions == ()
    assert [g.reason for g in kernel.gaps] == ["template without instance"]


def test_defines_and_targets_choose_code() -> None:
    text = "__global__ void k(int *x) {\n#if __CUDA_ARCH__ >= 900\n  x[0] = WHAT;\n#else\n  x[0] = 1;\n#endif\n}\n"
    (old,) = (s for s in body(lowered(text, target="sm_80"), "k") if isinstance(s, ir.Store))
    (new,) = (s for s in body(lowered(text, target="sm_90a", defines=("WHAT=5",)), "k") if isinstance(s, ir.Store))
    assert isinstance(old.value, ir.Const)
    assert isinstance(new.value, ir.Const)
    assert (old.value.value, new.value.value) == (1, 5)


def test_a_header_of_the_project_is_found_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "deep" / "folder").mkdir(parents=True)
    (tmp_path / "deep" / "folder" / "shared.cuh").write_text("__device__ int twice(int x) { return 2 * x; }\n")
    text = '#include "shared.cuh"\n__global__ void k(int *x) { x[0] = twice(x[1]); }\n'
    translation = lowered(text, tmp_path)
    assert only(translation).exact
    twice = next(f for f in translation.unit.functions.values() if f.name == "twice")
    assert twice.span.path == "deep/folder/shared.cuh"


@pytest.mark.parametrize("text", ["", "}", "__global__", "__global__ void k(", "\x00", "<<<>>>", "#if\n#define\n"])
def test_any_text_has_a_translation(text: str) -> None:
    assert lowered(text).unit.path == "k.cu"


HALF = ("k<double>", "k<float>", "k<c10::Half>")


@pytest.mark.parametrize(
    ("dispatch", "end", "kernels"),
    [
        ('AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "k", [&] {', "});", HALF[:2]),
        ('AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(x.scalar_type(), "k", [&] {', "});", HALF[:2]),
        ('AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND1(at::kHalf, x.scalar_type(), "k", [&] {', "});", HALF),
        (
            'AT_DISPATCH_SWITCH(x.scalar_type(), "k", AT_DISPATCH_CASE_FLOATING_TYPES_AND(at::kHalf, [&] {',
            "}));",
            HALF,
        ),
        (
            'AT_DISPATCH_V2(x.scalar_type(), "k", AT_WRAP([&] { int a = 1, b = a;',
            "}), AT_EXPAND(AT_FLOATING_TYPES), at::kHalf);",
            HALF,
        ),
    ],
)
def test_dispatch_macros_launch_once_per_type(dispatch: str, end: str, kernels: tuple[str, ...]) -> None:
    text = (
        "#include <torch/extension.h>\n#include <ATen/Dispatch_v2.h>\n"
        "template <class T> __global__ void k(T *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = T(0); }\n"
        "void run(torch::Tensor x) {\n"
        f"  {dispatch}\n    k<scalar_t><<<1, 32>>>(x.data_ptr<scalar_t>(), x.numel());\n  {end}\n}}\n"
    )
    launches = [s for s in body(lowered(text), "run") if isinstance(s, ir.Launch)]
    called = [s.kernel.function.split("(")[0] for s in launches if isinstance(s.kernel, ir.FunctionRef)]
    assert called == list(kernels)


def test_a_generated_file_is_read_up_to_a_limit_and_every_kernel_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cudalint.frontend.translate.MOST_KERNELS", 3)
    text = "".join(f"__global__ void k{i}(int *a) {{ a[{i}] = {i}; }}\n" for i in range(6))
    kernels = lowered(text).kernels
    assert [k.complete for k in kernels] == [True] * 3 + [False] * 3
    assert kernels[3].gaps[0].reason == "not parsed: beyond the first 3 kernels of one file"


def test_functions_beyond_the_limit_of_a_file_are_holes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cudalint.frontend.lowering.unit.MOST_BYTES", 60)
    text = "".join(f"__global__ void k{i}(int *a) {{ a[{i}] = {i}; }}\n" for i in range(4))
    kernels = lowered(text).kernels
    assert [k.complete for k in kernels] == [True, True, False, False]
    assert kernels[3].gaps[0].reason.startswith("not lowered")


def test_a_long_table_costs_no_memory_of_its_own() -> None:
    text = "__constant__ int t[70000] = {1, 2};\n__global__ void k(int *a) { a[0] = t[a[1]]; }\n"
    assert lowered(text).unit.globals["t"].init is None


def test_instances_beyond_a_few_are_counted() -> None:
    calls = "".join(f"k<{i}><<<1, 32>>>(a);" for i in range(1, 10))
    text = f"template <int N> __global__ void k(int *a) {{ a[N] = 1; }}\nvoid host(int *a) {{ {calls} }}\n"
    translation = lowered(text)
    assert len(only(translation).functions) == 6
    assert translation.notes == ("3 of 9 instances of k are not walked",)


@pytest.mark.parametrize(
    "template",
    [
        'template <int BLOCK> __global__ void k(float *p) { static_assert(BLOCK == 64, "no"); p[BLOCK] = 1; }',
        "struct Traits { static constexpr int N = 3; };\n"
        "template <class T> __global__ void k(float *p) { p[T::N] = 1; }",
        "template <int B, int TILE> __global__ void k(float *p) { static_assert(TILE == 24); p[TILE] = 1; }\n"
        "template <int B> struct Never { void run(float *p) { k<B, 24><<<1, B>>>(p); } };",
    ],
)
def test_arguments_that_a_template_refuses_are_tried_again(template: str) -> None:
    kernel = only(lowered(template + "\n"))
    assert (kernel.exact, kernel.gaps) == (True, ())


def dispatch(count: int) -> str:
    """A kernel behind a host template that is instantiated `count` times, each instance launching one of its own."""
    calls = " ".join(f"run<{i}>(p);" for i in range(count))
    return (
        "template <int N> __global__ void k(float *p) { p[threadIdx.x] = N; }\n"
        "template <int N> void run(float *p) { k<N><<<1, 32>>>(p); }\n"
        f"void all(float *p) {{ {calls} }}\n"
    )


def test_a_template_of_host_functions_is_lowered_for_some_of_its_instances() -> None:
    translation = lowered(dispatch(40))
    assert len(only(translation).functions) == MOST_INSTANCES
    assert sum(f.name == "run" for f in translation.unit.functions.values()) == MOST_HOST_INSTANCES


def test_what_is_only_included_needs_no_instance(tmp_path: Path) -> None:
    (tmp_path / "all.cuh").write_text(
        "template <int N> __global__ void other(float *p) { p[0] = N; }\n"
        "template <int N> void launch_other(float *p) { other<N><<<1, 32>>>(p); }\n"
    )
    text = '#include "all.cuh"\n__global__ void k(float *p) { p[0] = 1; }\n'
    source = SourceFile("k.cu", str(tmp_path / "k.cu"), text)
    around = Surroundings(included=frozenset({"all.cuh"}))
    unit = translate(source, ParseOptions(), str(tmp_path), around).unit
    assert [f.name for f in unit.functions.values()] == ["k"]


def test_a_template_over_an_enumeration_gets_an_instance_that_compiles() -> None:
    text = (
        "enum kind { NONE, HALF, FULL };\n"
        "template <kind K> struct traits;\n"
        "template <> struct traits<FULL> { static constexpr int size = 4; };\n"
        "template <kind K> __global__ void k(float *p) { p[threadIdx.x * traits<K>::size] = 1; }\n"
    )
    kernel = only(lowered(text))
    assert kernel.complete
    assert "FULL" in kernel.functions[0] or "2" in kernel.functions[0]


def test_a_file_without_cuda_of_its_own_is_not_parsed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "case.cuh").write_text("template <int N> void run() {}\n")
    monkeypatch.setattr("cudalint.frontend.clang.parse", lambda *_: pytest.fail("parsed"))
    found = lowered('#include "case.cuh"\ntemplate void run<4>();\n', tmp_path)
    assert (found.kernels, found.unit.functions) == ((), {})


def test_a_guessed_instance_has_the_enumerator_that_the_text_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "enum Kind { NONE, ROWS, COLUMNS };\n"
        "template <Kind k> struct Traits;\n"
        "template <> struct Traits<COLUMNS> { static const int n = 2; };\n"
        "template <Kind k> __global__ void fill(int *a) { a[0] = Traits<k>::n; }\n"
    )
    monkeypatch.setattr("cudalint.frontend.translate.alternatives", lambda *_: pytest.fail("tried again"))
    kernel = only(lowered(text))
    assert (kernel.complete, kernel.functions) == (True, ("fill<2>(int *)",))


@pytest.mark.parametrize("name", ["IdType", "index_t", "TokenId", "Offset", "id_t"])
def test_a_type_that_is_named_like_an_index_is_guessed_as_one(name: str) -> None:
    text = f"template <class T, class {name}> __global__ void k(T *a, const {name} *at) {{ a[at[0]] = 1; }}\n"
    assert only(lowered(text)).functions == ("k<float, int>(float *, const int *)",)


@pytest.mark.parametrize("asked", ["#if HAVE_CUDA", "#ifdef USE_CUDA", "#if WITH_CUDA == 1", "#ifdef ENABLE_CUDA"])
def test_what_a_header_keeps_for_builds_with_cuda_is_there(tmp_path: Path, asked: str) -> None:
    (tmp_path / "limits.h").write_text(f"{asked}\n#define WARP 32\n#endif\n")
    text = '#include "limits.h"\n__global__ void k(float *a) { a[WARP] = 1; }\n'
    assert only(lowered(text, tmp_path)).complete


def test_a_template_that_asks_its_parameter_for_members_gets_a_made_up_class() -> None:
    text = (
        "template <typename Traits> __global__ void k(float *x) {\n"
        "  __shared__ float s[256];\n"
        "  typename Traits::value_t v = 1;\n"
        "  s[threadIdx.x] = v;\n"
        "  __syncthreads();\n"
        "  x[threadIdx.x] = s[threadIdx.x ^ Traits::MASK];\n"
        "}\n"
    )
    translation = lowered(text)
    kernel = only(translation)
    assert kernel.functions and not kernel.complete
    assert {gap.reason for gap in kernel.gaps} == {"unknown name value_t", "unknown name MASK"}
    kinds = [type(s) for s in body(translation, "k")]
    assert kinds.count(ir.Barrier) == 1


def test_a_class_of_the_file_is_taken_before_one_that_is_made_up() -> None:
    text = (
        "struct Small { static constexpr int MASK = 3; };\n"
        "template <typename Traits> __global__ void k(float *x) { x[threadIdx.x ^ Traits::MASK] = 1; }\n"
    )
    assert only(lowered(text)).complete


@pytest.mark.parametrize(
    ("header", "understood"),
    [
        ("namespace app { struct Tile { int rows; }; }\n", "wmma::fill_fragment(total, 0.0f);"),
        ("namespace nvcuda { namespace wmma { __device__ int own(); } }\n", "x[0] = wmma::own();"),
    ],
)
def test_a_header_of_the_project_hides_a_stub_where_more_is_understood_with_it(
    tmp_path: Path, header: str, understood: str
) -> None:
    (tmp_path / "include" / "app").mkdir(parents=True)
    (tmp_path / "include" / "app" / "mma.h").write_text(header)
    fragment = "wmma::fragment<wmma::accumulator, 16, 16, 16, float> total; "
    text = (
        "#include <mma.h>\nusing namespace nvcuda;\n__global__ void k(float *x) {\n"
        f"  {fragment if 'total' in understood else ''}{understood}\n  missing_type y;\n  x[y.at] = 1;\n}}\n"
    )
    gaps = [gap.reason for gap in only(lowered(text, tmp_path)).gaps]
    assert not any("wmma" in reason or "nvcuda" in reason for reason in gaps), gaps


def test_headers_that_headers_of_other_folders_include_are_found(tmp_path: Path) -> None:
    parts = {
        "gpu/include/app/array.h": "#pragma once\n#include <app/common.h>\n"
        "class APP_EXPORT Array { public: int count() const { return n; } int n = COUNT; };\n",
        "common/include/app/common.h": "#pragma once\n#include <app/core.h>\n",
        "core/include/app/core.h": "#pragma once\n#define COUNT 4\n",
        "src/k.cu": "#include <app/array.h>\n__global__ void k(float *x) { x[0] = COUNT; }\n"
        "void f(float *x, const Array &a) { k<<<1, a.count()>>>(x); }\n",
    }  # fmt: skip
    for name, text in parts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    source = SourceFile("src/k.cu", str(tmp_path / "src/k.cu"), parts["src/k.cu"])
    made = translate(source, ParseOptions(), str(tmp_path))
    assert not made.missing and [entry.exact for entry in made.kernels] == [True]
    assert any(name.startswith("Array::count") for name in made.unit.functions)


def test_a_small_function_that_gives_a_value_is_lowered_for_more_of_its_instances() -> None:
    calls = " ".join(f"k<<<of<{i}>(n), 32>>>(p);" for i in range(12))
    text = (
        "__global__ void k(float *p) { p[threadIdx.x] = 1; }\n"
        "template <int N> static int of(int n) { return n / (N + 1); }\n"
        f"void all(float *p, int n) {{ {calls} }}\n"
    )
    assert sum(f.name == "of" for f in lowered(text).unit.functions.values()) == 12
