"""What an instrumented slice calls: CUDA text that stands before it, and the layout of the state that they share.

Every access through `at`, `to` or `touch` is compared with the buffers of the plan, with the array that it names, or
with the dynamic shared memory of the launch. The first bad one of each site is kept, with its block, thread and
offset, and goes to a scratch area instead, so that the run goes on. In the watched blocks accesses of shared and global
memory, barriers, fences, early returns and what the lanes of a warp do together are written down: a record stands before what
it tells of, and records are numbered in the order in which all threads write them.

A launch may be a window of a larger one: blocks count from `first`, and the grid is the large one (`WINDOW` stands between this
text and the slice then).
"""

from __future__ import annotations

import numpy as np

OUT_OF_BOUNDS, WILD, NULL = 1, 2, 3
READ, WRITE, BOTH, ATOMIC, BARRIER, LEAVE, FENCE, MEET, SOURCE = range(1, 10)
OUTSIDE, STRONG, NARROW, BAD_WIDTH, SYNC = 1, 2, 4, 8, 16  # flags of a record; SYNC: of MEET, a `__syncwarp`
NARROW_ATOMIC = 5  # what is done at a site: an atomic operation that other blocks do not see as one
GLOBAL, ARRAY, DYNAMIC_SHARED, STATIC_SHARED = 0, 1, 2, 3
WATCHED = 8
MOST_WATCHED = 256  # blocks of a launch that is watched as a whole
EVERY = 0xFFFFFFFF
THREADS = 1024
SINK_BYTES = 1 << 16

REGION = np.dtype([("low", "<u8"), ("start", "<u8"), ("end", "<u8"), ("high", "<u8")])
EVENT = np.dtype([
    ("seen", "<u4"), ("kind", "<u4"), ("memory", "<u4"), ("region", "<u4"), ("offset", "<i8"), ("size", "<u4"),
    ("block", "<u4", (3,)), ("thread", "<u4", (3,)), ("access", "<u4"),
])  # fmt: skip
RECORD = np.dtype([
    ("address", "<u8"), ("site", "<u4"), ("interval", "<u4"), ("phase", "<u4"), ("exchange", "<u4"), ("size", "<u2"),
    ("slot", "<u2"), ("thread", "<u2"), ("kind", "u1"), ("flags", "u1"),
])  # fmt: skip  # of MEET the address is the mask; of SOURCE the mask and, above it, the lane that is read
COUNTERS = (
    8  # of a watched thread: interval, phase, exchange, unused, and the last access: address (two), what it was, unused
)
STATE = np.dtype([
    ("regions", "<u8"), ("events", "<u8"), ("records", "<u8"), ("record_count", "<u8"), ("threads", "<u8"),
    ("sink", "<u8"), ("watched", "<u8", (WATCHED,)), ("region_count", "<u4"), ("record_capacity", "<u4"),
    ("watched_count", "<u4"), ("first", "<u4", (3,)), ("grid", "<u4", (3,)), ("unused", "<u4"),
])  # fmt: skip
NAME = "cudalint_state"
WINDOW = "\n#define blockIdx (cudalint_::block_index())\n#define gridDim (cudalint_::grid_size())\n"

