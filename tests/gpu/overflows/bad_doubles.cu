// A matrix of doubles.
#include <cuda_runtime.h>

__global__ void shifted(double* x, int rows, int cols) {
    int row = blockIdx.x;
    for (int k = threadIdx.x; k < cols; k += 128) x[row * cols + k] += 1.0;
}

cudaError_t run_shifted(int rows, int cols) {
    if (rows < 1 || cols < 1 || cols > (1 << 19)) return cudaErrorInvalidValue;
    double* x;
    cudaMalloc(&x, (size_t)rows * cols * sizeof(double));
    cudaMemset(x, 0, (size_t)rows * cols * sizeof(double));
    shifted<<<rows, 128>>>(x, rows, cols);
    cudaError_t error = cudaGetLastError();
    cudaFree(x);
    return error;
}
