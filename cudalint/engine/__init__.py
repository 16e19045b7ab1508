"""From paths to a ScanResult: every analysis once, every rule on its subjects, every finding confirmed where asked."""

from cudalint.engine.options import ScanOptions, UsageError
from cudalint.engine.registry import rules
from cudalint.engine.scan import scan

__all__ = ["ScanOptions", "UsageError", "rules", "scan"]
