"""Objects of libraries that own memory of the device and keep its size in their members."""

from __future__ import annotations

import pytest

from cudalint.contract import Contract, Extent
from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.host_vocabulary import VocabularyError, extended, shipped, speaking

HEAD = """
struct Memory { void create(int rows, int bytes); void *data_; unsigned long step_; int bytes_, rows_; };
template <class T> struct Image : Memory {
  T *ptr(int y = 0) const { return (T *)((char *)data_ + y * step_); }
  void create(int rows, int cols) { Memory::create(rows, cols * (int)sizeof(T)); }
  int rows() const { return rows_; }
  int cols() const { return bytes_ / (int)sizeof(T); }
};
void change(Image<float> &image);
__global__ void k(float *x, unsigned long step, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (i < cols && y < rows) ((float *)((char *)x + y * step))[i] = 1;
}
"""
WORDS = {
    "owned_memory": {"Memory": {"memory": "data_", "width": "bytes_", "rows": "rows_", "step": "step_"}},
    "remaking": {"Memory::create": {"rows_": 1, "bytes_": 2}},
}
SIZES = "image.step_, image.rows(), image.cols()"


def contract_and_verdicts(body: str) -> tuple[Contract, set[Verdict]]:
    text = f"{HEAD}\nvoid run(Image<float> &image, int n, int m) {{ dim3 grid(n, m); {body} }}"
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    with speaking(WORDS):
        ((kernel, (contract,)),) = launch_contracts(unit).items()
    obligations = analyse(unit, unit.functions[kernel], contract).obligations
    return contract, {each.verdict for each in obligations if each.kind == "bounds"}


@pytest.mark.parametrize("before", ["", "image.create(n, m);", "change(image);"])
def test_its_rows_lie_in_the_memory(before: str) -> None:
    contract, verdicts = contract_and_verdicts(f"{before} k<<<grid, 256>>>(image.ptr(), {SIZES});")
    assert any(isinstance(fact.what, Extent) and "Memory image" in fact.text for fact in contract.facts)
    assert Verdict.VIOLATED not in verdicts


def test_what_is_made_anew_has_the_sizes_that_are_asked_for() -> None:
    contract, _ = contract_and_verdicts(f"image.create(n, m); k<<<grid, 256>>>(image.ptr(), {SIZES});")
    assert "rows = n" in [fact.text for fact in contract.facts]
    assert {each.subject for each in contract.missing} == {"step"}  # the device chooses it


def test_a_later_row_has_fewer_behind_it() -> None:
    contract, _ = contract_and_verdicts(f"k<<<grid, 256>>>(image.ptr(1), {SIZES});")
    (extent,) = [fact.text for fact in contract.facts if isinstance(fact.what, Extent)]
    assert extent.endswith("+ image.step_ bytes")


def test_a_pointer_that_was_put_there_has_a_size_of_its_own() -> None:
    contract, _ = contract_and_verdicts(f"cudaMalloc(&image.data_, 64); k<<<grid, 256>>>(image.ptr(), {SIZES});")
    (extent,) = [fact.text for fact in contract.facts if isinstance(fact.what, Extent)]
    assert extent == "x = cudaMalloc(64 bytes)"


@pytest.mark.parametrize("tables", [{"owned_memory": {"M": {"memory": "p"}}}, {"remaking": {"M::create": [1]}}])
def test_a_mistake_names_the_class(tables: dict[str, object]) -> None:
    with pytest.raises(VocabularyError, match="`M"):
        extended(shipped(), tables)
