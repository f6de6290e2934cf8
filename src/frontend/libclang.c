/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening libclang; see the header.
 */
#include "frontend/libclang.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

#ifdef HEDDLE_HAS_LIBCLANG

#define CLANG_LIBRARY "libclang-19.so.1"

static struct libclang table;

static bool fill_table(void *library, const char **missing)
{
#define X(name)                                                                                                        \
  *missing = "clang_" #name;                                                                                           \
  *(void **)&table.name = dlsym(library, *missing);                                                                    \
  if (!table.name)                                                                                                     \
    return false;
  HD_CLANG_FUNCTIONS(X)
#undef X
  return true;
}

const struct libclang *libclang_open(char *error, size_t error_size)
{
  static bool is_open;
  const char *missing = NULL;
  if (is_open)
    return &table;
  void *library = dlopen(CLANG_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    snprintf(error, error_size, CLANG_LIBRARY " is not installed, by which heddle reads C: install libclang-19-dev");
  else if (!fill_table(library, &missing))
    snprintf(error, error_size, CLANG_LIBRARY " has no %s; install the one of libclang-19-dev", missing);
  else
    is_open = true;
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
