#include <cudalint_stubs/torch.h>
