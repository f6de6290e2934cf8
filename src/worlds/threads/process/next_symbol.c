/* SPDX-License-Identifier: Apache-2.0
 *
 * dlsym(RTLD_NEXT, "pthread_create"), as allocators and profilers ask for it: from a library that comes after ours the
 * answer would be libc's, and the thread would run past us. Only functions of threads are answered
 * so. */
#include "worlds/threads/process/next_symbol.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/signals.h"
#include <dlfcn.h>

void *(*real_dlsym)(void *, const char *);

void *find_symbol(void *handle, const char *name)
{
  if (!real_dlsym)
    *(void **)&real_dlsym = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  if (!real_dlsym)
    *(void **)&real_dlsym = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  return real_dlsym(handle, name);
}

static bool begins(const char *text, const char *with)
{
  while (*with && *text == *with)
    text++, with++;
  return !*with;
}

static bool is_of_threads(const char *name)
{
  static const char *const family[] = {"pthread_", "sem_", "thrd_", "mtx_", "cnd_", "tss_"};
  for (size_t i = 0; i < sizeof family / sizeof *family; i++)
    if (begins(name, family[i]))
      return true;
  return false;
}

/* Called by dlsym (next_symbol.S). NULL: the real one knows. */
void *own_next_symbol(void *handle, const char *name);
void *own_next_symbol(void *handle, const char *name)
{
  void *first = find_symbol(RTLD_DEFAULT, name); /* finds the real one, too */
  return handle == RTLD_NEXT && hd_own.session && is_of_threads(name) && in_runtime((uintptr_t)first) ? first : NULL;
}

void *optional_symbol(const char *name)
{
  return find_symbol(RTLD_NEXT, name);
}

void *real_symbol(const char *name)
{
  void *symbol = find_symbol(RTLD_NEXT, name);
  if (!symbol)
    fail(0, "the C library has no %s", name);
  return symbol;
}
