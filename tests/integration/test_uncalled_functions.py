"""Device functions that nobody calls are checked under ordinary launches, with arguments that each thread chooses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from cudalint.cli.status import proved
from cudalint.engine import ScanOptions, scan
from cudalint.engine.contract_view import kernel_contracts
from cudalint.engine.contract_view import text as contract_text
from cudalint.engine.contracts import NO_CALL
from cudalint.engine.registry import rules
from cudalint.finding import Confidence, KernelResult, Reason, ScanResult, Verdict
from cudalint.frontend.lowering.unit import MOST_UNCALLED
from cudalint.report import json_report, sarif, text, verify_text
from cudalint.source import SourceFile

KERNEL = """__global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2.f * x[i];
}
void run(float *x, int n) { scale<<<(n + 255) / 256, 256>>>(x, n); }
"""
BROKEN = """__device__ float last(float v) {
  float held[4] = {v, v, v, v};
  float sum = 0.f;
  for (int i = 0; i <= 4; ++i) sum += held[i];
  return sum;
}
"""


def scanned(root: Path, program: str, *more: tuple[str, str], **options: object) -> ScanResult:
    (root / "k.cu").write_text(program)
    for name, content in more:
        (root / name).write_text(content)
    given = ScanOptions(paths=(str(root / "k.cu"),), project_root=str(root), jobs=1, cache=False)
    return scan(replace(given, **options))  # type: ignore[arg-type]


def codes(result: ScanResult) -> list[tuple[str, int]]:
    return [(each.code, each.span.line) for each in result.findings if not each.code.startswith("API")]


def uncalled(result: ScanResult) -> list[KernelResult]:
    return [each for each in result.kernels if each.device]


# --- which functions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "program",
    [
        BROKEN,
        BROKEN + KERNEL,
        BROKEN.replace("__device__", "__host__ __device__"),
        "#define DEVICE __device__ __forceinline__\n" + BROKEN.replace("__device__", "DEVICE"),
        "namespace ops { struct Held {\nstatic " + BROKEN + "}; }",
        "__device__ float last(float v);\n" + BROKEN,
        BROKEN.replace("return sum;", "return v > 1.f ? last(v / 2) : sum;"),
        "// last of four\n" + BROKEN,
    ],
    ids=["alone", "beside a kernel", "both sides", "macro", "member", "declared", "calls itself", "in a comment"],
)
def test_what_nobody_calls_is_checked(tmp_path: Path, program: str) -> None:
    result = scanned(tmp_path, program)
    assert [code for code, _ in codes(result)] == ["IDX103"]
    assert [each.name for each in uncalled(result)] == ["last"]


def test_a_template_that_nobody_instantiates_is_checked_with_likely_arguments(tmp_path: Path) -> None:
    broken = "template <typename T>\n" + BROKEN.replace("float last(float v)", "T last(T v)")
    result = scanned(tmp_path, broken.replace("float held[4]", "T held[4]"))
    (finding,) = result.findings
    assert finding.code == "IDX103" and finding.instance is not None


@pytest.mark.parametrize(
    "caller",
    [
        "__global__ void k(float *x) { x[0] = last(x[1]); }\nvoid run(float *x) { k<<<1, 1>>>(x); }\n",
        "__device__ float other(float v) { return last(v); }\n",
        "#define LAST(v) last(v)\n",
        "template <int N> __device__ float many(float v) { return last(v) + N; }\n",
        "float on_the_host(float v) { return last(v); }\n",
        "#ifdef NEVER\n__device__ float other(float v) { return last(v); }\n#endif\n",
    ],
    ids=["kernel", "device function", "macro", "template", "host", "another branch"],
)
def test_what_any_text_names_is_not_alone(tmp_path: Path, caller: str) -> None:
    broken = BROKEN.replace("__device__", "__host__ __device__")
    assert "last" not in [each.name for each in uncalled(scanned(tmp_path, broken + caller))]


def test_the_caller_that_nobody_calls_shows_what_it_calls(tmp_path: Path) -> None:
    result = scanned(tmp_path, BROKEN + "__device__ float other(float v) { return last(v); }\n")
    assert [each.name for each in uncalled(result)] == ["other"]
    assert codes(result) == [("IDX103", 4)]


@pytest.mark.parametrize(
    ("name", "content", "alone"),
    [
        ("main.cu", '#include "k.cu"\n__global__ void k(float *x) { x[0] = last(x[1]); }\n', False),
        ("far.cu", "extern __device__ float last(float v);\n", False),
        (
            "same.cu",
            "static __device__ float last(float v) { return v; }\n__device__ float l(float v) { return last(v); }\n",
            True,
        ),
    ],
    ids=["includes it", "declares it for the linker", "has one of its own"],
)
def test_other_files_call_what_they_are_compiled_with(tmp_path: Path, name: str, content: str, alone: bool) -> None:
    assert bool(uncalled(scanned(tmp_path, BROKEN, (name, content)))) is alone


def test_functions_of_headers_are_no_matter_of_the_file_that_includes_them(tmp_path: Path) -> None:
    result = scanned(tmp_path, '#include "held.cuh"\n' + KERNEL, ("held.cuh", BROKEN))
    assert not uncalled(result) and not codes(result)
    assert codes(scanned(tmp_path, KERNEL, ("held.cuh", BROKEN), paths=(str(tmp_path / "held.cuh"),))) == [
        ("IDX103", 4)
    ]


def test_operators_and_constructors_are_called_without_their_names(tmp_path: Path) -> None:
    members = "__device__ Held(int k) { at[k] = 0; }\n__device__ int operator()(int k) { return at[k]; }\n"
    members += "virtual __device__ int get(int k) { return at[k]; }"
    assert not uncalled(scanned(tmp_path, f"struct Held {{ int at[4];\n{members}\n}};\n"))


def test_so_many_of_one_file_are_checked_and_the_others_are_told(tmp_path: Path) -> None:
    many = "".join(f"__device__ int f{number}() {{ return {number}; }}\n" for number in range(MOST_UNCALLED + 3))
    result = scanned(tmp_path, many)
    assert len(uncalled(result)) == MOST_UNCALLED
    assert [note.text for note in result.notes] == ["3 further device functions that nobody calls are not checked"]


# --- what is theirs, and what is their callers' ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("int at[8] = {}; at[k] = n; return at[0];", False),
        ("int at[8] = {}; if (k < 8) at[k] = n; return at[0];", False),
        ("int at[8] = {}; if (k <= 8) at[k] = n; return at[0];", True),
        ("int at[8] = {}; for (int i = 0; i < n; ++i) at[i] = k; return at[0];", False),
        ("int at[8] = {}; for (int i = k; i <= 8; i += 8) at[i] = n; return at[0];", True),
        ("int at[8] = {}; at[(unsigned)k % 9] = n; return at[0];", True),
        ("int at[8] = {}; at[min(max(k, 0), 8)] = n; return at[0];", True),
        ("int at[8] = {}; if (n > 0) at[8] = k; return at[0];", True),
        ("int at[8] = {}; at[k - 1] = n; return at[0];", False),
        ("int at[8] = {}; unsigned char b = k; at[b] = n; return at[0];", False),
        ("return p[k - 1] + p[-1];", False),
        ("return p[k * n];", False),
        ("__shared__ int at[64]; at[k] = n; return at[0];", False),
        ("__shared__ int at[64]; if (threadIdx.x < n) at[threadIdx.x] = n; return at[0];", False),
        ("__shared__ int at[8]; at[threadIdx.x] = n; return at[k & 7];", False),
        ("__shared__ int at[8]; at[threadIdx.x] = n; __syncthreads(); return at[k & 7];", True),
        ("__shared__ int at[8]; if (threadIdx.x <= 8) at[threadIdx.x] = n; return at[0];", True),
    ],
)
def test_an_index_is_wrong_where_no_caller_can_help_it(tmp_path: Path, body: str, found: bool) -> None:
    result = scanned(tmp_path, f"__device__ int f(int k, int n, const int *p) {{ {body} }}\n")
    wrong = [f.code for f in result.findings if f.code in ("IDX101", "IDX102", "IDX103", "IDX201")]
    assert bool(wrong) is found, codes(result)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("if (k > 0) __syncthreads();", False),
        ("if (p[0] > 0) __syncthreads();", False),
        ("if (k == 0) return; __syncthreads();", False),
        ("for (int i = threadIdx.x; i < 100; i += blockDim.x) __syncthreads();", True),
        ("for (int i = 0; i < n; ++i) __syncthreads();", False),
        ("for (int i = k; i < n; i += blockDim.x) __syncthreads();", False),
        ("if (k < 16) p[0] = __shfl_xor_sync(~0u, p[0], 1);", False),
        ("p[0] = __shfl_xor_sync(n, p[0], 1);", False),
        ("p[0] = __shfl_xor_sync(0xff, p[0], 1);", False),
    ],
)
def test_threads_part_by_their_own_numbers(tmp_path: Path, body: str, found: bool) -> None:
    result = scanned(tmp_path, f"__device__ void f(int k, int n, int *p) {{ {body} }}\n")
    assert bool(result.findings) is found, codes(result)


REDUCED = """__device__ int f(int k, int *p) {
  __shared__ int at[1024];
  %s
}
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (
            "at[threadIdx.x] = k; __syncthreads(); k += at[threadIdx.x ^ 1]; at[threadIdx.x] = k; __syncthreads(); return at[0];",
            True,
        ),
        (
            "at[threadIdx.x] = k; __syncthreads(); k += at[threadIdx.x ^ 1]; __syncthreads(); at[threadIdx.x] = k; return k;",
            False,
        ),
        ("p[k] = k; __syncthreads(); k += p[threadIdx.x ^ 1]; p[k] = k; __syncthreads(); return k;", False),
        ("if (k == 0) at[0] = p[0]; __syncthreads(); return at[0];", False),
        ("at[k] = p[0]; __syncthreads(); return at[0];", False),
        ("int lane = threadIdx.x & 31; at[lane] = k; __syncwarp(); return at[lane ^ 1];", False),
    ],
)
def test_a_race_is_one_by_the_numbers_of_the_threads(tmp_path: Path, body: str, found: bool) -> None:
    result = scanned(tmp_path, REDUCED % body)
    assert bool(result.findings) is found, codes(result)


