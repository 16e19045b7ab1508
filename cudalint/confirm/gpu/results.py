"""Results: what was observed of a plan, judged against what it was expected to show.

    confirmed   the expected kind of event at an expected line
    fault       something went wrong, but not what and where it was expected
    clean       nothing was seen
    error       the plan could not be run: `error` is the name
    timeout     the kernel did not end within the limit

Detectors, strongest first: the instrumented copy and compute-sanitizer name the line; guard bands, poison and the
CUDA error do not, so they confirm only where the instrumented copy could not run, or where none of its sites is at an expected
line: what the code of a library does there it does not see.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from cudalint.confirm.gpu.guard import depends_on_poison, nondeterministic
from cudalint.confirm.gpu.plan_file import Plan
from cudalint.confirm.gpu.shadow_warps import ABSENT, MASK

SCHEMA = "cudalint-results/1"
BOUNDS = {"out_of_bounds", "null"}
POISON = "poison"
BARRIERS = {"divergence", "exit_before_barrier"}
ORDER = {"race", MASK, *BARRIERS}  # who comes where, and when
STORES = "stores"  # to one place: a race unless the values are the same, which the copy does not see
OVERTAKEN = "uninitialised"  # in a race: the read came before the store that it was to come behind
UNWRITTEN = "unwritten"
NO_FAULT = ("wild", "exit_before_barrier", OVERTAKEN, STORES)
ILLEGAL = {
    *("cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS", "cudaErrorMisalignedAddress"),
    *("CUDA_ERROR_MISALIGNED_ADDRESS", "cudaErrorInvalidAddressSpace", "CUDA_ERROR_INVALID_ADDRESS_SPACE"),
    *("cudaErrorLaunchFailure", "CUDA_ERROR_LAUNCH_FAILED"),
}
Observations = dict[str, Any]
_UNSEEN = {
    "verdict": "error",
    "detail": "the access is in the code of a library, where the instrumented copy sees none",
    "error": "not_instrumented",
    "by": None,
}


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing that a detector saw; `lines` are empty where the detector names none."""

    detector: str
    kind: str
    text: str
    lines: tuple[tuple[str, int], ...] = ()


def seen(observations: Observations) -> list[Seen]:
    """Everything that was seen, strongest detector first."""
    return [
        *_instrumented(observations.get("instrumented") or {}),
        *_instrumented(observations.get("cleared") or {}),
        *_sanitizer(observations.get("sanitizer") or {}),
        *_plain(observations.get("plain") or {}),
    ]


def _instrumented(observation: Observations) -> list[Seen]:
    found = []
    for access in observation.get("accesses", ()):
        where = f"block {_dim(access['block'])} thread {_dim(access['thread'])}"
        target = f"`{access['buffer']}`" if access["buffer"] else f"{access['memory']} memory"
        text = f"{where} goes to byte {access['offset']} of {target}, {access['size']} bytes"
        found.append(Seen("instrumented", access["kind"], text, (_line(access["line"]),)))
    for conflict in observation.get("conflicts", ()):
        text = f"{conflict['kind']} of {_threads(conflict)}"
        found.append(Seen("instrumented", conflict["kind"], text, tuple(_line(line) for line in conflict["lines"])))
    return found


def _sanitizer(observation: Observations) -> list[Seen]:
    tool = f"compute-sanitizer {observation.get('tool')}"
    return [
        Seen(tool, report["kind"], report["text"], tuple(("", line) for line in report["lines"]))
        for report in observation.get("reports", ())
    ]


def _plain(observation: Observations) -> list[Seen]:
    found = []
    if observation.get("error") in ILLEGAL:
        found.append(Seen("driver", "out_of_bounds", str(observation["error"])))
    runs = observation.get("runs", ())
    for breach in runs[0]["bands"] if runs else ():
        text = f"a write {breach['side']} `{breach['buffer']}` at byte {breach['offset']}"
        found.append(Seen("guard bands", "out_of_bounds", text))
    missing = observation.get("unwritten", {})
    dependent = [name for name in depends_on_poison([run["outputs"] for run in runs]) if name not in missing]
    found += [Seen(POISON, "out_of_bounds", f"`{name}` depends on what lies beside the buffers") for name in dependent]
    return found + [
        Seen("poison in outputs", UNWRITTEN, f"{count} bytes of `{name}` are not written, the first is {first}")
        for name, (first, count) in sorted(missing.items())
    ]


def _threads(conflict: dict[str, Any]) -> str:
    names = [f"thread {thread}" for thread in conflict["threads"]]
    if "other_block" in conflict:
        return f"{names[0]} of block {conflict['block']} and {names[1]} of block {conflict['other_block']}"
    return f"{' and '.join(names)} of block {conflict['block']}"


