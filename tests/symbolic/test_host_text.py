"""Host terms in the words of their users."""

from __future__ import annotations

import pytest

from cudalint.symbolic.host.text import plain, said


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("run:bias.__engaged", "run:bias.has_value()"),
        ("run:bias.__stored.__value.numel()", "run:bias->numel()"),
        ("run:bias.__stored.__value", "run:bias"),
        ("run:points.__handle", "run:points.data_handle()"),
    ],
)
def test_members_of_the_stubs_are_said_as_their_users_know_them(made: str, told: str) -> None:
    assert said(made) == told
    assert plain(f"~{made}#2") == told.removeprefix("run:")
