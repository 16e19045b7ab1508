"""Declarations for names that nothing declares, so that a second parse keeps the statements that use them.

    error: use of undeclared identifier 'scale'        y[i] = scale(x[i]) * TILE;
    template <class... A> ... int scale(A &&...);      extern int TILE;

What a name is follows from the message and from the text after the name. The shape is a guess and the value is
nobody's: every declaration carries the annotation MARK, and what it names is to be treated as unknown.

A round takes the guesses of the round before and returns all of them again, because later problems refine earlier
guesses: a struct gets the members that the code uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal, TypeAlias

from cudalint.frontend.check_macros import check_macro
from cudalint.frontend.guessed_constants import constant_of
from cudalint.frontend.loop_macros import loop_macro
from cudalint.frontend.number_names import number_of

MARK = "cudalint_guess"
MAX_ROUNDS = 4

_TAG = f'__attribute__((annotate("{MARK}")))'
_BOTH = "__attribute__((host)) __attribute__((device))"
_CALLABLE = f"template <class... A> {_TAG} {_BOTH}"

Shape: TypeAlias = Literal[
    "include", "macro", "alias", "number", "namespace", "struct", "enum", "function", "constant", "variable", "object"
]

_MISSING = (
    (re.compile(r"unknown (?:type|class) name '(\w+)'"), "type"),
    (re.compile(r"no template named '(\w+)'(?: in namespace '([\w:]+)')?"), "template"),
    (re.compile(r"no type named '(\w+)' in namespace '([\w:]+)'"), "type"),
    (re.compile(r"use of undeclared identifier '(\w+)'"), "name"),
    (re.compile(r"no member named '(\w+)' in namespace '([\w:]+)'"), "name"),
)
_MEMBER = re.compile(r"no (member|type|template) named '(\w+)' in '(?:\w+::)*(\w+)(?:<.*>)?'")
_VALUE_TYPE = re.compile(r"a non-type template parameter cannot have type '(?:\w+::)*(\w+)'")
_MUST_BE_TYPE = re.compile(r"template argument for template type parameter must be a type")
_OPERATOR = re.compile(
    r"type '(?:const )?(?:\w+::)*(\w+)(?:<.*>)?' does not provide a (subscript|call) operator"
    r"|no matching function for call to (?:an )?object of type '(?:const )?(?:\w+::)*(\w+)(?:<.*>)?'"
)
_POINTER = re.compile(r"(?:\w*[a-z_])?(?:ptr|Ptr|PTR|[pP]ointer)_?|(?:get_?)?data_?", re.IGNORECASE)
_STATIC = re.compile(r"static constexpr int (\w+) =")
_SHARED = re.compile(r"(?:[Dd]ynamic)?_?[Ss]hared_?[Mm]em(?:ory)?(?:Helper|Proxy|Wrapper|_t)?")
_FIRST = "cudalint_first"  # the first type that a guessed template is given
_SHARED_BYTES = f"{{ extern __attribute__((shared)) unsigned char shared_bytes[]; return ({_FIRST} *)shared_bytes; }}"
_NOT_CONSTANT = re.compile(r"variable.length array|not a constant expression|by a constant expression")
_CONSTANTS = re.compile(r"\bconst(?:expr)?\s+[\w:]+(?:\s+\w+)*?\s+(\w+)\s*=\s*([^;]*);")
_OBJECT = "cudalint_guess_of_"
_LIBRARIES = {
    "cub": "cub/cub.cuh",
    "thrust": "thrust/device_vector.h",
    "at": "torch/extension.h",
    "c10": "torch/extension.h",
    "torch": "torch/extension.h",
    "py": "torch/extension.h",
    "nvcuda": "mma.h",
    "cuda": "cuda/std/atomic",
}
_PREFIXES = (
    (re.compile(r"curand|CURAND_"), "curand_kernel.h"),
    (re.compile(r"cublas|CUBLAS_|CUDA_R_"), "cublasLt.h"),
    (re.compile(r"nccl[A-Z]"), "nccl.h"),
    (re.compile(r"cufft|CUFFT_"), "cufft.h"),
    (re.compile(r"cusparse|CUSPARSE_|cusolver|CUSOLVER_"), "cusparse.h"),
    (re.compile(r"nvtx[A-Z]"), "nvToolsExt.h"),
    (re.compile(r"CU[a-z]\w+\Z|cu[A-Z]\w+\Z|CUDA_SUCCESS\Z"), "cuda.h"),
    (
        re.compile(r"__(?:(?:global_)?(?:requires|ensures)|\w*_?(?:invariant|assert))\Z"),
        "cudalint_stubs/verification.h",
    ),
    (re.compile(r"(?:STD_)?TORCH_|AT_DISPATCH|AT_CUDA|C10_|PYBIND11_"), "torch/extension.h"),
)
_ALIAS = re.compile(r"\bnamespace\s+\w+\s*=\s*(?:::)?\Z")
_ALIASES = {"cg": "cooperative_groups", "wmma": "nvcuda::wmma"}
_RETURNS = re.compile(r"[A-Za-z_][\w:]*(?:<[^;(){}]*>)?[\s&*]+[A-Za-z_]\w*\s*\(")  # a type and the name of a function
_SPECIFIER = re.compile(r"(?:void|static|inline|extern|template|constexpr|__\w+|int|float|double|bool|auto|unsigned)\b")
_BEFORE_LOOP = re.compile(r"(\([^()]*\)\s*)?(?:for|while|do|if)\b")  # `UNROLL for (...)`
_NO_TYPE = r"(?:return|else|case|goto|throw|delete|new|typedef)\b"
_STANDARD = re.compile(r"(?:u?int(?:8|16|32|64|ptr)|s?size|ptrdiff)_t\Z")  # lost only where a line before is broken
_RESERVED = frozenset(["class", "struct", "union", "enum", "template", "typename", "this", "operator", "new", "delete"])


@dataclass(frozen=True, slots=True)
class Problem:
    """A diagnostic of the parser in the file itself; lines and columns are 1-based, columns count code points."""

    message: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Guess:
    """One guessed name. `parameters` are those of a template; `members` are declarations inside a struct."""

    name: str
    space: str
    shape: Shape
    text: str = ""
    parameters: str | None = None
    members: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.space}::{self.name}" if self.space else self.name


@dataclass(frozen=True, slots=True)
class Guesses:
    """All guesses up to now. `text` goes before the file; `names` has `space::name` for what is in a namespace."""

    entries: tuple[Guess, ...] = ()

    @property
    def text(self) -> str:
        """The declarations, one a line; headers and macros first, because the others may use them."""
        first = {"include": 0, "macro": 1, "alias": 2, "number": 2}
        ordered = sorted(self.entries, key=lambda e: first.get(e.shape, 3))
        return "".join(f"{line}\n" for line in dict.fromkeys(map(_declaration, ordered)))

    @property
    def names(self) -> frozenset[str]:
        """Names whose declaration is a guess; a header of ours or a macro that vanishes is none."""
        return frozenset(e.key for e in self.entries if e.shape not in ("include", "macro", "alias", "number"))


def guesses(problems: Iterable[Problem], text: str, known: Guesses = Guesses()) -> Guesses:
    """The guesses of the rounds before and new ones for what the problems say is missing; equal to `known` if there are none.

    Use `Guesses.text` in place of the earlier rounds' text, at most MAX_ROUNDS times.
    """
    lines = text.split("\n")
    entries = {entry.key: entry for entry in known.entries}
    for problem in sorted(set(problems), key=lambda p: (p.line, p.column, p.message)):
        if (loop := loop_macro(lines, problem.line, text)) is not None:
            entries[loop[0]] = Guess(loop[0], "", "macro", loop[1])
            continue
        member = _MEMBER.search(problem.message)
        if member is not None:
            _add_member(entries, member, _around(member[2], problem, lines), text)
            continue
        operator = _OPERATOR.search(problem.message)
        if operator is not None:
            _add_operator(entries, operator[1] or operator[3], "[]" if operator[2] == "subscript" else "()")
            continue
        if (valued := _VALUE_TYPE.search(problem.message)) is not None:
            _make_enum(entries, valued[1])
            continue
        if _MUST_BE_TYPE.search(problem.message):
            _make_type(entries, problem, lines)
            continue
        if _NOT_CONSTANT.search(problem.message):
            _make_constant(entries, problem, lines, text)
            continue
        for pattern, kind in _MISSING:
            match = pattern.search(problem.message)
            if match is not None:
                space = (match[2] or "") if pattern.groups > 1 else ""
                before, after = _around(match[1], problem, lines)
                _add(entries, match[1], space, kind, after, text)
                _add_inner(entries, f"{space}::{match[1]}".removeprefix("::"), before, after)
                break
    return Guesses(tuple(entries.values()))


def with_classes(known: Guesses, names: Iterable[str]) -> Guesses:
    """With classes of these names, which nothing is known of."""
    there = {entry.key for entry in known.entries}
    return Guesses((*known.entries, *(Guess(name, "", "struct") for name in dict.fromkeys(names) if name not in there)))


def _around(name: str, problem: Problem, lines: list[str]) -> tuple[str, str]:
    """The text before and after the name, which is at the problem's place or later on its line; some lines further on."""
    if not 1 <= problem.line <= len(lines):
        return "", ""
    line = lines[problem.line - 1]
    match = re.compile(rf"\b{name}\b").search(line, max(0, problem.column - 1))
    if match is None:
        return "", ""
    after = "\n".join([line[match.end() :], *lines[problem.line : problem.line + 3]])
    return line[: match.start()].rstrip(), re.sub(r"\A(?:\s|//[^\n]*|/\*.*?\*/)+", "", after, flags=re.DOTALL)[:400]


