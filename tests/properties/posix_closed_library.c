/* SPDX-License-Identifier: Apache-2.0
 *
 * ClosedLibrary: main closes the library while the thread still looks for a function in it. Fixed: it waits for the
 * thread first. */
#include <dlfcn.h>
#include <pthread.h>

static void *library;

static void *user(void *unused)
{
  dlsym(library, "cos");
  return unused;
}

int main(void)
{
  pthread_t thread;
  library = dlopen("libm.so.6", RTLD_NOW);
  pthread_create(&thread, NULL, user, NULL);
#ifdef FIXED
  pthread_join(thread, NULL);
  dlclose(library);
#else
  dlclose(library);
  pthread_join(thread, NULL);
#endif
  return 0;
}
