"""Python that calls registered operators is read with the files that define their functions: every caller is a contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.contract import Contract, Extent, Origin, Output
from cudalint.engine import ScanOptions
from cudalint.engine.contracts import contracts_of, neighbour_units, with_launched, written_arguments
from cudalint.engine.embedded import python_around
from cudalint.engine.jobs import plan_jobs
from cudalint.frontend.python_strings import embedded_sources
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.project.discovery import discover, read_source

OPS = """#include <torch/extension.h>
__global__ void scale(float *y, const float *x, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) y[i] = x[i]; }
void scale_cuda(at::Tensor &y, const at::Tensor &x, int64_t n) {
  scale<<<(n + 255) / 256, 256>>>(y.data_ptr<float>(), x.data_ptr<float>(), n);
}
"""
DECLARED = "#include <torch/extension.h>\nvoid scale_cuda(at::Tensor &y, const at::Tensor &x, int64_t n);\n"
TORCH = DECLARED + (
    'TORCH_LIBRARY(ns, m) { m.def("scale(Tensor! y, Tensor x, int n) -> ()"); m.impl("scale", torch::kCUDA, &scale_cuda); }\n'
)
MODULE = DECLARED + 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("scale", &scale_cuda); }\n'
EXPORT = DECLARED + "TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, scale_cuda);\n"
SETUP = 'setup(ext_modules=[CUDAExtension(name="pack.scale_ext", sources=["bind.cpp", "ops.cu"])])\n'
WRAPPER = """
import torch
{imports}

def scale(x: torch.Tensor):
    assert x.is_contiguous()
    y = torch.empty_like(x)
    {called}(y, x, x.numel())
    return y
"""


def wrapper(called: str, imports: str = "") -> str:
    return WRAPPER.format(called=called, imports=imports)


def contracts(folder: Path, files: dict[str, str]) -> list[Contract]:
    (folder / ".git").mkdir()
    for name, text in {"ops.cu": OPS, **files}.items():
        (folder / name).write_text(text)
    discovery = discover([str(folder / "ops.cu")], project_root=str(folder))
    (job,) = plan_jobs(discovery, ScanOptions(paths=(str(folder / "ops.cu"),))).jobs
    others = neighbour_units(job.neighbours, job.parse, str(folder))
    unit = translate(job.source, with_launched(job.parse, others), str(folder), job.around).unit
    written = written_arguments(job.neighbours, str(folder))
    return [each for found in contracts_of(unit, others, written=written).values() for each in found]


def extents(contract: Contract) -> dict[str, str]:
    return {f.what.pointer: f.text for f in contract.facts if isinstance(f.what, Extent)}


def facts(contract: Contract, origin: Origin) -> set[str]:
    return {f.text for f in contract.facts if f.origin is origin}


OF_WRAPPER = {"y": "y = empty_like(x), 4*x.numel() bytes", "x": "x = tensor x, 4*x.numel() bytes"}
ALONE = {"y": "y = tensor y, 4*y.numel() bytes", "x": "x = tensor x, 4*x.numel() bytes"}


@pytest.mark.parametrize(
    "files",
    [
        {"bind.cpp": TORCH, "ops.py": wrapper("torch.ops.ns.scale")},
        {"bind.cpp": TORCH, "ops.py": wrapper("torch.ops.ns.scale.default")},
        {"bind.cpp": TORCH, "ops.py": wrapper("ops.scale", "ops = torch.ops.ns")},
        {"bind.cpp": MODULE, "setup.py": SETUP, "ops.py": wrapper("scale_ext.scale", "from pack import scale_ext")},
        {"bind.cpp": MODULE, "setup.py": SETUP, "ops.py": wrapper("_C.scale", "import pack.scale_ext as _C")},
        {"bind.cpp": MODULE.replace("TORCH_EXTENSION_NAME", "_ext"), "ops.py": wrapper("_ext.scale", "import _ext")},
        {"bind.cpp": MODULE, "setup.py": SETUP, "ops.py": wrapper("f", "from pack.scale_ext import scale as f")},
        {"bind.cpp": EXPORT, "ops.py": wrapper("get_module().scale")},
        {"bind.cpp": EXPORT, "ops.py": wrapper("get_op('scale')")},
    ],
)
def test_the_python_function_that_calls_it_is_the_caller(tmp_path: Path, files: dict[str, str]) -> None:
    (contract,) = contracts(tmp_path, files)
    assert extents(contract) == OF_WRAPPER


@pytest.mark.parametrize(
    "files",
    [
        {"bind.cpp": TORCH, "ops.py": wrapper("torch.ops.other.scale")},
        {"bind.cpp": TORCH, "ops.py": wrapper("self.scale")},
        {"bind.cpp": MODULE, "setup.py": SETUP, "ops.py": wrapper("other_ext.scale", "import other_ext, scale_ext")},
        {"bind.cpp": EXPORT, "ops.py": wrapper("x.scale")},
        {"bind.cpp": EXPORT.replace("(scale,", "(stretch,"), "ops.py": wrapper("get_module().scale")},
    ],
)
def test_another_function_of_that_name_is_no_caller(tmp_path: Path, files: dict[str, str]) -> None:
    (contract,) = contracts(tmp_path, files)
    assert extents(contract) == ALONE


def test_modules_that_share_a_name_are_told_apart_by_their_build(tmp_path: Path) -> None:
    setup = (
        'setup(ext_modules=[CUDAExtension(name="scale_ext", sources=["bind.cpp", "ops.cu"]),\n'
        ' CUDAExtension(name="shift_ext", sources=["shift.cpp"])])\n'
    )
    shift = "void shift(at::Tensor &y, const at::Tensor &x, int64_t n) {}\n" + MODULE.partition("\n")[2].partition(
        "\n"
    )[2].replace("&scale_cuda", "&shift")
    called = wrapper("shift_ext.scale", "import shift_ext, scale_ext")
    (contract,) = contracts(tmp_path, {"bind.cpp": MODULE, "shift.cpp": shift, "setup.py": setup, "ops.py": called})
    assert extents(contract) == ALONE


@pytest.mark.parametrize(
    "more",
    [
        "f = torch.ops.ns.scale",
        "def g(args):\n    torch.ops.ns.scale(*args)",
        "torch.ops.ns.scale(a, b, 4)",  # outside of functions
        "def g(x):\n    run(torch.ops.ns.scale, x)",
    ],
)
def test_a_use_that_is_not_understood_may_pass_anything(tmp_path: Path, more: str) -> None:
    """What the wrapper passes is not what all pass."""
    script = wrapper("torch.ops.ns.scale") + "\n" + more + "\n"
    found = [extents(each) for each in contracts(tmp_path, {"bind.cpp": TORCH, "ops.py": script})]
    assert OF_WRAPPER in found and any("given_0" in each["y"] for each in found)


def test_what_is_not_known_of_a_tensor_is_left_open(tmp_path: Path) -> None:
    script = wrapper("torch.ops.ns.scale").replace("torch.empty_like(x)", "self.buffer")
    (contract,) = contracts(tmp_path, {"bind.cpp": TORCH, "ops.py": script})
    assert "x.numel()" not in extents(contract)["y"]


def test_arguments_by_name_and_defaults_of_the_schema(tmp_path: Path) -> None:
    bind = TORCH.replace("int n)", "int n=512)")
    script = wrapper("torch.ops.ns.scale").replace("(y, x, x.numel())", "(x=x, y=y)")
    (contract,) = contracts(tmp_path, {"bind.cpp": bind, "ops.py": script})
    assert extents(contract) == OF_WRAPPER and "n = 512" in facts(contract, Origin.LAUNCH)


def test_each_case_of_a_tensor_that_is_made_if_none_is_given(tmp_path: Path) -> None:
    script = """
