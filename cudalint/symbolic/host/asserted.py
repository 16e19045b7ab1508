"""What a host function asserts behind a launch held when it launched: a run with other sizes is stopped there, and always was.

    tiles<<<grid, block>>>(image, labels);  cudaDeviceSynchronize();  assert(image.cols == 640 && image.rows == 480);

Only where every run that made the launch comes to the assertion; a check that throws is another matter, since its caller may
go on with what the launch has left.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache

from cudalint.symbolic.host.launched import LaunchRecord
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import APPROXIMATE
from cudalint.term import FALSE, TRUE, All, Any_, Term, free_symbols


def assert_behind(launches: list[LaunchRecord], cond: Term, state: State) -> None:
    """Adds the condition to the launches from which all ways lead to this state, in place."""
    if cond is TRUE or cond is FALSE:
        return
    here = [known.term for known in state.path if known.term is not cond and not _says_nothing(known.term)]
    for place, record in enumerate(launches):
        held = _held(record.path)
        if cond not in held and all(_was_so(term, held) for term in here):
            launches[place] = replace(record, path=(*record.path, cond))


@lru_cache(maxsize=256)
def _held(path: tuple[Term, ...]) -> frozenset[Term]:
    return frozenset(part for term in path for part in (term, *(term.parts[0] if isinstance(term, All) else ())))


def _was_so(cond: Term, held: Collection[Term]) -> bool:
    """It is known of the launch, or follows from one thing that is."""
    return cond in held or (isinstance(cond, Any_) and any(part in held for part in cond.parts[0]))


def _says_nothing(cond: Term) -> bool:
    """That a call has succeeded, or that a loop has come to its end."""
    names = [str(atom.parts[0]) for atom in free_symbols(cond)]
    ended = any("#" in name and not name.startswith(APPROXIMATE) for name in names)
    return ended or all(name.startswith(APPROXIMATE) for name in names)