def test_nothing_is_proved_free_of_races_for_one_call_may_meet_the_next(tmp_path: Path) -> None:
    body = "at[threadIdx.x] = k; __syncthreads(); return at[threadIdx.x ^ 1];"
    (function,) = uncalled(scanned(tmp_path, REDUCED % body))
    (race,) = [each for each in function.obligations if each.kind.endswith("race")]
    assert (race.verdict, race.reason) == (Verdict.UNKNOWN, Reason.CALLER)


def test_what_a_pointer_leads_to_is_not_the_same_for_all_threads(tmp_path: Path) -> None:
    """Callers may pass each thread memory of its own: a condition on it does not keep threads together."""
    (function,) = uncalled(scanned(tmp_path, "__device__ void f(const int *p) { if (p[0]) __syncthreads(); }\n"))
    assert [each.verdict for each in function.obligations if each.kind.endswith("divergence")] == [Verdict.UNKNOWN]


@pytest.mark.parametrize(
    ("parameters", "verdict"),
    [
        ("int &a, int &b", Verdict.UNKNOWN),
        ("float &a, int &b", Verdict.SAFE),
        ("int *__restrict__ a, int *b", Verdict.SAFE),
    ],
)
def test_two_references_may_be_one_variable(tmp_path: Path, parameters: str, verdict: Verdict) -> None:
    body = "int at[8] = {}; if (b >= 0 && b < 8) { a = 100; at[b] = 1; } return at[0];"
    body = body.replace("a =", "*a =").replace("b ", "*b ").replace("[b]", "[*b]") if "*" in parameters else body
    (function,) = uncalled(scanned(tmp_path, f"__device__ int f({parameters}) {{ {body} }}\n"))
    assert [each.verdict for each in function.obligations if each.kind == "local-write-dimension"] == [verdict]


