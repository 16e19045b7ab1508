"""One parsed file to one unit: which functions are lowered, and in what order."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping
from ctypes import ArgumentError  # a RecursionError, where libclang is called
from functools import lru_cache

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import (  # noqa: F401  each fills in its part of the tables
    assembly,
    bindings,
    calls,
    casts,
    expressions,
    handlers,
    holes,
    loops,
    operators,
    places,
    statements,
)  # fmt: skip
from cudalint.frontend.lowering.callbacks import LAUNCHING
from cudalint.frontend.lowering.context import Gap, Program, Record
from cudalint.frontend.lowering.functions import (
    MOST_HOST_INSTANCES,
    body_of,
    definition_of,
    is_for_both,
    is_for_host,
    lower_function,
    name_span,
    request,
    role_of,
)
from cudalint.frontend.lowering.uncalled import uncalled
from cudalint.ir import nodes as ir
from cudalint.ir.types import VOID
from cudalint.source import Span

INSTANCES = "cudalint_instances"
MEMBERS = "cudalint_members"  # of explicit instances of class templates
MOST_WALKED = 2_000  # functions that are searched for instances of kernels
MOST_UNCALLED = 100  # device functions that nobody calls
SHORT = 600  # bytes of a function that may set a variable or two
_ALLOCATES = re.compile(rb"[aA]lloc|\bnew\b|\bresize\b|Create")
_FILLED = re.compile(
    rb"[mM]alloc\w*\s*\([^;{}]*?&\s*(?:\w+(?:->|\.))*(\w+)|\b(\w+)\s*=[^;={}]*(?:[aA]lloc\w*\s*[<(]|\bnew\b)"
    rb"|\b(\w+)(?:->|\.)resize\s*\("
)
_ASSIGNED = re.compile(
    rb"[;{})]\s*(?:\w+(?:->|\.))*(\w+)\s*(?:[-+*/]?=(?!=)|\+\+|--"
    rb"|(?:->|\.)(?:assign|clear|emplace_back|erase|insert|push_back|reset|resize|swap)\s*\()"
)
_WORD = re.compile(rb"[A-Za-z_]\w*")
_NAMING = (Kind.DECL_REF_EXPR, Kind.CALL_EXPR, Kind.MEMBER_REF_EXPR)
MOST_BYTES = 2_000_000  # of function text, counted for each instance; a file that exceeds it is generated
_INSIDE = (Kind.NAMESPACE, Kind.LINKAGE_SPEC, Kind.UNEXPOSED_DECL, Kind.STRUCT_DECL, Kind.CLASS_DECL)
_FUNCTIONS = (Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.CONSTRUCTOR)
_USED = re.compile(rb"\b([A-Za-z_]\w*)\s*\(")
_MACRO = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)]*\)(?:[^\n\\]|\\\r?\n|\\.)*)", re.MULTILINE)


def declarations(program: Program, unit: Cursor) -> Iterator[Cursor]:
    """Functions and templates of the file itself and of the project's files that count, in the order of the text."""
    for child in clang.behind_prelude(unit):
        if _counts(program, child, program.included):
            yield from _functions(child)


def _counts(program: Program, declaration: Cursor, files: frozenset[str]) -> bool:
    if clang.is_in_main_file(declaration):
        return True
    if clang.is_in_system_header(declaration):
        return False
    file, _, _, _ = program.locator.position(declaration.location)  # what a macro makes is where the macro is used
    return file == program.main or (len(files) > 1 and program.locator.shown(file) in files)


def _is_wanted(program: Program, declaration: Cursor) -> bool:
    return _counts(program, declaration, program.wanted)


def _functions(cursor: Cursor) -> Iterator[Cursor]:
    if cursor.kind in _FUNCTIONS or cursor.kind == Kind.FUNCTION_TEMPLATE:
        yield cursor
    elif cursor.kind in _INSIDE:
        for child in clang.children(cursor):
            yield from _functions(child)


def _inside_templates(cursor: Cursor) -> Iterator[Cursor]:
    """Members of class templates that are written inside them, and are no device code."""
    if cursor.kind in (Kind.CLASS_TEMPLATE, Kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION):
        methods = (m for m in clang.children(cursor) if m.kind == Kind.CXX_METHOD and body_of(m) is not None)
        yield from (m for m in methods if role_of(m) == ir.Role.HOST)
    elif cursor.kind in (Kind.NAMESPACE, Kind.LINKAGE_SPEC, Kind.UNEXPOSED_DECL):
        for child in clang.children(cursor):
            yield from _inside_templates(child)


def is_kernel(declaration: Cursor) -> bool:
    return any(c.kind == Kind.CUDAGLOBAL_ATTR for c in clang.children(declaration))


