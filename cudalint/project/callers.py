"""Which files of a project call functions, or launch kernels, that another one defines.

    ops.cu:   void scale(float *x, int n) { k<<<n / 256, 256>>>(x, n); }          main.cpp:  scale(x, 4096);

Names only, without types: what is read together is decided here, what links is decided by whole names and arities.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeVar

from cudalint.analysis.operators import Operator
from cudalint.analysis.text.old_c import with_prototypes
from cudalint.project.discovery import MAX_BYTES
from cudalint.project.includes import MAIN_ENDINGS, IncludeGraph, kernel_names
from cudalint.project.launch_macros import LAUNCH, LaunchMacros
from cudalint.project.named_scopes import calls_another, in_named_scope, opened_scopes
from cudalint.project.operators import MOST_DECLARING, Calling, OperatorIndex
from cudalint.project.scripts import Scripts
from cudalint.project.wrapped_allocations import Allocators, allocators_behind, allocators_in

MOST_DEFINERS = 4
MOST_CALLERS = 4
MOST_SMALL_CALLERS = 8
MOST_CALLEES = 3
MOST_SMALL_CALLEES = 3
MOST_FARTHER = 2
MOST_BESIDE = 3
MOST_IN_FOLDER = 32
SMALL = 4_000  # bytes: read at next to no cost

FEW = 64  # names that are looked for one by one before a file is read closely

FARTHEST_CALLER, FARTHEST_CALLEE, FARTHEST_SMALL_CALLEE = 6, 3, 6

_LOOKUPS = (b"GetFunction", b"GetKernel", b"GetLoweredName", b"AddNameExpression")
_QUOTED = re.compile(rb'"&?(?:\w+::)*([A-Za-z_]\w{2,}+)\s*+[<"]')
_MENTIONED = re.compile(rb"\b(?<!\.)(?<!->)(?<!std::)([A-Za-z_]\w{2,}+)\s*+[(<]")
_DEFINED = re.compile(
    rb"\b([A-Za-z_]\w{2,})\s*+(?>(?:<[^<>(){};]*+>\s*+)?)"
    rb"\((?>(?:[^(){};]++|\([^(){};]*+\))*)\)\s*+(?:const\s*+)?(?:noexcept\s*+)?\{"
)
_CONSTRUCTOR = re.compile(rb"\b([A-Za-z_]\w{2,})::\1\s*\(")
_OBJECT = re.compile(rb"\b([A-Za-z_]\w{2,})\s+(?:const\s+)?([a-z_]\w*)\s*[{(]")
_COUNT = re.compile(rb"\d{1,3}")
_DIRECTIVE = re.compile(rb"^[ \t]*#[^\n]*", re.MULTILINE)
_KEYWORDS = frozenset(
    b"for while switch catch main defined sizeof return free malloc calloc memset memcpy sqrt min max abs sync grid "
    b"gettimeofday printf fprintf exit assert swap move time clock rand read write find clear print cuInit "
    b"alignas alignof asm case constexpr const_cast decltype default delete dynamic_cast else explicit new noexcept "
    b"operator private protected public reinterpret_cast requires static_assert static_cast struct template this throw "
    b"typeid typename using virtual __attribute__ __launch_bounds__ cudaGetLastError cudaPeekAtLastError cudaMalloc "
    b"cudaFree cudaMemcpy cudaMemcpyAsync cudaMemset cudaMemsetAsync cudaGetErrorString cudaDeviceSynchronize "
    b"cudaStreamSynchronize bool char double float int long namespace short unsigned void".split()
)
_MACRO = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)\(", re.MULTILINE)
Part = TypeVar("Part")
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/|(\"(?:\\.|[^\"\\\n])*\")", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Names:
    """Of one file: functions that it mentions, those that it defines, and those of them that launch or are kernels.

    `called` are mentioned in functions that launch; a constructor has the name of its class.
    """

    mentioned: frozenset[bytes]
    defined: frozenset[bytes]
    launching: frozenset[bytes]
    called: frozenset[bytes]


NOTHING = Names(frozenset(), frozenset(), frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A file to read together with another: its functions that mention these names matter, and those that it `defines`.

    A Python file calls a C library of which these files are parts, or `operators` whose functions they define;
    `around` are the other Python files that may call these, `unread` those of them that further files may call.
    In `headers` stand those names that it does not mention itself. One that `declares` is no file: it stands for what C++
    itself says of its operators, by schemas and, where no Python calls them, by meta kernels.
    """

    path: str
    names: frozenset[str]
    defines: frozenset[str] = frozenset()
    library: tuple[str, ...] = ()
    operators: tuple[Operator, ...] = ()
    around: tuple[str, ...] = ()
    unread: frozenset[str] = frozenset()
    headers: tuple[str, ...] = ()
    declares: bool = False


