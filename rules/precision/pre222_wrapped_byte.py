"""A result that is larger than a byte is stored as a byte: what is left is its remainder by 256.

Bad:
    out[p] = 5 * in[p] - in[p - 1] - in[p + 1] - in[p - w] - in[p + w];
    unsigned char sum = 0;   for (int k = 0; k < 9; ++k) sum += window[k];   out[p] = sum / 9;
Good:
    out[p] = min(max(5 * in[p] - in[p - 1] - in[p + 1] - in[p - w] - in[p + w], 0), 255);
    int sum = 0;             for (int k = 0; k < 9; ++k) sum += window[k];   out[p] = sum / 9;

Limits: a pattern: sums of loaded bytes with constant factors, absolute values, squares and roots of them; the sum of two bytes and
what is less than zero may be meant modulo 256. So are sums of products of narrow elements, in a loop, in 8 or 16 bits.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.narrow_products import narrow_products
from cudalint.analysis.precision.wrapped_bytes import wrapped_bytes
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE222", "wrapped-byte", Level.WARNING, Subject.TEXT, "a byte that gets more than 255")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each store, conversion or sum."""
    for issue in wrapped_bytes(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "made here", "clamp to 0 and 255 first")
    for issue in narrow_products(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "add up in int")