def survey(program: Program, unit: Cursor) -> None:
    """Note what the file declares: kernel templates, host functions that launch, their templates, device functions alone."""
    found = program.declarations = list(declarations(program, unit))
    program.templates = [
        d for d in found if d.kind == Kind.FUNCTION_TEMPLATE and is_kernel(d) and _is_wanted(program, d)
    ]
    inside = [m for d in clang.behind_prelude(unit) if _is_wanted(program, d) for m in _inside_templates(d)]
    program.hosts = _launching(program, found, inside)
    if program.alone:
        alone = uncalled(program, found, [d for d in found if _is_wanted(program, d)])
        program.uncalled, program.unchecked = alone[:MOST_UNCALLED], len(alone[MOST_UNCALLED:])
        program.templates += [d for d in program.uncalled if d.kind == Kind.FUNCTION_TEMPLATE]


def without_instance(program: Program, templates: list[Cursor]) -> list[Cursor]:
    """Those of the templates that no function of the file leads to an instance of; nothing needs to be lowered for that."""
    missing = {name_span(program, t): t for t in templates}
    for _, target in _used(program, _with_bodies(program)) if missing else ():
        if clang.template_of(target) is not None:
            definition = definition_of(target)
            missing.pop(name_span(program, definition or target), None)
            if not missing:
                break
    return list(missing.values())


def _used(program: Program, functions: list[Cursor]) -> Iterator[tuple[Cursor, Cursor]]:
    """The functions that these use, each once with its user, and what the instances of templates among them use."""
    seen: set[int] = set()
    instances: Counter[tuple[Span, int]] = Counter()
    waiting = deque(f for f in functions if role_of(f) != ir.Role.DEVICE)
    for _ in range(MOST_WALKED):
        if not waiting:
            return
        user = waiting.popleft()
        for cursor in clang.of_kinds(user, *_NAMING):
            target = clang.referenced(cursor)
            if target is None or target.kind not in _FUNCTIONS or clang.identity(target) in seen:
                continue
            seen.add(clang.identity(target))
            if program.in_stubs(target):
                continue
            yield user, target
            definition = definition_of(target) if clang.template_of(target) is not None else None
            if definition is not None and _may_launch(user, definition):
                by = clang.identity(user) if is_for_both(definition) else 0
                instances[name_span(program, definition), by] += 1
                if instances[name_span(program, definition), by] <= MOST_HOST_INSTANCES:
                    waiting.append(definition)


def _may_launch(user: Cursor, definition: Cursor) -> bool:
    """Whether an instance is searched: no device code; dispatchers that both may call, a few for each that calls them."""
    if role_of(definition) == ir.Role.HOST:
        return True
    return is_for_both(definition) and role_of(user) != ir.Role.KERNEL


def _with_bodies(program: Program) -> list[Cursor]:
    return [d for d in program.declarations if d.kind in _FUNCTIONS and body_of(d) is not None and not _is_pattern(d)]


def _is_pattern(declaration: Cursor) -> bool:
    """A member of a class template that is defined outside it: its instances are what is lowered."""
    owner = declaration.semantic_parent
    return owner is not None and owner.kind in (Kind.CLASS_TEMPLATE, Kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION)


def lower_unit(program: Program) -> None:
    """Lower what a surveyed file holds."""
    plain = _with_bodies(program)
    for declaration in plain:
        if declaration.spelling in (INSTANCES, MEMBERS):
            _request_instances(program, declaration)
        elif program.kernels and is_kernel(declaration) and _is_wanted(program, declaration):
            request(program, declaration)
    for declaration in program.hosts:
        request(program, declaration)
    drain(program)
    _request_referenced(program, plain, [t for t in program.templates if is_kernel(t)])
    drain(program)
    for declaration in program.uncalled:
        if declaration.kind != Kind.FUNCTION_TEMPLATE:
            request(program, declaration, by_device=True)
    drain(program)


def _request_referenced(program: Program, functions: list[Cursor], templates: list[Cursor]) -> None:
    """Instances of kernels that no launch in sight gives: behind a macro, in a table, where a constant leads elsewhere."""
    lowered = {f.name_span for f in program.functions.values()}
    missing = {t.spelling for t in templates if name_span(program, t) not in lowered}
    hosts = [f for f in functions if not is_kernel(f)] if missing else []
    users: dict[int, Cursor] = {}
    for user, target in _used(program, hosts):
        users.setdefault(clang.identity(definition_of(target) or target), user)
        if target.spelling in missing and is_kernel(target):
            request(program, target)
            _request_users(program, users, user)


def _request_users(program: Program, users: Mapping[int, Cursor], user: Cursor | None) -> None:
    """A function and those that lead to it: they make what the kernel is launched with."""
    seen: set[int] = set()
    while user is not None and clang.identity(user) not in seen and user.spelling != INSTANCES:
        seen.add(clang.identity(user))
        request(program, user, by_host=True)
        user = users.get(clang.identity(user))


