"""`cudalint contract`: what is assumed of a kernel under each of its launches, where from, and what would settle the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from cudalint import ir
from cudalint.analysis.operators import Written
from cudalint.contract import Contract, Extent, Fact, Geometry, Missing, Origin
from cudalint.engine.contracts import (
    annotation_facts,
    complete_contracts,
    contracts_of,
    neighbour_units,
    with_launched,
    written_arguments,
)
from cudalint.engine.embedded import parse_options
from cudalint.engine.hints import hints_of
from cudalint.engine.jobs import Job, plan_jobs
from cudalint.engine.options import ScanOptions, UsageError
from cudalint.engine.relocate import Relocation
from cudalint.engine.scan import discovered
from cudalint.engine.settings import project_settings
from cudalint.engine.told_shapes import told_shapes, with_shapes
from cudalint.engine.written_launches import written_shape
from cudalint.finding import Assumption, LaunchSite, Verdict
from cudalint.frontend.python_strings import embedded_sources
from cudalint.frontend.translate import KernelEntry, Translation, translate
from cudalint.project.configuration import Hint
from cudalint.source import Span


@dataclass(frozen=True, slots=True)
class ContractView:
    """One instance under one launch, or of a `device` function that nobody calls.

    `suggested` are annotation lines; `with_them` the verdicts if they were promised.

    `promises` are those of annotations, each with how the launch stands to it.
    """

    kernel: str
    span: Span
    instance: tuple[str, ...]
    launch: LaunchSite | None
    facts: tuple[Assumption, ...]
    missing: tuple[Missing, ...]
    suggested: tuple[str, ...]
    verdicts: dict[str, int]
    with_them: dict[str, int]
    promises: tuple[tuple[str, str], ...] = ()
    device: bool = False


def kernel_contracts(kernel: str, options: ScanOptions) -> tuple[ContractView, ...]:
    """All contracts of the kernels of that name, simple or qualified, in the chosen files; UsageError if there is none."""
    root, options, configuration = project_settings(options)
    discovery = discovered(root, options, configuration)
    found: dict[tuple[object, ...], ContractView] = {}
    for job in plan_jobs(discovery, options).jobs:
        if _mentions(job, kernel):
            for view in _views(kernel, job, root, options, configuration.hints):
                found.setdefault((view.span, view.instance, view.launch, view.facts), view)
    if not found:
        raise UsageError(f"no kernel named `{kernel}` in the given paths")
    return tuple(found.values())


def _mentions(job: Job, kernel: str) -> bool:
    name = kernel.split("::")[-1]
    return any(name in source.text for source in (job.source, *job.around.headers))


def _views(
    kernel: str, job: Job, root: str, options: ScanOptions, hints: Mapping[str, tuple[Hint, ...]]
) -> Iterator[ContractView]:
    if job.source.path.endswith(".py"):
        yield from _python_views(kernel, job, root, options, hints)
        return
    others = neighbour_units(job.neighbours, job.parse, root)
    translation = translate(job.source, with_launched(job.parse, others), root, job.around)
    written = written_arguments(job.neighbours, root)
    yield from _translated(kernel, translation, others, options, hints, written)


def _python_views(
    kernel: str, job: Job, root: str, options: ScanOptions, hints: Mapping[str, tuple[Hint, ...]]
) -> Iterator[ContractView]:
    """Those of the kernels in the strings of a Python file, in its places and words."""
    for embedded in embedded_sources(job.source):
        translation = translate(embedded.source, parse_options(embedded, job.parse), root)
        relocation = Relocation(embedded.source.path, embedded.places(), embedded.words)
        unread = tuple(
            Missing("launch", f"the launch at {span.path}:{span.line} is not read: {why}")
            for span, why in embedded.unread
        )
        for view in _translated(kernel, translation, (), options, hints):
            moved = relocation.moved(view)
            yield replace(moved, missing=(*moved.missing, *unread))


def _translated(
    kernel: str,
    translation: Translation,
    others: tuple[ir.Unit, ...],
    options: ScanOptions,
    hints: Mapping[str, tuple[Hint, ...]],
    written: tuple[Written, ...] = (),
) -> Iterator[ContractView]:
    entries = [e for e in translation.kernels if kernel in (e.name, e.qualified)]
    if not entries:
        return
    launches = contracts_of(translation.unit, others, options.vocabulary, written=written)
    for entry in entries:
        for function_id in entry.functions:
            function = translation.unit.functions[function_id]
            given = () if options.untrusted else _annotated(entry, function, translation, hints)
            shapes = told_shapes(entry, function, translation)
            known = launches.get(function_id, ())
            compared = {each: _compared(translation.unit, function, each, given) for each in known}
            broken = {each: [f for f, state in found if state == "broken"] for each, found in compared.items()}
            told = given if known else (*given, *written_shape(entry, translation))
            for contract in complete_contracts(function, known, told, options, broken):
                view = _view(entry, function, contract, shapes, translation.unit)
                found = next((c for each, c in compared.items() if _is_of(contract, each)), [])
                yield replace(view, promises=tuple((fact.text, state) for fact, state in found))


def _compared(
    unit: ir.Unit, function: ir.Function, launch: Contract, given: tuple[Fact, ...]
) -> list[tuple[Fact, str]]:
    from cudalint.symbolic.verdicts.promises import compared_promises

    return [(fact, state.value) for fact, state in compared_promises(unit, function, launch, given)]


def _is_of(contract: Contract, launch: Contract) -> bool:
    """The contract is that launch with annotations."""
    return contract.launch_site == launch.launch_site and set(launch.facts) <= set(contract.facts) | _geometries(launch)


def _geometries(launch: Contract) -> set[Fact]:
    return {f for f in launch.facts if isinstance(f.what, Geometry)}


def _annotated(
    entry: KernelEntry, function: ir.Function, translation: Translation, hints: Mapping[str, tuple[Hint, ...]]
) -> tuple[Fact, ...]:
    written = [a for i in translation.indexes for a in i.annotations if a.kernel == entry.name_span]
    return annotation_facts(function, (*written, *hints_of(hints, entry)))[0]


def _view(
    entry: KernelEntry, function: ir.Function, contract: Contract, shapes: tuple[Fact, ...], unit: ir.Unit
) -> ContractView:
    """What comments say of shapes is suggested as it is, the rest as the kernel's accesses need it."""
    from cudalint.symbolic.verdicts.inferred import inferred_extents

    told = tuple(f for f in (with_shapes(contract, shapes) or contract).facts if f.origin is Origin.COMMENT)
    inferred = tuple(
        Fact(Extent(i.pointer, i.size), Origin.INFERRED, f"extent({i.pointer}) = {i.text}")
        for i in inferred_extents(unit, function, contract)
        if not any(_is_extent_of(f, {i.pointer}) for f in told)
    )
    promised = (*told, *inferred)
    pointers = {f.what.pointer for f in promised if isinstance(f.what, Extent)}
    without = tuple(f for f in contract.facts if not _is_extent_of(f, pointers))
    verdicts = _verdicts(unit, function, contract)
    return ContractView(
        entry.name,
        entry.name_span,
        function.template_args,
        contract.launch_site,
        tuple(f.assumption() for f in (*contract.facts, *told)),
        tuple(m for m in contract.missing if not any(_is_extent_of(f, {m.subject}) for f in contract.facts)),
        tuple(f"// cudalint: {f.text}" for f in promised),
        verdicts,
        _verdicts(unit, function, replace(contract, facts=promised + without)) if promised else verdicts,
        device=contract.device,
    )


