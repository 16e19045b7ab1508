"""Launches drawn from whole repositories, and what a reader of their host code says of them against what contracts say.

    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.launch_sample draw
    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.launch_sample compare [repository ...]

CUDALINT_JOBS is how many repositories are compared at a time. `draw` writes launches/sample.tsv: as many launches of each
repository, drawn with SEED over all that its text holds (`<<<...>>>`, the runtime's and the driver's launch functions, and CUDA
in strings of Python), whether contracts follow them or not. launches/expected.tsv holds the facts that a reader found, and no
code; `compare` writes results/launches.md.
"""

from __future__ import annotations

import os
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from cudalint import ir
from cudalint.contract import Contract
from cudalint.engine import ScanOptions
from cudalint.engine.contracts import contracts_of, neighbour_units, with_launched
from cudalint.engine.embedded import parse_options
from cudalint.engine.jobs import Job, plan_jobs
from cudalint.frontend.lexical import blank
from cudalint.frontend.python_strings import embedded_sources
from cudalint.frontend.syntax import index
from cudalint.frontend.translate import translate
from cudalint.project.discovery import discover
from cudalint.source import SourceFile
from cudalint.term import forget_if_many
from tests.benchmarks.coverage import commit_of
from tests.benchmarks.launch_expressions import alternatives
from tests.benchmarks.launch_facts import KINDS, Expected, Judged, Verdict, judge

SEED = "cudalint launches 1"
EACH = 9
REPOSITORIES = (
    *("ggml", "bitsandbytes", "apex", "flashinfer", "cudf", "gpu-rodinia", "llm.c", "cuda-samples"),
    "CUDA-L1",
)
SAMPLE = Path(__file__).parent / "launches" / "sample.tsv"
EXPECTED = Path(__file__).parent / "launches" / "expected.tsv"
RESULTS = Path(__file__).parent / "results" / "launches.md"
COLUMNS = "repository\tcommit\tpath\tline\tkernel"
EXPECTED_COLUMNS = "repository\tpath\tline\tkernel\tsubject\tkind\texpected"
NOTE = """\
A reader wrote launches/expected.tsv from the host code, repository by repository, and committed it before contracts were
looked at (790 rows). The first comparison called 398 of 567 stated facts right; most of the others were the reader's slips
(checks in callers that had not been read, a default type, loops over block sizes) and were corrected against the code: 50
rows replaced, 161 added, of which 49 only name values or tell launches of one place apart. 12 were wrong facts of ours: the
size of guessed types, and containers of several calls of one helper taken for one. When contracts began to follow Python into
bitsandbytes and the checks of flashinfer's kda binding, 61 rows that left it to callers were read again there (ops.py:172,
214, 300, 385, 454, 522, 846, 1059) and 31 added (flashkda_binding_common.cuh:383, 386, 389, 396, 437-455, 527-535, 710); 18 more
name what is passed on in cudf's views (column_device_view.cu:36, page_data.cu:519) and flashinfer's head sizes (utils.cuh:197).
10 more rows and 2 alternatives are of facts that contracts stated and the reader had not listed, each found in the code then: a
check of a callee that runs before (trtllm_alltoall_prepare.cu:537), contiguous weights (trtllm_fused_moe_kernel_launcher.cu:658),
what the class of a view says (strings_column_view.cpp:16, column_device_view_base.cuh:100), begin bits for each mask
(null_mask.cu:694), J of one instance of mul_mat_q, `C % 4` by its other name, and conditions of branches. What is left as stronger
rests on the target of the scan. layernorm.cuh:453 was read again when contracts began to follow profile_gpt2.cu, a program
that includes train_gpt2.cu: its main fixes B = 24, T = 1024 and one layer, and the sizes of all that it carves from two arenas
follow from the header of the checkpoint (9 rows changed, 7 added; both cases are what decides whether HellaSwag is run).
A second reader judged what was left then from the code alone: an alias and a range of train_gpt2_fp32.cu:865 were right and missing
(2 rows added). Of mmq.cuh:1422 the sizes of an instance without a row of its own are those of the default row (3 alternatives), the
bytes of shared memory are right and cannot be written in the words of the list (left as wrong), and the condition on the device is
that of an instance with rows for newer devices, right under the one architecture of the scan (left as stronger); the program
never launches a default row (mmq.cuh:1480). srad's product of two sizes is no fact of the launch any more: it is told as ordinary.
`Stated` counts facts once for each launch, the worst over its instances and callers; `inferred` ones (DESIGN 3, origin 7)
say that they are no statement about the code. `Followed` launches have a contract; of a template only some instances do.
"""
HEAD = (
    "| repository | commit | launches | followed | stated | right | wrong | stronger | omitted | inferred, apart "
    "| right of stated |"
)
LINES_AROUND = 2  # a macro around a launch begins before it

