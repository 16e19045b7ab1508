// Writes down what a program really launches: preloaded, it stands before the CUDA runtime that the program is linked with.
//
//     LD_PRELOAD=./librecorder.so RECORD_TO=out.jsonl ./program
//
// The first line holds the device; each other line one launch: kernel symbol, geometry, the bytes of the parameters, for each
// word of them that points into a live allocation that allocation, and the return addresses in the program. Addresses of
// memory are written as zeros, so that launches that differ by them alone are one line. Launches that are captured into
// graphs count when they are captured.

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr size_t kMostLaunches = 60, kMostOfOnePlace = 8, kMostParameterBytes = 4096;
constexpr int kMostFrames = 24;

struct Allocation {
    size_t size;
    const char *kind;
};

struct State {
    std::recursive_mutex lock;
    std::map<uintptr_t, Allocation> live;
    std::map<const void *, std::string> names;         // by host stub
    std::map<const void *, const void *> stubs;        // by kernel handle
    std::map<const void *, size_t> variables;          // sizes by host symbol
    std::set<std::string> seen;
    std::map<std::string, size_t> places;
    size_t launches = 0;
    uintptr_t base = 0, low = 0, high = 0;             // the program's own code
    FILE *out = nullptr;
};

State &state() {
    static State *the = new State;  // never freed: other objects' destructors may still launch
    return *the;
}

#define REAL(name) reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #name))

int of_program(dl_phdr_info *info, size_t, void *data) {
    auto &s = *static_cast<State *>(data);
    s.base = info->dlpi_addr;
    s.low = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto &part = info->dlpi_phdr[i];
        if (part.p_type != PT_LOAD) continue;
        s.low = std::min<uintptr_t>(s.low, s.base + part.p_vaddr);
        s.high = std::max<uintptr_t>(s.high, s.base + part.p_vaddr + part.p_memsz);
    }
    return 1;  // the first object is the program
}

bool is_open(State &s) {
    if (s.out) return true;
    const char *path = getenv("RECORD_TO");
    if (!path || !(s.out = fopen(path, "w"))) return false;
    dl_iterate_phdr(of_program, &s);
    const std::pair<const char *, cudaDeviceAttr> asked[] = {
        {"multiProcessorCount", cudaDevAttrMultiProcessorCount},
        {"maxThreadsPerBlock", cudaDevAttrMaxThreadsPerBlock},
        {"maxThreadsPerMultiProcessor", cudaDevAttrMaxThreadsPerMultiProcessor},
        {"maxBlocksPerMultiProcessor", cudaDevAttrMaxBlocksPerMultiprocessor},
        {"sharedMemPerBlock", cudaDevAttrMaxSharedMemoryPerBlock},
        {"sharedMemPerBlockOptin", cudaDevAttrMaxSharedMemoryPerBlockOptin},
        {"sharedMemPerMultiprocessor", cudaDevAttrMaxSharedMemoryPerMultiprocessor},
        {"regsPerBlock", cudaDevAttrMaxRegistersPerBlock},
        {"warpSize", cudaDevAttrWarpSize},
        {"major", cudaDevAttrComputeCapabilityMajor},
        {"minor", cudaDevAttrComputeCapabilityMinor},
    };
    std::string line;
    for (const auto &[name, attribute] : asked) {
        int value = 0, device = 0;
        REAL(cudaGetDevice)(&device);
        if (REAL(cudaDeviceGetAttribute)(&value, attribute, device) != cudaSuccess) continue;
        line += (line.empty() ? "\"" : ", \"") + std::string(name) + "\": " + std::to_string(value);
    }
    fprintf(s.out, "{\"device\": {%s}}\n", line.c_str());
    fflush(s.out);
    return true;
}

void allocated(const void *pointer, size_t size, const char *kind) {
    std::lock_guard<std::recursive_mutex> hold(state().lock);
    if (pointer && size) state().live[reinterpret_cast<uintptr_t>(pointer)] = {size, kind};
}

void freed(const void *pointer) {
    std::lock_guard<std::recursive_mutex> hold(state().lock);
    state().live.erase(reinterpret_cast<uintptr_t>(pointer));
}

const std::pair<const uintptr_t, Allocation> *holder(const State &s, uintptr_t word) {
    auto after = s.live.upper_bound(word);
    if (after == s.live.begin()) return nullptr;
    --after;
    return word <= after->first + after->second.size ? &*after : nullptr;  // one past the end points into it too
}

std::string hex(const std::vector<unsigned char> &bytes) {
    std::string text;
    char two[3];
    for (unsigned char byte : bytes) {
        snprintf(two, sizeof two, "%02x", byte);
        text += two;
    }
    return text;
}

