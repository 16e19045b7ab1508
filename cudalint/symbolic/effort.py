"""What the questions about one kernel may take, in steps of about half a microsecond of one core each."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

PATIENT_UNTIL = 1_500_000  # steps of one kernel, where proofs are not asked for
TIRED_AFTER = 2_000_000  # steps of one kernel under all of its contracts
SPENT_AFTER = 4_000_000
ORDER_RESERVE = 250_000  # steps for questions about the order of threads, under each contract, whatever came before
THOROUGH = 8  # so many times these steps, where proofs are asked for


@dataclass(slots=True)
class Effort:
    """The steps of one kernel over all of its contracts and solvers.

    `answers` are those of its solvers by question, with the steps that they took: a question of the next launch, or of the same
    code for another type, costs these steps again but no time, so that what is asked after it is the same.
    """

    thorough: bool = True
    steps: int = 0
    answers: dict[Hashable, tuple[Any, int]] = field(default_factory=dict)

    @property
    def is_patient(self) -> bool:
        """The heavy solver is asked, which now and then answers what takes extreme inputs."""
        return self.thorough or self.steps < PATIENT_UNTIL

    @property
    def is_tired(self) -> bool:
        """Expensive questions are asked no more, and no further contract is begun."""
        return self.steps >= TIRED_AFTER * (THOROUGH if self.thorough else 1)

    @property
    def limit(self) -> int:
        """The steps after which nothing is asked any more."""
        return SPENT_AFTER * (THOROUGH if self.thorough else 1)

    @property
    def is_spent(self) -> bool:
        """Nothing is asked any more."""
        return self.steps >= self.limit
