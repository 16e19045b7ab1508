"""Sizes that a program reads from a file of its project: who wrote it knows them, and no user chooses others."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Confidence

BLUR = """
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

struct Header { int magic, width, height; };

void take_options(int*, char**);

char* find_file(const char* name, const char* program) {
    char* path = (char*)malloc(512);
    snprintf(path, 512, "%s/../data/%s", program, name);
    return path;
}

void load(const char* name, float** pixels, int* width, int* height) {
    Header header;
    FILE* file = fopen(name, "rb");
    if (!file) exit(1);
    fread(&header, sizeof(header), 1, file);
    *width = header.width;
    *height = header.height;
    *pixels = (float*)malloc((size_t)header.width * header.height * 4);
    fread(*pixels, 4, (size_t)header.width * header.height, file);
    fclose(file);
}

__global__ void blur(const float* in, float* out, int width, int height) {
    __shared__ float s[64];
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < width && y < height) {
        s[threadIdx.y * 8 + threadIdx.x] = in[(size_t)y * width + x];
        __syncthreads();
        out[(size_t)y * width + x] = s[threadIdx.y * 8 + (threadIdx.x ^ 1)];
    }
}

int main(int argc, char** argv) {
    int width, height;
    float *pixels, *in, *out;
    PATH
    load(path, &pixels, &width, &height);
    if (width < 1 || height < 1 || width > 4096 || height > 4096) return 1;
    size_t bytes = (size_t)width * height * 4;
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    cudaMemcpy(in, pixels, bytes, cudaMemcpyHostToDevice);
    blur<<<dim3((width + 7) / 8, (height + 7) / 8), dim3(8, 8)>>>(in, out, width, height);
    cudaMemcpy(pixels, out, bytes, cudaMemcpyDeviceToHost);
    return cudaGetLastError() != cudaSuccess;
}
"""


def confidences(folder: Path, path: str) -> set[Confidence]:
    (folder / "blur.cu").write_text(BLUR.replace("PATH", path))
    found = scan(ScanOptions((str(folder),), profile="audit", project_root=str(folder))).findings
    return {finding.confidence for finding in found if finding.code.startswith("SYN2")}


@pytest.mark.parametrize(
    "path",
    [
        'char* path = find_file("lake.img", argv[0]);',
        'take_options(&argc, argv); char* path = find_file("lake.img", argv[0]);',
        'const char* path = "data/lake.img";',
    ],
)
def test_a_barrier_that_other_sizes_part_is_left_to_who_made_the_file(tmp_path: Path, path: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "lake.img").touch()
    assert confidences(tmp_path, path) == {Confidence.MEDIUM}


@pytest.mark.parametrize(
    "path",
    [
        'char* path = find_file("lake.img", argv[1]);',
        'take_options(&argc, argv); char* path = find_file("lake.img", argv[1]);',
        'const char* path = argc > 1 ? argv[1] : "lake.img";',
        'char* path = getenv("LAKE");',
        'char* path = find_file("pond.img", argv[0]);',  # which the project does not have
    ],
)
def test_a_file_that_somebody_else_brings_may_say_anything(tmp_path: Path, path: str) -> None:
    (tmp_path / "lake.img").touch()
    assert Confidence.HIGH in confidences(tmp_path, path)
