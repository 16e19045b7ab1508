"""The only importer of libclang: parsing in memory, and the C functions that the Python class lacks.

Children, types and spans are read through the functions here, because the class costs several times more per call
and cannot say which operator an expression has. Spans of tokens inside a macro argument are those of the argument;
anything else from a macro has the span of the macro's use.
"""

from __future__ import annotations

import ctypes
import functools
import os
import re
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import clang.cindex as cindex

from cudalint.frontend.clang_results import quicken
from cudalint.frontend.quiet import quiet
from cudalint.source import Span

Cursor = Any  # clang.cindex.Cursor: the package has no types
ClangType = Any
Kind = cindex.CursorKind
TypeKind = cindex.TypeKind
FLAGS = (
    *("-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-nostdinc", "-nostdinc++"),
    *(
        "--target=x86_64-unknown-linux-gnu",
        "-Wno-unknown-cuda-version",
        "-ferror-limit=0",
        "-w",
        "-Wno-invalid-constexpr",
        "-fno-spell-checking",  # a misspelt name would be read as the nearest other one
        "-fno-access-control",  # instances name private members
    ),
)
STUBS = Path(__file__).parent / "stubs"
KEEP_GOING = 0x200
ERROR = 3
_HARMLESS = re.compile(
    "an attribute list cannot appear here"  # nvcc takes [[nodiscard]] after __device__
    '|file not found with <angled> include; use "quotes" instead'  # it is included all the same
)

BINARY_OPERATORS = (
    *("", ".*", "->*", "*", "/", "%", "+", "-", "<<", ">>", "<=>", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|"),
    *("&&", "||", "=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=", ","),
)
UNARY_OPERATORS = ("", "x++", "x--", "++x", "--x", "&", "*", "+", "-", "~", "!", "real", "imag", "extension", "await")


class _Once:
    """A property of the Python class that is computed once per object: later reads find it among the object's own."""

    def __init__(self, name: str, compute: Callable[[Any], Any]) -> None:
        self._name, self._compute = name, compute

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        value = instance.__dict__[self._name] = self._compute(instance)
        return value


def _read_once(owner: Any, *names: str) -> None:
    for name in names:
        setattr(owner, name, _Once(name, owner.__dict__[name].fget))


_read_once(cindex.Cursor, "kind", "type", "spelling", "extent", "location")
_read_once(cindex.Type, "kind", "spelling")
_read_once(cindex.SourceRange, "start", "end")


@functools.cache
def _library() -> Any:
    lib = cindex.conf.lib
    quicken(cindex)
    lib.clang_getCursorBinaryOperatorKind.argtypes = [cindex.Cursor]
    lib.clang_getCursorUnaryOperatorKind.argtypes = [cindex.Cursor]
    lib.clang_Cursor_Evaluate.argtypes = [cindex.Cursor]
    lib.clang_Cursor_Evaluate.restype = ctypes.c_void_p
    for name, result in (("Kind", ctypes.c_int), ("AsLongLong", ctypes.c_longlong), ("AsDouble", ctypes.c_double)):
        function = getattr(lib, f"clang_EvalResult_get{name}")
        function.argtypes, function.restype = [ctypes.c_void_p], result
    lib.clang_EvalResult_isUnsignedInt.argtypes = [ctypes.c_void_p]
    lib.clang_EvalResult_getAsUnsigned.argtypes = [ctypes.c_void_p]
    lib.clang_EvalResult_getAsUnsigned.restype = ctypes.c_ulonglong
    lib.clang_EvalResult_dispose.argtypes = [ctypes.c_void_p]
    lib.clang_Cursor_getVarDeclInitializer.argtypes = [cindex.Cursor]
    lib.clang_Cursor_getVarDeclInitializer.restype = cindex.Cursor
    lib.clang_Cursor_hasVarDeclExternalStorage.argtypes = [cindex.Cursor]
    lib.clang_isInvalidDeclaration.argtypes = [cindex.Cursor]
    lib.clang_Location_isFromMainFile.argtypes = [cindex.SourceLocation]
    lib.clang_Location_isInSystemHeader.argtypes = [cindex.SourceLocation]
    lib.clang_getCursorPrintingPolicy.argtypes = [cindex.Cursor]
    lib.clang_getCursorPrintingPolicy.restype = ctypes.c_void_p
    lib.clang_PrintingPolicy_setProperty.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint]
    lib.clang_PrintingPolicy_dispose.argtypes = [ctypes.c_void_p]
    lib.clang_getCursorPrettyPrinted.argtypes = [cindex.Cursor, ctypes.c_void_p]
    lib.clang_getCursorPrettyPrinted.restype = cindex._CXString
    unsigned = ctypes.POINTER(ctypes.c_uint)
    lib.clang_getFileLocation.argtypes = [
        cindex.SourceLocation, ctypes.POINTER(ctypes.c_void_p), unsigned, unsigned, unsigned,
    ]  # fmt: skip
    lib.clang_getFileLocation.restype = None
    lib.clang_getExpansionLocation.argtypes = lib.clang_getFileLocation.argtypes
    lib.clang_getExpansionLocation.restype = None
    lib.clang_getFileName.argtypes = [ctypes.c_void_p]
    return lib


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """An error or a warning; `offset` in bytes of its file."""

    severity: int
    message: str
    path: str
    line: int
    column: int
    offset: int
    requested: tuple[tuple[str, int], ...] = ()  # files and lines of the instantiations that led to it


