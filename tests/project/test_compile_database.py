"""The flags that a compile_commands.json gives to a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cudalint.project.compile_database import CompileDatabase, FileFlags


def database(tmp_path: Path, *entries: object) -> CompileDatabase:
    (tmp_path / "compile_commands.json").write_text(json.dumps(list(entries)))
    return CompileDatabase.load(str(tmp_path))


@pytest.mark.parametrize(
    ("command", "includes", "defines", "std"),
    [
        ("nvcc -c a.cu", [], [], None),
        ("nvcc -Iinc -I /abs -isystem sys -c a.cu", ["{}/inc", "/abs", "{}/sys"], [], None),
        ("nvcc -I inc/../inc -Iinc a.cu", ["{}/inc"], [], None),
        ("nvcc -DA -D B=1 '-DC=\"x y\"' a.cu", [], ["A", "B=1", 'C="x y"'], None),
        ("nvcc -std=c++20 a.cu", [], [], "c++20"),
        ("nvcc --std c++14 -O3 -arch=sm_90 -Xcompiler -Wall a.cu", [], [], "c++14"),
        ("clang++ --include-path=inc --define-macro=X=2 a.cu", ["{}/inc"], ["X=2"], None),
    ],
)
def test_flags_of_a_command(
    tmp_path: Path, command: str, includes: list[str], defines: list[str], std: str | None
) -> None:
    folder = str(tmp_path / "b")
    found = database(tmp_path, {"directory": folder, "file": "a.cu", "command": command}).flags_for(f"{folder}/a.cu")
    assert found == FileFlags(tuple(i.format(folder) for i in includes), tuple(defines), std)


def test_arguments_may_be_a_list(tmp_path: Path) -> None:
    entry = {"directory": str(tmp_path), "file": "a.cu", "arguments": ["nvcc", "-DX Y", "a.cu"]}
    assert database(tmp_path, entry).flags_for(str(tmp_path / "a.cu")) == FileFlags((), ("X Y",), None)


def test_a_header_gets_the_flags_of_the_nearest_file(tmp_path: Path) -> None:
    entries = [
        {"directory": str(tmp_path), "file": f"{folder}/{name}.cu", "command": f"nvcc -D{name} x.cu"}
        for folder, name in (("one", "a"), ("two", "b"), ("two", "c"))
    ]
    found = database(tmp_path, *entries)
    flags = {name: found.flags_for(str(tmp_path / name)) for name in ("two/c.cuh", "two/z.h", "one/q/r.h")}
    assert {name: f.defines[0] for name, f in flags.items() if f} == {
        "two/c.cuh": "c",
        "two/z.h": "b",
        "one/q/r.h": "a",
    }
    assert database(tmp_path).flags_for("/a.cu") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: not JSON"),
        ("{}", "not a list"),
        ("[1]", "entry 0: no file"),
        ('[{"file": "a", "arguments": 3}]', "entry 0: arguments are not a list"),
        ('[{"file": "a", "command": "nvcc \'x"}]', "entry 0: No closing quotation"),
    ],
)
def test_mistakes_say_where(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "compile_commands.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        CompileDatabase.load(str(path))
