"""Launches that say the same of a kernel: of one line, by host functions whose values have the same names; the least assumed."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from cudalint.contract import Assume, Contract
from cudalint.term import Flag, Symbol, Term, flag, free_symbols, rewrite_symbols, symbol


def once_each(launches: Sequence[Contract]) -> tuple[Contract, ...]:
    """The first of each group of launches that nothing but names of the host code tells apart.

    A launch that passes what another one passes and only assumes more of it is left out: what goes wrong or is proved there,
    is so of the other.
    """
    groups: dict[object, dict[frozenset[object], Contract]] = {}
    for launch in launches:
        said = _without_functions(tuple((fact.what, fact.origin) for fact in launch.facts))
        site = launch.launch_site
        where = None if site is None else (site.path, site.line)
        passed, assumed = _apart(said)
        key = launch if said is None else (where, launch.uncalled, launch.dead, launch.first, passed)
        groups.setdefault(key, {}).setdefault(assumed, launch)
    kept = {id(each) for group in groups.values() for each in _least_assumed(group)}
    return tuple(launch for launch in launches if id(launch) in kept)


def _apart(said: object | None) -> tuple[tuple[object, ...], frozenset[object]]:
    """What a launch passes, and what is assumed of it."""
    facts = said if isinstance(said, tuple) else ()
    passed = tuple(fact for fact in facts if fact[0][0] is not Assume)
    return passed, frozenset(fact for fact in facts if fact[0][0] is Assume)


def _least_assumed(group: dict[frozenset[object], Contract]) -> list[Contract]:
    return [launch for assumed, launch in group.items() if not any(other < assumed for other in group)]


def _without_functions(facts: object) -> object | None:
    """The facts where `function:value` is `value`; None where two functions speak of values of one name."""
    names: dict[str, str] = {}
    said = _renamed(facts, names)
    return said if len(set(names.values())) == len(names) else None


def _name(atom: Term) -> str:
    return str(atom.parts[0])


def _renamed(part: object, names: dict[str, str]) -> object:
    if isinstance(part, Term):
        mapping: dict[Term, Term] = {}
        for atom in sorted(free_symbols(part), key=_name):
            if isinstance(atom, Symbol):
                name, low, high, scope = atom.parts
                mapping[atom] = symbol(_short(name, names), low, high, scope)
            elif isinstance(atom, Flag):
                mapping[atom] = flag(_short(atom.parts[0], names), atom.parts[1])
        return rewrite_symbols(part, mapping, {})
    if isinstance(part, str):
        return _short(part, names)
    if isinstance(part, tuple):
        return tuple(_renamed(each, names) for each in part)
    if dataclasses.is_dataclass(part):
        return type(part), tuple(_renamed(getattr(part, f.name), names) for f in dataclasses.fields(part))
    return part


def _short(name: str, names: dict[str, str]) -> str:
    """The name behind the host function's, after a colon; `names` holds the short name of each.

    Of `x@2308` and `x@3061`, two values of one name, the numbers are those of the order in which they are met.
    """
    if name not in names:
        _, colon, own = name.rpartition(":")
        base, at, serial = own.rpartition("@")
        if at and serial.isdecimal():
            start = f"{colon}{base}@"
            own = f"{base}@{sum(other.startswith(start) for other in names.values())}"
        names[name] = colon + own
    return names[name]
