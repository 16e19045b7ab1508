"""Plans of drawn launches of every complete kernel of whole repositories, each under its contract.

    CUDALINT_CORPORA=/path/to/clones python -m tests.gpu.drawn_kernels OUT REPOSITORY ... [--part I/N] [--seconds 40]
    python -m tests.gpu.drawn_kernels --join OUT PART ...                   one folder out of those of all parts
    python tests/gpu/run_all.py OUT --all --sanitizer off --results results.json       where the GPU is
    python -m tests.gpu.real_kernels.table results.json OUT tests/benchmarks/results/drawn-kernels.md

Up to three launches of a kernel are drawn inside the first of its contracts that permits any; where a program fixes sizes that
are too large for the emulator, inside those of the same program with smaller sizes, and else inside the contract of a kernel that
nothing launches, which the table says. The emulator runs each; a launch that faults there, that changes nothing in memory, or
whose result hangs on the order of threads has no plan.
OUT gets the plans and kernels.json, with the reasons of each kernel that has none; what is ended by SIGTERM writes what it has.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from cudalint import ir
from cudalint.confirm.expected import Expected, expected
from cudalint.confirm.gpu.guard import digest
from cudalint.confirm.plan import CannotPlan, Expectation, Plan, make_plan
from cudalint.contract import Assume, Contract, Extent, Fact, Geometry, Origin
from cudalint.engine import ScanOptions
from cudalint.engine import file as files
from cudalint.engine import kernel as kernels
from cudalint.engine.contracts import contracts_of
from cudalint.engine.draws import Draw, draws
from cudalint.engine.embedded import analyse_python
from cudalint.engine.jobs import Job, plan_jobs
from cudalint.engine.plans import PlanFile, launch_plan_file, write_plans
from cudalint.engine.scan import discovered
from cudalint.engine.settings import project_settings
from cudalint.finding import KernelResult
from cudalint.frontend.translate import KernelEntry, Translation
from cudalint.source import Span
from cudalint.term import at_most, forget_if_many, number, symbol
from tests.benchmarks.proofs import TimeLimit, at_most_seconds
from tests.gpu.real_kernels.__main__ import commit_of
from tests.gpu.real_kernels.plans import CannotCompare, corpora_folder
from tests.gpu.smaller_programs import halved, with_read_sizes

SEED = 1
TARGET = "sm_90"  # of the device that runs the plans: `#if __CUDA_ARCH__` has to mean the same on both sides
LAUNCHES = 3
DRAWS = 12  # of a contract, of which the first that have plans are taken
BLOCKS = ((256, 1, 1), (32, 1, 1), (16, 16, 1))  # of ordinary launches
LARGEST = 4096
SMALL_SIZES = (1, 2, 3, 5, 8, 16, 31, 32, 33, 64, 100, 128)  # of ordinary launches
EVEN_SIZES = (8, 16, 32, 64)  # whole vectors, whole warps: where all of those fault
LEAST_SIZES = (1, 2, 3, 4)  # of many numbers that are multiplied with each other
ROOM, SHARED = 1 << 18, 16 << 10  # bytes behind a pointer, and of dynamic shared memory, of those
MOST_SMALLER = 8  # contracts of one kernel
CLEAN = Expectation(("clean",), ())
INDEX = "kernels.json"
SMALLER, ORDINARY = "a smaller problem", "ordinary launches"


@dataclass(slots=True)
class Drawn:
    """The plans of one kernel, or why launches of it have none; those of a `launch` that its program does not make say which."""

    plans: list[PlanFile] = field(default_factory=list)
    instead: list[PlanFile] | None = None
    launch: str = ""
    reasons: list[str] = field(default_factory=list)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="+", metavar="REPOSITORY")
    parser.add_argument("--join", action="store_true", help="the names are folders of parts")
    parser.add_argument("--part", default="1/1", metavar="I/N", help="every N-th file from the I-th on")
    parser.add_argument("--seconds", type=int, default=40, help="for all launches of a kernel")
    options = parser.parse_args()
    if options.join:
        return join(options.out, [Path(name) for name in options.names])
    corpora = corpora_folder()
    if corpora is None:
        print(__doc__)
        return 2
    index: dict[str, Any] = {"commits": {}, "kernels": []}
    plans: list[PlanFile] = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    try:
        for name in options.names:
            index["commits"][name] = commit_of(corpora / name)
            for kernel, drawn in drawn_kernels(corpora / name, options.part, options.seconds):
                plans += drawn.plans or drawn.instead or []
                index["kernels"].append(_line(name, kernel, drawn))
    finally:
        options.out.mkdir(parents=True, exist_ok=True)
        write_plans(options.out, plans)
        (options.out / INDEX).write_text(json.dumps(index, indent=1) + "\n")
    print(f"{len(plans)} plans of {sum(bool(k['plans']) for k in index['kernels'])} of {len(index['kernels'])} kernels")
    return 0


def join(out: Path, parts: list[Path]) -> int:
    """The plans and the index of all parts; a header's kernel that several parts found counts once."""
    out.mkdir(parents=True, exist_ok=True)
    commits: dict[str, str] = {}
    kernels: dict[tuple[str, str, str], dict[str, Any]] = {}
    for part in parts:
        index = json.loads((part / INDEX).read_text())
        commits |= index["commits"]
        for kernel in index["kernels"]:
            key = kernel["repository"], kernel["file"], kernel["kernel"]
            if key not in kernels or len(kernel["plans"]) > len(kernels[key]["plans"]):
                kernels[key] = kernel
        for plan in part.glob("*.plan.json"):
            shutil.copy(plan, out / plan.name)
    rows = [kernels[key] for key in sorted(kernels)]
    (out / INDEX).write_text(json.dumps({"commits": commits, "kernels": rows}, indent=1) + "\n")
    print(f"{sum(bool(k['plans']) for k in rows)} of {len(rows)} kernels have plans")
    return 0


