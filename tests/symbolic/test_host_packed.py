"""Launches whose arguments come as an array of pointers or in a buffer, and kernels that are looked up by name."""

from __future__ import annotations

import pytest

from cudalint.frontend.translate import ParseOptions, Surroundings, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.host.mangled import demangled, means

KERNEL = """
extern "C" __global__ void scale(float *x, const float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = y[i];
}
"""
RUNTIME = """
#include <array>
#include <cstring>
#include <vector>
struct Launcher {
    std::vector<void *> args;
    void add(void *p) { args.push_back(p); }
    void go(const void *f, int blocks) { cudaLaunchKernel(f, dim3(blocks), dim3(256), args.data(), 0, 0); }
};
static void launch(const void *f, int blocks, void **args) { cudaLaunchKernel(f, dim3(blocks), dim3(256), args); }
static void fill(void **args, float **x, float **y, int *n) { args[0] = x; args[1] = y; args[2] = n; }
template <class... A> void spread(void (*f)(A...), int blocks, A... a) {
    void *args[] = {(void *)&a...};
    cudaLaunchKernel((void *)f, dim3(blocks), dim3(256), args, 0, 0);
}
void run(int n) {
    float *x, *y;
    cudaMalloc(&x, n * 4);
    cudaMalloc(&y, n * 8);
    int blocks = (n + 255) / 256;
"""
DRIVER = """
#include <cuda.h>
#include <nvrtc.h>
static CUfunction found;
static void look_up(CUmodule module, const char *name) { cuModuleGetFunction(&found, module, name); }
void run(CUmodule module, CUlibrary library, nvrtcProgram program, int n) {
    CUdeviceptr x, y;
    cuMemAlloc(&x, n * 4);
    cuMemAlloc(&y, n * 8);
    unsigned blocks = (n + 255) / 256;
    CUfunction f;
"""
FACTS = ["grid = (n + 255) / 256, block = 256", "4*n bytes", "8*n bytes", "n = n"]


def facts(text: str, *others: str) -> list[str]:
    """Geometry, sizes and values of the only launch of the first file's kernel."""
    around = Surroundings(asked=frozenset({"scale"}), kernels=False)
    units = [
        translate(SourceFile(f"{i}.cu", f"/{i}.cu", each), ParseOptions(), "/", around if i else Surroundings()).unit
        for i, each in enumerate((text, *others))
    ]
    ((contract,),) = launch_contracts(units[0], tuple(units[1:])).values()
    assert not contract.missing
    return [fact.text for fact in contract.facts[:4]]


def shown(found: list[str]) -> list[str]:
    """Without the name of the call that made the memory."""
    return [
        each.partition("Alloc(")[2].rstrip(")") or each.partition("Malloc(")[2].rstrip(")") or each for each in found
    ]


@pytest.mark.parametrize(
    "launch",
    [
        "void *args[] = {&x, &y, &n}; cudaLaunchKernel((void *)scale, dim3(blocks), dim3(256), args, 0, 0);",
        "void *args[3]; args[0] = &x; args[1] = &y; args[2] = &n; cudaLaunchKernel((void *)scale, blocks, 256, args);",
        "void *args[3] = {}; fill(args, &x, &y, &n); cudaLaunchKernel((void *)scale, blocks, 256, args);",
        "std::vector<void *> args{&x, &y, &n}; cudaLaunchKernel((void *)scale, blocks, 256, args.data());",
        "std::vector<void *> args; args.push_back(&x); args.push_back(&y); args.push_back(&n);"
        "cudaLaunchKernel((void *)scale, blocks, 256, args.data());",
        "std::array<void *, 3> args = {&x, &y, &n}; cudaLaunchKernel((void *)scale, blocks, 256, args.data());",
        "std::array<void *, 3> args{{&x, &y, &n}}; cudaLaunchKernel((void *)scale, blocks, 256, &args[0]);",
        "void *args[] = {&x, &y, &n}; launch((const void *)scale, blocks, args);",
        "void *args[] = {&x, &y, &n}; cudaLaunchConfig_t c = {}; c.gridDim = blocks; c.blockDim = 256;"
        "cudaLaunchKernelExC(&c, (void *)scale, args);",
        "Launcher l; l.add(&x); l.add(&y); l.add(&n); l.go((const void *)scale, blocks);",
        "spread<float *, const float *, int>(scale, blocks, x, y, n);",
        "void *args[] = {&x, &y, &n}; cudaGraph_t g; cudaGraphNode_t node; cudaKernelNodeParams p = {0};"
        "p.func = (void *)scale; p.gridDim = dim3(blocks, 1, 1); p.blockDim = dim3(256, 1, 1); p.kernelParams = args;"
        "cudaGraphAddKernelNode(&node, g, nullptr, 0, &p);",
    ],
)
def test_an_array_of_pointers_is_followed_however_it_was_filled(launch: str) -> None:
    assert shown(facts(f"{KERNEL}{RUNTIME}{launch} }}")) == FACTS


def test_an_element_that_is_replaced_before_the_launch_counts_as_it_is_then() -> None:
    launch = "void *args[] = {&y, &y, &n}; args[0] = &x; cudaLaunchKernel((void *)scale, blocks, 256, args);"
    assert shown(facts(f"{KERNEL}{RUNTIME}{launch} }}")) == FACTS


def test_bytes_that_are_set_in_a_struct_leave_alone_what_its_old_pointers_led_to() -> None:
    launch = """
        void *first[1] = {&n}, *args[] = {&x, &y, &n};
        cudaGraph_t g; cudaGraphNode_t node; cudaKernelNodeParams p = {0}; p.kernelParams = first;
        memset(&p, 0, sizeof(p));
        p.func = (void *)scale; p.gridDim = dim3(blocks, 1, 1); p.blockDim = dim3(256, 1, 1); p.kernelParams = args;
        cudaGraphAddKernelNode(&node, g, nullptr, 0, &p);
    """
    assert shown(facts(f"{KERNEL}{RUNTIME}{launch} }}")) == FACTS


