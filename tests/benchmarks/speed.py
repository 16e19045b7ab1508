"""What a scan costs before and after a change: processor seconds of both trees, file by file, and whether the reports are the same.

    CUDALINT_CORPORA=/path/to/checkouts python -m tests.benchmarks.speed FORMER [--file llm.c/train_gpt2.cu] [--write]

FORMER is a commit of this repository. Each file is scanned by a process of the former tree and one of the tree at hand, in
turns, --repeats times each, on one job and without the cache; the lesser time counts, for what else the machine does makes a
scan slower, never faster. Seconds of two machines do not compare, so the ratio is what to look at. Reports are compared as JSON:
`same`, or how many findings and verdicts of accesses are gone and new. With --write the table goes to
tests/benchmarks/results/speed.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.coverage import commit_of
from tests.benchmarks.random_launches import own_commit

ROOT = Path(__file__).parent.parent.parent
RESULTS = Path(__file__).parent / "results" / "speed.md"
FILES = (
    "llm.c/train_gpt2.cu", "llm.c/dev/cuda/attention_forward.cu", "llm.c/dev/cuda/layernorm_backward.cu",
    "bitsandbytes/csrc/kernels.cu", "flashinfer/include/flashinfer/norm.cuh", "kaldi/src/cudamatrix/cu-kernels.cu",
    "apex/csrc/welford.cu", "gpu-rodinia/cuda/srad/srad_v2/srad.cu",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scanned:
    """One scan: its report, or none where it failed."""

    seconds: float
    report: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Compared:
    """One file by both trees."""

    file: str
    former: Scanned
    now: Scanned

    @property
    def ratio(self) -> float:
        return self.now.seconds / max(self.former.seconds, 0.01)


def scanned(tree: Path, file: Path) -> Scanned:
    """The seconds and the report of one process."""
    with tempfile.TemporaryDirectory(prefix="speed-") as scratch:
        out = Path(scratch) / "report.json"
        command = [sys.executable, "-m", "cudalint.cli.main", "check", str(file), "--jobs", "1", "--no-cache"]
        process = subprocess.Popen(
            [*command, "-o", f"json={out}"],
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return Scanned(used.ru_utime + used.ru_stime, json.loads(out.read_text()) if out.exists() else None)


def compared(former: Path, file: str, corpora: Path, repeats: int) -> Compared:
    """Both trees in turns, the quicker scan of each."""
    runs = [[scanned(tree, corpora / file) for tree in (former, ROOT)] for _ in range(repeats)]
    before, now = (min(each, key=lambda one: one.seconds) for each in zip(*runs))
    print(f"{file} {before.seconds:.1f} {now.seconds:.1f}", flush=True)
    return Compared(file, before, now)


def difference(former: dict[str, Any] | None, now: dict[str, Any] | None) -> str:
    """In words: what of the findings and of the verdicts about accesses is gone, and what is new."""
    if former is None or now is None:
        return "no report" if now is None else "no report before"
    if former == now:
        return "same"
    said = []
    for kind, listed in (("findings", _findings), ("verdicts", _verdicts)):
        gone, new = Counter(listed(former)), Counter(listed(now))
        gone, new = gone - new, new - gone
        if gone or new:
            said.append(f"{kind} -{gone.total()} +{new.total()}")
    return ", ".join(said) or "same findings and verdicts"


def _findings(report: dict[str, Any]) -> Iterable[str]:
    return (json.dumps([f["code"], f["path"], f["line"], f.get("kernel")]) for f in report["findings"])


def _verdicts(report: dict[str, Any]) -> Iterable[str]:
    return (
        json.dumps([kernel["name"], *(o[part] for part in ("kind", "path", "line", "column", "verdict"))])
        for kernel in report["kernels"]
        for o in kernel["obligations"]
    )


def table(rows: list[Compared], former: str, repeats: int, commits: str) -> str:
    """Every file, then all together."""
    lines = [
        f"Commit {former} against {own_commit()}; processor seconds of one job without cache, lesser of {repeats}. {commits}",
        "",
        "| file | former s | now s | ratio | report |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        said = difference(row.former.report, row.now.report)
        lines.append(f"| {row.file} | {row.former.seconds:.1f} | {row.now.seconds:.1f} | {row.ratio:.2f} | {said} |")
    before, now = sum(r.former.seconds for r in rows), sum(r.now.seconds for r in rows)
    lines.append(f"| all | {before:.1f} | {now:.1f} | {now / max(before, 0.01):.2f} | |")
    return "\n".join(lines) + "\n"


def unpacked(commit: str, into: Path) -> Path:
    """The tree of a commit of this repository."""
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", commit], capture_output=True, check=True).stdout
    into.mkdir()
    subprocess.run(["tar", "-x", "-C", str(into)], input=archive, check=True)
    return into


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="speed", description=__doc__)
    parser.add_argument("former", help="a commit of this repository")
    parser.add_argument("--file", action="append", help="below CUDALINT_CORPORA; repeatable")
    parser.add_argument("--repeats", type=int, default=2, metavar="N", help="scans by each tree")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="files at the same time")
    parser.add_argument("--write", action="store_true", help="keep the table")
    arguments = parser.parse_args(words)
    corpora = Path(os.environ.get("CUDALINT_CORPORA", ""))
    if not (os.environ.get("CUDALINT_CORPORA") and corpora.is_dir()):
        print("CUDALINT_CORPORA names no folder of checkouts", file=sys.stderr)
        return 2
    files = [file for file in arguments.file or FILES if (corpora / file).is_file()]
    with tempfile.TemporaryDirectory(prefix="speed-") as scratch, ThreadPoolExecutor(arguments.jobs) as pool:
        former = unpacked(arguments.former, Path(scratch) / "former")
        rows = list(pool.map(lambda file: compared(former, file, corpora, arguments.repeats), files))
    names = dict.fromkeys(file.partition("/")[0] for file in files)
    text = table(
        rows,
        arguments.former,
        arguments.repeats,
        ", ".join(f"{name} {commit_of(corpora / name)[:12]}" for name in names),
    )
    print(text)
    if arguments.write:
        RESULTS.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
