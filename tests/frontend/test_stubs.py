"""The headers that ship with cudalint declare what kernels and their hosts use, for device code and host code at once."""

# ruff: noqa: E501

from __future__ import annotations

from pathlib import Path

import clang.cindex as cindex
import pytest

import cudalint.frontend
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts

STUBS = Path(cudalint.frontend.__file__).parent / "stubs"
FLAGS = [
    *("-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-nostdinc", "-nostdinc++", "-std=c++17"),
    *("--target=x86_64-unknown-linux-gnu", "-Wno-unknown-cuda-version", "-ferror-limit=0", "-w"),
    *("-include", str(STUBS / "prelude.h"), "-isystem", str(STUBS)),
]


def parsed(text: str) -> cindex.TranslationUnit:
    return cindex.Index.create().parse("a.cu", FLAGS, unsaved_files=[("a.cu", text)], options=0x200)


def errors(text: str) -> list[str]:
    """Those in the text itself. (A bodiless template that is given a lambda is an error in its header, without effect.)"""
    unit = parsed(text)
    return [
        d.spelling
        for d in unit.diagnostics
        if d.severity >= cindex.Diagnostic.Error and d.location.file is not None and d.location.file.name == "a.cu"
    ]


DEVICE = {
    "unordered comparisons of half": "__half2 a = {}, b = {}; x[0] = __hgeu2_mask(a, b) + __hbequ2(a, b) + __hleu(__low2half(a), __high2half(b));",
    "rounded conversions": "x[0] = __bfloat162int_rd(__int2bfloat16_ru(3)) + __half2int_rd(__ll2half_rd(3ll)) + __bfloat162uchar_rz(__uint2bfloat16_rz(7u));",
    "instructions on parts of words": "unsigned a = 1, b = 2; bool p; x[0] = __vcmpgts2(a, b) + __vsetleu4(a, b) + __viaddmax_s16x2_relu(a, b, a) + __vibmax_u32(a, b, &p);",
    "norms": "float v[3] = {1, 2, 3}; x[0] = normf(3, v) + rnormf(3, v) + y1f(v[0]) + jnf(2, v[1]);",
    "built-in variables": "x[0] = threadIdx.x + blockIdx.y * blockDim.z + gridDim.x + warpSize;",
    "shared memory": "__shared__ float s[32]; extern __shared__ __align__(16) float d[]; s[0] = d[0]; __syncthreads(); x[0] = s[1];",
    "assert and printf": 'assert(n > 0 && "n"); printf("%d\\n", n);',
    "vector types": "float4 v = make_float4(1, 2, 3, 4); v.x += reinterpret_cast<float4 *>(x)[0].w; int2 w{1, 2}; x[0] = v.x + w.y; dim3 d(1, 2);",
    "math": "x[0] = sqrtf(x[1]) + expf(1) + powf(x[0], 2) + fmaxf(x[0], 0) + pow(x[0], 2) + sqrt(n) + floor(x[1]) + abs(x[0]) + fabs(x[0]);",
    "min and max": "n = min(n, 3) + max(1u, 2u) + min(n, 3u) + max(1L, 2); x[0] = max(x[0], 1.0f) + std::max(x[1], 2.0f) + min(x[0], 1);",
    "fast math": "x[0] = __expf(x[0]) + __fdividef(x[0], x[1]) + __fmaf_rn(x[0], 1, 2) + rsqrtf(x[0]) + __frcp_rn(x[1]); __sincosf(1, x, x);",
    "integer intrinsics": "n = __mul24(n, 3) + __umulhi(1, 2) + __popc(n) + __clz(n) + __ffs(n) + __brev(n) + __byte_perm(1, 2, 3) + __dp4a(1, 2, 3);",
    "bits": "n = __float_as_int(x[0]); x[0] = __int_as_float(n) + __uint_as_float(3u) + __int2float_rn(n); n = __float2int_rn(x[0]);",
    "cached loads": "x[0] = __ldg(x + 1) + __ldg(&x[2]) + __ldcs(x); __stcs(x, 1.0f); float4 v = __ldg((const float4 *)x);",
    "warp": "x[0] = __shfl_down_sync(0xffffffff, x[0], 16) + __shfl_xor_sync(~0u, n, 1, 8); n = __ballot_sync(~0u, n) + __activemask(); __syncwarp();",
    "legacy warp": "x[0] = __shfl_down(x[0], 16) + __shfl(x[0], 0, 32); n = __any(n) + __all(n) + __ballot(n);",
    "barriers": "n = __syncthreads_count(n) + __syncthreads_or(n); __threadfence(); __threadfence_block(); __threadfence_system();",
    "atomics": "atomicAdd(x, 1.0f); atomicAdd(&n, 1); n = atomicCAS(&n, 1, 2); unsigned u = 0; atomicMax(&u, 3u); atomicAdd_system(&n, 2); atomicExch(x, 1.f);",
    "atomics, wide": "unsigned long long u = 0; atomicCAS(&u, 1ull, 2ull); double d = 0; atomicAdd(&d, 1.0); atomicMin(&u, 3ull); atomicInc((unsigned *)&n, 3);",
    "half": "half h = __float2half(x[0]); h = h * h + __hadd(h, h); h += half(2); x[0] = __half2float(h) + float(h) * 2.0f; if (h > half(0)) n = 1;",
    "half2": "half2 h = __float2half2_rn(1); h = __hfma2(h, h, h) + h; x[0] = __low2float(h) + __half22float2(h).y + float(h.x); h = make_half2(h.x, h.y);",
    "bfloat16": "__nv_bfloat16 b = __float2bfloat16(x[0]); b = b + b; x[0] = __bfloat162float(b) + float(b); __nv_bfloat162 c = __halves2bfloat162(b, b);",
    "fp8": "__nv_fp8_e4m3 f(x[0]); x[0] = float(f); __nv_fp8_e5m2 g = __nv_fp8_e5m2(1.0f);",
    "fp4 and e8m0": "__nv_fp4x4_e2m1 f(make_float4(1, 2, 3, 4)); n = f.__x >> 8; __nv_bfloat16 b = __nv_cvt_e8m0_to_bf16raw(7); x[0] = float(b);"
    " n = __nv_cvt_float_to_e8m0(x[0], __NV_SATFINITE, cudaRoundPosInf) + UINT16_C(3) + __isnanf(x[0]);",
    "limits": "x[0] = FLT_MAX + INFINITY + std::numeric_limits<float>::infinity(); n = INT_MAX; static_assert(std::numeric_limits<int>::max() == INT_MAX);",
    "traits": "if constexpr (std::is_same_v<float, half>) n = 1; static_assert(std::is_same<std::conditional_t<true, int, half>, int>::value);",
    "groups": "namespace cg = cooperative_groups; auto b = cg::this_thread_block(); auto w = cg::tiled_partition<32>(b); cg::thread_block_tile<32> t = w;"
    " x[0] = cg::reduce(w, x[0], cg::plus<float>()) + t.shfl_down(x[0], 3); b.sync(); cg::this_grid().sync(); n = w.meta_group_rank() + b.thread_rank();",
    "inline assembly": 'asm volatile("mov.u32 %0, %%laneid;" : "=r"(n));',
    "allocation": "int *p = (int *)malloc(4); free(p); int *q = new int[3]; delete[] q; memcpy(x, x + 1, 4); memset(x, 0, 4);",
    "clock": "n = clock() + clock64(); __nanosleep(10); __trap();",
    "complex": "std::pair<int, float> p{1, 2.0f}; std::array<int, 3> a{}; n = p.first + a[1] + a.size(); std::swap(p.first, n);",
}


