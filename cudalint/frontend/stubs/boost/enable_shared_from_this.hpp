#include <cudalint_stubs/boost.h>
