"""The effect of facts is measured on the engine itself, with them taken away; the draw depends on seed and name alone."""

from __future__ import annotations

from pathlib import Path

from cudalint.engine import ScanOptions
from cudalint.engine.jobs import Job, plan_jobs
from cudalint.project.discovery import discover
from tests.benchmarks.effect import EACH, SETTINGS, analysed, counted, counts_of, drawn_jobs, keep, knowing, read_state

KERNEL = "__global__ void copy(float *y, const float *x, int n) { int i = threadIdx.x; if (i < n) y[i] = x[i]; }\n"
LAUNCH = """void run(const float *h, int n) {
    float *x, *y; cudaMalloc(&x, n * sizeof(float)); cudaMalloc(&y, n * sizeof(float));
    copy<<<1, 256>>>(y, x, n);
}
"""


def jobs(folder: Path, *names: str) -> tuple[Job, ...]:
    for name in names:
        (folder / name).write_text(KERNEL + LAUNCH)
    return plan_jobs(discover([str(folder)], project_root=str(folder)), ScanOptions(paths=(str(folder),))).jobs


def test_without_launch_facts_nothing_bounds_the_accesses(tmp_path: Path) -> None:
    (job,) = jobs(tmp_path, "copy.cu")
    with knowing(launches=True, inferred=True):
        known = counts_of(analysed(job, str(tmp_path)))
    with knowing(launches=False, inferred=True):
        unknown = counts_of(analysed(job, str(tmp_path)))
    assert known["unknown"] == 0 and unknown["unknown"] >= 2
    assert counts_of(analysed(job, str(tmp_path))) == known


def test_the_draw_depends_on_the_files_and_the_name_alone(tmp_path: Path) -> None:
    found = jobs(tmp_path, *(f"{letter}.cu" for letter in "abcdefghij"))
    drawn = [job.source.path for job in drawn_jobs("one", found)]
    assert drawn == [job.source.path for job in drawn_jobs("one", found[::-1])] and len(set(drawn)) == EACH
    assert drawn != [job.source.path for job in drawn_jobs("another", found)]


def test_what_was_counted_is_kept(tmp_path: Path) -> None:
    (job,) = jobs(tmp_path, "copy.cu")
    file, counts = counted("one 1234 copy.cu", str(tmp_path), job)
    assert set(counts) == set(SETTINGS) and counts["all facts"]["safe"] > counts["without both"]["safe"]
    keep(tmp_path / "state", file, counts)
    assert read_state(tmp_path / "state") == {file: counts}
