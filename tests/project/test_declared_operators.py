"""What a project registers and declares of its operators: schemas, functions that run them, fake and meta kernels.

What is declared has the origin `schema` and its place, and is never more than what the code that runs says itself.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.contract import Contract, Extent, Origin, Output
from tests.project.test_operator_callers import MODULE, OPS, SETUP, contracts, extents, facts

FILES = {"bind.cpp": MODULE, "setup.py": SETUP}
ENOUGH = {"n <= x.numel()", "n <= y.numel()"}


def python(text: str) -> dict[str, str]:
    return {**FILES, "ops.py": f"import torch\nfrom torch.library import Library\nfrom pack import scale_ext\n{text}"}


def conditions(contract: Contract) -> set[str]:
    """Those that are only declared."""
    return {f.text for f in contract.facts if f.origin is Origin.SCHEMA and not isinstance(f.what, Output)}


RUN = """
def {name}(y, x, n):
    scale_ext.scale(y, x, n)
"""
FAKE = """
def {name}(y, x, n):
    torch._check(y.numel() >= n)
    torch._check(x.numel() >= n)
"""
SCHEMA = "(Tensor! y, Tensor x, int n) -> ()"


@pytest.mark.parametrize(
    "script",
    [
        f'torch.library.define("ns::scale", "{SCHEMA}")\n@torch.library.impl("ns::scale", "cuda")'
        + RUN.format(name="run")
        + '@torch.library.register_fake("ns::scale")'
        + FAKE.format(name="_"),
        f'lib = Library("ns", "FRAGMENT")\nlib.define("scale{SCHEMA}")'
        + RUN.format(name="run")
        + FAKE.format(name="say")
        + 'lib.impl("scale", run, "CUDA")\nlib.impl("scale", say, "Meta")',
        'lib = Library("ns", "DEF")\nlib.define("scale(Tensor! y, " + "Tensor x, int n) -> ()")\n'
        '@torch.library.impl(lib, "scale", "CUDA")'
        + RUN.format(name="run")
        + '@torch.library.impl(lib, "scale", "Meta")'
        + FAKE.format(name="say"),
        '@torch.library.custom_op("ns::scale", mutates_args=("y",))'
        + RUN.format(name="scale").replace("(y, x, n)", "(y: torch.Tensor, x: torch.Tensor, n: int) -> None", 1)
        + "@scale.register_fake"
        + FAKE.format(name="_"),
        RUN.format(name="run").replace("(y, x, n)", "(y: torch.Tensor, x: torch.Tensor, n: int) -> None", 1)
        + FAKE.format(name="say")
        + 'direct_register_custom_op(op_name="scale", op_func=run, mutates_args=["y"], fake_impl=say)',
        "def register(name, runs, says):\n    lib.impl(name, runs)\n"
        + RUN.format(name="run").replace("(y, x, n)", "(y: torch.Tensor, x: torch.Tensor, n: int) -> None", 1)
        + FAKE.format(name="say_fake")
        + 'register("scale", run, says=say_fake)'.replace("says=", ""),
    ],
)
def test_what_a_fake_kernel_checks_holds_for_the_function_that_runs_the_operator(tmp_path: Path, script: str) -> None:
    """However both are registered, and though the fake kernel says nothing of the types that the schema says."""
    (contract,) = contracts(tmp_path, python(script))
    assert conditions(contract) == ENOUGH
    places = {(f.span.path, f.text) for f in contract.facts if f.origin is Origin.SCHEMA and f.span}
    assert {path for path, _ in places} == {"ops.py"}


IMPLEMENTED = (
    '@torch.library.impl("ns::scale", "{key}")'
    + RUN.format(name="run").replace("(y, x, n)", "(y: torch.Tensor, x: torch.Tensor, n: int)", 1)
    + """
def user(x: torch.Tensor):
    y = torch.empty_like(x)
    {call}(y, x, x.numel())
