"""A plan run by the emulator: the same inputs, and the verdicts of a GPU's run (gpu/results.py), on any machine.

Bounds, alignment, races within and between blocks and barriers are seen for every access of the run; huge buffers that hold
zeros cost the pages that are touched. The run ends where the failure is seen. What a file says is only ever data: a part that
makes no sense costs its own plan, with the verdict `error`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import cudalint
from cudalint.confirm import meant as meant_events
from cudalint.confirm.emulate.events import Access, Event
from cudalint.confirm.emulate.run import Aggregate, Argument, Buffer, LaunchInput, Outcome, PointerTo, Scalar, run
from cudalint.confirm.gpu.guard import digest
from cudalint.confirm.gpu.near import outside
from cudalint.confirm.gpu.plan_file import (
    Plan,
    PlanError,
    buffer_bytes,
    canonical,
    decoded,
    plan_paths,
    read_plan,
    result_path,
)
from cudalint.confirm.gpu.results import SCHEMA
from cudalint.confirm.meant import Meant
from cudalint.ir.portable import loaded

BY = "emulator"
LANE_LIMIT = 1 << 17
MEMORY_LIMIT = 1 << 28
SMALL = 1 << 20  # bytes of a buffer of zeros that is kept as a whole
FAULTS = ("out_of_bounds", "null", "misaligned", "race", "divergence", "warp_mask", "trap")
CLEAN = "clean"
Observation = dict[str, Any]


class CannotEmulate(Exception):
    """The plan holds nothing that the emulator can run; one line."""


def run_plans(directory: str) -> int:
    """Run all plans and print one line. 0: each plan has a verdict; 3: a plan cannot be read or be run."""
    paths = plan_paths(Path(directory))
    if not paths:
        print(
            f"cudalint: {directory}: no plans (*.plan.json); `cudalint check --plan {directory}` writes them",
            file=sys.stderr,
        )
        return 2
    counts: Counter[str] = Counter()
    for path in paths:
        try:
            outcome = result(read_plan(path))
        except PlanError as error:
            print(f"cudalint: {error}", file=sys.stderr)
            counts["unreadable"] += 1
            continue
        result_path(path).write_bytes(canonical(outcome))
        counts[outcome["verdict"]] += 1
    print(f"{len(paths)} plans: " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    return 3 if counts["unreadable"] or counts["error"] else 0


def result(plan: Plan) -> dict[str, Any]:
    """The result file of a plan: verdict, detail, and what was observed."""
    observation = observed(plan)
    return {
        "schema": SCHEMA, "id": plan["id"], "fingerprint": plan["fingerprint"], "kernel": plan["kernel"],
        "path": plan["path"], "code": plan["code"], "expected": plan["expectation"]["kinds"],
        "compared": sorted(plan["expectation"].get("outputs", {})), "near": sorted(plan["expectation"].get("near", {})),
        **{name: observation.pop(name) for name in ("verdict", "detail", "error")}, "by": BY,
        "observations": {BY: observation}, "versions": versions(),
    }  # fmt: skip


def versions() -> dict[str, str]:
    return {"cudalint": cudalint.__version__, "numpy": np.__version__}


def observed(plan: Plan) -> Observation:
    """The verdict, and what the run saw; an input that the emulator fails at is an error of that name."""
    try:
        outcome, meant = _outcome(plan)
        return {**_judged(plan, outcome, meant), **_seen(outcome)}
    except CannotEmulate as error:
        return _error("not-emulated", str(error))
    except Exception as error:  # the plan may hold anything
        return _error(type(error).__name__, f"the emulator failed: {' '.join(str(error).split())[:200]}")


def _error(name: str, detail: str) -> Observation:
    return {"verdict": "error", "detail": detail, "error": name, "events": [], "outputs": {}, "guards": [], "steps": 0}


# --- the run --------------------------------------------------------------------------------------------------------------


def _outcome(plan: Plan) -> tuple[Outcome, Meant]:
    settings = plan.get("emulator")
    if plan.get("ir") is None or settings is None:
        raise CannotEmulate("the plan holds no IR; `cudalint check --plan` of this version writes it")
    try:
        unit = loaded(plan["ir"]["table"])
        meant = meant_events.loaded(settings["meant"]) if settings["meant"] is not None else Meant((), frozenset())
    except ValueError as error:
        raise CannotEmulate(str(error)) from None
    launch = plan["launch"]
    blocks = settings["blocks"]
    given = LaunchInput(
        _dim(launch["grid"]), _dim(launch["block"]), launch["shared"], tuple(map(_argument, plan["args"])),
        None if blocks is None else tuple(blocks), launch.get("constants", {}),
    )  # fmt: skip
    recipes = [*plan["buffers"], *plan.get("constants", [])]
    outcome = run(
        unit, plan["ir"]["kernel"], given, buffers(recipes, plan["seed"]), seed=plan["seed"], wanted=meant.ends,
        step_limit=settings["steps"], work_limit=settings["work"], lane_limit=LANE_LIMIT, memory_limit=MEMORY_LIMIT,
        detect_races=settings["races"],
    )  # fmt: skip
    return outcome, meant


def buffers(recipes: list[dict[str, Any]], seed: int) -> tuple[Buffer, ...]:
    """Buffers of the run; raises CannotEmulate for more bytes than a run may have."""
    written = sum(recipe["size"] for recipe in recipes if "zero" not in recipe["contents"])
    if written > 2 * MEMORY_LIMIT:
        raise CannotEmulate(f"its buffers need {written} bytes, the emulator takes up to {2 * MEMORY_LIMIT}")
    return tuple(_buffer(recipe, seed) for recipe in recipes)


def _buffer(recipe: Mapping[str, Any], seed: int) -> Buffer:
    data, size = buffer_bytes(recipe, seed), recipe["size"]
    pointers = tuple((at, PointerTo(name, offset)) for at, name, offset in recipe.get("pointers", ()))
    if data is None and (size <= SMALL or pointers):
        return Buffer(recipe["name"], np.zeros(size, np.uint8), pointers=pointers)
    if data is None:
        return Buffer(recipe["name"], None, size=size)
    return Buffer(recipe["name"], np.frombuffer(data, np.uint8).copy(), pointers=pointers)


def _argument(arg: Mapping[str, Any]) -> Argument:
    if "scalar" in arg:
        value = arg["value"]
        if arg["scalar"] == "bool":
            return Scalar(bool(value))
        return Scalar(float.fromhex(value) if isinstance(value, str) else value)
    if "pointer" in arg:
        return PointerTo(arg["pointer"], arg.get("offset", 0))
    pointers = tuple((at, PointerTo(name, offset)) for at, name, offset in arg.get("pointers", ()))
    return Aggregate(np.frombuffer(decoded(arg["bytes"]), np.uint8).copy(), pointers)


def _dim(sizes: list[int]) -> tuple[int, int, int]:
    x, y, z = sizes
    return x, y, z


# --- the verdict ------------------------------------------------------------------------------------------------------------


def _judged(plan: Plan, outcome: Outcome, meant: Meant) -> Observation:
    shown = next((event for event in outcome.events if meant.is_shown(event)), None)
    if shown is not None:
        return _verdict("confirmed", _told(shown))
    faults = [e for e in outcome.events if e.kind in FAULTS and e.detail != meant_events.SAME_VALUE]
    if faults:
        return _verdict("fault", _told(faults[0]))
    if outcome.status != "finished":
        reason = outcome.reason or "the run came to what is not understood"
        if outcome.status == "step_limit":
            return _verdict("timeout", f"the run did not end in its steps: {reason}")
        return _verdict("error", reason, outcome.status.replace("_", "-"))
    if any(map(meant.is_it, outcome.events)):
        return _verdict(CLEAN, "both threads write the same value")
    differing = _differing(plan["expectation"], outcome)
    return _verdict("differs", differing) if differing else _verdict(CLEAN, "nothing was seen")


def _differing(expectation: Mapping[str, Any], outcome: Outcome) -> str | None:
    """A buffer that does not hold what it has to."""
    for name, wanted in sorted(expectation.get("outputs", {}).items()):
        if name in outcome.buffers and digest(outcome.buffers[name].tobytes()) != wanted:
            return f"difference: `{name}` is not what it has to be"
    for name, entry in sorted(expectation.get("near", {}).items()):
        if name in outcome.buffers and outside(entry, outcome.buffers[name].tobytes())["outside"]:
            return f"difference: elements of `{name}` are farther off than functions may be"
    return None


def _verdict(verdict: str, detail: str, error: str | None = None) -> Observation:
    return {"verdict": verdict, "detail": detail, "error": error}


def _told(event: Event) -> str:
    access = event.access
    text = f"{event.kind}: {_who(access)}"
    if access.kind != "none":
        text += f" {access.kind}s `{access.place}`[{access.index}], {access.extent} bytes"
    if event.other is not None:
        text += f"; {_who(event.other)} at {event.other.span.path}:{event.other.span.line}"
    return f"{text} ({access.span.path}:{access.span.line})"


def _who(access: Access) -> str:
    return "block ({},{},{}) thread ({},{},{})".format(*access.block, *access.thread)


# --- what is kept -------------------------------------------------------------------------------------------------------------


def _seen(outcome: Outcome) -> Observation:
    """Events, the digests of what lies in the buffers where the run ended, and what was touched outside of them."""
    outputs = {name: digest(data.tobytes()) for name, data in sorted(outcome.buffers.items())}
    for name, pages in sorted(outcome.pages.items()):
        outputs[name] = digest(
            b"".join(number.to_bytes(8, "little") + pages[number].tobytes() for number in sorted(pages))
        )
    out = [event.access for event in outcome.events if event.kind == "out_of_bounds"]
    guards = [
        {
            "buffer": a.place,
            "side": "below" if a.offset < 0 else "above",
            "offset": a.offset,
            "size": a.size,
            "kind": a.kind,
        }
        for a in out
    ]
    return {"events": [_event(e) for e in outcome.events], "outputs": outputs, "guards": guards, "steps": outcome.steps}


def _event(event: Event) -> dict[str, Any]:
    other = None if event.other is None else _access(event.other)
    return {"kind": event.kind, "access": _access(event.access), "other": other, "detail": event.detail}


def _access(access: Access) -> dict[str, Any]:
    span = access.span
    return {
        "path": span.path, "line": span.line, "column": span.column, "kind": access.kind, "place": access.place,
        "offset": access.offset, "index": access.index, "size": access.size, "extent": access.extent,
        "block": list(access.block), "thread": list(access.thread),
    }  # fmt: skip