def _is_extent_of(fact: Fact, pointers: set[str]) -> bool:
    return isinstance(fact.what, Extent) and fact.what.pointer in pointers


def _verdicts(unit: ir.Unit, kernel: ir.Function, contract: Contract) -> dict[str, int]:
    from cudalint.symbolic.analyse import analyse

    counter = Counter(o.verdict for o in analyse(unit, kernel, contract).obligations)
    return {verdict.value: counter[verdict] for verdict in Verdict}


def json_data(views: tuple[ContractView, ...]) -> dict[str, object]:
    """The views as JSON's types; `open` says what each launch leaves undecided and, where one does, who decides it."""
    return {"contracts": [_json(view) for view in views]}


def _json(view: ContractView) -> dict[str, object]:
    site = view.launch
    return {
        "kernel": view.kernel,
        "path": view.span.path,
        "line": view.span.line,
        "template_args": list(view.instance),
        "launch": None if site is None else {"path": site.path, "line": site.line, "function": site.host_function},
        "facts": [{"text": f.text, "origin": f.origin, "path": f.path, "line": f.line} for f in view.facts],
        "open": [{"subject": m.subject, "reason": m.reason, "caller": m.caller} for m in view.missing],
        "promises": [{"text": text, "state": state} for text, state in view.promises],
        "suggested": list(view.suggested),
        "verdicts": view.verdicts,
        "verdicts_with_suggested": view.with_them,
        "uncalled_device_function": view.device,
    }


def text(views: tuple[ContractView, ...]) -> str:
    """The views as a person reads them."""
    return "\n\n".join("\n".join(_lines(view)) for view in views) + "\n"


def _lines(view: ContractView) -> Iterator[str]:
    instance = f"<{', '.join(view.instance)}>" if view.instance else ""
    yield f"{view.kernel}{instance} at {view.span.path}:{view.span.line}"
    site = view.launch
    none = "  nobody calls this device function" if view.device else "  no launch is visible"
    yield f"  launched by {site.host_function} at {site.path}:{site.line}" if site else none
    width = min(72, max((len(fact.text) for fact in view.facts), default=0))
    for fact in view.facts:
        place = f" {fact.path}:{fact.line}" if fact.path else ""
        yield f"    {fact.text:<{width}}  {fact.origin}{place}"
    for promise, state in view.promises:
        yield f"    promised: {promise}: {state}"
    for missing in view.missing:
        who = f"; {missing.caller} is an entry point, its callers decide" if missing.caller else ""
        yield f"    open: {missing.subject}: {missing.reason}{who}"
    yield "    accesses: " + _counts(view.verdicts)
    if view.suggested:
        yield "  to paste before the kernel, if the callers keep it:"
        yield from (f"    {line}" for line in view.suggested)
        yield "    accesses then: " + _counts(view.with_them)


def _counts(verdicts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in verdicts.items() if count) or "none"