"""
)
OF_USER = "y = empty_like(x), 4*x.numel() bytes"


@pytest.mark.parametrize("call", ["torch.ops.ns.scale", "torch.ops.ns.scale.default"])
def test_a_call_of_an_operator_leads_to_the_function_that_runs_it(tmp_path: Path, call: str) -> None:
    """Which anyone may call by the operator's name: what this caller passes is not what all pass."""
    found = [extents(c)["y"] for c in contracts(tmp_path, python(IMPLEMENTED.format(key="CUDA", call=call)))]
    assert sorted(found) == [OF_USER, "y = tensor y, 4*y.numel() bytes"]


@pytest.mark.parametrize(
    ("key", "call"),
    [("CPU", "torch.ops.ns.scale"), ("CUDA", "torch.ops.other.scale"), ("CUDA", "torch.ops.ns.scale.out")],
)
def test_another_operator_is_no_call_of_it(tmp_path: Path, key: str, call: str) -> None:
    found = [extents(c)["y"] for c in contracts(tmp_path, python(IMPLEMENTED.format(key=key, call=call)))]
    assert OF_USER not in found


PRIVATE = """
def _run(y: torch.Tensor, x: torch.Tensor, n: int):
    scale_ext.scale(y, x, n)
def user(x: torch.Tensor):
    y = torch.empty_like(x)
    _run(y, x, x.numel())
{more}
"""


@pytest.mark.parametrize(
    ("more", "open_"),
    [
        ("", False),
        ("TABLE = {'run': _run}", True),
        ("register(op_func=_run)", True),
        ("def other(xs):\n    return [(lambda: _run(*x))() for x in xs]", True),
        ("async def other(a, b):\n    _run(a, b, 4)", True),
        ("def other(a, b):\n    match a:\n        case _:\n            _run(a, b, 4)", True),
        ("_run(a, b, 4)", True),
    ],
)
def test_a_private_function_that_is_handed_on_may_get_anything(tmp_path: Path, more: str, open_: bool) -> None:
    """And one that is called where the call is not followed."""
    found = [extents(c)["y"] for c in contracts(tmp_path, python(PRIVATE.format(more=more)))]
    assert ("y = tensor y, 4*y.numel() bytes" in found) is open_ and OF_USER in found


# --- what operators give ---------------------------------------------------------------------------------------------------

GIVING = (
    OPS
    + """
at::Tensor made(const at::Tensor &x);
at::Tensor norm_cuda(const at::Tensor &x) { return GIVEN; }
TORCH_LIBRARY(ns, m) {
  m.def("norm(Tensor x) -> Tensor"); m.impl("norm", torch::kCUDA, &norm_cuda);
  m.def("scale(Tensor! y, Tensor x, int n) -> ()"); m.impl("scale", torch::kCUDA, &scale_cuda);
}
"""
)
GIVES = """
import torch
@torch.library.register_fake("ns::norm")
def _(x):
    return {gives}
def user(x: torch.Tensor):
    t = torch.ops.ns.norm(x)
    y = torch.empty_like(t)
    torch.ops.ns.scale(y, t, x.numel())
"""


@pytest.mark.parametrize(
    ("gives", "told"),
    [
        ("torch.empty_like(x)", {"x.numel() == result_of_norm.numel()"}),
        ("x.new_empty((x.shape[0], 4))", {"4*x.size(0) == result_of_norm.numel()"}),
        ("torch.cat([x, x])", set()),
    ],
)
def test_what_a_fake_kernel_gives_is_the_shape_of_a_result_that_the_code_leaves_open(
    tmp_path: Path, gives: str, told: set[str]
) -> None:
    files = {"ops.cu": GIVING.replace("GIVEN", "made(x)"), "ops.py": GIVES.format(gives=gives)}
    (contract,) = contracts(tmp_path, files)
    text = " ".join(conditions(contract))
    assert bool(text) is bool(told), text
    name = "result_of_norm" if told else "made"
    assert extents(contract)["x"] == f"x = tensor {name}, 4*{name}.numel() bytes"
    assert not facts(contract, Origin.LAUNCH) & told


