#include <cudalint_stubs/torch.h>
#ifndef TORCH_DSA_KERNEL_ARGS
#define TORCH_DSA_KERNEL_ARGS ::c10::cuda::DeviceAssertionsData *const assertions_data, unsigned int assertion_caller_id
#define TORCH_DSA_KERNEL_ARGS_PASS assertions_data, assertion_caller_id
#define TORCH_DSA_KERNEL_LAUNCH(kernel, blocks, threads, shared_mem, stream, ...) \
    kernel<<<blocks, threads, shared_mem, stream>>>( \
        __VA_ARGS__, ::c10::cuda::CUDAKernelLaunchRegistry::get_singleton_ref().get_uvm_assertions_ptr_for_current_device(), 0u)
namespace c10::cuda {
struct DeviceAssertionsData;
struct CUDAKernelLaunchRegistry {
    static CUDAKernelLaunchRegistry &get_singleton_ref();
    DeviceAssertionsData *get_uvm_assertions_ptr_for_current_device();
    template <class... A> unsigned int insert(A &&...launch);
    bool has_failed() const;
};
}
#endif
