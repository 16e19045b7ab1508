"""Each mutation changes one thing that the grammar names, and leaves lines and names as they are."""

from __future__ import annotations

import pytest

from tests.benchmarks.mutations import mutations

TEXT = """\
__global__ void k(float* x, const float* w, int n, int m) {
    __shared__ float s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (i < n && w[i] > 0) x[i * m + n] = w[i];
    for (int j = 0; j < m; ++j) s[j] += w[j];
    __syncthreads();
    atomicAdd(&x[i], s[0]);
}
void host(int n) {
    float* x;
    cudaMalloc(&x, n * sizeof(float));
}
// cudalint: extent(y) = 2 * n
__device__ float other(float* y, int i) {
    return y[i];
}
"""


def mutants(kind: str, line: int, kernel: str | None = None) -> list[str]:
    """What the line becomes."""
    found = []
    for mutation in mutations(TEXT, kernel):
        if mutation.kind == kind and mutation.line == line:
            mutated = mutation.applied(TEXT.encode()).decode()
            assert mutated.count("\n") == TEXT.count("\n")
            found.append(mutated.splitlines()[line - 1].strip())
    return found


@pytest.mark.parametrize(
    ("kind", "line", "wanted"),
    [
        ("drop-guard", 4, [";"]),
        ("drop-guard", 5, ["x[i * m + n] = w[i];"]),
        ("weaken-guard", 4, ["if (i > n) return;"]),
        (
            "weaken-guard",
            5,
            [
                "if (w[i] > 0) x[i * m + n] = w[i];",
                "if (i <= n && w[i] > 0) x[i * m + n] = w[i];",
                "if (i < n) x[i * m + n] = w[i];",
                "if (i < n && w[i] >= 0) x[i * m + n] = w[i];",
            ],
        ),
        ("lengthen-loop", 6, ["for (int j = 0; j <= m; ++j) s[j] += w[j];"]),
        ("swap-indices", 5, ["if (i < n && w[i] > 0) x[m * i + n] = w[i];"]),
        ("merge-indices", 6, ["for (int j = 0; j < m; ++j) s[(j) / 2] += w[j];"]),
        ("shrink-array", 2, ["__shared__ float s[(64) - 1];"]),
        ("shrink-allocation", 12, ["cudaMalloc(&x, (n * sizeof(float)) / 2);"]),
        ("shrink-extent", 14, ["// cudalint: extent(y) = 2 * n - 1"]),
        ("remove-barrier", 7, [";"]),
        ("plain-atomic", 8, ["x[i] += s[0];"]),
    ],
)
def test_what_a_mutation_makes_of_a_line(kind: str, line: int, wanted: list[str]) -> None:
    assert sorted(mutants(kind, line)) == sorted(wanted)


def test_a_barrier_changes_places_with_its_neighbours() -> None:
    moved = [m.applied(TEXT.encode()).decode().splitlines() for m in mutations(TEXT) if m.kind == "move-barrier"]
    assert [lines[5].strip() == "__syncthreads();" for lines in moved] == [False, True]
    assert [lines[7].strip() == "__syncthreads();" for lines in moved] == [True, False]


def test_dimensions_are_swapped_one_at_a_time() -> None:
    assert len(mutants("swap-dimensions", 3)) == 3


def test_of_one_kernel_only_its_own_definition_changes() -> None:
    assert mutants("lengthen-loop", 6, "k") and not mutants("lengthen-loop", 6, "another")
    assert mutants("shrink-allocation", 12, "another"), "what the host allocates belongs to every kernel"
