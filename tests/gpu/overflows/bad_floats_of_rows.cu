// A matrix of floats in rows of a vocabulary.
#include <cuda_runtime.h>

__global__ void scale(float* x, int tokens, int vocab) {
    int token = blockIdx.x;
    for (int v = threadIdx.x; v < vocab; v += 256) x[token * vocab + v] *= 0.5f;
}

cudaError_t run_scale(int tokens, int vocab) {
    if (tokens < 1 || vocab < 1 || vocab > (1 << 19)) return cudaErrorInvalidValue;
    float* x;
    cudaMalloc(&x, (size_t)tokens * vocab * sizeof(float));
    cudaMemset(x, 0, (size_t)tokens * vocab * sizeof(float));
    scale<<<tokens, 256>>>(x, tokens, vocab);
    cudaError_t error = cudaGetLastError();
    cudaFree(x);
    return error;
}
