"""Plans for another machine, and what its results say about the findings.

A finding's plan holds its witness: the run has to show it. A clean plan holds a drawn launch inside the contract: the
run has to show nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cudalint import ir
from cudalint.confirm import plan as launch_plan
from cudalint.confirm.emulate.run import Aggregate, Argument, Buffer, PointerTo, Scalar
from cudalint.confirm.emulated import BY as BY_EMULATOR
from cudalint.confirm.expected import Expected, expected_outputs, shows_order
from cudalint.confirm.gpu.near import written
from cudalint.confirm.gpu.plan_file import (
    ELEMENTS,
    SUFFIX,
    canonical,
    encoded,
    literal,
    plan_paths,
    with_id,
    write_plan,
)
from cudalint.confirm.inputs import LARGEST_LITERAL, contents
from cudalint.contract import Contract, Distinct, Geometry, Offsets
from cudalint.engine.cases import Case, case_of, emulator_part, with_least_contents
from cudalint.engine.draws import Draw, draws
from cudalint.engine.returned_places import returned_places
from cudalint.engine.whole_outputs import whole_outputs
from cudalint.finding import Dim3, Evidence, Finding, Witness
from cudalint.frontend.instrument import instrument
from cudalint.frontend.slice import CannotSlice, slice_for_nvrtc
from cudalint.ir.result_guards import guarded_places
from cudalint.ir.walk import reached, statements
from cudalint.source import SourceFile, Span

CLEAN = "clean"
OF_GLOBAL_MEMORY = ("SYN102", "SYN103", "SYN104", "SYN107", "SYN109")
OF_UNKNOWN_EXTENT = ("IDX127", "IDX133")
LIBRARY_BLOCK = "cub::Block"
HOST_ONLY = ("cub/cub.cuh", "cub/device/", "thrust/")
OPTIONS = ("-std=c++17", "--generate-line-info")
WITHOUT_CONTRACTION = "--fmad=false"
CannotPlan = launch_plan.CannotPlan
_NAMES = {type_: name for name, type_ in ELEMENTS.items()}
PlanFile = dict[str, Any]


def plan_for(
    finding: Finding, unit: ir.Unit, kernel: ir.Function, contract: Contract, source: SourceFile, seed: int,
    defines: tuple[str, ...] = (), includes: tuple[str, ...] = (),
) -> PlanFile:  # fmt: skip
    """The plan of a finding's witness; raises CannotPlan with the reason."""
    if finding.witness is None:
        raise CannotPlan("there is no witness to run")
    _raise_if_unseen(finding, unit)
    case = case_of(finding, unit, kernel, contract, seed, guessed=False)
    raise_if_values_differ(case.made, kernel, contract)
    cut = _observable_slice(finding, source, kernel, includes)
    return _plan_of(finding, case, unit, kernel, contract, source.path, defines, cut)


def replay_plan(
    finding: Finding, unit: ir.Unit, kernel: ir.Function, contract: Contract, source: SourceFile, seed: int,
    defines: tuple[str, ...] = (), includes: tuple[str, ...] = (),
) -> PlanFile:  # fmt: skip
    """The plan of a finding that a run has shown, for the emulator at least; raises CannotPlan.

    `unsliced` says why no GPU can run it, where that is so.
    """
    case = with_least_contents(case_of(finding, unit, kernel, contract, seed, guessed=True), contract)
    try:
        _raise_if_unseen(finding, unit)
        if case.kernel.params != kernel.params:
            raise CannotPlan("the layout of an argument is guessed")
        raise_if_values_differ(case.made, kernel, contract)
        cut, unsliced = _observable_slice(finding, source, kernel, includes), None
    except CannotPlan as error:
        cut, unsliced = None, str(error)
    return _plan_of(finding, case, unit, kernel, contract, source.path, defines, cut, unsliced)


