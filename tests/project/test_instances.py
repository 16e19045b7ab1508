"""Templates that a file launches from and does not use: with what the project uses them elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.project.includes import include_graph
from cudalint.project.instances import MOST, Instances

GATHER = """
template <typename T, typename IdxT>
__global__ void gather_kernel(IdxT rows, IdxT columns, IdxT ld, const T* from, T* to) {
    IdxT i = threadIdx.x + blockDim.x * static_cast<IdxT>(blockIdx.x);
    if (i / columns < rows) to[i / columns * ld + i % columns] = from[i];
}

template <typename T, typename IdxT>
void gather(IdxT rows, IdxT columns, IdxT ld, const T* from, T* to) {
    IdxT blocks = (rows * columns + 127) / 128;
    gather_kernel<T, IdxT><<<blocks, 128>>>(rows, columns, ld, from, to);
}
"""

USE = "void build(size_t n, const float* x, float* y) { gather<float, size_t>(n, n, n, x, y); }"


def instances(folder: Path, *uses: str, text: str = GATHER) -> tuple[str, ...]:
    (folder / "gather.cuh").write_text(text)
    for number, use in enumerate(uses):
        (folder / f"use{number}.cuh").write_text(use)
    return Instances(include_graph(str(folder))).of(str(folder / "gather.cuh"))


def test_the_arguments_of_uses_elsewhere_are_taken(tmp_path: Path) -> None:
    assert instances(tmp_path, USE) == ("gather<float, size_t>",)


@pytest.mark.parametrize(
    "use",
    [
        "void build() { gather<T, size_t>(n, n, x, y); }",
        "void build() { gather<float>(n, n, x, y); }",
        "void build() { scatter<float, size_t>(n, n, x, y); }",
    ],
)
def test_what_is_not_all_said_is_no_instance(tmp_path: Path, use: str) -> None:
    assert instances(tmp_path, use) == ()


def test_a_file_that_uses_it_itself_needs_no_other(tmp_path: Path) -> None:
    assert instances(tmp_path, USE, text=GATHER + USE.replace("size_t>", "int>")) == ()


def test_some_of_many_are_enough(tmp_path: Path) -> None:
    types = ("float", "double", "int", "char", "half")
    assert len(instances(tmp_path, *(USE.replace("float, s", f"{each}, s") for each in types))) == MOST


@pytest.mark.parametrize(("size", "codes"), [("size_t", []), ("int", ["IDX201"])])
def test_a_size_overflows_where_a_caller_has_it_in_32_bits(tmp_path: Path, size: str, codes: list[str]) -> None:
    (tmp_path / "gather.cuh").write_text(GATHER)
    (tmp_path / "use.cuh").write_text(USE.replace("size_t>", f"{size}>"))
    options = ScanOptions(
        (str(tmp_path / "gather.cuh"),), project_root=str(tmp_path), jobs=1, cache=False, profile="audit"
    )
    assert sorted({f.code for f in scan(options).findings if f.code.startswith("IDX")}) == codes
