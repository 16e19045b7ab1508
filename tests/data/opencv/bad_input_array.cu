// The image of a caller has any number of rows, or the caller is told.
#include <opencv2/core/cuda.hpp>
#include <opencv2/core/cuda/common.hpp>

using namespace cv;
using namespace cv::cuda;

__global__ void between(const PtrStepSzb src, PtrStepb dst) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= src.cols || row >= src.rows) return;
  const int y = ::min(::max(row, 1), src.rows - 2);
  dst.ptr(row)[x] = src.ptr(y + 1)[x] - src.ptr(y - 1)[x];
}

void between_rows(InputArray from, OutputArray to) {
  GpuMat src = from.getGpuMat();
  to.create(src.size(), src.type());
  GpuMat dst = to.getGpuMat();
  dim3 block(32, 8), grid(device::divUp(src.cols, block.x), device::divUp(src.rows, block.y));
  between<<<grid, block>>>(src, dst);
  cudaSafeCall(cudaGetLastError());
}
