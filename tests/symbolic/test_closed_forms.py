"""Which symbols a loop's probe may take as its own."""

from __future__ import annotations

import pytest

from cudalint.symbolic.walk.closed_forms import _made_since
from cudalint.term import flag, symbol


@pytest.mark.parametrize(
    ("atom", "since"),
    [
        (symbol("n#8"), True),
        (symbol("n#7"), False),
        (symbol("mem:x#3#9"), True),
        (flag("p#224 is null"), True),
        (flag("p#2 is null"), False),
        (symbol("blockDim.x"), False),
    ],
    ids=repr,
)
def test_symbols_made_after_the_seventh_are_new(atom: object, since: bool) -> None:
    assert _made_since(atom, 7) is since  # type: ignore[arg-type]