# --- which shape a name has --------------------------------------------------------------------------------------------


def _add(entries: dict[str, Guess], name: str, space: str, kind: str, after: str, text: str) -> None:
    guess = _guess(name, space, kind, after, text)
    if guess is not None and guess.key not in entries and name not in _RESERVED and not _STANDARD.match(name):
        entries[guess.key] = guess


def _add_inner(entries: dict[str, Guess], outer: str, before: str, after: str) -> None:
    """The namespaces that a guessed one is written with: each would take a round of its own."""
    if outer not in entries or entries[outer].shape != "namespace":
        return
    names = re.match(r"(?:::\w+)*", after)[0].split("::")[1:]  # type: ignore[index]
    for name in names if _ALIAS.search(before) else names[:-1]:
        entries.setdefault(f"{outer}::{name}", Guess(name, outer, "namespace"))
        outer = f"{outer}::{name}"


def _guess(name: str, space: str, kind: str, after: str, text: str) -> Guess | None:
    if not space:
        if (header := _header(name, after)) is not None:
            return Guess(name, "", "include", header)
        if name in _ALIASES and after.startswith("::"):
            return Guess(name, "", "alias", _ALIASES[name])
        if kind == "type" and name.isupper() and (_SPECIFIER.match(after) or _RETURNS.match(after)):
            return Guess(name, "", "macro", _macro(name, after))
        if kind == "type" and name.isupper() and name.endswith("_KERNEL") and re.match(r"\w+\s*\(", after):
            return Guess(name, "", "macro", "static __global__ void")
        if (check := check_macro(name, after)) is not None:
            return Guess(name, "", "macro", check)
        if name.isupper() and (pragma := _BEFORE_LOOP.match(after)) is not None:
            return Guess(name, "", "macro", "(...)" if pragma[1] else "")
        if _declared(name, text):  # its declaration is what fails: it comes back with what it needs
            return None
    if (kind == "type" or re.match(r"\(|[*&\s]*\w", after)) and (
        number := number_of(name, text if kind == "type" else "")
    ) is not None:
        return Guess(name, space, "number", number)
    if (shape := _shape(name, kind, after, text)) == "constant":
        return Guess(name, space, shape, constant_of(name, text), _parameters(after))
    return Guess(name, space, shape, "" if after.startswith(".") else "*", _parameters(after))


