// cuFFT, and complex numbers of the runtime.
#pragma once
#include <cuComplex.h>
typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
enum cufftResult { CUFFT_SUCCESS, CUFFT_INVALID_PLAN, CUFFT_ALLOC_FAILED };
typedef cufftResult cufftResult_t;
enum cufftType { CUFFT_R2C, CUFFT_C2R, CUFFT_C2C, CUFFT_D2Z, CUFFT_Z2D, CUFFT_Z2Z };
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1
template <class... A> cufftResult cufftPlan1d(A &&...arguments);
template <class... A> cufftResult cufftPlan2d(A &&...arguments);
template <class... A> cufftResult cufftPlan3d(A &&...arguments);
template <class... A> cufftResult cufftPlanMany(A &&...arguments);
template <class... A> cufftResult cufftMakePlan1d(A &&...arguments);
template <class... A> cufftResult cufftMakePlan2d(A &&...arguments);
template <class... A> cufftResult cufftMakePlan3d(A &&...arguments);
template <class... A> cufftResult cufftMakePlanMany(A &&...arguments);
template <class... A> cufftResult cufftCreate(A &&...arguments);
template <class... A> cufftResult cufftDestroy(A &&...arguments);
template <class... A> cufftResult cufftExecC2C(A &&...arguments);
template <class... A> cufftResult cufftExecR2C(A &&...arguments);
template <class... A> cufftResult cufftExecC2R(A &&...arguments);
template <class... A> cufftResult cufftExecZ2Z(A &&...arguments);
template <class... A> cufftResult cufftExecD2Z(A &&...arguments);
template <class... A> cufftResult cufftExecZ2D(A &&...arguments);
template <class... A> cufftResult cufftSetStream(A &&...arguments);
template <class... A> cufftResult cufftGetSize(A &&...arguments);
template <class... A> cufftResult cufftSetWorkArea(A &&...arguments);
template <class... A> cufftResult cufftXtSetGPUs(A &&...arguments);
template <class... A> cufftResult cufftXtMalloc(A &&...arguments);
template <class... A> cufftResult cufftXtFree(A &&...arguments);
template <class... A> cufftResult cufftXtMemcpy(A &&...arguments);
template <class... A> cufftResult cufftXtExecDescriptorC2C(A &&...arguments);
template <class... A> cufftResult cufftXtSetCallback(A &&...arguments);
