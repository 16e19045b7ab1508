"""What an instrumented slice calls: CUDA text that stands before it, and the layout of the state that they share.

Every access through `at`, `to` or `touch` is compared with the buffers of the plan, with the array that it names, or
with the dynamic shared memory of the launch. The first bad one of each site is kept, with its block, thread and
offset, and goes to a scratch area instead, so that the run goes on. In the watched blocks accesses of shared
memory, barriers and early returns are written down in the order of each thread.
"""

from __future__ import annotations

import numpy as np

OUT_OF_BOUNDS, WILD, NULL = 1, 2, 3
READ, WRITE, BOTH, ATOMIC, BARRIER, LEAVE = 1, 2, 3, 4, 5, 6
GLOBAL, ARRAY, DYNAMIC_SHARED, STATIC_SHARED = 0, 1, 2, 3
WATCHED = 4
THREADS = 1024
SINK_BYTES = 1 << 16

REGION = np.dtype([("low", "<u8"), ("start", "<u8"), ("end", "<u8"), ("high", "<u8")])
EVENT = np.dtype([
    ("seen", "<u4"), ("kind", "<u4"), ("memory", "<u4"), ("region", "<u4"), ("offset", "<i8"), ("size", "<u4"),
    ("block", "<u4", (3,)), ("thread", "<u4", (3,)), ("access", "<u4"),
])  # fmt: skip
RECORD = np.dtype([
    ("site", "<u4"), ("address", "<u4"), ("size", "<u2"), ("kind", "<u2"), ("slot", "<u2"), ("thread", "<u2"),
    ("interval", "<u4"), ("phase", "<u4"),
])  # fmt: skip
STATE = np.dtype([
    ("regions", "<u8"), ("events", "<u8"), ("records", "<u8"), ("record_count", "<u8"), ("threads", "<u8"),
    ("sink", "<u8"), ("watched", "<u8", (WATCHED,)), ("region_count", "<u4"), ("record_capacity", "<u4"),
    ("watched_count", "<u4"), ("enabled", "<u4"),
])  # fmt: skip
NAME = "cudalint_state"