def _plan_of(
    finding: Finding, case: Case, unit: ir.Unit, kernel: ir.Function, contract: Contract, path: str,
    defines: tuple[str, ...], cut: dict[str, Any] | None, unsliced: str | None = None,
) -> PlanFile:  # fmt: skip
    head = {"code": finding.code, "fingerprint": finding.fingerprint}
    expectation = _expectation(finding, case, unit, kernel)
    plan = _written(case.made, head, expectation, case.kernel, contract, path, case.seed, defines, cut)
    more = {"constants": _constants(case), **({"unsliced": unsliced} if unsliced else {})}
    return with_id({**plan, **emulator_part(case), **more})


def _observable_slice(
    finding: Finding, source: SourceFile, kernel: ir.Function, includes: tuple[str, ...]
) -> dict[str, Any]:
    """The slice; raises CannotPlan where there is none, or where a GPU's run of it does not show the finding."""
    cut = _slice(source, kernel, includes)
    copy = cut["instrumented"]
    followed = "across" if finding.code in OF_GLOBAL_MEMORY else "races"
    if finding.code.startswith("SYN") and not (copy and copy[followed]):
        raise CannotPlan("the kernel synchronises in ways that the instrumented copy does not follow yet")
    return cut


def _expectation(finding: Finding, case: Case, unit: ir.Unit, kernel: ir.Function) -> dict[str, Any]:
    """What the run has to show, and where."""
    assert finding.witness is not None
    spans = (finding.span, *(related.span for related in finding.related))
    launch = case.made.launch
    return {
        "kinds": list(case.kinds),
        "lines": _lines((*spans, *returned_places(unit, spans))),
        "blocks": _watched(finding.witness, launch.grid),
        "ordered": shows_order(unit, kernel),
        **_guarded(unit, kernel),
    }


def _guarded(unit: ir.Unit, kernel: ir.Function) -> dict[str, Any]:
    """Where shuffles are whose results are read under a condition only."""
    lines = _lines(guarded_places(reached(unit, kernel)))
    return {"guarded": lines} if lines else {}


def _raise_if_unseen(finding: Finding, unit: ir.Unit) -> None:
    """CannotPlan where no run on a GPU observes it."""
    if finding.code in OF_UNKNOWN_EXTENT:
        raise CannotPlan("the extent of the memory is not known: no run shows that it is left")
    _raise_if_out_of_sight(finding, unit)


def _raise_if_out_of_sight(finding: Finding, unit: ir.Unit) -> None:
    """CannotPlan where the instrumented copy does not look."""
    every = [stmt for function in unit.functions.values() for stmt in statements(function.body)]
    own = {stmt.var.name for stmt in every if isinstance(stmt, ir.Declare) and stmt.storage is ir.Storage.LOCAL}
    if finding.code == "IDX303" and finding.root.removeprefix("unset:") in own:
        raise CannotPlan("a run on a GPU does not observe a thread's own arrays yet")
    if finding.code == "SYN105":
        raise CannotPlan("a run on a GPU does not observe the memory of a library's primitives")
    if finding.code == "SYN305":
        raise CannotPlan("which lanes are active is the compiler's choice: a run in which all are shows nothing")
    if finding.code == "SYN104" and any(stmt.span == finding.span and _is_volatile(stmt) for stmt in every):
        raise CannotPlan("a run on a GPU does not observe in which order volatile data come to memory")
    primitives = (stmt for stmt in every if isinstance(stmt, ir.Unmodelled) and stmt.reason.startswith(LIBRARY_BLOCK))
    if finding.code.startswith("SYN2") and any(stmt.span == finding.span for stmt in primitives):
        raise CannotPlan("a run on a GPU does not observe the barriers inside of a library's primitives")


def _is_volatile(stmt: ir.Stmt) -> bool:
    return isinstance(stmt, ir.Load | ir.Store) and stmt.order is ir.Order.VOLATILE