def _line(repository: str, kernel: KernelResult, drawn: Drawn) -> dict[str, Any]:
    plans = drawn.plans or drawn.instead or []
    launch = "" if drawn.plans or not plans else f" ({drawn.launch})"
    return {
        "repository": repository, "file": kernel.span.path, "kernel": f"{kernel.name}:{kernel.span.line}{launch}",
        "launches": LAUNCHES, "plans": [plan["id"] for plan in plans],
        "reasons": [] if plans else list(dict.fromkeys(drawn.reasons)),
    }  # fmt: skip


# --- drawing -------------------------------------------------------------------------------------------------------------


def drawn_kernels(repository: Path, part: str, seconds: int) -> Iterator[tuple[KernelResult, Drawn]]:
    """The complete kernels of every N-th file."""
    asked = ScanOptions((str(repository),), project_root=str(repository), confirm="off", jobs=1, targets=(TARGET,))
    root, options, configuration = project_settings(asked)
    number, of = map(int, part.split("/"))
    for job in plan_jobs(discovered(root, options, configuration), options).jobs[number - 1 :: of]:
        drawn: dict[Span, Drawn] = {}
        forget_if_many()
        hosts = Hosts()
        drawing = patch.object(kernels, "_under_contract", _drawing(drawn, hosts, seconds))
        with drawing, patch.object(files, "contracts_of", hosts.contracts_of):
            try:
                result = _analysed(job, root, options)
            except Exception as error:
                print(f"{job.source.path}: {type(error).__name__}: {error}", file=sys.stderr)
                continue
        for kernel in result.kernels:
            if kernel.complete:
                yield kernel, drawn.get(kernel.span, Drawn(reasons=["no launch of it is known"]))


def _analysed(job: Job, root: str, options: ScanOptions) -> files.FileResult:
    if job.source.path.endswith(".py"):
        return analyse_python(job.source, job.parse, root, options, {})
    reported = files.Reported(job.own, job.only)
    return files.analyse_file(
        job.source, job.parse, root, options, {}, job.around, reported, job.neighbours, job.program
    )


@dataclass(slots=True)
class Hosts:
    """The host code around a file's kernels, for contracts of smaller problems."""

    asked: Callable[[], dict[str, tuple[Contract, ...]]] = dict
    sizes: dict[str, int] = field(default_factory=dict)
    _contracts: dict[str, tuple[Contract, ...]] | None = None

    def contracts_of(self, unit: ir.Unit, others: tuple[ir.Unit, ...] = (), *rest: Any) -> Any:
        """What the engine asks for, which is remembered."""

        def smaller() -> dict[str, tuple[Contract, ...]]:
            own, *around = map(with_read_sizes, (unit, *others))
            self.sizes = {name: value for each in (*around, own) for name, value in each.sizes.items()}
            return contracts_of(own.unit, tuple(each.unit for each in around), *rest[:2]) if self.sizes else {}

        self.asked = smaller
        return contracts_of(unit, others, *rest)

    def smaller(self, kernel: ir.Function) -> tuple[Contract, ...]:
        if self._contracts is None:
            self._contracts = {}  # and so it stays where the time ends
            self._contracts = self.asked()
        return self._contracts.get(kernel.id, ())


