"""Launches that say the same of a kernel: one line, reached through host functions whose values have the same names."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from cudalint.contract import Contract
from cudalint.term import Flag, Symbol, Term, flag, free_symbols, rewrite_symbols, symbol


def once_each(launches: Iterable[Contract]) -> tuple[Contract, ...]:
    """The first of each group of launches that nothing but the name of a host function tells apart."""
    kept: dict[object, Contract] = {}
    for launch in launches:
        said = _without_functions(tuple((fact.what, fact.origin) for fact in launch.facts))
        site = launch.launch_site
        where = None if site is None else (site.path, site.line)
        kept.setdefault(launch if said is None else (where, launch.uncalled, launch.dead, said), launch)
    return tuple(kept.values())


def _without_functions(facts: object) -> object | None:
    """The facts where `function:value` is `value`; None where two functions speak of values of one name."""
    names: dict[str, str] = {}
    said = _renamed(facts, names)
    return said if len(set(names.values())) == len(names) else None


def _renamed(part: object, names: dict[str, str]) -> object:
    if isinstance(part, Term):
        mapping: dict[Term, Term] = {}
        for atom in free_symbols(part):
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
    """The name behind the host function's, after a colon; `names` holds the short name of each."""
    _, colon, own = name.rpartition(":")
    names[name] = colon + own
    return names[name]
