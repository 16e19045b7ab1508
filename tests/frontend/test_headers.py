"""Which folders of a project the includes of a file need."""

from __future__ import annotations

from pathlib import Path

from cudalint.frontend.clang import STUBS
from cudalint.frontend.headers import shadowed_folders


def test_a_project_header_comes_before_the_stub_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "mine/ATen").mkdir(parents=True)
    (tmp_path / "mine/ATen/ATen.h").write_text("#pragma once\n")

    assert shadowed_folders("#include <ATen/ATen.h>\n", str(tmp_path), ()) == (str(tmp_path / "mine"),)


def test_our_own_stubs_below_the_root_are_no_headers_of_the_project() -> None:
    root = str(STUBS.parents[1])

    assert shadowed_folders("#include <ATen/ATen.h>\n", root, ()) == ()
