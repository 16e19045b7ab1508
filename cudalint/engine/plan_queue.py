"""The plans of one file, gathered as its findings are made; what cannot be planned says so on the finding."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.contract import Contract
from cudalint.engine.options import ScanOptions
from cudalint.finding import Evidence, Finding
from cudalint.frontend.translate import Translation
from cudalint.source import Span

if TYPE_CHECKING:
    from cudalint.engine.plans import PlanFile
    from cudalint.engine.replays import Recorded


class Plans:
    """Collects plans where the options ask for them."""

    def __init__(self, translation: Translation, defines: tuple[str, ...], options: ScanOptions) -> None:
        self.made: list[PlanFile] = []
        self.replays: list[Recorded] = []
        self._shown: set[tuple[str, Span]] = set()  # by a run
        self._translation = translation
        self._defines = defines
        self._planned = options.plan_dir is not None or options.confirm == "gpu"
        self._replayed = options.replay_dir is not None
        self._on_gpu = options.confirm == "gpu"
        self.wanted = self._planned or self._replayed
        self._seed = options.seed

    def add(
        self, findings: list[Finding], kernel: ir.Function, contract: Contract, clean: bool, undecided: int
    ) -> list[str]:
        """One plan for each finding with a witness; drawn launches that have to run clean where `clean` and all is decided.

        Gives one note for each that cannot be planned.
        """
        if not self._planned:
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
            if finding.witness is None or not self._is_to_be_run(finding):
                continue
            try:
                plan = plan_for(finding, unit, kernel, contract, source, self._seed, self._defines, folders)
                self.made.append(plan)
            except CannotPlan as error:
                notes.append(f"the witness of {finding.code} at {finding.span} is not planned: {error}")
        return notes

    def _is_to_be_run(self, finding: Finding) -> bool:
        """What a run of one launch has shown is not planned again under another one whose run was left out."""
        key, shown = (finding.code, finding.span), finding.evidence is Evidence.EMULATED
        self._shown |= {key} if shown else set()
        return shown or key not in self._shown

    def with_replays(
        self, findings: list[Finding], seen: list[Finding], kernel: ir.Function, contract: Contract
    ) -> tuple[list[Finding], list[str]]:
        """The findings, those that a run has shown with the id of the plan that shows it again; notes on those without one."""
        if not self._replayed:
            return findings, []
        from cudalint.engine.plans import CannotPlan, replay_plan
        from cudalint.engine.replays import SHOWN, recorded

        unit, source, folders = self._translation.unit, self._translation.source, self._translation.folders
        notes: list[str] = []
        named: list[Finding] = []
        for finding in findings:
            wanted = finding in seen and finding.witness is not None
            if not wanted or not (self._on_gpu or finding.evidence in SHOWN):
                named.append(finding)
                continue
            try:
                plan = replay_plan(finding, unit, kernel, contract, source, self._seed, self._defines, folders)
                record = recorded(plan)
                outcome = record.runs["emulator"]
                if outcome["verdict"] != "confirmed" and not self._on_gpu:
                    raise CannotPlan(f"its run from the file gave: {outcome['verdict']}, {outcome['detail']}")
            except CannotPlan as error:
                notes.append(f"no replay of {finding.code} at {finding.span}: {error}")
                named.append(finding)
                continue
            self.replays.append(record)
            named.append(replace(finding, replay=plan["id"]))
        return named, notes
