// Planes of images: the product of three sizes in 64 bits.
#include <cuda_runtime.h>

__global__ void weighted(float* x, int images, int height, int width) {
    for (int c = threadIdx.x; c < width; c += 128) {
        x[((size_t)blockIdx.x * height + blockIdx.y) * width + c] = 1.f;
    }
}

cudaError_t run_weighted(int images, int height, int width) {
    if (images < 1 || images > 65535 || height < 1 || height > 65535 || width < 1 || width > (1 << 16)) return cudaErrorInvalidValue;
    float* x;
    cudaMalloc(&x, (size_t)images * height * width * sizeof(float));
    cudaMemset(x, 0, (size_t)images * height * width * sizeof(float));
    weighted<<<dim3(images, height), 128>>>(x, images, height, width);
    cudaError_t error = cudaGetLastError();
    cudaFree(x);
    return error;
}
