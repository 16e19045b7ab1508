#include <cudalint_stubs/thrust.h>