@pytest.mark.parametrize("body", DEVICE.values(), ids=DEVICE)
def test_device_code(body: str) -> None:
    assert errors(f"__global__ void k(float *x, int n) {{ {body} }}") == []


DEVICE["alignment in any place"] = (
    "__shared__ alignas(16) float a[4]; alignas(float4) __shared__ float b[4]; extern __shared__ alignas(2 * sizeof(int)) char c[]; struct alignas(8) S { int y; } s;"
    " static_assert(alignof(S) == 8); struct __align__(16) T { int y; }; static_assert(sizeof(T) == 16); x[0] = a[0] + b[0] + c[0] + s.y;"
)
DEVICE["what nvcc only warns about"] = (
    "register int i = n; uint2 u{n, n}; struct P { P(const P &); int y; }; float f = 1; n = i + u.x;"
)


HOST = {
    "launches": "k<<<1, 256>>>(p, n); k<<<dim3(1, 2), dim3(8, 8), 4 * n, stream>>>(p, n); (void)cudaGetLastError();",
    "memory": "cudaMalloc(&p, n); cudaMalloc((void **)&p, n); cudaMallocManaged(&p, n); cudaMemcpy(p, p, n, cudaMemcpyHostToDevice); cudaMemset(p, 0, n); cudaFree(p);",
    "streams": "cudaStream_t s; cudaStreamCreate(&s); cudaMemcpyAsync(p, p, n, cudaMemcpyDefault, s); cudaEvent_t e; cudaEventCreate(&e); cudaEventRecord(e, s);",
    "attributes": "cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304); int b; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&b, k, 256, 0);",
    "launch functions": "void *a[] = {&p, &n}; cudaLaunchKernel((void *)k, dim3(1), dim3(2), a, 0, stream); cudaLaunchCooperativeKernel(k, 1, 2, a);"
    " cudaLaunchConfig_t c = {}; c.gridDim = dim3(1); cudaLaunchKernelEx(&c, k, p, n);",
    "errors": 'cudaError_t e = cudaDeviceSynchronize(); if (e != cudaSuccess) { fprintf(stderr, "%s\\n", cudaGetErrorString(e)); exit(1); }',
    "device": "cudaDeviceProp d; cudaGetDeviceProperties(&d, 0); n = d.multiProcessorCount + d.sharedMemPerBlockOptin + d.major; cudaSetDevice(0);",
    "containers": 'std::vector<float> v(n); v.push_back(1); for (float f : v) n += f; std::string s = std::to_string(n) + "a"; std::map<std::string, int> m; m[s] = 1;',
    "pointers": "auto q = std::make_unique<float[]>(n); auto r = std::make_shared<int>(3); std::function<void(int)> f = [&](int i) { n += i; }; f(*r);",
    "output": 'std::cout << n << std::endl; throw std::runtime_error("bad");',
    "textures": "cudaTextureObject_t t; cudaResourceDesc r = {}; r.resType = cudaResourceTypeArray; cudaTextureDesc d = {}; cudaCreateTextureObject(&t, &r, &d, nullptr);",
    "graphs": "cudaGraph_t g; cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal); cudaStreamEndCapture(stream, &g); cudaGraphExec_t e; cudaGraphInstantiate(&e, g, nullptr, nullptr, 0);",
}


