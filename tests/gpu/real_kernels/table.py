"""A table of what a GPU left of the hinted kernels, beside what the emulator leaves.

    python -m tests.gpu.real_kernels.table RESULTS PLANS [OUT]

RESULTS is what run_all.py wrote (a folder, or one file), PLANS the folder with kernels.json. OUT is
tests/benchmarks/results/real-kernels.md. Needs neither a GPU nor the front end.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OUT = Path(__file__).parents[2] / "benchmarks" / "results" / "real-kernels.md"
EQUAL, NEAR, DIFFERS, NOT_RUN = "equal byte for byte", "within the errors of functions", "differs", "not compared"
Result = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """One kernel: what its launches showed together, and what to say of it."""

    repository: str
    file: str
    kernel: str
    launches: int
    compared: int
    outcome: str
    detail: str


def main(arguments: list[str]) -> int:
    if len(arguments) not in (2, 3):
        print(__doc__)
        return 2
    results = read_results(Path(arguments[0]))
    index = json.loads(Path(arguments[1], "kernels.json").read_text())
    out = Path(arguments[2]) if len(arguments) == 3 else OUT
    rows = [row_of(kernel, results) for kernel in index["kernels"]]
    out.write_text(table(rows, index["commits"], results))
    print(f"{out}: " + ", ".join(f"{count} {outcome}" for outcome, count in Counter(r.outcome for r in rows).items()))
    return 0


def read_results(path: Path) -> dict[str, Result]:
    """By the id of their plan."""
    if path.is_dir():
        found = [json.loads(file.read_text()) for file in sorted(path.glob("*.result.json"))]
    else:
        found = json.loads(path.read_text())["results"]
    return {result["id"]: result for result in found}


def row_of(kernel: dict[str, Any], results: dict[str, Result]) -> Row:
    """A kernel is as equal as the least equal of its launches; launches that were not run are counted."""
    own = [results[plan] for plan in kernel["plans"] if plan in results]
    compared = [r for r in own if r["verdict"] in ("clean", "differs") and (r["compared"] or r["near"])]
    reasons = list(kernel["reasons"])
    if any(plan not in results for plan in kernel["plans"]):
        reasons.append("no result")
    reasons += sorted({r["detail"] or r["verdict"] for r in own if r not in compared})
    outcome = NOT_RUN
    if any(r["verdict"] == "differs" for r in compared):
        outcome = DIFFERS
        reasons = [r["detail"] for r in compared if r["verdict"] == "differs"]
    elif compared:
        outcome = NEAR if any(r["near"] for r in compared) else EQUAL
    return Row(
        kernel["repository"], kernel["file"], kernel["kernel"], kernel["launches"], len(compared), outcome,
        "; ".join(reasons),
    )  # fmt: skip


def table(rows: list[Row], commits: dict[str, str], results: dict[str, Result]) -> str:
    versions = next((r["versions"] for r in results.values() if r["versions"]), {})
    told = ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
    launches = sum(row.compared for row in rows)
    kinds = (EQUAL, NEAR, DIFFERS, NOT_RUN)
    lines = [
        f"{len(rows)} kernels of {len(commits)} repositories, {launches} launches compared with the emulator ({told}).",
        "",
        f"| repository | commit | kernels | {' | '.join(kinds)} |",
        "|---|---|---|" + "---|" * len(kinds),
    ]
    for repository, commit in sorted(commits.items()):
        counts = Counter(row.outcome for row in rows if row.repository == repository)
        numbers = " | ".join(str(counts[kind]) for kind in kinds)
        lines.append(f"| {repository} | {commit[:12]} | {counts.total()} | {numbers} |")
    counts = Counter(row.outcome for row in rows)
    lines.append(f"| all | | {counts.total()} | {' | '.join(str(counts[kind]) for kind in kinds)} |")
    for title, kind in (("What differs", DIFFERS), ("Not compared, and why", NOT_RUN)):
        chosen = [row for row in rows if row.outcome == kind]
        if chosen:
            lines += ["", f"## {title}", ""]
            lines += [f"- {row.repository} `{row.file}` `{row.kernel}`: {row.detail}" for row in chosen]
    lines += ["", "## Kernels", "", "| kernel | file | launches compared | outcome |", "|---|---|---|---|"]
    for row in rows:
        place = f"{row.repository}/{row.file}"
        lines.append(f"| `{row.kernel}` | {place} | {row.compared} of {row.launches} | {row.outcome} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
