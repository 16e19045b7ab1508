// A matrix of pairs of doubles.
#include <cuda_runtime.h>

__global__ void swapped(double2* x, int rows, int cols) {
    int row = blockIdx.x;
    for (int k = threadIdx.x; k < cols; k += 256) {
        double2 v = x[row * cols + k];
        x[(size_t)row * cols + k] = make_double2(v.y, v.x);
    }
}

cudaError_t run_swapped(int rows, int cols) {
    if (rows < 1 || cols < 1 || cols > (1 << 19)) return cudaErrorInvalidValue;
    double2* x;
    cudaMalloc(&x, (size_t)rows * cols * sizeof(double2));
    cudaMemset(x, 0, (size_t)rows * cols * sizeof(double2));
    swapped<<<rows, 256>>>(x, rows, cols);
    cudaError_t error = cudaGetLastError();
    cudaFree(x);
    return error;
}