class CallGraph:
    """Over the files that are compiled; each stands for all that it includes.

    `unread` are, by file, the callers behind the nearest few: what these pass is known to nobody.
    """

    def __init__(
        self, graph: IncludeGraph, asked: Iterable[str], nested: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    ) -> None:
        """Only what matters for the files that are `asked` about is read closely.

        Their `nested` headers are reported with them: who else launches kernels of these is a caller.
        """
        self._graph, self._nested = graph, nested
        self.unread: dict[str, tuple[str, ...]] = {}
        self._scripts = Scripts(graph.root)
        self._operators = OperatorIndex(graph.root, (path for path, file in graph.files.items() if file.registers))
        self._definitions: dict[str, frozenset[bytes]] = {}
        self._mentions: dict[str, frozenset[bytes]] = {}
        self._launched_in: dict[str, frozenset[bytes]] = {}
        self._scopes: dict[str, frozenset[bytes]] = {}
        self._allocators: dict[str, Allocators] = {}
        self._macros = LaunchMacros(graph, plain_at)
        self._files = {path: self._asked(path) for path in asked if path in graph.files}
        self._wanted = frozenset().union(*(n.launching | self._called(path, n) for path, n in self._files.items()))
        compiled = [path for path in sorted(graph.files) if path.endswith(MAIN_ENDINGS)] if self._wanted else []
        self._names = {path: self._with_included(path) for path in compiled}
        self._definers: dict[bytes, list[str]] = {}
        for path, names in self._names.items():
            for name in names.defined:
                self._definers.setdefault(name, []).append(path)

    def neighbours(self, path: str) -> tuple[Neighbour, ...]:
        """Callers of the file first, then files that define what it calls; the nearest few of each."""
        own = self._names.get(path)
        if own is None:
            return ()
        parts = frozenset((path, *self._nested.get(path, ())))
        apart = {p: self._apart_from(parts, p, names) for p, names in self._names.items() if p != path}
        shared = {p: n.mentioned & own.launching - self._meaning_its_own(n, p, path) for p, n in apart.items()}
        callers, callees = self._near(path, shared, FARTHEST_CALLER), self._callees(path, own)
        names = dict(_affordable(callers, MOST_CALLERS, MOST_SMALL_CALLERS))
        defines = dict(_affordable(callees, MOST_CALLEES, MOST_SMALL_CALLEES))
        names |= self._farther(path, names)
        library = (path, *names)
        for other, called in self._beside_callers(path, names).items():
            defines[other] = defines.get(other, frozenset()) | called
        self.unread[path] = tuple(other for other, _ in callers if other not in names and other not in defines)
        scripts = self._scripts.calling(map(content_of, library))
        calling = self._operators.calling(map(content_of, library)) if own.launching else Calling()
        declaring = self._declaring_in_c(path, calling)
        for other in sorted(declaring.keys() - {path, *names}):
            defines[other] = defines.get(other, frozenset()) | declaring[other]
        library = tuple(dict.fromkeys((*library, *declaring)))
        self.unread[path] += tuple(other for other in calling.left_out if other not in scripts)
        return (
            *(
                Neighbour(
                    p,
                    _decoded(names.get(p, frozenset())),
                    _decoded(defines.get(p, frozenset())),
                    headers=self._mentioning(p, names.get(p, frozenset())),
                )
                for p in {**names, **defines}
            ),
            *self._scripts_around(tuple(dict.fromkeys((*scripts, *calling.scripts))), library, calling),
            *self._declared_in_c(path, library, calling),
        )

    def _declaring_in_c(self, path: str, calling: Calling) -> dict[str, frozenset[bytes]]:
        """The files that define the meta kernels of operators: those of others, where the file itself does not."""
        names = frozenset(o.declaring.encode() for o in calling.operators if o.declaring)
        names -= self.defined(path) if names else frozenset()
        found: dict[str, frozenset[bytes]] = {}
        for other in sorted(self._names, key=lambda p: distance(p, path)) if names else ():
            defined = names & self.defined(other)
            if defined and len(found) < MOST_DECLARING:
                found[other] = defined
                names -= defined
        return found

    def _declared_in_c(self, path: str, library: tuple[str, ...], calling: Calling) -> Iterator[Neighbour]:
        """What schemas say of operators, and meta kernels of those that no Python calls."""
        if any(operator.declaring or operator.schema is not None for operator in calling.operators):
            around = tuple(calling.scripts)
            yield Neighbour(path, frozenset(), frozenset(), library, calling.operators, around, declares=True)

    def _scripts_around(
        self, scripts: tuple[str, ...], library: tuple[str, ...], calling: Calling
    ) -> Iterator[Neighbour]:
        """Python files, each with its private functions that others use, and those that declare what these register."""
        around = tuple(dict.fromkeys((*scripts, *(self._operators.declaring(scripts) if scripts else ()))))
        for path in around:
            names = self._operators.used_elsewhere(path)
            yield Neighbour(path, names, frozenset(), library, calling.operators, around, calling.unread)

    def _mentioning(self, path: str, names: frozenset[bytes]) -> tuple[str, ...]:
        """The headers of a file that launch kernels of these names, which it does not mention itself."""
        there = names - self._in_text(path, names)
        closure = self._graph.closure(path) if there else ()
        return tuple(p for p in closure if p != path and self._in_text(p, there) and self._launches(p))

    def _farther(self, path: str, callers: Mapping[str, frozenset[bytes]]) -> dict[str, frozenset[bytes]]:
        """Callers of the functions that launch kernels of a file from another one: what these get is told there."""
        kernels = kernel_names(content_of(path))
        found: dict[str, frozenset[bytes]] = {}
        for caller, names in callers.items():
            launched = names & kernels
            leading = _leading(functions_of(plain_at(caller)), launched) if launched else frozenset[bytes]()
            for other in self._names if leading else ():
                if other in (path, *callers) or distance(other, caller)[0] > FARTHEST_CALLEE:
                    continue
                shared = self._mentioned(other, leading)
                if shared and (shared := shared - names_in(content_of(other)).defined):
                    found[other] = found.get(other, frozenset()) | shared
        nearest = sorted(found, key=lambda p: (-len(found[p]), p))[:MOST_FARTHER]
        return {p: found[p] for p in nearest}

    def _beside_callers(self, path: str, callers: Mapping[str, frozenset[bytes]]) -> dict[str, frozenset[bytes]]:
        """Files beside the callers that define what these call on their way: who makes the object that they pass."""
        found: dict[str, frozenset[bytes]] = {}
        for caller, names in callers.items():
            folder, called = os.path.dirname(caller), _called_on_the_way(plain_at(caller), names)
            beside = [p for p in self._names if p not in (path, caller) and os.path.dirname(p) == folder]
            if not called or len(beside) > MOST_IN_FOLDER:
                continue
            defined = {p: there for p in beside if (there := self.defined(p) & called)}
            own = frozenset().union(*(self.defined(each) for each in self._graph.closure(caller) if defined))
            for other, there in defined.items():
                once = {name for name in there - own if sum(name in names for names in defined.values()) == 1}
                found |= {other: found.get(other, frozenset()) | once} if once else {}
        most = sorted(found, key=lambda p: (-len(found[p]), p))[:MOST_BESIDE]
        return {p: found[p] for p in most}

    def _mentioned(self, path: str, names: frozenset[bytes]) -> frozenset[bytes]:
        """Those of the names that the file mentions itself; where it was not read for them, its text is."""
        return self._names[path].mentioned & names if names <= self._wanted else self._in_text(path, names)

    def _in_text(self, path: str, names: frozenset[bytes]) -> frozenset[bytes]:
        """Those of the names that the file's own text mentions."""
        if path not in self._mentions:
            self._mentions[path] = frozenset(_mentioned(content_of(path)))
        return self._mentions[path] & names

    def _callees(self, path: str, own: Names) -> list[tuple[str, frozenset[bytes]]]:
        wanted: dict[str, frozenset[bytes]] = {}
        for name in own.called - own.defined:
            definers = self._definers.get(name, ())
            if 0 < len(definers) <= MOST_DEFINERS:
                nearest = min(definers, key=lambda p: distance(p, path))
                wanted[nearest] = wanted.get(nearest, frozenset()) | {name}
        near = self._near(path, wanted, FARTHEST_CALLEE)
        known = {other for other, _ in near}
        far = {
            p: self._defined_once(names)
            for p, names in wanted.items()
            if p not in known and len(content_of(p)) <= SMALL
        }
        near += self._near(path, far, FARTHEST_SMALL_CALLEE)
        return sorted(near, key=lambda found: (distance(found[0], path)[0], -len(found[1])))

    def _defined_once(self, names: Iterable[bytes]) -> frozenset[bytes]:
        return frozenset(name for name in names if len(self._definers[name]) == 1)

    def _near(
        self, path: str, shared: Mapping[str, frozenset[bytes]], farthest: int
    ) -> list[tuple[str, frozenset[bytes]]]:
        """Those near by that share a name which few define, and for which this file is the nearest one that does."""
        kept: list[tuple[tuple[int, str], str, frozenset[bytes]]] = []
        for other, names in shared.items():
            if not names or (away := distance(other, path))[0] > farthest:
                continue
            means = frozenset(name for name in names if self._means(name, other, path))
            if means:
                kept.append((away, other, means))
        return [(other, names) for _, other, names in sorted(kept, key=lambda item: item[0])]

    def _means(self, name: bytes, other: str, path: str) -> bool:
        definers: Sequence[str] = self._definers.get(name, ())
        if other in definers:
            return True
        if len(definers) > MOST_DEFINERS:
            definers = in_named_scope(name, plain_at(other), path, definers, self._scopes_of)
        nearest = min(definers, key=lambda p: distance(p, other), default=path)
        as_near = distance(nearest, other)[0] == distance(path, other)[0]
        meant = nearest == path or (as_near and self._is_declared_for(name, other, path))
        return meant and len(definers) <= MOST_DEFINERS

    def _scopes_of(self, path: str) -> frozenset[bytes]:
        if path not in self._scopes:
            self._scopes[path] = opened_scopes(plain_at(path))
        return self._scopes[path]

    def _is_declared_for(self, name: bytes, other: str, path: str) -> bool:
        """A header that both include speaks of the function: that of another file has another namespace."""
        shared = set(self._graph.closure(other)) & set(self._graph.closure(path)) - {other, path}
        return any(re.search(rb"\b" + name + rb"\s*[(<]", content_of(each)) for each in sorted(shared))

    def _called(self, path: str, names: Names) -> frozenset[bytes]:
        """What the file calls that neither it nor what it includes defines."""
        return names.called.difference(*(self.defined(each) for each in self._graph.closure(path) if names.called))

    def defined(self, path: str) -> frozenset[bytes]:
        """The names that the file itself has a body for."""
        if path not in self._definitions:
            content = plain_at(path)
            self._definitions[path] = _defined_in(content, [name for _, name in _starts(content)])
        return self._definitions[path]

    def _asked(self, path: str) -> Names:
        """The names of the file; what the launching functions of any header that it includes call is called here."""
        own = names_in(self._own_text(path), self._macros.of(path))
        called = own.called.union(*map(self._called_in_header, self._graph.closure(path)))
        allocating = map(self._allocators_of, self._graph.closure(path)) if called else ()
        return replace(own, called=called | allocators_behind(allocating, called))

    def _allocators_of(self, path: str) -> Allocators:
        if path not in self._allocators:
            self._allocators[path] = {} if path.endswith(MAIN_ENDINGS) else allocators_in(content_of(path))
        return self._allocators[path]

    def _called_in_header(self, path: str) -> frozenset[bytes]:
        if path not in self._launched_in:
            launches = not path.endswith(MAIN_ENDINGS) and self._launches(path)
            found = names_in(content_of(path), self._macros.of(path)).called if launches else frozenset[bytes]()
            self._launched_in[path] = found
        return self._launched_in[path]

    def _launches(self, path: str, macros: frozenset[bytes] = frozenset()) -> bool:
        """Whether the file itself launches, maybe by a macro: one of those that it has, or of the given ones."""
        content = content_of(path)
        return LAUNCH.search(content) is not None or any(name in content for name in macros | self._macros.of(path))

    def _own_text(self, path: str) -> bytes:
        """The file with the headers that launch for it alone, and those that are reported with it.

        Callers elsewhere call what those define.
        """
        nested = self._nested.get(path, ())
        parts = [each for each in self._graph.closure(path) if each != path and self._graph.mains(each) == (path,)]
        macros = self._macros.of(path)
        headers = [each for each in parts if each not in nested and not each.endswith(MAIN_ENDINGS)]
        launching = [content_of(each) for each in headers if self._launches(each, macros)]
        return b"\n".join([*launching, *map(content_of, nested), content_of(path)])

    def _with_included(self, path: str) -> Names:
        own, parts = self._read(path), [self._read(each) for each in self._graph.closure(path)]
        mentioned = frozenset().union(*(p.mentioned for p in parts))
        return Names(mentioned, frozenset().union(*(p.defined for p in parts)), own.launching, own.called)

    def _meaning_its_own(self, names: Names, caller: str, path: str) -> frozenset[bytes]:
        """What the caller defines itself, and does not name by a scope of the other file's: `kernels::run(x)` in `ops::run`."""
        both = names.defined & names.mentioned & self._names[path].launching
        scopes = self._scopes_of(path) if both else frozenset()
        text = plain_at(caller) if both and scopes else b""
        return names.defined - {name for name in both if calls_another(name, text, scopes)}

    def _apart_from(self, parts: frozenset[str], path: str, names: Names) -> Names:
        """The names of a file without those of the parts that it includes: it calls what stands there."""
        closure = self._graph.closure(path)
        if parts.isdisjoint(closure):
            return names
        rest = [self._read(each) for each in closure if each not in parts]
        mentioned, defined = (p.mentioned for p in rest), (p.defined for p in rest)
        return Names(frozenset().union(*mentioned), frozenset().union(*defined), names.launching, names.called)

    def _read(self, path: str) -> Names:
        """Of a file that nobody asks about: where few names are wanted, only those of them that it mentions or defines."""
        if path not in self._files:
            content = content_of(path)
            if len(self._wanted) <= FEW:
                there = [name for name in self._wanted if name in content]
                self._files[path] = _those_in(plain_at(path), there) if there else NOTHING
            else:
                mentions = not self._wanted.isdisjoint(_mentioned(content))
                self._files[path] = names_in(plain_at(path)) if mentions else NOTHING
        return self._files[path]