TEXT = r"""
namespace cudalint_ {
typedef unsigned int u32; typedef unsigned long long u64; typedef long long i64; typedef unsigned short u16;
struct Region { u64 low, start, end, high; };
struct Event { u32 seen, kind, memory, region; i64 offset; u32 size, block[3], thread[3], access; };
struct Record { u32 site, address; u16 size, kind, slot, thread; u32 interval, phase; };
struct State {
    Region* regions; Event* events; Record* records; u32* record_count; u32* threads; unsigned char* sink;
    u64 watched[4]; u32 region_count, record_capacity, watched_count, enabled;
};
}
extern "C" __device__ cudalint_::State cudalint_state;
extern __shared__ __align__(16) unsigned char cudalint_dynamic[];
namespace cudalint_ {
struct Last { __device__ Last(int) {} };
template <class T> struct is_array { static const bool value = false; };
template <class T, decltype(sizeof(0)) N> struct is_array<T[N]> { static const bool value = true; };

__device__ inline u32 flat_thread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ inline u64 flat_block() { return blockIdx.x + (u64)gridDim.x * (blockIdx.y + (u64)gridDim.y * blockIdx.z); }

__device__ inline int slot() {
    u64 block = flat_block();
    for (u32 k = 0; k < cudalint_state.watched_count; ++k) if (cudalint_state.watched[k] == block) return (int)k;
    return -1;
}

__device__ inline void record(u32 site, u32 address, u32 size, u32 kind) {
    int watched = slot();
    if (watched < 0) return;
    u32* mine = cudalint_state.threads + 2 * (watched * 1024 + flat_thread());
    u32 place = atomicAdd(cudalint_state.record_count, 1u);
    if (place < cudalint_state.record_capacity) {
        Record entry = {site, address, (u16)size, (u16)kind, (u16)watched, (u16)flat_thread(), mine[0], mine[1]};
        cudalint_state.records[place] = entry;
    }
    if (kind == 5) mine[0] += 1;
}

__device__ inline void arrive(u32 site) { record(site, 0, 0, 5); }
__device__ inline void leave(u32 site) { record(site, 0, 0, 6); }
__device__ inline void arrive_warp() {
    int watched = slot();
    if (watched >= 0) cudalint_state.threads[2 * (watched * 1024 + flat_thread()) + 1] += 1;
}

__device__ inline void report(u32 site, u32 kind, u32 memory, u32 region, i64 offset, u32 size, u32 access) {
    Event* event = cudalint_state.events + site;
    if (*(volatile u32*)&event->seen || atomicCAS(&event->seen, 0u, 1u) != 0) return;  // a count could wrap to none
    event->kind = kind; event->memory = memory; event->region = region; event->offset = offset; event->size = size;
    event->block[0] = blockIdx.x; event->block[1] = blockIdx.y; event->block[2] = blockIdx.z;
    event->thread[0] = threadIdx.x; event->thread[1] = threadIdx.y; event->thread[2] = threadIdx.z;
    event->access = access;
}

__device__ inline bool bad_global(u64 base, u64 address, u32 size, u32 site, u32 access) {
    u32 home = cudalint_state.region_count, near = home;
    for (u32 k = 0; k < cudalint_state.region_count; ++k) {
        Region r = cudalint_state.regions[k];
        if (base >= r.low && base < r.high) home = k;
        if (address >= r.low && address < r.high) near = k;
    }
    if (base == 0) { report(site, 3, 0, 0, (i64)address, size, access); return true; }
    if (home == cudalint_state.region_count) home = near;
    if (home == cudalint_state.region_count) { report(site, 2, 0, 0, (i64)address, size, access); return false; }
    Region r = cudalint_state.regions[home];
    if (address >= r.start && address + size <= r.end) return false;
    report(site, 1, 0, home, (i64)(address - r.start), size, access);
    return true;
}

__device__ inline bool bad_shared(u32 base, u32 address, u32 size, u32 site, u32 access) {
    u32 start = (u32)__cvta_generic_to_shared(cudalint_dynamic), length;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(length));
    bool dynamic = base >= start;
    bool bad = dynamic ? address < start || address + size > start + length || address + size < address
                       : address + size > start;
    if (bad) report(site, 1, dynamic ? 2 : 3, 0, (i64)address - (i64)start, size, access);
    return bad;
}

// What __isShared and its like tell; the optimiser passes these pointers to structures, which breaks the function (CUDA 13.0).
#define CUDALINT_SPACE(space) \
    __device__ inline bool is_##space(const void* place) { \
        u32 inside; \
        asm("{ .reg .pred p; isspacep." #space " p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(inside) : "l"(place)); \
        return inside != 0; \
    }
CUDALINT_SPACE(shared)
CUDALINT_SPACE(local)
CUDALINT_SPACE(const)
#undef CUDALINT_SPACE

template <class T> __device__ inline bool bad_place(const volatile void* base, const volatile void* place, u32 site, u32 access) {
    const void* generic = (const void*)base;
    u32 size = (u32)sizeof(T);
    if (is_shared(generic)) {
        u32 from = (u32)__cvta_generic_to_shared(generic);
        u32 address = from + (u32)((i64)(u64)place - (i64)(u64)base);
        if (bad_shared(from, address, size, site, access)) return true;
        if (access && !is_array<T>::value) record(site, address, size, access);
        return false;
    }
    if (is_local(generic) || is_const(generic)) return false;
    return bad_global((u64)base, (u64)place, size, site, access);
}

template <class T> __device__ inline void log_shared(T& place, u32 site, u32 access) {
    const void* generic = (const void*)&place;
    if (access && !is_array<T>::value && is_shared(generic))
        record(site, (u32)__cvta_generic_to_shared(generic), (u32)sizeof(T), access);
}

// An index is taken as the 32 bits that the source makes of it: beyond an overflow the optimiser may widen it.
template <class I> __device__ inline I computed(I index) { return index; }
__device__ inline int computed(int index) { asm volatile("" : "+r"(index)); return index; }
__device__ inline unsigned computed(unsigned index) { asm volatile("" : "+r"(index)); return index; }

template <class T> __device__ inline T& scratch() { return *(T*)(void*)cudalint_state.sink; }

template <class T, decltype(sizeof(0)) N, class I>
__device__ inline T& at_(T (&array)[N], I index, u32 site, u32 access, int) {
    i64 place = (i64)computed(index);
    if (place < 0 || (u64)place >= (u64)N) {
        report(site, 1, 1, 0, place * (i64)sizeof(T), (u32)sizeof(T), access);
        return scratch<T>();
    }
    log_shared(array[place], site, access);
    return array[place];
}

template <class T, class I> __device__ inline T& at_(T* pointer, I index, u32 site, u32 access, long) {
    T* place = pointer + computed(index);
    return bad_place<T>(pointer, place, site, access) ? scratch<T>() : *place;
}

template <class C, class I> __device__ inline decltype(auto) at_(C&& object, I&& index, u32, u32, Last) {
    return object[index];
}

template <class T> __device__ inline T* to_(T* pointer, u32 site, u32 access, int) {
    return bad_place<T>(pointer, pointer, site, access) ? &scratch<T>() : pointer;
}
template <class C> __device__ inline C&& to_(C&& object, u32, u32, Last) { return (C&&)object; }

template <class B, class I> __device__ inline decltype(auto) at(B&& base, I&& index, u32 site, u32 access) {
    return at_((B&&)base, (I&&)index, site, access, 0);
}
template <class P> __device__ inline decltype(auto) to(P&& pointer, u32 site, u32 access) {
    return to_((P&&)pointer, site, access, 0);
}
template <class T> __device__ inline T& touch(T& place, u32 site, u32 access) {
    log_shared(place, site, access);
    return place;
}
}
"""
