"""What compute-sanitizer sees of the witnesses that the GPU confirmed, beside what the instrumented copy sees, with the seconds.

    python tests/gpu/run_all.py PLANS --sanitizer off --results OURS.json
    python tests/gpu/run_all.py PLANS --sanitizer always --results BOTH.json
    python -m tests.gpu.sanitizer_table FOLDER [OUT]

FOLDER holds files `ours*.json` and `both*.json` of one session. OUT is tests/benchmarks/results/sanitizer.md. Needs no GPU.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from tests.gpu.run_all import as_expected, sanitizer_verdict

OUT = Path(__file__).parents[1] / "benchmarks" / "results" / "sanitizer.md"
SAME_LINE, OTHER_LINE, NOTHING = "the line", "another line", "nothing"
Result = Mapping[str, Any]
_LINE = re.compile(r":(\d+)(?=[):, ]|$)")  # where the copy saw it, in the result's detail


def main(arguments: list[str]) -> int:
    if len(arguments) not in (1, 2):
        print(__doc__)
        return 2
    folder = Path(arguments[0])
    out = Path(arguments[1]) if len(arguments) == 2 else OUT
    out.write_text(table(read(folder.glob("ours*.json")), read(folder.glob("both*.json"))))
    return 0


def read(paths: Iterable[Path]) -> dict[str, Result]:
    """Results of witnesses by the id of their plan."""
    found = [result for path in sorted(paths) for result in json.loads(path.read_text())["results"]]
    return {result["id"]: result for result in found if result["expected"] != ["clean"]}


def seen(result: Result) -> str:
    """Whether the tool of this kind of defect reports it, and where."""
    verdict = sanitizer_verdict(dict(result))
    if verdict in ("-", NOTHING, "timeout", "error"):
        return verdict
    reports = result["observations"]["sanitizer"]["reports"]
    lines = {line for report in reports for line in report["lines"]}
    expected = {int(line) for line in _LINE.findall(result["detail"])}
    return SAME_LINE if lines & expected else OTHER_LINE


def table(ours: Mapping[str, Result], both: Mapping[str, Result]) -> str:
    """One row for each rule and one for each witness that the sanitizer does not name the line of."""
    rules = sorted({str(result["code"]) for result in ours.values()})
    versions = next((r["versions"] for r in ours.values() if r["versions"]), {})
    lines = [
        "# Our own bad fixtures on a GPU: the instrumented copy and compute-sanitizer",
        "",
        f"{len(ours)} witnesses; " + ", ".join(f"{name} {value}" for name, value in sorted(versions.items())) + ".",
        "",
        "| rule | witnesses | confirmed by us | seconds, median | sanitizer names the line | another line | nothing | no answer "
        "| seconds, median |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for rule in rules:
        ids = sorted(i for i, result in ours.items() if result["code"] == rule)
        views = Counter(seen(both[i]) for i in ids if i in both)
        answered = sum(views[v] for v in (SAME_LINE, OTHER_LINE, NOTHING))
        own = median(ours[i]["seconds"] for i in ids)
        more = [max(0.0, both[i]["seconds"] - ours[i]["seconds"]) for i in ids if i in both]
        lines.append(
            f"| {rule} | {len(ids)} | {sum(as_expected(dict(ours[i])) for i in ids)} | {own:.2f} | {views[SAME_LINE]} "
            f"| {views[OTHER_LINE]} | {views[NOTHING]} | {len(ids) - answered} | {median(more):.2f} |"
        )
    lines += ["", "## Witnesses that compute-sanitizer does not report", ""]
    silent = [both[i] for i in both if seen(both[i]) not in (SAME_LINE, OTHER_LINE)]
    for result in sorted(silent, key=lambda r: (r["code"], r["path"], r["id"])):
        tool = result["observations"].get("sanitizer", {}).get("tool", "-")
        lines.append(f"- {result['code']} {result['path']} `{result['kernel']}`: {tool}: {seen(result)}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
