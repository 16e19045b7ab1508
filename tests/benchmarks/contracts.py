"""What launches in whole repositories say of the kernels that they launch: one table, with the commit of each repository.

    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.contracts llm.c cuda-samples

Each argument is a folder below CUDALINT_CORPORA: a git clone, or a checkout with a file COMMIT. A kernel counts as launched
if a launch names it in its file or in one that includes or calls that. Its geometry is known if every launch of it that was
found has grid and block as expressions of parameters, sizes, constants and hardware queries, with no value that was lost. A
pointer has an extent if every launch found gives it one (or null); "caller" counts those that an entry point of the project
decides, which nothing in the project calls. Launches that no run of a program comes to count where a kernel has no others; an
extent may be inferred (DESIGN 3, origin 7): those are in the column "inferred" as well. Printed, and written to
tests/benchmarks/results/contracts.md.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from cudalint import ir
from cudalint.contract import Contract, Extent, Nullable, Origin
from cudalint.engine import ScanOptions
from cudalint.engine.contracts import contracts_of, neighbour_units, with_launched
from cudalint.engine.embedded import parse_options
from cudalint.engine.jobs import Job, plan_jobs
from cudalint.frontend.python_strings import embedded_sources
from cudalint.frontend.syntax import index
from cudalint.frontend.translate import translate
from cudalint.project.discovery import discover
from cudalint.project.includes import include_graph, launch_names
from cudalint.source import SourceFile
from tests.benchmarks.coverage import commit_of

RESULTS = Path(__file__).parent / "results" / "contracts.md"
HEADER = (
    "| repository | commit | kernels launched | geometry known | global pointers | extent | inferred | caller decides "
    "| open | crashed | host walk: median s | p95 s | max s |\n|" + "---|" * 13
)
STATES = ("extent", "caller", "open")
Place = tuple[str, int]


@dataclass
class FileFacts:
    """Of one file: contracts by the place of the kernel's name, with the pointer parameters of the kernel."""

    path: str
    contracts: list[tuple[Place, str, tuple[str, ...], Contract]] = field(default_factory=list)
    seconds: float = 0.0
    crash: str = ""


@dataclass
class KernelFacts:
    name: str
    pointers: tuple[str, ...] = ()
    contracts: list[Contract] = field(default_factory=list)


def facts_of(job: Job, root: str) -> FileFacts:
    """The contracts of the launches in one file, and the process time of the host walk alone."""
    found = FileFacts(job.source.path)
    try:
        others = neighbour_units(job.neighbours, job.parse, root)
        for unit, line_of in _units(job, others, root):
            start = time.process_time()
            launches = contracts_of(unit, others, program=job.program)
            found.seconds += time.process_time() - start
            for kernel_id, contracts in launches.items():
                kernel = unit.functions[kernel_id]
                span = kernel.name_span or kernel.span
                place = span.path, line_of(span.line)
                found.contracts += ((place, kernel.name, pointers_of(kernel), contract) for contract in contracts)
    except Exception as error:  # counted, and shown by name
        found.crash = f"{job.source.path}: {type(error).__name__}: {error}"
    return found


def _units(job: Job, others: tuple[ir.Unit, ...], root: str) -> Iterator[tuple[ir.Unit, Callable[[int], int]]]:
    """The units of a job, each with what tells the line of the file that a line of it stands for."""
    if not job.source.path.endswith(".py"):
        yield translate(job.source, with_launched(job.parse, others), root, job.around).unit, lambda line: line
        return
    for embedded in embedded_sources(job.source):
        yield translate(embedded.source, parse_options(embedded, job.parse), root).unit, embedded.places().line


def pointers_of(kernel: ir.Function) -> tuple[str, ...]:
    """The global pointers that the kernel gets, those in structs by value included."""
    names: list[str] = []
    for param in kernel.params:
        names += _pointers(param.var.name, param.var.type)
    return tuple(names)


def _pointers(name: str, type_: ir.Type) -> list[str]:
    if isinstance(type_, ir.Pointer):
        return [name]
    if isinstance(type_, ir.Struct):
        return [n for f in type_.fields for n in _pointers(f"{name}.{f.name}", f.type)][:16]
    return []


