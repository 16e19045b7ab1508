"""Annotations in a scan: a launch that breaks one is found where it stands, and --untrusted lists what it ignores."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Verdict

SOURCE = """// cudalint: assume n % 4 == 0 ; extent(x) = n
__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = n; }
void run(float *x) {
  k<<<4, 256>>>(x, 1001);
}
"""


def test_a_broken_promise_is_found_at_the_launch(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(SOURCE)
    result = scan(ScanOptions(paths=(str(tmp_path),), jobs=1))
    broken = [f for f in result.findings if f.code == "CUL003"]
    assert [(f.span.line, f.message) for f in broken] == [(4, "run() launches `k` without keeping `assume n % 4 == 0`")]
    assert not any(f.code == "CUL002" for f in result.findings)


def test_untrusted_annotations_are_listed_and_have_no_effect(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(SOURCE)
    result = scan(ScanOptions(paths=(str(tmp_path),), jobs=1, untrusted=True))
    assert not any(f.code == "CUL003" for f in result.findings)
    assert [note.text for note in result.notes if "ignored" in note.text] == [
        "kernel `k`: annotations ignored (--untrusted): assume n % 4 == 0 ; extent(x) = n"
    ]
    assert not any(a.origin == "annotation" for k in result.kernels for o in k.obligations for a in o.facts)


PASSED = """// cudalint: extent(x) = 1000 ; RANGE
__global__ void last(float *x, int n) { x[n - 1] = 0; }
void run(float *x, int n) { last<<<1, 1>>>(x, n); }
"""


@pytest.mark.parametrize(
    ("range_", "verdict"),
    [
        ("assume 0 < n <= 1000", Verdict.SAFE),
        ("assume 0 < n <= 1001", Verdict.VIOLATED),
    ],
)
def test_a_range_holds_of_what_a_launch_passes(tmp_path: Path, range_: str, verdict: Verdict) -> None:
    (tmp_path / "k.cu").write_text(PASSED.replace("RANGE", range_))
    result = scan(ScanOptions(paths=(str(tmp_path),), jobs=1))
    bounds = [o for k in result.kernels for o in k.obligations if o.kind == "global-write-bounds"]
    assert [o.verdict for o in bounds] == [verdict]


GUARDED = "__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 0; }\n"


def messages(folder: Path, text: str, **options: object) -> list[tuple[str, int, int, str]]:
    (folder / "k.cu").write_text(text)
    result = scan(ScanOptions(paths=(str(folder / "k.cu"),), project_root=str(folder), jobs=1, cache=False, **options))  # type: ignore[arg-type]
    tool = [f for f in result.findings if f.code.startswith("CUL")]
    return [(f.span.path, f.span.line, f.span.column, f.message) for f in tool]


@pytest.mark.parametrize(
    "text",
    [
        "int a;\n" + GUARDED + "// cudalint: extent(x) = n\n",
        "\n// cudalint: extent(x) = n\nint d() { return 1; }\n" + GUARDED,
        "\n// cudalint: extent(x) = n\nvoid run(float *x, int n);\n" + GUARDED,
    ],
)
def test_an_annotation_that_no_kernel_follows_is_told(tmp_path: Path, text: str) -> None:
    ((_, line, _, message),) = messages(tmp_path, text)
    assert line == text[: text.index("cudalint:")].count("\n") + 1
    assert "no kernel is defined behind it" in message and "__global__" in message


def test_an_instance_of_a_kernel_that_there_is_not_is_told(tmp_path: Path) -> None:
    text = "// cudalint: instantiate scale<float>\ntemplate <typename T> __global__ void scales(T *x) { x[0] = 0; }\n"
    ((_, line, _, message),) = messages(tmp_path, text)
    assert line == 1 and message.endswith("there is no kernel `scale` to instantiate; did you mean `scales`?")


def test_untrusted_code_is_not_told_what_its_annotations_lack(tmp_path: Path) -> None:
    assert messages(tmp_path, GUARDED + "// cudalint: extent(x) = n\n", untrusted=True) == []


def test_a_hint_that_is_not_understood_is_told_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "cudalint.toml").write_text('[hints]\nk = [\n    "extent(y) = n",\n]\n')
    ((path, line, column, message),) = messages(tmp_path, GUARDED)
    assert (path, line, column) == ("cudalint.toml", 3, 13) and "unknown name `y`" in message


@pytest.mark.parametrize("name", ["k", "inner::k"])
def test_hints_are_for_a_name_or_a_qualified_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "cudalint.toml").write_text(f'[hints]\n"{name}" = ["extent(x) = n"]\n')
    (tmp_path / "k.cu").write_text("namespace inner {\n" + GUARDED + "}\n")
    result = scan(ScanOptions(paths=(str(tmp_path / "k.cu"),), project_root=str(tmp_path), jobs=1, cache=False))
    bounds = [o for k in result.kernels for o in k.obligations if o.kind == "global-write-bounds"]
    assert [o.verdict for o in bounds] == [Verdict.SAFE]
    assert ("extent(x) = n", "annotation", "cudalint.toml", 2) in {
        (f.text, f.origin, f.path, f.line) for f in bounds[0].facts
    }


def test_hints_for_a_name_that_is_nearly_a_kernel_are_noted(tmp_path: Path) -> None:
    (tmp_path / "cudalint.toml").write_text('[hints]\nscale_row = ["extent(x) = n"]\nelsewhere = ["extent(x) = n"]\n')
    (tmp_path / "k.cu").write_text(GUARDED.replace("void k", "void scale_rows"))
    result = scan(ScanOptions(paths=(str(tmp_path / "k.cu"),), project_root=str(tmp_path), jobs=1, cache=False))
    notes = [(n.path, n.line, n.text) for n in result.notes if "hints for" in n.text]
    text = "hints for `scale_row`: no kernel of that name was analysed; did you mean `scale_rows`?"
    assert notes == [("cudalint.toml", 2, text)]


def test_all_that_comes_with_untrusted_code_is_listed(tmp_path: Path) -> None:
    (tmp_path / "cudalint.toml").write_text('ignore = ["IDX101"]\n[hints]\nk = ["extent(x) = n"]\n')
    (tmp_path / "k.cu").write_text(GUARDED + "int a;  // cudalint: ignore[IDX101] checked elsewhere\n")
    options = ScanOptions(
        paths=(str(tmp_path / "k.cu"),), project_root=str(tmp_path), jobs=1, cache=False, untrusted=True
    )
    notes = [(n.path, n.line, n.text) for n in scan(options).notes]
    assert ("cudalint.toml", None, "configuration ignored (--untrusted)") in notes
    assert ("cudalint.toml", 3, "hint for `k` ignored (--untrusted): extent(x) = n") in notes
    assert ("k.cu", 2, "ignore[IDX101] ignored (--untrusted): checked elsewhere") in notes


def test_memory_of_a_negative_size_is_a_contradiction(tmp_path: Path) -> None:
    ((_, line, _, message),) = messages(tmp_path, "// cudalint: extent(x) = n ; assume n < 0\n" + GUARDED)
    assert line == 2 and "satisfies all that is assumed" in message


BIAS = """// cudalint: extent(x) = n ; extent(bias) = n ; nullable(bias) iff !has_bias
__global__ void k(float *x, const float *bias, bool has_bias, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += GUARD bias[i] : 0;
}
"""


@pytest.mark.parametrize(
    ("guard", "verdict"), [("has_bias ?", Verdict.SAFE), ("bias ?", Verdict.SAFE), ("n > 4 ?", Verdict.UNKNOWN)]
)
def test_what_may_be_null_is_not_proved_without_its_guard(tmp_path: Path, guard: str, verdict: Verdict) -> None:
    (tmp_path / "k.cu").write_text(BIAS.replace("GUARD", guard))
    result = scan(ScanOptions(paths=(str(tmp_path),), jobs=1, cache=False))
    reads = [o for k in result.kernels for o in k.obligations if o.kind == "global-read-bounds" and o.span.column > 20]
    assert [o.verdict for o in reads] == [verdict]


@pytest.mark.parametrize(("has_bias", "broken"), [("true", True), ("false", False)])
def test_a_null_pointer_where_memory_is_promised_is_found(tmp_path: Path, has_bias: str, broken: bool) -> None:
    launch = f"void run(float *x, int n) {{ k<<<(n + 255) / 256, 256>>>(x, nullptr, {has_bias}, n); }}\n"
    found = messages(tmp_path, BIAS.replace("GUARD", "has_bias ?") + launch)
    promise = "without keeping `nullable(bias) iff !has_bias`"
    assert [message.endswith(promise) for _, _, _, message in found] == [True] * broken
