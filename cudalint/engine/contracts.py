"""The contracts of a kernel: what its annotations, its visible launches and the options say together."""

from __future__ import annotations

import itertools
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any

from cudalint import ir
from cudalint.analysis.operators import Prototype, Written, prototypes, written_by
from cudalint.contract import Assume, Contract, Extent, Fact, Geometry, Origin
from cudalint.engine.alike import once_each
from cudalint.engine.options import Dim3, ScanOptions
from cudalint.finding import OF_PROJECT, Assumption, Confidence, Finding, Level
from cudalint.frontend.annotation_types import named_types
from cudalint.frontend.annotations import AnnotationError, Stated, facts_of
from cudalint.frontend.lexical import blank
from cudalint.frontend.prototypes import written_prototypes
from cudalint.frontend.python_callers import as_host_code, called_names, project_of
from cudalint.frontend.python_operators import Project, called_by_name
from cudalint.frontend.python_strings import embedded_sources
from cudalint.frontend.syntax import Annotation
from cudalint.frontend.translate import ParseOptions, Surroundings, architecture, translate
from cudalint.project.assets import lies_in
from cudalint.project.callers import Neighbour
from cudalint.project.conditions import lets_through, setting_for
from cudalint.project.discovery import PYTHON_ENDINGS, read_source
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts, starts, unnamed_kernels
from cudalint.symbolic.host.counted import Counted
from cudalint.symbolic.host.demands import Demand
from cudalint.symbolic.host.linked import declared_instances, undefined_calls
from cudalint.symbolic.host.retyped import Retyped
from cudalint.symbolic.host.text import plain
from cudalint.symbolic.host_vocabulary import speaking
from cudalint.symbolic.verdicts.promises import promised
from cudalint.term import TRUE, Term, number

MOST_UNITS = 16
MOST_MENTIONS = 12
NO_LAUNCH = "no launch of it was found, so an ordinary one is taken"
NOT_UNDERSTOOD = "its launch was not understood, so an ordinary one is taken"
OVERFLOWS = "IDX2"
BY_NAME = "it is launched by its name, where the launch is not understood, so an ordinary one is taken"
NO_CALL = "nobody calls this device function: all threads of an ordinary launch do, each with arguments of its own"
_WORD = re.compile(r"\w+")
_EXPORTS = re.compile(r'extern\s+"C"')
_FEATURE = re.compile(r"(?:^|_)(?:BUILD|ENABLED?|HAS|HAVE|SUPPORTS?|USE|WITH)(?:_|$)")
_OTHER_VENDORS = re.compile(r"HIP|ROCM|AMD|SYCL|XPU|MUSA")


def contracts_of(
    unit: ir.Unit,
    others: tuple[ir.Unit, ...] = (),
    vocabulary: Mapping[str, Any] = MappingProxyType({}),
    program: bool = False,
    demands: list[Demand | Counted | Retyped] | None = None,
    written: tuple[Written, ...] = (),
) -> dict[str, tuple[Contract, ...]]:
    """Contracts by kernel id from the launches in the unit and in the files around it; the project's own words count.

    `written` are arguments that operators write, as their schemas say.
    """
    with speaking(vocabulary):
        return launch_contracts(unit, others, program, demands, written)


def with_files_of(root: str, contract: Contract) -> Contract:
    """The contract with those of the files that it names which lie in the project: what they say is known to who wrote it."""
    if not contract.files:
        return contract
    files = tuple((name, file) for name, file in contract.files if lies_in(root, file))
    texts = (f"{plain(name)} is read from {file}, {OF_PROJECT}" for name, file in files)
    notes = (Fact(Assume(TRUE), Origin.LAUNCH, text) for text in texts)
    return replace(contract, files=files, facts=(*contract.facts, *notes))


