"""One file: translate it, analyse its kernels, let the rules speak."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from cudalint.analysis.launch.tabled_launches import with_passed
from cudalint.contract import Contract
from cudalint.engine.confirmation import Runs
from cudalint.engine.contracts import (
    contracts_of,
    dead_kernels,
    neighbour_units,
    with_files_of,
    with_launched,
    written_arguments,
)
from cudalint.engine.decided import with_patterns
from cudalint.engine.hints import hints_of, lost_annotations
from cudalint.engine.kernel import analyse_kernel, failed_kernel
from cudalint.engine.merging import merged
from cudalint.engine.options import ScanOptions
from cudalint.engine.plan_queue import Plans
from cudalint.engine.registry import selected_codes
from cudalint.engine.remarks import Remarks, is_explained, remarks_of
from cudalint.engine.remembered import Digests, remembered
from cudalint.engine.retyped_memory import with_retyped
from cudalint.engine.shared_limits import with_unraised_limits
from cudalint.engine.unchecked import unchecked_facts
from cudalint.finding import (
    Confidence,
    Finding,
    KernelResult,
    Note,
    Unchecked,
)
from cudalint.frontend.instances import instances_in, named_instances
from cudalint.frontend.syntax import Suppression
from cudalint.frontend.translate import ALONE, KernelEntry, ParseOptions, Surroundings, Translation, translate
from cudalint.project.cache import Cache
from cudalint.project.callers import Neighbour
from cudalint.project.configuration import Hint
from cudalint.rule import shown_by_default
from cudalint.source import SourceFile, Span
from cudalint.symbolic.host.counted import Counted
from cudalint.symbolic.host.demands import Demand
from cudalint.symbolic.host.retyped import Retyped
from cudalint.symbolic.solver import clock

if TYPE_CHECKING:
    from cudalint.engine.plans import PlanFile
    from cudalint.engine.replays import Recorded

KERNELS_SHARED = 4  # whose runs are counted together
UNCALLED = 100  # of so many kernels of a file each device function that nobody calls has the share


@dataclass(frozen=True, slots=True)
class FileResult:
    """`findings` before selection and suppression; `suppressions` are the comments that the files hold.

    The `remarks` of one of its pieces wait until the findings of all are there.
    """

    findings: tuple[Finding, ...]
    kernels: tuple[KernelResult, ...]
    notes: tuple[Note, ...]
    plans: tuple[PlanFile, ...] = ()
    replays: tuple[Recorded, ...] = ()
    suppressions: tuple[Suppression, ...] = ()
    remarks: Remarks | None = None
    unchecked: tuple[Unchecked, ...] = ()


@dataclass(frozen=True, slots=True)
class ShareResult:
    """Of the few kernels that are analysed one after the other."""

    findings: tuple[Finding, ...]
    kernels: tuple[KernelResult, ...]
    notes: tuple[Note, ...]
    unchecked: tuple[Unchecked, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the work on a file with many kernels, counted from zero; what it gives does not hang on how many there are."""

    number: int = 0
    of: int = 1

    def range(self, count: int) -> range:
        return range(self.number * count // self.of, (self.number + 1) * count // self.of)


@dataclass(frozen=True, slots=True)
class Reported:
    """Which kernels of a translation unit are reported: `own` those of its main file, `only` those at these places."""

    own: bool = True
    only: frozenset[Span] | None = None

    def holds(self, kernel: KernelEntry, main: str) -> bool:
        """A kernel of a header that was not found here may be found in another file around it."""
        if self.only is not None:
            return kernel.name_span in self.only
        return self.own if kernel.span.path == main else bool(kernel.functions)


EVERYTHING = Reported()
WHOLE = Piece()


def analyse_file(
    source: SourceFile,
    parse: ParseOptions,
    root: str,
    options: ScanOptions,
    hints: dict[str, tuple[Hint, ...]],
    around: Surroundings = ALONE,
    reported: Reported = EVERYTHING,
    neighbours: tuple[Neighbour, ...] = (),
    program: bool = False,
) -> FileResult:
    """Everything that the file's own text, its headers and its launches say; `hints` are annotations by kernel name.

    Of a `program` nobody but its `main` calls anything.
    """
    return joined([analyse_piece(source, parse, root, options, hints, around, reported, neighbours, program)], options)


def joined(pieces: list[FileResult], options: ScanOptions) -> FileResult:
    """The result of a file out of those of all its pieces."""
    findings = [f for piece in pieces for f in piece.findings]
    kernels = tuple(k for piece in pieces for k in piece.kernels)
    for remarks in [piece.remarks for piece in pieces if piece.remarks is not None]:
        findings += remarks.patterns
        codes = selected_codes(options.select, options.ignore, options.profile)
        findings, refused, texts = with_retyped(findings, list(remarks.refused), remarks.texts, codes)
        findings = with_passed([*(f for f in findings if not is_explained(f, refused)), *refused], remarks.passed)
        findings = with_patterns(findings, texts, list(kernels), codes)
    return FileResult(
        tuple(merged(findings)),
        kernels,
        tuple(dict.fromkeys(note for piece in pieces for note in piece.notes)),
        tuple(plan for piece in pieces for plan in piece.plans),
        tuple(replay for piece in pieces for replay in piece.replays),
        tuple(dict.fromkeys(s for piece in pieces for s in piece.suppressions)),
        unchecked=tuple(dict.fromkeys(u for piece in pieces for u in piece.unchecked)),
    )


def analyse_piece(
    source: SourceFile,
    parse: ParseOptions,
    root: str,
    options: ScanOptions,
    hints: dict[str, tuple[Hint, ...]],
    around: Surroundings = ALONE,
    reported: Reported = EVERYTHING,
    neighbours: tuple[Neighbour, ...] = (),
    program: bool = False,
    piece: Piece = WHOLE,
) -> FileResult:
    """The kernels of one piece, each finding for itself; the first piece has the remarks, too."""
    asked = instances_in(hint.text for texts in hints.values() for hint in texts)
    instances = (*parse.instances, *asked)
    others = neighbour_units(neighbours, parse, root)
    translation = translate(source, with_launched(replace(parse, instances=instances), others), root, around)
    demands: list[Demand | Counted | Retyped] = []
    written = written_arguments(neighbours, root)
    launches = contracts_of(translation.unit, others, options.vocabulary, program, demands, written)
    launches = with_unraised_limits(launches, (translation.unit, *others), (source, *around.headers), neighbours)
    launches = {kernel: tuple(with_files_of(root, each) for each in found) for kernel, found in launches.items()}
    dead = dead_kernels(translation.unit, others, (source, *around.headers), program)
    findings: list[Finding] = []
    kernels: list[KernelResult] = []
    notes = [Note(text, source.path) for text in translation.notes if reported.own]
    unchecked: list[Unchecked] = []
    plans = Plans(translation, parse.defines, options)
    entries = [entry for entry in translation.kernels if reported.holds(entry, source.path)]
    started, alone = [e for e in entries if not e.device], [e for e in entries if e.device]
    known = _Known(translation, launches, dead, hints, options, plans, len(started))
    shares = [*_shares(started), *_shares(alone)]
    cache = Cache.opened() if options.cache and not plans.wanted else None
    digests = Digests()
    for share in (shares[number] for number in piece.range(len(shares))):
        key = None if cache is None else _key(digests, share, known)
        result = remembered(cache, key, ShareResult, partial(_share_result, share, known))
        findings += result.findings
        kernels += result.kernels
        notes += result.notes
        unchecked += result.unchecked
    if not parse.other_values and (doubted := _doubted(findings, translation, launches, instances)):
        again = analyse_piece(
            source, replace(parse, other_values=True), root, options, hints, around,
            Reported(only=frozenset(doubted)), neighbours, program,
        )  # fmt: skip
        findings = list(_not_of_the_guess(findings, kernels, again, doubted))
    remarks = None
    if reported.only is None and piece.number == 0:
        paths = _reported_paths(source, around, reported)
        texts = [*around.headers, *([source] if reported.own else [])]
        remarks, failed = remarks_of(translation, demands, paths, texts, options, root)
        notes += failed
        findings += lost_annotations(translation, paths, options)
        of_entries = (launches.get(id_, ()) for entry in entries for id_ in entry.functions)
        taken = unchecked_facts((each for contracts in of_entries for each in contracts), paths)
        unchecked = [*taken, *unchecked]
    suppressions = tuple(s for each in translation.indexes for s in each.suppressions)
    replays = tuple(plans.replays)
    return FileResult(
        tuple(findings),
        tuple(kernels),
        tuple(notes),
        tuple(plans.made),
        replays,
        suppressions,
        remarks,
        tuple(unchecked),
    )


@dataclass(frozen=True, slots=True)
class _Known:
    """What the kernels of a file are analysed with."""

    translation: Translation
    launches: dict[str, tuple[Contract, ...]]
    dead: frozenset[str]
    hints: dict[str, tuple[Hint, ...]]
    options: ScanOptions
    plans: Plans
    kernels: int  # how many there are


def _share_result(share: list[KernelEntry], known: _Known) -> tuple[ShareResult, bool]:
    """What the kernels give, and whether they always do: no failure of ours, and no clock, had a part in it."""
    findings: list[Finding] = []
    kernels: list[KernelResult] = []
    notes: list[Note] = []
    unchecked: list[Unchecked] = []
    runs, failed, ended = Runs(), False, clock.ended()
    for entry in share:
        try:
            hinted = hints_of(known.hints, entry)
            found, result, said, taken = analyse_kernel(
                entry, known.translation, known.launches, known.dead, hinted, known.options, known.plans, runs,
                UNCALLED if entry.device else known.kernels,
            )  # fmt: skip
        except Exception as error:  # one kernel never costs the others of its file
            if os.environ.get("CUDALINT_TRACEBACK"):
                raise
            (found, result, said), taken = failed_kernel(entry, error), []
            failed = True
        findings += found
        kernels.append(result)
        notes += said
        unchecked += taken
    return ShareResult(
        tuple(findings), tuple(kernels), tuple(notes), tuple(unchecked)
    ), not failed and clock.ended() == ended


def _key(digests: Digests, share: list[KernelEntry], known: _Known) -> str | None:
    """By all that the analysis of kernels sees; the whole unit, for a rule may look anywhere in it."""
    options = replace(
        known.options, paths=(), stdin=None, project_root=None, jobs=None, require_files=False, hook=False
    )
    annotations = [each.annotations for each in known.translation.indexes]
    return digests.key(
        share, annotations, known.translation.unit, known.launches, known.dead, known.hints, options, known.kernels
    )


def _shares(entries: list[KernelEntry]) -> Iterator[list[KernelEntry]]:
    """The kernels a few at a time, those of one name together."""
    named: dict[str, list[KernelEntry]] = {}
    for entry in entries:
        named.setdefault(entry.name, []).append(entry)
    share: list[KernelEntry] = []
    for members in named.values():
        share += members
        if len(share) >= KERNELS_SHARED:
            yield share
            share = []
    if share:
        yield share


def _doubted(
    findings: list[Finding],
    translation: Translation,
    launches: dict[str, tuple[Contract, ...]],
    named: tuple[str, ...],
) -> dict[Span, str]:
    """Places and names of templates that nothing instantiates, and of which something was found with the numbers that we chose."""
    shown = {f.kernel for f in findings if f.witness is not None and shown_by_default(f)}
    asked = {instance.partition("<")[0] for instance in (*named, *named_instances(translation.indexes))}
    return {
        entry.name_span: entry.name
        for entry in translation.kernels
        if entry.template and entry.name in shown - asked and not any(map(launches.get, entry.functions))
    }


def _not_of_the_guess(
    findings: list[Finding], kernels: list[KernelResult], again: FileResult, doubted: dict[Span, str]
) -> Iterator[Finding]:
    """What is found with other numbers, too, stays; where no other ones fit, all does."""
    names = set(doubted.values())
    whole = {k.name for k in kernels if k.complete}
    others = {k.name for k in again.kernels if k.obligations and (k.complete or k.name not in whole)}
    there = {(f.code, f.span, f.kernel) for f in again.findings if shown_by_default(f)}
    for finding in findings:
        chosen = finding.kernel in names and finding.instance is not None and finding.launch_site is None
        rests = chosen and finding.witness is not None and (finding.code, finding.span, finding.kernel) not in there
        if rests and finding.kernel in others:
            yield replace(finding, confidence=Confidence.LOW)
        else:
            yield finding


def _reported_paths(source: SourceFile, around: Surroundings, reported: Reported) -> frozenset[str]:
    headers = frozenset(header.path for header in around.headers)
    return headers | {source.path} if reported.own else headers