import torch
def scale(x: torch.Tensor, out: torch.Tensor | None = None):
    if out is None:
        out = torch.empty_like(x)
    elif out.shape != x.shape:
        raise ValueError
    torch.ops.ns.scale(out, x, x.numel())
"""
    given, made = contracts(tmp_path, {"bind.cpp": TORCH, "ops.py": script})
    assert extents(given)["y"] == "y = tensor out, 4*out.numel() bytes"
    assert "out.numel() == x.numel()" in facts(given, Origin.LAUNCH)
    assert extents(made)["y"] == "y = empty_like(x), 4*x.numel() bytes"


def test_functions_of_the_file_are_followed_with_what_they_check(tmp_path: Path) -> None:
    script = """
import torch
def _check(a, b):
    if a.numel() != b.numel():
        raise ValueError
def _run(out: torch.Tensor, x: torch.Tensor):
    _check(out, x)
    torch.ops.ns.scale(out, x, x.numel())
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, out):
        _run(out, x)
"""
    (contract,) = contracts(tmp_path, {"bind.cpp": TORCH, "ops.py": script})
    assert "out.numel() == x.numel()" in facts(contract, Origin.LAUNCH)


@pytest.mark.parametrize(("name", "more"), [("run", ""), ("_run", "from ops import _run\n")])
def test_callers_of_another_file_pass_what_they_like(tmp_path: Path, name: str, more: str) -> None:
    """A public function, or one that another file imports, has more callers than those in its file."""
    script = wrapper("_run") + "def _run(y: torch.Tensor, x: torch.Tensor, n: int):\n    torch.ops.ns.scale(y, x, n)\n"
    files = {"bind.cpp": TORCH, "ops.py": script.replace("_run", name), "user.py": more}
    found = [extents(each)["y"] for each in contracts(tmp_path, files)]
    assert "y = tensor y, 4*y.numel() bytes" in found and OF_WRAPPER["y"] in found


def test_a_private_function_has_the_callers_of_its_file(tmp_path: Path) -> None:
    script = wrapper("_run") + "def _run(y: torch.Tensor, x: torch.Tensor, n: int):\n    torch.ops.ns.scale(y, x, n)\n"
    (contract,) = contracts(tmp_path, {"bind.cpp": TORCH, "ops.py": script})
    assert extents(contract) == OF_WRAPPER


INLINE = """
import torch
from torch.utils.cpp_extension import load_inline
ext = load_inline(name="ext", cpp_sources="", cuda_sources='''{source}''', functions=["scale_cuda"])
{wrapper}
"""


def test_the_python_file_around_a_source_that_it_compiles(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(INLINE.format(source=OPS, wrapper=wrapper("ext.scale_cuda")))
    source = read_source(str(path), "model.py")
    assert source is not None
    (embedded,) = embedded_sources(source)
    parse = ParseOptions()
    others = neighbour_units(python_around(embedded), parse, str(tmp_path))
    unit = translate(embedded.source, parse, str(tmp_path)).unit
    (contract,) = [each for found in contracts_of(unit, others).values() for each in found]
    assert extents(contract) == OF_WRAPPER


FAKE = """
import torch
@torch.library.register_fake("ns::scale")
def _(y: torch.Tensor, x: torch.Tensor, n: int):
    torch._check(y.numel() == n)
    if x.numel() < n:
        raise ValueError