def judge(plan: Plan, observations: Observations) -> dict[str, Any]:
    """The verdict with its detail, the detector that decided, and the error's name."""
    expectation = plan["expectation"]
    things = [thing for each in seen(observations) if (thing := _of_lanes(each, expectation)) is not None]
    unordered = expectation.get("ordered") or ORDER & set(expectation["kinds"])
    if unordered:  # two runs may differ whatever lies beside the buffers
        things = [thing for thing in things if thing.detector != POISON]
    if expectation["kinds"] == ["clean"]:
        bad = [thing for thing in things if thing.kind not in NO_FAULT]
        if bad:
            return _verdict("fault", bad[0])
        differing = _differing(expectation.get("outputs", {}), observations)
        return _verdict("differs", differing) if differing is not None else _nothing(observations)
    match = next((thing for thing in things if _matches(thing, expectation)), None)
    if match is not None:
        return _verdict("confirmed", match)
    unnamed = [thing for thing in things if not thing.lines and thing.kind in expectation["kinds"]]
    if unnamed and not (_ran(observations.get("instrumented")) and _has_expected_site(plan)):
        return _verdict("confirmed", unnamed[0])
    others = [thing for thing in things if thing.kind != "wild"]
    if others:
        return _verdict("fault", others[0])
    nothing = _nothing(observations)
    return nothing if nothing["verdict"] != "clean" or _has_expected_site(plan) else dict(_UNSEEN)


def _has_expected_site(plan: Plan) -> bool:
    """Whether the instrumented copy, where there is one, records anything at an expected line."""
    copy = (plan["slice"] or {}).get("instrumented")
    lines = {_line(line) for line in plan["expectation"]["lines"]}
    return copy is None or not lines or any(_line(site) in lines for site in copy["sites"])


def _of_lanes(thing: Seen, expectation: dict[str, Any]) -> Seen | None:
    """A shuffle that reads an absent lane is a wrong mask, but where the result is read under a condition only.

    Whether that holds for the lane is the emulator's to say; a plan that expects it at this place may take it for shown.
    """
    if thing.kind != ABSENT:
        return thing
    guarded, expected = ({_line(line) for line in expectation.get(name, ())} for name in ("guarded", "lines"))
    return None if set(thing.lines) <= guarded - expected else replace(thing, kind=MASK)


def _differing(expected: dict[str, str], observations: Observations) -> Seen | None:
    """A buffer that does not hold what the emulator left in it."""
    runs = (observations.get("plain") or {}).get("runs", ())
    given = runs[0]["outputs"] if runs else {}
    names = [name for name, wanted in sorted(expected.items()) if name in given and given[name] != wanted]
    if names:
        return Seen("digests", "difference", f"`{names[0]}` is not what the emulator leaves in it")
    distances = runs[0].get("near", {}) if runs else {}
    for name, told in sorted(distances.items()):
        if told["outside"]:
            text = (
                f"{told['outside']} elements of `{name}` are farther from the emulator's than functions may be: "
                f"element {told['first']} is {told['given']}, not {told['wanted']} +- {told['allowed']:.3g}"
            )
            return Seen("distances", "difference", text)
    return None


def _matches(thing: Seen, expectation: dict[str, Any]) -> bool:
    kinds = set(expectation["kinds"])
    named = (
        thing.kind in kinds
        or (thing.kind in BARRIERS and bool(kinds & BARRIERS))
        or (thing.kind == "wild" and bool(kinds & BOUNDS))
        or (thing.kind in (STORES, OVERTAKEN) and "race" in kinds)
    )
    if not named or not thing.lines:
        return False
    expected = {_line(line) for line in expectation["lines"]}
    numbers = {line for _, line in expected}
    hits = [line for line in thing.lines if line in expected or (line[0] == "" and line[1] in numbers)]
    return bool(hits)


def _nothing(observations: Observations) -> dict[str, Any]:
    """Nothing was seen: because nothing happened, or because it could not run."""
    for stage in ("plain", "instrumented"):
        observation = observations.get(stage)
        if observation is None or (observation["status"] == "ok" and not observation.get("unfinished")):
            continue
        if observation["status"] in ("timeout", "ok"):
            return {"verdict": "timeout", "detail": f"the {stage} run did not end in time", "error": None, "by": None}
        name = observation.get("error") or observation["status"]
        if stage == "instrumented":
            return {
                "verdict": "error",
                "detail": f"the instrumented copy: {name}: {observation.get('message', '')}",
                "error": name,
                "by": None,
            }
        return {"verdict": "error", "detail": f"{name}: {observation.get('message', '')}", "error": name, "by": None}
    runs = (observations.get("plain") or {}).get("runs", ())
    varies = nondeterministic([run["outputs"] for run in runs])
    detail = f"results vary from run to run: {', '.join(varies)}" if varies else "nothing was seen"
    return {"verdict": "clean", "detail": detail, "error": None, "by": None}


def _verdict(verdict: str, thing: Seen) -> dict[str, Any]:
    places = ", ".join(f"{path}:{line}" if path else f"line {line}" for path, line in dict.fromkeys(thing.lines))
    detail = f"{thing.kind}: {thing.text}" + (f" ({places})" if places else "")
    return {"verdict": verdict, "detail": detail, "error": None, "by": thing.detector}


def _ran(observation: Observations | None) -> bool:
    return observation is not None and observation["status"] == "ok"


def _line(line: Any) -> tuple[str, int]:
    return str(line[0]), int(line[1])


def _dim(values: list[int]) -> str:
    return f"({','.join(map(str, values))})"


def result(plan: Plan, observations: Observations, versions: dict[str, str]) -> dict[str, Any]:
    """The result file of a plan."""
    return {
        "schema": SCHEMA, "id": plan["id"], "fingerprint": plan["fingerprint"], "kernel": plan["kernel"],
        "path": plan["path"], "code": plan["code"], "expected": plan["expectation"]["kinds"],
        "compared": sorted(plan["expectation"].get("outputs", {})),
        "near": sorted(plan["expectation"].get("near", {})),
        **judge(plan, observations), "observations": observations, "versions": versions,
    }  # fmt: skip
