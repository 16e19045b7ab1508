"""Python files that call a project's C functions through ctypes are read with the files that define them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.contract import Contract, Extent, Geometry
from cudalint.engine import ScanOptions
from cudalint.engine.contracts import contracts_of, neighbour_units, with_launched
from cudalint.engine.jobs import plan_jobs
from cudalint.frontend.translate import translate
from cudalint.project.discovery import discover

KERNEL = "template <class T> __global__ void scale(T *x, const float *y, int n) { int i = threadIdx.x; if (i < n) x[i] = y[i]; }\n"
ENTRY = 'extern "C" void cscale(float *x, const float *y, int n) { scale<<<(n + 255) / 256, 256>>>(x, y, n); }\n'
SCRIPT = """
import ctypes as ct
import torch
lib = ct.CDLL("./libscale.so")

def scale(y: torch.Tensor):
    if y.dtype != torch.float32:
        raise TypeError
    x = torch.empty_like(y, dtype=torch.float32)
    lib.cscale(ct.c_void_p(x.data_ptr()), ct.c_void_p(y.data_ptr()), ct.c_int32(y.numel()))
    return x
"""


def contracts(folder: Path, files: dict[str, str], of: str) -> list[Contract]:
    (folder / ".git").mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    discovery = discover([str(folder / of)], project_root=str(folder))
    (job,) = plan_jobs(discovery, ScanOptions(paths=(str(folder / of),))).jobs
    others = neighbour_units(job.neighbours, job.parse, str(folder))
    unit = translate(job.source, with_launched(job.parse, others), str(folder), job.around).unit
    return [each for found in contracts_of(unit, others).values() for each in found]


def extents(contract: Contract) -> dict[str, str]:
    return {f.what.pointer: f.text for f in contract.facts if isinstance(f.what, Extent)}


def test_what_python_passes_is_what_the_launch_gets(tmp_path: Path) -> None:
    (contract,) = contracts(tmp_path, {"ops.cu": KERNEL + ENTRY, "ops.py": SCRIPT}, "ops.cu")
    assert extents(contract) == {"x": "x = empty_like(y), 4*y.numel() bytes", "y": "y = tensor y, 4*y.numel() bytes"}
    (geometry,) = [f.text for f in contract.facts if isinstance(f.what, Geometry)]
    assert geometry == "grid = (y.numel() + 255) / 256, block = 256"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("lib = ct.CDLL", "# lib is made by a caller\nother = ct.PyDLL"),  # the C code defines what it is asked for
        ("import ctypes as ct", "import ctypes as ct\nfrom native import lib"),
    ],
)
def test_a_library_is_known_by_its_functions(tmp_path: Path, old: str, new: str) -> None:
    (contract,) = contracts(tmp_path, {"ops.cu": KERNEL + ENTRY, "ops.py": SCRIPT.replace(old, new)}, "ops.cu")
    assert extents(contract).keys() == {"x", "y"}


def test_what_no_python_file_calls_is_left_to_callers(tmp_path: Path) -> None:
    script = SCRIPT.replace("lib.cscale(", "lib.cshift(")
    (contract,) = contracts(tmp_path, {"ops.cu": KERNEL + ENTRY, "ops.py": script}, "ops.cu")
    assert extents(contract) == {} and {m.caller for m in contract.missing} == {"cscale"}


def test_a_view_of_unknown_length_says_nothing_of_the_memory(tmp_path: Path) -> None:
    script = SCRIPT.replace("x = torch.empty_like(y, dtype=torch.float32)", "x = torch.empty_like(y)[1:]")
    (contract,) = contracts(tmp_path, {"ops.cu": KERNEL + ENTRY, "ops.py": script}, "ops.cu")
    assert extents(contract).keys() == {"y"}


def test_callers_of_the_functions_that_launch_a_kernel_of_another_file_are_read(tmp_path: Path) -> None:
    """kernels.cu, ops.cu that launches them, interface.cpp behind a macro that a build defines, and Python."""
    files = {
        "kernels.cu": KERNEL + "template __global__ void scale<float>(float *, const float *, int);\n",
        "ops.cu": "template <class T> __global__ void scale(T *x, const float *y, int n);\n"
        "template <class T> void run_scale(T *x, const float *y, int n) { scale<T><<<(n + 255) / 256, 256>>>(x, y, n); }\n"
        "template void run_scale<float>(float *x, const float *y, int n);\n",
        "interface.cpp": "#if BUILD_CUDA\n"
        "template <class T> void run_scale(T *x, const float *y, int n);\n"
        "#define MAKE(name, T) void name##_##T(T *x, const float *y, int n) { run_scale<T>(x, y, n); }\n"
        "MAKE(scale, float)\n"
        'extern "C" void cscale(float *x, const float *y, int n) { scale_float(x, y, n); }\n'
        "#endif\n",
        "ops.py": SCRIPT,
    }
    found = contracts(tmp_path, files, "kernels.cu")
    assert {"x": "x = empty_like(y), 4*y.numel() bytes", "y": "y = tensor y, 4*y.numel() bytes"} in map(extents, found)


@pytest.mark.parametrize("macro", ["USE_ROCM", "BUILD_HIP"])
def test_what_is_built_for_other_devices_only_calls_nothing(tmp_path: Path, macro: str) -> None:
    own = KERNEL + "void run_scale(float *x, const float *y, int n) { scale<<<1, 256>>>(x, y, n); }\n"
    caller = f"#ifdef {macro}\nvoid run_scale(float *, const float *, int);\nvoid f(float *x) {{ run_scale(x, x, 4); }}\n#endif\n"
    (contract,) = contracts(tmp_path, {"ops.cu": own, "main.cpp": caller}, "ops.cu")
    assert {m.caller for m in contract.missing} == {"run_scale"}


MORE = "void more(float *x) { run_scale(x, x, 5); }\n"


@pytest.mark.parametrize(
    ("guard", "found"),
    [
        ("#ifdef ENABLE_BF16", {"plain", "guarded"}),
        ("#if defined(ENABLE_BF16) && defined(ENABLE_FP8)", {"plain", "guarded"}),
        ("#ifdef DEBUG", {"plain"}),
        ("#ifdef USE_ROCM", {"plain"}),
        (f"#ifdef ENABLE_BF16\nvoid other();\n#else\n{MORE}#endif\n#ifdef ENABLE_BF16", {"plain", "more"}),
    ],
)  # fmt: skip
def test_a_feature_that_another_call_is_behind_is_there_unless_it_hides_one(
    tmp_path: Path, guard: str, found: set[str]
) -> None:
    own = KERNEL + "void run_scale(float *x, const float *y, int n) { scale<<<1, 256>>>(x, y, n); }\n"
    callers = (
        "void run_scale(float *, const float *, int);\n"
        "void plain(float *x) { run_scale(x, x, 4); }\n"
        f"{guard}\nvoid guarded(float *x) {{ run_scale(x, x, 6); }}\n#endif\n"
    )
    files = {"ops.cu": own, "main.cpp": callers}
    missing = [m.caller for c in contracts(tmp_path, files, "ops.cu") for m in c.missing]
    assert set(missing) == found