def names_in(content: bytes, macros: Collection[bytes] = ()) -> Names:
    """Read from the text alone; a function ends where the next one begins. The `macros` launch."""
    content = _plain(content)
    chunks = functions_of(content)
    launch = re.compile(b"|".join((LAUNCH.pattern, *(rb"\b%s\s*\(" % name for name in sorted(macros)))))
    mentioned = frozenset(_mentioned(content)) - _KEYWORDS
    defined = _defined_in(content, [name for name, _ in chunks])
    kernels = kernel_names(content) & defined
    texts = {name: chunk for name, chunk in chunks if launch.search(chunk)}
    found = texts.keys() - kernels
    while found:
        pattern = re.compile(rb"\b(?:" + b"|".join(sorted(found)) + rb")\s*[(<,)\"]")
        found = {n for n, chunk in chunks if n not in texts and pattern.search(chunk, len(n))}
        texts.update((name, chunk) for name, chunk in chunks if name in found)
    called = frozenset(name for chunk in texts.values() for name in _mentioned(chunk))
    objects = [
        pair
        for name, chunk in texts.items()
        for pair in _OBJECT.findall(_DIRECTIVE.sub(b";", chunk), len(name))
        if pair[0] != b"return"
    ]
    called = called - {name for _, name in objects} | {of for of, _ in objects}
    return Names(mentioned, defined, frozenset(texts) | kernels, called - _KEYWORDS)


