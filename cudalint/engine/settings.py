"""The options of a scan together with the project's configuration: what the caller says wins."""

from __future__ import annotations

import os
from dataclasses import replace

from cudalint.engine.options import DEFAULT_TARGETS, ScanOptions, UsageError
from cudalint.project.configuration import Configuration, ConfigurationError, load
from cudalint.project.discovery import find_root


def project_settings(options: ScanOptions) -> tuple[str, ScanOptions, Configuration]:
    """(root, options with what the configuration adds, configuration); `--untrusted` leaves the configuration out."""
    root = _root(options)
    if options.untrusted:
        return root, options, Configuration()
    try:
        found = load(root)
    except ConfigurationError as error:
        raise UsageError(str(error)) from None
    return root, _merged(options, found, root), found


def fail_level(options: ScanOptions) -> str:
    """From which level on findings fail the scan: what the project says, else errors."""
    return project_settings(options)[2].fail_level or "error"


def _root(options: ScanOptions) -> str:
    if options.project_root is not None:
        return os.path.abspath(options.project_root)
    for path in options.paths:
        if path != "-" and not os.path.lexists(path):
            raise UsageError(f"{path}: no such file or directory")
    return find_root(path for path in options.paths if path != "-")


def _merged(options: ScanOptions, found: Configuration, root: str) -> ScanOptions:
    """Paths in the configuration are relative to the project's root."""
    database = os.path.join(root, found.compile_commands) if found.compile_commands else None
    return replace(
        options,
        select=options.select or found.select,
        ignore=options.ignore + found.ignore,
        profile=found.profile if options.profile == "default" and found.profile else options.profile,
        includes=options.includes + tuple(os.path.join(root, folder) for folder in found.include),
        defines=options.defines + found.define,
        std=options.std or found.std,
        block_dim=options.block_dim or found.block_dim,
        grid_dim=options.grid_dim or found.grid_dim,
        confirm=found.confirm if options.confirm == "auto" and found.confirm else options.confirm,
        compile_commands=options.compile_commands or database,
        targets=found.targets if found.targets and options.targets == DEFAULT_TARGETS else options.targets,
        vocabulary={**found.vocabulary, **options.vocabulary},
    )