_CALL = re.compile(
    r"\b(?:(?P<second>(?:cuda|hip)LaunchKernelEx)|(?:cuda|hip)Launch(?:Cooperative)?Kernel(?:ExC|GGL)?"
    r"|cuLaunch(?:Cooperative)?Kernel(?:Ex)?|ggml_cuda_kernel_launch)\s*\("
)
_DECLARED = re.compile(r"(?:\bvoid|\bcudaError_t|\bhipError_t|\bCUresult|[*&])\s*\Z")


@dataclass(frozen=True, slots=True, order=True)
class Drawn:
    """One launch, by the line where it begins; `kernel` is what the text launches."""

    repository: str
    commit: str
    path: str
    line: int
    kernel: str

    def row(self) -> str:
        return "\t".join((self.repository, self.commit, self.path, str(self.line), self.kernel))


def drawn(repository: str, commit: str, launches: list[tuple[str, int, str]], each: int = EACH) -> list[Drawn]:
    """The draw of one repository: it depends on the seed, the repository's name and its launches, on nothing else."""
    places = sorted(set(launches))
    chosen = random.Random(f"{SEED}: {repository}").sample(places, min(each, len(places)))
    return sorted(Drawn(repository, commit, *place) for place in chosen)


def launches_in(root: Path) -> Iterator[tuple[str, int, str]]:
    """Path, line and kernel of every launch that a file below the root spells."""
    found = discover([str(root)], project_root=str(root))
    for source in found.files:
        yield from _launches_of(source)
    for host in found.embedded:
        for embedded in embedded_sources(host):
            places = embedded.places()
            for path, line, kernel in _launches_of(embedded.source):
                yield path, places.line(line), kernel


def _launches_of(source: SourceFile) -> Iterator[tuple[str, int, str]]:
    for launch in index(source).launches:
        yield source.path, launch.span.line, " ".join(launch.callee.split())
    text = blank(source.text)
    for call in _CALL.finditer(text.code):
        if not _DECLARED.search(text.code, max(0, call.start() - 40), call.start()):
            line = source.text.count("\n", 0, call.start()) + 1
            yield source.path, line, _argument(text.plain, call.end(), 1 if call["second"] else 0)


def _argument(text: str, start: int, position: int) -> str:
    """The argument of a call as text, without casts to `void *`."""
    depth, begin = 0, start
    for at in range(start, min(len(text), start + 2_000)):
        char = text[at]
        depth += (char in "([{") - (char in ")]}")
        if depth < 0 or (depth == 0 and char == ","):
            if position == 0 or depth < 0:
                found = re.sub(r"\((?:const\s+)?void\s*\*\s*\)", "", text[begin:at])
                return " ".join(found.split()).lstrip("&")
            position, begin = position - 1, at + 1
    return "?"


def draw(corpora: Path) -> str:
    """The file of the sample."""
    lines = [f"# seed {SEED}", COLUMNS]
    for name in REPOSITORIES:
        root = corpora / name
        launches = list(launches_in(root))
        lines += [each.row() for each in drawn(name, commit_of(root), launches)]
        print(f"{name}: {len(set(launches))} launches", file=sys.stderr)
    return "\n".join(lines) + "\n"


# --- what was drawn and what is expected -------------------------------------------------------------------------------