def _drawing(
    drawn: dict[Span, Drawn], hosts: Hosts, seconds: int
) -> Callable[..., tuple[list[Any], list[Any], list[str], list[Any]]]:
    """Stands where a kernel is analysed under a contract: draws launches until one of its contracts has plans."""

    def draw(entry: KernelEntry, kernel: ir.Function, contract: Contract, translation: Translation, *_: object) -> Any:
        found = drawn.setdefault(entry.name_span, Drawn())
        if not entry.complete or found.plans:
            return [], [], [], []
        shapes = draws(kernel, contract, SEED, DRAWS)
        found.plans = _in_time(found, seconds, lambda: _plans(found, kernel, contract, translation, shapes))
        if found.plans or found.instead is not None:
            return [], [], [], []
        for launch, plans in ((SMALLER, _of_smaller_problems), (ORDINARY, _of_ordinary_launches)):
            found.instead = found.instead or _in_time(
                found, seconds, lambda plans=plans: plans(found, kernel, hosts, translation)
            )
            found.launch = found.launch or (launch if found.instead else "")
        return [], [], [], []

    return draw


def _in_time(found: Drawn, seconds: int, plans: Callable[[], list[PlanFile]]) -> list[PlanFile]:
    """None where it takes too long, or fails; `found` is told."""
    try:
        with at_most_seconds(seconds):
            return plans()
    except TimeLimit:
        found.reasons.append(f"more than {seconds} s")
    except Exception as error:
        found.reasons.append(f"internal error: {type(error).__name__}: {error}")
    return []


def _of_smaller_problems(found: Drawn, kernel: ir.Function, hosts: Hosts, translation: Translation) -> list[PlanFile]:
    """Plans of the launches that the program makes where its sizes are smaller."""
    for contract in hosts.smaller(kernel)[:MOST_SMALLER]:
        shapes = halved(kernel, contract, hosts.sizes, SEED, DRAWS)
        plans = _plans(found, kernel, contract, translation, shapes)
        if plans:
            return plans
    return []


def _of_ordinary_launches(found: Drawn, kernel: ir.Function, _: Hosts, translation: Translation) -> list[PlanFile]:
    """Plans of launches with drawn whole numbers as arguments; memory that they leave shows in the emulator."""
    names = [p.var.name for p in kernel.params if isinstance(p.var.type, ir.Int)]
    sizes = tuple(_chosen(Assume(at_most(number(1), symbol(name, 0, LARGEST)))) for name in names)
    memory = tuple(_chosen(Extent(p.var.name, number(ROOM), "bytes")) for p in kernel.params
                   if isinstance(p.var.type, ir.Pointer))  # fmt: skip
    for among, room in ((SMALL_SIZES, ()), (EVEN_SIZES, memory), (LEAST_SIZES, ())):
        for block in BLOCKS:
            x, y, z = map(number, block)
            geometry = _chosen(Geometry((number(4), number(1), number(1)), (x, y, z), number(SHARED)))
            contract = Contract(kernel.id, (geometry, *sizes, *room))
            shapes = draws(kernel, contract, SEED, DRAWS, sizes=among)
            plans = _plans(found, kernel, contract, translation, shapes)
            if plans:
                return plans
    return []


def _chosen(what: Assume | Extent | Geometry) -> Fact:
    return Fact(what, Origin.OPTION, "drawn")


def _plans(
    found: Drawn, kernel: ir.Function, contract: Contract, translation: Translation, shapes: Iterable[Draw]
) -> list[PlanFile]:
    """Those of drawn launches, as many as the time allows; why others have none is told to `found`."""
    plans: list[PlanFile] = []
    drawn = list(shapes)
    if not drawn:
        found.reasons.append("no small launch satisfies the contract")
    for place, draw in enumerate(drawn):
        if len(plans) == LAUNCHES:
            break
        seed = SEED + place
        try:
            made = make_plan(kernel, contract, draw.shape, draw.values, CLEAN, seed)
            told = expected(translation.unit, made, seed)
            if told.reason:
                raise CannotCompare(told.reason)
            if not _changes(made, told):
                raise CannotCompare("no thread writes anything")
            unit, source = translation.unit, translation.source
            plans.append(launch_plan_file(made, told, unit, contract, source, seed, includes=translation.folders))
        except (CannotPlan, CannotCompare) as error:
            found.reasons.append(str(error))
        except TimeLimit:
            if not plans:
                raise
            break
    return plans


def _changes(made: Plan, told: Expected) -> bool:
    """A buffer holds other bytes behind the launch."""
    before = {b.name: bytes(b.extent) if b.data is None else b.data.tobytes() for b in made.buffers}
    changed = any(digest(before[name]) != after for name, after in told.outputs.items() if name in before)
    return changed or any(near.wanted != before[name] for name, near in told.near.items() if name in before)


if __name__ == "__main__":
    sys.exit(main())
