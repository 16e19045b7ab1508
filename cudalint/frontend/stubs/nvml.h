// NVML.
#pragma once
typedef struct nvmlDevice_st *nvmlDevice_t;
enum nvmlReturn_t { NVML_SUCCESS, NVML_ERROR_UNINITIALIZED };
enum nvmlClockType_t { NVML_CLOCK_GRAPHICS, NVML_CLOCK_SM, NVML_CLOCK_MEM };
struct nvmlUtilization_t { unsigned gpu, memory; };
struct nvmlMemory_t { unsigned long long total, free, used; };
const char *nvmlErrorString(nvmlReturn_t result);
template <class... A> nvmlReturn_t nvmlInit(A &&...arguments);
template <class... A> nvmlReturn_t nvmlShutdown(A &&...arguments);
template <class... A> nvmlReturn_t nvmlDeviceGetHandleByIndex(A &&...arguments);
template <class... A> nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(A &&...arguments);
template <class... A> nvmlReturn_t nvmlDeviceGetClockInfo(A &&...arguments);
template <class... A> nvmlReturn_t nvmlDeviceGetMaxClockInfo(A &&...arguments);
template <class... A> nvmlReturn_t nvmlDeviceGetPowerUsage(A &&...arguments);
template <class... A> nvmlReturn_t nvmlDeviceGetTemperature(A &&...arguments);
template <class... A> nvmlReturn_t nvmlDeviceGetUtilizationRates(A &&...arguments);
template <class... A> nvmlReturn_t nvmlDeviceGetMemoryInfo(A &&...arguments);
template <class... A> nvmlReturn_t nvmlDeviceGetFanSpeed(A &&...arguments);
template <class... A> nvmlReturn_t nvmlDeviceGetName(A &&...arguments);
template <class... A> nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(A &&...arguments);
