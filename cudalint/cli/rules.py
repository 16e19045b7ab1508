"""`cudalint rules`: the rules, a line each."""

from __future__ import annotations

import json

import click


@click.command("rules", help="List the rules.")
@click.option("--format", type=click.Choice(["text", "json"]), default="text", help="The form of the list.")
def command(format: str) -> int:
    from cudalint.cli.outputs import STDOUT, write
    from cudalint.engine import rules

    listed = [each.rule for each in rules()]
    if format == "json":
        rows = [
            {"code": r.code, "name": r.name, "level": r.level.value, "summary": r.summary, "audit": r.audit}
            for r in listed
        ]
        write(json.dumps(rows, indent=2) + "\n", STDOUT)
        return 0
    wide = max((len(rule.name) for rule in listed), default=0)
    lines = (
        f"{rule.code}  {rule.name:<{wide}}  {rule.level.value:<7}  {rule.summary}{' (audit)' if rule.audit else ''}\n"
        for rule in listed
    )
    write("".join(lines), STDOUT)
    return 0
