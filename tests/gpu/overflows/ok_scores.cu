// The scores of heads, numbered in 64 bits.
#include <cuda_runtime.h>

__global__ void masked(float* scores, int heads, int rows) {
    int head = blockIdx.x, row = blockIdx.y;
    for (int k = threadIdx.x; k < rows; k += 256) {
        if (k > row) scores[((size_t)head * rows + row) * rows + k] = -1e9f;
    }
}

cudaError_t run_masked(int heads, int rows) {
    if (heads < 1 || heads > 1024 || rows < 1 || rows > 65535) return cudaErrorInvalidValue;
    float* scores;
    cudaMalloc(&scores, (size_t)heads * rows * rows * sizeof(float));
    cudaMemset(scores, 0, (size_t)heads * rows * rows * sizeof(float));
    masked<<<dim3(heads, rows), 256>>>(scores, heads, rows);
    cudaError_t error = cudaGetLastError();
    cudaFree(scores);
    return error;
}
