"""Clean plans carry what the emulator leaves in the buffers, where a GPU has to give the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cudalint import ir
from cudalint.confirm.emulate.run import Buffer, LaunchInput, PointerTo
from cudalint.confirm.expected import ELEMENT_NAMES, Expected, expected, expected_outputs
from cudalint.confirm.gpu.guard import digest
from cudalint.confirm.gpu.near import check, outside, written
from cudalint.confirm.gpu.plan_file import plan_paths, read_plan
from cudalint.confirm.gpu.results import judge
from cudalint.confirm.plan import Expectation, Plan
from cudalint.engine import ScanOptions, scan
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile

DATA = np.arange(8, dtype=np.float32)


def outputs(body: str, data: np.ndarray[Any, Any] | None = DATA) -> dict[str, str]:
    source = SourceFile("k.cu", "/k.cu", "__global__ void k(float *x) { " + body + " }")
    unit = translate(source, ParseOptions(), "/").unit
    (kernel,) = unit.functions
    launch = LaunchInput((1, 1, 1), (8, 1, 1), 0, (PointerTo("x"),))
    buffer = Buffer("x", size=32) if data is None else Buffer("x", data.copy().view(np.uint8))
    return expected_outputs(unit, Plan(kernel, launch, (buffer,), Expectation(("clean",), ())), 0)


def test_the_bytes_behind_the_launch_are_told() -> None:
    assert outputs("x[threadIdx.x] = x[threadIdx.x] * 3.0f + 1.0f;") == {"x": digest((DATA * 3 + 1).tobytes())}


def test_a_buffer_of_zeros_is_told_as_a_whole() -> None:
    wanted = np.zeros(8, np.float32)
    wanted[3] = 2
    assert outputs("x[3] = 2;", None) == {"x": digest(wanted.tobytes())}


@pytest.mark.parametrize(
    "body",
    [
        "x[threadIdx.x] = expf(x[threadIdx.x]);",  # correct to a few units in the last place
        "atomicAdd(x, x[threadIdx.x]);",  # rounded in the order of the threads
        "x[0] = atomicExch((int *)x + 1, threadIdx.x);",  # an order is seen
        "x[threadIdx.x + 1] = 0;",  # a fault
        "__shared__ float s[8]; if (threadIdx.x) s[threadIdx.x] = 1; x[threadIdx.x] = s[threadIdx.x];",  # nobody set s[0]
        "x[threadIdx.x] = sqrtf(-1.0f - x[threadIdx.x]);",  # the bits of what is no number
    ],
)
def test_nothing_is_told_where_a_gpu_may_differ(body: str) -> None:
    assert outputs(body) == {}


def test_sums_of_integers_do_not_depend_on_an_order() -> None:
    assert outputs("atomicAdd((int *)x, (int)threadIdx.x); ")


@pytest.mark.parametrize(("given", "verdict"), [("aa", "clean"), ("bb", "differs")])
def test_a_gpu_that_leaves_something_else_differs(given: str, verdict: str) -> None:
    plan = {"expectation": {"kinds": ["clean"], "lines": [], "blocks": [0], "outputs": {"x": "aa"}}}
    runs = [{"poison": 0, "bands": [], "outputs": {"x": given}}]
    assert judge(plan, {"plain": {"status": "ok", "runs": runs}})["verdict"] == verdict


def test_plans_of_a_scan_carry_them(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(
        "__global__ void k(int *x, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) x[i] = 2 * i; }\n"
        "void run(int n) { if (n < 1 || n > 999) return; int *x; cudaMalloc(&x, n * 4); k<<<(n + 63) / 64, 64>>>(x, n); }\n"
    )
    scan(ScanOptions((str(tmp_path / "k.cu"),), plan_dir=str(tmp_path / "plans")))
    plans = [read_plan(path) for path in plan_paths(tmp_path / "plans")]
    assert plans and all(list(plan["expectation"]["outputs"]) == ["run:x"] for plan in plans)
    assert all("--fmad=false" in plan["options"] for plan in plans)


def test_a_cooperative_launch_is_planned_as_one(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(
        "__global__ void k(int *x, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) x[i] = i; }\n"
        "void run(int n) { if (n < 1 || n > 999) return; int *x; cudaMalloc(&x, n * 4); void *args[] = {&x, &n};\n"
        "  cudaLaunchCooperativeKernel((void *)k, dim3((n + 63) / 64), dim3(64), args, 0, 0); }\n"
    )
    scan(ScanOptions((str(tmp_path / "k.cu"),), plan_dir=str(tmp_path / "plans")))
    plans = [read_plan(path) for path in plan_paths(tmp_path / "plans")]
    assert plans and all(plan["launch"]["cooperative"] for plan in plans)


def test_no_clean_run_is_planned_of_a_kernel_that_is_not_known_exactly(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(
        '#include "missing.h"\n__global__ void k(Thing *x) { x[threadIdx.x].a = 1; }\nvoid run(Thing *x) { k<<<1, 64>>>(x); }\n'
    )
    scan(ScanOptions((str(tmp_path / "k.cu"),), plan_dir=str(tmp_path / "plans")))
    assert not plan_paths(tmp_path / "plans")


@pytest.mark.parametrize(
    ("kind", "ordered", "verdict"),
    [
        ("clean", False, "fault"),
        ("clean", True, "clean"),
        ("out_of_bounds", False, "confirmed"),
        ("race", False, "clean"),
    ],
)
def test_runs_that_differ_say_nothing_where_the_order_of_threads_shows(kind: str, ordered: bool, verdict: str) -> None:
    plan = {"expectation": {"kinds": [kind], "lines": [], "blocks": [0], "ordered": ordered}, "slice": None}
    runs = [{"poison": n, "bands": [], "outputs": {"x": text}} for n, text in enumerate(("aa", "aa", "bb"))]
    assert judge(plan, {"plain": {"status": "ok", "runs": runs}})["verdict"] == verdict


# --- results of functions ------------------------------------------------------------------------------------------------


def told(
    body: str,
    exact_sums: bool = False,
    before: str = "",
    blocks: int = 1,
    type_: str = "float",
    data: np.ndarray[Any, Any] = DATA,
) -> Expected:
    source = SourceFile("k.cu", "/k.cu", f"{before}__global__ void k({type_} *x) {{ {body} }}")
    unit = translate(source, ParseOptions(), "/").unit
    kernel = next(name for name, each in unit.functions.items() if each.role is ir.Role.KERNEL)
    launch = LaunchInput((blocks, 1, 1), (8, 1, 1), 0, (PointerTo("x"),))
    buffer = Buffer("x", data.copy().view(np.uint8))
    return expected(unit, Plan(kernel, launch, (buffer,), Expectation(("clean",), ())), 0, exact_sums)


def distances(body: str, moved: np.ndarray[Any, Any]) -> dict[str, Any]:
    near = told(body).near["x"]
    wanted = np.frombuffer(near.wanted, np.float32)
    return outside(written("f32", near.wanted, near.allowed), (wanted + moved * np.spacing(wanted)).tobytes())


def test_a_function_may_be_off_by_what_the_guide_says() -> None:
    body = "if (threadIdx.x < 4) x[threadIdx.x] = expf(x[threadIdx.x]);"
    assert distances(body, np.array([2, -2, 1, 0, 0, 0, 0, 0], np.float32))["outside"] == 0
    assert distances(body, np.array([9, 0, 0, 0, 0, 0, 0, 0], np.float32))["outside"] == 1


def test_what_depends_on_no_function_has_to_be_equal() -> None:
    found = distances("if (threadIdx.x < 4) x[threadIdx.x] = expf(x[threadIdx.x]);", np.eye(8, dtype=np.float32)[6])
    assert (found["outside"], found["first"]) == (1, 6)


def test_errors_of_functions_reach_as_far_as_the_arithmetic_behind_them_carries_them() -> None:
    small = told("x[threadIdx.x] = 1.0f + 0.5f * sinf(x[threadIdx.x]);").near["x"].allowed
    large = told("x[threadIdx.x] = 1e3f * (sinf(x[threadIdx.x]) - 0.5f);").near["x"].allowed
    assert (small < 1e-6).all() and (large[1:] > 1e-4).all()


ROW = np.linspace(0.1, 3, 4096, dtype=np.float32)
CANCELS = """
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = expf(x[i]), sum = 0;
    for (int k = 1; k < 9; k++) sum += s / (float)k - s * 0.3f;
    x[i] = sum;