def _request_instances(program: Program, declaration: Cursor) -> None:
    alone = {name_span(program, each) for each in program.uncalled}
    for cursor in clang.of_kinds(declaration, Kind.DECL_REF_EXPR):
        target = clang.referenced(cursor)
        if target is not None and target.kind in (Kind.FUNCTION_DECL, Kind.CXX_METHOD):
            request(program, target, by_device=name_span(program, target) in alone)


def _launching(program: Program, found: list[Cursor], inside: list[Cursor]) -> list[Cursor]:
    """Host functions that launch, and those that call them: sizes and template arguments come from there.

    `inside` are members of class templates: of them those count that launch, or call what launches.
    """
    ours = (d for d in found if not is_kernel(d) and body_of(d) is not None and d.spelling not in (INSTANCES, MEMBERS))
    texts = [(d, _meant(program, d)) for d in ours]
    asked = _mentioning(program.asked)
    signs = [p for p in (LAUNCHING, asked, _handing({d.spelling for d in found if is_kernel(d)})) if p is not None]
    wanted = {clang.identity(d) for d, text in texts if any(sign.search(text) for sign in signs)}
    if program.asked:  # the text of what a macro made, name and all, tells nothing
        made = [d for d, text in texts if d.spelling.isidentifier() and d.spelling.encode() not in text]
        wanted |= {clang.identity(d) for d in made}
    members = [(m, _meant(program, m)) for m in inside]
    wanted |= {clang.identity(m) for m, text in members if LAUNCHING.search(text)}
    texts, own = [*texts, *members], texts
    names = {_mentioned_as(d) for d, _ in texts if clang.identity(d) in wanted}
    while names:
        pattern = _mentioning(names)
        assert pattern is not None
        more = [d for d, text in texts if clang.identity(d) not in wanted and pattern.search(text)]
        wanted |= {clang.identity(d) for d in more}
        names = {_mentioned_as(d) for d in more}
    wanted |= _filling(own, wanted)
    wanted |= {clang.identity(d) for d, _ in own if d.spelling in program.defining}
    wanted |= {clang.identity(d) for d, _ in own if d.spelling in program.called and _prepares(_text(program, d))}
    found = [d for d, _ in texts if clang.identity(d) in wanted]
    program.launching = [d for d in found if d.kind == Kind.FUNCTION_TEMPLATE]
    program.members = [d for d in found if d.kind == Kind.CXX_METHOD and _is_pattern(d)]
    return [d for d in found if d.kind in _FUNCTIONS and not _is_pattern(d)]


def _handing(kernels: set[str]) -> re.Pattern[bytes] | None:
    """`launch(kernel, ...)`, where the launch itself may be elsewhere."""
    names = "|".join(sorted(map(re.escape, kernels)))
    return re.compile(rf"\(\s*&?\s*(?:{names})\s*(?:<[^()]*>)?\s*,".encode()) if kernels else None


def _filling(texts: list[tuple[Cursor, bytes]], wanted: set[int]) -> set[int]:
    """Functions that fill what the wanted ones read: constructors of their classes, and who allocates by a name of theirs.

    With them comes who assigns what they assign, or nobody could say what is left of it.
    """
    others = [(d, text) for d, text in texts if clang.identity(d) not in wanted and d.kind in _FUNCTIONS]
    leading = [(d, text) for d, text in texts if clang.identity(d) in wanted]
    owners = {clang.identity(d.semantic_parent) for d, _ in leading if d.kind == Kind.CXX_METHOD}
    made = [
        (d, text)
        for d, text in others
        if d.kind == Kind.CONSTRUCTOR and not _is_pattern(d) and clang.identity(d.semantic_parent) in owners
    ]
    found = {clang.identity(d): text for d, text in made}
    filled = [
        (d, text, {name for match in _FILLED.finditer(text) if (name := match[match.lastindex or 0])})
        for d, text in others
        if _ALLOCATES.search(text)
    ]
    if any(names for _, _, names in filled):
        read = frozenset(word for _, text in leading for word in _WORD.findall(text))
        found |= {clang.identity(d): text for d, text, names in filled if names & read}
        through = _calling_on({d.spelling for d, _, names in filled if names & read and d.kind == Kind.CXX_METHOD})
        if through is not None:  # `buffer_.allocate(n)`
            found |= {clang.identity(d): text for d, text in others if read.intersection(through.findall(text))}
    assigned = frozenset(name for text in found.values() for name in _ASSIGNED.findall(text))
    assigned |= frozenset(word for _, text in made for word in _WORD.findall(text))  # initialisers of members
    return set(found) | {clang.identity(d) for d, text in others if not assigned.isdisjoint(_ASSIGNED.findall(text))}