def why_no_geometry(contract: Contract) -> str | None:
    """The reason why grid or block of a launch is not known."""
    return next((m.reason for m in contract.missing if m.subject in ("grid", "block")), None)


def state_of(pointer: str, contracts: list[Contract], called: dict[str, set[str]]) -> tuple[str, str]:
    """(extent, caller or open; why) of a pointer under all launches found."""
    states = [_state(pointer, contract, called) for contract in contracts]
    return next((s for s in states if s[0] == "open"), next((s for s in states if s[0] == "caller"), states[0]))


def is_inferred(pointer: str, contracts: list[Contract]) -> bool:
    """Whether an extent of the pointer rests on what nobody checks."""
    facts = [f for c in contracts for f in c.facts if isinstance(f.what, Extent) and f.what.pointer == pointer]
    return any(f.origin is Origin.INFERRED for f in facts)


def _state(pointer: str, contract: Contract, called: dict[str, set[str]]) -> tuple[str, str]:
    for fact in contract.facts:
        if isinstance(fact.what, Extent) and fact.what.pointer == pointer:
            return "extent", ""
        if isinstance(fact.what, Nullable) and fact.what.pointer == pointer and fact.what.present is not None:
            if not any(m.subject == pointer for m in contract.missing):
                return "extent", ""
    for missing in contract.missing:
        if missing.subject == pointer:
            here = contract.launch_site.path if contract.launch_site else ""
            if missing.caller is not None and not called.get(missing.caller, set()) - {here}:
                return "caller", missing.caller
            if missing.caller is not None:
                return "open", "an entry point that the project itself calls from another file"
            return "open", missing.reason
    return "open", "no argument was seen"


@dataclass
class Repository:
    kernels: dict[Place, KernelFacts]
    unplaced: int
    called: dict[str, set[str]]
    seconds: list[float]
    crashes: list[str]


def measured(root: Path) -> Repository:
    """Everything that the table needs of one repository."""
    discovery = discover([str(root)], project_root=str(root))
    files = discovery.files
    jobs = plan_jobs(discovery, ScanOptions(paths=(str(root),))).jobs
    with ProcessPoolExecutor(int(os.environ.get("CUDALINT_JOBS", "1"))) as pool:
        results = list(pool.map(partial(facts_of, root=str(root)), jobs))
    definitions = {(s.path, k.name_span.line): k.name for s in files for k in index(s).kernels}
    launched = launched_names(root, jobs)
    names = {place: name for place, name in definitions.items() if name in launched[place[0]]}
    for place, name, is_launched in _embedded_kernels(discovery.embedded):
        definitions[place] = name
        names |= {place: name} if is_launched else {}
    kernels = {place: KernelFacts(name) for place, name in names.items()}
    unplaced = 0
    for result in results:
        for place, name, pointers, contract in result.contracts:
            if place not in definitions:
                unplaced += 1
                continue
            kernel = kernels.setdefault(place, KernelFacts(name))
            kernel.pointers = pointers
            kernel.contracts.append(contract)
    for kernel in kernels.values():
        kernel.contracts = [c for c in kernel.contracts if not c.dead] or kernel.contracts
    seconds = sorted(r.seconds for r in results if not r.crash)
    return Repository(kernels, unplaced, called_names(files), seconds, [r.crash for r in results if r.crash])


def _embedded_kernels(hosts: tuple[SourceFile, ...]) -> Iterator[tuple[Place, str, bool]]:
    """The kernels in the strings of Python files, and whether CUDA code beside them launches them or Python does."""
    for host in hosts:
        for embedded in embedded_sources(host):
            lines, found = embedded.places(), index(embedded.source)
            launched = {name.decode() for name in launch_names(embedded.source.text.encode())}
            for kernel in found.kernels:
                yield (host.path, lines.line(kernel.name_span.line)), kernel.name, kernel.name in launched


