"""The bytes of tensors follow from the types that their options, copies and conversions have."""

from __future__ import annotations

import pytest

from cudalint.contract import Extent
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts

FLOATS = "4*x.numel() bytes"
AS_X = "8*x.numel() bytes"
TYPES = {
    "torch::empty(x.sizes(), x.options().dtype(torch::kFloat))": FLOATS,
    "torch::empty(x.sizes(), torch::TensorOptions().device(x.device()).dtype(torch::kFloat32))": FLOATS,
    "torch::empty(x.sizes(), torch::dtype(torch::kFloat).device(torch::kCUDA, 0))": FLOATS,
    "torch::empty(x.sizes(), torch::device(torch::kCUDA).dtype(torch::kFloat).requires_grad(false))": FLOATS,
    "torch::zeros(x.sizes(), torch::kFloat)": FLOATS,
    "torch::full(x.sizes(), 0, options)": FLOATS,
    "torch::empty_like(x, x.options().dtype(at::kFloat))": FLOATS,
    "x.new_zeros(x.sizes(), torch::dtype(torch::kFloat))": FLOATS,
    "x.to(torch::kFloat)": FLOATS,
    "x.to(torch::kCUDA, torch::kFloat)": FLOATS,
    "x.to(options)": FLOATS,
    "x.to(y)": FLOATS,
    "x.toType(torch::kFloat)": FLOATS,
    "x.to(torch::kFloat).clone().view({-1})": FLOATS,
    "torch::empty(x.sizes(), x.options())": AS_X,
    "torch::empty(x.sizes(), x.options().memory_format(torch::MemoryFormat::Contiguous))": AS_X,
    "torch::empty(x.sizes(), torch::TensorOptions().dtype(x.dtype()))": AS_X,
    "torch::empty_like(x)": AS_X,
    "torch::zeros_like(x)": AS_X,
    "x.new_empty(x.sizes())": AS_X,
    "x.contiguous().detach().clone()": AS_X,
    "x.to(torch::kFloat).to(x.scalar_type())": AS_X,
    "x.to(torch::kCUDA)": AS_X,
    "x.to(y.device(), true)": AS_X,
    "x.to(torch::TensorOptions().device(torch::kCUDA))": f"{AS_X}, if its elements have 8 bytes",
    "torch::empty(x.sizes(), x.options().dtype(half ? torch::kHalf : torch::kFloat))": (
        "(half != 0 ? 2 : 4)*x.numel() bytes"
    ),
    "torch::empty({n}, torch::kByte).view(torch::kFloat)": "4*(n / 4) bytes",
    "torch::empty({4, n}, torch::kInt).view(torch::kByte)": "16*n bytes",
    "y.view({4, n}).index_select(0, x)": "4*n*x.numel() bytes",
    "y.view({4, n}).chunk(2, 0)[0]": "8*n bytes",
    "torch::empty(x.sizes())": f"{AS_X}, if its elements have 8 bytes",
    "x.exp()": f"{AS_X}, if its elements have 8 bytes",
}


@pytest.mark.parametrize("made", TYPES)
def test_the_type_of_the_elements_of(made: str) -> None:
    source = f"""
    #include <torch/extension.h>
    __global__ void k(double *a, long n) {{ }}
    void f(torch::Tensor x, torch::Tensor y, long n, bool half) {{
      TORCH_CHECK(x.scalar_type() == torch::kDouble && y.scalar_type() == torch::kFloat);
      auto options = torch::TensorOptions().dtype(torch::kFloat).device(torch::kCUDA);
      auto a = {made};
      k<<<1, 32>>>(reinterpret_cast<double *>(a.data_ptr()), x.numel());
    }}
    """
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    (extent,) = [f.text for f in contract.facts if isinstance(f.what, Extent)]
    assert extent.endswith(f", {TYPES[made]}")
