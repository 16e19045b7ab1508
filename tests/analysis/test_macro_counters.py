"""Loops of macros that count in an int up to a bound with 64 bits."""

import pytest

from cudalint.analysis.overflow.macro_counters import macro_counters
from cudalint.frontend.outline import outline
from cudalint.source import SourceFile

KERNEL = "template <typename T> __global__ void scale(T *x, int64_t rows, int64_t cols, int64_t depth) {\n  %s\n}\n"
LOOP_OF_TYPE = "#define OVER(i, n, t) for (t i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x)\n"


def found(text: str) -> list[str]:
    return [issue.text for issue in macro_counters(outline(SourceFile("k.cu", "k.cu", text)))]


@pytest.mark.parametrize(
    "loop",
    [
        "KERNEL_LOOP_TYPE(at, rows * cols * depth, int) { x[at] = 0; }",
        "CUDA_1D_KERNEL_LOOP_T(int32_t, at, rows * cols * depth) { x[at] = 0; }",
        "int64_t count = rows * cols * depth;\n  KERNEL_LOOP_TYPE(at, count, int) { x[at] = 0; }",
    ],
)
def test_a_use_says_that_its_counter_is_an_int(loop: str) -> None:
    assert len(found(KERNEL % loop)) == 1


@pytest.mark.parametrize(
    "loop",
    [
        "KERNEL_LOOP_TYPE(at, rows * cols * depth, int64_t) { x[at] = 0; }",
        "KERNEL_LOOP(at, rows * cols * depth) { x[at] = 0; }",  # whatever the header says
        "KERNEL_LOOP_TYPE(at, rows, int) { x[at] = 0; }",  # no product, and no number of elements by its name
        "KERNEL_LOOP_TYPE(at, rows * cols * depth, int) { x[at % 7] = 0; }",
    ],
)
def test_other_loops_are_left_alone(loop: str) -> None:
    assert found(KERNEL % loop) == []


def test_a_macro_of_the_file_is_given_the_type() -> None:
    used = KERNEL % "OVER(at, count, int) { x[at] = 0; }"
    assert len(found(LOOP_OF_TYPE + used.replace("int64_t rows", "int64_t count"))) == 0
    assert len(found(LOOP_OF_TYPE + used.replace("count", "numel").replace("int64_t rows", "int64_t numel"))) == 1