def _plain(content: bytes) -> bytes:
    """The text without its comments."""
    return _COMMENT.sub(lambda found: found[1] or b" ", content)


def _starts(content: bytes, also: tuple[bytes, ...] = ()) -> list[tuple[int, bytes]]:
    """Where functions are defined, with their names."""
    found = ((each.start(), each[1]) for each in _DEFINED.finditer(content))
    return [(start, name) for start, name in found if name in also or name not in _KEYWORDS]


def _defined_in(content: bytes, functions: Iterable[bytes]) -> frozenset[bytes]:
    """The functions of a text, with its macros and constructors."""
    return frozenset((*functions, *_MACRO.findall(content), *_CONSTRUCTOR.findall(content)))


def _those_in(content: bytes, names: Iterable[bytes]) -> Names:
    """Those of the names that a text mentions and defines, each looked for by itself; the rest of the text is not read."""
    mentioned: set[bytes] = set()
    defined: set[bytes] = set()
    for name in names:
        at = content.find(name)
        while at >= 0 and not (name in mentioned and name in defined):
            line = content.rfind(b"\n", 0, at) + 1
            defining = ((_DEFINED, at), (_CONSTRUCTOR, at), (_MACRO, line))
            if _is(_MENTIONED.match(content, at), name) or _is_looked_up(content, at, name):
                mentioned.add(name)
            if any(_is(pattern.match(content, place), name) for pattern, place in defining):
                defined.add(name)
            at = content.find(name, at + len(name))
    return Names(frozenset(mentioned), frozenset(defined), frozenset(), frozenset())


