"""The rules, found by listing the package `cudalint.rules`, and what `--select` and `--ignore` mean."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache

import cudalint.rules
from cudalint.engine.options import UsageError
from cudalint.rule import LoadedRule, Rule


@cache
def rules() -> tuple[LoadedRule, ...]:
    """Every rule, by code."""
    found: list[LoadedRule] = []
    for info in pkgutil.walk_packages(cudalint.rules.__path__, "cudalint.rules."):
        if info.ispkg:
            continue
        module = importlib.import_module(info.name)
        if isinstance(getattr(module, "RULE", None), Rule):
            found.append(LoadedRule(module.RULE, module.check, (module.__doc__ or "").strip()))
    return tuple(sorted(found, key=lambda r: r.rule.code))


def selected_codes(select: tuple[str, ...], ignore: tuple[str, ...], profile: str) -> frozenset[str]:
    """Codes that are reported. Names, codes and prefixes of codes are accepted; raises UsageError for others."""
    default = [r.rule.code for r in rules() if profile == "audit" or not r.rule.audit]
    chosen = set(default) if not select else {code for item in select for code in _matching(item)}
    return frozenset(chosen - {code for item in ignore for code in _matching(item)})


def _matching(item: str) -> list[str]:
    everything = [r.rule for r in rules()]
    codes = [r.code for r in everything if item == r.name or r.code.startswith(item.upper())]
    if not codes or not item:
        names = [r.code for r in everything] + [r.name for r in everything]
        near = difflib.get_close_matches(item, names, n=1)
        hint = f"; did you mean `{near[0]}`?" if near else "; `cudalint rules` lists them"
        raise UsageError(f"no rule is called `{item}`{hint}")
    return codes
