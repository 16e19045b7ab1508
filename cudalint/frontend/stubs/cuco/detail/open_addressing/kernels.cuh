#include <cudalint_stubs/cuco.h>
