"""The members that an instance of a template has from its bases, which libclang does not tell of instances."""

from __future__ import annotations

import pytest

from cudalint import ir
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile

TEMPLATES = """
template <typename T> struct Pointed { T *data; static const int width = 4; };
template <typename T> struct Stepped : public Pointed<T> { size_t step; T first; };
template <typename T> struct Image : public Stepped<T> { int cols, rows; };
template <typename T> struct Named : Stepped<const T> {};
template <typename T> struct Counted { virtual ~Counted(); T count; };
template <typename T> struct Held : public Counted<T> { int last; };
template <typename A, typename B> struct Pair : Pointed<B>, Pointed<A *> { A a; };
template <typename T, int N> struct Row { T v[N]; };
template <typename T> struct Rows : Row<T, 4> { int n; };
"""


def members(type_: str) -> dict[str, int]:
    text = f"{TEMPLATES}__global__ void k({type_} x, int *out) {{ out[0] = sizeof(x); }}\n"
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    (kernel,) = (f for f in unit.functions.values() if f.role is ir.Role.KERNEL)
    found = kernel.params[0].var.type
    assert isinstance(found, ir.Struct)
    return {f.name: f.offset for f in found.fields}


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("Image<float>", {"data": 0, "step": 8, "first": 16, "cols": 20, "rows": 24}),
        ("Image<double>", {"data": 0, "step": 8, "first": 16, "cols": 24, "rows": 28}),
        ("Named<short>", {"data": 0, "step": 8, "first": 16}),
    ],
)
def test_the_members_of_bases_stand_where_they_are(type_: str, expected: dict[str, int]) -> None:
    assert members(type_) == expected


@pytest.mark.parametrize("type_", ["Held<int>", "Rows<float>"])
def test_what_is_not_certain_is_left_out(type_: str) -> None:
    """A table of virtual functions comes first, and the number of elements is a parameter."""
    assert members(type_).keys() <= {"last", "n"}