def _mentioned(content: bytes) -> list[bytes]:
    """What a text calls or launches, and the kernels that it looks up by name while it runs."""
    found = _MENTIONED.findall(content)
    return [*found, *looked_up(content)] if any(each in content for each in _LOOKUPS) else found


def looked_up(content: bytes) -> list[bytes]:
    """Names in quotation marks, also as compilers mangle them: scale of "ops::scale<float>" and of "_ZN3ops5scaleEPf"."""
    found = _QUOTED.findall(content)
    return [part for name in found for part in (_mangled_parts(name) if name.startswith(b"_Z") else (name,))]


def _mangled_parts(name: bytes) -> list[bytes]:
    parts: list[bytes] = []
    at = 2
    while (count := _COUNT.search(name, at)) is not None:
        at = count.end() + int(count[0])
        parts.append(name[count.end() : at])
    return parts


def _is_looked_up(content: bytes, at: int, name: bytes) -> bool:
    line = content[content.rfind(b"\n", 0, at) + 1 : at + len(name) + 1]
    return b'"' in line and any(each in content for each in _LOOKUPS) and name in looked_up(line + b'"')


def _is(found: re.Match[bytes] | None, name: bytes) -> bool:
    return found is not None and found[1] == name


def _called_on_the_way(content: bytes, names: frozenset[bytes]) -> frozenset[bytes]:
    """What the functions of a text that lead to these names mention."""
    chunks = functions_of(content, b"main")
    leading = _leading(chunks, names)
    texts = (chunk for name, chunk in chunks if name in leading)
    return frozenset(name for text in texts for name in _mentioned(text)) - _KEYWORDS - names


