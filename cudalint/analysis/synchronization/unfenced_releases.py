"""Locks given back and flags raised by a function of their own, with no fence behind the data that they stand for.

    void unlock() { atomicExch(word, 0); }              lock.lock();  slot->cost = c;  lock.unlock();       the lock is free first
    slot->data[i] = x;  slot->ready = 1;                while (!slot->ready) ;  y = slot->data[i];          in another function

CUDA C++ Programming Guide, "Memory Fence Functions": others may see the two stores in either order, whatever is volatile or atomic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.macros import macros_of, that_mention, words_of
from cudalint.analysis.text.shared_names import Handed, handed_arrays, shared_arrays
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

ORDERS = re.compile(
    r"fence|membar|memory_order|atomic_ref|\basm\b|__asm|release|acquire|grid\w*\s*\.\s*sync|\bsync\s*\(\s*grid|\bst_\w*rel",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"(volatile\s+)?((unsigned|signed|long|short|int|bool|char)(\s+|$))+|(volatile\s+)?(u?int(8|16|32|64)_t|uint|size_t)"
)
_KNOWN = re.compile(  # what CUDA has, without an order of its own
    r"__\w+|atomic\w+|u?(min|max|abs)|f(min|max|abs|ma)f?|r?sqrtf?|(exp|log|pow|sin|cos|floor|ceil|round|rint)\w*"
    r"|printf|assert|make_\w+|\w+_cast|is(nan|inf|finite)|swap|int|unsigned|float|double|bool|size_t|u?int\d+_t"
)
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_COMPARE = re.compile(r"^(::)?atomicCAS$")
_EXCHANGE = re.compile(r"^(::)?atomicExch$")
_WAITS = ("while_statement", "do_statement")
_PLACES = ("subscript_expression", "field_expression", "pointer_expression")
_ZEROS = ("0", "0u", "0U", "false")
_PAUSES = re.compile(r"^(__nanosleep|__threadfence\w*|__syncwarp)$")
_SMALL = 3  # statements of a function that gives back a lock and does nothing else
_STEPS = 4


@dataclass(frozen=True, slots=True)
class _Lock:
    """What a function does to a word: `free` is the value that it has while nobody holds it."""

    function: Body
    word: str
    free: str
    place: Syntax


def unfenced_releases(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each function that frees a lock, and for each flag."""
    text = outline.root.file.text
    if "atomicCAS" not in text and "while" not in text:
        return
    every = list(bodies(program_of(outline)))
    ordering = _ordering(every, outline)
    handed = handed_arrays(every)
    yield from _locks(every, ordering, handed)
    yield from _flags(every, ordering, handed)


def _ordering(every: list[Body], outline: Outline) -> frozenset[str]:
    """Functions and macros with a fence, and those whose text is not in the file: nobody knows what these do."""
    macros = macros_of(outline.root.file.text)
    texts = macros + [(body.function.name, body.function.body.text) for body in every]
    here = {name for name, _ in macros} | {function.name for function in outline.functions}
    called = {_method(node) for body in every for node in body.nodes if node.kind == "call_expression"}
    called |= {name for _, text in macros for name in _CALL.findall(text)}
    unknown = {name for name in called - here - {""} if _KNOWN.fullmatch(name) is None}
    return frozenset(that_mention(unknown | {name for name, text in texts if ORDERS.search(text)}, texts))


def _may_order(text: str, ordering: frozenset[str]) -> bool:
    return ORDERS.search(text) is not None or not ordering.isdisjoint(words_of(text))


# --- locks ---------------------------------------------------------------------------------------------------------------


def _locks(every: list[Body], ordering: frozenset[str], handed: Handed) -> Iterator[GuardIssue]:
    taken = [lock for body in every for lock in _taken(body)]
    freed = [lock for body in every for lock in _freed(body, ordering)] if taken else []
    for lock in freed:
        name = lock.function.function.name
        takers = {t.function.function.name for t in taken if (t.word, t.free) == (lock.word, lock.free)} - {name}
        if sum(body.function.name == name for body in every) != 1:
            continue
        held = (store for body in every for store in _stored_under(body, takers, name, ordering, handed))
        store = next(held, None)
        if store is not None:
            text = f"the lock is free before others see what was stored under it at line {store.span.line}"
            yield GuardIssue(lock.function.function, lock.place, text, store)


def _taken(body: Body) -> Iterator[_Lock]:
    for node in body.nodes:
        given = _given(node)
        if _COMPARE.match(_callee(node)) and len(given) == 3 and given[1].bare != given[2].bare:
            yield _Lock(body, _word(given[0], body), given[1].bare, node)


