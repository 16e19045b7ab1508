"""The recorder before a runtime that launches nothing: what it writes down of the launches of a small program."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.gpu.recorded.build import programs

HERE = Path(__file__).parent
INCLUDE = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include"
RUNTIME = """
#include <cuda_runtime_api.h>
#include <cstdlib>
static char kernel;
extern "C" {
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, uint3 *, uint3 *, dim3 *, dim3 *, int *) {}
cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *) { *handle = (cudaKernel_t)&kernel; return cudaSuccess; }
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMalloc(void **pointer, size_t size) { *pointer = malloc(size); return cudaSuccess; }
cudaError_t cudaFree(void *pointer) { free(pointer); return cudaSuccess; }
cudaError_t cudaGetDevice(int *device) { *device = 0; return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int) {
    *value = 132;
    return which == cudaDevAttrMultiProcessorCount ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaFuncGetParamInfo(const void *, size_t index, size_t *offset, size_t *size) {
    *offset = 8 * index;
    *size = index == 2 ? 4 : 8;
    return index < 3 ? cudaSuccess : cudaErrorInvalidValue;
}
}
"""
PROGRAM = """
#include <cuda_runtime_api.h>
extern "C" void __cudaRegisterFunction(void **, const char *, char *, const char *, int, uint3 *, uint3 *, dim3 *, dim3 *, int *);
extern "C" cudaError_t __cudaGetKernel(cudaKernel_t *, const void *);
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);
static char stub;
int main() {
    cudaKernel_t kernel;
    __cudaRegisterFunction(nullptr, &stub, nullptr, "_Z3addPfS_i", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaGetKernel(&kernel, &stub);
    for (int n = 40; n < 43; ++n) {
        float *x;
        cudaMalloc((void **)&x, 100 * sizeof(float));
        float *y = x + (n < 42 ? 40 : 42);
        int count = n < 42 ? 40 : 42;
        void *arguments[] = {&x, &y, &count};
        __cudaLaunchKernel(kernel, dim3(n < 42 ? 2 : 3), dim3(32, 4), arguments, 16, nullptr);
        if (n == 40) __cudaLaunchKernel(kernel, dim3(2), dim3(32, 4), arguments, 16, nullptr);
        cudaFree(x);
    }
}
"""


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    if shutil.which("g++") is None or not (INCLUDE / "cuda_runtime_api.h").is_file():
        pytest.skip("no C++ compiler or no CUDA headers")
    folder = tmp_path_factory.mktemp("recorder")

    def build(name: str, text: str, *options: str) -> None:
        source = folder / f"{name}.cpp"
        source.write_text(text, encoding="utf-8")
        command = ["g++", "-std=c++17", "-g", f"-I{INCLUDE}", str(source), "-o", str(folder / name), *options]
        subprocess.run(command, check=True, cwd=folder)

    build("libfake.so", RUNTIME, "-shared", "-fPIC")
    build("librecorder.so", (HERE / "recorder.cpp").read_text(encoding="utf-8"), "-shared", "-fPIC", "-ldl")
    build("program", PROGRAM, "./libfake.so")
    around = {**os.environ, "LD_PRELOAD": str(folder / "librecorder.so"), "RECORD_TO": str(folder / "out.jsonl")}
    subprocess.run(["./program"], check=True, cwd=folder, env=around)
    return [json.loads(line) for line in (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()]


def test_the_first_line_is_the_device_and_the_last_the_number_of_launches(lines: list[dict[str, Any]]) -> None:
    assert lines[0] == {"device": {"multiProcessorCount": 132}}
    assert lines[-1] == {"launches": 4}


def test_launches_that_differ_by_addresses_alone_are_one(lines: list[dict[str, Any]]) -> None:
    launches = [(line["grid"][0], line["pointers"][1][3]) for line in lines[1:-1]]
    assert launches == [(2, 160), (2, 160), (3, 168)]  # two of the four are at another place


def test_a_launch_has_geometry_and_the_bytes_of_its_parameters(lines: list[dict[str, Any]]) -> None:
    launch = lines[1]
    assert launch["kernel"] == "_Z3addPfS_i"
    assert (launch["grid"], launch["block"], launch["shared"]) == ([2, 1, 1], [32, 4, 1], 16)
    assert launch["params"] == [[8, "00" * 8], [8, "00" * 8], [4, "28000000"]]


def test_a_pointer_is_an_allocation_with_an_offset_and_its_size(lines: list[dict[str, Any]]) -> None:
    assert lines[1]["pointers"] == [[0, 0, 0, 0, 400, "device"], [1, 0, 0, 160, 400, "device"]]


def test_all_programs_are_named_once() -> None:
    names = [each.name for each in programs()]
    assert len(names) == len(set(names))
    assert sum(each.repository == "cuda-samples" for each in programs()) >= 30
