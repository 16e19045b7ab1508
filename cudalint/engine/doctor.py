"""`cudalint doctor`: what the front end lacks, kernel by kernel, and the include path or declaration that would settle it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from cudalint import __version__
from cudalint.engine.embedded import parse_options, with_holes
from cudalint.engine.file import Reported
from cudalint.engine.jobs import Job, lost_jobs, plan_jobs
from cudalint.engine.merging import merged_kernels
from cudalint.engine.options import ScanOptions
from cudalint.engine.pool import USUAL, run_all
from cudalint.engine.relocate import Relocation
from cudalint.engine.scan import discovered, skipped_notes
from cudalint.engine.settings import project_settings
from cudalint.finding import LOST, Diagnosis, Gap, KernelDiagnosis, KernelResult, Missing, Note
from cudalint.frontend.headers import headers
from cudalint.frontend.python_strings import embedded_sources
from cudalint.frontend.translate import translate
from cudalint.project.declarations import Declared, declarations
from cudalint.project.discovery import PYTHON_ENDINGS
from cudalint.project.includes import shared_folders
from cudalint.source import Span

_NAMES = (
    re.compile(r"unknown name (\w+)"),
    re.compile(r"call of (?:[\w:]*::)?(\w+), which has no body"),
    re.compile(r"(?:undeclared identifier|unknown type name|no template named) '(\w+)'"),
)
_BODILESS = re.compile(r"call of ([\w:~<>=+*-]+), which has no body")


@dataclass(frozen=True, slots=True)
class Read:
    """What one translation unit gave."""

    kernels: tuple[KernelResult, ...] = ()
    missing: tuple[tuple[str, Span], ...] = ()
    notes: tuple[Note, ...] = ()


def diagnose(options: ScanOptions) -> Diagnosis:
    """Parse and lower what the paths choose, and look for what is missing; nothing is analysed."""
    root, options, configuration = project_settings(options)
    discovery = discovered(root, options, configuration)
    plan = plan_jobs(discovery, options)
    one = partial(read_job, root=root)
    processes = options.jobs or os.cpu_count() or 1
    read = run_all(plan.jobs, one, _crashed, processes, apart=options.apart)
    kernels = [kernel for each in read for kernel in each.kernels]
    read += run_all(lost_jobs(plan, kernels, discovery, options), one, _crashed, processes, apart=options.apart)
    merged = list(merged_kernels(kernel for each in read for kernel in each.kernels))
    known = declarations(root, (name for kernel in merged for gap in kernel.unmodelled for name in _names(gap.reason)))
    absent = dict.fromkeys(pair for each in read for pair in each.missing)
    notes = [*skipped_notes(discovery), *(note for each in read for note in each.notes)]
    return Diagnosis(
        __version__,
        len(discovery.files) + len({k.span.path for k in merged} & {s.path for s in discovery.embedded}),
        tuple(_diagnosis(kernel, known) for kernel in merged),
        tuple(_include(name, span, root) for name, span in sorted(absent, key=lambda pair: (pair[1], pair[0]))),
        tuple(dict.fromkeys(notes)),
    )


def read_job(job: Job, root: str) -> Read:
    """The kernels of one job as the front end understands them; a failure of ours is a note."""
    try:
        return _python(job, root) if job.source.path.endswith(PYTHON_ENDINGS) else _one(job, root)
    except MemoryError:  # the process is full, maybe of what it did before
        raise
    except Exception as error:  # one file never costs the others
        if os.environ.get("CUDALINT_TRACEBACK"):
            raise
        return Read(notes=(Note(f"internal error: {type(error).__name__}: {error}", job.source.path, failed=True),))


def _crashed(job: Job) -> Read:
    text = f"reading this file crashed its process or took more than {USUAL.said()}"
    return Read(notes=(Note(text, job.source.path, failed=True),))


def _one(job: Job, root: str) -> Read:
    translation = translate(job.source, job.parse, root, replace(job.around, uncalled=None))
    reported = Reported(job.own, job.only)
    kernels = tuple(
        KernelResult(
            entry.name,
            entry.name_span,
            entry.complete,
            entry.exact,
            tuple(Gap(gap.reason, gap.span) for gap in entry.gaps),
            tuple(Gap(gap.reason, gap.span) for gap in entry.opaque),
        )
        for entry in translation.kernels
        if reported.holds(entry, job.source.path)
    )
    return Read(kernels, translation.missing, tuple(Note(text, job.source.path) for text in translation.notes))


def _python(job: Job, root: str) -> Read:
    kernels: list[KernelResult] = []
    missing: list[tuple[str, Span]] = []
    for embedded in embedded_sources(job.source):
        found = _one(replace(job, source=embedded.source, parse=parse_options(embedded, job.parse)), root)
        relocation = Relocation(job.source.path, embedded.places())
        kernels += [with_holes(kernel, embedded) for kernel in relocation.moved(found.kernels)]
        missing += relocation.moved(found.missing)
    return Read(tuple(kernels), tuple(missing))


# --- remedies ----------------------------------------------------------------------------------------------------------


def _names(reason: str) -> tuple[str, ...]:
    found = (match[1] for pattern in _NAMES if (match := pattern.search(reason)))
    return tuple(name for name in found if name != "operator")


def _diagnosis(kernel: KernelResult, known: Mapping[str, tuple[Declared, ...]]) -> KernelDiagnosis:
    missing = tuple(Missing(gap.reason, gap.span, _remedy(gap, known)) for gap in kernel.unmodelled)
    return KernelDiagnosis(kernel.name, kernel.span, kernel.complete, kernel.exact, missing)


def _remedy(gap: Gap, known: Mapping[str, tuple[Declared, ...]]) -> str | None:
    reason = gap.reason
    places = [place for name in _names(reason) for place in known.get(name, ())]
    if places:
        best = max(places, key=lambda each: shared_folders(each.path, gap.span.path))
        return f"{best.path}:{best.line} has `{best.text[:80]}`: include it, by -I or by its path"
    if "operator" in reason:
        return None
    if match := _BODILESS.search(reason):
        return f"nothing in the project defines `{match[1]}`: -I the folder of its header"
    if match := re.match(r"unknown name (\w+)", reason):
        return f"nothing in the project declares `{match[1]}`: -I the folder of its header, or -D {match[1]}=..."
    if reason == "template without instance":
        return "nothing instantiates it: `// cudalint: instantiate name<arguments>` before it, or a launch"
    if reason.endswith("filled in by Python at run time"):
        return "make the value a constant of the file, or state it by -D"
    if reason == LOST:
        return "an include or a macro of its header is missing: -I or -D for what is listed as not found"
    return None


def _include(name: str, span: Span, root: str) -> Missing:
    """An include that was not found: folders of the project that have a file of that name, if any."""
    ending = os.path.normpath(name).lstrip("./")
    files = headers(root).get(os.path.basename(ending), ())
    fitting = [path for path in files if path.endswith("/" + ending)]
    folders = [os.path.relpath(path[: -len(ending) - 1], root).replace(os.sep, "/") for path in fitting]
    if folders:
        remedy = " or ".join(f"-I {folder}" for folder in folders[:3])
    elif files:
        remedy = f"the project has {os.path.relpath(files[0], root)}, in another folder"
    else:
        remedy = "not in the project: -I the folder that holds it"
    return Missing(f'"{name}" not found', span, remedy)