@pytest.mark.parametrize("body", HOST.values(), ids=HOST)
def test_host_code(body: str) -> None:
    head = "__global__ void k(float *x, int n) { x[0] = n; }\n#include <cuda_runtime.h>\n#include <vector>\n"
    assert errors(f"{head}void run(float *p, int n, cudaStream_t stream) {{ {body} }}") == []


LIBRARIES = {
    "cub": "#include <cub/cub.cuh>\n__global__ void k(float *x) { using R = cub::BlockReduce<float, 256>; __shared__ typename R::TempStorage s;"
    " float v = R(s).Sum(x[0]); v = R(s).Reduce(v, cub::Max()); typedef cub::BlockLoad<float, 256, 4> L; __shared__ typename L::TempStorage l;"
    " float a[4]; L(l).Load(x, a, 7, 0.f); __shared__ typename cub::WarpReduce<float>::TempStorage w; x[0] = cub::WarpReduce<float>(w).Sum(v + a[0]); }"
    " void run(float *x, void *t) { size_t b = 0; cub::DeviceReduce::Sum(t, b, x, x, 3); }",
    "thrust": "#include <thrust/device_vector.h>\n#include <thrust/sort.h>\nvoid run() { thrust::device_vector<float> d(3); thrust::sort(d.begin(), d.end());"
    " float *p = thrust::raw_pointer_cast(d.data()); p = thrust::raw_pointer_cast(&d[0]); float s = thrust::reduce(d.begin(), d.end()); }",
    "curand of Mersenne twisters": "#include <curand_kernel.h>\n__global__ void k(curandStateMtgp32 *s, curandState *t, float *x) { x[0] = curand_uniform(s) + curand_log_normal4(t, 0.f, 1.f).x; }\nvoid f(curandStateMtgp32 *s, mtgp32_params_fast *p, mtgp32_kernel_params *k) { curandMakeMTGP32KernelState(s, p, k, 64, 1); }",
    "helper_math of vectors": "#include <helper_math.h>\n__global__ void k(float3 *x, int4 *y) { x[0] = fminf(clamp(x[1], x[2], fmaxf(x[3], x[4])), smoothstep(x[5], x[6], fmodf(x[7], make_float3(make_float2(1.f))))); y[0] = clamp(abs(y[1]), y[2], y[3]); }",
    "clusters of a grid": "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n__global__ void k(unsigned long long *x) { auto g = cg::this_grid(); cg::thread_group b = cg::this_thread_block(); x[0] = g.cluster_rank() + g.num_clusters() + cg::thread_rank(b) + cg::group_size(b); }",
    "cub of warps and iterators": "#include <cub/cub.cuh>\n__global__ void k(const int *x, int *y, int n) { typedef cub::WarpExchange<int, 4> E; __shared__ E::TempStorage s; int v[4]; cub::LoadDirectBlockedVectorized(threadIdx.x, (int *)x, v); E(s).BlockedToStriped(v, v); cub::CacheModifiedInputIterator<cub::LOAD_LDG, int> it(x); y[0] = it[1] + cub::LowerBound(x, n, v[0]) + cub::ThreadReduce(v, cub::Sum()); }",
    "device functions of torch": "#include <torch/extension.h>\n#include <ATen/native/cuda/MemoryAccess.cuh>\n#include <ATen/native/cuda/block_reduce.cuh>\n__global__ void k(float *x, int n, at::cuda::detail::TensorInfo<float, int> info) { __shared__ float parts[32]; using vec_t = at::native::memory::aligned_vector<float, 4>; vec_t v = *reinterpret_cast<vec_t *>(x); CUDA_KERNEL_ASSERT2(n > 0); x[0] = c10::cuda::compat::max(v.val[0], c10::cuda::compat::rsqrt(v.val[1])) + at::native::cuda_utils::BlockReduceSum(x[1], parts); info.data[at::cuda::detail::IndexToOffset<float, int, -1>::get(n, info)] = 1; at::native::fastAtomicAdd(x, n, 5, 1.0f, true); }\nvoid f(at::cuda::CUDAStream s, torch::Tensor x) { at::cuda::CUDAEvent e; e.record(s); e.block(s); auto y = torch::zeros_like(x, at::MemoryFormat::Contiguous); k<<<at::cuda::detail::GET_BLOCKS(x.numel()), 256, 0, s>>>(nullptr, 1, {}); }",
    "curand": "#include <curand_kernel.h>\n__global__ void k(curandState *s, float *x) { curand_init(1, 2, 3, s); x[0] = curand_uniform(s); curandStatePhilox4_32_10_t p; float4 f = curand_normal4(&p); }",
    "wmma": "#include <mma.h>\nusing namespace nvcuda;\n__global__ void k(half *a, float *c) { wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;"
    " wmma::fragment<wmma::accumulator, 16, 16, 16, float> y; wmma::fill_fragment(y, 0.0f); wmma::load_matrix_sync(x, a, 16); y.x[0] = 1; wmma::store_matrix_sync(c, y, 16, wmma::mem_row_major); }",
    "pipeline": "#include <cuda/barrier>\n#include <cuda/pipeline>\n__global__ void k(float *x) { __shared__ cuda::barrier<cuda::thread_scope_block> b; init(&b, 32); b.arrive_and_wait();"
    " auto p = cuda::make_pipeline(); p.producer_acquire(); cuda::memcpy_async(x, x + 1, sizeof(float), p); p.producer_commit(); p.consumer_wait(); p.consumer_release(); }",
    "atomic_ref": "#include <cuda/atomic>\n__global__ void k(int *x) { cuda::atomic_ref<int, cuda::thread_scope_device> r(*x); r.fetch_add(1, cuda::std::memory_order_relaxed); }",
    "torch": "#include <torch/extension.h>\n#include <c10/cuda/CUDAGuard.h>\ntemplate <typename T> __global__ void k(const T *x, T *y, long n) { using A = at::acc_type<T, true>; y[0] = static_cast<T>(A(x[0]) + A(1)); }\n"
    "torch::Tensor run(torch::Tensor x, c10::optional<at::Tensor> b) { TORCH_CHECK(x.is_cuda(), \"x is on \", x.device()); TORCH_CHECK(x.dim() == 2);"
    " const at::cuda::OptionalCUDAGuard g(device_of(x)); auto y = torch::empty({x.size(0), x.size(1) / 2}, x.options()); auto z = at::zeros_like(x);"
    ' AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "k", [&] { k<scalar_t><<<1, 2, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.numel()); });'
    " C10_CUDA_KERNEL_LAUNCH_CHECK(); return y; }\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"run\", &run, \"doc\"); }",
    "accessors": "#include <torch/all.h>\n__global__ void k(at::PackedTensorAccessor32<float, 2, at::RestrictPtrTraits> a) { a[1][2] = a.size(0); }"
    " void run(at::Tensor t) { k<<<1, 2>>>(t.packed_accessor32<float, 2, at::RestrictPtrTraits>()); }",
    "cublas": "#include <cublas_v2.h>\nvoid run(cublasHandle_t h, float *a) { float one = 1; cublasStatus_t s = cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, 1, 2, 3, &one, a, 1, a, 1, &one, a, 1); }",
    "samples": "#include <helper_cuda.h>\n#include <helper_math.h>\nvoid run(int argc, const char **argv) { int d = findCudaDevice(argc, argv); checkCudaErrors(cudaSetDevice(d)); }"
    " __global__ void k(float4 *x) { x[0] = x[1] * 2.0f + make_float4(1.0f); }",
    "logging": "#include <glog/logging.h>\n#include <dmlc/logging.h>\nstruct S { int n; };\n"
    'void run(const S *s, int n) { CHECK(s) << "none"; CHECK_EQ(CHECK_NOTNULL(s)->n, n); DCHECK_LT(n, 5) << "x"; LOG(INFO) << n << std::endl; LOG_IF(FATAL, n < 3) << "few";'
    ' if (n) CHECK_GT(n, 2) << n; else LOG(FATAL) << n; switch (n) { case 1: break; default: LOG(FATAL) << "no " << n; } if (VLOG_IS_ON(3)) VLOG(2) << "s"; }',
    "boost": "#include <boost/scoped_ptr.hpp>\n#include <boost/make_shared.hpp>\nusing boost::shared_ptr; struct S { int n; };\n"
    "int run(boost::scoped_ptr<S> &p, shared_ptr<S> q) { p.reset(new S()); q = boost::make_shared<S>(); return p->n + q->n; }",


    "opencv": "#include <opencv2/core/cuda.hpp>\n#include <opencv2/core/cuda/common.hpp>\n#include <opencv2/core/cuda/utility.hpp>\nusing namespace cv::cuda;\n"
    "__global__ void k(PtrStepSzf in, PtrStepb out, device::SingleMask m) { if (m(0, 1) && in.rows > 0) out.ptr(1)[in.cols] = device::saturate_cast<uchar>(in(0, 1)); }\n"
    "void run(const GpuMat &a, GpuMat &b, Stream &s) { b.create(a.size(), a.type()); cudaStream_t stream = StreamAccessor::getStream(s);"
    " k<<<device::divUp(a.cols, 32), 32, 0, stream>>>(a, b, device::SingleMask(b)); cudaSafeCall(cudaGetLastError()); }",
    "opencv images": "#include <opencv2/core/cuda.hpp>\nusing namespace cv;\nusing namespace cv::cuda;\n"
    "void run(InputArray from, InputArray by, OutputArray to, Stream &s) { GpuMat a = from.getGpuMat(), b; if (by.isMat()) b.upload(by.getMat(), s); else b = by.getGpuMat();"
    " CV_Assert(a.size() == b.size() && a.size().area() > 0 && (a.size() + Size(1, 1) * 2) != b.size()); GpuMat part = a(Rect(Point(1, 1), a.size() - Size(2, 2)));"
    " GpuMat view(a.size(), a.type(), a.data, a.step); Size whole; Point at; part.locateROI(whole, at); part.convertTo(b, b.depth(), 0.5, s); b.setTo(Scalar::all(0), part, s);"
    " Mat host(b.size(), b.type()); b.download(host, s); host.at<float>(0, 1) = host.ptr<float>(1)[at.x]; b.copyTo(to, s); Event e; e.record(s); s.waitEvent(e); if (!s) return; }",
    "glm": "#include <glm/glm.hpp>\n#include <glm/gtc/type_ptr.hpp>\n#include <glm/gtx/quaternion.hpp>\nusing V = glm::vec<3, float>;\n"
    "__global__ void k(const V *p, const float *m, V *out, int n) { glm::mat3 R = glm::make_mat3(m); V v = R * p[n] + V(1.0f) * 2.f; v = glm::normalize(v) * glm::dot(v, p[n]);"
    " glm::quat q(1, 0, 0, 0); v = q * v; v += 1; v.x = glm::max(v.x, 0.f); v[1] = v.r; glm::mat3 S = glm::transpose(R) * R; glm::vec4 h(v, 1.0f); glm::vec2 w(h);"
    " S[0][0] = w.x + glm::value_ptr(h)[3]; glm::uvec3 u(v); glm::ivec2 z(1, 2u); glm::mat2x3 J(1, 2, 3, 4, 5, 6); w = glm::vec2(v * J);"
    " out[n] = S * v + V(u) + float(z.x) + glm::clamp(v, 0.f, 1.f) + glm::mix(v, v, 0.5f) + glm::inverse(R)[2] / 2.0f - 1.0f / v + glm::cross(v, glm::mat3_cast(q)[0]); }",
    "fmt": '#include <fmt/format.h>\n#include <fmt/ranges.h>\nusing namespace fmt::literals;\n'
    'void run(int n, const std::string &s) { std::string t = fmt::format("{} of {}", n, s) + fmt::format(fmt::runtime(s), 1.5f) + fmt::to_string(n);'
    ' fmt::print(stderr, "{a}", "a"_a = n); throw std::runtime_error{fmt::format("{}", fmt::join(t, ","))}; }',
    "hip": "#include <hip/hip_runtime.h>\n__global__ void k(float *x) { x[hipThreadIdx_x] = 1; } void run(float *x) { hipMalloc(&x, 4); hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0, x); }",
}  # fmt: skip


