#include <cudalint_stubs/nvtx.h>
namespace nvtx3 {
struct domain { struct global { static constexpr const char *name = ""; }; template <class D> static const domain &get(); };
struct color { template <class... A> constexpr explicit color(A &&...arguments); };
struct rgb { unsigned char red, green, blue; };
struct argb { unsigned char alpha, red, green, blue; };
struct category { constexpr explicit category(unsigned id); };
struct payload { template <class T> constexpr explicit payload(T value); };
struct event_attributes { template <class... A> explicit event_attributes(A &&...arguments); };
template <class D = domain::global> struct registered_string_in { explicit registered_string_in(const char *text); template <class M> static const registered_string_in &get(); };
template <class D = domain::global> struct scoped_range_in { template <class... A> explicit scoped_range_in(A &&...arguments); };
typedef scoped_range_in<> scoped_range;
template <class D = domain::global> struct unique_range_in { template <class... A> explicit unique_range_in(A &&...arguments); };
typedef unique_range_in<> unique_range;
template <class D = domain::global, class... A> void mark_in(A &&...arguments);
template <class... A> void mark(A &&...arguments);
}  // namespace nvtx3
#define NVTX3_FUNC_RANGE() ((void)0)
#define NVTX3_FUNC_RANGE_IN(D) ((void)0)
#define NVTX3_FUNC_RANGE_IF(condition) ((void)0)
#define NVTX3_FUNC_RANGE_IF_IN(D, condition) ((void)0)
