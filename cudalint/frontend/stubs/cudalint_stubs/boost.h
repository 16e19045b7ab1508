// boost: owners of pointers, which are those of the standard library in all that hosts of kernels ask of them.
#pragma once
#include "std.h"
namespace boost {
using std::dynamic_pointer_cast; using std::enable_shared_from_this; using std::make_shared; using std::shared_ptr; using std::static_pointer_cast; using std::weak_ptr;
template <class T> using scoped_ptr = std::unique_ptr<T>;
template <class T> using scoped_array = std::unique_ptr<T[]>;
template <class T> using shared_array = std::shared_ptr<T[]>;
}
