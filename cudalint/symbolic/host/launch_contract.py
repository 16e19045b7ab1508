"""The contract of one launch: the facts that it says, made simpler one by the other."""

from __future__ import annotations

from collections.abc import Iterable

from cudalint import ir
from cudalint.contract import Assume, Contract, Fact, Origin
from cudalint.finding import LaunchSite
from cudalint.symbolic.host.fact_forms import (
    all_terms,
    with_counted_sizes,
    with_decided_flags,
    with_inferred_ranks,
    with_named_choices,
    with_one_name,
    with_ordinary_dimensions,
    with_passed_on,
    without_devices,
)
from cudalint.symbolic.host.facts import LaunchFacts
from cudalint.symbolic.host.launched import LaunchRecord
from cudalint.symbolic.host.narrowed_inputs import narrowed_inputs
from cudalint.symbolic.host.sides import on_the_filled_side
from cudalint.symbolic.host.text import plain
from cudalint.symbolic.host.whole_quotients import with_whole_quotients
from cudalint.symbolic.host.world import World
from cudalint.symbolic.solver.bounds import Tightener
from cudalint.term import TRUE, Symbol, Term, cached_by_term, free_symbols


@cached_by_term(maxsize=256)
def _may_hold(path: tuple[Term, ...]) -> bool:
    """Nothing is known to contradict the conditions; several launches stand on the same way."""
    return Tightener().tighten(path) is not None


def contract_of(record: LaunchRecord, unit: ir.Unit, world: World) -> Contract | None:
    """The contract of one launch; None where the kernel is not in the unit or the launch cannot happen."""
    kernel = unit.functions.get(record.kernel)
    if kernel is None or not _may_hold(record.path):
        return None
    record, filled = on_the_filled_side(record)
    facts = LaunchFacts(record, kernel, world)
    facts.collect()
    if narrowed := narrowed_inputs(facts.found):
        facts = LaunchFacts(record, kernel, world)
        facts.collect(narrowed)
    span = record.launch.span
    site = LaunchSite(span.path, span.line, record.function)
    told = with_passed_on(with_decided_flags(without_devices(facts.found), record.path), world)
    ranked = with_inferred_ranks(with_ordinary_dimensions(with_named_choices(told)))
    found = with_whole_quotients(with_one_name(with_counted_sizes(ranked, record.path, span)))
    texts = (f"{plain(name)} is filled before the launch: nobody launches with null" for name in filled)
    notes = tuple(Fact(Assume(TRUE), Origin.INFERRED, text, span) for text in texts)
    missing = tuple(dict.fromkeys(facts.missing))
    records = entered_records(world.records, found)
    return Contract(kernel.id, (*found, *notes), site, missing, first=record.first, records=records)


def entered_records(records: Iterable[str], facts: Iterable[Fact]) -> frozenset[str]:
    """The records of which the facts name an entry."""
    named = {s.name for f in facts for t in all_terms(f.what) for s in free_symbols(t) if isinstance(s, Symbol)}
    return frozenset(
        each for each in records if any(name.startswith(tuple(each + mark for mark in "[.#")) for name in named)
    )
