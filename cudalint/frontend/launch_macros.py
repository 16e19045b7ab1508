"""Macros that launch through functions of a project, or that no header in sight defines, are read as launches.

LAUNCH_KERNEL((k<T>), grid, block, shared, stream, x, n);      (k<T>)<<<grid, block, shared, stream>>>(x, n);
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cudalint.frontend.lexical import blank
from cudalint.frontend.syntax import KernelSyntax

NAME = r"[A-Z0-9_]*(?:LAUNCH|KERNEL_CALL)[A-Z0-9_]*"
_CALL = re.compile(rf"^[ \t]*(?!#)[^\n#]*?\b({NAME})\s*\(", re.MULTILINE)
_WORD = re.compile(rf"\b{NAME}\s*\(")
_KERNEL = re.compile(r"[\s(]*(?:\w+::)*(\w+)")
_DEFINITION = r"^([ \t]*#[ \t]*define[ \t]+{name})\(([^)]*)\)((?:[^\n\\]|\\\r?\n|\\.)*)"
FEWEST, MOST = 2, 4  # grid and block, with shared memory and a stream
_FARTHEST = 4_000
ARGUMENTS = ("grid", "block", "shared", "stream")


def launching_calls(text: str, kernels: Iterable[KernelSyntax]) -> dict[str, int]:
    """The macros that the text calls with one of these kernels first, and how many arguments say how it is launched."""
    if _WORD.search(text) is None:
        return {}
    code = blank(text).code
    taken = {kernel.name: _parameters(code, kernel) for kernel in kernels}
    found: dict[str, int] = {}
    for match in _CALL.finditer(code):
        given = _arguments(code, match.end(), angles=False)
        kernel = _KERNEL.match(given[0]) if given else None
        if kernel is None or kernel[1] not in taken:
            continue
        count = len(given) - 1 - taken[kernel[1]]
        found.setdefault(match[1], min(max(count, FEWEST), MOST))
    return found


def _parameters(code: str, kernel: KernelSyntax) -> int:
    """How many a kernel has; 0 where it stands in another file."""
    head = "\n".join(code.split("\n")[kernel.name_span.line - 1 : kernel.body.line])
    place = re.search(rf"\b{kernel.name}\s*\(", head)
    return 0 if place is None else len(_arguments(head, place.end(), angles=True))


def _arguments(code: str, start: int, angles: bool) -> list[str]:
    """What stands between a parenthesis, behind which `start` is, and its partner; commas in `<...>` part nothing if asked."""
    opening, closing = ("([{<", ")]}>") if angles else ("([{", ")]}")
    parts, depth, begin = list[str](), 0, start
    for at in range(start, min(len(code), start + _FARTHEST)):
        mark = code[at]
        if depth == 0 and mark in ",)":
            parts.append(code[begin:at].strip())
            begin = at + 1
            if mark == ")":
                return [part for part in parts if part]
        depth += (mark in opening) - (mark in closing)
    return []


def definitions(calls: dict[str, int]) -> str:
    """What stands for the macros where no header defines them."""
    made = ((name, ", ".join(ARGUMENTS[:count])) for name, count in sorted(calls.items()))
    return "".join(f"#define {name}(kernel, {given}, ...) {_launch('kernel', given)}\n" for name, given in made)


def _launch(kernel: str, dimensions: str) -> str:
    """Whether the project's own checks the launch is not known: it is not told of."""
    return f"({kernel}<<<{dimensions}>>>(__VA_ARGS__), (void)cudaGetLastError())"


def rewritten(text: str, names: Iterable[str]) -> str:
    """A header whose definitions of these macros launch at sight, with as many lines; the text itself where they do."""
    for name in names:
        text = re.sub(_DEFINITION.format(name=name), _launching, text, flags=re.MULTILINE)
    return _building(text)


_BUILDER = re.compile(
    r"^([ \t]*#[ \t]*define[ \t]+(\w+)\([^)]*\)(?:[\s\\]|[\w:])*?Builder[\s\\]*<(?:[^\n\\]|\\\r?\n)*\))[ \t]*$",
    re.MULTILINE,
)


def _building(text: str) -> str:
    """`#define VIEW(x) ViewBuilder<T>(#x, x)`: what a launcher of the project builds of its arguments is passed built."""
    made = [match[2] for match in _BUILDER.finditer(text)]
    if not made or not re.search(r"\bbuild\s*\(", text):
        return text
    text = _BUILDER.sub(r'\1.build("")', text)
    return re.sub(rf"\b((?:{'|'.join(made)})\([^()]*\))\.build\([^()]*\)", r"\1", text)


def _launching(definition: re.Match[str]) -> str:
    head, taken, body = definition.groups()
    names = [name.strip(" \t\r\n\\") for name in taken.split(",")]
    if "<<<" in body or names[-1] != "..." or not FEWEST <= len(names) - 2 <= MOST:
        return definition[0]
    kernel, *dimensions = names[:-1]
    return f"{head}({', '.join(names)}) {_launch(kernel, ', '.join(dimensions))}" + "\n" * definition[0].count("\n")
