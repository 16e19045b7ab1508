"""How much of whole repositories is understood and decided: one table, with the commit of each repository.

    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.coverage llm.c cuda-samples

Each argument is a folder below CUDALINT_CORPORA: a git clone, or a checkout with a file COMMIT. The result is
printed and written to tests/benchmarks/results/coverage.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from cudalint.engine import ScanOptions, scan
from cudalint.finding import ScanResult, Verdict

RESULTS = Path(__file__).parent / "results" / "coverage.md"


def commit_of(folder: Path) -> str:
    """The commit that the folder holds."""
    marker = folder / "COMMIT"
    if marker.exists():
        return marker.read_text().strip()
    command = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def row(name: str, commit: str, result: ScanResult, seconds: float) -> str:
    """One line of the table."""
    kernels = result.kernels
    complete = sum(k.complete for k in kernels)
    exact = sum(k.exact for k in kernels)
    verdicts = Counter(o.verdict for k in kernels for o in k.obligations)
    total = max(1, len(kernels))
    cells = [
        name,
        commit[:12],
        str(result.files),
        str(result.files_failed),
        str(len(kernels)),
        f"{complete} ({100 * complete / total:.1f} %)",
        f"{exact} ({100 * exact / total:.1f} %)",
        *(str(verdicts[v]) for v in (Verdict.SAFE, Verdict.VIOLATED, Verdict.UNKNOWN, Verdict.UNREACHABLE)),
        str(len(result.findings)),
        f"{seconds:.0f}",
    ]
    return "| " + " | ".join(cells) + " |"


HEADER = (
    "| repository | commit | files | failed | kernels | complete | exact | safe | violated | unknown | unreachable "
    "| findings shown | seconds |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|"
)


def reasons(result: ScanResult) -> list[str]:
    """The ten most frequent reasons why a kernel is not complete."""
    counter = Counter(gap.reason for k in result.kernels if not k.complete for gap in k.unmodelled[:1])
    return [f"- {count} x {reason}" for reason, count in sorted(counter.items(), key=lambda i: (-i[1], i[0]))[:10]]


def findings(result: ScanResult) -> list[str]:
    """Findings by rule and evidence."""
    counter = Counter(f"{f.code} {f.name} ({f.evidence.value})" for f in result.findings)
    return [f"- {count} x {what}" for what, count in sorted(counter.items())]


def main(names: list[str]) -> int:
    corpora = Path(os.environ.get("CUDALINT_CORPORA", ""))
    if not names or not corpora.is_dir():
        print(__doc__)
        return 2
    lines, details = [HEADER], list[str]()
    for name in names:
        folder = corpora / name
        start = time.monotonic()
        result = scan(ScanOptions(paths=(str(folder),), project_root=str(folder)))
        lines.append(row(name, commit_of(folder), result, time.monotonic() - start))
        details += [f"\n## {name}: why kernels are not complete", *reasons(result)]
        details += [f"\n## {name}: findings shown", *findings(result)]
    text = "\n".join([*lines, *details]) + "\n"
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