@dataclass(frozen=True, slots=True)
class ParsedUnit:
    """One translation unit. `main` is the name that the file was parsed under; it is freed with its last cursor."""

    handle: Any
    main: str
    errors: tuple[Diagnostic, ...]


def parse(
    path: str, text: str, arguments: tuple[str, ...], extra: tuple[tuple[str, str], ...] = (), savable: bool = False
) -> ParsedUnit:
    """Parse `text` as the CUDA file `path`; `extra` are further files in memory. Raises OSError if libclang gives up.

    Libclang cannot save what itself rests on a precompiled header: of what is `savable` the prelude is parsed too.
    """
    unsaved = [(path, text), *extra]
    prelude = _prelude(_deciding(arguments))
    prelude = PLAIN_PRELUDE if savable else prelude
    try:
        unit = _parse(path, [*FLAGS, *prelude, *arguments], unsaved)
    except OSError:
        if prelude == PLAIN_PRELUDE:
            raise
        unit = _parse(path, [*FLAGS, *PLAIN_PRELUDE, *arguments], unsaved)  # the precompiled one may have gone
    unit._cudalint_prelude = _count(arguments)
    return ParsedUnit(unit, path, tuple(_errors(unit)))


@dataclass(frozen=True, slots=True)
class SavedUnit:
    """A parsed file that texts can be parsed behind, at the cost of those texts. What is on disk goes with the object."""

    path: str
    text: str
    arguments: tuple[str, ...]
    unsaved: tuple[tuple[str, str], ...]
    errors: tuple[Diagnostic, ...]
    included: tuple[str, ...]
    folder: tempfile.TemporaryDirectory[str]

    def parse_behind(self, text: str, *more: str) -> ParsedUnit:
        """The file with a text behind it: places in that text are behind the end of the file. Raises OSError."""
        behind = self.path + BEHIND
        flags = [*FLAGS, "-isystem", str(STUBS), *self.arguments, *more, "-include-pch", _saved_in(self.folder)]
        unit = _parse(behind, flags, [(behind, text), *self.unsaved])
        unit._cudalint_included = self.included
        unit._cudalint_prelude = _count(self.arguments)
        lines, size = self.text.count("\n"), len(self.text.encode())

        def moved(error: Diagnostic) -> Diagnostic:
            requested = tuple((self.path, n + lines) if path == behind else (path, n) for path, n in error.requested)
            if error.path != behind:
                return replace(error, requested=requested)
            return replace(
                error, path=self.path, line=error.line + lines, offset=error.offset + size, requested=requested
            )

        return ParsedUnit(unit, self.path, (*self.errors, *map(moved, _errors(unit))))

    def is_of(self, text: str, arguments: tuple[str, ...], extra: tuple[tuple[str, str], ...]) -> bool:
        """The file with this text was parsed with these arguments and files in memory."""
        return (self.text, self.arguments, self.unsaved[1:]) == (text, _without_includes(arguments), extra)


BEHIND = ".behind"


