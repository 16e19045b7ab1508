// NVTX: ranges for profilers.
#pragma once
struct nvtxEventAttributes_t { unsigned short version, size; unsigned category; int colorType; unsigned color; int payloadType; union { unsigned long long ullValue; double dValue; } payload; int messageType; union { const char *ascii; } message; };
typedef unsigned long long nvtxRangeId_t;
typedef struct nvtxDomainRegistration *nvtxDomainHandle_t;
#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE sizeof(nvtxEventAttributes_t)
#define NVTX_COLOR_ARGB 1
#define NVTX_MESSAGE_TYPE_ASCII 1
int nvtxRangePush(const char *name);
int nvtxRangePushA(const char *name);
int nvtxRangePop();
int nvtxRangePushEx(const nvtxEventAttributes_t *attributes);
nvtxRangeId_t nvtxRangeStartA(const char *name);
void nvtxRangeEnd(nvtxRangeId_t id);
void nvtxMarkA(const char *name);
void nvtxNameCudaStreamA(cudaStream_t stream, const char *name);