def _freed(body: Body, ordering: frozenset[str]) -> Iterator[_Lock]:
    """A function whose whole work is to store one value to a word."""
    if body.function.role != "device" or len(body.function.body.children) > _SMALL or body.function.name in ordering:
        return
    places = [node for node in body.nodes if _EXCHANGE.match(_callee(node)) or node.kind == "assignment_expression"]
    calls = [node for node in body.nodes if node.kind == "call_expression" and node not in places]
    if len(places) != 1 or calls:
        return
    node = places[0]
    given = _given(node) if node.kind == "call_expression" else node.children
    if len(given) == 2 and (node.kind == "call_expression" or given[0].kind in _PLACES):
        yield _Lock(body, _word(given[0], body), given[1].bare, node)


def _word(node: Syntax, body: Body) -> str:
    """The word as it is written, with the parameters by their places: `@0->lock` of `&bucket->lock`."""
    while node.kind in ("pointer_expression", "cast_expression", "parenthesized_expression") and node.children:
        node = node.children[-1]
    text = node.bare
    for place, name in enumerate(body.scope.parameters):
        text = re.sub(rf"(?<![\w.>]){re.escape(name)}\b", f"@{place}", text) if name else text
    return text


def _stored_under(
    body: Body, takers: set[str], freer: str, ordering: frozenset[str], handed: Handed
) -> Iterator[Syntax]:
    """Stores to memory of all blocks between calls that take a lock and that free it, without a fence behind them."""
    taken: tuple[str, str] | None = None
    stores: list[Syntax] = []
    if freer not in body.function.body.text:
        return
    shared = shared_arrays(body, handed)
    for node in body.nodes:
        name = _method(node)
        if name in takers:
            taken, stores = _owner(node), []
            if {leaf.text for leaf in node.walk() if leaf.kind == "identifier"} & shared.keys():
                taken = None
        elif name == freer and taken == _owner(node):
            between = body.function.body.file.text[stores[-1].end : node.start] if stores else ""
            if stores and not _may_order(between, ordering):
                yield stores[-1]
            taken = None
        elif name in ordering:
            stores = []
        elif taken is not None and node.kind == "assignment_expression" and _is_common(node.children[0], body, shared):
            stores.append(node)


def _owner(call: Syntax) -> tuple[str, str]:
    """The object that a method is called of, and what the call begins with: by both a lock is known again."""
    callee, given = call.child("function"), _given(call)
    owner = "" if callee is None else re.sub(r"\w+$", "", callee.bare)
    return owner, given[0].bare if given else ""


# --- flags ---------------------------------------------------------------------------------------------------------------


def _flags(every: list[Body], ordering: frozenset[str], handed: Handed) -> Iterator[GuardIssue]:
    told: set[int] = set()
    for waiter in every:
        for flag, end in _waits(waiter):
            read = {m for n in waiter.nodes if n.start >= end and _is_read(n, waiter) and (m := _member(n))} - {flag}
            for body in every if read else ():
                if body is waiter or f"{flag}" not in body.function.body.text:
                    continue
                issue = _raised(flag, read, body, ordering, frozenset(shared_arrays(body, handed)))
                if issue is not None and id(issue.place) not in told:
                    told.add(id(issue.place))
                    yield issue


def _waits(body: Body) -> Iterator[tuple[str, int]]:
    """(member, end) of each loop that does nothing until a member of what a pointer leads to is another value."""
    for loop in body.nodes:
        condition = loop.child("condition") if loop.kind in _WAITS else None
        inside = loop.child("body")
        if condition is None or inside is None or "->" not in condition.text:
            continue
        calls = [n for n in inside.walk() if n.kind == "call_expression"]
        if any(n.kind == "assignment_expression" for n in inside.walk()) or not all(
            _PAUSES.match(_callee(n)) for n in calls
        ):
            continue
        found = {m for node in condition.walk() if (m := _member(node))}
        if len(found) == 1 and _is_plain(next(iter(found)), body.scope.outline):
            yield found.pop(), loop.end


def _is_plain(member: str, outline: Outline) -> bool:
    """A number by what the file says, so that a store to it orders nothing: unlike `cuda::atomic<int> ready;`"""
    declared = [
        node.text
        for node in outline.root.walk()
        if node.kind == "field_declaration"
        and any(leaf.kind == "field_identifier" and leaf.text == member for leaf in node.walk())
    ]
    types = [re.split(rf"[*&,]|\b{re.escape(member)}\b", text)[0].strip() for text in declared]
    return bool(types) and all(_PLAIN.fullmatch(written) for written in types)


