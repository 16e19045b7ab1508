"""Which files of a project a header or fragment is read in."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.project import includes
from cudalint.project.discovery import discover
from cudalint.project.includes import contexts, include_graph, kernel_names, launch_names, needs_context
from cudalint.source import SourceFile
from tests.project.test_discovery import tree

KERNEL = "__global__ void k(int *p) { p[0] = 0; }\n"
LAUNCH = "void run(int *p) { k<<<1, 32>>>(p); }\n"


def around(root: Path, name: str, *folders: str) -> list[str]:
    """The files that the file is read in, relative to the root."""
    (source,) = (s for s in discover([str(root)], project_root=str(root)).files if s.path == name)
    graph = include_graph(str(root), [str(root / folder) for folder in folders])
    return [Path(path).relative_to(root.resolve()).as_posix() for path in contexts(source, graph)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("__global__ void a(int x) {}", {b"a"}),
        ("template <class T> __global__ void __launch_bounds__(256, 2) a(T *x) {}", {b"a"}),
        ("__global__ static void a(int x);", {b"a"}),
        ("CUDF_KERNEL void a(int x) {}", {b"a"}),
        ('extern "C" __global__ __launch_bounds__(N) void a(){}', {b"a"}),
        ("__device__ void a() {}", set()),
    ],
)
def test_names_of_kernels(text: str, names: set[bytes]) -> None:
    assert kernel_names(text.encode()) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a<<<1, 2>>>();", {b"a"}),
        ("ns::a<T, sizeof(T)> <<<g, b>>>(x);", {b"a"}),
        ("cudaLaunchKernel((const void *)&ns::a, g, b, args, 0, s);", {b"a"}),
        ("cudaLaunchKernel((void*)a, g, b, args);", {b"a"}),
        ("hipLaunchKernelGGL(a, g, b, 0, 0, x);", {b"a"}),
        ("<<<<<<< HEAD", set()),
        ("x << y; a(b);", set()),
    ],
)
def test_names_of_launched_kernels(text: str, names: set[bytes]) -> None:
    assert launch_names(text.encode()) == names


@pytest.mark.parametrize(
    ("path", "text", "unsure"),
    [
        ("a.cu", KERNEL + LAUNCH, False),
        ("a.cu", KERNEL, True),
        ("a.cuh", KERNEL + LAUNCH, True),
        ("a.cuh", "__device__ int f();", False),
    ],
)
def test_a_header_and_a_file_that_does_not_launch_its_kernels_may_need_others(
    path: str, text: str, unsure: bool
) -> None:
    assert needs_context(SourceFile(path, f"/{path}", text)) is unsure


@pytest.mark.parametrize("include", ['"k.cuh"', '"./k.cuh"', '"../lib/k.cuh"', "<lib/k.cuh>", "<k.cuh>", '"lib/k.cuh"'])
def test_an_include_is_found_beside_the_file_in_folders_and_by_the_end_of_its_path(
    tmp_path: Path, include: str
) -> None:
    tree(tmp_path, {"lib/k.cuh": KERNEL, "lib/main.cu": f"#include {include}\n{LAUNCH}"})
    assert around(tmp_path, "lib/k.cuh", "lib") == ["lib/main.cu"]


def test_the_file_that_launches_wins(tmp_path: Path) -> None:
    tree(tmp_path, {
        "k.cuh": KERNEL, "a.cu": '#include "k.cuh"\n', "b.cu": f'#include "k.cuh"\n{LAUNCH}',
        "mid.h": '#include "k.cuh"\n', "c.cpp": '#include "mid.h"\n',
    })  # fmt: skip
    assert around(tmp_path, "k.cuh") == ["b.cu"]


def test_files_that_launch_different_kernels_all_count(tmp_path: Path) -> None:
    other = KERNEL.replace(" k(", " other(")
    tree(tmp_path, {
        "k.cuh": KERNEL + other, "a.cu": f'#include "k.cuh"\n{LAUNCH}',
        "b.cu": '#include "k.cuh"\n' + LAUNCH.replace("k<", "other<"), "c.cu": f'#include "k.cuh"\n{LAUNCH}',
    })  # fmt: skip
    assert around(tmp_path, "k.cuh") == ["a.cu", "b.cu"]


def test_a_loop_of_includes_and_a_header_that_nobody_includes_have_no_file_around(tmp_path: Path) -> None:
    tree(tmp_path, {"a.cuh": f'#include "b.cuh"\n{KERNEL}', "b.cuh": '#include "a.cuh"\n', "c.cuh": KERNEL})
    assert around(tmp_path, "a.cuh") == []
    assert around(tmp_path, "c.cuh") == []


def test_links_to_folders_do_not_loop(tmp_path: Path) -> None:
    tree(tmp_path, {"d/k.cuh": KERNEL, "d/m.cu": f'#include "k.cuh"\n{LAUNCH}'})
    (tmp_path / "d" / "again").symlink_to(tmp_path / "d")
    assert around(tmp_path, "d/k.cuh") == ["d/m.cu"]


def test_a_folder_that_is_no_project_is_read_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(includes, "MOST_READ_UNMARKED", 3)
    tree(tmp_path, {f"f{number}.cu": "" for number in range(5)})
    assert len(include_graph(str(tmp_path)).files) == 3
    tree(tmp_path, {"cudalint.toml": ""})
    assert len(include_graph(str(tmp_path)).files) == 5


def test_a_comment_includes_nothing(tmp_path: Path) -> None:
    tree(tmp_path, {"k.cu": KERNEL, "main.cpp": '// #include "k.cu"\n'})
    assert around(tmp_path, "k.cu") == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("#ifdef HALF\n#define CASE_HALF(T, ...) \\\n  case 2: {            \\\n    return f<T>();   \\\n  }\n#else\n"
         "#define CASE_HALF(T, ...)\n#endif\n", ("HALF",)),
        ("#if defined(HALF)\n#define CASE_HALF(T) case 2: f<T>();\n#else\n#define CASE_HALF(T)\n#endif\n", ("HALF",)),
        ("#ifdef CHECKED\n#define CHECK(x) assert(x)\n#else\n#define CHECK(x)\n#endif\n", ()),
        ("#ifdef HALF\n#define CASE_HALF(T) case 2: f<T>();\n#else\n#define CASE_HALF(T) case 2: g<T>();\n#endif\n", ()),
        ("#ifdef HALF\n#define CASE_HALF(T) case 2: f<T>();\n#else\n#define CASE(T)\n#endif\n", ()),
    ],
)  # fmt: skip
def test_names_without_which_a_case_of_a_dispatch_is_empty(tmp_path: Path, text: str, names: tuple[str, ...]) -> None:
    tree(tmp_path, {"dispatch.h": text, "a.cu": '#include "dispatch.h"\n'})
    assert include_graph(str(tmp_path)).switches(str((tmp_path / "a.cu").resolve())) == names
