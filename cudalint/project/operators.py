"""Functions of C++ that a project registers for Python, the modules that its build puts them in, and the Python that calls them.

setup.py:  CUDAExtension(name="scale_cuda", sources=["scale.cpp", "scale_kernel.cu"])
scale.cpp: PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &scale_forward); }
scale.py:  import scale_cuda;  scale_cuda.forward(x)
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from cudalint.analysis.operator_schema import closing
from cudalint.analysis.operators import ANY_MODULE, Operator, registered, registers, with_module
from cudalint.project.discovery import MAX_BYTES
from cudalint.project.includes import python_files

MOST_SCRIPTS = 6
MOST_DECLARING = 3
_BUILDS = re.compile(rb"Extension\s*\(|load(?:_inline)?\s*\(\s*(?=name\b|['\"])")
_NAMED = re.compile(r"(?:\bname\s*=\s*|^\s*)['\"]([\w.]+)['\"]")
_MENTIONED = re.compile(rb"[.:'\"]([A-Za-z_]\w+)")
_DEFINED = re.compile(
    rb"\b([A-Za-z_]\w+)\s*(?:<[^<>(){};]*>\s*)?\((?:[^(){};]|\([^(){};]*\)|\{[^(){};]*\})*\)\s*(?:noexcept\s*)?\{"
)
_OF_C = re.compile(rb"[)'\"]|(?:module|_c|cuda|ext|ops?|kernels?|_lib|engine|backend)$", re.IGNORECASE)
_IMPORTED = re.compile(rb"^[ \t]*from[ \t]+[\w.]+[ \t]+import[ \t]+(\([^()]*\)|[^\n]*)", re.MULTILINE)
_QUALIFIED = re.compile(rb"['\"](\w+::\w+)['\"]")
_SAYING = re.compile(r"\bk?Meta\b|\bTORCH_LIBRARY")
_DECLARING = re.compile(rb"@[\w.]*(?:fake|abstract|meta)\w*\s*\(?")
_WORD = re.compile(rb"\w+")
_PRIVATE = re.compile(rb"\bdef\s+(_\w+)|\bclass\s+(\w+)\s*\([^()]*\bFunction\s*\)")
_APART = re.compile(
    r"(?:^|[/_.])(?:tests?|testing|bench\w*|examples?|demo|docs?|setup|scripts?)(?:[/_.]|$)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Registered:
    """An operator and the file that registers it."""

    operator: Operator
    path: str


@dataclass(frozen=True, slots=True)
class Calling:
    """The Python files that may call some functions, those of them that are read, and the operators that these are.

    `unread` are the operators that other files of the project may call.
    """

    scripts: tuple[str, ...] = ()
    operators: tuple[Operator, ...] = ()
    unread: frozenset[str] = frozenset()
    left_out: tuple[str, ...] = ()


class OperatorIndex:
    """Over the C++ and Python files of a project; read when something asks for it."""

    def __init__(self, root: str, paths: Iterable[str]) -> None:
        self._root, self._paths = root, tuple(paths)
        self._registered: list[tuple[Operator, str]] | None = None
        self._told = False  # C++ itself says what operators take and give
        self._operators: tuple[Operator, ...] | None = None
        self._scripts: dict[str, frozenset[bytes]] | None = None
        self._words: Counter[bytes] | None = None
        self._outside: dict[str, frozenset[str]] = {}

    def calling(self, contents: Iterable[bytes]) -> Calling:
        """What calls the registered ones of the functions that the texts define."""
        names = {operator.function.encode() for operator, _ in self._found()} - {b""}
        defined = {name for text in contents for name in _DEFINED.findall(text) if name in names} if names else set()
        asked = tuple(o for o in self._all() if o.function.encode() in defined) if defined else ()
        if not asked:
            return Calling()
        found = {path: mentioned for path in self._mentions() if (mentioned := self._mentioned(path, asked))}
        order = sorted(found, key=lambda p: (self._is_apart(p), -len(found[p]), p))
        left_out = [path for path in order[MOST_SCRIPTS:] if not self._is_apart(path)]
        unread = frozenset(name for path in left_out for name in found[path])
        return Calling(tuple(order[:MOST_SCRIPTS]), asked, unread, tuple(order[MOST_SCRIPTS:]))

    def declaring(self, scripts: Iterable[str]) -> tuple[str, ...]:
        """The Python files that say what the operators give that some register or call, without doing it."""
        names = {name for script in scripts for name in _QUALIFIED.findall(_content(script))}
        short = {name.split(b"::")[-1] for name in names}
        found = (p for p, words in self._mentions().items() if names and not short.isdisjoint(words))
        texts = ((path, _content(path)) for path in found if not self._is_apart(path))
        declaring = ((p, text) for p, text in texts if _DECLARING.search(text))
        return tuple(p for p, text in declaring if not names.isdisjoint(_QUALIFIED.findall(text)))[:MOST_DECLARING]

    def used_elsewhere(self, script: str) -> frozenset[str]:
        """Private functions of a Python file, and classes with derivatives, that other Python files speak of."""
        if script not in self._outside:
            private = {a or b for a, b in _PRIVATE.findall(_content(script))} - {b"_", b"__init__"}
            files = self._files_with() if private else Counter[bytes]()
            own = script in self._mentions()
            self._outside[script] = frozenset(name.decode() for name in private if files[name] > own)
        return self._outside[script]

    # --- the project's operators --------------------------------------------------------------------------------------

    def _all(self) -> tuple[Operator, ...]:
        if self._operators is None:
            asked = self._found() and (self._told or self._mentions())
            self._operators = _told_apart(self._in_modules()) if asked else ()
        return self._operators

    def _found(self) -> list[tuple[Operator, str]]:
        """The operators with the files that register them; what is built of these is read when one is asked about."""
        if self._registered is None:
            read = ((path, _content(path)) for path in self._paths)
            texts = {path: text.decode("latin-1") for path, text in read if registers(text)}
            self._told = any(_SAYING.search(text) for text in texts.values())
            self._registered = registered(texts)
        return self._registered

    def _in_modules(self) -> Iterator[Operator]:
        """The operators, in the modules that a build makes of their files."""
        found = self._found()
        builds = list(self._builds()) if any(operator.module == ANY_MODULE for operator, _ in found) else []
        for operator, path in found:
            yield from with_module(operator, _modules_of(path, builds) if path else ())

    def _builds(self) -> Iterator[tuple[str, str]]:
        """The names of the modules that Python files build, and what they say of it."""
        for path in self._mentions():
            content = _content(path)
            for found in _BUILDS.finditer(content):
                text = "(" + content[found.end() : found.end() + 20_000].decode("latin-1")
                end = closing(text, 0)
                name = _NAMED.search(text[1:end]) if end is not None else None
                if name is not None:
                    yield name[1], text[1:end]

    # --- Python files -------------------------------------------------------------------------------------------------

    def _mentions(self) -> dict[str, frozenset[bytes]]:
        """What Python files speak of as a member of something, or in quotes."""
        if self._scripts is None:
            self._scripts = {}
            for path in python_files(self._root):
                content = _content(path)
                imported = (name for names in _IMPORTED.findall(content) for name in re.findall(rb"\w+", names))
                self._scripts[path] = frozenset((*_MENTIONED.findall(content), *imported))
        return self._scripts

    def _files_with(self) -> Counter[bytes]:
        """In how many Python files each word stands."""
        if self._words is None:
            self._words = Counter(word for path in self._mentions() for word in set(_WORD.findall(_content(path))))
        return self._words

    def _mentioned(self, path: str, asked: tuple[Operator, ...]) -> frozenset[str]:
        """The operators that the file may call: it names them and what they are part of."""
        words = self._mentions()[path]
        named = [o for o in asked if o.name.encode() in words]
        if not named:
            return frozenset()
        content = _content(path)
        names = b"|".join(sorted({re.escape(o.name.encode()) for o in named}))
        word = rb"\b(?:" + names + rb")\b"
        said = re.findall(rb"(\w++|\))\.(" + names + rb")\b", content)
        said += re.findall(rb"(['\"])(" + names + rb")['\"]\s*\)\s*\(", content)
        said += re.findall(rb"(\w++)::(" + names + rb")\b", content)
        said += [(b"import", name) for listed in _IMPORTED.findall(content) for name in re.findall(word, listed)]
        owners: dict[str, set[bytes]] = {}
        for owner, name in said:
            owners.setdefault(name.decode(), set()).add(owner)
        loads = _BUILDS.search(content) is not None
        return frozenset(o.name for o in named if o.name in owners and _speaks_of(content, o, owners[o.name], loads))

    def _is_apart(self, path: str) -> bool:
        """Programs that show how a library is used, and the ones that build it."""
        return bool(_APART.search(os.path.relpath(path, self._root)))


def _speaks_of(content: bytes, operator: Operator, owners: set[bytes], loads: bool) -> bool:
    """Whether a call in the text may mean the operator, which stands there behind these."""
    if operator.space:
        space = operator.space.encode()
        return b"torch.ops." + space in content or space + b"::" + operator.name.encode() in content
    if operator.schema is not None:
        return b"torch.ops" in content
    if operator.module:
        return operator.module.split(".")[-1].encode() in content
    return any(loads or _OF_C.search(owner) for owner in owners)


def _modules_of(path: str, builds: list[tuple[str, str]]) -> list[str]:
    """The modules whose build names the file; where none does, the only one that there is."""
    file = os.path.basename(path)
    listed = [name for name, text in builds if re.search(rf"(?:^|[/'\"]){re.escape(file)}\b", text)]
    names = sorted({name for name, _ in builds})
    return listed or (names if len(names) == 1 else [])


def _told_apart(operators: Iterable[Operator]) -> tuple[Operator, ...]:
    """Without those that a file cannot tell apart by what it calls: one name in no known module for several functions."""
    unique = dict.fromkeys(replace(operator, line=0) for operator in operators if operator.function)
    kinds: dict[tuple[str, str, str], set[str]] = {}
    for operator in unique:
        kinds.setdefault((operator.name, operator.space, operator.module), set()).add(operator.function)
    kept = [o for o in unique if len(kinds[o.name, o.space, o.module]) == 1]
    return tuple(sorted(kept, key=lambda o: (o.space, o.module, o.name, o.function)))


def _content(path: str) -> bytes:
    if not os.path.isfile(path):  # opening a pipe waits for its writer, a device has no end
        return b""
    try:
        with open(path, "rb") as file:
            return file.read(MAX_BYTES)
    except OSError:
        return b""
