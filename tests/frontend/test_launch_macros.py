"""Macros that launch stand for the launch, whether a header defines them by a function or none is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.frontend.launch_macros import definitions, launching_calls, rewritten
from cudalint.frontend.syntax import index
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.ir.text import unit_text
from cudalint.source import SourceFile

KERNEL = """
template <int N, class T = float>
__global__ void scaled(T* y, const T* x, std::pair<int, int> shape, float by = 1.0f) { y[threadIdx.x] = x[threadIdx.x] * by; }
"""
HEADER = """#pragma once
#define LAUNCH_KERNEL(KERNEL, GRID, BLOCK, SMEM, STREAM, ...) \\
  Launcher(__FILE__)                                          \\
      .run(KERNEL, GRID, BLOCK, SMEM, STREAM, __VA_ARGS__)
#define LAUNCH_KERNEL_AT_SIGHT(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
"""


def calls(host: str) -> dict[str, int]:
    source = SourceFile("k.cu", "/nowhere/k.cu", KERNEL + host)
    return launching_calls(source.text, index(source).kernels)


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("LAUNCH_KERNEL((scaled<4, float>), grid, block, 0, stream, y, x, {1, 2}, 2.0f)", {"LAUNCH_KERNEL": 4}),
        ("CUDA_KERNEL_CALL(ops::scaled<4>, dim3(n, 2), block, y, x, shape, by)", {"CUDA_KERNEL_CALL": 2}),
        ("LAUNCH_KERNEL(other, grid, block, 0, stream, y)", {}),
        ("KERNEL_LAUNCH_CHECK()", {}),
        ("// LAUNCH_KERNEL(scaled, grid, block, 0, stream, y)", {}),
    ],
)
def test_calls_with_a_kernel_of_the_file_launch_it(call: str, found: dict[str, int]) -> None:
    assert calls(f"void f(float* y) {{ {call}; }}") == found


def test_a_header_keeps_its_lines_and_what_launches_at_sight() -> None:
    text = rewritten(HEADER, ["LAUNCH_KERNEL", "LAUNCH_KERNEL_AT_SIGHT"])
    assert text.count("\n") == HEADER.count("\n")
    assert "KERNEL<<<GRID, BLOCK, SMEM, STREAM>>>(__VA_ARGS__)" in text and "Launcher" not in text
    assert text.splitlines()[-1] == HEADER.splitlines()[-1]


def test_a_macro_that_nothing_defines_is_a_launch() -> None:
    text = KERNEL + "void f(float* y) { MY_KERNEL_LAUNCH((scaled<4>), 8, dim3(64, 2), 0, 0, y, y, {1, 2}, 2.0f); }"
    assert definitions({"MY_KERNEL_LAUNCH": 4})
    unit = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(), "/nowhere").unit
    assert "<<<(8:u32, 1:u32, 1:u32), (64:u32, 2:u32, 1:u32)" in unit_text(unit)


def test_the_macro_of_a_header_is_a_launch(tmp_path: Path) -> None:
    (tmp_path / "launcher.h").write_text(HEADER)
    text = (
        '#include "launcher.h"\n'
        + KERNEL
        + "void f(float* y) { LAUNCH_KERNEL(scaled<4>, 8, 64, 0, 0, y, y, {1, 2}, 2.0f); }"
    )
    path = tmp_path / "k.cu"
    path.write_text(text)
    unit = translate(SourceFile("k.cu", str(path), text), ParseOptions(), str(tmp_path)).unit
    assert "<<<(8:u32, 1:u32, 1:u32), (64:u32, 1:u32, 1:u32)" in unit_text(unit)


BUILDER = """#pragma once
template <class T> struct Rows { T *data; int count; };
template <class T> struct RowsBuilder {
  T *data; int count;
  RowsBuilder(T *data, int count) : data(data), count(count) {}
  Rows<T> build(const char *) const { return {data, count}; }
};
#define ROWS_OF(x, n) RowsBuilder<float>(x, n)
#define MADE_ROWS(x, n) ROWS_OF(x, n).build(#x)
#define LAUNCH_KERNEL(KERNEL, GRID, BLOCK, SMEM, STREAM, ...) Launcher(__FILE__).run(KERNEL, GRID, BLOCK, SMEM, STREAM, __VA_ARGS__)
"""


def test_what_a_launcher_builds_of_an_argument_is_passed_built(tmp_path: Path) -> None:
    (tmp_path / "launcher.h").write_text(BUILDER)
    text = (
        '#include "launcher.h"\n'
        "__global__ void fill(Rows<float> rows) { if (threadIdx.x < rows.count) rows.data[threadIdx.x] = 0; }\n"
        "void f(float *x, int n) { LAUNCH_KERNEL(fill, 8, 64, 0, 0, ROWS_OF(x, n)); Rows<float> made = MADE_ROWS(x, n); }"
    )
    path = tmp_path / "k.cu"
    path.write_text(text)
    unit = translate(SourceFile("k.cu", str(path), text), ParseOptions(), str(tmp_path)).unit
    assert "<<<(8:u32, 1:u32, 1:u32), (64:u32, 1:u32, 1:u32)" in unit_text(unit) and "parse error" not in unit_text(
        unit
    )


def test_a_macro_that_builds_keeps_its_lines() -> None:
    text = rewritten(BUILDER, ["LAUNCH_KERNEL"])
    assert text.count("\n") == BUILDER.count("\n")
    assert 'RowsBuilder<float>(x, n).build("")' in text and "#define MADE_ROWS(x, n) ROWS_OF(x, n)\n" in text
