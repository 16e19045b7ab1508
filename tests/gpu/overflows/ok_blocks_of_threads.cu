// More threads than an int has numbers: they are counted in 64 bits.
#include <cuda_runtime.h>

__global__ void cleared(float* x, int blocks) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = 0.f;
}

cudaError_t run_cleared(int blocks) {
    if (blocks < 1) return cudaErrorInvalidValue;
    float* x;
    cudaMalloc(&x, (size_t)blocks * 256 * sizeof(float));
    cudaMemset(x, 0, (size_t)blocks * 256 * sizeof(float));
    cleared<<<blocks, 256>>>(x, blocks);
    cudaError_t error = cudaGetLastError();
    cudaFree(x);
    return error;
}