def read_sample(text: str) -> list[Drawn]:
    """The drawn launches; ValueError names a line that is none."""
    lines = text.splitlines()
    if lines[:2] != [f"# seed {SEED}", COLUMNS]:
        raise ValueError("a sample begins with its seed and the names of the columns")
    cells = [line.split("\t") for line in lines[2:]]
    return [Drawn(name, commit, path, int(line), kernel) for name, commit, path, line, kernel in cells]


def read_expected(text: str) -> dict[tuple[str, str, int], list[Expected]]:
    """The expected facts by repository, path and line; ValueError names a line that cannot be read."""
    lines = text.splitlines()
    if lines[0] != EXPECTED_COLUMNS:
        raise ValueError(f"expected facts begin with {EXPECTED_COLUMNS!r}")
    found: dict[tuple[str, str, int], list[Expected]] = defaultdict(list)
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(EXPECTED_COLUMNS.split("\t")) or cells[5] not in KINDS:
            raise ValueError(f"line {number}: {EXPECTED_COLUMNS.expandtabs(1)}")
        repository, path, at, _, subject, kind, wanted = cells
        if kind in ("geometry", "extent", "value", "range", "case"):
            alternatives(wanted.lstrip("?"))
        found[repository, path, int(at)].append(Expected(subject, kind, wanted))
    return found


# --- what contracts say ------------------------------------------------------------------------------------------------


def contracts_at(root: Path, launches: Sequence[Drawn]) -> dict[Drawn, list[Contract]]:
    """The contracts of the drawn launches of one repository, from the files that they stand in or whose kernels they name."""
    jobs = plan_jobs(discover([str(root)], project_root=str(root)), ScanOptions(paths=(str(root),))).jobs
    found: dict[Drawn, dict[Contract, int]] = {launch: {} for launch in launches}
    for job in jobs:
        wanted = [launch for launch in launches if _concerns(job, launch, root)]
        if not wanted:
            continue
        for contract, path, line in _contracts(job, str(root)):
            for launch in wanted:
                if _is_of(contract, path, line, launch):
                    found[launch][contract] = abs(line - launch.line) if path == launch.path else 0
        forget_if_many()
    return {launch: [c for c, d in near.items() if d == min(near.values())] for launch, near in found.items()}


def _concerns(job: Job, launch: Drawn, root: Path) -> bool:
    """The launch stands in the job, or in a file beside it while the kernel may be defined here."""
    if launch.path in (job.source.path, *(header.path for header in job.around.headers)):
        return True
    real = os.path.realpath(root / launch.path)
    texts = (job.source.text, *(header.text for header in job.around.headers))
    return real in {n.path for n in job.neighbours} and any(_simple(launch.kernel) in text for text in texts)


def _contracts(job: Job, root: str) -> Iterator[tuple[Contract, str, int]]:
    """The contracts of a job with the places of their launches in the file as it was written."""
    if not job.source.path.endswith(".py"):
        others = neighbour_units(job.neighbours, job.parse, root)
        unit = translate(job.source, with_launched(job.parse, others), root, job.around).unit
        yield from _placed(unit, contracts_of(unit, others), lambda path, line: line)
        return
    for embedded in embedded_sources(job.source):
        places = embedded.places()
        unit = translate(embedded.source, parse_options(embedded, job.parse), root).unit
        yield from _placed(unit, contracts_of(unit), lambda path, line, p=places: p.line(line))  # type: ignore[misc]


def _placed(
    unit: ir.Unit, found: dict[str, tuple[Contract, ...]], line_of: Callable[[str, int], int]
) -> Iterator[tuple[Contract, str, int]]:
    for kernel, contracts in found.items():
        function = unit.functions[kernel]
        for contract in contracts:
            if contract.launch_site is not None:
                site = contract.launch_site
                named = replace(contract, kernel=f"{function.name}<{', '.join(function.template_args)}>")
                yield named, site.path, line_of(site.path, site.line)


def _is_of(contract: Contract, path: str, line: int, launch: Drawn) -> bool:
    """By its place, or, where a wrapper launches, by the kernel and the template arguments that the text shows."""
    if path == launch.path and abs(line - launch.line) <= LINES_AROUND:
        return line == launch.line or not _simple(launch.kernel).isidentifier() or _names(contract, launch)
    return "<" in launch.kernel and path != launch.path and _names(contract, launch)