def _raised(
    flag: str, read: set[str], body: Body, ordering: frozenset[str], shared: frozenset[str]
) -> GuardIssue | None:
    """A member that is stored where the flag is raised behind it, with no fence between the two."""
    stored: dict[str, Syntax] = {}
    for node in body.nodes:
        if node.kind == "call_expression" and (ORDERS.search(_callee(node)) or _method(node) in ordering):
            stored = {}
        target, value = _target(node)
        if target is None or value is None or _root(target) in shared:
            continue
        member = _member(target)
        if member in read:
            stored[member] = node
        elif member == flag and stored and value.bare not in _ZEROS:
            last = max(stored.values(), key=lambda n: n.start)
            between = body.function.body.file.text[last.end : node.start]
            if _may_order(between, ordering):
                return None
            text = f"`{target.bare}` may be seen before `{_member(last.children[0])}`: no fence stands behind the data"
            return GuardIssue(body.function, node, text, last)
    return None


def _target(node: Syntax) -> tuple[Syntax | None, Syntax | None]:
    """(place, value) of a store or of an exchange whose result nobody needs."""
    if node.kind == "assignment_expression" and node.op == "=":
        return node.children[0], node.children[1]
    given = _given(node)
    if _EXCHANGE.match(_callee(node)) and len(given) == 2 and given[0].kind == "pointer_expression":
        return given[0].children[0], given[1]
    return None, None


def _is_read(node: Syntax, body: Body) -> bool:
    parent = body.parents.get(id(node))
    return node.kind in _PLACES and not (
        parent is not None and parent.kind == "assignment_expression" and parent.child("left") is node
    )


def _member(node: Syntax) -> str:
    """`ready` of `slot->ready`, `slot->ready[i]`, `*(volatile int *)&slot->ready`; nothing of an object that is a variable."""
    while node.kind in ("subscript_expression", "pointer_expression", "cast_expression") and node.children:
        inner = node.children[0] if node.kind == "subscript_expression" else node.children[-1]
        node = inner
    return node.children[-1].text if node.kind == "field_expression" and "->" in node.text else ""


# --- both ----------------------------------------------------------------------------------------------------------------


def _is_common(target: Syntax, body: Body, shared: dict[str, bool]) -> bool:
    """What a parameter, or a pointer that begins with one, leads to."""
    if target.kind not in _PLACES:
        return False
    name = _root(target)
    for _ in range(_STEPS):
        if not name or name in shared:
            return False
        if name in body.scope.parameters:
            given = body.function.parameters[body.scope.parameters.index(name)]
            return "*" in given.text and not _is_for_the_caller(body, body.scope.parameters.index(name))
        values = body.scope.values.get(name, [])
        declared = re.search(rf"(\*|&)\s*(const\s+|__restrict__\s+)*{re.escape(name)}\s*=", body.function.body.text)
        if declared is None or len(values) != 1:
            return False
        name = next((n.text for n in values[0].walk() if n.kind == "identifier"), "")
    return False


def _is_for_the_caller(body: Body, place: int) -> bool:
    """A call of the file gives the address of a variable there: `fetch(table, i, &value)`."""
    for call in program_of(body.scope.outline).callers(body.function.name):
        given = call.arguments[place] if place < len(call.arguments) else None
        if given is None or given.kind != "pointer_expression" or given.op != "&" or not given.children:
            continue
        name = given.children[0]
        declared = (node for node in call.function.body.walk() if node.kind == "declaration")
        if name.kind == "identifier" and any(
            leaf.kind == "identifier" and leaf.text == name.text for node in declared for leaf in node.walk()
        ):
            return True
    return False


def _root(node: Syntax) -> str:
    while node.kind in (*_PLACES, "cast_expression", "parenthesized_expression") and node.children:
        node = node.children[-1] if node.kind == "cast_expression" else node.children[0]
    return node.text if node.kind == "identifier" else ""


def _given(node: Syntax) -> tuple[Syntax, ...]:
    arguments = node.child("arguments") if node.kind == "call_expression" else None
    return () if arguments is None else arguments.children


def _method(node: Syntax) -> str:
    """The name of what is called, without its object: `unlock` of `lock.unlock()`."""
    found = re.search(r"(\w+)$", _callee(node))
    return "" if found is None else found[1]


def _callee(node: Syntax) -> str:
    callee = node.child("function") if node.kind == "call_expression" else None
    return "" if callee is None else callee.text.partition("<")[0].strip()