@pytest.mark.parametrize("gives", ["at::empty_like(x)", "x", "x.contiguous()"])
def test_what_the_code_gives_is_not_what_is_declared_of_it(tmp_path: Path, gives: str) -> None:
    """Nobody runs a fake kernel: one that is wrong makes nothing safe."""
    files = {"ops.cu": GIVING.replace("GIVEN", gives), "ops.py": GIVES.format(gives="x.new_empty((8,))")}
    (contract,) = contracts(tmp_path, files)
    assert not conditions(contract)
    assert extents(contract)["x"].endswith("4*x.numel() bytes")


def test_what_an_operator_gives_that_only_a_fake_kernel_tells(tmp_path: Path) -> None:
    script = """
lib = Library("ns", "FRAGMENT")
lib.define("pair(Tensor x, int n) -> (Tensor, Tensor)")
@torch.library.register_fake("ns::pair")
def _(x, n):
    torch._check(n > 0)
    return x.new_empty((n,)), torch.empty_like(x)
def user(x: torch.Tensor):
    a, b = torch.ops.ns.pair(x, 64)
    scale_ext.scale(a, b, 64)
"""
    (contract,) = contracts(tmp_path, python(script))
    told = facts(contract, Origin.SCHEMA)
    assert {"result_0_of_pair.size(0) == 64", "x.numel() == result_1_of_pair.numel()"} <= told, told


# --- meta kernels of C++ ----------------------------------------------------------------------------------------------------

REGISTERED = """
TORCH_LIBRARY(ns, m) { m.def("scale(Tensor! y, Tensor x, int n) -> ()"); m.impl("scale", torch::kCUDA, &scale_cuda); }
"""
META = """
void scale_meta(at::Tensor &y, const at::Tensor &x, int64_t n) { TORCH_CHECK(x.numel() >= n); TORCH_CHECK(y.numel() >= n); }
TORCH_LIBRARY_IMPL(ns, Meta, m) { m.impl("scale", scale_meta); }
"""
CALLED = "import torch\ndef user(y: torch.Tensor, x: torch.Tensor, n: int):\n    torch.ops.ns.scale(y, x, n)\n"


@pytest.mark.parametrize("callers", [{}, {"ops.py": CALLED}, {"ops.py": "import torch\nrun(torch.ops.ns.scale)\n"}])
@pytest.mark.parametrize("apart", [False, True])
def test_what_a_meta_kernel_of_cpp_checks(tmp_path: Path, callers: dict[str, str], apart: bool) -> None:
    """Of operators that Python calls, and of others; in the file of the kernel, and in one of its own."""
    meta = {"meta.cpp": "#include <torch/extension.h>\n" + META} if apart else {}
    files = {"ops.cu": OPS + REGISTERED + ("" if apart else META), **meta, **callers}
    (contract,) = contracts(tmp_path, files)
    assert conditions(contract) == ENOUGH
    (place,) = {(f.span.path, f.span.line) for f in contract.facts if f.text in ENOUGH and f.span}
    text = files["meta.cpp" if apart else "ops.cu"].splitlines()
    assert place == ("meta.cpp" if apart else "ops.cu", 1 + next(i for i, t in enumerate(text) if "scale_meta(at" in t))


@pytest.mark.parametrize(
    ("check", "origin"),
    [
        ("", Origin.SCHEMA),
        ("TORCH_CHECK(x.numel() >= n);", Origin.LAUNCH),
        ("if (x.numel() < n) { throw 1; }", Origin.LAUNCH),
        ("if (y.dim() == 1) { TORCH_CHECK(x.numel() >= n); }", Origin.SCHEMA),
    ],
)
def test_a_check_of_the_code_is_more_than_the_same_one_of_a_meta_kernel(
    tmp_path: Path, check: str, origin: Origin
) -> None:
    own = OPS.replace("int64_t n) {\n", f"int64_t n) {{ {check}\n")
    (contract,) = contracts(tmp_path, {"ops.cu": own + REGISTERED + META})
    assert "n <= x.numel()" in facts(contract, origin)