def functions_of(content: bytes, *also: bytes) -> list[tuple[bytes, bytes]]:
    """The functions of a text with theirs; each ends where the next one begins."""
    starts = _starts(content, also)
    ends = [start for start, _ in starts[1:]] + [len(content)]
    return [(name, content[start:end]) for (start, name), end in zip(starts, ends)]


def _leading(chunks: list[tuple[bytes, bytes]], names: frozenset[bytes]) -> frozenset[bytes]:
    """The functions that mention one of the names, themselves or by others of them."""
    found, more = frozenset[bytes](), names
    while more:
        pattern = re.compile(rb"\b(?:" + b"|".join(sorted(more)) + rb")\s*[(<,)\"]")
        more = frozenset(n for n, chunk in chunks if n not in found and pattern.search(chunk, len(n)))
        found |= more
    return found


def _affordable(found: list[tuple[str, frozenset[bytes]]], most: int, small: int) -> list[tuple[str, frozenset[bytes]]]:
    """The nearest few, and of the others the small ones: what works out a grid is often a file of its own."""
    cheap = [each for each in found[most:] if len(content_of(each[0])) <= SMALL]
    return found[:most] + cheap[:small]


def distance(a: str, b: str) -> tuple[int, str]:
    """How many folders lie between two files."""
    one, two = a.split(os.sep)[:-1], b.split(os.sep)[:-1]
    shared = next((i for i, (x, y) in enumerate(zip(one, two)) if x != y), min(len(one), len(two)))
    return len(one) + len(two) - 2 * shared, a