"""


def test_what_is_declared_of_an_operator_holds_for_its_callers(tmp_path: Path) -> None:
    """With the place where it is declared, in whatever file that is."""
    files = {
        "bind.cpp": TORCH,
        "ops.py": wrapper("torch.ops.ns.scale").replace("torch.empty_like(x)", "made(x)"),
        "fake.py": FAKE,
    }
    (contract,) = contracts(tmp_path, files)
    (fact,) = [f for f in contract.facts if f.origin is Origin.SCHEMA and f.text == "x.numel() == y.numel()"]
    assert fact.span is not None and (fact.span.path, fact.span.line) == ("fake.py", 4)


def test_what_is_declared_of_an_operator_that_no_python_calls(tmp_path: Path) -> None:
    (contract,) = contracts(tmp_path, {"bind.cpp": TORCH, "fake.py": FAKE})
    assert facts(contract, Origin.SCHEMA) == {"ns::scale writes `y`", "n <= x.numel()", "y.numel() == n"}


def test_what_a_python_implementation_of_an_operator_is_declared_to_take(tmp_path: Path) -> None:
    script = """
import torch
@torch.library.impl("ns::stretch", "cuda")
def _(y: torch.Tensor, x: torch.Tensor, n: int):
    torch.ops.ns.scale(y, x, n)
"""
    files = {"bind.cpp": TORCH, "ops.py": script, "fake.py": FAKE.replace("ns::scale", "ns::stretch")}
    (contract,) = contracts(tmp_path, files)
    assert facts(contract, Origin.SCHEMA) == {"ns::scale writes `y`", "n <= x.numel()", "y.numel() == n"}


OF_ANY_TYPE = OPS.replace("y.data_ptr<float>()", "(float *)y.data_ptr()").replace(
    "x.data_ptr<float>()", "(float *)x.data_ptr()"
)
TYPED = """
import torch
@torch.library.register_fake("ns::stretch")
def _(y: torch.Tensor, x: torch.Tensor, n: int):
    torch._check(x.dtype == torch.float32)
    torch._check(y.dtype == x.dtype)
"""
STRETCH = """
import torch
@torch.library.impl("ns::stretch", "cuda")
def _(y: torch.Tensor, x: torch.Tensor, n: int):
    {check}
    torch.ops.ns.scale(y, x, n)
"""


@pytest.mark.parametrize(
    ("check", "checked"),
    [
        ("", set()),
        ("if x.dtype != torch.float32: raise TypeError", {"x"}),
        ("if y.dtype != x.dtype: raise TypeError", set()),
        ("assert x.dtype == torch.float32; assert y.dtype == x.dtype", {"x", "y"}),
        ("if n > 8:\n        assert x.dtype == torch.float32", set()),
    ],
)
def test_an_extent_of_a_type_that_is_only_declared_is_said_to_be_declared(
    tmp_path: Path, check: str, checked: set[str]
) -> None:
    """Nobody runs what a project declares of an operator when it calls that: a check of the code is more."""
    files = {"ops.cu": OF_ANY_TYPE, "bind.cpp": TORCH, "ops.py": STRETCH.format(check=check), "fake.py": TYPED}
    (contract,) = contracts(tmp_path, files)
    assert extents(contract) == ALONE
    origins = {f.what.pointer: f.origin for f in contract.facts if isinstance(f.what, Extent)}
    assert origins == {name: Origin.LAUNCH if name in checked else Origin.SCHEMA for name in ("x", "y")}
    declared = (f for f in contract.facts if f.origin is Origin.SCHEMA and not isinstance(f.what, Output))
    places = {(f.span.path, f.span.line) for f in declared if f.span}
    assert places == ({("fake.py", 4)} if len(checked) < 2 else set())