def with_notes(finding: Finding, contract: Contract, by_name: bool = False, launched: bool = False) -> Finding:
    """The finding with what the contract takes for granted of its launch: what ran before it, or that it is one.

    What is launched `by_name` has a launch that nobody read: what goes wrong under an ordinary one may not under that. Of what
    is `launched` somewhere a launch is there, which gave no contract: it says how large sizes are.
    """
    taken = (f for f in contract.facts if isinstance(f.what, Assume) and f.what.cond is TRUE)
    notes = [Assumption(f.text, f.origin.value, *((f.span.path, f.span.line) if f.span else ())) for f in taken]
    given = [f.what for f in contract.facts if isinstance(f.what, Geometry)]
    if contract.launch_site is None and not any(size is not None for each in given for size in each.block):
        lost = by_name and not contract.device
        missing = NOT_UNDERSTOOD if launched else NO_LAUNCH
        note = NO_CALL if contract.device else BY_NAME if lost else missing
        notes.append(Assumption(note, Origin.ORDINARY.value))
        chosen = launched and not contract.device and finding.code.startswith(OVERFLOWS)
        if (lost or chosen) and finding.confidence is Confidence.HIGH:
            finding = replace(finding, confidence=Confidence.MEDIUM)
    return replace(finding, assumptions=tuple(dict.fromkeys((*finding.assumptions, *notes))))


def dead_kernels(
    unit: ir.Unit, others: tuple[ir.Unit, ...], texts: Iterable[SourceFile], program: bool
) -> frozenset[str]:
    """Ids of the kernels that a program has but never launches, as far as its host code and its `texts` show."""
    unnamed = unnamed_kernels((unit, *others)) if program or starts(unit) else frozenset()
    if not unnamed:
        return unnamed
    words = Counter(word for text in texts for word in _WORD.findall(blank(text.text).plain))
    return frozenset(i for i in unnamed if words[unit.functions[i].name] == 1)


def neighbour_units(neighbours: tuple[Neighbour, ...], parse: ParseOptions, root: str) -> tuple[ir.Unit, ...]:
    """The host code of the files that call a file or are called by it; one that cannot be read is left out."""
    units = (_neighbour_unit(n, _for(n.path, parse), root) for n in neighbours)
    return tuple(unit for unit in units if unit is not None)


def _for(path: str, parse: ParseOptions) -> ParseOptions:
    """The options of a file, for a neighbour of it; those that launch nothing with the usual numbers are not read with others."""
    return replace(
        parse,
        instances=(),
        note="",
        other_values=False,
        checks=tuple(check for check in parse.checks if check.path == path),
    )


def written_arguments(neighbours: tuple[Neighbour, ...], root: str) -> tuple[Written, ...]:
    """The arguments that the operators of a file write, as the schemas say that C++ registers."""
    found = (each for n in neighbours if n.declares for each in written_by(n.operators, n.path))
    return tuple(replace(each, path=_shown(each.path, root)) for each in found)


def with_launched(parse: ParseOptions, others: tuple[ir.Unit, ...]) -> ParseOptions:
    """The options, with the instances of kernel templates that the files around launch, and the functions that they call."""
    return replace(parse, instances=(*parse.instances, *declared_instances(others)), called=undefined_calls(others))


@lru_cache(maxsize=MOST_UNITS)
def _neighbour_unit(neighbour: Neighbour, parse: ParseOptions, root: str) -> ir.Unit | None:
    source = read_source(neighbour.path, _shown(neighbour.path, root))
    if source is None:
        return None
    if neighbour.declares:
        return _script_unit(replace(source, text=""), neighbour, root) if not neighbour.around else None
    if neighbour.path.endswith(PYTHON_ENDINGS):
        return _script_unit(source, neighbour, root)
    headers = frozenset(_shown(path, root) for path in neighbour.headers)
    around = Surroundings(included=headers, asked=neighbour.names, defining=neighbour.defines, kernels=False)
    return translate(source, _letting_through(source, neighbour.names, parse), root, around).unit


def _shown(path: str, root: str) -> str:
    return os.path.relpath(path, os.path.realpath(root)).replace(os.sep, "/")


