"""Cells of memory by place, which tell those of one object without a look at all the others."""

from __future__ import annotations

from typing import Any, TypeAlias

from cudalint import ir
from cudalint.symbolic.host.values import HostObject, Value
from cudalint.term import Term

REST = "*"
HELD = "*held"  # an element by its number
BYTE = "*byte"  # each byte
DEVICE = "*device"  # a number in a variable of the device
OF_CONTENTS: tuple[tuple[str, ...], ...] = ((HELD,), (BYTE,), (DEVICE,))

Cell: TypeAlias = tuple[HostObject, tuple[str, ...], Term]
Content: TypeAlias = tuple[ir.Type, Value]
_NONE: dict[Cell, None] = {}


class Cells(dict[Cell, Content]):
    """A dictionary with an index of its keys by object; a copy shares the lists of the index until one of both changes.

    All ways of `dict` that add or remove keys and are not written here would leave the index behind: do not use them.
    """

    __slots__ = ("_by_object", "_contents", "_own")

    def __init__(self) -> None:
        super().__init__()
        self._by_object: dict[HostObject, dict[Cell, None]] = {}
        self._own: set[HostObject] = set()  # whose lists no other state shares
        self._contents: dict[Cell, None] = {}

    def copy(self) -> Cells:
        made = Cells()
        dict.update(made, self)
        made._by_object, made._contents = dict(self._by_object), dict(self._contents)
        self._own = set()
        return made

    def of(self, object_: HostObject) -> list[Cell]:
        """The cells of one object, in the order in which they are here."""
        return list(self._by_object.get(object_, _NONE))

    def holds(self, object_: HostObject) -> bool:
        return object_ in self._by_object

    def of_contents(self) -> list[Cell]:
        """Those that stand for all elements of their object."""
        return list(self._contents)

    def __setitem__(self, cell: Cell, content: Content) -> None:
        if cell not in self:
            self._of_own(cell[0])[cell] = None
            if cell[1] in OF_CONTENTS:
                self._contents[cell] = None
        super().__setitem__(cell, content)

    def __delitem__(self, cell: Cell) -> None:
        super().__delitem__(cell)
        left = self._of_own(cell[0])
        del left[cell]
        if not left:
            del self._by_object[cell[0]]
        if cell[1] in OF_CONTENTS:
            del self._contents[cell]

    def drop(self, cell: Cell) -> None:
        """Forget it, if it is here."""
        if cell in self:
            del self[cell]

    def __ior__(self, others: Any) -> Cells:  # type: ignore[override,misc]
        for cell, content in others.items():
            self[cell] = content
        return self

    def _of_own(self, object_: HostObject) -> dict[Cell, None]:
        if object_ not in self._own:
            self._own.add(object_)
            self._by_object[object_] = dict(self._by_object.get(object_, _NONE))
        return self._by_object.setdefault(object_, {})
