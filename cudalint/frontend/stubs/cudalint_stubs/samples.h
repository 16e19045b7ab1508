// Helpers of the CUDA samples that programs copy: error checks, device choice, command line, timers.
#pragma once
struct CUmod_st;
#define checkCudaErrors(...) __cudalint_check((__VA_ARGS__) == decltype(__VA_ARGS__)(0))
#define getLastCudaError(message) __cudalint_check(cudaGetLastError() == cudaSuccess, message)
#define printLastCudaError(message) ((void)0)
#define EXIT_WAIVED 2
#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp
#define STRCPY(to, size, from) strcpy(to, from)
#define FOPEN(f, name, mode) (f = fopen(name, mode))
#define FOPEN_FAIL(f) (f == NULL)
#define SSCANF sscanf
#define SPRINTF sprintf
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
int findCudaDevice(int argc, const char **argv);
int findCudaDeviceDRV(int argc, const char **argv);
int findIntegratedGPU();
int gpuGetMaxGflopsDeviceId();
int gpuDeviceInit(int device);
int _ConvertSMVer2Cores(int major, int minor);
const char *_ConvertSMVer2ArchName(int major, int minor);
const char *_cudaGetErrorEnum(cudaError_t error);
bool checkCudaCapabilities(int major, int minor);
bool checkCmdLineFlag(int argc, const char **argv, const char *name);
int getCmdLineArgumentInt(int argc, const char **argv, const char *name);
float getCmdLineArgumentFloat(int argc, const char **argv, const char *name);
bool getCmdLineArgumentString(int argc, const char **argv, const char *name, char **value);
template <class T> bool getCmdLineArgumentValue(int argc, const char **argv, const char *name, T *value);
CUmod_st *loadCUBIN(char *cubin, int argc, char **argv);
void compileFileToCUBIN(char *file, int argc, char **argv, char **cubin, size_t *bytes, int header);
template <class S, class F> bool findFatbinPath(const char *file, S &path, char **argv, F &fatbin);
char *sdkFindFilePath(const char *name, const char *program);
struct StopWatchInterface { void start(); void stop(); void reset(); float getTime(); float getAverageTime(); };
bool sdkCreateTimer(StopWatchInterface **timer);
bool sdkDeleteTimer(StopWatchInterface **timer);
bool sdkStartTimer(StopWatchInterface **timer);
bool sdkStopTimer(StopWatchInterface **timer);
bool sdkResetTimer(StopWatchInterface **timer);
float sdkGetTimerValue(StopWatchInterface **timer);
float sdkGetAverageTimerValue(StopWatchInterface **timer);
template <class T> bool sdkLoadPGM(const char *file, T **data, unsigned *w, unsigned *h);
template <class T> bool sdkSavePGM(const char *file, T *data, unsigned w, unsigned h);
template <class T> bool sdkLoadPPM4(const char *file, T **data, unsigned *w, unsigned *h);
bool sdkSavePPM4ub(const char *file, unsigned char *data, unsigned w, unsigned h);
bool sdkLoadPPM4ub(const char *file, unsigned char **data, unsigned *w, unsigned *h);
template <class T> bool sdkReadFile(const char *file, T **data, unsigned *length, bool verbose);
template <class T> bool sdkWriteFile(const char *file, const T *data, unsigned length, float epsilon, bool verbose, bool append = false);
template <class T> bool compareData(const T *reference, const T *data, unsigned length, float epsilon, float threshold);
bool sdkCompareL2fe(const float *reference, const float *data, unsigned length, float epsilon);
template <class T> bool sdkComparePPM(const char *a, const char *b, T epsilon, float threshold, bool verbose);
bool sdkCompareBin2BinFloat(const char *a, const char *b, unsigned n, float epsilon, float threshold, char *path);
bool sdkCompareBin2BinUint(const char *a, const char *b, unsigned n, float epsilon, float threshold, char *path);