def _letting_through(source: SourceFile, names: Iterable[str], parse: ParseOptions) -> ParseOptions:
    """The options with the macros without which the file mentions some of the names nowhere: `#if BUILD_CUDA`.

    A feature that adds a mention is there as well, where no other one goes for it.
    """
    if "#if" not in source.text:
        return parse
    plain, defines, arch = blank(source.text).plain, dict[str, None](), architecture(parse.target)
    open_, guarded = list[int](), dict[int, tuple[str, ...]]()
    for name in sorted(names):
        mentioned = re.finditer(rf"^(?![ \t]*#[ \t]*include).*\b{re.escape(name)}\b", plain, re.MULTILINE)
        lines = [plain.count("\n", 0, found.start()) + 1 for found in itertools.islice(mentioned, MOST_MENTIONS)]
        settings = [setting_for(source.text, line, arch) for line in lines]
        open_ += [line for line, s in zip(lines, settings) if s is not None and not s.defines]
        guarded |= {line: s.defines for line, s in zip(lines, settings) if s is not None and s.defines}
        if settings and not any(setting is not None and not setting.defines for setting in settings):
            given = next((s.defines for s in settings if s is not None), ())
            defines |= dict.fromkeys(given if not any(map(_OTHER_VENDORS.search, given)) else ())
    for line, given in sorted(guarded.items()):
        more = {**defines, **dict.fromkeys(given)}
        if all(_FEATURE.search(name) and not _OTHER_VENDORS.search(name) for name in given) and all(
            lets_through(source.text, each, more, arch) for each in (*open_, line)
        ):
            defines, open_ = more, [*open_, line]
    return replace(parse, defines=(*parse.defines, *defines)) if defines else parse


def _script_unit(source: SourceFile, neighbour: Neighbour, root: str) -> ir.Unit | None:
    """What a Python file passes to the functions of a library, and to operators."""
    exported = _prototypes(neighbour.library)
    text = as_host_code(source.text, partial(_module, source.absolute, root), exported.get, _project(neighbour))
    if not text:
        return None
    around = Surroundings(asked=called_names(text), kernels=False)
    return translate(SourceFile(source.path, source.absolute, text), ParseOptions(), root, around).unit


def _project(neighbour: Neighbour) -> Project:
    """The operators that a Python file may call, and what it and those around it declare of them."""
    callees = called_by_name(neighbour.operators, _definitions(neighbour.library))
    texts = [part.text for path in neighbour.around if (part := read_source(path, path)) is not None]
    first = neighbour.declares or neighbour.path == next(
        iter(neighbour.around), ""
    )  # one of them stands for those that are not read
    return project_of(callees, texts, neighbour.names, neighbour.unread if first else frozenset(), first)


@lru_cache(maxsize=4)
def _definitions(library: tuple[str, ...]) -> Mapping[str, Prototype]:
    """The functions that the C++ files at the paths define, or C++ in the strings of Python files."""
    read = [part for path in library if (part := read_source(path, path)) is not None]
    embedded = (e.source.text for part in read if part.path.endswith(PYTHON_ENDINGS) for e in embedded_sources(part))
    return prototypes((*(part.text for part in read if not part.path.endswith(PYTHON_ENDINGS)), *embedded))


