"""An element of global memory that some threads update atomically is read or written by others without an atomic for them.

Bad:
    if (*best < x) atomicMax(best, x);                            // the plain read may see an old value, or half of one
    counter[0] = 0;  ...  atomicAdd(&counter[0], 1);              // the store of one block wipes out the counts of others
    atomicAdd_block(&counter[0], 1);                              // other blocks count there, too
Good:
    atomicMax(best, x);
    // counter is zeroed by the launch before

Limits: reads through `volatile` or with an order are taken to be meant; a plain access that only runs after a counter or flag told
its thread that the others are done is ordered; the plain first guess of a compare-and-swap loop is no finding.
"""

from collections.abc import Iterator
from dataclasses import replace

from cudalint.finding import Finding, Level, Related
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import Race
from cudalint.symbolic.synchronization.race_finding import race_finding

RULE = Rule("SYN103", "plain-beside-atomic", Level.WARNING, Subject.RACE, "plain access beside atomics")
ADVICE = "use an atomic (or a relaxed atomic load) for this access too, or move it to another launch"


def check(subject: Race, context: Context) -> Iterator[Finding]:
    """The finding of a plain access that races with an atomic one."""
    kinds = {subject.first.kind, subject.second.kind}
    if subject.object.memory != "global" or "atomic" not in kinds or subject.unfenced:
        return
    plain = subject.first if subject.first.kind != "atomic" else subject.second
    atomic = subject.second if plain is subject.first else subject.first
    where = "another block" if subject.across_blocks else "another thread"
    if kinds == {"atomic"}:
        message = (
            f"this atomic of `{subject.object.name}` is for threads of one block, and {where} updates the element, too"
        )
        advice = "use the atomic of the whole device"
        yield race_finding(subject, RULE.code, RULE.name, RULE.level, context.contract, message, advice)
        return
    message = (
        f"plain {plain.kind} of `{subject.object.name}`, which {where} updates atomically at line {atomic.span.line}"
    )
    found = race_finding(subject, RULE.code, RULE.name, RULE.level, context.contract, message, ADVICE)
    if found.span == plain.span or plain.span == atomic.span:
        yield found
        return
    related = Related(atomic.span, f"atomic of `{subject.object.name}` by {where}")
    yield replace(found, span=plain.span, related=(related, *subject.related))  # what has to be changed