def test_annotations_before_it_count(tmp_path: Path) -> None:
    program = "// cudalint: extent(p) = n\n__device__ int sum(const int *p, int n) {\n  int s = 0;\n"
    program += "  for (int i = 0; i %s n; ++i) s += p[i];\n  return s;\n}\n"
    assert codes(scanned(tmp_path, program % "<=")) == [("IDX101", 4)]
    (function,) = uncalled(scanned(tmp_path, program % "<"))
    assert {each.verdict for each in function.obligations} == {Verdict.SAFE}


def test_an_annotation_before_a_function_that_is_called_is_told_to_have_no_effect(tmp_path: Path) -> None:
    called = "// cudalint: extent(p) = 4\n__device__ int first(const int *p) { return p[0]; }\n"
    result = scanned(tmp_path, called + "__device__ int twice(const int *p) { return 2 * first(p); }\n")
    assert codes(result) == [("CUL001", 1)] and "where it is called" in result.findings[0].message


# --- what is said of it ------------------------------------------------------------------------------------------------------


def test_the_finding_says_that_nobody_calls_it(tmp_path: Path) -> None:
    (finding,) = scanned(tmp_path, BROKEN).findings
    assert finding.kernel == "last" and finding.confidence is Confidence.HIGH and finding.launch_site is None
    assert NO_CALL in [fact.text for fact in finding.assumptions]