def content_of(path: str) -> bytes:
    """The bytes of a file, up to the size of those that are analysed; none of what cannot be read."""
    if not os.path.isfile(path):  # opening a pipe waits for its writer, a device has no end
        return b""
    try:
        with open(path, "rb") as file:
            return file.read(MAX_BYTES)
    except OSError:
        return b""


def plain_at(path: str) -> bytes:
    """The text of a file without its comments; C of before prototypes defines its functions as C++ does."""
    content = content_of(path)
    if path.endswith(".c"):
        content = with_prototypes(content.decode("latin-1")).encode("latin-1")
    return _plain(content)


def neighbours_of(calls: CallGraph, paths: Iterable[str]) -> dict[str, tuple[Neighbour, ...]]:
    """For each of the files those that call it or are called by it; a neighbour has the same names for all."""
    found = {path: calls.neighbours(path) for path in paths}
    whole: dict[tuple[str, bool], Neighbour] = {}
    for each in (neighbour for neighbours in found.values() for neighbour in neighbours):
        known = whole.get((each.path, each.declares), each)
        whole[each.path, each.declares] = Neighbour(
            each.path,
            known.names | each.names,
            known.defines | each.defines,
            _both(known.library, each.library),
            _both(known.operators, each.operators),
            _both(known.around, each.around),
            known.unread | each.unread,
            _both(known.headers, each.headers),
            each.declares,
        )
    return {path: tuple(whole[n.path, n.declares] for n in neighbours) for path, neighbours in found.items()}


def _both(some: tuple[Part, ...], others: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple(dict.fromkeys((*some, *others)))


def _decoded(names: frozenset[bytes]) -> frozenset[str]:
    return frozenset(name.decode() for name in names)
