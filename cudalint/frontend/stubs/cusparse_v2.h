#include <cudalint_stubs/cusparse.h>
