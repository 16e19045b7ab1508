"""`cudalint explain RULE`: the page of a rule, which is the docstring of its module."""

from __future__ import annotations

import difflib

import click


@click.command("explain", help="Show the page of a rule, by code (IDX101) or name (global-bounds).")
@click.argument("rule", metavar="RULE")
def command(rule: str) -> int:
    from cudalint.cli.outputs import STDOUT, write
    from cudalint.engine import rules

    for each in rules():
        if rule.upper() == each.rule.code or rule.lower() == each.rule.name:
            title = f"{each.rule.code} {each.rule.name} ({each.rule.level.value})"
            write(f"{title}\n{'=' * len(title)}\n\n{each.documentation}\n", STDOUT)
            return 0
    raise click.UsageError(f"no rule is called `{rule}`{_nearest(rule, [e.rule.code for e in rules()])}")


def _nearest(word: str, codes: list[str]) -> str:
    from cudalint.engine import rules

    near = difflib.get_close_matches(word, [*codes, *(each.rule.name for each in rules())], n=1, cutoff=0.4)
    return f"; did you mean `{near[0]}`?" if near else "; `cudalint rules` lists them"