def _calling_on(methods: set[str]) -> re.Pattern[bytes] | None:
    """The name of the object for which one of the methods is called."""
    names = "|".join(sorted(map(re.escape, methods)))
    return re.compile(rf"(\w+)\s*(?:\.|->)\s*(?:{names})\s*\(".encode()) if methods else None


def _prepares(text: bytes) -> bool:
    """Whether a function may be what fills the variables of its file before a launch: it allocates or is short."""
    return len(text) <= SHORT or _ALLOCATES.search(text) is not None


def leading_to(program: Program, kernels: list[Cursor]) -> list[Cursor]:
    """The templates of launching host functions whose text leads to one of these kernels."""
    texts = {clang.identity(t): _meant(program, t) for t in program.launching}
    found: dict[int, Cursor] = {}
    names = {_mentioned_as(k) for k in kernels}
    while pattern := _mentioning(names):
        unseen = [t for t in program.launching if clang.identity(t) not in found]
        more = {clang.identity(t): t for t in unseen if pattern.search(texts[clang.identity(t)])}
        found |= more
        names = {_mentioned_as(t) for t in more.values()}
    return [t for t in program.launching if clang.identity(t) in found]


def called_by_others(program: Program, templates: list[Cursor]) -> list[Cursor]:
    """Those of the templates that another one of another name calls or passes on."""
    texts = [(t.spelling, _meant(program, t)) for t in templates]

    def is_called(template: Cursor) -> bool:
        pattern = _mentioning({_mentioned_as(template)})
        assert pattern is not None
        return any(name != template.spelling and pattern.search(text) for name, text in texts)

    return [t for t in templates if is_called(t)]


def _meant(program: Program, declaration: Cursor) -> bytes:
    """The text of a function with what the macros of its file make of it: `CASE(1, 4)` calls what the macro calls."""
    text = _text(program, declaration)
    macros = _macros(program.locator.content(program.locator.extent(declaration)[0]))
    used = dict.fromkeys(_USED.findall(text)) if macros else {}
    waiting = [name for name in used if name in macros]
    for name in waiting:
        more = [inner for inner in _USED.findall(macros[name]) if inner in macros and inner not in used]
        used.update(dict.fromkeys(more))
        waiting += dict.fromkeys(more)
    return b"\n".join((text, *(macros[name] for name in waiting)))


@lru_cache(maxsize=16)
def _macros(content: bytes) -> dict[bytes, bytes]:
    """The macros of a file that take arguments, with what they stand for."""
    return {match[1]: match[2] for match in _MACRO.finditer(content)} if b"#" in content else {}


def _text(program: Program, declaration: Cursor) -> bytes:
    file, start, end = program.locator.extent(declaration)
    return program.locator.content(file)[start:end]


def _mentioned_as(declaration: Cursor) -> bytes:
    """What code that calls it writes: `Functor{}` is handed to who calls its operator."""
    owner = declaration.semantic_parent if declaration.spelling == "operator()" else None
    name: str = declaration.spelling if owner is None else owner.spelling
    return name.encode()


def _mentioning(names: Collection[bytes]) -> re.Pattern[bytes] | None:
    """Where one of the functions is called or passed on."""
    if not names:
        return None
    return re.compile(rb"\b(?:" + b"|".join(re.escape(n) for n in sorted(names)) + rb")\s*[<(,){\"]")


_FAILURES = (AssertionError, AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError, ArgumentError)


def drain(program: Program) -> None:
    """Lower what was asked for, and what that asks for. A failure of ours is a hole that covers its function.

    Host functions have a budget of their own, so that they never cost a kernel.
    """
    spent: Counter[bool] = Counter()
    while program.pending:
        name, declaration = program.pending.popleft()
        host = is_for_host(program, name, declaration)
        if spent[host] > MOST_BYTES:
            _replaced(program, name, declaration, f"not lowered: over {MOST_BYTES:,} bytes of functions in one file")
            continue
        _, start, end = program.locator.extent(declaration)
        spent[host] += end - start
        try:
            lower_function(program, name, declaration)
        except _FAILURES as error:
            if program.strict:
                raise
            _replaced(program, name, declaration, f"lowering failed: {type(error).__name__}: {error}")


def _replaced(program: Program, name: str, declaration: Cursor, reason: str) -> None:
    """A hole stands for the whole function."""
    span = program.locator.span(declaration)
    program.records.setdefault(name, Record()).gaps.append(Gap(reason, span))
    hole = ir.Unmodelled(reason, span, may_exit=True, may_sync=True)
    role = ir.Role.KERNEL if is_kernel(declaration) else ir.Role.DEVICE
    place = name_span(program, declaration)
    program.functions[name] = ir.Function(
        name, declaration.spelling, role, (), (), VOID, (hole,), span, name_span=place
    )
