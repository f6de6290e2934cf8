/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening libclang; see the header.
 */
#include "frontend/libclang.h"
#include "file/shared_library.h"
#include <stdio.h>

#ifdef HEDDLE_HAS_LIBCLANG

const struct libclang *libclang_open(char *error, size_t error_size)
{
  static struct libclang table;
  static bool is_open;
  static const struct library_function functions[] = {
#define X(name) {"clang_" #name, &table.name},
      HD_CLANG_FUNCTIONS(X)
#undef X
  };
  static const struct shared_library library = {"libclang-19.so.1", "by which heddle reads C", "libclang-19-dev",
                                                functions, sizeof functions / sizeof *functions};
  is_open = is_open || shared_library_open(&library, error, error_size);
  return is_open ? &table : NULL;
}

#else

const struct libclang *libclang_open(char *error, size_t error_size)
{
  snprintf(error, error_size,
           "heddle was built without libclang, by which it reads C: install libclang-19-dev and "
           "build it again");
  return NULL;
}

#endif
