"""One file: translate it, analyse its kernels, let the rules speak."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.contract import Contract, Fact
from cudalint.engine.calls import with_calls
from cudalint.engine.confirmation import CERTAINTY, Runs
from cudalint.engine.contracts import (
    annotation_facts,
    complete_contracts,
    contracts_of,
    dead_kernels,
    neighbour_units,
    representatives,
    with_launched,
    with_notes,
)
from cudalint.engine.decided import with_patterns
from cudalint.engine.options import ScanOptions
from cudalint.engine.plan_queue import Plans
from cudalint.engine.registry import rules, selected_codes
from cudalint.engine.remarks import Remarks, ask_rules, is_explained, remarks_of
from cudalint.engine.walked import walked_instances
from cudalint.finding import (
    Confidence,
    Evidence,
    Finding,
    Gap,
    Instance,
    KernelResult,
    Note,
    ObligationResult,
    Reason,
    Verdict,
    is_lost,
)
from cudalint.frontend.annotations import AnnotationError
from cudalint.frontend.instances import instances_in, named_instances
from cudalint.frontend.syntax import Annotation, Suppression
from cudalint.frontend.translate import ALONE, KernelEntry, ParseOptions, Surroundings, Translation, translate
from cudalint.project.callers import Neighbour
from cudalint.rule import Context, Subject, ToolIssue, shown_by_default
from cudalint.source import SourceFile, Span
from cudalint.symbolic.defects import Defect, defects
from cudalint.symbolic.effort import Effort
from cudalint.symbolic.host.counted import Counted
from cudalint.symbolic.host.demands import Demand
from cudalint.symbolic.model import (
    MEMORY_PREFIX,
    Analysis,
    BarrierIssue,
    LostWork,
    Misaligned,
    Obligation,
    Race,
    UnguardedSide,
    UnsetElement,
    WarpIssue,
)
from cudalint.term import labels

if TYPE_CHECKING:
    from cudalint.engine.plans import PlanFile

MAX_CONTRACTS = 3
KERNELS_SHARED = 4  # whose runs are counted together
About = Defect | Race | BarrierIssue | WarpIssue | LostWork | UnguardedSide | UnsetElement | Misaligned
_WORST = {Verdict.VIOLATED: 0, Verdict.UNKNOWN: 1, Verdict.SAFE: 2, Verdict.UNREACHABLE: 3}


@dataclass(frozen=True, slots=True)
class FileResult:
    """`findings` before selection and suppression; `suppressions` are the comments that the files hold.

    The `remarks` of one of its pieces wait until the findings of all are there.
    """

    findings: tuple[Finding, ...]
    kernels: tuple[KernelResult, ...]
    notes: tuple[Note, ...]
    plans: tuple[PlanFile, ...] = ()
    suppressions: tuple[Suppression, ...] = ()
    remarks: Remarks | None = None


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
    hints: dict[str, tuple[str, ...]],
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
        refused = list(remarks.refused)
        findings = [f for f in findings if not is_explained(f, refused)] + refused
        codes = selected_codes(options.select, options.ignore, options.profile)
        findings = with_patterns(findings, list(remarks.texts), list(kernels), codes)
    return FileResult(
        tuple(merged(findings)),
        kernels,
        tuple(dict.fromkeys(note for piece in pieces for note in piece.notes)),
        tuple(plan for piece in pieces for plan in piece.plans),
        tuple(dict.fromkeys(s for piece in pieces for s in piece.suppressions)),
    )


def analyse_piece(
    source: SourceFile,
    parse: ParseOptions,
    root: str,
    options: ScanOptions,
    hints: dict[str, tuple[str, ...]],
    around: Surroundings = ALONE,
    reported: Reported = EVERYTHING,
    neighbours: tuple[Neighbour, ...] = (),
    program: bool = False,
    piece: Piece = WHOLE,
) -> FileResult:
    """The kernels of one piece, each finding for itself; the first piece has the remarks, too."""
    instances = instances_in(text for texts in hints.values() for text in texts)
    others = neighbour_units(neighbours, parse, root)
    translation = translate(source, with_launched(replace(parse, instances=instances), others), root, around)
    demands: list[Demand | Counted] = []
    launches = contracts_of(translation.unit, others, options.vocabulary, program, demands)
    dead = dead_kernels(translation.unit, others, (source, *around.headers), program)
    findings: list[Finding] = []
    kernels: list[KernelResult] = []
    notes = [Note(text, source.path) for text in translation.notes if reported.own]
    plans = Plans(translation, parse.defines, options)
    shares = list(_shares([entry for entry in translation.kernels if reported.holds(entry, source.path)]))
    for share in (shares[number] for number in piece.range(len(shares))):
        runs = Runs()
        for entry in share:
            try:
                hinted = hints.get(entry.name, ())
                found, result, said = _kernel(entry, translation, launches, dead, hinted, options, plans, runs)
            except Exception as error:  # one kernel never costs the others of its file
                if os.environ.get("CUDALINT_TRACEBACK"):
                    raise
                found, result, said = _failed_kernel(entry, error)
            findings += found
            kernels.append(result)
            notes += said
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
        remarks, said = remarks_of(translation, demands, paths, texts, options, root)
        notes += said
    suppressions = tuple(s for each in translation.indexes for s in each.suppressions)
    return FileResult(tuple(findings), tuple(kernels), tuple(notes), tuple(plans.made), suppressions, remarks)


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


# --- kernels -----------------------------------------------------------------------------------------------------------


def _kernel(
    entry: KernelEntry,
    translation: Translation,
    launches: dict[str, tuple[Contract, ...]],
    dead: frozenset[str],
    hints: tuple[str, ...],
    options: ScanOptions,
    plans: Plans,
    runs: Runs,
) -> tuple[list[Finding], KernelResult, list[Note]]:
    findings: list[Finding] = []
    obligations: list[ObligationResult] = []
    notes: list[Note] = []
    effort = Effort(thorough=options.thorough or options.profile == "audit")
    annotated = bool(_annotations(translation, entry, hints))
    walked = walked_instances(entry, translation.unit, launches, annotated)
    if len(entry.functions) > len(walked):
        text = f"kernel `{entry.name}`: {len(entry.functions) - len(walked)} instances not walked"
        notes.append(Note(text, entry.name_span.path, entry.name_span.line))
    for function_id in walked:
        kernel = translation.unit.functions[function_id]
        facts, errors = (
            ((), ()) if options.untrusted else annotation_facts(kernel, _annotations(translation, entry, hints))
        )
        if options.untrusted and _annotations(translation, entry, hints):
            ignored = "; ".join(a.text for a in _annotations(translation, entry, hints))
            text = f"kernel `{entry.name}`: annotations ignored (--untrusted): {ignored}"
            notes.append(Note(text, entry.name_span.path, entry.name_span.line))
        context = Context(translation.unit, kernel, None, options.targets[0])
        findings += [f for error in errors for f in ask_rules(Subject.TOOL, _bad_annotation(error, entry), context)]
        broken = _broken_promises(kernel, launches.get(function_id, ()), facts, translation.unit)
        for launch, promises in broken.items():
            findings += _broken_findings(entry, launch, promises, context)
        contracts = complete_contracts(kernel, launches.get(function_id, ()), facts, options, broken)
        if function_id in dead:
            contracts = tuple(replace(contract, uncalled=True, dead=True) for contract in contracts)
        tried = 0
        for contract in contracts[:MAX_CONTRACTS] if _needs_walk(options) else ():
            if tried and effort.is_tired:
                break
            tried += 1
            found, results, said = _under_contract(entry, kernel, contract, translation, options, effort, plans, runs)
            findings += found
            obligations += results
            notes += [
                Note(f"kernel `{entry.name}`: {text}", entry.name_span.path, entry.name_span.line) for text in said
            ]
        if 0 < tried < len(contracts):
            text = f"kernel `{entry.name}`: {len(contracts) - tried} launches not walked"
            notes.append(Note(text, entry.name_span.path, entry.name_span.line))
    result = KernelResult(
        entry.name,
        entry.name_span,
        entry.complete,
        entry.exact,
        tuple(Gap(g.reason, g.span) for g in entry.gaps),
        tuple(Gap(g.reason, g.span) for g in entry.opaque),
        tuple(_merged_obligations(obligations)),
    )
    return findings, result, list(dict.fromkeys(notes))


def _failed_kernel(entry: KernelEntry, error: Exception) -> tuple[list[Finding], KernelResult, list[Note]]:
    """A failure of ours: the kernel is listed, and nothing of it is decided."""
    text = f"internal error: {type(error).__name__}: {error}"
    where = entry.name_span
    note = Note(f"kernel `{entry.name}`: {text}; CUDALINT_TRACEBACK=1 shows where", where.path, where.line)
    return [], KernelResult(entry.name, where, False, False, (Gap(text, where),)), [note]


_WITHOUT_WALK = (Subject.FUNCTION, Subject.HOST, Subject.DEMAND, Subject.COUNTED, Subject.TEXT, Subject.TOOL)


def _needs_walk(options: ScanOptions) -> bool:
    """Whether a selected rule asks for what the symbolic engine finds."""
    codes = selected_codes(options.select, options.ignore, options.profile)
    return any(r.rule.code in codes and r.rule.subject not in _WITHOUT_WALK for r in rules())


def _bad_annotation(error: AnnotationError, entry: KernelEntry) -> ToolIssue:
    span = Span(entry.span.path, error.line, error.column, error.line, error.column + 1)
    return ToolIssue("CUL001", error.message, span, entry.name)


def _annotations(translation: Translation, entry: KernelEntry, hints: tuple[str, ...]) -> tuple[Annotation, ...]:
    written = [a for each in translation.indexes for a in each.annotations if a.kernel == entry.name_span]
    return (*written, *(Annotation(text, entry.name_span, entry.name_span) for text in hints))


def _under_contract(
    entry: KernelEntry,
    kernel: ir.Function,
    contract: Contract,
    translation: Translation,
    options: ScanOptions,
    effort: Effort,
    plans: Plans,
    runs: Runs,
) -> tuple[list[Finding], list[ObligationResult], list[str]]:
    from cudalint.engine.drawn import try_open
    from cudalint.engine.drawn_races import try_open_races
    from cudalint.symbolic.analyse import analyse

    analysis = analyse(translation.unit, kernel, contract, effort)
    if options.confirm != "off":
        try_open(analysis, translation.unit, kernel, contract, options.seed)
        try_open_races(analysis, translation.unit, kernel, contract, options.seed)
    context = Context(translation.unit, kernel, contract, options.targets[0])
    found: list[Finding] = []
    withdrawn: list[About] = []

    def report(subject: Subject, about: About) -> None:
        for finding in ask_rules(subject, about, context):
            named = with_notes(_as_called(_named(finding, entry, kernel, options), contract), contract)
            checked = _confirmed(named, about, context, options, runs)
            if checked is not None:
                found.append(with_calls(checked, about))
            else:
                _withdraw(about, analysis)
                withdrawn.append(about)

    for subject, about in _subjects(analysis):
        report(subject, about)
    if any(isinstance(about, Race) and about.object.memory == "shared" for about in withdrawn):
        known = len(analysis.races)  # the witness may be one that the walk made up, and the race a real one
        try_open_races(analysis, translation.unit, kernel, contract, options.seed)
        for race in analysis.races[known:]:
            report(Subject.RACE, race)
    if analysis.contradictory:
        found += ask_rules(Subject.TOOL, _contradiction(entry, contract), context)
    seen = [f for f in found if options.profile != "default" or shown_by_default(f)]
    undecided = sum(o.verdict is Verdict.UNKNOWN for o in (*analysis.obligations, *analysis.sync_results))
    undecided += analysis.order_unknown
    analysis.notes += plans.add(seen, kernel, contract, clean=entry.exact and not found, undecided=undecided)
    results = [_obligation_result(o) for o in (*analysis.obligations, *analysis.sync_results)]
    return found, results, analysis.notes


def _subjects(analysis: Analysis) -> Iterator[tuple[Subject, About]]:
    for defect in defects(analysis.obligations):
        yield Subject.OBLIGATION, defect
    for race in analysis.races:
        yield Subject.RACE, race
    for issue in analysis.barriers:
        yield Subject.BARRIER, issue
    for warp in analysis.warps:
        yield Subject.WARP, warp
    for lost in analysis.lost:
        yield Subject.LOST, lost
    for side in analysis.sides:
        yield Subject.SIDE, side
    for unset in analysis.unset:
        yield Subject.UNSET, unset
    for misaligned in analysis.misaligned:
        yield Subject.ALIGNMENT, misaligned


def _named(finding: Finding, entry: KernelEntry, kernel: ir.Function, options: ScanOptions) -> Finding:
    instance = Instance(kernel.template_args, options.targets[0]) if kernel.template_args else None
    return replace(finding, kernel=entry.name, instance=instance)


def _as_called(finding: Finding, contract: Contract) -> Finding:
    """What nothing launches goes wrong in no run of its program, however ordinary the witness is."""
    lowered = contract.dead and finding.confidence is Confidence.HIGH
    return replace(finding, confidence=Confidence.MEDIUM) if lowered else finding


def _is_approximate(about: About) -> bool:
    return about.primary.approximate if isinstance(about, Defect) else about.approximate


def _is_placed_by_contents(about: About) -> bool:
    """What memory holds says where the access goes, not only whether it happens."""
    if isinstance(about, Defect):
        return any(label.startswith(MEMORY_PREFIX) for label in labels(about.primary.index))
    return isinstance(about, Race) and about.scattered


def _is_beyond_runs(about: About) -> bool:
    """No event of a run tells when a write becomes visible, which elements were set, where one side of the data ends,
    or for how many a barrier waits."""
    if isinstance(about, BarrierIssue):
        return about.cause == "count"
    return isinstance(about, UnsetElement | UnguardedSide) or (isinstance(about, Race) and about.locked)


def _confirmed(
    finding: Finding,
    about: About,
    context: Context,
    options: ScanOptions,
    runs: Runs,
) -> Finding | None:
    """The finding after a run, unless nobody is going to see it; what rests on an over-approximation needs the run."""
    if options.profile == "default" and not shown_by_default(finding):
        return None if _is_approximate(about) else finding
    if options.confirm != "off" and not _is_beyond_runs(about):
        reduced = isinstance(about, Defect) and about.primary.reduced
        varied = reduced or not _is_placed_by_contents(about)
        seen = runs.confirmed(finding, context, options.seed, needed=_is_approximate(about), varied=varied)
        if not reduced or seen.evidence is Evidence.EMULATED:  # no run tries all that the data may be
            finding = seen
    if _is_approximate(about) and finding.evidence not in (Evidence.EMULATED, Evidence.CONFIRMED):
        return None
    return finding


def _withdraw(about: About, analysis: Analysis) -> None:
    """A witness of an over-approximation that no run showed decides nothing."""
    if isinstance(about, Defect):
        undecided = [about.primary, *about.consequences]
    elif isinstance(about, Race):
        undecided = [o for o in analysis.sync_results if o.object is about.object]
    else:
        undecided = [o for o in analysis.sync_results if o.kind == "divergence" and o.span == about.span]
    for obligation in undecided:
        if obligation.verdict is Verdict.VIOLATED:
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.LOOP_INVARIANT


def _contradiction(entry: KernelEntry, contract: Contract) -> ToolIssue:
    where = contract.launch_site
    text = f"launched at {where.path}:{where.line}" if where else "as annotated"
    message = f"no launch of `{entry.name}` {text} satisfies all that is assumed of it, so nothing is proved"
    return ToolIssue("CUL002", message, entry.name_span, entry.name)


def _broken_promises(
    kernel: ir.Function, launches: tuple[Contract, ...], facts: tuple[Fact, ...], unit: ir.Unit
) -> dict[Contract, list[Fact]]:
    """The annotations that each of the launches breaks."""
    from cudalint.symbolic.promises import broken_promises

    chosen = representatives(launches)[:MAX_CONTRACTS] if facts else ()
    return {launch: found for launch in chosen if (found := broken_promises(unit, kernel, launch, facts))}


def _broken_findings(entry: KernelEntry, launch: Contract, promises: list[Fact], context: Context) -> list[Finding]:
    site = launch.launch_site
    span = next((f.span for f in launch.facts if f.span is not None), entry.name_span)
    found: list[Finding] = []
    for fact in promises:
        message = f"{site.host_function if site else '?'}() launches `{entry.name}` without keeping `{fact.text}`"
        issue = ToolIssue("CUL003", message, span, entry.name)
        found += ask_rules(Subject.TOOL, issue, replace(context, contract=launch))
    return found


def _obligation_result(obligation: Obligation) -> ObligationResult:
    memory = obligation.object.memory if obligation.object else ""
    kind = "-".join(part for part in (memory, obligation.access, obligation.kind) if part)
    return ObligationResult(
        kind, obligation.span, obligation.verdict, obligation.reason, obligation.facts, obligation.detail
    )


def merged_kernels(kernels: Iterable[KernelResult]) -> Iterator[KernelResult]:
    """A kernel that was read in several files, or in several variants of a text, is one: complete where all are.

    One that another configuration of its file gave is not lost in the others.
    """
    groups: dict[tuple[Span, str], list[KernelResult]] = {}
    for kernel in kernels:
        groups.setdefault((kernel.span, kernel.name), []).append(kernel)
    for (span, name), every in sorted(groups.items()):
        members = [k for k in every if not is_lost(k)] or every
        yield members[0] if len(members) == 1 else KernelResult(
            name,
            span,
            all(k.complete for k in members),
            all(k.exact for k in members),
            tuple(dict.fromkeys(gap for k in members for gap in k.unmodelled)),
            tuple(dict.fromkeys(gap for k in members for gap in k.opaque)),
            tuple(_merged_obligations([o for k in members for o in k.obligations])),
        )  # fmt: skip


def _merged_obligations(results: list[ObligationResult]) -> list[ObligationResult]:
    """The worst verdict of each place over unrolled copies, instances and launches."""
    worst: dict[tuple[str, Span], ObligationResult] = {}
    for result in results:
        key = (result.kind, result.span)
        if key not in worst or _WORST[result.verdict] < _WORST[worst[key].verdict]:
            worst[key] = result
    return sorted(worst.values(), key=lambda r: (r.span, r.kind))


# --- one defect, one finding -------------------------------------------------------------------------------------------

_EVIDENCE = {
    Evidence.CONFIRMED: 0,
    Evidence.EMULATED: 1,
    Evidence.WITNESS: 2,
    Evidence.PATTERN: 3,
    Evidence.UNCONFIRMED: 4,
}


def merged(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Launches, instances and files around that share a defect become one finding, told by its strongest."""
    groups: dict[tuple[str, Span], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.code, finding.span), []).append(finding)
    for members in groups.values():
        best = min(members, key=lambda f: (CERTAINTY[f.confidence], _EVIDENCE.get(f.evidence, 5)))
        others = [place for f in members if f is not best for place in (_place(f), *f.also_in)]
        known = dict.fromkeys((*best.also_in, *others))
        known.pop(_place(best), None)
        yield replace(best, also_in=tuple(known))


def _place(finding: Finding) -> str:
    site = finding.launch_site
    instance = f"<{', '.join(finding.instance.template_args)}>" if finding.instance else ""
    launched = f" launched by {site.host_function} at {site.path}:{site.line}" if site else ""
    return f"{finding.kernel or ''}{instance}{launched}"