def test_a_check_behind_the_launch_is_none_of_the_launch(tmp_path: Path) -> None:
    own = OPS.replace("n);\n}", "n);\n  TORCH_CHECK(x.numel() >= n);\n}")
    (contract,) = contracts(tmp_path, {"ops.cu": own + REGISTERED + META})
    assert conditions(contract) == ENOUGH


def test_a_check_on_the_way_to_the_launch_is_the_launchs(tmp_path: Path) -> None:
    own = OPS.replace("  scale<<<", "  if (n > 8) { TORCH_CHECK(x.numel() >= n);\n  scale<<<").replace(
        "n);\n}", "n); }\n}"
    )
    (contract,) = contracts(tmp_path, {"ops.cu": own + REGISTERED + META})
    assert conditions(contract) == {"n <= y.numel()"}


RANKED = """#include <torch/extension.h>
__global__ void scale(float *y, const float *x, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) y[i] = x[i]; }
void scale_cuda(at::Tensor &y, const at::Tensor &x, int64_t n) {
  int total = x.size(0) * x.size(-1);
  scale<<<(total + 255) / 256, 256>>>(y.data_ptr<float>(), x.data_ptr<float>(), total);
}
"""


def test_sizes_that_follow_from_a_declared_rank_are_declared(tmp_path: Path) -> None:
    """That a tensor has as many elements as the product of its two sizes holds only as far as it has two."""
    meta = META.replace("TORCH_CHECK(x.numel() >= n); TORCH_CHECK(y.numel() >= n);", "TORCH_CHECK(x.dim() == 2);")
    (contract,) = contracts(tmp_path, {"ops.cu": RANKED + REGISTERED + meta})
    assert extents(contract)["x"] == "x = tensor x, 4*x.numel() bytes"
    told = facts(contract, Origin.SCHEMA)
    assert any("x.numel() ==" in text for text in told) and not any("dim()" in extent for extent in _origins(contract))


def _origins(contract: Contract) -> set[str]:
    return {f"{f.origin.value}: {f.text}" for f in contract.facts if isinstance(f.what, Extent)}


@pytest.mark.parametrize("mark", ["Tensor!", "Tensor(a!)"])
def test_what_a_schema_says_is_written(tmp_path: Path, mark: str) -> None:
    """With the place of the schema, of the kernels that write it; of a kernel that reads it nothing is said."""
    reading = OPS.replace("  scale<<<", "  scale<<<1, 1>>>(other, y.data_ptr<float>(), 1);\n  scale<<<").replace(
        "void scale_cuda", "float *other;\nvoid scale_cuda"
    )
    files = {"ops.cu": reading, "bind.cpp": "\n" + REGISTERED.replace("Tensor!", mark), "ops.py": CALLED}
    found = contracts(tmp_path, files)
    told = [{(f.what.pointer, f.text) for f in c.facts if isinstance(f.what, Output)} for c in found]
    assert len(found) == 2 and told.count({("y", "ns::scale writes `y`")}) == 1 and told.count(set()) == 1
    places = {(f.span.path, f.span.line) for c in found for f in c.facts if isinstance(f.what, Output) and f.span}
    assert places == {("bind.cpp", 3)}


OPTIONAL = """#include <torch/extension.h>
#include <optional>
__global__ void scale(float *y, const float *w, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n && w) y[i] = w[i]; }
void scale_cuda(at::Tensor &y, const std::optional<at::Tensor> &w, int64_t n) {
  scale<<<(n + 255) / 256, 256>>>(y.data_ptr<float>(), w.has_value() ? w->data_ptr<float>() : nullptr, n);
}
TORCH_LIBRARY(ns, m) { m.def("scale(Tensor! y, Tensor? w, int n) -> ()"); m.impl("scale", torch::kCUDA, &scale_cuda); }
"""