def saved(
    path: str,
    text: str,
    arguments: tuple[str, ...],
    extra: tuple[tuple[str, str], ...] = (),
    parsed: ParsedUnit | None = None,
) -> SavedUnit:
    """Parse a file as `parse` does, to parse texts behind it. Raises OSError where that fails or nothing can be written.

    `parsed` is the file, parsed already so that it can be saved.
    """
    unsaved = ((path, text), *extra)
    unit = parsed.handle if parsed is not None else parse(path, text, arguments, extra, savable=True).handle
    folder = tempfile.TemporaryDirectory(prefix="cudalint-", ignore_cleanup_errors=True)
    try:
        unit.save(_saved_in(folder))
    except cindex.TranslationUnitSaveError as error:
        raise OSError(f"libclang: {error}") from error
    included = tuple(included_files(unit.cursor))
    return SavedUnit(path, text, _without_includes(arguments), unsaved, tuple(_errors(unit)), included, folder)


def _saved_in(folder: tempfile.TemporaryDirectory[str]) -> str:
    return os.path.join(folder.name, "unit.pch")


def _without_includes(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Without the headers that come before the file: a saved unit has them."""
    before = ("", *arguments)
    return tuple(a for a, b in zip(arguments, before) if a != "-include" and b != "-include")


def _parse(path: str, flags: list[str], unsaved: list[tuple[str, str]]) -> Any:
    try:
        with quiet():  # a crash is an error here, which says what it costs
            return cindex.Index.create().parse(path, flags, unsaved_files=unsaved, options=KEEP_GOING)
    except (cindex.TranslationUnitLoadError, cindex.LibclangError) as error:
        raise OSError(f"libclang: {error}") from error


_precompiled: dict[tuple[int, tuple[str, ...]], str | None] = {}
_counted: dict[tuple[int, tuple[str, ...]], int] = {}  # declarations of the prelude
_folder: dict[int, tempfile.TemporaryDirectory[str]] = {}
PLAIN_PRELUDE = ("-include", str(STUBS / "prelude.h"), "-isystem", str(STUBS))


def _prelude(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Flags that include the prelude, precompiled with these arguments: that costs as much as the second parse of a file."""
    key = (os.getpid(), arguments)
    if key not in _precompiled:
        _precompiled[key] = _precompile(arguments, len(_precompiled))
    compiled = _precompiled.get(key)
    return ("-include-pch", compiled, "-isystem", str(STUBS)) if compiled else PLAIN_PRELUDE


def _deciding(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments that decide what the prelude is."""
    return tuple(a for a in arguments if a.startswith(("-D", "-U", "-std")))


def _count(arguments: tuple[str, ...]) -> int:
    """How many declarations the prelude has under these arguments; 0 where that is not known."""
    return _counted.get((os.getpid(), _deciding(arguments)), 0)


def _precompile(arguments: tuple[str, ...], number: int) -> str | None:
    """The prelude as clang saves it, in a folder that goes with the process; None where that fails."""
    if os.getpid() not in _folder:
        _folder[os.getpid()] = tempfile.TemporaryDirectory(prefix="cudalint-")
    target = os.path.join(_folder[os.getpid()].name, f"prelude{number}.pch")
    header = "/cudalint_prelude.h"
    text = f'#include "{STUBS / "prelude.h"}"\n'
    try:
        unit = _parse(header, [*FLAGS, "-isystem", str(STUBS), *arguments], [(header, text)])
        unit.save(target)
        _counted[os.getpid(), arguments] = len(children(unit.cursor))
    except (OSError, cindex.TranslationUnitSaveError):
        return None
    return target


def _errors(unit: Any) -> Iterator[Diagnostic]:
    lib, places = _library(), _Places()
    for number in range(lib.clang_getNumDiagnostics(unit)):
        d = cindex.Diagnostic(lib.clang_getDiagnostic(unit, number))
        severity = lib.clang_getDiagnosticSeverity(d)
        if severity >= ERROR and not _HARMLESS.search(message := lib.clang_getDiagnosticSpelling(d)):
            place = places.of(lib.clang_getDiagnosticLocation(d))
            yield Diagnostic(severity, message, *place, tuple(_requests(d, places)))


def _requests(diagnostic: Any, places: _Places) -> Iterator[tuple[str, int]]:
    """Read without the classes that the Python package makes for each diagnostic's notes."""
    lib = _library()
    notes = lib.clang_getChildDiagnostics(diagnostic)
    for number in range(lib.clang_getNumDiagnosticsInSet(notes)):
        note = cindex.Diagnostic(lib.clang_getDiagnosticInSet(notes, number))
        if "requested here" in lib.clang_getDiagnosticSpelling(note):
            file, line, _, _ = places.of(lib.clang_getDiagnosticLocation(note))
            if file:
                yield file, line


class _Places:
    """Reads file, line, column and offset of locations: a header that is not there leaves thousands of errors in few files."""

    def __init__(self) -> None:
        self._file, self._numbers = ctypes.c_void_p(), (ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint())
        self._targets = [ctypes.byref(each) for each in (self._file, *self._numbers)]
        self._names: dict[int | None, str] = {None: ""}

    def of(self, location: Any) -> tuple[str, int, int, int]:
        lib = _library()
        lib.clang_getExpansionLocation(location, *self._targets)
        file = self._file.value
        if file not in self._names:
            self._names[file] = lib.clang_getFileName(file)
        line, column, offset = self._numbers
        return self._names[file], line.value, column.value, offset.value


def children(cursor: Cursor) -> list[Cursor]:
    """Children, read once per cursor object."""
    known = cursor.__dict__.get("_cudalint_children")
    if known is None:
        known = []
        _library().clang_visitChildren(cursor, _VISITOR, (known, cursor._tu))
        if known and known[-1] is None:
            raise MemoryError
        cursor._cudalint_children = known
    return known  # type: ignore[no-any-return]


def behind_prelude(unit: Cursor) -> list[Cursor]:
    """The declarations of a translation unit without those of the prelude, which each unit begins with."""
    found, count = children(unit), unit._tu.__dict__.get("_cudalint_prelude", 0)
    return found[count:] if 0 < count <= len(found) and is_in_system_header(found[count - 1]) else found


def preorder(root: Cursor) -> list[Cursor]:
    """The cursor and all below it in the order of the text, read once per cursor object.

    The cursor does not keep itself: its unit goes when nothing else holds it, not when the collector runs.
    """
    below = root.__dict__.get("_cudalint_below")
    if below is None:
        below, stack = [], children(root)[::-1]
        while stack:
            cursor = stack.pop()
            below.append(cursor)
            stack += reversed(children(cursor))
        root._cudalint_below = below
    return [root, *below]


def of_kinds(root: Cursor, *kinds: Any) -> list[Cursor]:
    """Those of the cursor and all below it that have one of these kinds, in the order of the text."""
    ids = {_IDS[kind] for kind in kinds}
    return [cursor for cursor in preorder(root) if cursor._kind_id in ids]


_KINDS: dict[int, Any] = {kind.value: kind for kind in Kind.get_all_kinds()}
_IDS: dict[Any, int] = {kind: number for number, kind in _KINDS.items()}


def _visit(child: Cursor, _parent: Cursor, into: tuple[list[Cursor | None], Any]) -> int:
    try:
        child._tu = into[1]
        known = _KINDS.get(child._kind_id)
        if known is not None:
            child.kind = known  # what the property gives, which costs a call
        into[0].append(child)
    except MemoryError:  # nothing may leave a callback: it would be forgotten, and children with it
        into[0][-1:] = [None]
        return 0
    return 1  # on to the next sibling


_VISITOR = cindex.callbacks["cursor_visit"](_visit)


def binary_operator(cursor: Cursor) -> str:
    """The operator of a binary or compound assignment expression."""
    return BINARY_OPERATORS[_library().clang_getCursorBinaryOperatorKind(cursor)]


def unary_operator(cursor: Cursor) -> str:
    """The operator of a unary expression: `x++`, `++x`, `&`, `*`, `-`, ..."""
    return UNARY_OPERATORS[_library().clang_getCursorUnaryOperatorKind(cursor)]


def evaluate(cursor: Cursor) -> int | float | None:
    """The value of a constant integer or floating expression or initialised variable, else None."""
    lib = _library()
    result = lib.clang_Cursor_Evaluate(cursor)
    if not result:
        return None
    try:
        kind = lib.clang_EvalResult_getKind(result)
        if kind == 1:
            if lib.clang_EvalResult_isUnsignedInt(result):
                return int(lib.clang_EvalResult_getAsUnsigned(result))
            return int(lib.clang_EvalResult_getAsLongLong(result))
        return float(lib.clang_EvalResult_getAsDouble(result)) if kind == 2 else None
    finally:
        lib.clang_EvalResult_dispose(result)


def initializer(variable: Cursor) -> Cursor | None:
    """The initial value of a variable or the default of a parameter."""
    found = _library().clang_Cursor_getVarDeclInitializer(variable)
    found = cindex.Cursor.from_cursor_result(found, None, (variable,))
    if found is not None:
        found._tu = variable._tu
    return found


def is_extern(variable: Cursor) -> bool:
    return bool(_library().clang_Cursor_hasVarDeclExternalStorage(variable) == 1)


def is_invalid(declaration: Cursor) -> bool:
    """Whether an error lies in the declaration itself: what it declares has no members, or not all of them."""
    return bool(_library().clang_isInvalidDeclaration(declaration))


def referenced(cursor: Cursor) -> Cursor | None:
    """What a name or call refers to, read once per cursor object."""
    if "_cudalint_referenced" not in cursor.__dict__:
        cursor._cudalint_referenced = cursor.referenced
    return cursor._cudalint_referenced


def overloads(cursor: Cursor) -> list[Cursor]:
    """The functions and templates among which a name still has to be chosen: `scale<4>` in a list of functions."""
    lib = _library()
    found = (lib.clang_getOverloadedDecl(cursor, i) for i in range(lib.clang_getNumOverloadedDecls(cursor)))
    return [each for each in found if each is not None]


def included_files(cursor: Cursor) -> list[str]:
    """The files of the cursor's translation unit that includes brought in."""
    known = cursor._tu.__dict__.get("_cudalint_included")
    return (
        list(known)
        if known is not None
        else list(dict.fromkeys(str(i.include.name) for i in cursor._tu.get_includes()))
    )


def template_of(cursor: Cursor) -> Cursor | None:
    """The template that a function or class was made from."""
    return cindex.conf.lib.clang_getSpecializedCursorTemplate(cursor)


_TERSE_OUTPUT, _FULLY_QUALIFIED_NAME = 17, 25  # of enum CXPrintingPolicyProperty


def declared_as(cursor: Cursor) -> str:
    """The declaration as clang prints it, without a body: with the template arguments of an instance."""
    lib = _library()
    policy = lib.clang_getCursorPrintingPolicy(cursor)
    for setting in (_TERSE_OUTPUT, _FULLY_QUALIFIED_NAME):
        lib.clang_PrintingPolicy_setProperty(policy, setting, 1)
    try:
        return lib.clang_getCString(lib.clang_getCursorPrettyPrinted(cursor, policy)) or ""
    finally:
        lib.clang_PrintingPolicy_dispose(policy)


def identity(cursor: Cursor) -> int:
    """Equal for cursors of one declaration of this translation unit."""
    known = cursor.__dict__.get("_cudalint_identity")
    if known is None:
        known = cursor._cudalint_identity = int(cursor.data[0] or 0)
    return known  # type: ignore[no-any-return]


def arguments(call: Cursor) -> list[Cursor]:
    """The arguments of a call, defaults included; an overloaded operator's operands."""
    lib = cindex.conf.lib
    return [lib.clang_Cursor_getArgument(call, i) for i in range(max(0, lib.clang_Cursor_getNumArguments(call)))]


def parameter_types(function: ClangType) -> list[ClangType]:
    """Of the type of a function with a prototype; cindex makes a new class for each such list, which costs more than the types."""
    lib = cindex.conf.lib
    return [lib.clang_getArgType(function, i) for i in range(max(0, lib.clang_getNumArgTypes(function)))]


def is_in_main_file(cursor: Cursor) -> bool:
    return bool(_library().clang_Location_isFromMainFile(cursor.location))


def is_in_system_header(cursor: Cursor) -> bool:
    return bool(_library().clang_Location_isInSystemHeader(cursor.location))


class Locator:
    """Maps places of one translation unit to spans: paths relative to the project, columns in code points.

    The instances of a template share their places, so each is asked for once.
    """

    def __init__(self, main: str, main_text: str, main_path: str, root: str) -> None:
        self._shown: dict[str, str] = {main: main_path, main + BEHIND: main_path}
        self._bytes: dict[str, bytes] = {main: main_text.encode(), main + BEHIND: b""}
        self._names: dict[int, str] = {}
        self._ascii: dict[str, bool] = {}
        self._starts: dict[str, list[int]] = {}
        self._split: dict[str, list[bytes]] = {}
        self._root = root
        self._positions: dict[int, tuple[str, int, int, int]] = {}
        self._spans: dict[tuple[int, int], Span] = {}
        self._file = ctypes.c_void_p()
        self._numbers = [ctypes.c_uint() for _ in range(3)]
        self._references = [ctypes.byref(n) for n in (self._file, *self._numbers)]

    def position(self, location: Any) -> tuple[str, int, int, int]:
        """File, line, column in bytes, offset; the file is empty for places that no file holds."""
        known = self._positions.get(location.int_data)
        if known is None:
            known = self._positions[location.int_data] = self._position(location)
        return known

    def _position(self, location: Any) -> tuple[str, int, int, int]:
        _library().clang_getFileLocation(location, *self._references)
        address = self._file.value
        if not address:
            return "", 0, 0, 0
        name = self._names.get(address)
        if name is None:
            name = str(_library().clang_getFileName(ctypes.c_void_p(address)))
            self._names[address] = name
        line, column, offset = (n.value for n in self._numbers)
        return name, line, column, offset

    def extent(self, cursor: Cursor) -> tuple[str, int, int]:
        """File and byte offsets of a cursor."""
        where = cursor.extent
        file, _, _, start = self.position(where.start)
        end_file, _, _, end = self.position(where.end)
        return file, start, max(start, end) if end_file == file else start

    def span(self, cursor: Cursor) -> Span:
        where = cursor.extent
        key = where.begin_int_data, where.end_int_data
        known = self._spans.get(key)
        if known is None:
            known = self._spans[key] = self._span(where)
        return known

    def _span(self, where: Any) -> Span:
        file, line, column, _ = self.position(where.start)
        end_file, end_line, end_column, _ = self.position(where.end)
        if end_file != file or (end_line, end_column) < (line, column):
            end_line, end_column = line, column
        return self.make(file, line, column, end_line, end_column)

    def make(self, file: str, line: int, column: int, end_line: int, end_column: int) -> Span:
        column, end_column = self._points(file, line, column), self._points(file, end_line, end_column)
        return Span(self.shown(file), line, column, end_line, end_column)

    def is_followed_by(self, cursor: Cursor, signs: str) -> bool:
        """The first sign behind the cursor, on its line, is one of these."""
        file, _, end = self.extent(cursor)
        behind = self.content(file)[end : end + 80].partition(b"\n")[0].lstrip()
        return bool(behind) and chr(behind[0]) in signs

    def at(self, file: str, start: int, end: int) -> Span:
        """The span between two byte offsets."""
        starts = self._line_starts(file)
        lines = [bisect_right(starts, at) for at in (start, end)]
        return self.make(file, lines[0], start - starts[lines[0] - 1] + 1, lines[1], end - starts[lines[1] - 1] + 1)

    def shown(self, file: str) -> str:
        if file not in self._shown:
            absolute = os.path.abspath(file)
            inside = absolute.startswith(os.path.join(self._root, ""))
            relative = os.path.relpath(absolute, self._root) if inside else os.path.basename(absolute)
            self._shown[file] = Path(relative).as_posix()
        return self._shown[file]

    def text(self, cursor: Cursor) -> str:
        """The source text of a cursor; a macro's use where it comes from one."""
        file, start, end = self.extent(cursor)
        return self.content(file)[start:end].decode("utf-8", "replace")

    def content(self, file: str) -> bytes:
        if file not in self._bytes:
            try:
                self._bytes[file] = Path(file).read_bytes() if file else b""
            except OSError:
                self._bytes[file] = b""
        return self._bytes[file]

    def line(self, file: str, line: int) -> str:
        """The text of a line; empty where the file has no such line."""
        lines = self._lines(file)
        return lines[line - 1].decode("utf-8", "replace") if 0 < line <= len(lines) else ""

    def _points(self, file: str, line: int, column: int) -> int:
        if self._is_ascii(file):
            return column
        lines = self._lines(file)
        if line < 1 or line > len(lines):
            return column
        return len(lines[line - 1][: column - 1].decode("utf-8", "replace")) + 1

    def _is_ascii(self, file: str) -> bool:
        known = self._ascii.get(file)
        if known is None:
            known = self._ascii[file] = self.content(file).isascii()
        return known

    def _line_starts(self, file: str) -> list[int]:
        known = self._starts.get(file)
        if known is None:
            known = self._starts[file] = [0, *(m.end() for m in re.finditer(b"\n", self.content(file)))]
        return known

    def _lines(self, file: str) -> list[bytes]:
        known = self._split.get(file)
        if known is None:
            known = self._split[file] = self.content(file).split(b"\n")
        return known