def _header(name: str, after: str) -> str | None:
    if after.startswith("::") and name in _LIBRARIES:
        return _LIBRARIES[name]
    return next((header for prefix, header in _PREFIXES if prefix.match(name)), None)


def _macro(name: str, after: str) -> str:
    """What a specifier in capitals stands for."""
    if re.match(r"[\s\w]*__(?:global|device|host)__", after):
        return ""
    if "KERNEL" in name or "GLOBAL" in name:
        return "__global__"
    return "__host__ __device__" if re.search("DEVICE|HOST|HD|INLINE|FUNC", name) else ""


def _declared(name: str, text: str) -> bool:
    head = re.compile(rf"\b(?:struct|class|union|enum(?:\s+class)?|using|namespace|define)\s+{name}\b")
    body = re.compile(rf"[\w>*&]\s+[*&]*{name}\s*\([^;{{}}]*\)[\s\w]*\{{")
    local = re.compile(
        rf"(?:^|[;{{}}(])\s*(?!{_NO_TYPE})(?:const\s+)?[\w:]+(?:<[^;{{}}]*>)?[\s*&]+{name}\s*[=;\[]", re.MULTILINE
    )
    return any(p.search(piece) for piece in _around_uses(name, text, ";{}") for p in (head, body, local))


def _shape(name: str, kind: str, after: str, text: str) -> Shape:
    if kind in ("type", "template"):
        return "struct"
    if after.startswith("::"):
        return "namespace"
    if after.startswith("(") or (_parameters(after) is not None and re.match(r"<[^;{}]*>\s*\(", after)):
        return "function"
    if _parameters(after) is not None or re.match(r"[A-Za-z_]\w*\s*[;=({,]", after):
        return "struct"
    if after.startswith((".", "->", "[")):
        return "object"
    return "constant" if _must_be_constant(name, text) else "variable"


