// glog, and the loggers spelled like it: a check holds behind it, LOG(FATAL) ends; a check of debug builds says nothing.
#pragma once
#include "std.h"
#pragma clang force_cuda_host_device begin
namespace cudalint_logging {
struct message { template <class T> const message &operator<<(const T &value) const; const message &operator<<(std::ostream &(*)(std::ostream &)) const; };
struct unread { void operator&(const message &said) const; };  // what is said is not evaluated
template <class T> T &&not_null(T &&pointer);
bool is_on(int level);
}
namespace google {
void InitGoogleLogging(const char *name); void ShutdownGoogleLogging(); void InstallFailureSignalHandler(); void FlushLogFiles(int severity); void SetStderrLogging(int severity); void LogToStderr();
typedef int LogSeverity;
}
namespace dmlc {
struct Error : std::runtime_error { explicit Error(const std::string &what); };
void InitLogging(const char *name);
}
#pragma clang force_cuda_host_device end
#define CUDALINT_SAID true ? (void)0 : ::cudalint_logging::unread() & ::cudalint_logging::message() << ""
#define CUDALINT_HOLDS(condition) __cudalint_check(static_cast<bool>(condition)), CUDALINT_SAID
#define CUDALINT_LOG_INFO(holds) CUDALINT_SAID
#define CUDALINT_LOG_WARNING(holds) CUDALINT_SAID
#define CUDALINT_LOG_ERROR(holds) CUDALINT_SAID
#define CUDALINT_LOG_DEBUG(holds) CUDALINT_SAID
#define CUDALINT_LOG_DFATAL(holds) CUDALINT_SAID
#define CUDALINT_LOG_FATAL(holds) CUDALINT_HOLDS(holds)
#define LOG(severity) CUDALINT_LOG_##severity(false)
#define LOG_IF(severity, condition) CUDALINT_LOG_##severity(!(condition))
#define LOG_EVERY_N(severity, n) CUDALINT_SAID
#define LOG_FIRST_N(severity, n) CUDALINT_SAID
#define LOG_IF_EVERY_N(severity, condition, n) CUDALINT_SAID
#define PLOG(severity) LOG(severity)
#define SYSLOG(severity) LOG(severity)
#define VLOG(level) CUDALINT_SAID
#define VLOG_IF(level, condition) CUDALINT_SAID
#define VLOG_IS_ON(level) ::cudalint_logging::is_on(level)
#define DLOG(severity) CUDALINT_SAID
#define DLOG_IF(severity, condition) CUDALINT_SAID
#define DVLOG(level) CUDALINT_SAID
#ifndef CHECK
#define CHECK(condition) CUDALINT_HOLDS(condition)
#define CHECK_EQ(a, b) CHECK((a) == (b))
#define CHECK_NE(a, b) CHECK((a) != (b))
#define CHECK_LT(a, b) CHECK((a) < (b))
#define CHECK_LE(a, b) CHECK((a) <= (b))
#define CHECK_GT(a, b) CHECK((a) > (b))
#define CHECK_GE(a, b) CHECK((a) >= (b))
#define CHECK_NOTNULL(pointer) ::cudalint_logging::not_null(pointer)
#define CHECK_NEAR(a, b, distance) CUDALINT_SAID
#define CHECK_DOUBLE_EQ(a, b) CUDALINT_SAID
#define CHECK_STREQ(a, b) CUDALINT_SAID
#define CHECK_STRNE(a, b) CUDALINT_SAID
#endif
#define PCHECK(condition) CUDALINT_HOLDS(condition)
#define DCHECK(condition) CUDALINT_SAID
#define DCHECK_EQ(a, b) CUDALINT_SAID
#define DCHECK_NE(a, b) CUDALINT_SAID
#define DCHECK_LT(a, b) CUDALINT_SAID
#define DCHECK_LE(a, b) CUDALINT_SAID
#define DCHECK_GT(a, b) CUDALINT_SAID
#define DCHECK_GE(a, b) CUDALINT_SAID
#define DCHECK_NOTNULL(pointer) ::cudalint_logging::not_null(pointer)
