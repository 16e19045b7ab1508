"""Launches drawn from whole repositories, and what a reader of their host code says of them against what contracts say.

    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.launch_sample draw
    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.launch_sample compare [repository ...]

`draw` writes launches/sample.tsv: as many launches of each repository, drawn with SEED over all that its text holds
(`<<<...>>>`, the runtime's and the driver's launch functions, and CUDA in strings of Python), whether contracts follow them
or not. launches/expected.tsv holds the facts that a reader found, and no code; `compare` writes results/launches.md.
"""

from __future__ import annotations

import os
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cudalint.frontend.lexical import blank
from cudalint.frontend.python_strings import embedded_sources
from cudalint.frontend.syntax import index
from cudalint.project.discovery import discover
from cudalint.source import SourceFile
from tests.benchmarks.coverage import commit_of

SEED = "cudalint launches 1"
EACH = 9
REPOSITORIES = (
    *("ggml", "bitsandbytes", "apex", "flashinfer", "cudf", "gpu-rodinia", "llm.c", "cuda-samples"),
    "CUDA-L1",
)
SAMPLE = Path(__file__).parent / "launches" / "sample.tsv"
COLUMNS = "repository\tcommit\tpath\tline\tkernel"

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


def main(arguments: list[str]) -> int:
    corpora = Path(os.environ.get("CUDALINT_CORPORA", ""))
    if not arguments or not corpora.is_dir():
        print(__doc__)
        return 2
    if arguments[0] == "draw":
        SAMPLE.write_text(draw(corpora), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
