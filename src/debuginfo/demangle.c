/* SPDX-License-Identifier: Apache-2.0
 *
 * C++ names of functions that have no debug information. The C++ library has the demangler; a program with such names
 * brings it along, so it is loaded when first needed and not a part of heddle. Without it names stay as they
 * are. */
#include "debuginfo/symbols_internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangler(const char *mangled, char *out, size_t *size, int *status);

static demangler *load(void)
{
  static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"};
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
    demangler *found = library ? (demangler *)dlsym(library, "__cxa_demangle") : NULL;
    if (found)
      return found;
  }
  return NULL;
}

/* The parameters of a short name are of help, those of a long one are not. */
static void shorten(char *name)
{
  char *open = strchr(name, '(');
  if (strlen(name) > 60 && open && open > name)
    *open = '\0';
}

void demangle(const char *symbol, char *out, size_t n)
{
  static demangler *demangler_found;
  static bool tried;
  int status = -1;
  snprintf(out, n, "%s", symbol);
  if (strncmp(symbol, "_Z", 2) != 0)
    return;
  if (!tried)
    demangler_found = load();
  tried = true;
  char *name = demangler_found ? demangler_found(symbol, NULL, NULL, &status) : NULL;
  if (name && status == 0) {
    shorten(name);
    snprintf(out, n, "%s", name);
  }
  free(name);
}
