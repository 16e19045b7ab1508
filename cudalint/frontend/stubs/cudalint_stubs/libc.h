// The C library, as far as host and device code of CUDA programs uses it.
#pragma once
typedef unsigned long size_t;
typedef long ssize_t;
typedef long ptrdiff_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long intmax_t;
typedef unsigned long uintmax_t;
typedef int int_fast32_t;
typedef unsigned int uint_fast32_t;
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
struct max_align_t { long double __a; long long __b; };
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef unsigned char uchar;
typedef long off_t;
typedef long time_t;
typedef long clock_t;
typedef int pid_t;
typedef __builtin_va_list va_list;
#define NULL 0L
#undef NULL
#define NULL __null
#define va_start(ap, last) __builtin_va_start(ap, last)
#define va_end(ap) __builtin_va_end(ap)
#define va_arg(ap, type) __builtin_va_arg(ap, type)
#define offsetof(type, member) __builtin_offsetof(type, member)
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(...) __cudalint_assert(static_cast<bool>(__VA_ARGS__))
#endif

#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1L)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1LL)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#define INT8_MIN (-128)
#define INT8_MAX 127
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define INT32_MIN INT_MIN
#define INT32_MAX INT_MAX
#define INT64_MIN LONG_MIN
#define INT64_MAX LONG_MAX
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX UINT_MAX
#define UINT64_MAX ULONG_MAX
#define SIZE_MAX ULONG_MAX
#define FLT_MAX 3.40282347e+38F
#define FLT_MIN 1.17549435e-38F
#define FLT_EPSILON 1.19209290e-7F
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define RAND_MAX 2147483647
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define EOF (-1)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define BUFSIZ 8192
#define PATH_MAX 4096
#define FILENAME_MAX 4096
#define CLOCKS_PER_SEC 1000000L
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define PRId32 "d"
#define PRIu32 "u"
#define PRIx32 "x"
#define PRId64 "ld"
#define PRIu64 "lu"
#define PRIx64 "lx"
#define PRIX64 "lX"
#define UINT64_C(c) c##UL
#define INT64_C(c) c##L
#define UINT32_C(c) c##U
#define INT32_C(c) c
#define UINT16_C(c) c
#define INT16_C(c) c
#define UINT8_C(c) c
#define INT8_C(c) c
#define UINTMAX_C(c) c##UL
#define INTMAX_C(c) c##L
#define ENOENT 2
#define EINTR 4
#define ENOMEM 12
#define EEXIST 17
#define EINVAL 22
#define ERANGE 34

#pragma clang force_cuda_host_device begin
int printf(const char *format, ...);
void *malloc(size_t size);
void free(void *pointer);
void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
size_t strlen(const char *s);
char *strcpy(char *to, const char *from);
int strcmp(const char *a, const char *b);
long clock();
int abs(int x);
long labs(long x);
long long llabs(long long x);
long abs(long x);
long long abs(long long x);
#pragma clang force_cuda_host_device end

struct FILE;
extern FILE *stdin, *stdout, *stderr;
extern int errno;
struct timeval { time_t tv_sec; long tv_usec; };
struct timezone { int tz_minuteswest, tz_dsttime; };
struct timespec { time_t tv_sec; long tv_nsec; };
struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; };
struct rusage { timeval ru_utime, ru_stime; long ru_maxrss; };
struct stat { off_t st_size; unsigned st_mode; time_t st_mtime; };
struct div_t { int quot, rem; };

