"""Parameters of device functions that point to what the threads of a block have in common, whatever callers give.

__device__ void total(T *sum, T *result) { ...; sum[tid] += sum[tid + i]; ...; __syncthreads(); if (tid == 0) *result = sum[0]; }

The threads of such a function take elements by their number, or one of them writes for all. Memory that each thread has for itself
is written by all of them at one index.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from cudalint.analysis.text.shared_events import Events
from cudalint.analysis.text.text_program import Body
from cudalint.analysis.text.thread_text import THREAD

if TYPE_CHECKING:
    from cudalint.analysis.synchronization.race_patterns import Judge


_OF_BLOCK = re.compile(r"__syncthreads|thread_block\b")


def pointer_parameters(body: Body, known: Collection[str]) -> dict[str, bool]:
    """Those of a device function that stay what they are and are not among the known ones; and whether they are volatile."""
    text, parameters = body.function.body.text, " ".join(node.text for node in body.function.parameters)
    if body.function.role != "device" or "shfl" in text or not _OF_BLOCK.search(f"{parameters} {text}"):
        return {}  # a block may be a single warp there, whose threads go together
    changed = {*known, *body.scope.grown, *body.scope.values}
    given = zip(body.scope.parameters, body.function.parameters)
    return {name: "volatile" in node.text for name, node in given if name not in changed and "*" in node.text}


def is_common(name: str, found: Events, judge: Judge) -> bool:
    """Of a parameter, by its accesses in the function."""
    own = [event for event in found.accesses if event.array == name]
    written = [event for event in own if event.kind == "write"]
    if any(judge.is_of_all(event) for event in written):
        return False
    by_number = any(judge.threads.kind(index) == THREAD for event in own for index in event.indices)
    return by_number or (not found.of_warp and any(judge.owner(event) is not None for event in written))
