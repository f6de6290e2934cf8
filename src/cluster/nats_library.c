/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening the client of NATS; see the header.
 */
#include "cluster/nats_library.h"
#include "file/shared_library.h"

const struct nats_library *nats_library_open(char *error, size_t error_size)
{
  static struct nats_library table;
  static bool is_open;
  static const struct library_function functions[] = {
#define X(name) {#name, &table.name},
      HD_NATS_FUNCTIONS(X)
#undef X
  };
  static const struct shared_library library = {"libnats.so.3.4", "which clusters need", "libnats3.4", functions,
                                                sizeof functions / sizeof *functions};
  is_open = is_open || shared_library_open(&library, error, error_size);
  return is_open ? &table : NULL;
}
