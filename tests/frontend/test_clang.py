"""Parsing texts behind a saved file: the same as parsing the whole, for a fraction of the time."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from clang.cindex import TranslationUnit

from cudalint.frontend import clang, parsing
from cudalint.frontend.clang import Kind, Locator
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile

TEXT = """#include "types.h"
template <typename T> __global__ void scale(T *x, typename Traits<T>::Wide by) { x[threadIdx.x] *= by; }
int host() { return unknown; }
"""
HEADER = "template <typename T> struct Traits; template <> struct Traits<float> { using Wide = double; };\n"
BEHIND = """
static void instances() {
  (void)&::scale<float>;
  (void)&::scale<int>;
}
"""
ARGUMENTS = ("-std=c++17",)


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "types.h").write_text(HEADER)
    return str(tmp_path / "scale.cu")


def test_errors_are_those_of_the_whole_text_and_at_the_same_places(path: str) -> None:
    whole = clang.parse(path, TEXT + BEHIND, ARGUMENTS)
    behind = clang.saved(path, TEXT, ARGUMENTS).parse_behind(BEHIND)
    assert [e.line for e in whole.errors] == [3, 7]  # the unknown name, and the instance that cannot be
    assert behind.errors == whole.errors


def test_declarations_and_instances_are_those_of_the_whole_text(path: str) -> None:
    def seen(parsed: clang.ParsedUnit) -> list[tuple[str, object]]:
        locator = Locator(path, TEXT + BEHIND, "scale.cu", os.path.dirname(path))
        calls = [c for c in clang.of_kinds(parsed.handle.cursor, Kind.DECL_REF_EXPR) if c.spelling == "scale"]
        targets = [clang.referenced(c) for c in calls]
        return [(t.type.spelling, locator.span(t)) for t in targets if t is not None and t.kind == Kind.FUNCTION_DECL]

    whole = clang.parse(path, TEXT + BEHIND, ARGUMENTS)
    behind = clang.saved(path, TEXT, ARGUMENTS).parse_behind(BEHIND)
    assert seen(whole) == seen(behind) != []
    assert [Path(f).name for f in clang.included_files(behind.handle.cursor) if "stubs" not in f] == ["types.h"]


def test_a_header_before_the_file_is_part_of_what_was_saved(path: str) -> None:
    guesses = ("/guesses.h", "constexpr int unknown = 3;\n")
    saved = clang.saved(path, TEXT, (*ARGUMENTS, "-include", "/guesses.h"), (guesses,))
    assert saved.errors == ()
    assert saved.parse_behind("\nint more() { return unknown; }\n").errors == ()


def test_a_saved_file_that_has_gone_costs_time_and_nothing_else(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = SourceFile("scale.cu", path, TEXT)

    def found() -> list[tuple[str, bool, int]]:
        kernels = translate(source, ParseOptions(), str(tmp_path)).kernels
        return [(k.qualified, k.complete, len(k.functions)) for k in kernels]

    expected = found()
    save = clang.saved
    monkeypatch.setattr(parsing, "LIGHT", 0)

    def gone(*arguments: object) -> clang.SavedUnit:
        saved = save(*arguments)  # type: ignore[arg-type]
        saved.folder.cleanup()
        return saved

    monkeypatch.setattr(clang, "saved", gone)
    assert found() == expected == [("scale", True, 1)]


def test_a_full_disk_costs_time_and_nothing_else(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> clang.SavedUnit:
        raise OSError("No space left on device")

    monkeypatch.setattr(parsing, "LIGHT", 0)
    monkeypatch.setattr(clang, "saved", full)
    translation = translate(SourceFile("scale.cu", path, TEXT), ParseOptions(), str(tmp_path))
    assert [k.complete for k in translation.kernels] == [True]


def test_a_light_file_is_parsed_anew_instead_of_saved(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = SourceFile("scale.cu", path, TEXT)
    monkeypatch.setattr(parsing, "LIGHT", 0)
    behind = translate(source, ParseOptions(), str(tmp_path))

    def unasked(*_: object) -> clang.SavedUnit:
        raise AssertionError("saving costs more than all parses of such a file")

    monkeypatch.undo()
    monkeypatch.setattr(clang, "saved", unasked)
    assert translate(source, ParseOptions(), str(tmp_path)) == behind


def test_the_declarations_behind_the_prelude_are_those_of_the_file_and_its_headers(path: str) -> None:
    parsed = clang.parse(path, "#include <vector>\n" + TEXT, ARGUMENTS)
    behind = clang.behind_prelude(parsed.handle.cursor)
    everything = clang.children(parsed.handle.cursor)
    left_out = everything[: len(everything) - len(behind)]
    assert 0 < len(left_out) < 10, "each file's declarations are looked at: the prelude has to be few"
    assert all(map(clang.is_in_system_header, left_out))
    assert not clang.is_in_system_header(behind[0])


def test_a_unit_is_let_go_of_without_the_collector() -> None:
    text = (
        "template <class F> __device__ void each(int n, F f) { for (int i = 0; i < n; i++) f(i); }\n"
        "__global__ void k(float *x, int n) {\n"
        "  each(n, [=](int i) { if (i > 2) goto out; x[i] = 0; out:; });\n"
        "  switch (n) { case 1: x[0] = 1; break; default: return; }\n"
        "}\n"
        "template <int N> __global__ void t(float *x) { x[N] = 0; }\n"
        "void run(float *x, int n) { k<<<1, 1>>>(x, n); t<3><<<1, 1>>>(x); }\n"
    )
    gc.collect()
    gc.disable()
    try:
        translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(), "/nowhere")
        assert not [kept for kept in gc.get_objects() if isinstance(kept, TranslationUnit)]
    finally:
        gc.enable()


def test_children_for_which_there_is_no_memory_are_not_forgotten(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(list):  # type: ignore[type-arg]
        def append(self, _: object) -> None:
            raise MemoryError

    def visited(cursor: object, visitor: object, into: tuple[list[object], object]) -> None:
        assert clang._visit(root, None, (Full(), into[1])) == 0  # type: ignore[arg-type]
        into[0][:] = [None]

    root = clang.parse(path, TEXT, ARGUMENTS).handle.cursor
    assert clang.children(root)
    library = type("Library", (), {"clang_visitChildren": staticmethod(visited)})
    monkeypatch.setattr(clang, "_library", lambda: library)
    del root._cudalint_children
    with pytest.raises(MemoryError):
        clang.children(root)
