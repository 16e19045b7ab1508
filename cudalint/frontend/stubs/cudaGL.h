#include <cudalint_stubs/driver.h>
