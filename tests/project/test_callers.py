"""Which files are read together: by the names that they call, launch and define."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cudalint.project.callers import MOST_CALLERS, MOST_SMALL_CALLERS, CallGraph, neighbours_of
from cudalint.project.includes import include_graph
from cudalint.project.unread_launches import UnreadLaunches
from tests.project.test_discovery import tree

KERNEL = "__global__ void scale(float *x, int n) { x[0] = n; }\n"
LAUNCH = "void run_scale(float *x, int n) { scale<<<n / 256, 256>>>(x, n); }\n"


def neighbours(folder: Path, files: dict[str, str], of: str) -> dict[str, frozenset[str]]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    asked = str((folder / of).resolve())
    found = neighbours_of(CallGraph(include_graph(str(folder)), [asked]), [asked])[asked]
    return {str(Path(n.path).relative_to(folder.resolve())): n.names | n.defines for n in found}


def test_a_caller_is_found(tmp_path: Path) -> None:
    files = {"ops.cu": KERNEL + LAUNCH, "main.cpp": "int main() { run_scale(nullptr, 4096); }\n"}
    assert neighbours(tmp_path, files, "ops.cu") == {"main.cpp": frozenset({"run_scale"})}


def test_a_file_that_includes_the_functions_that_it_calls_is_their_caller(tmp_path: Path) -> None:
    files = {"ops.cu": KERNEL + LAUNCH, "main.cu": '#include "ops.cu"\nint main() { run_scale(nullptr, 4096); }\n'}
    assert neighbours(tmp_path, files, "ops.cu") == {"main.cu": frozenset({"run_scale"})}


def test_a_file_that_includes_what_it_calls_is_a_caller_where_both_are_asked_about(tmp_path: Path) -> None:
    (tmp_path / "ops.cu").write_text(KERNEL + LAUNCH)
    (tmp_path / "main.cu").write_text('#include "ops.cu"\nint main() { run_scale(nullptr, 4096); }\n')
    asked = [str((tmp_path / name).resolve()) for name in ("main.cu", "ops.cu")]
    found = neighbours_of(CallGraph(include_graph(str(tmp_path)), asked), asked)
    assert [(n.path, n.names) for n in found[asked[1]]] == [(asked[0], frozenset({"run_scale"}))]


def test_a_file_that_includes_functions_and_calls_none_of_them_is_no_caller(tmp_path: Path) -> None:
    files = {"ops.cu": KERNEL + LAUNCH, "main.cu": '#include "ops.cu"\nint main() { run_other(nullptr, 4096); }\n'}
    assert neighbours(tmp_path, files, "ops.cu") == {}


RUN = """#define RUN_WITH(kernel, block, n, ...) do { \\
    kernel<<<(n) / (block), (block)>>>(__VA_ARGS__); \\
  } while (0)
