"""Block-wide primitives that are given temporary storage (cub): each call uses it, and orders nothing for the next.

A call is one access of the storage by every thread. Two calls on one storage in one barrier interval race.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.symbolic.model import Address, Value
from cudalint.symbolic.walk.accesses import record_access
from cudalint.symbolic.walk.state import State

if TYPE_CHECKING:
    from cudalint.symbolic.walk.execute import Frame, Walk

COLLECTIVE = "collective"
PREFIX = "cub::Block"


def bind_storage(walk: Walk, callee: ir.Function, args: list[Value]) -> None:
    """A primitive's constructor takes the storage; its calls use what the last one was given."""
    name = primitive_of(callee.id)
    if name is not None and callee.name.rpartition("::")[2] == name and len(args) == 2:
        walk.storages[name] = args[1]


def use_storage(walk: Walk, stmt: ir.Unmodelled, state: State, frame: Frame) -> None:
    """The call of a primitive by its name (`cub::BlockReduce::Sum`)."""
    name = primitive_of(stmt.reason)
    storage = walk.storages.get(name) if name is not None else None
    if isinstance(storage, Address) and storage.object is not None and storage.object.memory == "shared":
        record_access(walk, storage, "write", 1, stmt.span, state, frame, order=COLLECTIVE, covered=True)


def primitive_of(name: str) -> str | None:
    """`BlockReduce` of `cub::BlockReduce<float, 128>::Sum`."""
    if not name.startswith(PREFIX):
        return None
    return name.removeprefix("cub::").split("<")[0].split("::")[0]
