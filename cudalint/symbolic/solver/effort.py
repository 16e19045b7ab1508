"""What the questions about one kernel may take, in steps of about half a microsecond of one core each."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

PATIENT_UNTIL = 1_500_000  # steps of one kernel, where proofs are not asked for
FRESH_UNTIL = 500_000
TIRED_AFTER = 2_000_000  # steps of one kernel under all of its contracts
SPENT_AFTER = 4_000_000
ORDER_RESERVE = 250_000  # steps for questions about the order of threads, under each contract, whatever came before
THOROUGH = 8  # so many times these steps, where proofs are asked for
WHOLE_KERNELS = 20  # of a file may use up all their steps; where there are more, each has its share of theirs
OF_READING = 0.07  # of the steps of a kernel: what it takes to read and walk one, whatever is asked of it
LEAST_SHARE = 1 / 8


@dataclass(slots=True)
class Effort:
    """The steps of one kernel over all of its contracts and solvers.

    `answers` are those of its solvers by question, with the steps that they took: a question of the next launch, or of the same
    code for another type, costs these steps again but no time, so that what is asked after it is the same. `encoders` are what
    they write their questions with: those of linear arithmetic alone (true), and the others.
    """

    thorough: bool = True
    percent: int = 100  # of these steps, as who waits for the answer chooses
    kernels: int = 1  # of the file: one with hundreds of them is to take no longer than one with twenty hard ones
    steps: int = 0
    answers: dict[Hashable, tuple[Any, int]] = field(default_factory=dict)
    encoders: dict[bool, Any] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """How many times the steps of one kernel this one has: all kernels of a file together no more than a few of them.

        Where proofs are asked for, that is twice as many for the file, and up to `THOROUGH` times as many for the kernel.
        """
        most = THOROUGH if self.thorough else 1
        of_file = WHOLE_KERNELS * (2 if self.thorough else 1) / self.kernels
        share = of_file - OF_READING if of_file < most else most
        return max(LEAST_SHARE, share) * self.percent / 100

    @property
    def is_patient(self) -> bool:
        """The heavy solver is asked, which now and then answers what takes extreme inputs."""
        return self.thorough or self.steps < PATIENT_UNTIL * self.share

    @property
    def is_fresh(self) -> bool:
        """Hardly anything was hard so far: more launches and instances are begun than stand for the others.

        Walking them takes time that no step counts, so that a file of many kernels has to do without.
        """
        return self.kernels <= WHOLE_KERNELS and self.steps < FRESH_UNTIL * self.share

    @property
    def is_tired(self) -> bool:
        """Expensive questions are asked no more, and no further launch or instance is begun."""
        return self.steps >= TIRED_AFTER * self.share

    @property
    def limit(self) -> int:
        """The steps after which nothing is asked any more."""
        return int(SPENT_AFTER * self.share)

    @property
    def is_spent(self) -> bool:
        """Nothing is asked any more."""
        return self.steps >= self.limit
