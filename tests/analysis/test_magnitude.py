"""How large products get in ordinary use: by the names of their sizes, their guards and their callers."""

import pytest

from cudalint.analysis.overflow.narrow_products import narrow_products
from cudalint.analysis.text.magnitude import added, divided, largest_of, magnitude, multiplied, named, smaller
from cudalint.frontend.outline import outline
from cudalint.source import SourceFile


def products(text: str) -> list[str]:
    return [p.expression.text for p in narrow_products(outline(SourceFile("k.cu", "k.cu", text)))]


def kernel(body: str) -> str:
    return "__global__ void k(float *x, int num_tokens, int hidden_size, int total) {\n" + body + "\n}\n"


def test_a_quotient_times_its_divisor_is_the_dividend() -> None:
    whole, part = named("total"), named("hidden_size")
    assert magnitude(multiplied(divided(whole, part), part)) == magnitude(whole)


def test_a_remainder_keeps_both_bounds() -> None:
    rest = smaller(named("hidden_size"), divided(named("total"), named("num_tokens")))
    assert magnitude(multiplied(rest, named("num_tokens"))) == magnitude(named("total"))


@pytest.mark.parametrize(
    ("name", "bits"),
    [
        ("num_tokens", 18),
        ("params.hidden_size", 14),
        ("head_dim", 8),
        ("x.size(0)", 18),
        ("BLOCK", 8),
        ("params.num_tokens_per_cta", 7),
        ("vocab_size_padded", 18),
        ("padded_hidden", 14),
        ("padding", 7),
        ("grid_h", 10),
        ("tensor.ndim", 4),
        ("n_samples", 20),
        ("num_features", 14),
        ("num_classes", 18),
    ],
)
def test_a_name_states_a_role(name: str, bits: int) -> None:
    assert largest_of(name)[0] == 2.0**bits


def test_a_row_offset_in_int_is_a_narrow_product() -> None:
    assert products(kernel("int row = blockIdx.x; if (row >= num_tokens) return; x[row * hidden_size] = 0;")) == [
        "row * hidden_size"
    ]


@pytest.mark.parametrize(
    "body",
    [
        "size_t row = blockIdx.x; x[row * hidden_size] = 0;",
        "int i = threadIdx.x; if (i < total) x[(i / hidden_size) * hidden_size + i % hidden_size] = 0;",
        "__shared__ float tile[64]; tile[threadIdx.x * hidden_size] = 0;",
        "int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4; if (i < total) x[i] = 0;",
    ],
)
def test_wide_recomposed_shared_and_launched_indices_are_none(body: str) -> None:
    assert products(kernel(body)) == []


def test_constants_of_the_only_caller_bound_a_parameter() -> None:
    callee = "__device__ float *row(float *x, int token, int hidden_size) { return x + token * hidden_size; }\n"
    assert products(callee) == ["token * hidden_size"]
    assert products(callee + "__device__ void f(float *x) { row(x, 7, 4096); }\n") == []


def test_a_size_that_is_computed_from_itself_has_no_fixed_value() -> None:
    body = "hidden_size = (total % hidden_size);\nint tasks = (num_tokens - 1) * (total - hidden_size);\nx[tasks * 4] = 0.f;"
    assert products(kernel(body))[0] == "(num_tokens - 1) * (total - hidden_size)"


@pytest.mark.parametrize(
    ("offset", "told"), [("int64_t(first) * step", ["first * step"]), ("int64_t(first) * step * hidden_size", [])]
)
def test_a_cast_of_the_whole_product_says_that_it_is_large(offset: str, told: list[str]) -> None:
    text = f"""__global__ void k(float *x, Rows rows, int hidden_size) {{
  const int step = rows.step(), first = rows.first();
  rows.load(x + {offset});
  rows.mask(x[first * step]);
}}"""
    assert products(text) == told


def test_rows_of_warps_in_a_grid_of_one_side_are_as_many_as_there_are_rows() -> None:
    row = "int row = blockIdx.x * blockDim.y + threadIdx.y; x += row * ncols;"
    assert products("__global__ void k(float *x, int ncols) {\n" + row + "\n}\n") == ["row * ncols"]
    plane = "int row = blockIdx.x * blockDim.y + threadIdx.y + blockIdx.y; x += row * ncols;"
    assert products("__global__ void k(float *x, int ncols) {\n" + plane + "\n}\n") == []


@pytest.mark.parametrize("condition", ["row == total", "row >= std::numeric_limits<int>::max()"])
def test_what_a_value_differs_from_and_what_its_type_can_hold_bound_nothing(condition: str) -> None:
    assert products(kernel(f"int row = blockIdx.x; if ({condition}) return; x[row * hidden_size] = 0;")) == [
        "row * hidden_size"
    ]


def test_a_sum_rests_on_memory_where_its_largest_summand_does() -> None:
    whole, column = multiplied(named("num_rows"), named("stride")), named("columns[i]", contents=True)
    assert not added(whole, column).contents
    assert not added(column, whole).contents
    assert added(named("radius"), column).contents
    assert added(multiplied(column, named("stride")), named("num_rows")).contents
