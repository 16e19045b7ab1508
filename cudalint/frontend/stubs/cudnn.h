#include <cudalint_stubs/cudnn.h>