def _must_be_constant(name: str, text: str) -> bool:
    """Whether a declared array, template argument, case or bound somewhere needs the name."""
    word = rf"[^\]\n;]*\b{name}\b"
    array = rf"[\w>][\s*&]+\w+\s*(?:\[[^\]\n]*\]\s*)*\[{word}[^\]\n]*\]\s*(?:\[[^\n]*)?[;,={{]"
    argument = rf"\w<(?:[^<>;()]*,)?\s*{name}\s*[,>*/+-]"
    other = rf"\bcase\s+(?:[\w:]+::)?{name}\b|__launch_bounds__\([^()]*\b{name}\b|\b(?:constexpr|static_assert)\b[^;]*\b{name}\b"
    pattern = re.compile(rf"{array}|{argument}|{other}")
    return any(pattern.search(piece) for piece in _around_uses(name, text, ";"))


def _around_uses(name: str, text: str, ends: str) -> Iterator[str]:
    """The pieces of the text between two of the characters that end a piece, with those, in which the name stands."""
    for number in _pieces_with(text, ends).get(name, ()):
        yield _pieces(text, ends)[number]


@lru_cache(maxsize=4)
def _pieces(text: str, ends: str) -> tuple[str, ...]:
    cuts = [-1, *(found.start() for found in re.finditer(f"[{ends}]", text)), len(text)]
    return tuple(text[max(first, 0) : last + 1] for first, last in pairwise(cuts))


@lru_cache(maxsize=4)
def _pieces_with(text: str, ends: str) -> dict[str, list[int]]:
    """For each word of the text the numbers of the pieces that hold it."""
    found: dict[str, list[int]] = {}
    for number, piece in enumerate(_pieces(text, ends)):
        for word in dict.fromkeys(re.findall(r"\w+", piece)):
            found.setdefault(word, []).append(number)
    return found


def _make_constant(entries: dict[str, Guess], problem: Problem, lines: list[str], text: str) -> None:
    """The variables on the problem's line, or in the macros and constants that it uses, have to be constants."""
    if not 1 <= problem.line <= len(lines):
        return
    words = set(re.findall(r"\w+", lines[problem.line - 1]))
    for macro, body in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(.*)", text, re.MULTILINE):
        if macro in words:
            words |= set(re.findall(r"\w+", body))
    for name, value in reversed(_CONSTANTS.findall(text)):  # `const int rows = THREADS / 32;`
        if name in words:
            words |= set(re.findall(r"\w+", value))
    for key, entry in entries.items():
        if entry.shape == "variable" and entry.name in words:
            entries[key] = replace(entry, shape="constant", text=constant_of(entry.name, text))