def clean_plans(
    unit: ir.Unit, kernel: ir.Function, contract: Contract, source: SourceFile, seed: int, count: int = 3,
    defines: tuple[str, ...] = (), includes: tuple[str, ...] = (),
) -> list[PlanFile]:  # fmt: skip
    """Plans of drawn launches that have to run clean; raises CannotPlan."""
    made = [
        _clean_plan(draw, unit, kernel, contract, source, seed + number, defines, includes)
        for number, draw in enumerate(draws(kernel, contract, seed, count))
    ]
    if not made:
        raise CannotPlan("no small launch satisfies the contract")
    return made


def _clean_plan(
    draw: Draw, unit: ir.Unit, kernel: ir.Function, contract: Contract, source: SourceFile, seed: int,
    defines: tuple[str, ...], includes: tuple[str, ...],
) -> PlanFile:  # fmt: skip
    nothing = launch_plan.Expectation((CLEAN,), ())
    made = launch_plan.make_plan(kernel, contract, draw.shape, draw.values, nothing, seed)
    raise_if_values_differ(made, kernel, contract)
    blocks = _count(draw.shape.grid)
    expectation: dict[str, Any] = {"kinds": [CLEAN], "lines": [], "blocks": sorted({0, blocks - 1, blocks // 2})}
    expectation |= {"ordered": shows_order(unit, kernel), **_guarded(unit, kernel)}
    expectation["outputs"] = expected_outputs(unit, made, seed)
    if whole := whole_outputs(kernel, contract, made.launch.args):
        expectation["written"] = whole
    head = {"code": "", "fingerprint": ""}
    options = (*OPTIONS, WITHOUT_CONTRACTION)
    cut = _slice(source, kernel, includes)
    plan = _written(made, head, expectation, kernel, contract, source.path, seed, defines, cut, options)
    return with_id({**plan, **emulator_part(Case(unit, kernel, made, seed, (CLEAN,)))})


def launch_plan_file(
    made: launch_plan.Plan, told: Expected, unit: ir.Unit, contract: Contract, source: SourceFile, seed: int,
    defines: tuple[str, ...] = (), includes: tuple[str, ...] = (),
) -> PlanFile:  # fmt: skip
    """The plan of a launch that somebody chose: it has to run clean and to leave what is told; raises CannotPlan."""
    kernel = unit.functions[made.kernel]
    raise_if_values_differ(made, kernel, contract)
    blocks = _count(made.launch.grid)
    expectation: dict[str, Any] = {
        "kinds": [CLEAN], "lines": [], "blocks": sorted({0, blocks - 1, blocks // 2}), "ordered": False,
        "outputs": told.outputs,
        "near": {name: written(_NAMES[n.element], n.wanted, n.allowed) for name, n in told.near.items()},
        **_guarded(unit, kernel),
    }  # fmt: skip
    head = {"code": "", "fingerprint": ""}
    options = (*OPTIONS, WITHOUT_CONTRACTION)
    cut = _slice(source, kernel, includes)
    return with_id(_written(made, head, expectation, kernel, contract, source.path, seed, defines, cut, options))


def _written(
    made: launch_plan.Plan, head: Mapping[str, str], expectation: Mapping[str, Any], kernel: ir.Function, contract: Contract,
    path: str, seed: int, defines: tuple[str, ...], cut: dict[str, Any] | None, options: tuple[str, ...] = OPTIONS,
) -> PlanFile:  # fmt: skip
    launch = made.launch
    recipe = _Recipes(kernel, launch.args, made.bounds, seed)
    cooperative = any(isinstance(f.what, Geometry) and f.what.cooperative for f in contract.facts)
    return {
        **head,
        "kernel": kernel.name,
        "path": path,
        "seed": seed,
        "slice": cut,
        "options": [*options, *(f"-D{define}" for define in defines)],
        "launch": {
            "grid": list(launch.grid),
            "block": list(launch.block),
            "shared": launch.shared,
            "cooperative": cooperative,
            **({"constants": dict(launch.constants)} if launch.constants else {}),
        },
        "args": [_argument(arg, param.var.type) for arg, param in zip(launch.args, kernel.params)],
        "buffers": [recipe.buffer(buffer) for buffer in made.buffers],
        "expectation": dict(expectation),
    }


def _constants(case: Case) -> list[dict[str, Any]]:
    """Constant memory with its contents."""
    recipe = _Recipes(case.kernel, (), {}, case.seed)
    return [recipe.buffer(buffer) for buffer in case.constants]


def raise_if_values_differ(made: launch_plan.Plan, kernel: ir.Function, contract: Contract) -> None:
    """CannotPlan where a buffer that is too large to be written down must not hold the same value everywhere."""
    if made.constants:
        raise CannotPlan(f"host code fills `{made.constants[0].name}`, a variable of the device")
    large = {
        buffer.name: buffer.extent for buffer in made.buffers if buffer.data is None and buffer.extent > LARGEST_LITERAL
    }
    differ = {fact.what.pointer for fact in contract.facts if isinstance(fact.what, Distinct | Offsets)}
    for arg, param in zip(made.launch.args, kernel.params):
        if isinstance(arg, PointerTo) and arg.buffer in large and param.var.name in differ:
            raise CannotPlan(
                f"`{param.var.name}` has to hold values that differ, in {large[arg.buffer]} bytes: no small piece of memory can "
                "stand for them"
            )


def _slice(source: SourceFile, kernel: ir.Function, includes: tuple[str, ...]) -> dict[str, Any]:
    try:
        cut = slice_for_nvrtc(source, kernel.name, kernel.template_args, includes)
    except CannotSlice as error:
        raise CannotPlan(f"the kernel cannot be cut out of its file: {error}") from None
    whole = [include for include in cut.includes if include.startswith(HOST_ONLY)]
    if whole:
        raise CannotPlan(f"<{whole[0]}> holds host code that NVRTC does not take")
    copy = instrument(cut.text)
    instrumented = None
    if copy is not None:
        sites = [list(site) for site in copy.sites]
        instrumented = {"text": copy.text, "sites": sites, "races": copy.races, "across": copy.across}
    return {"text": cut.text, "name": cut.name_expression, "instrumented": instrumented}


def _lines(spans: Iterable[Span]) -> list[list[Any]]:
    places = {(span.path, line) for span in spans for line in range(span.line, span.end_line + 1)}
    return [list(place) for place in sorted(places)]


def _watched(witness: Witness, grid: Dim3) -> list[int]:
    """Flat indices of the blocks of the witness, then the first one."""
    blocks = [*(side.block for side in witness.threads), *([witness.block] if witness.block else []), (0, 0, 0)]
    return list(dict.fromkeys(x + grid[0] * (y + grid[1] * z) for x, y, z in blocks))


def _count(dims: tuple[int, int, int]) -> int:
    return dims[0] * dims[1] * dims[2]


# --- arguments and buffers ------------------------------------------------------------------------------------------------


def _argument(arg: Argument, type_: ir.Type) -> dict[str, Any]:
    match arg:
        case Scalar(value):
            name = _NAMES.get(type_)
            if name is None:
                raise CannotPlan(f"an argument of type {type_} is not written to plans")
            return {"scalar": name, "value": value.hex() if isinstance(value, float) else int(value)}
        case PointerTo(buffer, offset):
            return {"pointer": buffer, "offset": offset}
        case Aggregate(data, pointers):
            return {"bytes": encoded(data.tobytes()), "pointers": [[at, to.buffer, to.offset] for at, to in pointers]}


class _Recipes:
    """How to make a buffer's bytes again from the seed, checked against the bytes; literal where no recipe is known."""

    def __init__(
        self, kernel: ir.Function, args: tuple[Argument, ...], bounds: Mapping[str, tuple[int, int]], seed: int
    ) -> None:
        self._seed = seed
        self._bounds = bounds
        self._elements: dict[str, list[ir.Type]] = {}
        for arg, param in zip(args, kernel.params):
            if isinstance(arg, PointerTo) and arg.buffer is not None and isinstance(param.var.type, ir.Pointer):
                element = param.var.type.element
                leaf = element.element if isinstance(element, ir.Vector) else element
                self._elements.setdefault(arg.buffer, []).append(leaf)

    def buffer(self, buffer: Buffer) -> dict[str, Any]:
        head: dict[str, Any] = {"name": buffer.name, "size": buffer.extent}
        if buffer.pointers:
            head["pointers"] = [[at, to.buffer, to.offset] for at, to in buffer.pointers]
        if buffer.data is None or not buffer.data.any():
            return {**head, "contents": {"zero": True}}
        for element in self._elements.get(buffer.name, ()):
            if element in _NAMES:
                bounds = self._bounds.get(buffer.name)
                again = contents(buffer.name, element, buffer.extent, bounds, self._seed)
                if again.data is not None and np.array_equal(again.data, buffer.data):
                    drawn = {"drawn": _NAMES[element], "bounds": list(bounds) if bounds else None}
                    return {**head, "contents": drawn}
        return {**head, "contents": literal(buffer.data.tobytes())}


# --- directories ----------------------------------------------------------------------------------------------------------


def write_plans(directory: str | Path, plans: Iterable[PlanFile]) -> int:
    """Write each plan under its id and an index of what they are; the number of plans."""
    where = Path(directory)
    where.mkdir(parents=True, exist_ok=True)
    index = {}
    for plan in plans:
        write_plan(where, plan)
        index[plan["id"] + SUFFIX] = f"{plan['path']} {plan['kernel']} {plan['code'] or CLEAN}"
    (where / "index.json").write_bytes(canonical(index))
    return len(index)


def apply_results(findings: Iterable[Finding], directory: str | Path) -> tuple[Finding, ...]:
    """The findings with the evidence of the results that lie in the directory. What has no result stays as it is."""
    results = _results(Path(directory))
    return tuple(_applied(finding, results.get(finding.fingerprint, ())) for finding in findings)


def results_in(directory: str | Path) -> dict[str, dict[str, Any]]:
    """Results by the ids of their plans, for plans of the directory only: a result without its plan is left out."""
    where = Path(directory)
    known = {path.name.removesuffix(SUFFIX) for path in plan_paths(where)}
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(where.glob("*.result.json")):
        try:
            result = json.loads(path.read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(result, dict) and result.get("id") in known:
            found[result["id"]] = result
    return found


def _results(directory: Path) -> dict[str, list[dict[str, Any]]]:
    """Results by the fingerprints of their findings."""
    found: dict[str, list[dict[str, Any]]] = {}
    for result in results_in(directory).values():
        if result.get("fingerprint"):
            found.setdefault(result["fingerprint"], []).append(result)
    return found


_STRONGEST = ("confirmed", "fault", "clean", "timeout", "error")


def _applied(finding: Finding, results: Iterable[Mapping[str, Any]]) -> Finding:
    """Nothing is refuted: no copy of the defect is planted yet to show that the detectors fire at this access."""
    found = list(results)
    if not found:
        return finding
    best = min(found, key=lambda r: _STRONGEST.index(r["verdict"]) if r["verdict"] in _STRONGEST else 9)
    detail = str(best.get("detail") or "")
    emulated = best.get("by") == BY_EMULATOR
    if best["verdict"] == "confirmed":
        evidence = Evidence.EMULATED if emulated else Evidence.CONFIRMED
        return replace(finding, evidence=evidence, evidence_reason=f"{best.get('by')}: {detail}")
    who = "the emulator" if emulated else "the GPU"
    return replace(finding, evidence=Evidence.UNCONFIRMED, evidence_reason=_reason(best, detail, f"{who}'s run"))


def _reason(result: Mapping[str, Any], detail: str, run: str) -> str:
    match result["verdict"]:
        case "clean":
            return f"{run} did not show it"
        case "timeout":
            return f"{run} did not end in time"
        case "fault":
            return f"{run} showed something else: {detail}"
        case _:
            return f"{run} failed: {detail}"
