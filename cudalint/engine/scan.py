"""A whole scan: discover, analyse each file on its own, select, suppress, order."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from cudalint import __version__
from cudalint.engine.decided import with_orders_once
from cudalint.engine.file import FileResult, Reported, analyse_piece, joined
from cudalint.engine.hints import ignored_configuration, unused_hints
from cudalint.engine.jobs import Job, lost_jobs, pieces_of, plan_jobs
from cudalint.engine.merging import merged, merged_kernels
from cudalint.engine.options import ScanOptions, UsageError
from cudalint.engine.pool import USUAL, run_all
from cudalint.engine.registry import selected_codes
from cudalint.engine.settings import project_settings
from cudalint.engine.suppress import Suppressions, ignored_comments
from cudalint.engine.unchecked import unchecked_notes
from cudalint.finding import Evidence, Finding, Level, Note, ScanResult
from cudalint.project.configuration import Configuration, Hint
from cudalint.project.discovery import PYTHON_ENDINGS, Discovery, discover
from cudalint.rule import shown_by_default
from cudalint.source import SourceFile
from cudalint.term import forget_if_many

if TYPE_CHECKING:
    from cudalint.confirm.sanitizer_log import Report

MOST_NAMED = 3  # of the files that were not read


def scan(options: ScanOptions, reports: Sequence[Report] = ()) -> ScanResult:
    """Analyse the paths; raises UsageError for what cannot be asked. `reports` are those of a log of compute-sanitizer."""
    root, options, configuration = project_settings(options)
    codes = selected_codes(options.select, options.ignore, options.profile)
    discovery = discovered(root, options, configuration)
    if options.require_files and not (discovery.files or discovery.embedded):
        raise UsageError("no CUDA code found in the given paths (--require-files)")
    if options.replay_dir is not None:
        from cudalint.engine.replays import prepare, written

        prepare(options.replay_dir)
    results = _analyse_all(discovery, options, configuration)
    results = _with_runs(results, options)
    if reports:
        around = discovery if options.paths else discovered(root, replace(options, paths=(root,)), configuration)
        results = _with_reports(results, around, reports)
    findings, hidden = _shown(discovery, results, codes, options)
    if options.replay_dir is not None:
        findings = written(findings, (each for result in results for each in result.replays), options.replay_dir)
    notes = _notes(discovery, results, options, configuration)
    kernels = merged_kernels(kernel for result in results for kernel in result.kernels)
    return ScanResult(
        version=__version__,
        targets=options.targets,
        findings=tuple(findings),
        kernels=tuple(kernels),
        notes=tuple(notes),
        files=len(discovery.files) + _python_files(discovery, results),
        files_failed=sum(note.failed for note in notes),
        hidden=dict(sorted(hidden.items())),
    )


def _python_files(discovery: Discovery, results: list[FileResult]) -> int:
    """Python files that hold kernels in their strings; the others only mention a library."""
    holding = {kernel.span.path for result in results for kernel in result.kernels}
    return sum(source.path in holding for source in discovery.embedded)


def _with_runs(results: list[FileResult], options: ScanOptions) -> list[FileResult]:
    """Plans written for another machine, or run on this one's GPU, and what results say."""
    if options.plan_dir is None and options.results_dir is None and options.confirm != "gpu":
        return results
    from cudalint.engine.plans import apply_results, results_in, write_plans
    from cudalint.engine.replays import with_gpu_results

    plans = [plan for result in results for plan in result.plans]
    if options.plan_dir is not None:
        write_plans(options.plan_dir, plans)
    results_dir = options.results_dir
    with tempfile.TemporaryDirectory(prefix="cudalint-") as folder:
        if options.confirm == "gpu" and results_dir is None:
            from cudalint.confirm.gpu.worker import run_plans

            again = [each.plan for result in results for each in result.replays if each.plan["slice"] is not None]
            write_plans(folder, [*plans, *again])
            with contextlib.redirect_stdout(sys.stderr):
                run_plans(folder)
            results_dir = folder
            given = results_in(folder)
            results = [replace(result, replays=with_gpu_results(result.replays, given)) for result in results]
        if results_dir is None:
            return results
        return [replace(result, findings=apply_results(result.findings, results_dir)) for result in results]


def _with_reports(results: list[FileResult], discovery: Discovery, reports: Sequence[Report]) -> list[FileResult]:
    """The results with what a log confirms, and one more for what it adds."""
    from cudalint.engine.imported import Project, imported, texts_of

    sources = [(source.path, source.text) for source in (*discovery.files, *discovery.embedded)]
    project = Project(texts_of(discovery.root, sources, reports))
    said = imported((f for result in results for f in result.findings), reports, project)
    marked = iter(said.findings)
    results = [replace(result, findings=tuple(islice(marked, len(result.findings)))) for result in results]
    return [*results, FileResult(said.added, (), said.notes)]


def discovered(root: str, options: ScanOptions, configuration: Configuration) -> Discovery:
    """The files that the options choose; raises UsageError for a path that does not exist."""
    try:
        return discover(options.paths, stdin=options.stdin, project_root=root, exclude=configuration.exclude)
    except FileNotFoundError as error:
        raise UsageError(f"{error.filename}: no such file or directory") from None


def skipped_notes(discovery: Discovery) -> list[Note]:
    """What discovery did not read, and why."""
    return [Note(skipped.reason, skipped.path, failed=skipped.failed) for skipped in discovery.skipped]


