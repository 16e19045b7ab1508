"""Which instances of a file's launching function templates the rest of the project uses, as far as their arguments are plain.

    rows.cuh:  template <class T, class I> void gather(I n) { k<T, I><<<n / 128, 128>>>(n); }
    build.cuh: gather<float, size_t>(n);

A type that nobody uses there is guessed otherwise; a size that is guessed to have 32 bits overflows where no caller's does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.project.callers import content_of, functions_of, plain_at
from cudalint.project.includes import IncludeGraph

MOST = 3  # instances of one template
_USED = re.compile(rb"\b([A-Za-z_]\w{2,})\s*<([\w\s,:]+)>\s*\(")
_PLAIN = re.compile(
    r"(?:(?:un)?signed )?(?:char|short|int|long|long long)|unsigned|float|double|bool|__half|half|(?:__)?nv_bfloat16"
    r"|(?:std::)?(?:size_t|u?int(?:8|16|32|64)_t)|true|false|\d+"
)
_TEMPLATE = re.compile(r"\btemplate\s*<([^<>;{}()]*)>\s*[^<>;{}()]*\Z")


class Instances:
    """Over the files of a project, which are read for it when a file has a template that asks for it."""

    def __init__(self, graph: IncludeGraph) -> None:
        self._graph = graph
        self._used: dict[str, dict[tuple[str, ...], None]] | None = None

    def of(self, path: str) -> tuple[str, ...]:
        """Instances `gather<float, size_t>` of templates in the file, which launch and which it does not use itself."""
        content = plain_at(path)
        if b"template" not in content or b"<<<" not in content:
            return ()
        own = {name for name, _ in _USED.findall(content)}
        wanted = {name: count for name, count in _templates(content) if name.encode() not in own}
        return tuple(
            f"{name}<{', '.join(arguments)}>"
            for name, count in wanted.items()
            for arguments in [each for each in self._everywhere().get(name, ()) if len(each) == count][:MOST]
        )

    def _everywhere(self) -> dict[str, dict[tuple[str, ...], None]]:
        """The plain arguments that templates are used with, by their names."""
        if self._used is None:
            self._used = {}
            for path in sorted(self._graph.files):
                content = content_of(path)
                for name, written in _USED.findall(content) if b"<" in content else ():
                    arguments = tuple(" ".join(each.split()) for each in written.decode("latin-1").split(","))
                    if all(_PLAIN.fullmatch(each) for each in arguments):
                        self._used.setdefault(name.decode("latin-1"), {})[arguments] = None
        return self._used


def _templates(content: bytes) -> Iterator[tuple[str, int]]:
    """The function templates of a text that launch, with how many arguments they take."""
    at = 0
    for name, chunk in functions_of(content):
        at = content.index(chunk, at)
        head = _TEMPLATE.search(content[max(0, at - 400) : at].decode("latin-1"))
        if head is not None and b"<<<" in chunk and "..." not in head[1]:
            yield name.decode("latin-1"), head[1].count(",") + 1
