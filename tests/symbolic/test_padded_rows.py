"""How long rows are and how far apart they are, both read from one header: that the first is larger is nobody's launch."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Confidence

SUMS = """
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void sums(float* out, const float* scores, int classes, int padded) {
    int row = blockIdx.x;
    float sum = 0;
    for (int i = threadIdx.x; i BELOW classes; i += blockDim.x) sum += scores[INDEX];
    atomicAdd(&out[row], sum);
}

int main(int argc, char** argv) {
    int header[8];
    FILE* file = fopen("model.bin", "rb");
    if (!file || argc < 2) return 1;
    fread(header, sizeof(int), 8, file);
    int rows = header[1], classes = CLASSES, padded = header[3];
    if (rows < 1 || classes < 1 || padded < 1 || rows > 1024 || classes > 4096 || padded > 4096) return 1;
    float *out, *scores;
    cudaMalloc(&out, rows * sizeof(float));
    cudaMalloc(&scores, SIZE * sizeof(float));
    cudaMemset(scores, 0, SIZE * sizeof(float));
    cudaMemset(out, 0, rows * sizeof(float));
    sums<<<rows, 32>>>(out, scores, classes, padded);
    return cudaGetLastError() != cudaSuccess;
}
"""


def confidences(folder: Path, **changed: str) -> list[Confidence]:
    text = SUMS
    for name, value in {
        "BELOW": "<", "INDEX": "row * padded + i", "CLASSES": "header[2]", "SIZE": "rows * padded", **changed,
    }.items():  # fmt: skip
        text = text.replace(name, value)
    path = folder / "sums.cu"
    path.write_text(text)
    return [f.confidence for f in scan(ScanOptions((str(path),), profile="audit")).findings if f.code == "IDX101"]


def test_rows_longer_than_the_file_lays_them_apart_are_left_to_who_wrote_it(tmp_path: Path) -> None:
    assert confidences(tmp_path) == [Confidence.MEDIUM]


@pytest.mark.parametrize(
    "changed",
    [
        {"BELOW": "<=", "CLASSES": "header[3]"},
        {"BELOW": "<="},
        {"CLASSES": "atoi(argv[1])"},
        {"CLASSES": "header[1]"},
        {"INDEX": "i * padded + row", "CLASSES": "header[1]"},
    ],
    ids=["inclusive", "inclusive of both", "of the command line", "rows as columns", "transposed"],
)
def test_what_no_padding_keeps_inside_stays_a_defect(changed: dict[str, str], tmp_path: Path) -> None:
    assert confidences(tmp_path, **changed) == [Confidence.HIGH]
