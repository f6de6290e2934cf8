/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening the client of NATS; see the header.
 */
#include "cluster/nats_library.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

#define NATS_LIBRARY "libnats.so.3.4"

static struct nats_library table;

static bool fill_table(void *library, const char **missing)
{
#define X(name)                                                                                                        \
  *missing = #name;                                                                                                    \
  *(void **)&table.name = dlsym(library, *missing);                                                                    \
  if (!table.name)                                                                                                     \
    return false;
  HD_NATS_FUNCTIONS(X)
#undef X
  return true;
}

const struct nats_library *nats_library_open(char *error, size_t error_size)
{
  static bool is_open;
  const char *missing = NULL;
  if (is_open)
    return &table;
  void *library = dlopen(NATS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    snprintf(error, error_size, NATS_LIBRARY " is not installed, which clusters need: install libnats3.4");
  else if (!fill_table(library, &missing))
    snprintf(error, error_size, NATS_LIBRARY " has no %s; install the one of libnats3.4", missing);
  else
    is_open = true;
  return is_open ? &table : NULL;
}