@pytest.mark.parametrize("text", LIBRARIES.values(), ids=LIBRARIES)
def test_libraries(text: str) -> None:
    assert errors(text) == []


def own(unit: cindex.TranslationUnit, kind: cindex.CursorKind) -> list[cindex.Cursor]:
    found = (c for c in unit.cursor.walk_preorder() if c.kind == kind)
    return [c for c in found if c.location.file is not None and c.location.file.name == "a.cu"]


def test_every_header_stands_alone() -> None:
    headers = sorted(p.relative_to(STUBS).as_posix() for p in STUBS.rglob("*") if p.is_file() and p.name != "prelude.h")
    public = [h for h in headers if not h.startswith(("cudalint_stubs/", "hip"))]
    assert len(public) > 300
    unit = parsed("".join(f"#include <{header}>\n" for header in public))
    assert [str(d) for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error] == []


def test_thread_index_has_unsigned_members() -> None:
    unit = parsed("__global__ void k(int *x) { x[0] = threadIdx.x; }")
    members = own(unit, cindex.CursorKind.MEMBER_REF_EXPR)
    assert [(c.spelling, c.type.get_canonical().kind) for c in members] == [("x", cindex.TypeKind.UINT)]


def test_a_launch_names_the_instantiated_kernel() -> None:
    unit = parsed(
        "template <int B> __global__ void k(int *x) { x[0] = B; } void run(int *x) { k<64><<<1, B2, 4>>>(x); }".replace(
            "B2", "2"
        )
    )
    calls = own(unit, cindex.CursorKind.CALL_EXPR)
    assert calls[0].referenced.spelling == "k"
    assert calls[0].referenced.get_template_argument_value(0) == 64
    assert [c.spelling for c in calls[0].get_children()][:2] == ["k", "cudaConfigureCall"]