def _names(contract: Contract, launch: Drawn) -> bool:
    name, _, arguments = launch.kernel.partition("<")
    kernel, _, given = contract.kernel.partition("<")
    return kernel.split("::")[-1] == _simple(name) and given.startswith(arguments)


def _simple(kernel: str) -> str:
    return kernel.partition("<")[0].split("::")[-1]


# --- the result page ---------------------------------------------------------------------------------------------------


def page(results: dict[Drawn, list[Judged]]) -> str:
    """The table, then every fact that is not right."""
    lines = [*NOTE.splitlines(), "", HEAD, "|" + "---|" * HEAD.count(" |")]
    everything: Counter[Verdict] = Counter()
    rows: dict[str, list[Drawn]] = defaultdict(list)
    for launch in results:
        rows[launch.repository].append(launch)
    for name, launches in rows.items():
        counts = Counter(j.verdict for launch in launches for j in results[launch])
        everything += counts
        lines.append(_row(name, launches[0].commit[:12], len(launches), _followed(results, launches), counts))
    lines.append(_row("all", "", len(results), _followed(results, list(results)), everything))
    for launch, judged in results.items():
        slips = [j for j in judged if j.verdict is not Verdict.RIGHT]
        if slips:
            lines += ["", f"## {launch.repository} {launch.path}:{launch.line} {launch.kernel}", ""]
            lines += [_slip(j) for j in sorted(slips, key=lambda j: (-j.verdict, j.kind, j.subject, j.stated))]
    return "\n".join(lines) + "\n"


def _followed(results: dict[Drawn, list[Judged]], launches: Iterable[Drawn]) -> int:
    return sum(any(j.stated != "no contract of this launch" for j in results[launch]) for launch in launches)


def _row(name: str, commit: str, launches: int, followed: int, counts: Counter[Verdict]) -> str:
    stated = counts[Verdict.RIGHT] + counts[Verdict.WRONG] + counts[Verdict.STRONGER]
    kinds = [Verdict.RIGHT, Verdict.WRONG, Verdict.STRONGER, Verdict.OMITTED, Verdict.INFERRED]
    share = f"{100 * counts[Verdict.RIGHT] / max(1, stated):.1f} %"
    cells = [name, commit, str(launches), str(followed), str(stated), *(str(counts[k]) for k in kinds), share]
    return "| " + " | ".join(cells) + " |"


def _slip(judged: Judged) -> str:
    wanted = f"expected `{judged.expected}`" if judged.expected else "nobody expected it"
    return f"- {judged.verdict.name.lower()}: {judged.kind} {judged.subject}: {wanted}; {judged.stated}"


def compare(corpora: Path, names: Sequence[str]) -> str:
    """The result page for the repositories; the commits must be those of the sample."""
    with ProcessPoolExecutor(int(os.environ.get("CUDALINT_JOBS", "1"))) as pool:
        judged = pool.map(partial(judged_of, corpora), names)
        return page({launch: found for each in judged for launch, found in each.items()})


def judged_of(corpora: Path, name: str) -> dict[Drawn, list[Judged]]:
    """What the contracts of one repository say of its drawn launches."""
    launches = [launch for launch in read_sample(SAMPLE.read_text(encoding="utf-8")) if launch.repository == name]
    expected, held = read_expected(EXPECTED.read_text(encoding="utf-8")), commit_of(corpora / name)
    if any(launch.commit != held for launch in launches):
        raise SystemExit(f"{name} holds {held}, the sample speaks of {launches[0].commit}")
    found = contracts_at(corpora / name, launches)
    return {each: judge(expected[name, each.path, each.line], contracts) for each, contracts in found.items()}


def main(arguments: list[str]) -> int:
    corpora = Path(os.environ.get("CUDALINT_CORPORA", ""))
    if not arguments or not corpora.is_dir():
        print(__doc__)
        return 2
    if arguments[0] == "draw":
        SAMPLE.write_text(draw(corpora), encoding="utf-8")
    else:
        text = compare(corpora, arguments[1:] or REPOSITORIES)
        print(text)
        if not arguments[1:]:
            RESULTS.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