def _notes(
    discovery: Discovery, results: list[FileResult], options: ScanOptions, configuration: Configuration
) -> list[Note]:
    notes = skipped_notes(discovery)
    notes += [note for result in results for note in result.notes]
    notes += unchecked_notes(dict.fromkeys(each for result in results for each in result.unchecked))
    notes += unused_hints(configuration.hints, {kernel.name for result in results for kernel in result.kernels})
    if options.untrusted:
        notes += ignored_configuration(discovery.root)
        notes += ignored_comments(comment for result in results for comment in result.suppressions)
    if not (discovery.files or discovery.embedded) and not options.hook:
        notes.append(Note("no CUDA code found in the given paths: nothing was analysed"))
    return sorted(dict.fromkeys(notes), key=lambda n: (n.path or "", n.line or 0, n.text))


# --- running -----------------------------------------------------------------------------------------------------------


def _analyse_all(discovery: Discovery, options: ScanOptions, configuration: Configuration) -> list[FileResult]:
    plan = plan_jobs(discovery, options)
    one = partial(_analyse, root=discovery.root, options=options, hints=dict(configuration.hints))
    results = _answered(plan.jobs, one, options)
    kernels = [kernel for result in results for kernel in result.kernels]
    return results + _answered(lost_jobs(plan, kernels, discovery, options), one, options)


def _answered(jobs: Sequence[Job], one: Callable[[Job], FileResult], options: ScanOptions) -> list[FileResult]:
    """The results in the order of the jobs. Large files are taken first, and in pieces where one would keep the others waiting."""
    processes = options.jobs or os.cpu_count() or 1
    share = max(1.0, sum(job.weight for job in jobs) / processes)
    pieces = [(place, piece) for place, job in enumerate(jobs) for piece in pieces_of(job, share)]
    pieces.sort(key=lambda each: -each[1].weight / each[1].piece.of)
    answers = run_all([piece for _, piece in pieces], one, _crashed, processes, apart=options.apart)
    of_job: list[dict[int, FileResult]] = [{} for _ in jobs]
    for (place, piece), answer in zip(pieces, answers):
        of_job[place][piece.piece.number] = answer
    return [joined([parts[number] for number in sorted(parts)], options) for parts in of_job]


def _crashed(job: Job) -> FileResult:
    text = f"the analysis of this file crashed its process or took more than {USUAL.said()}"
    return _failed(job.source, f"{text}; the rest of the scan goes on")


def _analyse(job: Job, root: str, options: ScanOptions, hints: dict[str, tuple[Hint, ...]]) -> FileResult:
    forget_if_many()
    try:
        if job.source.path.endswith(PYTHON_ENDINGS):
            from cudalint.engine.embedded import analyse_python

            return analyse_python(job.source, job.parse, root, options, hints)
        reported = Reported(job.own, job.only)
        result = analyse_piece(
            job.source, job.parse, root, options, hints, job.around, reported, job.neighbours, job.program, job.piece
        )
        return replace(result, notes=(*result.notes, *_unread(job)))
    except MemoryError:  # the process is full, maybe of what it did before
        raise
    except Exception as error:  # one file never costs the others
        if os.environ.get("CUDALINT_TRACEBACK"):
            raise
        if isinstance(error, RecursionError):
            deep = "something in it is nested too deeply to be followed, as a chain of thousands of `else if` is"
            return _failed(job.source, f"{deep}; divide the function that holds it")
        return _failed(job.source, f"internal error: {type(error).__name__}: {error}; CUDALINT_TRACEBACK=1 shows where")


def _unread(job: Job) -> tuple[Note, ...]:
    """What the kernels are told to be safe for are the callers that were read, and those are not all."""
    if not job.unread:
        return ()
    named = ", ".join(job.unread[:MOST_NAMED]) + (", ..." if len(job.unread) > MOST_NAMED else "")
    text = f"files that may call it and are not read: {len(job.unread)} ({named}); what these pass is in no contract"
    return (Note(text, job.source.path),)


def _failed(source: SourceFile, text: str) -> FileResult:
    return FileResult((), (), (Note(text, source.path, failed=True),))


# --- what is shown -----------------------------------------------------------------------------------------------------


def _shown(
    discovery: Discovery, results: list[FileResult], codes: frozenset[str], options: ScanOptions
) -> tuple[list[Finding], Counter[str]]:
    ignored = Suppressions(comment for result in results for comment in result.suppressions)
    shown: list[Finding] = []
    hidden: Counter[str] = Counter()
    for finding in with_orders_once(list(merged(f for result in results for f in result.findings)), codes):
        if finding.code not in codes:
            continue
        if not options.untrusted and ignored.cover(finding):
            hidden["suppressed"] += 1
        elif options.profile == "default" and not shown_by_default(finding):
            hidden[f"{finding.confidence.value} confidence"] += 1
        elif options.profile == "default" and finding.evidence is Evidence.REFUTED:
            hidden["refuted by a run"] += 1
        else:
            shown.append(finding)
    return sorted(shown, key=_position), hidden


def _position(finding: Finding) -> tuple[object, ...]:
    level = (Level.ERROR, Level.WARNING, Level.NOTE).index(finding.level)
    return finding.span, finding.code, level, finding.message
