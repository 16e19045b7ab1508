"""What launches in whole repositories say of the kernels that they launch: one table, with the commit of each repository.

    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.contracts llm.c cuda-samples
        [--files 100] [--seconds 3600] [--state FILE] [--part I/N] [--dry]

Each argument is a folder below CUDALINT_CORPORA: a git clone, or a checkout with a file COMMIT. A kernel counts as launched
if a launch names it in its file or in one that includes or calls that. Its geometry is known if every launch of it that was
found has grid and block as expressions of parameters, sizes, constants and hardware queries, with no value that was lost. A
pointer has an extent if every launch found gives it one (or null); "caller" counts those that an entry point of the project
decides, which nothing in the project calls. Launches that no run of a program comes to count where a kernel has no others; an
extent may be inferred (DESIGN 3, origin 7): those are in the column "inferred" as well.

Files are walked in an order that SEED and the repository's name draw, so that those that --files or --seconds leave are a
sample; of headers only those count then that are read for their kernels in one of these files. What is done is kept in
--state and not done again by the same cudalint; --part does every N-th file from the I-th on, into that file alone. Printed,
and written to tests/benchmarks/results/contracts.md, where repositories that were not asked for keep their lines, with the
cudalint that they are of; --dry prints only.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from cudalint import ir
from cudalint.contract import Contract, Extent, Nullable, Origin
from cudalint.engine import ScanOptions
from cudalint.engine.contracts import contracts_of, neighbour_units, with_launched
from cudalint.engine.embedded import parse_options, python_around
from cudalint.engine.jobs import Job, plan_jobs
from cudalint.frontend.python_strings import embedded_sources
from cudalint.frontend.syntax import index
from cudalint.frontend.translate import translate
from cudalint.project.discovery import discover
from cudalint.project.includes import include_graph, launch_names
from cudalint.source import SourceFile
from cudalint.term import forget_if_many
from tests.benchmarks.coverage import commit_of
from tests.benchmarks.proofs import TimeLimit, at_most_seconds
from tests.benchmarks.random_launches import own_commit

RESULTS = Path(__file__).parent / "results" / "contracts.md"
SEED = "cudalint contracts 1"
MOST_SECONDS = 240  # for one file
TITLES = (
    "repository", "commit", "cudalint", "files", "kernels launched", "geometry known", "global pointers", "extent", "inferred",
    "caller decides", "open", "crashed", "host walk: median s", "p95 s", "max s",
)  # fmt: skip
HEADER = "| " + " | ".join(TITLES) + " |\n|" + "---|" * len(TITLES)
STATES = ("extent", "caller", "open")
Place = tuple[str, int]


@dataclass
class Pointer:
    """What one launch says of a pointer: `state` extent, caller or open; the caller or the reason."""

    state: str
    why: str = ""
    inferred: bool = False


@dataclass
class Launch:
    """What one contract says of a kernel: `geometry` is why it is not known, None where it is."""

    path: str
    line: int
    kernel: str
    site: str
    dead: bool
    geometry: str | None
    pointers: dict[str, Pointer]


@dataclass
class FileFacts:
    """What the launches in one file say, with the process time of the host walk alone."""

    path: str
    launches: list[Launch] = field(default_factory=list)
    seconds: float = 0.0
    crash: str = ""


@dataclass
class KernelFacts:
    name: str
    launches: list[Launch] = field(default_factory=list)


def facts_of(job: Job, root: str) -> FileFacts:
    found = FileFacts(job.source.path)
    forget_if_many()
    try:
        with at_most_seconds(MOST_SECONDS):
            others = neighbour_units(job.neighbours, job.parse, root)
            for unit, line_of, around in _units(job, others, root):
                start = time.process_time()
                contracts = contracts_of(unit, around, program=job.program)
                found.seconds += time.process_time() - start
                for kernel_id, each in contracts.items():
                    found.launches += (launch_of(unit.functions[kernel_id], line_of, contract) for contract in each)
    except (Exception, TimeLimit) as error:  # counted, and shown by name
        found.crash = f"{job.source.path}: {type(error).__name__}: {error}"
    return found


def launch_of(kernel: ir.Function, line_of: Callable[[int], int], contract: Contract) -> Launch:
    span = kernel.name_span or kernel.span
    site = contract.launch_site.path if contract.launch_site else ""
    pointers = {name: pointer_of(name, contract) for name in pointers_of(kernel)}
    return Launch(span.path, line_of(span.line), kernel.name, site, contract.dead, why_no_geometry(contract), pointers)


Part = tuple[ir.Unit, Callable[[int], int], tuple[ir.Unit, ...]]


def _units(job: Job, others: tuple[ir.Unit, ...], root: str) -> Iterator[Part]:
    """The units of a job, each with what tells the line of the file that a line of it stands for, and the units around it."""
    if not job.source.path.endswith(".py"):
        yield translate(job.source, with_launched(job.parse, others), root, job.around).unit, lambda line: line, others
        return
    for embedded in embedded_sources(job.source):
        around = neighbour_units(python_around(embedded), job.parse, root)
        yield translate(embedded.source, parse_options(embedded, job.parse), root).unit, embedded.places().line, around


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


def pointer_of(name: str, contract: Contract) -> Pointer:
    """What the contract says of the extent of a pointer."""
    extents = [f for f in contract.facts if isinstance(f.what, Extent) and f.what.pointer == name]
    if extents:
        return Pointer("extent", inferred=any(f.origin is Origin.INFERRED for f in extents))
    missing = next((m for m in contract.missing if m.subject == name), None)
    if missing is None:
        nulls = (f.what for f in contract.facts if isinstance(f.what, Nullable) and f.what.pointer == name)
        is_null = any(null.present is not None for null in nulls)
        return Pointer("extent") if is_null else Pointer("open", "no argument was seen")
    if missing.caller is not None:
        return Pointer("caller", missing.caller)
    return Pointer("open", missing.reason)


def state_of(name: str, launches: list[Launch], called: dict[str, set[str]]) -> tuple[str, str]:
    """(extent, caller or open; why) of a pointer under all launches found."""
    states = [_state(launch.pointers[name], launch.site, called) for launch in launches if name in launch.pointers]
    return next((s for s in states if s[0] == "open"), next((s for s in states if s[0] == "caller"), states[0]))


def _state(pointer: Pointer, site: str, called: dict[str, set[str]]) -> tuple[str, str]:
    if pointer.state == "caller" and called.get(pointer.why, set()) - {site}:
        return "open", "an entry point that the project itself calls from another file"
    return pointer.state, pointer.why


@dataclass
class Repository:
    kernels: dict[Place, KernelFacts]
    called: dict[str, set[str]]
    files: str
    seconds: list[float]
    crashes: list[str]


class State:
    """What is done, in a file of one JSON object a line; without a file nothing is kept."""

    def __init__(self, path: Path | None) -> None:
        self._path, self._own = path, own_commit()
        lines = path.read_text().splitlines() if path is not None and path.exists() else []
        records = [json.loads(line) for line in lines]
        self._done = {(r["repository"], r["facts"]["path"]): r["facts"] for r in records if r["cudalint"] == self._own}

    def facts(self, repository: str, path: str) -> FileFacts | None:
        found = self._done.get((repository, path))
        if found is None:
            return None
        launches = [
            Launch(**{**launch, "pointers": {n: Pointer(**p) for n, p in launch["pointers"].items()}})
            for launch in found["launches"]
        ]
        return FileFacts(**{**found, "launches": launches})

    def keep(self, repository: str, facts: FileFacts) -> None:
        if self._path is not None:
            with self._path.open("a") as file:
                record = {"repository": repository, "cudalint": self._own, "facts": asdict(facts)}
                file.write(json.dumps(record) + "\n")


def measured(root: Path, asked: argparse.Namespace, state: State, deadline: float) -> Repository:
    """Everything that the table needs of one repository."""
    discovery = discover([str(root)], project_root=str(root))
    files = discovery.files
    jobs = plan_jobs(discovery, ScanOptions(paths=(str(root),))).jobs
    walked = list(_walked(root, drawn(root.name, jobs)[: asked.files], asked, state, deadline))
    done = tuple(job for job, _ in walked)
    definitions = {(s.path, k.name_span.line): k.name for s in files for k in index(s).kernels}
    launched = launched_names(root, done)
    names = {place: name for place, name in definitions.items() if name in launched[place[0]]}
    paths = {job.source.path for job in done}
    if len(done) < len(jobs):  # what another file launches is not lost by a sample without that file
        held = paths | {header.path for job in done for header in job.around.headers}
        names = {place: name for place, name in names.items() if place[0] in held}
    for place, name, is_launched in _embedded_kernels(discovery.embedded):
        definitions[place] = name
        names |= {place: name} if is_launched and place[0] in paths else {}
    kernels = {place: KernelFacts(name) for place, name in names.items()}
    for _, facts in walked:
        for launch in facts.launches:
            place = launch.path, launch.line
            if place in definitions:
                kernels.setdefault(place, KernelFacts(launch.kernel)).launches.append(launch)
    for kernel in kernels.values():
        kernel.launches = [each for each in kernel.launches if not each.dead] or kernel.launches
    results = [facts for _, facts in walked]
    seconds = sorted(r.seconds for r in results if not r.crash)
    share = f"{len(done)} of {len(jobs)}, drawn" if len(done) < len(jobs) else str(len(jobs))
    return Repository(kernels, called_names(files), share, seconds, [r.crash for r in results if r.crash])


def drawn(name: str, jobs: Iterable[Job]) -> list[Job]:
    """The jobs in the order in which SEED draws them."""
    order = sorted(jobs, key=lambda job: job.source.path)
    random.Random(f"{SEED}: {name}").shuffle(order)
    return order


def _walked(
    root: Path, jobs: list[Job], asked: argparse.Namespace, state: State, deadline: float
) -> Iterator[tuple[Job, FileFacts]]:
    first, every = map(int, asked.part.split("/"))
    for job in jobs[first - 1 :: every]:
        known = state.facts(root.name, job.source.path)
        if known is None and time.monotonic() < deadline:
            known = facts_of(job, str(root))
            state.keep(root.name, known)
        if known is not None:
            yield job, known


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


def table(root: Path, found: Repository) -> list[str]:
    """The line of a repository, then its most frequent reasons."""
    known, geometry, pointers, states = 0, Counter[str](), Counter[str](), Counter[str]()
    examples: dict[str, list[str]] = defaultdict(list)
    for (path, line), kernel in sorted(found.kernels.items()):
        here = f"{path}:{line} {kernel.name}"
        reasons = [each.geometry for each in kernel.launches] if kernel.launches else ["no launch was followed"]
        lost = [r for r in reasons if r is not None]
        known += not lost
        if lost:
            reason = "geometry: " + _NAMED.sub("`...`", lost[0])
            geometry[reason] += 1
            examples[reason].append(here)
        for pointer in kernel.launches[-1].pointers if kernel.launches else ():
            state, why = state_of(pointer, kernel.launches, found.called)
            states[state] += 1
            told = (each.pointers[pointer] for each in kernel.launches if pointer in each.pointers)
            states["inferred"] += state == "extent" and any(each.inferred for each in told)
            if state == "open":
                reason = "extent: " + _NAMED.sub("`...`", why)
                pointers[reason] += 1
                examples[reason].append(f"{here} {pointer}")
    total, count = max(1, len(found.kernels)), max(1, sum(states[s] for s in STATES))
    seconds = found.seconds or [0.0]
    cells = [
        root.name,
        commit_of(root)[:12],
        own_commit(),
        found.files,
        str(len(found.kernels)),
        f"{known} ({100 * known / total:.1f} %)",
        str(sum(states[s] for s in STATES)),
        *(f"{states[s]} ({100 * states[s] / count:.1f} %)" for s in ("extent", "inferred", "caller", "open")),
        str(len(found.crashes)),
        f"{seconds[len(seconds) // 2]:.2f}",
        f"{seconds[int(len(seconds) * 0.95)]:.2f}",
        f"{seconds[-1]:.2f}",
    ]
    lines = [f"## {root.name}: why not", ""]
    for counter in (geometry, pointers):
        ranked = sorted(counter.items(), key=lambda i: (-i[1], i[0]))[:10]
        lines += [f"- {n} x {reason} (such as {'; '.join(examples[reason][:2])})" for reason, n in ranked]
    lines += [f"- crashed: {crash}" for crash in found.crashes]
    return ["| " + " | ".join(cells) + " |", *lines]


def merged(before: str, rows: dict[str, list[str]]) -> str:
    """The page with the lines of the `rows` in place of those that it had of the same repositories."""
    kept: dict[str, list[str]] = {}
    of = ""
    for line in before.splitlines():
        if line.startswith("| ") and not line.startswith("| repository"):
            kept[line.split(" | ")[0].removeprefix("| ")] = [line]
        elif line.startswith("## "):
            of = line.removeprefix("## ").removesuffix(": why not")
            kept.setdefault(of, []).append(line)
        elif of and (line or kept[of][-1].startswith("## ")):
            kept[of].append(line)
    pages = [lines for lines in {**kept, **rows}.values() if lines[0].startswith("| ")]
    return "\n".join([HEADER, *(p[0] for p in pages), *("\n" + "\n".join(p[1:]) for p in pages)]) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="REPOSITORY")
    parser.add_argument("--files", type=int, metavar="N", help="the first N files that the seed draws")
    parser.add_argument("--seconds", type=int, default=1 << 30)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--part", default="1/1", metavar="I/N", help="every N-th file from the I-th on")
    parser.add_argument("--dry", action="store_true", help="print, and write no page")
    asked = parser.parse_args()
    corpora = Path(os.environ.get("CUDALINT_CORPORA", ""))
    if not corpora.name or not corpora.is_dir():
        parser.error("CUDALINT_CORPORA names no folder")
    state, deadline, rows = State(asked.state), time.monotonic() + asked.seconds, dict[str, list[str]]()
    for name in asked.names:
        rows[name] = table(corpora / name, measured(corpora / name, asked, state, deadline))
        print("\n".join(rows[name]), flush=True)
        if not asked.dry and asked.part == "1/1":
            RESULTS.write_text(merged(RESULTS.read_text() if RESULTS.exists() else "", rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
