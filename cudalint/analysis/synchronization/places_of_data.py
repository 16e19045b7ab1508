"""Pairs of accesses to shared memory of which one goes where data say, while all threads fill or clear the elements.

counts[threadIdx.x] = 0;            counts[bins[i]]++;         // another thread clears what is counted up
table[threadIdx.x] = levels[i];     y[i] = table[codes[i]];    // another thread fills what is looked up
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cudalint.analysis.text.shared_events import Event
from cudalint.analysis.text.thread_text import THREAD, UNIFORM, UNKNOWN, ThreadText
from cudalint.analysis.text.thread_trial import taken_away
from cudalint.ir.syntax import Syntax

_LITERALS = ("number_literal", "unary_expression", "false", "true")
_DATA = re.compile(r"\[|round|floor|rint|ceil|2int|float")


def meet_by_data(a: Event, b: Event, threads: ThreadText, alone: Sequence[bool]) -> bool:
    """Different threads come to one element as soon as the data have them; `alone`: a single thread makes the access."""
    if a.kind == "atomic" and b.kind == "read" and any(threads.kind(i) == UNKNOWN for i in a.indices):
        return True  # elements are counted up, then each thread takes its own
    return _is_scattered(a, b, threads, alone) or (not any(alone) and _is_looked_up(a, b, threads))


def _is_scattered(a: Event, b: Event, threads: ThreadText, alone: Sequence[bool]) -> bool:
    """Elements are cleared by all threads, then some are updated that the text does not tell."""
    for write, other, is_alone in ((a, b, alone[0]), (b, a, alone[1])):
        kinds = {threads.kind(i) for i in write.indices}
        cleared = write.kind == "write" and write.value is not None and write.value.kind in _LITERALS
        if not cleared or is_alone or THREAD not in kinds or UNKNOWN in kinds:
            continue
        data = [i for i in other.indices if threads.kind(i) == UNKNOWN]
        if any(_rows(i, threads) & _rows(j, threads) for i, j in zip(write.indices, other.indices)):
            continue  # `h[threadIdx.x * bins + bin]`: each thread has a row of its own
        if any(_columns(i, threads) & _columns(j, threads) for i, j in zip(write.indices, other.indices)):
            continue  # `h[bin * threads + threadIdx.x]`: or a column
        if data and (other.kind == "atomic" or any(_DATA.search(threads.spelled(i)) for i in data)):
            return other.kind != "read"
    return False


def _is_looked_up(a: Event, b: Event, threads: ThreadText) -> bool:
    """All threads fill a table, and what is read of it is where data say."""
    write, read = (a, b) if a.kind == "write" else (b, a)
    filled = {threads.kind(i) for i in write.indices}
    if (write.kind, read.kind) != ("write", "read") or THREAD not in filled or UNKNOWN in filled:
        return False
    pairs = [(i, j) for i, j in zip(write.indices, read.indices) if threads.kind(i) == THREAD]
    if any(threads.spelled(i) == threads.spelled(j) or _rows(i, threads) & _rows(j, threads) for i, j in pairs):
        return False  # each thread has a row of its own
    if any(_columns(i, threads) & _columns(j, threads) for i, j in pairs):
        return False
    return any(
        threads.kind(j) == UNKNOWN and _is_anywhere(j, threads) and not _is_at_a_distance(j, threads) for _, j in pairs
    )


def _is_at_a_distance(index: Syntax, threads: ThreadText) -> bool:
    """`(LENGTH - LAG + threadIdx.x + lags[blockIdx.x]) % LENGTH`: how far from the thread's own is one value for the block,
    and hangs on sizes that the text does not tell."""
    terms = [term for part in _ring(index, threads) for term in _terms(part, threads)]
    own = [term for term in terms if threads.kind(term) == THREAD]
    data = [term for term in terms if threads.kind(term) == UNKNOWN]
    return bool(own) and all(_is_of_block(term, threads) for term in data) and bool(taken_away(index, threads))


def _ring(index: Syntax, threads: ThreadText) -> list[Syntax]:
    """The parts of a place in a ring, without the length of it."""
    if index.kind == "parenthesized_expression":
        return _ring(index.children[0], threads)
    if index.kind == "binary_expression" and index.op in ("%", "&"):
        return _ring(index.children[0], threads)
    if index.kind == "binary_expression" and index.op in ("+", "-"):
        return [part for each in index.children for part in _ring(each, threads)]
    value = threads.value(index) if index.kind == "identifier" else None
    return [index] if value is None else _ring(value, threads)


def _is_of_block(term: Syntax, threads: ThreadText) -> bool:
    """An element of an array whose place is the same for all threads."""
    value = threads.value(term) if term.kind == "identifier" else None
    term = value or term
    return term.kind == "subscript_expression" and threads.kind(term.children[-1]) == UNIFORM


def _is_anywhere(index: Syntax, threads: ThreadText) -> bool:
    """Where data say, or one element after the other from a place that the text does not tell."""
    counter = threads.counter(index) if index.kind == "identifier" else None
    return "[" in threads.spelled(index) or (counter is not None and counter.step.strip("+") == index.text)


def _rows(index: Syntax, threads: ThreadText) -> set[str]:
    """Of a sum the products of the thread's number."""
    if index.kind == "binary_expression" and index.op == "+":
        return set().union(*(_rows(part, threads) for part in index.children))
    value = threads.value(index) if index.kind == "identifier" else None
    if value is not None:
        return _rows(value, threads)
    product = index.kind == "binary_expression" and index.op == "*" and threads.kind(index) == THREAD
    return {threads.spelled(index)} if product else set()


def _columns(index: Syntax, threads: ThreadText) -> set[tuple[str, str]]:
    """Of a sum of a row's start and the thread's number, `row * width + threadIdx.x`: the number with each factor of the start."""
    terms = _terms(index, threads)
    own = [threads.spelled(term) for term in terms if threads.kind(term) == THREAD]
    starts = [term for term in terms if term.kind == "binary_expression" and term.op in ("*", "<<")]
    factors = [part for term in starts if threads.kind(term) != THREAD for part in term.children]
    widths = {threads.spelled(part) for part in factors if threads.kind(part) == UNIFORM}
    return {(own[0], width) for width in widths} if len(own) == 1 else set()


def _terms(index: Syntax, threads: ThreadText) -> list[Syntax]:
    """What an index adds up, whatever names it has."""
    if index.kind == "parenthesized_expression":
        return _terms(index.children[0], threads)
    if index.kind == "binary_expression" and index.op == "+":
        return [term for part in index.children for term in _terms(part, threads)]
    value = threads.value(index) if index.kind == "identifier" else None
    return [index] if value is None else _terms(value, threads)
