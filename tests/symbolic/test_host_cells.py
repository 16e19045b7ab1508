"""The index of what is known of memory says at any time what a look at all cells would say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudalint import ir
from cudalint.symbolic.host.cells import HELD, OF_CONTENTS, REST, Cell, Cells
from cudalint.symbolic.host.values import HostObject
from cudalint.term import number

OBJECTS = [HostObject(name, "variable") for name in "abc"]
FIELDS = ((), ("x",), (HELD,), (REST,))
CELLS = st.tuples(st.sampled_from(OBJECTS), st.sampled_from(FIELDS), st.sampled_from([number(0), number(4)]))
CONTENT = (ir.INT32, number(7))


def agrees(cells: Cells) -> bool:
    by_object = all(
        cells.of(o) == [cell for cell in cells if cell[0] is o] and cells.holds(o) == bool(cells.of(o)) for o in OBJECTS
    )
    return by_object and cells.of_contents() == [cell for cell in cells if cell[1] in OF_CONTENTS]


@given(st.lists(st.tuples(st.sampled_from(("write", "drop", "take", "copy")), st.integers(0, 2), CELLS), max_size=40))
def test_the_index_agrees_with_the_cells_of_every_copy(steps: list[tuple[str, int, Cell]]) -> None:
    states, plain = [Cells()], [dict[Cell, object]()]
    for what, chosen, cell in steps:
        at = chosen % len(states)
        if what == "write":
            states[at][cell] = CONTENT
            plain[at][cell] = CONTENT
        elif what == "drop":
            states[at].drop(cell)
            plain[at].pop(cell, None)
        elif what == "take":
            states[at] |= {cell: CONTENT}
            plain[at] |= {cell: CONTENT}
        else:
            states.append(states[at].copy())
            plain.append(dict(plain[at]))
    assert [list(cells.items()) for cells in states] == [list(cells.items()) for cells in plain]
    assert all(map(agrees, states))


def test_a_cell_that_is_not_there_cannot_be_deleted() -> None:
    cells = Cells()
    with pytest.raises(KeyError):
        del cells[OBJECTS[0], (), number(0)]
    assert agrees(cells)
