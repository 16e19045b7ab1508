"""What the last parse of a file gave, by place: functions, templates, errors, and the statements that it lost."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping

from cudalint.frontend.clang import Diagnostic
from cudalint.frontend.lowering.context import Gap, Program
from cudalint.frontend.tree import Extent, lost_statements
from cudalint.source import Span

Place = tuple[str, int, int]


class Made:
    """A program, with its functions and templates by the place of their name, and its errors by line."""

    def __init__(self, program: Program, templates: Mapping[Span, str]) -> None:
        self.program = program
        self._templates = {_place(span): name for span, name in templates.items()}
        self._functions: dict[Place, tuple[str, ...]] = {}
        for function in program.functions.values():
            if function.name_span is not None:
                place = _place(function.name_span)
                self._functions[place] = (*self._functions.get(place, ()), function.id)
        self._errors: dict[str, list[Diagnostic]] = {}
        for file, errors in program.errors.items():
            self._errors[program.locator.shown(file)] = sorted(errors, key=lambda e: (e.line, e.offset))

    def functions_at(self, name: Span) -> tuple[str, ...]:
        """Ids of the functions whose name stands there: one, or one for each instance of a template."""
        return self._functions.get(_place(name), ())

    def template_at(self, name: Span) -> str | None:
        return self._templates.get(_place(name))

    def lost_lines(self, span: Span, gaps: list[Gap]) -> list[Gap]:
        """Errors inside a kernel that no hole stands for."""
        held = {g.span.line for g in gaps if g.reason.startswith("parse error")}
        errors = self._errors.get(span.path, [])
        first = bisect_left(errors, span.line, key=lambda e: e.line)
        last = bisect_right(errors, span.end_line, key=lambda e: e.line)
        return [
            Gap(f"parse error: {e.message}", Span(span.path, e.line, e.column, e.line, e.column + 1))
            for e in errors[first:last]
            if e.line not in held
        ]


def _place(span: Span) -> Place:
    """A name made by a macro has the place of the macro's use."""
    return span.path, span.line, span.column


def lost(program: Program, functions: Iterable[str]) -> list[Gap]:
    """The gaps of these functions together: a statement that one instance has is not lost in another."""
    records = [program.records[name] for name in functions]
    visited: dict[str, set[int]] = {}
    dropped: dict[str, set[Extent]] = {}
    for record in records:
        for file, offset in record.visited:
            visited.setdefault(file, set()).add(offset)
        for file, start, end in record.dropped:
            dropped.setdefault(file, set()).add((start, end))
    bodies = dict.fromkeys(r.body for r in records if r.body is not None and not r.body[0].startswith(program.stubs))
    gaps = []
    for file, start, end in bodies:
        inside = sorted(at - start for at in visited.get(file, ()) if start <= at < end)
        dead = [(a - start, b - start) for a, b in sorted(dropped.get(file, ())) if start <= a and b <= end]
        text = program.locator.content(file)[start:end]
        for first, last in lost_statements(text, inside, dead) if text.startswith(b"{") else ():
            gaps.append(Gap("statement that the parser lost", program.locator.at(file, start + first, start + last)))
    return gaps
