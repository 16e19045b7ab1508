"""Planted defects of synchronisation, each beside the correct kernel that is a few tokens away, as plans without an analysis.

    python -m tests.gpu.planted DIR          where the front end is
    python tests/gpu/run_all.py DIR --all    where the GPU is

`// here` ends the guilty lines. Both kernels run in 2 blocks of 128 threads over x, y (256 floats), counts (256 ints, all 0) and
flag (all 0). Most of them end without an error of the device, and compute-sanitizer does not report them.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cudalint.confirm.gpu.plan_file import Plan, with_id, write_plan
from cudalint.frontend.instrument import instrument

HEAD = "__global__ void k(const float* x, float* y, int* counts, volatile int* flag, int n) {\n"
START = "    int t = threadIdx.x, i = blockIdx.x * 128 + t;\n"
GUILTY = "// here"
N = 250


@dataclass(frozen=True, slots=True)
class Planted:
    """Bodies of a kernel with the defect and without it, and what a run has to show."""

    kinds: tuple[str, ...]
    bad: str
    ok: str


BARRIER, MASK, RACE = ("divergence", "exit_before_barrier"), ("warp_mask",), ("race",)
PLANTED = {
    "barrier_of_whole_warps": Planted(
        BARRIER,
        "__shared__ float s[128]; s[t] = x[i];\nif (t < 64) {\n__syncthreads(); // here\ny[i] = s[63 - t];\n}",
        "__shared__ float s[128]; s[t] = x[i];\n__syncthreads();\nif (t < 64) y[i] = s[63 - t];",
    ),
    "barrier_of_some_lanes": Planted(
        BARRIER,
        "if (t % 2 == 0) {\ny[i] = x[i];\n__syncthreads(); // here\n}",
        "if (t % 2 == 0) {\ny[i] = x[i];\n}\n__syncthreads();",
    ),
    "survivor_needs_the_exited": Planted(
        ("uninitialised",),
        "__shared__ float s[128];\nif (i >= n) return;\ns[t] = x[i];\n__syncthreads();\ny[i] = s[127 - t]; // here",
        "__shared__ float s[128];\ns[t] = i < n ? x[i] : 0.f;\n__syncthreads();\nif (i < n) y[i] = s[127 - t];",
    ),
    "full_mask_in_a_branch": Planted(
        MASK,
        "float v = x[i];\nif (t % 32 < 16)\nv += __shfl_xor_sync(0xffffffff, v, 1); // here\ny[i] = v;",
        "float v = x[i];\nif (t % 32 < 16)\nv += __shfl_xor_sync(0x0000ffff, v, 1);\ny[i] = v;",
    ),
    "full_mask_behind_returns": Planted(
        MASK,
        "if (i >= n) return;\nfloat v = x[i];\nv += __shfl_down_sync(0xffffffff, v, 16); // here\ny[i] = v;",
        "float v = i < n ? x[i] : 0.f;\nv += __shfl_down_sync(0xffffffff, v, 16);\nif (i < n) y[i] = v;",
    ),
    "mask_without_its_caller": Planted(
        MASK,
        "float v = x[i];\nif (__any_sync(0x7fffffff, v > 0.f)) // here\ny[i] = v;",
        "float v = x[i];\nif (__any_sync(0xffffffff, v > 0.f))\ny[i] = v;",
    ),
    "warp_barrier_in_a_branch": Planted(
        MASK,
        "y[i] = x[i];\nif (t % 2 == 0)\n__syncwarp(); // here",
        "y[i] = x[i];\nif (t % 2 == 0)\n__syncwarp(0x55555555);",
    ),
    "neighbour_without_barrier": Planted(
        RACE,
        "__shared__ float s[128];\ns[t] = x[i]; // here\ny[i] = s[127 - t]; // here",
        "__shared__ float s[128];\ns[t] = x[i];\n__syncthreads();\ny[i] = s[127 - t];",
    ),
    "global_neighbour_in_a_block": Planted(
        RACE,
        "counts[i] = i; // here\ny[i] = counts[i ^ 64]; // here",
        "counts[i] = i;\n__syncthreads();\ny[i] = counts[i ^ 64];",
    ),
    "global_neighbour_of_another_block": Planted(
        RACE,
        "counts[i] = i; // here\n__syncthreads();\ny[i] = counts[i ^ 128]; // here",
        "counts[i] = i;\n__syncthreads();\ny[i] = counts[i ^ 64];",
    ),
    "lost_counter": Planted(
        RACE,
        "if (x[i] > 0.f)\ncounts[0]++; // here",
        "if (x[i] > 0.f)\natomicAdd(&counts[0], 1);",
    ),
    "counter_through_a_pointer": Planted(
        RACE,
        "int* mine = counts + t % 4;\n*mine += 1; // here",
        "int* mine = counts + t % 4;\natomicAdd(mine, 1);",
    ),
    "plain_beside_atomic": Planted(
        RACE,
        "atomicAdd(&counts[t % 4], 1); // here\ny[i] = counts[t % 4]; // here",
        "atomicAdd(&counts[t % 4], 1);\ny[i] = t;",
    ),
    "uninitialised_shared": Planted(
        ("uninitialised",),
        "__shared__ float s[128];\nif (t < 100) s[t] = x[i];\n__syncthreads();\ny[i] = s[t]; // here",
        "__shared__ float s[128];\ns[t] = t < 100 ? x[i] : 0.f;\n__syncthreads();\ny[i] = s[t];",
    ),
    "result_of_the_last_block": Planted(
        RACE,
        "__shared__ int last;\ny[i] = x[i]; // here\n__syncthreads();\n"
        "if (t == 0) last = atomicAdd(counts, 1) == 1;\n__syncthreads();\nif (last && t == 0) y[0] = y[n - 1] + y[1]; // here",
        "__shared__ int last;\ny[i] = x[i];\n__threadfence();\n__syncthreads();\n"
        "if (t == 0) { last = atomicAdd(counts, 1) == 1; __threadfence(); }\n__syncthreads();\n"
        "if (last && t == 0) y[0] = y[n - 1] + y[1];",
    ),
    "flag_without_fence": Planted(
        RACE,
        "if (blockIdx.x == 0 && t == 0) {\ny[0] = x[0]; // here\nflag[0] = 1;\n}\n"
        "if (blockIdx.x == 1 && t == 0) {\nwhile (flag[0] == 0) continue;\ny[200] = y[0]; // here\n}",
        "if (blockIdx.x == 0 && t == 0) {\ny[0] = x[0];\n__threadfence();\nflag[0] = 1;\n}\n"
        "if (blockIdx.x == 1 && t == 0) {\nwhile (flag[0] == 0) continue;\n__threadfence();\ny[200] = y[0];\n}",
    ),
    "lock_without_fence": Planted(
        RACE,
        "if (t == 0) {\nwhile (atomicCAS(&counts[1], 0, 1) != 0) continue;\n"
        "counts[0] += 1; // here\natomicExch(&counts[1], 0);\n}",
        "if (t == 0) {\nwhile (atomicCAS(&counts[1], 0, 1) != 0) continue;\n__threadfence();\n"
        "counts[0] += 1;\n__threadfence();\natomicExch(&counts[1], 0);\n}",
    ),
}  # fmt: skip


def source(body: str) -> str:
    return HEAD + START + body + "\n}\n"


def plan(name: str, kinds: tuple[str, ...], body: str) -> Plan:
    text = source(body)
    copy = instrument(text)
    assert copy is not None
    lines = [["", number] for number, line in enumerate(text.split("\n"), 1) if line.endswith(GUILTY)]
    buffers = [
        {"name": "x", "size": 1024, "contents": {"drawn": "f32", "bounds": None}},
        *({"name": name, "size": 1024, "contents": {"zero": True}} for name in ("y", "counts", "flag")),
    ]
    instrumented: dict[str, Any] = {
        "text": copy.text, "sites": [list(site) for site in copy.sites], "races": copy.races, "across": copy.across,
    }  # fmt: skip
    return with_id({
        "kernel": "k", "path": f"{name}.cu", "code": "" if kinds == ("clean",) else "SYN", "fingerprint": "", "seed": 1,
        "slice": {"text": text, "name": "k", "instrumented": instrumented}, "options": ["-std=c++17", "--generate-line-info"],
        "launch": {"grid": [2, 1, 1], "block": [128, 1, 1], "shared": 0, "cooperative": False},
        "args": [*({"pointer": b["name"], "offset": 0} for b in buffers), {"scalar": "i32", "value": N}],
        "buffers": buffers,
        "expectation": {"kinds": list(kinds), "lines": lines, "blocks": [0, 1], "ordered": kinds != ("clean",)},
    })  # fmt: skip


def plans() -> list[Plan]:
    made = []
    for name, one in PLANTED.items():
        made += [plan(f"bad_{name}", one.kinds, one.bad), plan(f"ok_{name}", ("clean",), one.ok)]
    return made


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__)
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for made in plans():
        write_plan(folder, made)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
