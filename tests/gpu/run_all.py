"""Run a folder of plans and print a table: our verdict, the sanitizer's, the seconds.

    python tests/gpu/run_all.py PLANS [--gpu N] [--timeout 10] [--sanitizer auto|always|off] [--memory GIB] [--results OUT]

OUT is a folder that gets a file for each plan, or one file (*.json) for all of them. Needs NumPy and CuPy only.
The status is 1 when a witness was not confirmed or a clean launch was not clean.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from cudalint.confirm.gpu.plan_file import canonical, plan_paths  # noqa: E402
from cudalint.confirm.gpu.pool import WorkerFailed  # noqa: E402
from cudalint.confirm.gpu.worker import Settings, each_result  # noqa: E402

SAVED_EACH = 25


def main() -> int:
    options = _options()
    settings = Settings(options.gpu, options.timeout, options.sanitizer, options.memory << 30)
    began = time.monotonic()
    rows: list[tuple[dict[str, Any], float]] = []
    try:
        for _, outcome, seconds in each_result(plan_paths(Path(options.plans)), settings):
            if isinstance(outcome, str):
                print(f"unreadable: {outcome}")
                continue
            rows.append((outcome, seconds))
            if options.results and len(rows) % SAVED_EACH == 0:
                write_results(Path(options.results), timed(rows))
    except WorkerFailed as error:
        print(f"no run: {error}")
        return 2
    finally:
        if options.results:
            write_results(Path(options.results), timed(rows))
    _print_table(rows, every=options.all)
    print(f"{time.monotonic() - began:.1f} s in all")
    return 1 if any(not as_expected(outcome) for outcome, _ in rows) else 0


def timed(rows: list[tuple[dict[str, Any], float]]) -> list[dict[str, Any]]:
    return [{**outcome, "seconds": round(seconds, 3)} for outcome, seconds in rows]


def write_results(out: Path, outcomes: list[dict[str, Any]]) -> None:
    if out.suffix == ".json":
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(canonical({"results": outcomes}))
        return
    out.mkdir(parents=True, exist_ok=True)
    for outcome in outcomes:
        (out / f"{outcome['id']}.result.json").write_bytes(canonical(outcome))


def as_expected(outcome: dict[str, Any]) -> bool:
    return bool(outcome["verdict"] == ("clean" if outcome["expected"] == ["clean"] else "confirmed"))


def sanitizer_verdict(outcome: dict[str, Any]) -> str:
    observation = outcome["observations"].get("sanitizer")
    if observation is None:
        return "-"
    if observation["status"] != "ok":
        return str(observation["status"])
    kinds = sorted({report["kind"] for report in observation["reports"]})
    return "+".join(kinds) or "nothing"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("plans")
    parser.add_argument("--gpu", type=int)
    parser.add_argument("--timeout", type=float, default=10.0)
    parser.add_argument("--sanitizer", default="auto", choices=("auto", "always", "off"))
    parser.add_argument("--memory", type=int, default=2, help="GiB of device memory that a plan may use")
    parser.add_argument("--results")
    parser.add_argument("--all", action="store_true", help="print a row for each plan, not only for unexpected ones")
    return parser.parse_args()


def _print_table(rows: list[tuple[dict[str, Any], float]], every: bool) -> None:
    counts: dict[str, Counter[str]] = {}
    for outcome, seconds in rows:
        family = outcome["code"] or "clean"
        counts.setdefault(family, Counter())[outcome["verdict"]] += 1
        if every or not as_expected(outcome):
            mark = " " if as_expected(outcome) else "!"
            name = "/".join(outcome["path"].split("/")[-2:])
            print(
                f"{mark} {name:60} {family:7} {outcome['verdict']:10} {outcome['by'] or '-':16} "
                f"{sanitizer_verdict(outcome):14} {seconds:6.2f} s  {outcome['detail'][:200]}"
            )
    detectors = Counter(outcome["by"] for outcome, _ in rows if outcome["verdict"] == "confirmed")
    print()
    for family, verdicts in sorted(counts.items()):
        print(
            f"{family:8} {sum(verdicts.values()):4} plans: "
            + ", ".join(f"{n} {v}" for v, n in sorted(verdicts.items()))
        )
    _print_compared([outcome for outcome, _ in rows])
    print("confirmed by " + ", ".join(f"{detector}: {count}" for detector, count in sorted(detectors.items())))
    versions = next((outcome["versions"] for outcome, _ in rows if outcome["versions"]), {})
    print(", ".join(f"{name} {version}" for name, version in sorted(versions.items())))
    as_they_should = sum(as_expected(outcome) for outcome, _ in rows)
    print(f"{as_they_should} of {len(rows)} plans as expected")


def _print_compared(outcomes: list[dict[str, Any]]) -> None:
    """Kernels whose buffers hold behind the launch what the emulator leaves in them, or what errors of functions make of it."""
    told = [o for o in outcomes if (o["compared"] or o["near"]) and o["verdict"] in ("clean", "differs")]
    kernels = {(o["path"], o["kernel"]) for o in told}
    differing = sorted({(o["path"], o["kernel"]) for o in told if o["verdict"] == "differs"})
    print(f"{len(kernels)} kernels compared with the emulator in {len(told)} launches, {len(differing)} of them differ")
    for path, kernel in differing:
        print(f"  differs: {path} {kernel}")


if __name__ == "__main__":
    sys.exit(main())
