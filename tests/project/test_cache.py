"""A cache that is damaged, full, out of reach or switched off costs time and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cudalint.project.cache import VARIABLE, Cache

KEY = "0123456789abcdef"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    opened = Cache.opened()
    assert opened is not None
    return opened


def only_file(cache: Cache) -> Path:
    [path] = cache.folder.glob("??/*")
    return path


def test_what_was_put_is_there_for_the_next_program(cache: Cache) -> None:
    cache.put(KEY, b"content")
    again = Cache.opened()
    assert again is not None
    assert again.get(KEY) == b"content"
    assert again.get(KEY[::-1]) is None


def test_the_last_content_counts(cache: Cache) -> None:
    cache.put(KEY, b"before")
    cache.put(KEY, b"after")
    assert cache.get(KEY) == b"after"


@pytest.mark.parametrize("damage", [lambda all_: all_[:-1], lambda all_: b"", lambda all_: all_ + b"x"])
def test_a_damaged_file_holds_nothing(cache: Cache, damage: object) -> None:
    cache.put(KEY, b"content")
    assert callable(damage)
    path = only_file(cache)
    path.write_bytes(damage(path.read_bytes()))
    assert cache.get(KEY) is None


def test_a_full_disk_leaves_no_half_of_a_file(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    cache.put(KEY, b"content")
    assert list(cache.folder.glob("??/*")) == []


def test_an_empty_name_switches_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "")
    assert Cache.opened() is None


def test_a_place_that_is_no_folder_is_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file"))
    assert Cache.opened() is None


def test_what_was_not_used_for_longest_goes_first(cache: Cache) -> None:
    keys = ["aa1", "bb2", "cc3"]
    for age, key in enumerate(keys):
        cache.put(key, bytes(100))
        used = 1_000_000 - age
        os.utime(cache.folder / key[:2] / key[2:], (used, used))
    assert cache.get("cc3") is not None  # used now
    cache.sweep(largest=250)
    assert [key for key in keys if cache.get(key) is not None] == ["aa1", "cc3"]
