"""Views of rows that an object owns: how many rows another object has is for those who make both."""

from __future__ import annotations

import pytest

from cudalint.finding import Confidence, Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.host_vocabulary import speaking
from cudalint.symbolic.issues import Analysis

HEAD = """
template <class T> struct Line { T *data; unsigned long size; };
template <class T> struct View {
  T *data; unsigned long step;
  __device__ T *ptr(int y) const { return (T *)((char *)data + y * step); }
};
template <class T> struct Sized : View<T> { int cols, rows; };
struct Bytes { void *data_; unsigned long length_; };
template <class T> struct Array : Bytes {
  operator Line<T>() const { Line<T> l; l.data = (T *)data_; l.size = length_ / sizeof(T); return l; }
};
struct Memory { void create(int rows, int bytes); void *data_; unsigned long step_; int bytes_, rows_; };
template <class T> struct Image : Memory {
  void create(int rows, int cols) { Memory::create(rows, cols * (int)sizeof(T)); }
  int rows() const { return rows_; }
  int cols() const { return bytes_ / (int)sizeof(T); }
  operator View<T>() const { View<T> v; v.data = (T *)data_; v.step = step_; return v; }
  operator Sized<T>() const {
    Sized<T> v; v.data = (T *)data_; v.step = step_; v.cols = cols(); v.rows = rows(); return v;
  }
};
"""
WORDS = {
    "owned_memory": {
        "Bytes": {"memory": "data_", "width": "length_"},
        "Memory": {"memory": "data_", "width": "bytes_", "rows": "rows_", "step": "step_"},
    },
    "remaking": {"Memory::create": {"rows_": 1, "bytes_": 2}},
}
MAPS = """
__global__ void maps(VIEW<float> in, Sized<float> out, Line<float> means) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < LIMIT.cols && y < LIMIT.rows) STATEMENT;
}
void run(Image<float> &in, Image<float> &out, const Array<float> &means) {
  BEFORE
  dim3 block(32, 8), grid((FOR.cols() + 31) / 32, (FOR.rows() + 7) / 8);
  maps<<<grid, block>>>(in, out, means);
}
"""


def found(statement: str, before: str = "", by: str = "out", of: str = "View") -> Analysis:
    """What is said of a kernel whose threads write `out`, of a launch for the elements of one of the two images."""
    body = MAPS.replace("STATEMENT", statement).replace("BEFORE", before).replace("VIEW", of)
    text = HEAD + body.replace("LIMIT", by).replace("FOR", by)
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    with speaking(WORDS):
        ((kernel, (contract,)),) = launch_contracts(unit).items()
    return analyse(unit, unit.functions[kernel], contract)


def outside(analysis: Analysis) -> dict[str, Confidence | None]:
    """The arrays that an access leaves, and how sure that is."""
    wrong = (o for o in analysis.obligations if o.kind == "bounds" and o.verdict is Verdict.VIOLATED)
    return {o.object.name: o.confidence for o in wrong if o.object is not None}


@pytest.mark.parametrize("row", ["y", "y + out.rows", "y + 2 * out.rows"])
def test_rows_of_an_image_are_what_a_launch_for_another_one_needs(row: str) -> None:
    assert not outside(found(f"out.ptr(y)[x] = in.ptr({row})[x]"))


def test_so_is_room_for_what_is_written() -> None:
    assert not outside(found("out.ptr(y)[x] = in.ptr(y)[x]", by="in", of="Sized"))


@pytest.mark.parametrize(
    ("place", "left"),
    [("in.ptr(y - 1)[x]", "in.data"), ("out.ptr(y + 1)[x]", "out.data"), ("out.ptr(y)[x + 1]", "out.data")],
)
def test_no_image_has_a_row_before_its_first_or_more_than_it_says(place: str, left: str) -> None:
    assert outside(found(f"out.ptr(y)[x] = {place}")) == {left: Confidence.HIGH}


def test_an_image_that_is_made_for_the_launch_has_the_rows_that_it_was_made_with() -> None:
    alike = "in.create(out.rows(), out.cols());"
    assert outside(found("out.ptr(y)[x] = in.ptr(y + out.rows)[x]", alike)) == {"in.data": Confidence.HIGH}
    assert not outside(found("out.ptr(y)[x] = in.ptr(y)[x]", alike))


def test_how_many_means_there_are_is_passed_along_with_them_and_says_nothing() -> None:
    assert not outside(found("out.ptr(y)[x] = means.data[3]"))
    assert not outside(found("if (x < means.size) out.ptr(y)[x] = means.data[x]"))
    assert outside(found("if (x <= means.size) out.ptr(y)[x] = means.data[x]")) == {"means.data": Confidence.HIGH}


def test_rows_that_have_room_in_a_pitch_do_not_lie_in_each_other() -> None:
    assert not found("out.ptr(y)[x] = in.ptr(y)[x]", by="in", of="Sized").races
    assert not found("out.ptr(0)[x + y * in.cols] = out.ptr(1)[x]", by="in", of="Sized").races
    (race,) = found("out.ptr(y)[x / 2] = in.ptr(y)[x]", by="in", of="Sized").races
    assert race.confidence is Confidence.HIGH
