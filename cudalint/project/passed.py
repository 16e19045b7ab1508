"""What the files of a project make sure of what they pass to the functions of a file that launch, where only text says so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set

from cudalint.analysis.text.node_checks import Run, made_conditions, runs_in
from cudalint.analysis.text.passed_checks import (
    PassedCheck,
    calls_of,
    is_defined_once,
    parameter_names,
    passed_conditions,
)
from cudalint.project.callers import content_of, functions_of, plain_at
from cudalint.project.includes import IncludeGraph

MOST_MAKERS = 4
_WORD = re.compile(r"[A-Za-z_]\w*")
_MADE = re.compile(rb"->\s*(\w+)\s*=\s*([A-Z]\w+)\s*;")


class PassedChecks:
    """Over the files of a project, which are read for it when they are first asked for."""

    def __init__(self, graph: IncludeGraph) -> None:
        self._graph = graph
        self._making: dict[tuple[str, str], list[str]] | None = None
        self._functions: dict[str, list[tuple[str, str]]] = {}
        self._runs: dict[str, list[Run]] = {}
        self._known: dict[str, frozenset[str]] = {}
        self._called: dict[str, int | None] = {}
        self._told: dict[tuple[Run, str], tuple[str, ...]] = {}
        self._plain: dict[str, str] = {}
        self._defined: dict[str, frozenset[str]] = {}

    def of(self, path: str, around: Iterable[str]) -> tuple[PassedCheck, ...]:
        """What is checked of what functions of the file, and of those around it, are passed."""
        files = tuple(dict.fromkeys((path, *around)))
        return (*self._by_kind(path, files), *self._by_callers(path, files))

    def _by_kind(self, path: str, files: tuple[str, ...]) -> Iterator[PassedCheck]:
        """Of the nodes that they are called for by their kind."""
        for dispatching in files:
            for run in self._runs_in(dispatching):
                where = [each for each in files if run.function in self._defined_in(each)]
                if len(where) == 1 and (where[0] != dispatching or where[0] == path):
                    if (run, where[0]) not in self._told:
                        self._told[run, where[0]] = self._of_makers(run, where[0])
                    if conditions := self._told[run, where[0]]:
                        yield PassedCheck(where[0], run.function, conditions)

    def _of_makers(self, run: Run, path: str) -> tuple[str, ...]:
        """What is checked of the nodes that a function of a file is called for."""
        makers = self._makers().get((run.tag, run.kind), []) if self._graph.launches(path) else []
        if not 0 < len(makers) <= MOST_MAKERS or self._calls(run.function) != 1:
            return ()
        functions = [f for m in makers for each in self._graph.closure(m) for f in self._bodies(each)]
        return made_conditions(run, functions, self._words(path))

    def _by_callers(self, path: str, files: tuple[str, ...]) -> Iterator[PassedCheck]:
        """Of the arguments that all callers pass to what launches here."""
        for name, chunk in self._functions_in(path):
            calling = [each for each in files if f"{name}(".encode() in content_of(each)] if "<<<" in chunk else []
            if not any(each != path for each in calling) or not is_defined_once(name, self._text(path)):
                continue
            callers = [body for each in calling for body in self._bodies(each) if not body.startswith(name)]
            conditions = passed_conditions(name, len(parameter_names(chunk)), callers, self._words(path))
            if conditions and self._calls(name) == sum(calls_of(name, body) or 0 for body in callers):
                yield PassedCheck(path, name, conditions)

    def _calls(self, function: str) -> int | None:
        """How often the project calls a function; None where it hands it on as well."""
        if function not in self._called:
            runs = {run.function for runs in self._runs.values() for run in runs}
            self._count({function, *runs} - self._called.keys())
        return self._called[function]

    def _count(self, functions: Set[str]) -> None:
        """Read the project once for all of these."""
        counts: dict[str, list[int | None]] = {function: [] for function in functions}
        for path in sorted(self._graph.files):
            content = content_of(path)
            for function in sorted(functions):
                if function.encode() in content:
                    counts[function].append(calls_of(function, self._text(path)))
        for function, found in counts.items():
            self._called[function] = None if None in found else sum(count or 0 for count in found)

    def _text(self, path: str) -> str:
        """The text of a file without comments."""
        if path not in self._plain:
            self._plain[path] = plain_at(path).decode("latin-1")
        return self._plain[path]

    def _runs_in(self, path: str) -> list[Run]:
        if path not in self._runs:
            self._runs[path] = runs_in(self._text(path)) if b"switch" in content_of(path) else []
        return self._runs[path]

    def _words(self, path: str) -> frozenset[str]:
        """All names in a file and in what it includes."""
        if path not in self._known:
            texts = (content_of(each).decode("latin-1") for each in self._graph.closure(path))
            self._known[path] = frozenset(word for text in texts for word in _WORD.findall(text))
        return self._known[path]

    def _makers(self) -> dict[tuple[str, str], list[str]]:
        """The files that make nodes, by the member that tells their kind, and the kind."""
        if self._making is None:
            self._making = {}
            for path in sorted(self._graph.files):
                for tag, kind in dict.fromkeys(_MADE.findall(content_of(path))):
                    self._making.setdefault((tag.decode(), kind.decode()), []).append(path)
        return self._making

    def _functions_in(self, path: str) -> list[tuple[str, str]]:
        """The functions of a file with their names, each from that on."""
        if path not in self._functions:
            chunks = functions_of(plain_at(path))
            self._functions[path] = [(name.decode("latin-1"), chunk.decode("latin-1")) for name, chunk in chunks]
        return self._functions[path]

    def _defined_in(self, path: str) -> frozenset[str]:
        if path not in self._defined:
            self._defined[path] = frozenset(name for name, _ in self._functions_in(path))
        return self._defined[path]

    def _bodies(self, path: str) -> list[str]:
        return [chunk for _, chunk in self._functions_in(path)]
