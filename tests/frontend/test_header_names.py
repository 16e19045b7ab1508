"""What a file's headers say of the names that its text uses."""

from pathlib import Path

from cudalint.frontend.header_names import header_names
from cudalint.source import SourceFile


def names_of(folder: Path, text: str, **headers: str) -> tuple[dict[str, str], dict[str, str]]:
    for name, content in headers.items():
        (folder / f"{name}.h").write_text(content)
    path = str(folder / "k.cu")
    found = header_names(SourceFile("k.cu", path, text), str(folder))
    return found.types, found.members


def test_an_alias_is_found_behind_two_includes(tmp_path: Path) -> None:
    types, _ = names_of(tmp_path, '#include "a.h"', a='#include "b.h"', b="typedef int32_t Index;\nusing Row = Index;")
    assert types == {"Index": "int32_t", "Row": "Index"}


def test_a_member_is_known_by_its_structure(tmp_path: Path) -> None:
    _, members = names_of(tmp_path, '#include "a.h"', a="struct Place {\n  int row, column;\n};")
    assert members == {"row": "int", "Place::row": "int", "column": "int", "Place::column": "int"}


def test_a_name_with_two_types_is_unclear(tmp_path: Path) -> None:
    text = "struct A {\n  int n;\n};\nstruct B {\n  size_t n;\n};"
    _, members = names_of(tmp_path, '#include "a.h"', a=text)
    assert members["n"] == "?" and members["A::n"] == "int" and members["B::n"] == "size_t"


def test_headers_beyond_the_root_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "outside.h").write_text("typedef int Index;")
    inner = tmp_path / "project"
    inner.mkdir()
    assert names_of(inner, '#include "../outside.h"\n#include "missing.h"') == ({}, {})


def test_a_member_has_the_type_that_its_own_header_means(tmp_path: Path) -> None:
    """The file that includes it may give the name to another type."""
    text = "struct Strides {\n  using index_t = int64_t;\n  index_t row;\n};"
    types, members = names_of(
        tmp_path, '#include "a.h"\n#include "b.h"', a=text, b="using index_t = typename T::index_t;"
    )
    assert types == {"index_t": "?"}
    assert members == {"row": "int64_t", "Strides::row": "int64_t"}