#define RUN(kernel, n, ...) RUN_WITH(kernel, 256, n, __VA_ARGS__)
#define CHECK(n) if ((n) < 0) return;
"""
THROUGH_MACRO = "void run_scale(float *x, int n) { RUN(scale, n, x, n); }\n"
CHECKING = "void check_only(int n) { CHECK(n); }\n"


@pytest.mark.parametrize(
    "files",
    [
        {"ops.cu": RUN + KERNEL + THROUGH_MACRO + CHECKING},
        {"run.h": RUN, "ops.cu": '#include "run.h"\n' + KERNEL + THROUGH_MACRO + CHECKING},
        {"run.h": RUN, "k.cuh": KERNEL + THROUGH_MACRO, "ops.cu": '#include "run.h"\n#include "k.cuh"\n' + CHECKING},
        {
            "run.h": RUN,
            "k.cuh": '#include "run.h"\n' + KERNEL + THROUGH_MACRO,
            "ops.cu": '#include "k.cuh"\n' + CHECKING,
        },
    ],
)
def test_a_caller_of_a_function_that_launches_by_a_macro_is_found(tmp_path: Path, files: dict[str, str]) -> None:
    callers = {"main.cpp": "int main() { run_scale(nullptr, 4096); }\n", "other.cpp": "void f() { check_only(1); }\n"}
    assert neighbours(tmp_path, files | callers, "ops.cu") == {"main.cpp": frozenset({"run_scale"})}


@pytest.mark.parametrize("name", ["scale", "ops::scale<float>", "_ZN3ops5scaleEPfi"])
def test_a_file_that_looks_the_kernel_up_by_name_is_found(tmp_path: Path, name: str) -> None:
    host = f'void run() {{ cuModuleGetFunction(&f, module, "{name}"); cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, 0); }}\n'
    files = {"ops.cu": KERNEL, "main.cpp": host, "other.cpp": 'const char *title() { return "scale"; }\n'}
    assert neighbours(tmp_path, files, "ops.cu") == {"main.cpp": frozenset({"scale"})}


def test_the_headers_that_launch_for_a_file_are_told_with_it(tmp_path: Path) -> None:
    files = {
        "ops.cu": KERNEL,
        "run.cuh": 'void run() { cuModuleGetFunction(&f, m, "scale"); cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, 0); }\n',
        "main.cpp": '#include "run.cuh"\nint main() { run(); }\n',
    }
    assert neighbours(tmp_path, files, "ops.cu") == {"main.cpp": frozenset({"scale"})}
    path = str((tmp_path / "ops.cu").resolve())
    (found,) = neighbours_of(CallGraph(include_graph(str(tmp_path)), [path]), [path])[path]
    assert [Path(header).name for header in found.headers] == ["run.cuh"]


def test_a_caller_of_an_explicit_specialisation_is_found(tmp_path: Path) -> None:
    launch = "template <> void run_scale<float>(float *x, int n) { scale<<<n / 256, 256>>>(x, n); }\n"
    files = {
        "ops.cu": KERNEL + "template <class T> void run_scale(T *, int);\n" + launch,
        "main.cpp": "template <class T> void run_scale(T *, int);\nint main() { run_scale<float>(nullptr, 4096); }\n",
    }
    assert neighbours(tmp_path, files, "ops.cu") == {"main.cpp": frozenset({"run_scale"})}


def test_a_caller_of_what_a_header_of_its_own_launches_is_found(tmp_path: Path) -> None:
    files = {
        "ops.cu": '#include "scale.cuh"\n',
        "scale.cuh": KERNEL + LAUNCH,
        "main.cpp": "int main() { run_scale(nullptr, 4096); }\n",
    }
    assert neighbours(tmp_path, files, "ops.cu") == {"main.cpp": frozenset({"run_scale"})}


def test_what_several_files_include_stands_for_none_of_them(tmp_path: Path) -> None:
    files = {
        "ops.cu": '#include "scale.cuh"\n',
        "more.cu": '#include "scale.cuh"\n',
        "scale.cuh": KERNEL + LAUNCH,
        "main.cpp": "int main() { run_scale(nullptr, 4096); }\n",
    }
    assert neighbours(tmp_path, files, "ops.cu") == {}


def test_a_launch_of_a_declared_kernel_is_found(tmp_path: Path) -> None:
    files = {
        "kernel.cu": KERNEL,
        "ops.cu": "__global__ void scale(float *x, int n);\nvoid run(float *x) { scale<<<1, 32>>>(x, 8); }\n",
    }
    assert neighbours(tmp_path, files, "kernel.cu") == {"ops.cu": frozenset({"scale"})}


def test_what_a_launching_function_calls_is_found(tmp_path: Path) -> None:
    files = {
        "ops.cu": KERNEL + "int blocks_for(int);\nvoid run(float *x, int n) { scale<<<blocks_for(n), 256>>>(x, n); }\n",
        "sizes.cpp": "int blocks_for(int n) { return (n + 255) / 256; }\n",
    }
    assert neighbours(tmp_path, files, "ops.cu") == {"sizes.cpp": frozenset({"blocks_for"})}


def test_callers_behind_the_nearest_few_are_told_to_be_unread(tmp_path: Path) -> None:
    (tmp_path / "ops.cu").write_text(KERNEL + LAUNCH)
    most = MOST_CALLERS + MOST_SMALL_CALLERS
    for number in range(most + 2):
        (tmp_path / f"use{number}.cpp").write_text(f"void use{number}(float *x) {{ run_scale(x, {number}); }}\n")
    ops = str((tmp_path / "ops.cu").resolve())
    calls = CallGraph(include_graph(str(tmp_path)), [ops])
    read = {Path(n.path).name for n in calls.neighbours(ops)}
    unread = {Path(path).name for path in calls.unread[ops]}
    assert (len(read), len(unread), read & unread) == (most, 2, set())


def test_a_program_with_its_own_function_of_the_name_is_no_caller(tmp_path: Path) -> None:
    files = {"ops.cu": KERNEL + LAUNCH, "other.cu": KERNEL + LAUNCH + "int main() { run_scale(nullptr, 1); }\n"}
    assert neighbours(tmp_path, files, "ops.cu") == {}


def test_the_nearest_definition_is_meant(tmp_path: Path) -> None:
    files = {
        "a/ops.cu": KERNEL + LAUNCH,
        "b/ops.cu": KERNEL + LAUNCH,
        "b/main.cpp": "int main() { run_scale(nullptr, 4096); }\n",
    }
    assert neighbours(tmp_path, files, "a/ops.cu") == {}
    assert neighbours(tmp_path, files, "b/ops.cu") == {"b/main.cpp": frozenset({"run_scale"})}


def test_of_two_as_near_each_is_meant_that_a_header_of_both_declares(tmp_path: Path) -> None:
    declared = "namespace {} {{ __global__ void scale(float *x, int n); }}\n"
    launches = "void run(float *x) { one::scale<<<1, 32>>>(x, 8); two::scale<<<1, 32>>>(x, 8); }\n"
    files = {
        "one.h": declared.format("one"),
        "two.h": declared.format("two"),
        "one.cu": '#include "one.h"\nnamespace one { ' + KERNEL + "}\n",
        "two.cu": '#include "two.h"\nnamespace two { ' + KERNEL + "}\n",
        "zero.cu": KERNEL,
        "run.cu": '#include "one.h"\n#include "two.h"\n' + launches,
    }
    assert "run.cu" in neighbours(tmp_path, files, "one.cu")
    assert "run.cu" in neighbours(tmp_path, files, "two.cu")
    assert "run.cu" not in neighbours(tmp_path, files, "zero.cu")


@pytest.mark.parametrize(("called", "is_found"), [("blur::run", True), ("sharpen::run", False), ("run", False)])
def test_of_many_definitions_that_of_the_named_namespace_is_meant(tmp_path: Path, called: str, is_found: bool) -> None:
    others = ("median", "erode", "dilate", "warp", "sharpen")
    launches = {
        f"{name}.cu": f"namespace {name} {{ {KERNEL}{LAUNCH.replace('run_scale', 'run')} }}\n" for name in others
    }
    files = {"cuda/blur.cu": f"namespace blur {{ {KERNEL}{LAUNCH.replace('run_scale', 'run')} }}\n"}
    files |= {f"cuda/{name}": text for name, text in launches.items()}
    files["blur.cpp"] = f"int main() {{ {called}(nullptr, 4096); }}\n"
    assert neighbours(tmp_path, files, "cuda/blur.cu") == ({"blur.cpp": frozenset({"run"})} if is_found else {})


def test_methods_of_that_name_and_plain_mentions_are_none(tmp_path: Path) -> None:
    files = {"ops.cu": KERNEL + LAUNCH, "main.cpp": "int main() { engine.run_scale(1); int run_scale = 3; }\n"}
    assert neighbours(tmp_path, files, "ops.cu") == {}


def test_a_macro_is_a_definition_of_its_own(tmp_path: Path) -> None:
    files = {
        "ops.cu": "#define blocks_for(n) ((n + 255) / 256)\n"
        + KERNEL
        + "void run(float *x, int n) { scale<<<blocks_for(n), 256>>>(x, n); }\n",
        "sizes.cpp": "int blocks_for(int n) { return n; }\n",
    }
    assert neighbours(tmp_path, files, "ops.cu") == {}


def test_comments_among_the_parameters_hide_no_definition(tmp_path: Path) -> None:
    run = (
        "void run_scale(\n    float *x, // [n]; {rows} are (n)\n    int n /* { */) { scale<<<n / 256, 256>>>(x, n); }\n"
    )
    files = {"ops.cu": KERNEL + run, "main.cpp": "int main() { run_scale(nullptr, 4096); }\n"}
    assert neighbours(tmp_path, files, "ops.cu") == {"main.cpp": frozenset({"run_scale"})}


def test_the_file_that_defines_the_constructor_of_an_object_is_found(tmp_path: Path) -> None:
    files = {
        "ops.cu": "struct blocks_for { int n; blocks_for(int); };\n"
        + KERNEL
        + "void run(float *x, int n) { blocks_for grid{n}; scale<<<grid.n, 256>>>(x, n); }\n",
        "grid.cpp": "blocks_for::blocks_for(int n) : n((n + 255) / 256) {}\n",
        "other.cpp": "int grid(int n) { return n; }\n",
    }
    assert neighbours(tmp_path, files, "ops.cu") == {"grid.cpp": frozenset({"blocks_for"})}


def test_what_an_included_header_defines_is_looked_for_in_no_other_file(tmp_path: Path) -> None:
    launch = "void run(float *x) { checked(0); scale<<<dim3(4), 256>>>(x, 8); }\n"
    files = {
        "ops.cu": '#include "checks.h"\n' + KERNEL + launch,
        "checks.h": "inline void checked(int error) {}\n",
        "other.cpp": "void checked(int error) {}\nvoid other() { checked(0); use(dim3(1)); }\n",
    }
    assert neighbours(tmp_path, files, "ops.cu") == {}


def test_small_files_are_read_beside_the_nearest_three_that_define_what_is_called(tmp_path: Path) -> None:
    body = "".join(f"int part_{i}(int n) {{ return n + {i}; }}\n" for i in range(200))
    called = {
        "a/one.cpp": "one",
        "a/two.cpp": "two",
        "a/three.cpp": "three",
        "b/four.cpp": "four",
        "b/five.cpp": "five",
    }
    files = {name: f"int {f}(int n) {{ return n; }}\n" + (body if f != "five" else "") for name, f in called.items()}
    files["a/ops.cu"] = (
        KERNEL + "void run(float *x, int n) { scale<<<one(n) + two(n) + three(n) + four(n) + five(n), 256>>>(x, n); }\n"
    )
    assert set(neighbours(tmp_path, files, "a/ops.cu")) == {"a/one.cpp", "a/two.cpp", "a/three.cpp", "b/five.cpp"}


def test_what_launching_functions_of_a_shared_header_call_is_found(tmp_path: Path) -> None:
    files = {
        "scale.cuh": KERNEL + "void run(float *x, int n) { blocks_for grid{n}; scale<<<grid.n, 256>>>(x, n); }\n",
        "a.cu": '#include "scale.cuh"\nvoid a(float *x) { run(x, 1); }\n',
        "b.cu": '#include "scale.cuh"\nvoid b(float *x) { run(x, 2); }\n',
        "grid.cpp": "blocks_for::blocks_for(int n) : n((n + 255) / 256) {}\n",
    }
    assert neighbours(tmp_path, files, "a.cu") == {"grid.cpp": frozenset({"blocks_for"})}


@pytest.mark.parametrize(
    ("before", "other", "found"),
    [("", "grid_of", True), ("// long\n" * 1000, "grid_of", False), ("", "grid_for", False)],
)
def test_what_is_small_and_the_only_one_is_read_from_farther_away(
    tmp_path: Path, before: str, other: str, found: bool
) -> None:
    files = {
        "tests/deep/ops.cu": KERNEL + "void run(float *x, int n) { scale<<<grid_for(n), 256>>>(x, n); }\n",
        "src/utilities/grid.cpp": before + "int grid_for(int n) { return (n + 255) / 256; }\n",
        "src/samples/grid.cpp": f"int {other}(int n) {{ return n; }}\n",
    }
    assert bool(neighbours(tmp_path, files, "tests/deep/ops.cu")) == found


MAKES = "struct grid *make(n)\nint n;\n{ return 0; }\n"


def test_what_the_callers_call_beside_them_is_found_too(tmp_path: Path) -> None:
    files = {
        "ops.cu": KERNEL + LAUNCH,
        "main.c": "main()\n{\nstruct grid *g = make(4096);\nload(g);\nrun_scale(g->x, 4096);\n}\n",
        "grid.c": MAKES,
        "load.c": "load(g)\nstruct grid *g;\n{ }\nvoid save() { }\n",
        "other.c": "void unrelated() { }\n",
        "tools/grid.c": MAKES,
    }
    found = {"main.c": {"run_scale"}, "grid.c": {"make"}, "load.c": {"load"}}
    assert neighbours(tmp_path, files, "ops.cu") == found


def test_of_two_that_define_what_a_caller_calls_nobody_knows_which_is_meant(tmp_path: Path) -> None:
    main = "int main() { struct grid *g = make(4096); run_scale(g->x, 4096); }\n"
    files = {"ops.cu": KERNEL + LAUNCH, "main.c": main, "grid.c": MAKES, "other.c": MAKES}
    assert neighbours(tmp_path, files, "ops.cu") == {"main.c": {"run_scale"}}


def test_a_call_behind_a_directive_is_no_declaration(tmp_path: Path) -> None:
    launch = LAUNCH.replace("{ scale", "{\n#ifdef CHECKED\n  checked(x);\n#endif\n  prepare(x); scale")
    prepare = "void prepare(float *x) { }\nvoid checked(float *x) { }\n"
    files = {"ops.cu": KERNEL + launch, "prepare.cpp": prepare}
    assert neighbours(tmp_path, files, "ops.cu") == {"prepare.cpp": {"checked", "prepare"}}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_pipe_that_nobody_writes_into_is_not_waited_for(tmp_path: Path) -> None:
    """A named pipe that is called like a source: opening it would wait for ever, whichever file of the project is checked."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "kernel.cu").write_text(
        '__global__ void k(int* p) { p[0] = 1; }\nextern "C" void fill(int* p) { k<<<1, 1>>>(p); }\n'
    )
    for name in ("pipe.cu", "pipe.h", "pipe.py"):
        os.mkfifo(tmp_path / name)
    command = [sys.executable, "-m", "cudalint.cli.main", "check", "kernel.cu", "--jobs", "1", "--no-cache"]
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    result = subprocess.run(command, cwd=tmp_path, env=here, capture_output=True, text=True, timeout=120, check=False)
    assert "1 kernel analysed" in result.stdout