@pytest.mark.parametrize("report", [text, json_report, sarif, verify_text], ids=["text", "json", "sarif", "verify"])
def test_every_report_says_so(tmp_path: Path, report: ModuleType) -> None:
    result, sources = scanned(tmp_path, BROKEN), {"k.cu": SourceFile("k.cu", str(tmp_path / "k.cu"), BROKEN)}
    shown = " ".join(report.render(result, sources, rules()).split())
    assert "nobody calls" in shown


def test_the_contract_says_so(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(BROKEN)
    views = kernel_contracts("last", ScanOptions(paths=(str(tmp_path / "k.cu"),), project_root=str(tmp_path)))
    assert "nobody calls this device function" in contract_text(views)


def test_figures_count_kernels_apart(tmp_path: Path) -> None:
    result = scanned(tmp_path, "__device__ int at(const int *p, int k) { return p[k]; }\n" + KERNEL)
    last = text.render(result, {}, rules()).splitlines()[-1]
    assert "1 kernel analysed" in last and "1 device function that nobody calls: 0 safe" in last
    assert [each["name"] for each in json_report.document(result)["kernels"]] == ["scale"]  # type: ignore[index,union-attr,call-overload]


def test_a_proof_of_the_kernels_does_not_wait_for_what_nobody_calls(tmp_path: Path) -> None:
    exact = (
        "__global__ void one(float *x) { x[0] = 1.f; }\nint main() { float *x; cudaMalloc(&x, 4); one<<<1, 1>>>(x); }\n"
    )
    assert proved(scanned(tmp_path, "__device__ int at(const int *p, int k) { return p[k]; }\n" + exact))


def test_templates_of_the_host_beside_it_launch_as_they_do_alone(tmp_path: Path) -> None:
    program = "template <typename T> __global__ void one(T *x) { x[threadIdx.x] = 1; }\n"
    program += "template <typename T> void run(int n) { T *x; cudaMalloc(&x, 64 * sizeof(T)); one<T><<<1, 64>>>(x); }\n"
    template = "template <typename T> __host__ __device__ T twice(T v) { return 2 * v; }\n"
    result = scanned(tmp_path, template + program)
    assert [each.name for each in uncalled(result)] == ["twice"]
    (kernel,) = [each for each in result.kernels if not each.device]
    assert {each.verdict for each in kernel.obligations} == {Verdict.SAFE}
