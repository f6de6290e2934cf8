/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening a library; see the header.
 */
#include "file/shared_library.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool shared_library_open(const struct shared_library *library, char *error, size_t error_size)
{
  void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    snprintf(error, error_size, "%s is not installed, %s: install %s", library->file, library->purpose,
             library->package);
    return false;
  }
  for (size_t i = 0; i < library->functions; i++) {
    void *address = dlsym(handle, library->function[i].name);
    if (!address) {
      snprintf(error, error_size, "%s has no %s; install the one of %s", library->file, library->function[i].name,
               library->package);
      return false;
    }
    memcpy(library->function[i].slot, &address, sizeof address);
  }
  return true;
}
