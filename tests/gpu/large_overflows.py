"""Overflows whose witnesses need 5 to 150 GiB, run on a GPU with 2 GiB of it; beside each its twin that numbers in 64 bits.

    cudalint check tests/gpu/overflows --profile audit --plan DIR      the witnesses of the bad kernels
    python -m tests.gpu.large_overflows DIR                            adds the twins, with the same launch and the same buffers
    python tests/gpu/run_all.py DIR --all                              where the GPU is

Each twin has to run clean where the bad kernel was confirmed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from cudalint.confirm.gpu.plan_file import Plan, plan_paths, read_plan, with_id, write_plan
from cudalint.frontend.instrument import instrument
from cudalint.frontend.slice import slice_for_nvrtc
from cudalint.source import SourceFile

KERNELS = Path(__file__).parent / "overflows"


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__)
        return 2
    folder = Path(arguments[0])
    for path in plan_paths(folder):
        plan = read_plan(path)
        if plan["expectation"]["kinds"] == ["clean"] or not Path(plan["path"]).name.startswith("bad_"):
            path.unlink()  # small launches of the kernels, which tell nothing here
            continue
        write_plan(folder, twin(plan))
        print(f"{Path(plan['path']).name}: {bytes_of(plan) / 2**30:.1f} GiB, {plan['launch']['grid']} blocks")
    return 0


def twin(plan: Plan) -> Plan:
    """The launch of the plan with the kernel that does not overflow: it has to show nothing."""
    path = KERNELS / Path(plan["path"]).name.replace("bad_", "ok_")
    text = path.read_text()
    source = SourceFile(plan["path"].replace("bad_", "ok_"), str(path), text)
    cut = slice_for_nvrtc(source, plan["kernel"], ())
    copy = instrument(cut.text)
    assert copy is not None
    instrumented: dict[str, Any] = {
        "text": copy.text, "sites": [list(site) for site in copy.sites], "races": copy.races, "across": copy.across,
    }  # fmt: skip
    return with_id({
        **plan,
        "path": source.path, "code": "", "fingerprint": "",
        "slice": {"text": cut.text, "name": cut.name_expression, "instrumented": instrumented},
        "expectation": {"kinds": ["clean"], "lines": [], "blocks": plan["expectation"]["blocks"], "ordered": True},
    })  # fmt: skip


def bytes_of(plan: Plan) -> int:
    return sum(buffer["size"] for buffer in plan["buffers"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
