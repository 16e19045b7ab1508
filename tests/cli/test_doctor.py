"""`cudalint doctor`: what is missing, kernel by kernel, and what would settle it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cudalint.project.declarations import declarations
from tests.cli.command import cudalint, usage_error
from tests.project.test_discovery import tree

WHOLE = "__global__ void whole(float *x) { x[0] = 0.f; }\n"


def doctor(root: Path, *arguments: str) -> dict[str, Any]:
    found = cudalint("doctor", str(root), "--format", "json", "--jobs", "1", *arguments)
    assert found.returncode == 0, found.stderr
    result: dict[str, Any] = json.loads(found.stdout)
    return result


def test_an_unknown_name_is_settled_by_the_file_that_declares_it(tmp_path: Path) -> None:
    tree(tmp_path, {
        "a/k.cu": '#include "sizes.h"\n__global__ void k(float *x) { x[SIZE] = 0.f; }\n',
        "b/real_sizes.h": "#pragma once\n#define SIZE 64\n",
    })  # fmt: skip
    result = doctor(tmp_path)
    (kernel,) = result["kernels"]
    assert not kernel["complete"]
    (missing,) = (m for m in kernel["missing"] if "SIZE" in m["reason"])
    assert (missing["path"], missing["line"]) == ("a/k.cu", 2)
    assert "b/real_sizes.h:2" in missing["remedy"]
    (include,) = result["includes"]
    assert ('"sizes.h"' in include["reason"], include["line"]) == (True, 1)
    assert "not in the project" in include["remedy"]


def test_an_include_that_two_folders_hold_names_both(tmp_path: Path) -> None:
    tree(tmp_path, {"k.cu": f'#include "s.h"\n{WHOLE}', "a/s.h": "", "b/s.h": "", ".git/HEAD": ""})
    (include,) = doctor(tmp_path)["includes"]
    assert include["remedy"] == "-I a or -I b"
    assert doctor(tmp_path, "-I", str(tmp_path / "a"))["includes"] == []


def test_the_text_lists_what_is_missing_and_ends_with_a_summary(tmp_path: Path) -> None:
    tree(tmp_path, {"k.cu": f"{WHOLE}__global__ void k(float *x) {{ x[0] = unknown(1) + unknown(2); }}\n"})
    lines = cudalint("doctor", str(tmp_path)).stdout.splitlines()
    assert lines[0].startswith("k (k.cu:2:17): not complete")
    assert any("unknown name unknown" in line for line in lines)
    assert not any(line.startswith("whole") for line in lines)
    assert lines[-1] == "1 file, 2 kernels: 1 complete (50.0 %), 1 exact"


def test_a_source_in_python_is_diagnosed_where_it_stands(tmp_path: Path) -> None:
    text = 'def f(n):\n    return RawKernel(f"""\n__global__ void k(float *x) {{\n  x[{n}] = 0.f;\n}}\n""", "k")\n'
    (kernel,) = doctor(tree(tmp_path, {"a.py": text}))["kernels"]
    (missing,) = kernel["missing"]
    assert (missing["line"], missing["reason"]) == (4, "`n` is filled in by Python at run time")


def test_require_complete_and_mistakes_have_their_status(tmp_path: Path) -> None:
    tree(tmp_path, {"k.cu": "__global__ void k(float *x) { x[0] = unknown(1); }\n", "ok.cu": WHOLE})
    assert cudalint("doctor", str(tmp_path), "--require-complete").returncode == 3
    assert cudalint("doctor", str(tmp_path / "ok.cu"), "--require-complete").returncode == 0
    assert "no such file" in usage_error(cudalint("doctor", str(tmp_path / "none.cu")))


def test_what_declares_a_name(tmp_path: Path) -> None:
    tree(tmp_path, {
        "use.cu": "int y = scale(x) + SIZE;\nreturn scale(1);\nextern float scale(float);\nParams p;\n",
        "d.h": "#define SIZE 4\nstruct Params { int n; };\n__device__ inline float\nscale(float x) { return x; }\n"
               "static const int table[4] = {};\ntypedef struct { int n; } Pair;\n",
    })  # fmt: skip
    found = declarations(str(tmp_path), ["SIZE", "Params", "scale", "table", "Pair", "absent"])
    places = {name: [(d.path, d.line) for d in each] for name, each in found.items()}
    assert places == {
        "SIZE": [("d.h", 1)], "Params": [("d.h", 2)], "scale": [("d.h", 4)], "table": [("d.h", 5)], "Pair": [("d.h", 6)],
    }  # fmt: skip


def test_a_kernel_behind_a_condition_is_read_with_what_the_condition_asks_for(tmp_path: Path) -> None:
    text = f"{WHOLE}#ifdef FAST\n__global__ void fast(float *x) {{ x[1] = 0.f; }}\n#endif\n"
    text += "#if __CUDA_ARCH__ >= 900\n__global__ void hopper(float *x) { x[2] = 0.f; }\n#endif\n"
    result = doctor(tree(tmp_path, {"k.cu": text}))
    complete = {kernel["name"]: kernel["complete"] for kernel in result["kernels"]}
    assert complete == {"whole": True, "fast": True, "hopper": True}