def test_a_wider_number_than_the_parameter_gives_its_lower_half() -> None:
    launch = "size_t m = n; void *args[] = {&x, &y, &m}; cudaLaunchKernel((void *)scale, blocks, 256, args);"
    assert shown(facts(f"{KERNEL}{RUNTIME}{launch} }}")) == FACTS


def test_a_narrower_number_than_the_parameter_says_nothing_of_it() -> None:
    launch = "short m = n; void *args[] = {&x, &y, &m}; cudaLaunchKernel((void *)scale, blocks, 256, args);"
    ((contract,),) = launch_contracts(
        translate(SourceFile("k.cu", "/k.cu", f"{KERNEL}{RUNTIME}{launch} }}"), ParseOptions(), "/").unit
    ).values()
    assert [missing.subject for missing in contract.missing] == ["n"]


LAUNCH = "void *args[] = {&x, &y, &n}; cuLaunchKernel(f, blocks, 1, 1, 256, 1, 1, 0, nullptr, args, nullptr);"


@pytest.mark.parametrize(
    "launch",
    [
        f'cuModuleGetFunction(&f, module, "scale"); {LAUNCH}',
        f'const char *name = "scale"; cuModuleGetFunction(&f, module, name); {LAUNCH}',
        f'look_up(module, "scale"); f = found; {LAUNCH}',
        f'CUkernel k; cuLibraryGetKernel(&k, library, "scale"); cuKernelGetFunction(&f, k); {LAUNCH}',
        f'CUkernel k; cuLibraryGetKernel(&k, library, "scale"); f = (CUfunction)k; {LAUNCH}',
        'const char *name; nvrtcGetLoweredName(program, "scale", &name); cuModuleGetFunction(&f, module, name);'
        + LAUNCH,
        'cuModuleGetFunction(&f, module, "scale"); void *args[] = {&x, &y, &n}; CUlaunchConfig c = {};'
        "c.gridDimX = blocks; c.gridDimY = c.gridDimZ = 1; c.blockDimX = 256; c.blockDimY = c.blockDimZ = 1;"
        "cuLaunchKernelEx(&c, f, args, nullptr);",
        'cuModuleGetFunction(&f, module, "scale"); char buffer[64]; size_t size = 20; *(CUdeviceptr *)buffer = x;'
        "*(CUdeviceptr *)(buffer + 8) = y; *(int *)(buffer + 16) = n;"
        "void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};"
        "cuLaunchKernel(f, blocks, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra);",
        'cuModuleGetFunction(&f, module, "scale"); struct { CUdeviceptr a, b; int c; } p = {x, y, n}; size_t size = sizeof(p);'
        "void *extra[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_BUFFER_POINTER, &p, CU_LAUNCH_PARAM_END};"
        "cuLaunchKernel(f, blocks, 1, 1, 256, 1, 1, 0, nullptr, nullptr, (void **)&extra);",
    ],
)
def test_a_kernel_that_is_looked_up_by_name_has_the_facts_of_its_launch(launch: str) -> None:
    assert shown(facts(KERNEL, f"{DRIVER}{launch} }}")) == FACTS


def test_an_address_that_is_kept_as_a_number_may_be_moved() -> None:
    launch = 'cuModuleGetFunction(&f, module, "scale"); CUdeviceptr z = x + 4 * 4;' + LAUNCH.replace("&x", "&z")
    assert facts(KERNEL, f"{DRIVER}{launch} }}")[1] == "x = cuMemAlloc(4*n bytes) + 16 bytes"


def test_the_first_of_several_names_that_fits_is_each_a_launch() -> None:
    text = KERNEL + KERNEL.replace("scale", "scale2")
    launch = """
        const char *names[] = {"scale2", "scale"};
        int threads = 256;
        for (int i = 0; i < 2; i++) {
            cuModuleGetFunction(&f, module, names[i]);
            int fits = 0;
            cuOccupancyMaxActiveBlocksPerMultiprocessor(&fits, f, threads, 0);
            if (fits) break;
            threads /= 2;
        }
        void *args[] = {&x, &y, &n};
        cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, 0, nullptr, args, nullptr);
    """
    around = Surroundings(asked=frozenset({"scale", "scale2"}), kernels=False)
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    other = translate(SourceFile("h.cpp", "/h.cpp", f"{DRIVER}{launch} }}"), ParseOptions(), "/", around).unit
    found = launch_contracts(unit, (other,))
    assert sorted(unit.functions[kernel].name for kernel in found) == ["scale", "scale2"]


@pytest.mark.parametrize(
    ("mangled", "name"),
    [
        ("_Z5scalePfi", "scale"),
        ("_ZN3ops5scaleEPfi", "ops::scale"),
        ("_ZN3ops5scaleIfLi4EEEvPT_i", "ops::scale<float, 4>"),
        ("_Z5scaleIN3ops1TEEvPT_", None),
        ("_ZN12_GLOBAL__N_15scaleEPf", "scale"),
    ],
)
def test_mangled_names_are_read_where_they_are_plain(mangled: str, name: str | None) -> None:
    assert demangled(mangled) == name


def test_names_are_compared_without_what_does_not_tell_kernels_apart() -> None:
    assert means("ops::scale<float,4u>", "ops::scale<float, 4>")
    assert means("&scale<true>", "scale<1>")
    assert not means("scale<double>", "scale<float>")
