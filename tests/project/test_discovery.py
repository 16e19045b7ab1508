"""Which files a scan takes, which it leaves alone, and what it says about those that it cannot read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cudalint.project.discovery import Discovery, Skipped, discover, find_root

KERNEL = "__global__ void k() {}\n"


def tree(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def names(discovery: Discovery) -> list[str]:
    return [source.path for source in discovery.files]


@pytest.mark.parametrize(
    ("name", "text", "taken"),
    [
        ("a.cu", "", True),
        ("a.cuh", "int x;", True),
        ("a.hip", "", True),
        ("A.CU", "", True),
        ("a.h", KERNEL, True),
        ("a.hpp", "__device__ int f();", True),
        ("a.cpp", "void f() { k<<<1, 2>>>(); }", True),
        ("a.cc", "std::cout << x << y;", False),
        ("a.cpp", "void f() { k << <1, 2 >> > (); }", True),
        ("a.cpp", "<<<<<<< HEAD", False),
        ("a.h", "int x;", False),
        ("a.txt", KERNEL, False),
        ("a.md", KERNEL, False),
    ],
)
def test_endings_and_content_decide(tmp_path: Path, name: str, text: str, taken: bool) -> None:
    tree(tmp_path, {name: text})
    assert names(discover([str(tmp_path)])) == ([name] if taken else [])
    assert names(discover([str(tmp_path / name)], project_root=str(tmp_path))) == ([name] if taken else [])


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("k << <n, t >> > (a, b);", "k <<< n, t >>>  (a, b);"),
        ("k<int> <<<f<int>(n), dim3(1, 2) >> >(a);", "k<int> <<<f<int>(n), dim3(1, 2) >>> (a);"),
        ("k < << 1, 2> >>(a);", "k <<<  1, 2>>> (a);"),
        ("x << y; A<B<C<int> > > (z);", "x << y; A<B<C<int> > > (z);"),
        ("a << b < c; d >> > (e);", "a << b < c; d >> > (e);"),
    ],
)
def test_the_brackets_of_a_launch_may_stand_apart(tmp_path: Path, written: str, read: str) -> None:
    """Formatters that do not know CUDA write them so; nothing behind them moves."""
    (source,) = discover([str(tree(tmp_path, {"a.cu": written}))]).files
    assert source.text == read and len(read) == len(written)


def test_a_header_about_cuda_is_taken_if_named(tmp_path: Path) -> None:
    tree(tmp_path, {"matrix.h": '#include "cudamatrix/rows.h"\n', "plain.h": "int x;", "main.cc": "// CUDA\n"})
    assert names(discover([str(tmp_path)])) == []
    named = [str(tmp_path / name) for name in ("matrix.h", "plain.h", "main.cc")]
    assert names(discover(named, project_root=str(tmp_path))) == ["matrix.h"]


def test_python_files_with_cuda_in_strings_are_kept_apart(tmp_path: Path) -> None:
    tree(tmp_path, {"a.py": "cupy.RawKernel(s, 'k')", "b.py": "print(1)", "c.py": 'torch.utils.load_inline("x")'})
    discovery = discover([str(tmp_path)])
    assert names(discovery) == []
    assert [source.path for source in discovery.embedded] == ["a.py", "c.py"]


def test_files_come_once_and_in_order(tmp_path: Path) -> None:
    tree(tmp_path, {"b.cu": "", "a/z.cu": "", "a.cu": "", "a/b/c.cu": ""})
    assert names(discover([str(tmp_path), str(tmp_path / "b.cu"), str(tmp_path / "a")])) == [
        "a.cu",
        "a/b/c.cu",
        "a/z.cu",
        "b.cu",
    ]


@pytest.mark.parametrize("name", [".git/x.cu", ".venv/x.cu", "node_modules/p/x.cu", "build/x.cu", "sub/build/x.cu"])
def test_hidden_and_built_folders_are_taken_only_if_named(tmp_path: Path, name: str) -> None:
    tree(tmp_path, {name: ""})
    assert names(discover([str(tmp_path)], project_root=str(tmp_path))) == []
    assert names(discover([str((tmp_path / name).parent)], project_root=str(tmp_path))) == [name]
    assert names(discover([str(tmp_path / name)], project_root=str(tmp_path))) == [name]


@pytest.mark.parametrize(
    ("ignores", "files", "taken"),
    [
        ({".gitignore": "*.cu\n!keep.cu\n"}, ["a.cu", "keep.cu", "sub/b.cu"], ["keep.cu"]),
        ({".gitignore": "/out/\n"}, ["out/a.cu", "sub/out/b.cu"], ["sub/out/b.cu"]),
        ({".gitignore": "gen\n", "sub/.gitignore": "!gen\n"}, ["gen/a.cu", "sub/gen/b.cu"], ["sub/gen/b.cu"]),
        ({"sub/.gitignore": "/a.cu"}, ["a.cu", "sub/a.cu", "sub/b/a.cu"], ["a.cu", "sub/b/a.cu"]),
        ({".gitignore": "# a\n\n"}, ["a.cu"], ["a.cu"]),
    ],
)
def test_gitignore_holds_at_every_level(
    tmp_path: Path, ignores: dict[str, str], files: list[str], taken: list[str]
) -> None:
    tree(tmp_path, {**ignores, **dict.fromkeys(files, ""), ".git/HEAD": ""})
    assert names(discover([str(tmp_path)])) == taken


def test_a_gitignore_above_a_named_folder_holds_inside_it(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {".git/HEAD": "", ".gitignore": "*_gen.cu\nskip/\n", "sub/a.cu": "", "sub/b_gen.cu": "", "skip/c.cu": ""},
    )
    assert names(discover([str(tmp_path / "sub")])) == ["sub/a.cu"]
    assert names(discover([str(tmp_path / "skip")])) == ["skip/c.cu"]
    assert names(discover([str(tmp_path / "sub" / "b_gen.cu")])) == ["sub/b_gen.cu"]


def test_excluded_patterns_hold_in_folders_only(tmp_path: Path) -> None:
    tree(tmp_path, {"third_party/a.cu": "", "b.cu": ""})
    assert names(discover([str(tmp_path)], exclude=["third_party/"])) == ["b.cu"]
    assert names(discover([str(tmp_path / "b.cu")], exclude=["*.cu"])) == ["b.cu"]


def test_loops_of_links_end(tmp_path: Path) -> None:
    tree(tmp_path, {"a/x.cu": ""})
    os.symlink(tmp_path, tmp_path / "a" / "up")
    os.symlink("nowhere.cu", tmp_path / "dangling.cu")
    discovery = discover([str(tmp_path)])
    assert names(discovery) == ["a/x.cu"]
    assert discovery.skipped == (Skipped("dangling.cu", "not a regular file", False),)


@pytest.mark.parametrize(
    ("content", "reason", "read"),
    [
        (b"// caf\xe9\n", "not UTF-8 at byte 6: read as Latin-1", True),
        (b"\0\1\2", "a binary file", False),
        (b"//" + b"x" * 200, "202 bytes, more than the limit of 100", False),
    ],
)
def test_what_cannot_be_read_is_listed_with_its_reason(tmp_path: Path, content: bytes, reason: str, read: bool) -> None:
    tree(tmp_path, {"a.cu": content})
    for path, named in ((tmp_path, False), (tmp_path / "a.cu", True)):
        discovery = discover([str(path)], max_bytes=100)
        assert discovery.skipped == (Skipped("a.cu", reason, named and not read),)
        assert names(discovery) == (["a.cu"] if read else [])


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    tree(tmp_path, {"a.cu": b"\xef\xbb\xbfint x;"})
    assert discover([str(tmp_path)]).files[0].text == "int x;"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_text_in_utf_16_is_read_where_a_mark_says_so(tmp_path: Path, encoding: str) -> None:
    tree(tmp_path, {"a.h": ("\ufeff" + KERNEL).encode(encoding), "cut.cu": "\ufeffint x;".encode(encoding)[:-1]})
    discovery = discover([str(tmp_path)])
    assert [(s.path, s.text) for s in discovery.files] == [("a.h", KERNEL)]
    assert discovery.skipped == (Skipped("cut.cu", "a binary file", False),)


def test_standard_input_is_a_file(tmp_path: Path) -> None:
    discovery = discover(["-"], stdin=KERNEL, project_root=str(tmp_path))
    assert [(s.path, s.text) for s in discovery.files] == [("<stdin>", KERNEL)]


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        discover([str(tmp_path / "none.cu")])
    assert caught.value.filename == str(tmp_path / "none.cu")


@pytest.mark.parametrize("marker", ["cudalint.toml", ".git/HEAD", "pyproject.toml"])
def test_the_root_is_the_nearest_folder_with_a_marker(tmp_path: Path, marker: str) -> None:
    tree(tmp_path, {marker: "", "a/b/x.cu": "", "a/c/y.cu": ""})
    assert find_root([str(tmp_path / "a/b/x.cu"), str(tmp_path / "a/c/y.cu")]) == str(tmp_path)
    assert names(discover([str(tmp_path / "a/b")])) == ["a/b/x.cu"]


def test_a_given_root_wins(tmp_path: Path) -> None:
    tree(tmp_path, {".git/HEAD": "", "a/x.cu": "", "b/y.cu": ""})
    assert names(discover([str(tmp_path / "a"), str(tmp_path / "b")], project_root=str(tmp_path / "a"))) == [
        "../b/y.cu",
        "x.cu",
    ]


def test_a_link_to_itself_and_a_pipe_cost_themselves_only(tmp_path: Path) -> None:
    tree(tmp_path, {"k.cu": KERNEL})
    os.symlink(tmp_path / "loop.cu", tmp_path / "loop.cu")
    os.symlink(tmp_path / "folder", tmp_path / "folder")
    os.mkfifo(tmp_path / "pipe.cu")
    discovery = discover([str(tmp_path)])
    assert names(discovery) == ["k.cu"]
    assert [(s.path, s.reason) for s in discovery.skipped] == [
        ("loop.cu", "not a regular file"),
        ("pipe.cu", "not a regular file"),
    ]


def test_a_folder_that_cannot_be_listed_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the tests run as root, whom permissions do not stop."""
    tree(tmp_path, {"k.cu": KERNEL, "closed/x.cu": KERNEL})
    listed = os.scandir

    def scandir(path: str) -> object:
        if path.endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    discovery = discover([str(tmp_path)])
    assert names(discovery) == ["k.cu"]
    assert discovery.skipped == (Skipped("closed", "cannot be read: Permission denied", False),)
    assert discover([str(tmp_path / "closed")], project_root=str(tmp_path)).skipped[0].failed


def test_a_file_that_vanishes_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, {"k.cu": KERNEL, "gone.cu": KERNEL})
    read = Path.read_bytes

    def read_bytes(path: Path) -> bytes:
        if path.name == "gone.cu":
            raise FileNotFoundError(2, "No such file or directory")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    discovery = discover([str(tmp_path)])
    assert names(discovery) == ["k.cu"]
    assert discovery.skipped == (Skipped("gone.cu", "cannot be read: No such file or directory", False),)
