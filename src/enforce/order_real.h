/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that the library stands in front of.
 */
#ifndef HEDDLE_ENFORCE_ORDER_REAL_H
#define HEDDLE_ENFORCE_ORDER_REAL_H

#include <dlfcn.h>

/* For functions that a sanitizer calls before it is ready. */
#define BEFORE_SANITIZERS __attribute__((no_sanitize_thread))

/* The next one of that name. */
BEFORE_SANITIZERS static inline void *order_real(void **kept, const char *name)
{
  void *found = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
  if (found)
    return found;
  found = dlsym(RTLD_NEXT, name);
  __atomic_store_n(kept, found, __ATOMIC_RELEASE);
  return found;
}

#define REAL(function)                                                                                                 \
  ({                                                                                                                   \
    static void *kept_;                                                                                                \
    (__typeof__(&function))order_real(&kept_, #function);                                                              \
  })

#endif
