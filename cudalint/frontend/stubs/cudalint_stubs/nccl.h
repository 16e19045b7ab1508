// NCCL: opaque communicators.
#pragma once
typedef struct ncclComm *ncclComm_t;
struct ncclUniqueId { char internal[128]; };
#define NCCL_VERSION_CODE 22304
enum ncclResult_t { ncclSuccess, ncclUnhandledCudaError, ncclSystemError, ncclInternalError, ncclInvalidArgument, ncclInvalidUsage, ncclRemoteError, ncclInProgress };
enum ncclDataType_t { ncclInt8, ncclUint8, ncclInt32, ncclUint32, ncclInt64, ncclUint64, ncclFloat16, ncclFloat32, ncclFloat64, ncclBfloat16 };
inline constexpr ncclDataType_t ncclChar = ncclInt8, ncclInt = ncclInt32, ncclFloat = ncclFloat32, ncclDouble = ncclFloat64, ncclHalf = ncclFloat16;
enum ncclRedOp_t { ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg };
const char *ncclGetErrorString(ncclResult_t result);
ncclResult_t ncclGetUniqueId(ncclUniqueId *id);
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();
template <class... A> ncclResult_t ncclCommInitRank(A &&...arguments);
template <class... A> ncclResult_t ncclCommInitAll(A &&...arguments);
template <class... A> ncclResult_t ncclCommDestroy(A &&...arguments);
template <class... A> ncclResult_t ncclCommAbort(A &&...arguments);
template <class... A> ncclResult_t ncclCommCount(A &&...arguments);
template <class... A> ncclResult_t ncclCommUserRank(A &&...arguments);
template <class... A> ncclResult_t ncclCommGetAsyncError(A &&...arguments);
template <class... A> ncclResult_t ncclAllReduce(A &&...arguments);
template <class... A> ncclResult_t ncclBroadcast(A &&...arguments);
template <class... A> ncclResult_t ncclBcast(A &&...arguments);
template <class... A> ncclResult_t ncclReduce(A &&...arguments);
template <class... A> ncclResult_t ncclAllGather(A &&...arguments);
template <class... A> ncclResult_t ncclReduceScatter(A &&...arguments);
template <class... A> ncclResult_t ncclSend(A &&...arguments);
template <class... A> ncclResult_t ncclRecv(A &&...arguments);
template <class... A> ncclResult_t ncclGetVersion(A &&...arguments);
template <class... A> ncclResult_t ncclMemAlloc(A &&...arguments);
template <class... A> ncclResult_t ncclMemFree(A &&...arguments);
template <class... A> ncclResult_t ncclCommRegister(A &&...arguments);
