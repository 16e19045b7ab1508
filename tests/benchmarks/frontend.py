"""How many kernels of whole repositories the front end understands, without analysing them.

    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.frontend llm.c cuda-samples

Each argument is a folder below CUDALINT_CORPORA: a git clone, or a checkout with a file COMMIT. The result is
printed and written to tests/benchmarks/results/frontend.md.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from cudalint.frontend.translate import KernelEntry, ParseOptions, translate
from cudalint.project.discovery import discover
from cudalint.source import SourceFile
from tests.benchmarks.coverage import commit_of

RESULTS = Path(__file__).parent / "results" / "frontend.md"
HEADER = "| repository | commit | files | crashed | kernels | complete | exact | median s | p95 s |\n|" + "---|" * 9


def measured(source: SourceFile, root: str) -> tuple[tuple[KernelEntry, ...], float, str]:
    """The kernels of one file, the seconds, and what went wrong."""
    start = time.process_time()
    try:
        kernels = translate(source, ParseOptions(), root).kernels
        return kernels, time.process_time() - start, ""
    except Exception as error:  # counted, and shown by name
        return (), time.process_time() - start, f"{source.path}: {type(error).__name__}: {error}"


def row(name: str, root: Path) -> list[str]:
    """The line of a repository, then why its kernels are not complete."""
    files = discover([str(root)], project_root=str(root)).files
    with ProcessPoolExecutor() as pool:
        results = list(pool.map(partial(measured, root=str(root)), files, chunksize=4))
    kernels = [kernel for found, _, _ in results for kernel in found]
    seconds = sorted(s for _, s, _ in results)
    crashes = [wrong for _, _, wrong in results if wrong]
    total = max(1, len(kernels))
    complete, exact = sum(k.complete for k in kernels), sum(k.exact for k in kernels)
    cells = [
        name,
        commit_of(root)[:12],
        str(len(files)),
        str(len(crashes)),
        str(len(kernels)),
        f"{complete} ({100 * complete / total:.1f} %)",
        f"{exact} ({100 * exact / total:.1f} %)",
        f"{seconds[len(seconds) // 2]:.2f}",
        f"{seconds[int(len(seconds) * 0.95)]:.2f}",
    ]
    counter = Counter(k.gaps[0].reason for k in kernels if not k.complete and k.gaps)
    why = [f"- {count} x {reason}" for reason, count in sorted(counter.items(), key=lambda i: (-i[1], i[0]))[:10]]
    return ["| " + " | ".join(cells) + " |", f"\n## {name}: why kernels are not complete\n", *why, *crashes]


def main(names: list[str]) -> int:
    corpora = Path(os.environ.get("CUDALINT_CORPORA", ""))
    if not names or not corpora.is_dir():
        print(__doc__)
        return 2
    rows = [row(name, corpora / name) for name in names]
    text = "\n".join([HEADER, *(lines[0] for lines in rows), *(line for lines in rows for line in lines[1:])]) + "\n"
    RESULTS.write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