def test_every_file_pays_for_a_small_prelude() -> None:
    nodes = sum(1 for _ in parsed("__global__ void k() {}").cursor.walk_preorder())
    assert nodes < 30_000  # 21,000 take 0.03 s


def test_hosts_of_tvm_ffi_and_dlpack() -> None:
    text = """
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/cuda/device_guard.h>
using tvm::ffi::Optional;
using tvm::ffi::TensorView;
#define CHECK_LAST(x) TVM_FFI_ICHECK_EQ(x.stride(-1), 1) #x "must be contiguous"
template <class T> __global__ void scale(T *x, int n);
void run(TensorView x, Optional<TensorView> by, int64_t rows) {
  TVM_FFI_CHECK(x.ndim() == 2 && x.size(0) == rows, ValueError) << "rows " << rows;
  CHECK_LAST(x);
  tvm::ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaStream_t stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(kDLCUDA, x.device().device_id));
  float *other = by.has_value() ? static_cast<float *>(by.value().data_ptr()) : nullptr;
  if (x.dtype() == DLDataType{kDLFloat, 32, 1}) scale<<<1, 32, 0, stream>>>(static_cast<float *>(x.data_ptr()), x.size(1));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
"""
    assert errors(text) == []


@pytest.mark.parametrize(
    "macro", ["TVM_FFI_ICHECK(n > 0)", "TVM_FFI_CHECK(n > 0, ValueError)", "TVM_FFI_ICHECK_GT(n, 0)"]
)
def test_what_a_check_would_say_is_not_evaluated(macro: str) -> None:
    """Else a function of many checks would be too long to be followed for its result."""
    checks = f'{macro} << "not " << n << " of " << n;' * 60
    text = f"""
    #include <tvm/ffi/error.h>
    __global__ void k(int n) {{}}
    int checked(int n) {{ {checks} return n; }}
    void run(int n) {{ int m = checked(n); k<<<1, m>>>(m); }}
    """
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    assert [f.text for f in contract.facts][:2] == ["grid = 1, block = n", "n = n"] and not contract.missing


