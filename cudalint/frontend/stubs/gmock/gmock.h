#include <cudalint_stubs/gtest.h>
