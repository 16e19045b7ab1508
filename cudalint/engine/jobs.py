"""What is read together: one job for each translation unit, and which of its files it reports.

A header, or a `.cu` that only makes sense inside another file, is read in the files that include it, with their macros
and launches; the others are read alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import ceil

from cudalint.engine.file import KERNELS_SHARED, WHOLE, Piece
from cudalint.engine.options import ScanOptions, UsageError
from cudalint.finding import KernelResult, is_lost
from cudalint.frontend.syntax import index
from cudalint.frontend.translate import ALONE, ParseOptions, Surroundings, architecture
from cudalint.project.builds import programs_beside
from cudalint.project.callers import CallGraph, Neighbour, neighbours_of
from cudalint.project.compile_database import CompileDatabase
from cudalint.project.conditions import DEFAULT, Setting, setting_for
from cudalint.project.discovery import PYTHON_ENDINGS, Discovery, read_source
from cudalint.project.includes import (
    MAIN_ENDINGS,
    IncludeGraph,
    contexts,
    fragments,
    has_kernels,
    include_graph,
    needs_context,
)
from cudalint.project.instances import Instances
from cudalint.project.mentions import Mentions
from cudalint.project.named_kernels import NamedKernels
from cudalint.project.passed import PassedChecks
from cudalint.project.standard import standard_of
from cudalint.project.unread_launches import UnreadLaunches
from cudalint.project.written_shapes import WrittenShapes
from cudalint.source import SourceFile, Span

_OWN_DISPATCH = re.compile(r"^[ \t]*#[ \t]*define\b(?:[^\n\\]|\\\r?\n|\\.)*?\bswitch\b", re.MULTILINE)
DATABASES = ("compile_commands.json", "build/compile_commands.json")


@dataclass(frozen=True, slots=True)
class Job:
    """`own`: the kernels of the main file are reported; `only`: of all kernels those with these names' places.

    `piece`: which part of them this job is for.
    `neighbours` are files that call its functions, launch its kernels, or define what it calls; `program`: one of
    them lies beside it and has a `main`, so that its functions are there for that alone. `unread` are further callers,
    of which nothing is known.
    """

    source: SourceFile
    parse: ParseOptions
    around: Surroundings = ALONE
    own: bool = True
    only: frozenset[Span] | None = None
    neighbours: tuple[Neighbour, ...] = ()
    program: bool = False
    unread: tuple[str, ...] = ()
    piece: Piece = WHOLE

    @property
    def weight(self) -> int:
        """How many kernels there are to be analysed, about."""
        if self.only is not None:
            return len(self.only)
        texts = [*self.around.headers, *([self.source] if self.own else [])]
        return sum(text.text.count("__global__") for text in texts)


def pieces_of(job: Job, share: float) -> list[Job]:
    """The job in pieces of which each has about this share of the kernels that there are to be analysed."""
    count = min(ceil(job.weight / share), ceil(job.weight / KERNELS_SHARED)) if _is_text(job.source) else 1
    return [replace(job, piece=Piece(number, count)) for number in range(count)] if count > 1 else [job]


@dataclass(frozen=True, slots=True)
class Plan:
    """`inside` are the files that are read in others; `used`: by file, instances of its templates that others use."""

    jobs: tuple[Job, ...]
    inside: tuple[SourceFile, ...]
    used: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def plan_jobs(discovery: Discovery, options: ScanOptions) -> Plan:
    """The jobs of a scan, in the order of their main files; every chosen file is in one at least."""
    return _Planner(discovery, options).plan()


def lost_jobs(plan: Plan, kernels: Iterable[KernelResult], discovery: Discovery, options: ScanOptions) -> list[Job]:
    """For kernels that no job gave: their own file, alone, with what the preprocessor asks for around them."""
    found = {kernel.span for kernel in kernels if not is_lost(kernel)}
    planner = _Planner(discovery, options)
    jobs = []
    alone = {source.path for source in plan.inside}
    shapes: WrittenShapes | None = None
    for source in (*plan.inside, *(job.source for job in plan.jobs if job.own and _is_text(job.source))):
        missing = [k.name_span for k in index(source).kernels if k.name_span not in found]
        parse = planner.parse_options(source.absolute) if missing else ParseOptions()
        parse = replace(parse, instances=plan.used.get(source.path, ()))
        settings: dict[Setting, list[Span]] = {}
        for span in missing:
            setting = setting_for(source.text, span.line, architecture(parse.target)) or DEFAULT
            if source.path in alone or setting != DEFAULT:
                settings.setdefault(setting, []).append(span)
        for setting, spans in settings.items():
            more = replace(
                parse,
                defines=(*parse.defines, *setting.defines),
                target=setting.target or parse.target,
                note=_said(setting, len(spans)),
            )
            shapes = shapes or WrittenShapes(include_graph(discovery.root, options.includes))
            around = replace(ALONE, single=shapes.single((os.path.realpath(source.absolute),)))
            jobs.append(Job(source, more, around, only=frozenset(spans)))
    return jobs


def _said(setting: Setting, count: int) -> str:
    if setting == DEFAULT:
        return ""
    given = [*(f"-D {name}" for name in setting.defines), *([f"target {setting.target}"] if setting.target else [])]
    return f"{count} kernel{'s' if count > 1 else ''} behind #if {'were' if count > 1 else 'was'} read with {', '.join(given)}"


def _is_text(source: SourceFile) -> bool:
    return not source.path.endswith(PYTHON_ENDINGS)


class _Planner:
    def __init__(self, discovery: Discovery, options: ScanOptions) -> None:
        self._discovery, self._options = discovery, options
        self._root = os.path.realpath(discovery.root)
        self._database = _database(discovery.root, options)

    def plan(self) -> Plan:
        files = self._discovery.files
        unsure = [source for source in files if needs_context(source)]
        jobs = {source.path: Job(source, self.parse_options(source.absolute)) for source in files}
        inside: list[SourceFile] = []
        used: dict[str, tuple[str, ...]] = {}
        if files:
            graph = include_graph(self._discovery.root, self._options.includes)
            inside = self._nest([*unsure, *self._fragments(graph)], graph, jobs)
            jobs = {shown: self._with_parts(job, graph) for shown, job in jobs.items()}
            jobs = self._linked({shown: _with_all_cases(job, graph) for shown, job in jobs.items()}, graph)
            instances = Instances(graph)
            texts = [*inside, *(text for job in jobs.values() for text in (job.source, *job.around.headers))]
            used = {text.path: instances.of(os.path.realpath(text.absolute)) for text in texts}
            jobs = {shown: _with_used(job, used) for shown, job in jobs.items()}
            mentions = Mentions(graph)
            jobs = {shown: self._with_uncalled(job, mentions) for shown, job in jobs.items()}
        for source in self._discovery.embedded:
            jobs[source.path] = Job(source, self.parse_options(source.absolute))
        return Plan(tuple(jobs[path] for path in sorted(jobs)), tuple(inside), used)

    def _fragments(self, graph: IncludeGraph) -> list[SourceFile]:
        """What a chosen file consists of beside its own text: the kernels in the `.cu` files that it includes.

        Of a file without kernels also those that it launches out of its headers, else nothing of it would be checked.
        """
        chosen = {os.path.realpath(source.absolute) for source in self._discovery.files}
        found: dict[str, SourceFile] = {}
        for source in self._discovery.files:
            main = os.path.realpath(source.absolute)
            wanted = fragments(main, graph, has_kernels(source))
            read = ((path, read_source(path, self._shown(path))) for path in wanted if path not in chosen)
            found |= {path: part for path, part in read if part is not None and needs_context(part)}
        return list(found.values())

    def _nest(self, unsure: list[SourceFile], graph: IncludeGraph, jobs: dict[str, Job]) -> list[SourceFile]:
        """Put each unsure file into the jobs of the files around it; returns those that have one."""
        wanted: dict[str, list[SourceFile]] = {}
        inside: list[SourceFile] = []
        for source in unsure:
            mains = contexts(source, graph)
            if source.path not in jobs:  # nobody asked for it: only as a part of what was asked for
                mains = tuple(main for main in mains if self._shown(main) in jobs)
            for main in mains:
                wanted.setdefault(main, []).append(source)
            if mains:
                inside.append(source)
        alone = {source.path for source in inside}
        for source in unsure:
            if source.path not in alone and source.path in jobs:
                jobs[source.path] = self._with(jobs[source.path], (), graph)
        for path in alone:
            jobs.pop(path, None)
        for main, headers in sorted(wanted.items()):
            shown = self._shown(main)
            job = jobs.get(shown) or self._unreported(main, shown)
            if job is not None:
                jobs[shown] = self._with(job, tuple(headers), graph)
        return inside

    def _linked(self, jobs: dict[str, Job], graph: IncludeGraph) -> dict[str, Job]:
        """The jobs with the files around them that call them or that they call."""
        real = {shown: os.path.realpath(job.source.absolute) for shown, job in jobs.items()}
        nested = {
            real[shown]: tuple(os.path.realpath(header.absolute) for header in job.around.headers)
            for shown, job in jobs.items()
        }
        calls = CallGraph(graph, real.values(), nested)
        found, passed = neighbours_of(calls, real.values()), PassedChecks(graph)
        read = {path: [n.path for n in around] for path, around in found.items()}
        unread, named = UnreadLaunches(graph, calls, nested, read), NamedKernels(graph)
        shapes = WrittenShapes(graph)
        return {
            shown: replace(
                job,
                parse=replace(job.parse, checks=passed.of(real[shown], _compiled(around))),
                around=replace(
                    job.around,
                    elsewhere=unread.of(real[shown]),
                    by_name=named.of((real[shown], *nested[real[shown]])),
                    single=shapes.single((real[shown], *nested[real[shown]])),
                ),
                neighbours=around,
                program=_is_of_program(real[shown], around, graph)
                or (not around and not calls.unread.get(real[shown]) and _is_built_for(real[shown], graph)),
                unread=tuple(map(self._shown, calls.unread.get(real[shown], ()))),
            )
            for shown, job in jobs.items()
            for around in [found.get(real[shown], ())]
        }

    def _with(self, job: Job, headers: tuple[SourceFile, ...], graph: IncludeGraph) -> Job:
        files = graph.closure(os.path.realpath(job.source.absolute))
        launching = frozenset(self._shown(f) for f in files if f in graph.files and graph.files[f].launches)
        return Job(job.source, job.parse, Surroundings(headers, launching), job.own)

    def _with_parts(self, job: Job, graph: IncludeGraph) -> Job:
        """The job with the callers in source files that its own one includes: `#include "main.cu"` behind what that calls."""
        main = os.path.realpath(job.source.absolute)
        parts = [f for f in graph.closure(main)[1:] if f.endswith(MAIN_ENDINGS) and f in graph.files]
        if not parts:
            return job
        included = job.around.included | {self._shown(main), *map(self._shown, parts)}
        return replace(job, around=replace(job.around, included=included))

    def _with_uncalled(self, job: Job, mentions: Mentions) -> Job:
        """The job with what is named elsewhere of the device functions in its files: nobody calls the others."""
        texts = (*((job.source,) if job.own else ()), *job.around.headers)
        named = [
            mentions.named_elsewhere(os.path.realpath(t.absolute), t.text.encode("utf-8", "replace")) for t in texts
        ]
        known = [names for names in named if names is not None]
        if not known:
            return job
        return replace(job, around=replace(job.around, uncalled=frozenset().union(*known)))

    def _unreported(self, main: str, shown: str) -> Job | None:
        source = read_source(os.path.join(self._discovery.root, shown), shown)
        return None if source is None else Job(source, self.parse_options(source.absolute), own=False)

    def _shown(self, real: str) -> str:
        return os.path.relpath(real, self._root).replace(os.sep, "/")

    def parse_options(self, absolute: str) -> ParseOptions:
        options = self._options
        flags = self._database.flags_for(absolute) if self._database is not None else None
        includes, defines, std = options.includes, options.defines, options.std
        if flags is not None:
            includes, defines, std = includes + flags.includes, defines + flags.defines, std or flags.std
        return ParseOptions(includes, defines, std or standard_of(self._root), options.targets[0])


def _with_all_cases(job: Job, graph: IncludeGraph) -> Job:
    """A dispatch has its cases for all types, as a build that asks for each of them has it.

    Not in a file with dispatches of its own: each inside each other one for all types is more code than can be read.
    """
    if _OWN_DISPATCH.search(job.source.text) is not None:
        return job
    said = {define.partition("=")[0] for define in job.parse.defines}
    names = tuple(n for n in graph.switches(os.path.realpath(job.source.absolute)) if n not in said)
    return replace(job, parse=replace(job.parse, defines=(*job.parse.defines, *names))) if names else job


def _with_used(job: Job, used: Mapping[str, tuple[str, ...]]) -> Job:
    """The job with the instances that the project uses of templates in the file and in the headers that it is read for."""
    found = dict.fromkeys(name for text in (job.source, *job.around.headers) for name in used[text.path])
    return replace(job, parse=replace(job.parse, instances=(*job.parse.instances, *found)))


def _compiled(around: Iterable[Neighbour]) -> list[str]:
    return [n.path for n in around if n.path.endswith(MAIN_ENDINGS)]


def _is_of_program(path: str, around: Iterable[Neighbour], graph: IncludeGraph) -> bool:
    """A file beside it has both to do with it and a `main`; programs elsewhere show how a library is used."""
    beside = (n.path for n in around if os.path.dirname(n.path) == os.path.dirname(path))
    return any(graph.files[other].starts for other in beside if other in graph.files)


def _is_built_for(path: str, graph: IncludeGraph) -> bool:
    """A build script makes a program of the file and of others, and its `main` is in one of those."""
    others = frozenset().union(*programs_beside(path)) - {path}
    return any(graph.files[other].starts for other in others if other in graph.files)


def _database(root: str, options: ScanOptions) -> CompileDatabase | None:
    """The one that was named, else one that lies in the project; a broken one counts only where it was named."""
    if options.compile_commands is not None:
        try:
            return CompileDatabase.load(options.compile_commands)
        except (OSError, ValueError) as error:
            raise UsageError(f"{options.compile_commands}: {error}") from None
    for name in DATABASES if not options.untrusted else ():
        path = os.path.join(root, name)
        if os.path.isfile(path):
            try:
                return CompileDatabase.load(path)
            except (OSError, ValueError):
                return None
    return None
