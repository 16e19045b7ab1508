"""Host libraries are data files, and projects add their own words in the configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.engine.options import UsageError
from cudalint.symbolic.host_vocabulary import FOLDER, Allocator, VocabularyError, extended, shipped, speaking, words

SOURCE = """
struct Pool { void *take(long bytes); };
int pool_alloc(float **p, long bytes);
void demand(bool cond);
__global__ void k(float *x, int n) { x[threadIdx.x + 32 * n] = 1; }
void run(int n) {
  float *x;
  pool_alloc(&x, 4096);
  demand(n == 0);
  k<<<1, 32>>>(x, n);
}
"""
WORDS = '[vocabulary]\nchecks = ["demand"]\n[vocabulary.allocators]\npool_alloc = { sizes = [1], out = 0 }\n'


def test_every_shipped_file_is_read() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} >= {"cuda", "std", "thrust", "torch", "tvm", "rmm"}
    assert shipped().allocators["cudaMalloc"] == Allocator((1,), 0, "device")
    assert shipped().device_properties["warpSize"] == (32, 32)
    assert set(shipped().device_attributes.values()) <= set(shipped().device_properties)
    assert {"Tensor", "TensorView"} <= shipped().tensor_classes


def test_a_project_adds_words_for_its_own_scan_only() -> None:
    with speaking({"checks": ["demand"], "allocators": {"mine": {"sizes": [0, 1]}}}):
        assert "demand" in words().checks
        assert words().allocators["mine"] == Allocator((0, 1))
    assert "demand" not in words().checks


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"check": []}, "unknown key `check` of the vocabulary"),
        ({"checks": "demand"}, "`checks` of the vocabulary is a list of names"),
        ({"allocators": ["mine"]}, "`allocators` of the vocabulary is a table"),
        ({"queries": {"q": [1]}}, "`q` of the vocabulary's queries is a pair of integers"),
        ({"allocators": {"mine": {"sizes": 1}}}, "`mine` of the vocabulary's allocators is"),
        ({"allocators": {"mine": {"sizes": [0], "out": "x"}}}, "`mine` of the vocabulary's allocators is"),
        ({"item_bytes": {"6": "four"}}, "`6` of the vocabulary's item_bytes is an integer"),
        ({"view_structs": {"V": {"data": 0, "sizes": 1, "strides": 2, "type": 3}}}, "`V` of the vocabulary's view_str"),
        ({"held_memory": {"B::get": {"memory": 0, "count": 1}}}, "`B::get` of the vocabulary's held_memory is"),
        ({"column_members": {"count": 1}}, "`count` of the vocabulary's column_members is the name of a member"),
        ({"owned_memory": {"B": {"memory": 0, "width": 1}}}, "`B` of the vocabulary's owned_memory is"),
        ({"remaking": {"B::make": ["n"]}}, "`B::make` of the vocabulary's remaking is"),
        ({"copies": {"mine": {"to": "x", "bytes": 1}}}, "`mine` of the vocabulary's copies is"),
    ],
)
def test_a_mistake_names_the_key(tables: dict[str, object], message: str) -> None:
    with pytest.raises(VocabularyError, match=message.replace("(", r"\(")):
        extended(shipped(), tables)


def test_words_of_the_configuration_decide_an_access(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(SOURCE)
    (tmp_path / "cudalint.toml").write_text("")
    without = scan(ScanOptions(paths=(str(tmp_path),), jobs=1))
    (tmp_path / "cudalint.toml").write_text(WORDS)
    with_words = scan(ScanOptions(paths=(str(tmp_path),), jobs=1))
    assert [o.verdict.value for k in without.kernels for o in k.obligations if o.kind == "global-write-bounds"] == [
        "unknown"
    ]
    assert [o.verdict.value for k in with_words.kernels for o in k.obligations if o.kind == "global-write-bounds"] == [
        "safe"
    ]


def test_a_mistake_in_the_configuration_has_its_line(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(SOURCE)
    (tmp_path / "cudalint.toml").write_text("\n[vocabulary]\nchek = []\n")
    with pytest.raises(UsageError, match=r"cudalint.toml:3: unknown key `chek` of the vocabulary"):
        scan(ScanOptions(paths=(str(tmp_path),), jobs=1))


OWNED = """
int pool_alloc(float **p, long bytes);
void pool_free(float *p);
__global__ void k(float *x) { x[threadIdx.x] = 1; }
int run() {
  float *x;
  pool_alloc(&x, 4096);
  pool_free(x);
  k<<<1, 32>>>(x);
  return cudaGetLastError() != cudaSuccess;
}
"""


def test_memory_of_a_project_is_freed_by_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(OWNED)
    told = [finding.code for finding in scan(ScanOptions(paths=(str(tmp_path),), jobs=1)).findings]
    words_ = {"frees": ["pool_free"], "allocators": {"pool_alloc": {"sizes": [1], "out": 0, "owner": "device"}}}
    options = ScanOptions(paths=(str(tmp_path),), jobs=1, vocabulary=words_)
    assert (told, [finding.code for finding in scan(options).findings]) == ([], ["API112"])


def test_an_owner_is_one_of_four() -> None:
    with pytest.raises(VocabularyError, match="device, host, pinned or managed"):
        extended(shipped(), {"allocators": {"mine": {"sizes": [0], "owner": "somebody"}}})
