"""Columns that factories make: what their views say of memory, and when they say nothing."""

from __future__ import annotations

import pytest

from cudalint.contract import Extent, Origin
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts

SOURCE = """
#include <memory>
enum class mask_state : int {{ none, unset }};
struct mutable_column_view {{
  int _size; void *_data; unsigned *_null_mask; int _offset;
  template <class T> T *data() const {{ return static_cast<T *>(_data) + _offset; }}
}};
struct column {{ int _size; mutable_column_view mutable_view(); void resize(int); }};
struct mutable_column_device_view {{
  int _size; void *_data; unsigned *_null_mask; int _offset; void *_children;
  static std::unique_ptr<mutable_column_device_view> create(mutable_column_view);
}};
struct table {{}};
std::unique_ptr<column> make_numeric_column(int type, int size, mask_state state);
std::unique_ptr<column> make_strings_column(int size, mask_state state);
std::unique_ptr<column> allocate_like(int input, int policy, int stream, int memory);
std::unique_ptr<column> allocate_like(int input, int size, int policy, int stream, int memory);
template <class B> std::unique_ptr<column> make_fixed_width_column(int type, int size, B &&mask, int nulls) {{
  return std::make_unique<column>(type, size, mask, nulls);
}}
__global__ void k(int *x) {{}}
template <class T> __global__ void each(T v) {{}}
void f(int type, int n, mask_state s, table mask) {{ {body} }}
"""


def extents(body: str) -> dict[str, str]:
    unit = translate(SourceFile("k.cu", "/k.cu", SOURCE.format(body=body)), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    return {
        f.what.pointer: f"{f.text} ({f.origin.value})"
        for f in contract.facts
        if isinstance(f.what, Extent) and (f.origin is Origin.INFERRED or f.what.pointer != "x")
    } | {m.subject: "" for m in contract.missing}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("auto c = make_numeric_column(type, n, s); k<<<1, 32>>>(c->mutable_view().data<int>());",
         "x = make_numeric_column(4*n bytes), if its elements have 4 bytes (inferred)"),
        ("auto c = make_fixed_width_column(type, n, mask, 0); k<<<1, 32>>>(c->mutable_view().data<int>());",
         "x = make_fixed_width_column(4*n bytes), if its elements have 4 bytes (inferred)"),
        ("auto c = allocate_like(type, n, 1, 0, 0); k<<<1, 32>>>(c->mutable_view().data<int>());",
         "x = allocate_like(4*n bytes), if its elements have 4 bytes (inferred)"),
        ("auto c = allocate_like(type, n, 0, 0); k<<<1, 32>>>(c->mutable_view().data<int>());", ""),
        ("auto c = make_strings_column(n, s); k<<<1, 32>>>(c->mutable_view().data<int>());", ""),
        ("auto c = make_numeric_column(type, n, s); c->resize(3); k<<<1, 32>>>(c->mutable_view().data<int>());", ""),
    ],
)  # fmt: skip
def test_a_column_of_one_width_has_the_elements_that_its_factory_was_asked_for(body: str, said: str) -> None:
    assert extents(body) == {"x": said}


@pytest.mark.parametrize(
    ("made", "bits"),
    [
        (
            "make_numeric_column(type, n, mask_state::unset)",
            "v._null_mask = bitmask(64*((n + 511) / 512) bytes) (launch)",
        ),
        ("make_numeric_column(type, n, s)", "v._null_mask = bitmask(64*((n + 511) / 512) bytes) (launch)"),
        ("make_numeric_column(type, n, mask_state::none)", None),  # null
        ("allocate_like(type, n, 1, 0, 0)", ""),
    ],
)
def test_a_view_for_the_device_has_the_elements_and_the_bitmask_of_the_column(made: str, bits: str | None) -> None:
    body = f"auto c = {made}; auto d = mutable_column_device_view::create(c->mutable_view()); each<<<1, 32>>>(*d);"
    found = extents(body)
    assert found["v._data"].endswith("(c.nbytes bytes) (inferred)")
    assert found.get("v._null_mask") == bits
    assert "v._children" not in found  # null: such a column has none