def test_sides_that_a_loop_of_checks_compares_are_equal() -> None:
    text = """
    #include <tvm/ffi/container/tensor.h>
    #include <tvm/ffi/error.h>
    using tvm::ffi::TensorView;
    __global__ void k(int n) {}
    void same(const TensorView &a, const TensorView &b) {
      TVM_FFI_ICHECK_EQ(a.ndim(), b.ndim()) << "not alike";
      for (int i = 0; i < a.ndim(); ++i) {
        TVM_FFI_ICHECK_EQ(a.size(i), b.size(i)) << "size(" << i << ") is not alike";
      }
    }
    void run(TensorView a, TensorView b) {
      TVM_FFI_ICHECK_EQ(a.ndim(), 2);
      same(a, b);
      k<<<1, 32>>>(b.size(1));
    }
    """
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    assert "b.size(1) == a.size(1)" in {f.text for f in contract.facts}


def test_what_glog_checks_holds_behind_it_but_not_in_debug_builds_alone() -> None:
    text = """
    #include <glog/logging.h>
    __global__ void k(int n) {}
    void run(int n, int mode) {
      CHECK_GT(n, 6) << "few " << n; DCHECK_LT(n, 50); LOG_IF(ERROR, n > 40) << n; LOG_IF(FATAL, n > 300) << n;
      switch (mode) {
        case 1: k<<<1, n>>>(n); break;
        default: LOG(FATAL) << "no mode " << mode;
      }
      k<<<2, n>>>(mode);
    }
    """
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((first, second),) = launch_contracts(unit).values()
    assert {"n >= 7", "n <= 300"} <= {f.text for f in first.facts} and "n < 50" not in {f.text for f in first.facts}
    assert "mode == 1" in {f.text for f in second.facts}


def test_fast_division() -> None:
    text = "__device__ unsigned f(cuda::fast_mod_div<unsigned> d) { return 7u / d + 7u % d + unsigned(d); }"
    assert errors(f"#include <cuda/cmath>\n{text}\n") == []


def test_a_kernel_that_reports_its_assertions_is_launched_with_two_arguments_more() -> None:
    text = (
        "#include <c10/cuda/CUDADeviceAssertion.h>\n#include <torch/extension.h>\n"
        "__global__ void k(float *x, int n, TORCH_DSA_KERNEL_ARGS) { CUDA_KERNEL_ASSERT2(n > 0); x[0] = n; }\n"
        "void go(at::Tensor x, int n) { TORCH_DSA_KERNEL_LAUNCH(k, 1, 32, 0, nullptr, x.data_ptr<float>(), n); }\n"
    )
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(), "/nowhere")
    (contracts,) = launch_contracts(made.unit).values()
    assert [entry.complete for entry in made.kernels] == [True] and len(contracts) == 1
