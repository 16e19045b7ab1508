"""Relations between sizes that nothing checks are taken for granted: what is safe under them is said to be so (DESIGN 3, origin 7).

What a run or the solver has shown to go wrong stays a finding: a relation is taken for what is open alone.
"""

from __future__ import annotations

from cudalint.contract import Contract
from cudalint.finding import Reason, Unchecked, Verdict
from cudalint.symbolic.issues import Analysis


def taken_relations(analysis: Analysis, contract: Contract, kernel: str) -> list[Unchecked]:
    """Mark what is safe under a relation, once all else is decided; the relations are those that decide something."""
    taken: list[Unchecked] = []
    for precondition in analysis.preconditions:
        obligations, site = precondition.obligations, contract.launch_site
        if site is None or any(o.verdict is not Verdict.UNKNOWN for o in obligations):
            continue
        for obligation in obligations:
            obligation.verdict, obligation.reason = Verdict.SAFE, Reason.PRECONDITION
            obligation.facts = (*obligation.facts, precondition.assumption)
        of_kernel = kernel if precondition.promise else None
        told = precondition.check, of_kernel, precondition.instead
        taken.append(Unchecked(site.path, site.line, site.host_function, *told))
    return taken