int fprintf(FILE *, const char *, ...);
int sprintf(char *, const char *, ...);
int snprintf(char *, size_t, const char *, ...);
int vprintf(const char *, va_list);
int vfprintf(FILE *, const char *, va_list);
int vsnprintf(char *, size_t, const char *, va_list);
int vsprintf(char *, const char *, va_list);
int scanf(const char *, ...);
int fscanf(FILE *, const char *, ...);
int sscanf(const char *, const char *, ...);
int puts(const char *);
int putchar(int);
int fputs(const char *, FILE *);
int fputc(int, FILE *);
int putc(int, FILE *);
int getchar();
int getc(FILE *);
int fgetc(FILE *);
int ungetc(int, FILE *);
char *fgets(char *, int, FILE *);
FILE *fopen(const char *, const char *);
FILE *popen(const char *, const char *);
int pclose(FILE *);
int fclose(FILE *);
int fflush(FILE *);
int feof(FILE *);
int ferror(FILE *);
int fileno(FILE *);
size_t fread(void *, size_t, size_t, FILE *);
size_t fwrite(const void *, size_t, size_t, FILE *);
int fseek(FILE *, long, int);
long ftell(FILE *);
void rewind(FILE *);
int remove(const char *);
void perror(const char *);
void setbuf(FILE *, char *);
int setvbuf(FILE *, char *, int, size_t);
void *calloc(size_t count, size_t size);
void *realloc(void *pointer, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size);
int posix_memalign(void **pointer, size_t alignment, size_t size);
[[noreturn]] void exit(int status);
[[noreturn]] void _exit(int status);
[[noreturn]] void abort();
int atexit(void (*)());
int atoi(const char *);
long atol(const char *);
long long atoll(const char *);
double atof(const char *);
long strtol(const char *, char **, int);
long long strtoll(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);
unsigned long long strtoull(const char *, char **, int);
double strtod(const char *, char **);
float strtof(const char *, char **);
int rand();
void srand(unsigned);
long random();
void srandom(unsigned);
double drand48();
void srand48(long);
int rand_r(unsigned *);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
div_t div(int, int);
char *getenv(const char *);
int setenv(const char *, const char *, int);
int system(const char *);
char *strncpy(char *, const char *, size_t);
char *strcat(char *, const char *);
char *strncat(char *, const char *, size_t);
int strncmp(const char *, const char *, size_t);
int strcasecmp(const char *, const char *);
int strncasecmp(const char *, const char *, size_t);
char *strchr(const char *, int);
char *strrchr(const char *, int);
char *strstr(const char *, const char *);
char *strtok(char *, const char *);
char *strtok_r(char *, const char *, char **);
char *strdup(const char *);
char *strerror(int);
void *memchr(const void *, int, size_t);
void bzero(void *, size_t);
int isdigit(int);
int isalpha(int);
int isalnum(int);
int isspace(int);
int isupper(int);
int islower(int);
int toupper(int);
int tolower(int);
time_t time(time_t *);
double difftime(time_t, time_t);
tm *localtime(const time_t *);
size_t strftime(char *, size_t, const char *, const tm *);
int gettimeofday(timeval *, timezone *);
int clock_gettime(int, timespec *);
int getrusage(int, rusage *);
int nanosleep(const timespec *, timespec *);
unsigned sleep(unsigned);
int usleep(unsigned);
pid_t getpid();
pid_t fork();
int access(const char *, int);
int stat(const char *, struct stat *);
int mkdir(const char *, unsigned);
int unlink(const char *);
int gethostname(char *, size_t);
int open(const char *, int, ...);
int close(int);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
int getopt(int, char *const *, const char *);
extern char *optarg;
extern int optind;
void *mmap(void *, size_t, int, int, int, off_t);
int munmap(void *, size_t);
long sysconf(int);
#define _SC_PAGESIZE 30
#define _SC_NPROCESSORS_ONLN 84
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 0100
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_ANONYMOUS 0x20
#define MAP_FAILED ((void *)-1)
#define F_OK 0
#define R_OK 4
typedef unsigned long pthread_t;
struct pthread_mutex_t { int state; };
struct pthread_attr_t { int state; };
int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int omp_get_thread_num();
int omp_get_num_threads();
int omp_get_max_threads();
int omp_get_num_procs();
void omp_set_num_threads(int);
double omp_get_wtime();
struct DIR;
struct dirent { unsigned long d_ino; unsigned char d_type; char d_name[256]; };
DIR *opendir(const char *);
dirent *readdir(DIR *);
int closedir(DIR *);
struct glob_t { size_t gl_pathc; char **gl_pathv; size_t gl_offs; };
int glob(const char *, int, int (*)(const char *, int), glob_t *);
void globfree(glob_t *);
int isprint(int);
int isxdigit(int);
int ispunct(int);
typedef void (*sighandler_t)(int);
sighandler_t signal(int, sighandler_t);
#define SIGINT 2
#define SIGTERM 15
#define SIGSEGV 11
