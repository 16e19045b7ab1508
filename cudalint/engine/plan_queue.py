"""The plans of one file, gathered as its findings are made; what cannot be planned says so on the finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.contract import Contract
from cudalint.engine.options import ScanOptions
from cudalint.finding import Finding
from cudalint.frontend.translate import Translation

if TYPE_CHECKING:
    from cudalint.engine.plans import PlanFile


class Plans:
    """Collects plans where the options ask for them."""

    def __init__(self, translation: Translation, defines: tuple[str, ...], options: ScanOptions) -> None:
        self.made: list[PlanFile] = []
        self._translation = translation
        self._defines = defines
        self.wanted = options.plan_dir is not None or options.confirm == "gpu"
        self._seed = options.seed

    def add(
        self, findings: list[Finding], kernel: ir.Function, contract: Contract, clean: bool, undecided: int
    ) -> list[str]:
        """One plan for each finding with a witness; drawn launches that have to run clean where `clean` and all is decided.

        Gives one note for each that cannot be planned.
        """
        if not self.wanted:
            return []
        from cudalint.engine.plans import CannotPlan, clean_plans, plan_for

        unit, source, folders = self._translation.unit, self._translation.source, self._translation.folders
        notes: list[str] = []
        if clean and undecided:
            notes.append(
                f"no drawn launch is planned: {undecided} verdicts are undecided, so that it need not run clean"
            )
        elif clean:
            try:
                self.made += clean_plans(unit, kernel, contract, source, self._seed, 3, self._defines, folders)
            except CannotPlan as error:
                notes.append(f"no drawn launch is planned: {error}")
        for finding in findings:
            if finding.witness is None:
                continue
            try:
                plan = plan_for(finding, unit, kernel, contract, source, self._seed, self._defines, folders)
                self.made.append(plan)
            except CannotPlan as error:
                notes.append(f"the witness of {finding.code} at {finding.span} is not planned: {error}")
        return notes