def test_launches_that_nobody_reads_are_known_by_name(tmp_path: Path) -> None:
    declared = "__global__ void fill(float *x, int n);\nvoid run{0}(float *x) {{ fill<<<2, 256>>>(x, 300); }}\n"
    own = {"k.cu": "__global__ void fill(float *x, int n) { x[n] = 0; }\n"}
    others = {f"f{i}.cu": declared.format(i) for i in range(MOST_CALLERS + MOST_SMALL_CALLERS + 2)}
    also = {"far/k.cu": own["k.cu"], "far/a.cu": declared.format(9)}  # another kernel of that name
    assert unread_launches(tmp_path / "all", {**own, **others, **also}) == {"fill"}
    assert unread_launches(tmp_path / "few", {**own, "f0.cu": others["f0.cu"], **also}) == frozenset()


def unread_launches(root: Path, files: dict[str, str]) -> frozenset[str]:
    """Of the kernels of `k.cu`."""
    root.mkdir()
    graph = include_graph(str(tree(root, files)))
    path = os.path.realpath(root / "k.cu")
    calls = CallGraph(graph, [path])
    return UnreadLaunches(graph, calls, {path: ()}, {path: [n.path for n in calls.neighbours(path)]}).of(path)


def test_what_an_allocating_function_of_a_header_calls_is_called_where_that_is(tmp_path: Path) -> None:
    files = {
        "memory.h": "void alloc_bytes(void **p, int bytes);\nvoid log_bytes(int bytes);\n"
        "template <class T> T *alloc_items(int n) {\n  void *p;\n  alloc_bytes(&p, n * sizeof(T));\n  log_bytes(n);\n"
        "  return (T *)p;\n}\n",
        "memory.cu": "void alloc_bytes(void **p, int bytes) {\n  cudaMalloc(p, bytes);\n}\n",
        "log.cu": 'void log_bytes(int bytes) {\n  printf("%d", bytes);\n}\n',
        "ops.cu": '#include "memory.h"\n' + KERNEL + "void run(int n) { scale<<<1, n>>>(alloc_items<float>(n), n); }\n",
    }
    assert neighbours(tmp_path, files, "ops.cu") == {"memory.cu": frozenset({"alloc_bytes"})}


@pytest.mark.parametrize(
    ("caller", "expected"),
    [
        ("void ops::run(float *x) { device::run(x, 4096); }", {"run"}),
        ("namespace ops { void run(float *x) { device::run(x, 4096); } }", {"run"}),
        ("void ops::run(float *x) { other::run(x, 4096); }", set()),
        ("namespace device { void run(float *x); }\nvoid device::run(float *x) { start(x); }", set()),
    ],
)
def test_a_function_calls_one_of_its_name_in_the_namespace_that_it_says(
    tmp_path: Path, caller: str, expected: set[str]
) -> None:
    files = {
        "run.cu": "__global__ void k(float *x, int n) {}\n"
        "namespace device { void run(float *x, int n) { k<<<1, 256>>>(x, n); } }\n",
        "run.cpp": f"namespace device {{ void run(float *x, int n); }}\n{caller}\n",
    }
    found = neighbours(tmp_path, files, "run.cu")
    assert found.get("run.cpp", frozenset()) == expected
