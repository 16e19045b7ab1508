"""Values of the host that are too large for a question, and what a model has for them: the host computes one from its inputs.

threads = ceil_div(n, rounded_up_to_power_of_two(n / 512))        the question knows no more of it than its range
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from cudalint.contract import Chosen, Contract
from cudalint.symbolic.solver.question import Model, nearest
from cudalint.symbolic.verdicts.facts import is_lost_size
from cudalint.term import Symbol, Term, Undefined, equal, free_symbols, number

_SAMPLES = (300, 4096)


def is_as_computed(contract: Contract, model: Model) -> bool:
    """The model has the values that the host computes from its inputs."""
    return all(
        model.values[name.name] == value for name, value in _computed(contract, model) if name.name in model.values
    )


def as_computed(contract: Contract, model: Model) -> Iterator[list[Term]]:
    """The inputs of the model and others, with the values that the host computes from them.

    What was lost has no value of its own: mostly it is what another path leaves.
    """
    asked = [f.what for f in contract.facts if isinstance(f.what, Chosen) and f.what.name.name in model.values]
    atoms = {atom for what in asked for atom in free_symbols(what.value) if isinstance(atom, Symbol)}
    inputs = sorted((a for a in atoms if not is_lost_size(a)), key=lambda atom: atom.digest)
    first = {atom: model.value(atom) for atom in inputs}
    for values in (first, *({atom: nearest(atom, sample) for atom in inputs} for sample in _SAMPLES)):
        there = Model({**model.values, **{atom.name: value for atom, value in values.items()}}, model.applications)
        computed = [
            equal(name, number(value)) for name, value in _computed(contract, there) if name.name in model.values
        ]
        yield [*(equal(atom, number(value)) for atom, value in values.items()), *computed]


def _computed(contract: Contract, model: Model) -> Iterator[tuple[Symbol, int]]:
    for fact in contract.facts:
        if isinstance(fact.what, Chosen):
            with suppress(Undefined):
                yield fact.what.name, model.value(fact.what.value)
