// Five matrices of doubles, numbered in 64 bits.
#include <cuda_runtime.h>

__global__ void combined(const double* a, const double* b, const double* c, const double* d, double* y, int rows, int cols) {
    for (int k = threadIdx.x; k < cols; k += 256) {
        size_t i = (size_t)blockIdx.x * cols + k;
        y[i] = a[i] * b[i] + c[i] * d[i];
    }
}

cudaError_t run_combined(int rows, int cols) {
    if (rows < 1 || cols < 1 || cols > (1 << 19)) return cudaErrorInvalidValue;
    double* a;
    cudaMalloc(&a, (size_t)rows * cols * sizeof(double));
    cudaMemset(a, 0, (size_t)rows * cols * sizeof(double));
    double* b;
    cudaMalloc(&b, (size_t)rows * cols * sizeof(double));
    cudaMemset(b, 0, (size_t)rows * cols * sizeof(double));
    double* c;
    cudaMalloc(&c, (size_t)rows * cols * sizeof(double));
    cudaMemset(c, 0, (size_t)rows * cols * sizeof(double));
    double* d;
    cudaMalloc(&d, (size_t)rows * cols * sizeof(double));
    cudaMemset(d, 0, (size_t)rows * cols * sizeof(double));
    double* y;
    cudaMalloc(&y, (size_t)rows * cols * sizeof(double));
    cudaMemset(y, 0, (size_t)rows * cols * sizeof(double));
    combined<<<rows, 256>>>(a, b, c, d, y, rows, cols);
    cudaError_t error = cudaGetLastError();
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFree(d);
    cudaFree(y);
    return error;
}