std::string parameters(State &s, const void *stub, void **arguments) {
    std::string params, pointers;
    std::vector<uintptr_t> bases;
    size_t offset = 0, size = 0;
    for (size_t i = 0; REAL(cudaFuncGetParamInfo)(stub, i, &offset, &size) == cudaSuccess; ++i) {
        std::vector<unsigned char> bytes(std::min(size, kMostParameterBytes));
        memcpy(bytes.data(), arguments[i], bytes.size());
        for (size_t at = 0; at + sizeof(uintptr_t) <= bytes.size(); at += sizeof(uintptr_t)) {
            uintptr_t word;
            memcpy(&word, bytes.data() + at, sizeof word);
            const auto *found = holder(s, word);
            if (!found) continue;
            size_t index = 0;
            while (index < bases.size() && bases[index] != found->first) ++index;
            if (index == bases.size()) bases.push_back(found->first);
            char text[200];
            snprintf(text, sizeof text, "%s[%zu, %zu, %zu, %zu, %zu, \"%s\"]", pointers.empty() ? "" : ", ", i, at, index,
                     word - found->first, found->second.size, found->second.kind);
            pointers += text;
            memset(bytes.data() + at, 0, sizeof word);
        }
        params += (i ? ", [" : "[") + std::to_string(size) + ", \"" + hex(bytes) + "\"]";
    }
    REAL(cudaGetLastError)();  // of the parameter behind the last
    return "\"params\": [" + params + "], \"pointers\": [" + pointers + "]";
}

std::string frames(const State &s) {
    void *found[kMostFrames];
    int count = backtrace(found, kMostFrames);
    std::string text;
    for (int i = 0; i < count; ++i) {
        auto at = reinterpret_cast<uintptr_t>(found[i]);
        if (at >= s.low && at < s.high) text += (text.empty() ? "" : ", ") + std::to_string(at - s.base - 1);
    }
    return "[" + text + "]";
}

// A launch by the host stub; a handle of the kernel is as good.
void launched(const char *how, const void *function, dim3 grid, dim3 block, size_t shared, void **arguments) {
    State &s = state();
    std::lock_guard<std::recursive_mutex> hold(s.lock);
    ++s.launches;
    const void *stub = s.stubs.count(function) ? s.stubs[function] : function;
    if (!s.names.count(stub) || !arguments || s.seen.size() >= kMostLaunches || !is_open(s)) return;
    std::string where = "\"frames\": " + frames(s);
    std::string place = s.names[stub] + where;
    if (s.places[place] >= kMostOfOnePlace) return;
    char geometry[300];
    snprintf(geometry, sizeof geometry, "\"how\": \"%s\", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"shared\": %zu", how,
             grid.x, grid.y, grid.z, block.x, block.y, block.z, shared);
    std::string line = "{\"kernel\": \"" + s.names[stub] + "\", " + geometry + ", " + parameters(s, stub, arguments) + ", " +
                       where + "}";
    if (!s.seen.insert(line).second) return;
    ++s.places[place];
    fprintf(s.out, "%s\n", line.c_str());
    fflush(s.out);
}

__attribute__((destructor)) void finished() {
    State &s = state();
    std::lock_guard<std::recursive_mutex> hold(s.lock);
    if (!s.out) return;
    fprintf(s.out, "{\"launches\": %zu}\n", s.launches);
    fclose(s.out);
    s.out = nullptr;
    s.seen.clear();
    unsetenv("RECORD_TO");
}

}  // namespace

extern "C" {

// --- names of kernels and sizes of variables

void __cudaRegisterFunction(void **handle, const char *stub, char *device, const char *name, int limit, uint3 *tid, uint3 *bid,
                            dim3 *block, dim3 *grid, int *size) {
    {
        std::lock_guard<std::recursive_mutex> hold(state().lock);
        state().names[stub] = name;
    }
    REAL(__cudaRegisterFunction)(handle, stub, device, name, limit, tid, bid, block, grid, size);
}

void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int ext, size_t size, int constant,
                       int global) {
    {
        std::lock_guard<std::recursive_mutex> hold(state().lock);
        state().variables[host] = size;
    }
    REAL(__cudaRegisterVar)(handle, host, address, name, ext, size, constant, global);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *address, const char *name, int ext, size_t size, int constant,
                              int global) {
    {
        std::lock_guard<std::recursive_mutex> hold(state().lock);
        state().variables[host] = size;
    }
    REAL(__cudaRegisterManagedVar)(handle, host, address, name, ext, size, constant, global);
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub) {
    cudaError_t status = REAL(__cudaGetKernel)(kernel, stub);
    std::lock_guard<std::recursive_mutex> hold(state().lock);
    if (status == cudaSuccess) state().stubs[*kernel] = stub;
    return status;
}

