// A matrix of bytes, twice: row * cols is computed in int.
#include <cuda_runtime.h>

__global__ void fill(unsigned char* a, unsigned char* b, unsigned char* c, int rows, int cols) {
    for (int k = threadIdx.x; k < cols; k += 256) {
        int i = blockIdx.x * cols + k;
        a[i] = 1;
        b[i] = 2;
        c[i] = 3;
    }
}

cudaError_t run_fill(int rows, int cols) {
    if (rows < 1 || cols < 1 || cols > (1 << 19)) return cudaErrorInvalidValue;
    unsigned char* a;
    cudaMalloc(&a, (size_t)rows * cols * sizeof(unsigned char));
    cudaMemset(a, 0, (size_t)rows * cols * sizeof(unsigned char));
    unsigned char* b;
    cudaMalloc(&b, (size_t)rows * cols * sizeof(unsigned char));
    cudaMemset(b, 0, (size_t)rows * cols * sizeof(unsigned char));
    unsigned char* c;
    cudaMalloc(&c, (size_t)rows * cols * sizeof(unsigned char));
    cudaMemset(c, 0, (size_t)rows * cols * sizeof(unsigned char));
    fill<<<rows, 256>>>(a, b, c, rows, cols);
    cudaError_t error = cudaGetLastError();
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return error;
}