def test_a_tensor_that_may_be_missing_is_named_as_the_code_names_it(tmp_path: Path) -> None:
    (contract,) = contracts(tmp_path, {"ops.cu": OPTIONAL})
    assert extents(contract)["w"] == "w = tensor w, 4*w->numel() bytes"
    assert "w is null where w.has_value() == 0" in facts(contract, Origin.LAUNCH)


def test_the_rank_of_a_tensor_that_may_be_missing_holds_where_it_is_there(tmp_path: Path) -> None:
    checked = OPTIONAL.replace(
        "  scale<<<", "  if (w.has_value()) { TORCH_CHECK(w->dim() == 1 && w->size(0) == n); }\n  scale<<<"
    )
    (contract,) = contracts(tmp_path, {"ops.cu": checked})
    assert extents(contract)["w"] == "w = tensor w, 4*w->size(0) bytes"


def test_what_is_declared_under_a_condition_stays_declared(tmp_path: Path) -> None:
    script = CALLED.replace("    torch.ops", "    if n > 8:\n        torch.ops.ns.check(y)\n    torch.ops")
    more = """
void check_cuda(at::Tensor y) { }
void check_meta(at::Tensor y) { TORCH_CHECK(y.numel() == 4); }
TORCH_LIBRARY_FRAGMENT(ns, m) { m.def("check(Tensor y) -> ()"); m.impl("check", torch::kCUDA, &check_cuda); }
TORCH_LIBRARY_IMPL(ns, Meta, m) { m.impl("check", check_meta); }
"""
    (contract,) = contracts(tmp_path, {"ops.cu": OPS + REGISTERED + more, "ops.py": script})
    assert any("y.numel() == 4" in text for text in facts(contract, Origin.SCHEMA))
    assert not any("y.numel() == 4" in text for text in facts(contract, Origin.LAUNCH))


# --- functions of other files ----------------------------------------------------------------------------------------------

CHECKS = """
def _dense(x):
    assert x.is_contiguous()
def enough(y, x, n: int):
    _dense(x)
    if x.numel() < n or y.numel() < n:
        raise ValueError
"""
CHECKED = """
{imports}
def user(y: torch.Tensor, x: torch.Tensor, n: int{more}):
    {call}(y, x, n)
    scale_ext.scale(y, x, n)
"""


@pytest.mark.parametrize(
    ("imports", "call", "more", "followed"),
    [
        ("from checks import enough", "enough", "", True),
        ("from .checks import enough as f", "f", "", True),
        ("from . import checks", "checks.enough", "", True),
        ("import checks as c", "c.enough", "", True),
        ("from elsewhere import enough", "enough", "", False),
        ("from checks import enough", "enough", ", enough=None", False),
        ("try:\n    from checks import enough\nexcept ImportError:\n    from other import enough", "enough", "", False),
        ("from checks import enough\nenough = wrapped(enough)", "enough", "", False),
    ],
)
def test_what_a_function_of_another_file_checks(
    tmp_path: Path, imports: str, call: str, more: str, followed: bool
) -> None:
    """Where there is no doubt which one is called."""
    script = CHECKED.format(imports=imports, call=call, more=more)
    (contract,) = contracts(tmp_path, {**python(script), "checks.py": CHECKS})
    assert (facts(contract, Origin.LAUNCH) >= ENOUGH) is followed


def test_what_a_function_of_another_file_gives_and_passes_on(tmp_path: Path) -> None:
    wrapper = """
import torch
from pack import scale_ext
def run(x: torch.Tensor):
    y = torch.empty_like(x)
    scale_ext.scale(y, x, x.numel())
    return y
"""
    script = (
        "from wrapper import run\ndef user(x: torch.Tensor):\n    t = run(x)\n    scale_ext.scale(t, x, t.numel())\n"
    )
    found = [extents(c)["y"] for c in contracts(tmp_path, {**python(script), "wrapper.py": wrapper})]
    assert set(found) == {OF_USER}