TEXT = r"""
namespace cudalint_ {
typedef unsigned int u32; typedef unsigned long long u64; typedef long long i64; typedef unsigned short u16;
struct Region { u64 low, start, end, high; };
struct Event { u32 seen, kind, memory, region; i64 offset; u32 size, block[3], thread[3], access; };
struct Record { u64 address; u32 site, interval, phase, exchange; u16 size, slot, thread; unsigned char kind, flags; };
struct State {
    Region* regions; Event* events; Record* records; u32* record_count; u32* threads; unsigned char* sink;
    u64 watched[8]; u32 region_count, record_capacity, watched_count, first[3], grid[3], unused;
};
}
extern "C" __device__ cudalint_::State cudalint_state;
extern __shared__ __align__(16) unsigned char cudalint_dynamic[];
namespace cudalint_ {
struct Last { __device__ Last(int) {} };
template <class T> struct is_array { static const bool value = false; };
template <class T, decltype(sizeof(0)) N> struct is_array<T[N]> { static const bool value = true; };

__device__ inline u32 flat_thread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ inline uint3 block_index() {
    uint3 at;
    at.x = blockIdx.x + cudalint_state.first[0];
    at.y = blockIdx.y + cudalint_state.first[1];
    at.z = blockIdx.z + cudalint_state.first[2];
    return at;
}
__device__ inline dim3 grid_size() {
    return dim3(cudalint_state.grid[0], cudalint_state.grid[1], cudalint_state.grid[2]);
}
__device__ inline u64 flat_block() {
    uint3 at = block_index();
    return at.x + (u64)cudalint_state.grid[0] * (at.y + (u64)cudalint_state.grid[1] * at.z);
}

__device__ inline int slot() {
    u64 block = flat_block();
    if (cudalint_state.watched_count == 0xFFFFFFFFu) return (int)block;
    for (u32 k = 0; k < cudalint_state.watched_count; ++k) if (cudalint_state.watched[k] == block) return (int)k;
    return -1;
}

__device__ inline u32* counters(int watched) {
    return cudalint_state.threads + 8 * ((u64)watched * 1024 + flat_thread());
}

__device__ inline void record(u32 site, u64 address, u32 size, u32 kind, u32 flags) {
    int watched = slot();
    if (watched < 0) return;
    u32* mine = counters(watched);
    u32 last = kind <= 4 ? site << 8 | flags << 4 | kind : 0u;
    if (last && mine[6] == last && mine[4] == (u32)address && mine[5] == (u32)(address >> 32)) return;  // a thread that waits
    mine[4] = (u32)address; mine[5] = (u32)(address >> 32); mine[6] = last;
    u32 place = atomicAdd(cudalint_state.record_count, 1u);
    if (place < cudalint_state.record_capacity) {
        Record entry = {address, site, mine[0], mine[1], mine[2], (u16)size, (u16)watched, (u16)flat_thread(),
                        (unsigned char)kind, (unsigned char)flags};
        cudalint_state.records[place] = entry;
    }
    if (kind == 5) mine[0] += 1;
}

__device__ inline void arrive(u32 site) { record(site, 0, 0, 5, 0); }
__device__ inline void leave(u32 site) { record(site, 0, 0, 6, 0); }
__device__ inline void fence(u32 site) { record(site, 0, 0, 7, 0); }
__device__ inline u32 lane() {
    u32 id;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(id));
    return id;
}

// Lanes of a warp meet: who does, with which mask, and, of a shuffle, which lane is read.
// A caller that its mask leaves out meets itself: the device would end the kernel there.
__device__ inline u32 with_caller(u32 mask) { return mask >> lane() & 1 ? mask : 1u << lane(); }
__device__ inline u32 meet(u32 site, u32 mask, u32 flags = 0) { record(site, mask, 0, 8, flags); return with_caller(mask); }
__device__ inline void exchanged() {
    int watched = slot();
    if (watched >= 0) counters(watched)[2] += 1;
}
__device__ inline u32 reads_lane(u32 site, u32 mask, u32 source, int width) {
    bool bad = width <= 0 || width > 32 || (width & (width - 1)) != 0;
    record(site, (u64)mask | (u64)(source & 31) << 32, 0, 9, bad ? 8 : 0);
    exchanged();
    return with_caller(mask);
}
__device__ inline u32 at_most(u32 from, u32 bound, u32 otherwise) { return from < bound ? from : otherwise; }

template <class M, class T> __device__ inline auto shfl(u32 site, M mask, T value, int from, int width = 32)
    -> decltype(__shfl_sync(mask, value, from, width)) {
    u32 start = lane() & ~(u32)(width - 1);
    u32 all = reads_lane(site, (u32)mask, start + ((u32)from & (u32)(width - 1)), width);
    return __shfl_sync(all, value, from, width);
}
template <class M, class T> __device__ inline auto shfl_up(u32 site, M mask, T value, unsigned delta, int width = 32)
    -> decltype(__shfl_up_sync(mask, value, delta, width)) {
    u32 within = lane() & (u32)(width - 1), step = delta & 31;
    u32 all = reads_lane(site, (u32)mask, step <= within ? lane() - step : lane(), width);
    return __shfl_up_sync(all, value, delta, width);
}
template <class M, class T> __device__ inline auto shfl_down(u32 site, M mask, T value, unsigned delta, int width = 32)
    -> decltype(__shfl_down_sync(mask, value, delta, width)) {
    u32 end = (lane() & ~(u32)(width - 1)) + (u32)width;
    u32 all = reads_lane(site, (u32)mask, at_most(lane() + (delta & 31), end, lane()), width);
    return __shfl_down_sync(all, value, delta, width);
}
template <class M, class T> __device__ inline auto shfl_xor(u32 site, M mask, T value, int lanes, int width = 32)
    -> decltype(__shfl_xor_sync(mask, value, lanes, width)) {
    u32 end = (lane() & ~(u32)(width - 1)) + (u32)width;
    u32 all = reads_lane(site, (u32)mask, at_most(lane() ^ ((u32)lanes & 31), end, lane()), width);
    return __shfl_xor_sync(all, value, lanes, width);
}
__device__ inline void syncwarp(u32 site, u32 mask = 0xFFFFFFFFu) {
    u32 all = meet(site, mask, 16);
    int watched = slot();
    if (watched >= 0) counters(watched)[1] += 1;
    __syncwarp(all);
}

__device__ inline void report(u32 site, u32 kind, u32 memory, u32 region, i64 offset, u32 size, u32 access) {
    Event* event = cudalint_state.events + site;
    if (*(volatile u32*)&event->seen || atomicCAS(&event->seen, 0u, 1u) != 0) return;  // a count could wrap to none
    event->kind = kind; event->memory = memory; event->region = region; event->offset = offset; event->size = size;
    uint3 at = block_index();
    event->block[0] = at.x; event->block[1] = at.y; event->block[2] = at.z;
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
CUDALINT_SPACE(global)
CUDALINT_SPACE(const)
#undef CUDALINT_SPACE

template <class T> struct is_volatile { static const bool value = false; };
template <class T> struct is_volatile<volatile T> { static const bool value = true; };
template <class T> struct is_volatile<const volatile T> { static const bool value = true; };

template <class T> __device__ inline void record_global(u64 address, u32 site, u32 access) {
    u32 flags = access == 4 || is_volatile<T>::value ? 3 : access == 5 ? 7 : 1;
    if (access && !is_array<T>::value) record(site, address, (u32)sizeof(T), access == 5 ? 4 : access, flags);
}

template <class T> __device__ inline bool bad_place(const volatile void* base, const volatile void* place, u32 site, u32 access) {
    const void* generic = (const void*)base;
    u32 size = (u32)sizeof(T);
    if (is_shared(generic)) {
        u32 from = (u32)__cvta_generic_to_shared(generic);
        u32 address = from + (u32)((i64)(u64)place - (i64)(u64)base);
        if (bad_shared(from, address, size, site, access)) return true;
        if (access && !is_array<T>::value) record(site, address, size, access == 5 ? 4 : access, 0);
        return false;
    }
    if (is_local(generic) || is_const(generic)) return false;
    if (bad_global((u64)base, (u64)place, size, site, access)) return true;
    record_global<T>((u64)place, site, access);
    return false;
}

template <class T> __device__ inline void log_place(T& place, u32 site, u32 access) {
    const void* generic = (const void*)&place;
    if (!access || is_array<T>::value) return;
    if (is_shared(generic))
        record(site, (u32)__cvta_generic_to_shared(generic), (u32)sizeof(T), access == 5 ? 4 : access, 0);
    else if (is_global(generic)) record_global<T>((u64)generic, site, access);
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
    log_place(array[place], site, access);
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
    log_place(place, site, access);
    return place;
}
}
"""
