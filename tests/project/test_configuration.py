"""What a project may say in cudalint.toml or pyproject.toml, and how its mistakes are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cudalint.project.configuration import Configuration, ConfigurationError, Hint, load


def write(root: Path, text: str, name: str = "cudalint.toml") -> str:
    (root / name).write_text(text)
    return str(root)


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ('select = ["IDX", "SYN101"]', "select", ("IDX", "SYN101")),
        ('ignore = ["global-bounds"]', "ignore", ("global-bounds",)),
        ('profile = "audit"', "profile", "audit"),
        ('fail-level = "warning"', "fail_level", "warning"),
        ('include = ["inc", "/abs"]', "include", ("inc", "/abs")),
        ('define = ["A=1"]', "define", ("A=1",)),
        ('std = "c++20"', "std", "c++20"),
        ('targets = ["sm_90a"]', "targets", ("sm_90a",)),
        ("block-dim = 256", "block_dim", (256, 1, 1)),
        ("grid-dim = [8, 4]", "grid_dim", (8, 4, 1)),
        ('exclude = ["third_party/"]', "exclude", ("third_party/",)),
        ('confirm = "off"', "confirm", "off"),
        ('compile-commands = "build"', "compile_commands", "build"),
    ],
)
def test_each_key_in_both_files(tmp_path: Path, line: str, field: str, value: Any) -> None:
    assert getattr(load(write(tmp_path, line)), field) == value
    (tmp_path / "cudalint.toml").unlink()
    nested = "[tool.cudalint]\n" + line.replace("[hints]", "[tool.cudalint.hints]")
    assert getattr(load(write(tmp_path, nested, "pyproject.toml")), field) == value


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('\nselct = ["IDX"]', 2, "unknown key `selct`; did you mean `select`?"),
        ("x = 1", 1, "unknown key `x`"),
        ('select = "IDX"', 1, "`select` is a list of strings"),
        ('profile = "strict"', 1, "`profile` is one of default, audit"),
        ("std = 17", 1, "`std` is a string"),
        ("block-dim = 0", 1, "`block-dim` is a positive integer or a list of one to three of them"),
        ("block-dim = true", 1, "`block-dim` is a positive integer or a list of one to three of them"),
        ("block-dim = [1, 2, 3, 4]", 1, "`block-dim` is a positive integer or a list of one to three of them"),
        ('[hints]\na = []\nk = "x"', 3, "`k` is a list of strings"),
        ("hints = 3", 1, "`hints` is a table from the name of a kernel to annotation lines"),
        ("\n\na = = 1", 3, "Invalid value"),
        ('confirm = "gpu"', 1, '`confirm = "gpu"` runs scanned code: ask for it on the command line (`--confirm gpu`)'),
    ],
)
def test_mistakes_have_a_line_and_a_next_step(tmp_path: Path, text: str, line: int, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(write(tmp_path, text))
    assert (caught.value.path, caught.value.line, caught.value.message) == ("cudalint.toml", line, message)
    assert str(caught.value) == f"cudalint.toml:{line}: {message}"


def test_the_own_file_wins_and_nothing_is_the_default(tmp_path: Path) -> None:
    assert load(str(tmp_path)) == Configuration()
    write(tmp_path, '[project]\nname = "cudalint-user"\n', "pyproject.toml")
    assert load(str(tmp_path)) == Configuration()
    write(tmp_path, '[tool.cudalint]\nstd = "c++14"\n', "pyproject.toml")
    assert load(str(tmp_path)).std == "c++14"
    assert load(write(tmp_path, "")) == Configuration(path="cudalint.toml")


def test_a_file_that_is_not_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "cudalint.toml").write_bytes(b"\xff")
    with pytest.raises(ConfigurationError, match="cannot be read: not UTF-8"):
        load(str(tmp_path))


HINTS = """[hints]
other = ["extent(y) = m"]
"a::k" = [
    "extent(x) = n",
    "assume n > 0",
]
"""


@pytest.mark.parametrize(
    ("name", "before", "line"), [("cudalint.toml", "", 4), ("pyproject.toml", "[tool.cudalint]\n", 5)]
)
def test_hints_know_their_places(tmp_path: Path, name: str, before: str, line: int) -> None:
    text = before + HINTS.replace("[hints]", "[tool.cudalint.hints]" if before else "[hints]")
    (tmp_path / name).write_text(text)
    hints = load(str(tmp_path)).hints
    assert [hint.text for hint in hints["other"]] == ["extent(y) = m"]
    assert hints["a::k"] == (Hint("extent(x) = n", name, line, 6), Hint("assume n > 0", name, line + 1, 6))