def _parameters(after: str) -> str | None:
    """Template parameters for the arguments that follow a name, `class, auto`; None where none follow."""
    if not after.startswith("<") or after.startswith(("<<", "<=")):
        return None
    depth, pieces = 0, [""]
    for char in after:
        depth += (char in "<([") - (char in ">)]")
        if depth == 0:
            return ", ".join("auto" if _is_value(piece) else "class" for piece in pieces)
        if char in ";{}":
            return None
        if char == "," and depth == 1:
            pieces.append("")
        elif depth > 1 or char not in "<>":
            pieces[-1] += char
    return None


def _is_value(argument: str) -> bool:
    stripped = argument.strip()
    if re.match(r"[\d'-]|(?:true|false|sizeof)\b", stripped):
        return True
    return (stripped.isupper() and len(stripped) > 2) or re.search(
        r"\w\s*[-+*/%]\s*\w|::value\Z|_v\Z|\A(?!typename\b).*<.*::(?!\w*(?:[tT]ype|_t)\Z)\w+\Z", stripped, re.DOTALL
    ) is not None


# --- members -----------------------------------------------------------------------------------------------------------


def _add_member(entries: dict[str, Guess], member: re.Match[str], around: tuple[str, str], text: str) -> None:
    what, name, owner = member.groups()
    before, after = around
    owner = owner.removeprefix(_OBJECT)
    entry = _owner(entries, owner)
    if entry is not None and entry.shape == "enum":
        entries[entry.key] = replace(entry, members=tuple(dict.fromkeys((*entry.members, name))))
        return
    if entry is None or any(re.search(rf"\b{name}\b", known) for known in entry.members):
        return
    if what == "type":
        declaration = f"typedef int {name};"
    elif what == "template" or after.startswith("(") or re.match(r"<[^;{}]*>\s*\(", after):
        pointed = _has_first(entry) and _POINTER.fullmatch(name) is not None
        given = _first_of(entry) if pointed or _CALL_INDEXED.match(after) else "int "
        if not entry.parameters and _CALL_FOLLOWED.match(after):
            made = Guess(f"{name}_of_{owner}", "", "struct")
            entries.setdefault(made.key, made)
            given = f"struct {made.name} "
        static = "static " if before.endswith("::") else ""
        declaration = f"{_CALLABLE} {static}{given}{name}(A &&...arguments){_constness(before)};"
        if _is_shared(entry) and pointed:
            declaration = f"{_BOTH} {given}{name}(){_constness(before)} {_SHARED_BYTES}"
    elif before.endswith("::"):
        declaration = f"{_TAG} static constexpr int {name} = {constant_of(name, text)};"
    else:
        indexed = after.startswith("[") or re.search(rf"(?:\.|->){name}\s*\[", text)
        named = _first_of(entry) if _has_first(entry) and _POINTER.fullmatch(name) else "int "
        type_ = "int *" if indexed else _held_in(before, entry) or named
        declaration = f"{_TAG} {type_}{name};"
    entries[entry.key] = replace(entry, members=(*entry.members, declaration))


_POINTER_FROM = re.compile(
    r"(?:^|[;{(\s])(?:const\s+)?(\w+)(?:\s+const)?\s*\*\s*(?:const\s+|__restrict__\s+|restrict\s+)?\w+\s*=[^=;]*$"
)
_PLAIN_TYPES = frozenset(["char", "short", "int", "unsigned", "long", "float", "double", "half", "__half", "bool"])


def _held_in(before: str, entry: Guess) -> str | None:
    """The type of a member that a pointer starts from, `const T *p = in.`; None where no pointer does, or of no known type."""
    if (found := _POINTER_FROM.search(before)) is None:
        return None
    if found[1] in _PLAIN_TYPES and not _has_first(entry):
        return f"{found[1]} *"
    return _first_of(entry) if _has_first(entry) else None


_CALL_INDEXED = re.compile(r"\s*\((?:[^()]|\([^()]*\))*\)\s*\[")
_CALL_FOLLOWED = re.compile(r"\s*\((?:[^()]|\([^()]*\))*\)\s*\.\s*[A-Za-z_]")  # `message.part().size()`


def _has_first(entry: Guess) -> bool:
    return entry.shape == "struct" and (entry.parameters or "").startswith("class")


def _first_of(entry: Guess) -> str:
    """A pointer to what the guessed template holds."""
    return f"{_FIRST} *" if _has_first(entry) else "int *"