// --- launches

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                               cudaStream_t stream) {
    launched("launch", kernel, grid, block, shared, arguments);
    return REAL(__cudaLaunchKernel)(kernel, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream) {
    launched("launch", function, grid, block, shared, arguments);
    return REAL(cudaLaunchKernel)(function, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                                        cudaStream_t stream) {
    launched("cooperative", function, grid, block, shared, arguments);
    return REAL(cudaLaunchCooperativeKernel)(function, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments) {
    launched("launch", function, config->gridDim, config->blockDim, config->dynamicSmemBytes, arguments);
    return REAL(cudaLaunchKernelExC)(config, function, arguments);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                   const cudaKernelNodeParams *p) {
    launched("graph", p->func, p->gridDim, p->blockDim, p->sharedMemBytes, p->kernelParams);
    return REAL(cudaGraphAddKernelNode)(node, graph, before, count, p);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaKernelNodeParams *p) {
    launched("graph", p->func, p->gridDim, p->blockDim, p->sharedMemBytes, p->kernelParams);
    return REAL(cudaGraphExecKernelNodeSetParams)(graph, node, p);
}

// --- memory

cudaError_t cudaMalloc(void **pointer, size_t size) {
    cudaError_t status = REAL(cudaMalloc)(pointer, size);
    if (status == cudaSuccess) allocated(*pointer, size, "device");
    return status;
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream) {
    auto function = reinterpret_cast<cudaError_t (*)(void **, size_t, cudaStream_t)>(dlsym(RTLD_NEXT, "cudaMallocAsync"));
    cudaError_t status = function(pointer, size, stream);
    if (status == cudaSuccess) allocated(*pointer, size, "device");
    return status;
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
    cudaError_t status = REAL(cudaMallocFromPoolAsync)(pointer, size, pool, stream);
    if (status == cudaSuccess) allocated(*pointer, size, "device");
    return status;
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned flags) {
    cudaError_t status = REAL(cudaMallocManaged)(pointer, size, flags);
    if (status == cudaSuccess) allocated(*pointer, size, "managed");
    return status;
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    cudaError_t status = REAL(cudaMallocPitch)(pointer, pitch, width, height);
    if (status == cudaSuccess) allocated(*pointer, *pitch * height, "device");
    return status;
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *pointer, cudaExtent extent) {
    cudaError_t status = REAL(cudaMalloc3D)(pointer, extent);
    if (status == cudaSuccess) allocated(pointer->ptr, pointer->pitch * extent.height * extent.depth, "device");
    return status;
}

cudaError_t cudaMallocHost(void **pointer, size_t size) {
    cudaError_t status = REAL(cudaMallocHost)(pointer, size);
    if (status == cudaSuccess) allocated(*pointer, size, "host");
    return status;
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned flags) {
    cudaError_t status = REAL(cudaHostAlloc)(pointer, size, flags);
    if (status == cudaSuccess) allocated(*pointer, size, "host");
    return status;
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned flags) {
    cudaError_t status = REAL(cudaHostRegister)(pointer, size, flags);
    if (status == cudaSuccess) allocated(pointer, size, "host");
    return status;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
    cudaError_t status = REAL(cudaHostGetDevicePointer)(device, host, flags);
    if (status != cudaSuccess || *device == host) return status;
    std::lock_guard<std::recursive_mutex> hold(state().lock);
    auto word = reinterpret_cast<uintptr_t>(host);
    if (const auto *found = holder(state(), word)) allocated(*device, found->second.size - (word - found->first), "host");
    return status;
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
    cudaError_t status = REAL(cudaGetSymbolAddress)(pointer, symbol);
    std::lock_guard<std::recursive_mutex> hold(state().lock);
    auto found = state().variables.find(symbol);
    if (status == cudaSuccess && found != state().variables.end()) allocated(*pointer, found->second, "variable");
    return status;
}

cudaError_t cudaFree(void *pointer) {
    freed(pointer);
    return REAL(cudaFree)(pointer);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
    freed(pointer);
    return REAL(cudaFreeAsync)(pointer, stream);
}

cudaError_t cudaFreeHost(void *pointer) {
    freed(pointer);
    return REAL(cudaFreeHost)(pointer);
}

cudaError_t cudaHostUnregister(void *pointer) {
    freed(pointer);
    return REAL(cudaHostUnregister)(pointer);
}
}