"""


def device(s: np.ndarray[Any, Any], terms: range = range(1, 9), sign: int = -1) -> np.ndarray[Any, Any]:
    """What the kernel above leaves where the function gives `s`."""
    total = np.zeros(len(s), np.float32)
    for k in terms:
        total = total + (s / np.float32(k) + np.float32(sign) * (s * np.float32(0.3)))
    return total.astype(np.float32)


def share_outside(given: np.ndarray[Any, Any]) -> float:
    return outside_of("x", told(CANCELS, blocks=512, data=ROW), given.tobytes()) / len(ROW)


@pytest.mark.parametrize("units", [-2, -1, 1, 2])
def test_what_a_function_moves_is_rounded_to_another_side_behind_it(units: int) -> None:
    s = np.exp(ROW.astype(np.float64)).astype(np.float32)
    assert share_outside(device(s + np.float32(units) * np.spacing(s))) == 0


def test_differences_of_other_kinds_are_told_beside_roundings() -> None:
    s = np.exp(ROW.astype(np.float64)).astype(np.float32)
    assert share_outside(device(s)) == 0
    assert share_outside(device(s, range(1, 8))) > 0.99  # a lost term
    assert share_outside(device(s, sign=1)) == 1  # another operator
    assert share_outside(device(np.roll(s, 1))) > 0.99  # the neighbour's element
    assert share_outside(device(s) * np.float32(1 + 2**-16)) > 0.9  # as far as half precision's last bits


def test_elements_that_no_function_reaches_get_no_room_for_roundings() -> None:
    """They have the share that half of the buffer has, as before: a few units in the last place."""
    body = """int i = blockIdx.x * blockDim.x + threadIdx.x; float v = x[i];
    if (i % 2) x[i] = expf(v) * 0.3f + 0.1f; else x[i] = v * 0.3f + 0.1f;"""
    near = told(body, blocks=512, data=ROW).near["x"]
    wanted = np.frombuffer(near.wanted, np.float32)
    assert (near.allowed[1::2] > 0).all() and (near.allowed[::2] < 10 * np.spacing(wanted[::2])).all()


def test_a_run_with_other_roundings_may_go_wrong_where_the_kernel_does_not() -> None:
    """An index that is computed in floats is right on the device, and one too small where it is moved by a unit."""
    body = (
        "int i = blockIdx.x * blockDim.x + threadIdx.x; int k = (i + 0.4f) * 1.25f - i / 4 - 0.5f; x[k] = expf(x[i]);"
    )
    assert told(body, blocks=1).reason == ""


def test_exact_kernels_are_told_by_their_bytes() -> None:
    assert told("x[threadIdx.x] = sqrtf(x[threadIdx.x]) / 3.0f;").outputs and not told("x[0] = 1;").near


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("if (threadIdx.x) x[threadIdx.x] = atomicAdd(x, 1.0f);", "order"),
        ("if (threadIdx.x) x[atomicAdd((int *)x, 1) + 1] = threadIdx.x;", "order"),
        ("if (threadIdx.x > 1) if (atomicExch((int *)x, 1) == 0) x[1] = threadIdx.x;", "order"),
        ("atomicExch((int *)x, threadIdx.x);", "order"),  # the last one stays
        ("if (threadIdx.x) atomicCAS((int *)x, 0, threadIdx.x);", "order"),  # the first one does
        ("x[threadIdx.x] = j0f(x[threadIdx.x]);", "bounds the error of j0"),
        ("x[threadIdx.x + 1] = expf(1);", "out_of_bounds"),
    ],
)
def test_nothing_is_told_without_a_reason_why(body: str, reason: str) -> None:
    assert reason in told(body).reason


def test_what_is_no_number_is_compared_as_such() -> None:
    near = told("x[threadIdx.x] = sqrtf(3.0f - x[threadIdx.x]);").near["x"]
    wanted = np.frombuffer(near.wanted, np.float32)
    entry = written("f32", near.wanted, near.allowed)
    other = wanted.copy().view(np.uint32)
    other[np.isnan(wanted)] ^= 0x80000001
    assert outside(entry, other.tobytes())["outside"] == 0
    assert outside(entry, np.nan_to_num(wanted).tobytes())["outside"] == np.isnan(wanted).sum() > 0


def outside_of(name: str, found: Expected, given: bytes) -> int:
    near = found.near[name]
    return int(outside(written(ELEMENT_NAMES[near.element], near.wanted, near.allowed), given)["outside"])


def test_numbers_are_those_that_are_stored_whatever_the_parameter_says() -> None:
    """A buffer of bytes that holds floats, which are no numbers on the device by other bits."""
    found = told("((float *)x)[threadIdx.x] = sqrtf(3.0f - threadIdx.x);", type_="unsigned char")
    wanted = np.frombuffer(found.near["x"].wanted, np.float32)
    assert found.near["x"].element == ir.F32 and np.isnan(wanted[4:8]).all()
    device = np.where(np.isnan(wanted), np.uint32(0x7FFFFFFF), wanted.view(np.uint32))
    assert outside_of("x", found, device.tobytes()) == 0


def test_what_is_no_number_may_have_any_bits_where_it_is_stored_as_something_else() -> None:
    found = told("float v = sqrtf(3.0f - x[threadIdx.x]); ((unsigned *)x)[threadIdx.x] = *(unsigned *)&v;")
    wanted = np.frombuffer(found.near["x"].wanted, np.uint32).copy()
    device = np.where(np.isnan(wanted.view(np.float32)), np.uint32(0x7FFFFFFF), wanted)
    assert outside_of("x", found, device.tobytes()) == 0
    device[0] += np.uint32(1)
    assert outside_of("x", found, device.tobytes()) == 1


def test_vectors_hold_numbers_of_their_elements() -> None:
    body = "if (threadIdx.x < 2) ((float4 *)x)[threadIdx.x] = make_float4(1, sqrtf(0.0f - threadIdx.x), 2, 3);"
    near = told(body, type_="unsigned char").near["x"]
    assert near.element == ir.F32 and np.isnan(np.frombuffer(near.wanted, np.float32)[5]) and not near.allowed.any()


def test_what_a_thread_did_not_write_may_be_anything() -> None:
    body = "float v[2]; if (threadIdx.x < 4) v[0] = 2.0f; x[threadIdx.x] = v[0] + x[threadIdx.x];"
    found = told(body)
    given = np.frombuffer(found.near["x"].wanted, np.float32).copy()
    given[4:] = [np.nan, 0, 1, np.inf]
    assert outside_of("x", found, given.tobytes()) == 0
    given[3] = 0
    assert outside_of("x", found, given.tobytes()) == 1


def test_bytes_that_nobody_wrote_travel_in_the_copy_of_an_object_that_is_partly_written() -> None:
    """No event tells of the copy: padding and unused members travel like this in correct programs."""
    before = (
        "struct alignas(16) Pack { float v[4]; __device__ int4 bits() { int4 b; memcpy(&b, v, 16); return b; } };\n"
    )
    body = "Pack p; for (int k = threadIdx.x; k < 3; k++) p.v[k] = k; if (threadIdx.x < 2) ((int4 *)x)[threadIdx.x] = p.bits();"
    found = told(body, before=before)
    given = np.frombuffer(found.near["x"].wanted, np.float32).copy()
    assert given[[1, 2, 5, 6]].tolist() == [1, 2, 1, 2]
    for nobodys in (3, 4, 7):
        given[nobodys] = 99
    assert outside_of("x", found, given.tobytes()) == 0
    given[5] = 2
    assert outside_of("x", found, given.tobytes()) == 1


def test_floats_that_are_stored_as_the_bits_of_an_integer_are_compared_as_floats() -> None:
    """Two of them in one: a distance between the integers says nothing of the lower one."""
    body = """
        float v[2]; v[0] = expf(threadIdx.x); v[1] = expf(-1.0f * threadIdx.x);
        if (threadIdx.x < 4) ((unsigned long long *)x)[threadIdx.x] = *(unsigned long long *)v;
    """
    found = told(body)
    wanted = np.frombuffer(found.near["x"].wanted, np.float32)
    assert found.near["x"].element == ir.F32
    for element in (2, 3):
        given = wanted.copy()
        given[element] += np.spacing(given[element])
        assert outside_of("x", found, given.tobytes()) == 0
        given[element] *= np.float32(1.001)
        assert outside_of("x", found, given.tobytes()) == 1


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("((float **)x)[threadIdx.x % 4] = x + threadIdx.x % 4;", "it stores addresses"),
        ("x[0] = threadIdx.x;", "race"),
    ],
)
def test_nothing_is_told_of_addresses_and_of_races(body: str, reason: str) -> None:
    assert told(body).reason.startswith(reason)


def test_different_atomics_on_one_object_leave_what_their_order_makes_of_it() -> None:
    body = "if (blockIdx.x) atomicAdd((int *)x, 8); else atomicMax((int *)x, 16);"
    assert told(body, blocks=2).reason == "the order of threads decides"


@pytest.mark.parametrize(
    "body",
    [
        "atomicInc((unsigned *)x, 17);",  # each adds one, whoever is first
        "atomicExch((int *)x, 4);",
        "atomicAdd((int *)x, 8); atomicMax((int *)x + 1, threadIdx.x);",
    ],
)
def test_atomics_that_commute_leave_the_same_in_any_order(body: str) -> None:
    assert told(body).outputs


def test_threads_that_write_the_same_value_leave_it() -> None:
    assert not told("x[0] = 1.0f;").reason


def test_sums_of_floats_are_within_what_any_order_rounds_away() -> None:
    body = "float v = x[threadIdx.x]; __syncthreads(); atomicAdd(x + threadIdx.x / 4, v * 0.1f);"
    near = told(body).near["x"]
    wanted = np.frombuffer(near.wanted, np.float32)
    addends = np.concatenate([DATA[:2, None], (DATA * np.float32(0.1)).reshape(2, 4)], axis=1).astype(np.float32)
    backwards = np.array([np.cumsum(each[::-1], dtype=np.float32)[-1] for each in addends])
    assert (np.abs(backwards - wanted[:2]) <= near.allowed[:2]).all() and (near.allowed[:2] < 1e-5).all()
    assert (near.allowed[2:] == 0).all()


LAST_BLOCK = """
    __shared__ bool is_last;
    float v = 0.1f * (blockIdx.x + 1);
    if (threadIdx.x == 0) {
        atomicAdd(x, v);
        __threadfence();
        is_last = atomicAdd(&finished, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) x[1] = %s;
"""


def test_an_order_that_is_seen_need_not_decide() -> None:
    """The last block is another one each time, and reads the sum of all of them."""
    near = told(LAST_BLOCK % "2 * atomicAdd(x, 0.0f)", before="__device__ unsigned finished;", blocks=4).near["x"]
    wanted = np.frombuffer(near.wanted, np.float32)
    assert wanted[:2] == pytest.approx([1, 2]) and (near.allowed[:2] < 1e-5).all()


def test_which_block_is_the_last_is_nobodys_promise() -> None:
    found = told(LAST_BLOCK % "blockIdx.x", before="__device__ unsigned finished;", blocks=4)
    assert "order" in found.reason


WAIT = "long long start = clock64(); while (clock64() - start < 1000) {} "


def test_what_waits_for_a_clock_is_told() -> None:
    assert told(WAIT + "x[threadIdx.x] *= 2;").outputs == told("x[threadIdx.x] *= 2;").outputs


def test_what_a_clock_says_is_not_told() -> None:
    assert "clock" in told(WAIT + "x[threadIdx.x] = clock64() - start;").reason


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (
            "int e; float m = frexpf(x[threadIdx.x], &e); x[threadIdx.x] = 100 * m + e;",
            100 * np.frexp(DATA)[0] + np.frexp(DATA)[1],
        ),
        (
            "float w; float f = modff(0.75f * x[threadIdx.x], &w); x[threadIdx.x] = w - f;",
            np.trunc(0.75 * DATA) - 0.75 * DATA % 1,
        ),
    ],
)
def test_both_results_of_a_split_are_exact(body: str, wanted: np.ndarray[Any, Any]) -> None:
    assert told(body).outputs == {"x": digest(wanted.astype(np.float32).tobytes())}


def test_saturation_is_exact() -> None:
    assert told("x[threadIdx.x] = __saturatef(x[threadIdx.x] * 0.3f);").outputs


def test_errors_that_cancel_leave_an_element_the_room_of_others() -> None:
    body = "float v = x[threadIdx.x]; x[threadIdx.x] = threadIdx.x % 2 ? expf(v) : expf(v) - expf(v) + 9;"
    allowed = told(body).near["x"].allowed
    assert (allowed[::2] > np.spacing(np.float32(9))).all()


def test_sums_that_are_promised_to_be_exact_are_told() -> None:
    assert told("atomicAdd(x, x[threadIdx.x]);", exact_sums=True).outputs


def test_elements_that_are_too_far_away_differ() -> None:
    plan = {"expectation": {"kinds": ["clean"], "lines": [], "blocks": [0], "near": {"x": {}}}}
    far = {"outside": 2, "first": 3, "given": "1.5", "wanted": "1.0", "allowed": 1e-6, "share": 0.0}
    runs = [{"poison": 0, "bands": [], "outputs": {}, "near": {"x": far}}]
    judged = judge(plan, {"plain": {"status": "ok", "runs": runs}})
    assert judged["verdict"] == "differs" and "element 3 is 1.5, not 1.0" in judged["detail"]


@pytest.mark.parametrize("entry", [{"element": "f12"}, {"element": "f32", "wanted": "?", "allowed": ""}, []])
def test_distances_that_cannot_be_read_are_refused(entry: object) -> None:
    with pytest.raises(ValueError):
        check(entry)


@pytest.mark.parametrize(
    ("instruction", "value"),
    [("rsqrt.approx.f32", 0.5), ("rcp.approx.ftz.f32", 0.25), ("ex2.approx.f32", 16.0), ("lg2.approx.f32", 2.0)],
)
def test_approximate_instructions_are_functions_with_errors(instruction: str, value: float) -> None:
    assembly = f'asm("{instruction} %0, %1;" : "=f"(y) : "f"(x[threadIdx.x]));'
    near = told(f"float y; if (threadIdx.x == 4) {{ {assembly} x[0] = y; }}").near["x"]
    assert np.frombuffer(near.wanted, np.float32)[0] == np.float32(value) and 0 < near.allowed[0] < 1e-5 * value


def test_what_flushes_makes_zeros_of_what_is_subnormal() -> None:
    instruction = 'asm("ex2.approx%s.f32 %%0, %%1;" : "=f"(y) : "f"(-130.f));'
    for modifier, zero in ((".ftz", True), ("", False)):
        found = told(f"float y; {instruction % modifier} x[threadIdx.x] += (y == 0.f);")
        assert found.outputs == {"x": digest((DATA + zero).tobytes())}
