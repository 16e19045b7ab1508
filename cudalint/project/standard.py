"""The C++ dialect that a project asks for in its build files: later ones than C++17 have syntax of their own.

set(CMAKE_CUDA_STANDARD 20)        ->  c++20
"""

from __future__ import annotations

import functools
import os
import re

DEFAULT = "c++17"
_BUILD_FILES = ("CMakeLists.txt", "setup.py", "pyproject.toml", "meson.build", "Makefile")
_ASKED = re.compile(
    r"\b(?:CMAKE_(?:CUDA|CXX)_STANDARD|CUDA_STANDARD|CXX_STANDARD)[ \t\"]+(\d\d)\b"
    r"|\b(?:cuda|cxx)_std_(\d\d)\b|-?-std=(?:c|gnu)\+\+(\d[\da-z])\b|\bcpp_std=(?:c|gnu)\+\+(\d[\da-z])\b"
)
_LATER = {"20": "c++20", "2a": "c++20", "23": "c++23", "2b": "c++23"}
MOST_FOLDERS = 200


@functools.lru_cache(maxsize=4)
def standard_of(root: str) -> str:
    """The latest dialect that a build file of the root or of a folder in it names; never less than `DEFAULT`."""
    found = {version for text in _build_texts(root) for match in _ASKED.findall(text) for version in match}
    return max((_LATER[version] for version in found if version in _LATER), default=DEFAULT)


def _build_texts(root: str) -> list[str]:
    try:
        below = sorted(e.path for e in os.scandir(root) if e.is_dir(follow_symlinks=False))[:MOST_FOLDERS]
    except OSError:
        return []
    texts = []
    for path in (os.path.join(folder, name) for folder in (root, *below) for name in _BUILD_FILES):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                texts.append(re.sub(r"#[^\n]*", "", file.read(1_000_000)))
        except OSError:
            continue
    return texts
