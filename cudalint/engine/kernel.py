"""One kernel under each of its contracts: what the engine finds, what the rules say of it, what a run shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.contract import Assume, Contract, Fact, Held
from cudalint.engine.calls import with_calls
from cudalint.engine.confirmation import TOO_LARGE, Runs
from cudalint.engine.contracts import (
    annotation_facts,
    complete_contracts,
    representatives,
    with_notes,
)
from cudalint.engine.forgotten import is_forgotten
from cudalint.engine.left_out import MOST as MOST_LEFT_OUT
from cudalint.engine.left_out import LeftOut, upheld
from cudalint.engine.merging import merged_obligations
from cudalint.engine.options import ScanOptions
from cudalint.engine.plan_queue import Plans
from cudalint.engine.registry import rules, selected_codes
from cudalint.engine.remarks import ask_rules
from cudalint.engine.taken import taken_relations
from cudalint.engine.told_as_seen import as_seen
from cudalint.engine.told_shapes import contradictions, told_shapes, with_shapes
from cudalint.engine.walked import MAX_INSTANCES, MOST_INSTANCES, walked_instances
from cudalint.engine.written_launches import written_shape
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
    Unchecked,
    Verdict,
)
from cudalint.frontend.annotations import AnnotationError
from cudalint.frontend.syntax import Annotation
from cudalint.frontend.translate import KernelEntry, Translation
from cudalint.rule import Context, Subject, ToolIssue, shown_by_default
from cudalint.source import Span
from cudalint.symbolic.issues import (
    Analysis,
    BarrierIssue,
    LostHalf,
    LostWork,
    Misaligned,
    Race,
    RowEnd,
    UnguardedSide,
    UnsetElement,
    Unwritten,
    WarpIssue,
)
from cudalint.symbolic.model import MEMORY_PREFIX, Obligation, result_key
from cudalint.symbolic.solver.effort import Effort
from cudalint.symbolic.verdicts.defects import Defect, defects
from cudalint.term import IsZero, free_symbols, labels

if TYPE_CHECKING:
    pass

ONE_THREAD = "its launches are written for one thread, and none of them was followed"
NOT_REACHED = "no thread comes to an access with the numbers that were chosen for the template"
_OF_ORDER = ("race", "divergence")
_OF_EXTENT = (Reason.NO_EXTENT, Reason.UNTIED_EXTENT)
MAX_CONTRACTS = 3  # launches that stand for the others
MOST_CONTRACTS = 8  # where they are easy
MOST_FIRSTS = 2  # launches of the first round of a loop, beside those of any round
_PROVED = (Verdict.SAFE, Verdict.UNREACHABLE)
About = (
    Defect
    | Race
    | BarrierIssue
    | WarpIssue
    | LostWork
    | UnguardedSide
    | RowEnd
    | UnsetElement
    | Unwritten
    | LostHalf
    | Misaligned
)
_WITHOUT_WALK = (
    Subject.FUNCTION, Subject.HOST, Subject.DEMAND, Subject.COUNTED, Subject.RETYPED, Subject.TEXT, Subject.TOOL,
)  # fmt: skip


def analyse_kernel(
    entry: KernelEntry,
    translation: Translation,
    launches: dict[str, tuple[Contract, ...]],
    dead: frozenset[str],
    hints: tuple[Annotation, ...],
    options: ScanOptions,
    plans: Plans,
    runs: Runs,
    kernels: int = 1,
) -> tuple[list[Finding], KernelResult, list[Note], list[Unchecked]]:
    """What is found of a kernel that is one of so many of its file, and what of its launches is taken for granted."""
    findings: list[Finding] = []
    obligations: list[ObligationResult] = []
    notes: list[Note] = []
    unchecked: list[Unchecked] = []
    effort = Effort(options.thorough or options.profile == "audit", options.effort, kernels)
    annotated = bool(_annotations(translation, entry, hints))
    walked = walked_instances(entry, translation.unit, launches, annotated)
    skipped, left_out = len(entry.functions), list[LeftOut]()
    for place, function_id in enumerate(walked[: MOST_INSTANCES + MOST_LEFT_OUT + 1]):
        kernel = translation.unit.functions[function_id]
        facts, errors = (
            ((), ()) if options.untrusted else annotation_facts(kernel, _annotations(translation, entry, hints))
        )
        if options.untrusted and _annotations(translation, entry, hints):
            ignored = "; ".join(a.text for a in _annotations(translation, entry, hints))
            text = f"{_what(entry)}: annotations ignored (--untrusted): {ignored}"
            notes.append(Note(text, entry.name_span.path, entry.name_span.line))
        context = Context(translation.unit, kernel, None, options.targets[0])
        findings += [f for error in errors for f in ask_rules(Subject.TOOL, _bad_annotation(error, entry), context)]
        unwalked = place >= MOST_INSTANCES or (place > 0 and _is_enough(place, MAX_INSTANCES, effort))
        known = () if unwalked else launches.get(function_id, ())
        broken = _broken_promises(kernel, known, facts, translation.unit)
        for launch, promises in broken.items():
            findings += _broken_findings(entry, launch, promises, context)
        found_launches = launches.get(function_id, ())
        shape = () if found_launches else written_shape(entry, translation)
        told = (*facts, *shape) if shape else facts
        contracts = complete_contracts(kernel, found_launches, told, options, broken)
        shapes = told_shapes(entry, kernel, translation)
        if function_id in dead:
            contracts = tuple(replace(contract, uncalled=True, dead=True) for contract in contracts)
        elif not found_launches and not shape and is_forgotten(entry, translation):
            contracts = tuple(replace(contract, uncalled=True) for contract in contracts)
        contracts, firsts = _without_firsts(contracts)
        tried, before = 0, len(obligations)
        for contract in contracts[:MOST_CONTRACTS] if _needs_walk(options) and not unwalked else ():
            if tried and _is_enough(tried, MAX_CONTRACTS, effort):
                break
            tried += 1
            found, results, said, taken = _under_contract(
                entry, kernel, contract, translation, options, effort, plans, runs, shapes
            )
            findings += found
            if told is not facts:
                results = _not_of_one_thread(results)
            obligations += _not_of_the_guess(results) if entry.template and contract.launch_site is None else results
            unchecked += taken
            notes += [Note(f"{_what(entry)}: {text}", entry.name_span.path, entry.name_span.line) for text in said]
        own = Effort(effort.thorough, max(1, effort.percent // 2), kernels)
        for contract in firsts if not all(o.verdict in _PROVED for o in obligations[before:]) else ():
            if own.is_tired:
                break
            found, results, _, taken = _under_contract(
                entry, kernel, contract, translation, options, own, plans, runs, shapes
            )
            findings += found
            obligations += [result for result in results if result.verdict is Verdict.VIOLATED]
            unchecked += taken
        if 0 < tried < len(contracts):
            text = f"{_what(entry)}: {len(contracts) - tried} launches not walked"
            notes.append(Note(text, entry.name_span.path, entry.name_span.line))
        left_out += [LeftOut(kernel, contract) for contract in contracts[tried:]]
        skipped -= tried > 0
    if skipped and _needs_walk(options):
        text = f"{_what(entry)}: {skipped} instances not walked"
        notes.append(Note(text, entry.name_span.path, entry.name_span.line))
    if (left_out or entry.unseen) and _needs_walk(options):
        again = Effort(effort.thorough, effort.percent, kernels, answers=effort.answers, encoders=effort.encoders)
        obligations = upheld(obligations, translation.unit, left_out, again, unseen=entry.unseen or effort.is_spent)
    result = KernelResult(
        entry.name,
        entry.name_span,
        entry.complete,
        entry.exact,
        tuple(Gap(g.reason, g.span) for g in entry.gaps),
        tuple(Gap(g.reason, g.span) for g in entry.opaque),
        tuple(merged_obligations(obligations)),
        entry.device,
        not any(launches.get(each) for each in entry.functions) and is_forgotten(entry, translation),
    )
    return findings, result, list(dict.fromkeys(notes)), unchecked


def _without_firsts(contracts: tuple[Contract, ...]) -> tuple[tuple[Contract, ...], tuple[Contract, ...]]:
    """The launches of any round of a loop, and a few of its first one: what those are proved for holds in it.

    Every first one has others of its place. What it shows, an access out of bounds or a race, it shows for less.
    """
    firsts = tuple(contract for contract in contracts if contract.first)
    return tuple(contract for contract in contracts if not contract.first), firsts[:MOST_FIRSTS]


def _is_enough(walked: int, most: int, effort: Effort) -> bool:
    """So many launches or instances are walked as the steps so far allow: more than `most` only while all was easy."""
    return effort.is_tired or (walked >= most and not effort.is_fresh)


def failed_kernel(entry: KernelEntry, error: Exception) -> tuple[list[Finding], KernelResult, list[Note]]:
    """A failure of ours: the kernel is listed, and nothing of it is decided."""
    text = f"internal error: {type(error).__name__}: {error}"
    where = entry.name_span
    note = Note(f"{_what(entry)}: {text}; CUDALINT_TRACEBACK=1 shows where", where.path, where.line)
    return [], KernelResult(entry.name, where, False, False, (Gap(text, where),), device=entry.device), [note]


def _what(entry: KernelEntry) -> str:
    return f"{'device function' if entry.device else 'kernel'} `{entry.name}`"


def _needs_walk(options: ScanOptions) -> bool:
    """Whether a selected rule asks for what the symbolic engine finds."""
    codes = selected_codes(options.select, options.ignore, options.profile)
    return any(r.rule.code in codes and r.rule.subject not in _WITHOUT_WALK for r in rules())


def _bad_annotation(error: AnnotationError, entry: KernelEntry) -> ToolIssue:
    span = Span(error.path or entry.span.path, error.line, error.column, error.line, error.column + 1)
    return ToolIssue("CUL001", error.message, span, entry.name)


def _annotations(translation: Translation, entry: KernelEntry, hints: tuple[Annotation, ...]) -> tuple[Annotation, ...]:
    written = [a for each in translation.indexes for a in each.annotations if a.kernel == entry.name_span]
    return (*written, *hints)


def _not_of_one_thread(results: list[ObligationResult]) -> list[ObligationResult]:
    """What one thread does right proves nothing of launches that nobody followed: they are known by how they are written."""
    return [
        replace(r, verdict=Verdict.UNKNOWN, reason=Reason.NO_LAUNCH, detail=ONE_THREAD) if r.verdict in _PROVED else r
        for r in results
    ]


def _not_of_the_guess(results: list[ObligationResult]) -> list[ObligationResult]:
    """Where the numbers that we chose for a template let no thread come to any access, they prove nothing of the others."""
    accesses = [r for r in results if not r.kind.endswith(_OF_ORDER)]
    reached = any(r.verdict is not Verdict.UNREACHABLE and r.reason not in _OF_EXTENT for r in accesses)
    if reached or not any(r.verdict is Verdict.UNREACHABLE for r in accesses):
        return results
    return [
        replace(r, verdict=Verdict.UNKNOWN, reason=Reason.NO_LAUNCH, detail=NOT_REACHED) if r.verdict in _PROVED else r
        for r in results
    ]


def _under_contract(
    entry: KernelEntry,
    kernel: ir.Function,
    contract: Contract,
    translation: Translation,
    options: ScanOptions,
    effort: Effort,
    plans: Plans,
    runs: Runs,
    shapes: tuple[Fact, ...],
) -> tuple[list[Finding], list[ObligationResult], list[str], list[Unchecked]]:
    from cudalint.engine.drawn import try_open
    from cudalint.engine.drawn_gaps import find_unwritten
    from cudalint.engine.drawn_races import try_open_races
    from cudalint.engine.drawn_unset import find_unset_in_runs
    from cudalint.symbolic.analyse import analyse

    analysis = analyse(translation.unit, kernel, contract, effort)
    if options.confirm != "off" and not contract.device:
        try_open(analysis, translation.unit, kernel, contract, options.seed)
        try_open_races(analysis, translation.unit, kernel, contract, options.seed)
        analysis.unwritten += find_unwritten(analysis, translation.unit, kernel, contract, options.seed)
        analysis.unset += find_unset_in_runs(analysis, translation.unit, kernel, contract, options.seed)
    context = Context(translation.unit, kernel, contract, options.targets[0])
    found: list[Finding] = []
    withdrawn: list[About] = []
    unshown: list[tuple[Race, Finding]] = []

    def report(subject: Subject, about: About, context: Context = context) -> None:
        for finding in ask_rules(subject, about, context):
            called = _as_called(_named(finding, entry, kernel, options), contract)
            named = with_notes(called, contract, entry.by_name, entry.launched)
            checked = _confirmed(named, about, context, options, runs)
            if checked is not None:
                found.append(with_calls(checked, about))
                if isinstance(about, Race) and _is_unshown(checked) and about.object.memory == "global":
                    unshown.append((about, found[-1]))
            else:
                _withdraw(about, analysis)
                withdrawn.append(about)

    for subject, about in _subjects(analysis):
        report(subject, about)
    told = with_shapes(contract, shapes)
    if told is not None:
        wrong = contradictions(translation.unit, kernel, told, analysis.obligations, effort)
        for defect in defects(wrong):
            report(Subject.OBLIGATION, defect, replace(context, contract=told))
    unconfirmed = [o for each in withdrawn if isinstance(each, Defect) for o in (each.primary, *each.consequences)]
    # a smaller launch than the witness may show it
    if unconfirmed and options.confirm != "off" and not contract.device:
        try_open(analysis, translation.unit, kernel, contract, options.seed, unconfirmed)
        for defect in defects(unconfirmed):
            report(Subject.OBLIGATION, defect)
    doubted = [each for each in withdrawn if isinstance(each, Race)] + [race for race, _ in unshown]
    if doubted:
        known = list(analysis.races)  # the witness may be one that the walk made up, and the race a real one
        for race, _ in unshown:
            _withdraw(race, analysis)
        arrays = [array for race in doubted for array in (race.object, *race.others)]
        try_open_races(analysis, translation.unit, kernel, contract, options.seed, arrays)
        for race in analysis.races:
            if all(race is not each for each in known):
                found = [
                    f for f in found if all(f is not told for about, told in unshown if about.object is race.object)
                ]
                report(Subject.RACE, race)
        for result in analysis.sync_results:  # what a witness says without a run is still said
            if any(result.object is race.object for race, _ in unshown) and result.kind == "race":
                result.verdict, result.reason = Verdict.VIOLATED, None
    if analysis.contradictory:
        found += ask_rules(Subject.TOOL, _contradiction(entry, contract), context)
    seen = [f for f in found if options.profile != "default" or shown_by_default(f)]
    undecided = sum(o.verdict is Verdict.UNKNOWN for o in (*analysis.obligations, *analysis.sync_results))
    undecided += analysis.order_unknown
    if not contract.device:  # there is no launch to write down
        analysis.notes += plans.add(seen, kernel, contract, clean=entry.exact and not found, undecided=undecided)
        found, unwritten = plans.with_replays(found, seen, kernel, contract)
        analysis.notes += unwritten
    found = list(map(_worded, found))
    taken = taken_relations(analysis, contract, entry.name)
    results = [_obligation_result(o) for o in (*analysis.obligations, *analysis.sync_results)]
    return found, results, analysis.notes, taken


def _worded(finding: Finding) -> Finding:
    """In the words of the code: views and spans have their data behind a method."""
    from cudalint.symbolic.host.text import said

    return replace(
        finding,
        message=said(finding.message),
        trigger=finding.trigger and said(finding.trigger),
        condition=finding.condition and said(finding.condition),
        assumptions=tuple(replace(each, text=said(each.text)) for each in finding.assumptions),
        related=tuple(replace(each, message=said(each.message)) for each in finding.related),
        fix=finding.fix and replace(finding.fix, text=said(finding.fix.text)),
    )


def _subjects(analysis: Analysis) -> Iterator[tuple[Subject, About]]:
    found: tuple[tuple[Subject, Iterable[About]], ...] = (
        (Subject.OBLIGATION, defects(analysis.obligations)),
        (Subject.RACE, analysis.races),
        (Subject.BARRIER, analysis.barriers),
        (Subject.WARP, analysis.warps),
        (Subject.LOST, analysis.lost),
        (Subject.SIDE, analysis.sides),
        (Subject.ROW, analysis.rows),
        (Subject.UNSET, analysis.unset),
        (Subject.UNWRITTEN, analysis.unwritten),
        (Subject.HALVED, analysis.halves),
        (Subject.ALIGNMENT, analysis.misaligned),
    )
    for subject, abouts in found:
        for about in abouts:
            yield subject, about


def _named(finding: Finding, entry: KernelEntry, kernel: ir.Function, options: ScanOptions) -> Finding:
    instance = Instance(kernel.template_args, options.targets[0]) if kernel.template_args else None
    return replace(finding, kernel=entry.name, instance=instance)


def _as_called(finding: Finding, contract: Contract) -> Finding:
    """What nothing launches goes wrong in no run of its program, however ordinary the witness is.

    Nor is it known that something does where an instance is chosen by a value that was lost.
    """
    lost = finding.instance is not None and any(map(_is_choice_of_lost_value, contract.facts))
    lowered = (contract.dead or lost) and finding.confidence is Confidence.HIGH
    return replace(finding, confidence=Confidence.MEDIUM) if lowered else finding


def _is_choice_of_lost_value(fact: Fact) -> bool:
    """`switch (log2_ceil(n)) case 7: k<7><<<...>>>(n)`, and the walk of host code has lost what log2_ceil() gives."""
    from cudalint.symbolic.verdicts.facts import is_loose

    cond = fact.what.cond if isinstance(fact.what, Assume) else None
    symbols = free_symbols(cond) if isinstance(cond, IsZero) else frozenset()
    return len(symbols) == 1 and all(map(is_loose, symbols))


def _is_approximate(about: About) -> bool:
    return about.primary.approximate if isinstance(about, Defect) else about.approximate


def _is_placed_by_contents(about: About) -> bool:
    """What memory holds says where the access goes, not only whether it happens."""
    if isinstance(about, Defect):
        return any(label.startswith(MEMORY_PREFIX) for label in labels(about.primary.index))
    return isinstance(about, Race) and about.scattered


def _is_beyond_runs(about: About) -> bool:
    """No event of a run tells when a write becomes visible, which elements were set, or where one side of the data ends."""
    return isinstance(about, UnsetElement | UnguardedSide | RowEnd | Unwritten | LostHalf) or (
        isinstance(about, Race) and about.locked
    )


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
        if finding.evidence is Evidence.UNCONFIRMED and _is_reached_by_own_contents(about):
            finding = replace(finding, confidence=Confidence.LOW)
    settled = isinstance(about, Defect) and about.primary.settled and not _is_too_large(finding)
    if _is_approximate(about) and not settled and finding.evidence not in (Evidence.EMULATED, Evidence.CONFIRMED):
        return None
    return as_seen(finding, about, context)


def _is_too_large(finding: Finding) -> bool:
    """For a run: smaller launches are drawn for what is not told."""
    return (finding.evidence_reason or "").startswith(TOO_LARGE)


def _is_unshown(finding: Finding) -> bool:
    """The run of its witness did not show it, which is no reason to believe that no run does."""
    return finding.evidence is Evidence.UNCONFIRMED and not shown_by_default(finding)


def _is_reached_by_own_contents(about: About) -> bool:
    """Whether it happens is for values to say that the kernel itself has put into shared memory, which only a run has exactly."""
    path = about.primary.path if isinstance(about, Defect) else ()
    read = (label for conjunct in path for label in labels(conjunct.term))
    return any(label.startswith(MEMORY_PREFIX) and "@" in label for label in read)


def _withdraw(about: About, analysis: Analysis) -> None:
    """A witness of an over-approximation that no run showed decides nothing."""
    if isinstance(about, Defect):
        undecided = [about.primary, *about.consequences]
    elif isinstance(about, Race):
        known = [race for race in analysis.races if race is not about]
        alone = [each for each in about.others if not any(each in (race.object, *race.others) for race in known)]
        undecided = [o for o in analysis.sync_results if o.object in (about.object, *alone)]
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
    from cudalint.symbolic.verdicts.promises import broken_promises

    chosen = representatives(launches)[:MAX_CONTRACTS] if facts else ()
    return {launch: found for launch in chosen if (found := broken_promises(unit, kernel, launch, facts))}


def _broken_findings(entry: KernelEntry, launch: Contract, promises: list[Fact], context: Context) -> list[Finding]:
    from cudalint.symbolic.verdicts.promises import is_of_contents

    site = launch.launch_site
    span = next((f.span for f in launch.facts if f.span is not None), entry.name_span)
    found: list[Finding] = []
    for fact in promises:
        message = f"{site.host_function if site else '?'}() launches `{entry.name}` without keeping `{fact.text}`"
        pointer = getattr(fact.what, "pointer", None) if is_of_contents(fact.what) else None
        message += "".join(
            f": {f.text}" for f in launch.facts if isinstance(f.what, Held) and f.what.pointer == pointer
        )
        issue = ToolIssue("CUL003", message, span, entry.name)
        found += ask_rules(Subject.TOOL, issue, replace(context, contract=launch))
    return found


def _obligation_result(obligation: Obligation) -> ObligationResult:
    kind, span = result_key(obligation)
    return ObligationResult(kind, span, obligation.verdict, obligation.reason, obligation.facts, obligation.detail)