@lru_cache(maxsize=4)
def _prototypes(library: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """Those of the C files at the paths, which many Python files call."""
    texts = (part.text for path in library if (part := read_source(path, path)) is not None)
    return written_prototypes(text for text in texts if _EXPORTS.search(text))


def _module(importer: str, root: str, name: str, dots: int) -> str | None:
    """The text of a module of the project."""
    folder = root
    for level in range(dots):
        folder = os.path.dirname(importer if level == 0 else folder)
    path = os.path.join(folder, *name.split("."))
    found = (
        read_source(each, each) for each in (f"{path}.py", os.path.join(path, "__init__.py")) if os.path.isfile(each)
    )
    return next((text.text for text in found if text is not None), None)


def complete_contracts(
    kernel: ir.Function,
    launches: tuple[Contract, ...],
    annotations: tuple[Fact, ...],
    options: ScanOptions,
    broken: Mapping[Contract, Collection[Fact]] = MappingProxyType({}),
) -> tuple[Contract, ...]:
    """Each launch with the annotations before it; without a launch, one contract of annotations and options alone.

    The launches that differ most come first: one of each place, then the others of each from both ends. A launch is taken
    without the annotations that it breaks.
    """
    given = annotations + _option_facts(options)
    if not launches:
        return (Contract(kernel.id, _one_geometry(given), device=kernel.role is ir.Role.DEVICE),)
    chosen = representatives(once_each(launches))
    kept = (tuple(f for f in given if f not in broken.get(c, ())) for c in chosen)
    return tuple(replace(c, facts=_one_geometry(_promises(k, kernel, c) + c.facts)) for c, k in zip(chosen, kept))


def representatives(launches: tuple[Contract, ...]) -> tuple[Contract, ...]:
    """All of them, in an order in which the first few stand for the others."""
    places: dict[tuple[str, int] | None, list[Contract]] = {}
    for contract in launches:
        site = contract.launch_site
        places.setdefault((site.path, site.line) if site else None, []).append(contract)
    return tuple(_in_turns([_from_both_ends(contracts) for contracts in places.values()]))


def _in_turns(groups: list[list[Contract]]) -> list[Contract]:
    """The first of each group, the second of each, and so on."""
    return [group[i] for i in range(max(map(len, groups), default=0)) for group in groups if i < len(group)]


def _from_both_ends(contracts: list[Contract]) -> list[Contract]:
    """First, last, second, last but one: loops over sizes launch with the smallest and the largest at their ends."""
    order = [i // 2 if i % 2 == 0 else len(contracts) - 1 - i // 2 for i in range(len(contracts))]
    return [contracts[i] for i in order]


def _promises(given: tuple[Fact, ...], kernel: ir.Function, launch: Contract) -> tuple[Fact, ...]:
    """An extent that the launch knows as well is a promise about what is allocated, not a second extent."""
    found = []
    for fact in given:
        condition = promised(fact.what, kernel, launch) if isinstance(fact.what, Extent) else TRUE
        found.append(fact if condition is TRUE else replace(fact, what=Assume(condition)))
    return tuple(found)


def _one_geometry(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """The strongest launch geometry alone: the first."""
    kept: list[Fact] = []
    seen = False
    for fact in facts:
        if isinstance(fact.what, Geometry):
            if seen:
                continue
            seen = True
        kept.append(fact)
    return tuple(kept)


def _option_facts(options: ScanOptions) -> tuple[Fact, ...]:
    if options.block_dim is None and options.grid_dim is None:
        return ()
    block, grid = _terms(options.block_dim), _terms(options.grid_dim)
    text = " ".join(
        f"--{name} {','.join(map(str, dims))}"
        for name, dims in (("block-dim", options.block_dim), ("grid-dim", options.grid_dim))
        if dims is not None
    )
    return (Fact(Geometry(grid, block), Origin.OPTION, text),)


def _terms(dims: Dim3 | None) -> tuple[Term | None, Term | None, Term | None]:
    if dims is None:
        return None, None, None
    return number(dims[0]), number(dims[1]), number(dims[2])


def annotation_facts(
    kernel: ir.Function, annotations: tuple[Annotation, ...]
) -> tuple[tuple[Fact, ...], tuple[AnnotationError, ...]]:
    """The facts that comments before the kernel state, and what is wrong with them."""
    facts: list[Fact] = []
    errors: list[AnnotationError] = []
    params = {p.var.name: p.var.type for p in kernel.params}
    types, stated = named_types(kernel) if annotations else {}, Stated()
    for annotation in annotations:
        found, wrong = facts_of(annotation.text, annotation.span, params, stated=stated, types=types)
        facts += found
        errors += wrong
    return tuple(facts), tuple(errors)


__all__ = ["Finding", "Level", "annotation_facts", "complete_contracts", "contracts_of"]