def launched_names(root: Path, jobs: tuple[Job, ...]) -> dict[str, set[str]]:
    """For each file the kernels that are launched where it is read: beside it, by what includes it or calls it."""
    graph = include_graph(str(root))
    found: dict[str, set[str]] = defaultdict(set)
    for job in jobs:
        main = os.path.realpath(job.source.absolute)
        names = set(graph.launches(main)).union(*(graph.launches(n.path) for n in job.neighbours))
        for path in graph.closure(main):
            found[os.path.relpath(path, os.path.realpath(root))] |= {name.decode() for name in names}
    return found


_CALL = re.compile(r"(?<![\w.>:&*])(?:[\w:]+::)?(\w+)\s*(?:<[^<>;(){}]*>)?\s*\(")
_NOT_A_CALL = re.compile(r"(?:[\w>*&\]]\s+[*&]*|__\w+\s+)$")


def called_names(files: tuple[SourceFile, ...]) -> dict[str, set[str]]:
    """The files where a name stands where a call may stand: not after a type, as a declaration's does."""
    found: dict[str, set[str]] = defaultdict(set)
    for source in files:
        for match in _CALL.finditer(source.text):
            before = source.text[max(0, match.start() - 40) : match.start()].split("\n")[-1]
            if not _NOT_A_CALL.search(before) or re.search(r"\b(?:return|else|do)\s+$", before):
                found[match[1]].add(source.path)
    return found


_NAMED = re.compile(r"`[^`]*`")


def table(name: str, root: Path) -> list[str]:
    """The line of a repository, then its most frequent reasons."""
    found = measured(root)
    known, geometry, pointers, states = 0, Counter[str](), Counter[str](), Counter[str]()
    examples: dict[str, list[str]] = defaultdict(list)
    for (path, line), kernel in sorted(found.kernels.items()):
        here = f"{path}:{line} {kernel.name}"
        reasons = [why_no_geometry(c) for c in kernel.contracts] if kernel.contracts else ["no launch was followed"]
        lost = [r for r in reasons if r is not None]
        known += not lost
        if lost:
            reason = "geometry: " + _NAMED.sub("`...`", lost[0])
            geometry[reason] += 1
            examples[reason].append(here)
        for pointer in kernel.pointers:
            state, why = state_of(pointer, kernel.contracts, found.called)
            states[state] += 1
            states["inferred"] += state == "extent" and is_inferred(pointer, kernel.contracts)
            if state == "open":
                reason = "extent: " + _NAMED.sub("`...`", why)
                pointers[reason] += 1
                examples[reason].append(f"{here} {pointer}")
    total, count = max(1, len(found.kernels)), max(1, sum(states[s] for s in STATES))
    seconds = found.seconds or [0.0]
    cells = [
        name,
        commit_of(root)[:12],
        str(len(found.kernels)),
        f"{known} ({100 * known / total:.1f} %)",
        str(sum(states[s] for s in STATES)),
        *(f"{states[s]} ({100 * states[s] / count:.1f} %)" for s in ("extent", "inferred", "caller", "open")),
        str(len(found.crashes)),
        f"{seconds[len(seconds) // 2]:.2f}",
        f"{seconds[int(len(seconds) * 0.95)]:.2f}",
        f"{seconds[-1]:.2f}",
    ]
    lines = [f"\n## {name}: why not\n"]
    for counter in (geometry, pointers):
        ranked = sorted(counter.items(), key=lambda i: (-i[1], i[0]))[:10]
        lines += [f"- {n} x {reason} (such as {'; '.join(examples[reason][:2])})" for reason, n in ranked]
    return ["| " + " | ".join(cells) + " |", *lines, *found.crashes]


def main(names: list[str]) -> int:
    corpora = Path(os.environ.get("CUDALINT_CORPORA", ""))
    if not names or not corpora.is_dir():
        print(__doc__)
        return 2
    rows: list[list[str]] = []
    for name in names:
        rows.append(table(name, corpora / name))
        text = (
            "\n".join([HEADER, *(lines[0] for lines in rows), *(line for lines in rows for line in lines[1:])]) + "\n"
        )
        if not os.environ.get("CUDALINT_DRY"):
            RESULTS.write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
