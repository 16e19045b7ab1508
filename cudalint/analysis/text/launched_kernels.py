"""Launches in the text with the kernels that they launch."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from cudalint.analysis.text.guard_patterns import bodies
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches, wrapped_launches
from cudalint.analysis.text.text_program import Body, Program, TextLaunch
from cudalint.ir.syntax import Outline


def launched_kernels(program: Program, outline: Outline) -> Iterator[tuple[TextLaunch, Body]]:
    """Each launch with the body of its kernel: the one of that name in the file, or of its name that takes as many arguments."""
    kernels = kernels_by_name(outline)
    by_function = {id(body.function): body for body in bodies(program, ("kernel",))}
    for launch in chain(text_launches(program), wrapped_launches(program)):
        candidates = kernels.get(launch.kernel, [])
        if len(candidates) > 1:
            candidates = [each for each in candidates if len(each.parameters) == len(launch.arguments)]
        if len(candidates) == 1:
            yield launch, by_function[id(candidates[0])]
