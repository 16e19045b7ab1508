// NVRTC.
#pragma once
typedef struct nvrtcProgram_st *nvrtcProgram;
enum nvrtcResult { NVRTC_SUCCESS, NVRTC_ERROR_OUT_OF_MEMORY, NVRTC_ERROR_COMPILATION };
const char *nvrtcGetErrorString(nvrtcResult result);
template <class... A> nvrtcResult nvrtcCreateProgram(A &&...arguments);
template <class... A> nvrtcResult nvrtcDestroyProgram(A &&...arguments);
template <class... A> nvrtcResult nvrtcCompileProgram(A &&...arguments);
template <class... A> nvrtcResult nvrtcGetPTXSize(A &&...arguments);
template <class... A> nvrtcResult nvrtcGetPTX(A &&...arguments);
template <class... A> nvrtcResult nvrtcGetCUBINSize(A &&...arguments);
template <class... A> nvrtcResult nvrtcGetCUBIN(A &&...arguments);
template <class... A> nvrtcResult nvrtcGetProgramLogSize(A &&...arguments);
template <class... A> nvrtcResult nvrtcGetProgramLog(A &&...arguments);
template <class... A> nvrtcResult nvrtcAddNameExpression(A &&...arguments);
template <class... A> nvrtcResult nvrtcGetLoweredName(A &&...arguments);
template <class... A> nvrtcResult nvrtcVersion(A &&...arguments);