def _add_operator(entries: dict[str, Guess], owner: str, operator: str) -> None:
    """`view[i]`, `image(y, x)`: an element, of the first type that the template is given."""
    entry = _owner(entries, owner.removeprefix(_OBJECT))
    if entry is None or any(f"operator{operator}" in known for known in entry.members):
        return
    declaration = f"{_CALLABLE} {_FIRST if _has_first(entry) else 'int'} &operator{operator}(A &&...arguments) const;"
    if operator == "[]":
        declaration = declaration.replace(_CALLABLE, f"template <class A> {_TAG} {_BOTH}").replace("A &&...", "A &&")
    entries[entry.key] = replace(entry, members=(*entry.members, declaration))


def _make_type(entries: dict[str, Guess], problem: Problem, lines: list[str]) -> None:
    """`Binary<T, af_max_t>`: an argument that was taken for a value."""
    line = lines[problem.line - 1] if 1 <= problem.line <= len(lines) else ""
    name = re.match(r"\w+", line[problem.column - 1 :])
    entry = entries.get(name[0]) if name is not None else None
    if entry is not None and entry.shape in ("constant", "variable"):
        entries[entry.key] = replace(entry, shape="struct", text="")


def _make_enum(entries: dict[str, Guess], name: str) -> None:
    """`template <Activation A>`: only an enumeration may be the type of a template's value."""
    entry = _owner(entries, name)
    if entry is not None and entry.shape == "struct" and not entry.parameters:
        named = [found[1] for known in entry.members if (found := _STATIC.search(known))]
        entries[entry.key] = replace(entry, shape="enum", members=tuple(named))


def _is_shared(guess: Guess) -> bool:
    """`SharedMemory<T> shared;` stands for the dynamic shared memory of the block, which no template can declare."""
    return _SHARED.fullmatch(guess.name) is not None and _has_first(guess)


def _owner(entries: dict[str, Guess], name: str) -> Guess | None:
    return next((e for e in entries.values() if e.name == name and e.shape in ("struct", "enum", "object")), None)


def _constness(before: str) -> str:
    return "" if before.endswith("::") else " const"


# --- text --------------------------------------------------------------------------------------------------------------


def _declaration(guess: Guess) -> str:
    body = _body(guess)
    return f"namespace {guess.space} {{ {body} }}" if guess.space else body


def _body(guess: Guess) -> str:
    name = guess.name
    match guess.shape:
        case "include":
            return f"#include <{guess.text}>"
        case "macro":
            return f"#define {name}{'' if guess.text.startswith('(') else ' '}{guess.text}".rstrip()
        case "alias":
            return ("#include <mma.h>\n" if name == "wmma" else "") + f"namespace {name} = {guess.text};"
        case "number":
            return f"typedef {guess.text} {name};"
        case "namespace":
            return f"namespace {name} {{}}"
        case "struct":
            return _struct(guess, name)
        case "enum":
            return f"enum class {_TAG} {name} : int {{ {', '.join(guess.members)} }};"
        case "function":
            explicit = f"{guess.parameters}, " if guess.parameters else ""
            return f"template <{explicit}class... A> {_TAG} {_BOTH} int {name}(A &&...arguments);"
        case "constant":
            return f"{_TAG} constexpr int {name} = {guess.text};"
        case "object":
            made = _OBJECT + name
            return f"{_struct(guess, made)} {_TAG} extern __attribute__((device)) {made} {guess.text}{name};"
        case "variable":
            return f"{_TAG} extern __attribute__((device)) int {name};"


def _struct(guess: Guess, name: str) -> str:
    """Anything makes one, and it converts to int, so that no use of it is a further error."""
    head = f"template <{guess.parameters.replace('class', f'class {_FIRST}', 1)}> " if guess.parameters else ""
    made = f"{name}() = default; {_CALLABLE} {name}(A &&...arguments); {_BOTH} operator int() const;"
    if _is_shared(guess):
        made = f"{name}() = default; {_BOTH} operator {_FIRST} *() const {_SHARED_BYTES}"
    return f"{head}struct {_TAG} {name} {{ {' '.join([made, *guess.members])} }};"
