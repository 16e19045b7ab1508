"""Kernels that come from tables, and loops over them that end early."""

from __future__ import annotations

import pytest

from cudalint.contract import Contract
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts

KERNELS = """
__global__ void a(float *x, int n) { x[0] = n; }
__global__ void b(float *x, int n) { x[0] = n; }
using Fn = void (*)(float *, int);
struct Entry { int width; Fn kernel; };
static const Fn table[] = {a, b};
static const Entry entries[] = {{32, a}, {64, b}};
"""


def geometries(text: str) -> dict[str, list[str]]:
    """By kernel, what each of its launches says of grid and block."""
    unit = translate(SourceFile("k.cu", "/k.cu", KERNELS + text), ParseOptions(), "/").unit
    found: dict[str, tuple[Contract, ...]] = launch_contracts(unit)
    return {unit.functions[k].name: [c.facts[0].text for c in contracts] for k, contracts in sorted(found.items())}


@pytest.mark.parametrize(
    "body",
    [
        "table[which]<<<n / 128, 128>>>(x, n);",
        "Fn f = table[which]; f<<<n / 128, 128>>>(x, n);",
        "const Fn own[] = {a, b}; own[which]<<<n / 128, 128>>>(x, n);",
        "Fn own[2]; own[0] = a; own[1] = b; own[which]<<<n / 128, 128>>>(x, n);",
    ],
)
def test_an_element_that_is_chosen_at_run_time_may_be_each(body: str) -> None:
    found = geometries(f"void run(float *x, int n, int which) {{ {body} }}")
    assert found == {"a": ["grid = n / 128, block = 128"], "b": ["grid = n / 128, block = 128"]}


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 0; i < 2; i++) if (entries[i].width == w) entries[i].kernel<<<n, entries[i].width>>>(x, n);",
        "for (int i = 0; i < 2; i++) { if (entries[i].width < w) continue; entries[i].kernel<<<n, entries[i].width>>>(x, n); }",
        "for (int i = 0; i < 2; i++) { entries[i].kernel<<<n, entries[i].width>>>(x, n); if (w == 1) break; }",
        "for (const Entry &e : entries) if (e.width == w) { e.kernel<<<n, e.width>>>(x, n); return; }",
    ],
)
def test_each_row_of_a_table_launches_its_own_kernel_with_its_own_block(loop: str) -> None:
    found = geometries(f"void run(float *x, int n, int w) {{ {loop} }}")
    assert found == {"a": ["grid = n, block = 32"], "b": ["grid = n, block = 64"]}


def test_behind_a_loop_that_ends_early_the_values_are_those_of_the_turn_that_ended_it() -> None:
    text = "void run(float *x, int n, int w) { int t = 512; for (int i = 0; i < 2; i++) { if (w >= t) break; t /= 2; }"
    (geometry,) = geometries(text + " a<<<1, t>>>(x, n); }")["a"]
    assert geometry == "grid = 1, block = (w >= 512 ? 512 : (w <= 511 && w >= 256 ? 256 : 128))"


def test_a_table_that_the_program_writes_is_not_taken_as_it_was() -> None:
    text = "static Fn own[] = {a, b}; void run(float *x, int n, Fn f) { own[1]<<<1, n>>>(x, n); own[1] = f; }"
    assert geometries(text) == {}


def test_members_without_braces_of_their_own_take_what_follows() -> None:
    text = "struct Pair { int a, b; }; struct Both { Pair first, second; int last; };"
    text += "void run(float *x, int n) { Both s = {32, 64, n, 7, 9}; a<<<s.second.a, s.first.b>>>(x, s.last); }"
    assert geometries(text)["a"] == ["grid = n, block = 64"]


def test_what_a_braced_list_leaves_out_is_zero() -> None:
    text = "struct Shape { int rows[3]; int cols; };"
    text += "void run(float *x, int n) { Shape s = {{n}}; a<<<s.rows[0], 32 + s.cols + s.rows[2]>>>(x, n); }"
    assert geometries(text)["a"] == ["grid = n, block = 32"]


def test_the_address_of_a_device_array_is_memory_of_its_size() -> None:
    text = "__device__ float rows[4096]; void run(int n) { float *x; cudaGetSymbolAddress((void **)&x, rows); a<<<1, 32>>>(x, n); }"
    unit = translate(SourceFile("k.cu", "/k.cu", KERNELS + text), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    assert contract.facts[1].text == "x = variable rows of the device(16384 bytes)"


CALLERS = """
void one(float *x, int n, int level) { a<<<n, 1>>>(x, level); }
void two(float *x, int n, int level) { a<<<n, 2>>>(x, level); }
void four(float *x, int n, int level) { a<<<n, 4>>>(x, level); }
template <typename T, int width> void any(T *x, int n, int level) { a<<<n, width>>>(x, level); }
using Call = void (*)(float *, int, int);
"""


def levels(text: str) -> dict[str, list[str]]:
    """By the block of each launch, what is known of the level there."""
    unit = translate(SourceFile("k.cu", "/k.cu", KERNELS + CALLERS + text), ParseOptions(), "/").unit
    (contracts,) = launch_contracts(unit).values()
    return {
        c.facts[0].text.rpartition(" ")[2]: [
            f.text for f in c.facts if f.text.startswith("level ") and "=" in f.text[6:]
        ]
        for c in contracts
    }


def test_each_entry_of_a_table_is_called_where_its_number_asks_for_it() -> None:
    text = "void run(float *x, int n, int level) {"
    text += "static const Call calls[] = {one, two, one, four}; calls[level](x, n, level); }"
    found = levels(text)
    assert (found["1"], found["2"], found["4"]) == (["level == 0 || level == 2"], ["level == 1"], ["level == 3"])


def test_a_table_in_a_template_holds_what_its_instance_says() -> None:
    text = "template <typename T, int most> void run(T *x, int n, int level) {"
    text += "static const Call calls[] = {any<T, 8>, any<T, most>, one}; calls[level](x, n, level); }"
    text += "template void run<float, 8>(float *, int, int);"
    assert levels(text)["8"] == ["level == 0 || level == 1"]


def test_an_entry_that_is_asked_for_by_another_number_takes_any_level() -> None:
    text = "void run(float *x, int n, int kind, int level) {"
    text += "static const Call calls[] = {one, two}; calls[kind](x, n, level); }"
    found = levels(text)
    assert (found["1"], found["2"]) == ([], [])
