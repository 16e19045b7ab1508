"""The options of a scan together with the project's configuration: what the caller says wins."""

from __future__ import annotations

import os
from dataclasses import replace

from cudalint.engine.options import ScanOptions, UsageError
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
    return root, _merged(options, found), found


def _root(options: ScanOptions) -> str:
    if options.project_root is not None:
        return os.path.abspath(options.project_root)
    for path in options.paths:
        if path != "-" and not os.path.lexists(path):
            raise UsageError(f"{path}: no such file or directory")
    return find_root(path for path in options.paths if path != "-")


def _merged(options: ScanOptions, found: Configuration) -> ScanOptions:
    return replace(
        options,
        select=options.select or found.select,
        ignore=options.ignore + found.ignore,
        profile=found.profile if options.profile == "default" and found.profile else options.profile,
        includes=options.includes + found.include,
        defines=options.defines + found.define,
        std=options.std or found.std,
        block_dim=options.block_dim or found.block_dim,
        grid_dim=options.grid_dim or found.grid_dim,
        confirm=found.confirm if options.confirm == "auto" and found.confirm else options.confirm,
        compile_commands=options.compile_commands or found.compile_commands,
    )
