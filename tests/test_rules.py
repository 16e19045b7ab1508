"""What every rule has: a code and a name of its own, and fixtures under both."""

from collections import Counter

import pytest
from fixture_format import FIXTURES

from cudalint.engine.registry import rules
from cudalint.rule import LoadedRule

OWN = [rule for rule in rules() if not rule.rule.code.startswith("CUL")]


@pytest.mark.parametrize("what", ["code", "name"])
def test_no_two_rules_share_a_code_or_a_name(what: str) -> None:
    counted = Counter(getattr(each.rule, what) for each in rules())
    assert [value for value, count in counted.items() if count > 1] == []


@pytest.mark.parametrize("loaded", OWN, ids=lambda each: each.rule.code)
def test_a_rule_has_bad_and_ok_fixtures(loaded: LoadedRule) -> None:
    folder = FIXTURES / f"{loaded.rule.code}-{loaded.rule.name}"
    assert list(folder.glob("bad_*.cu")) and list(folder.glob("ok_*.cu"))
