/* SPDX-License-Identifier: Apache-2.0
 *
 * HashTable: a thread looks something up while main has yet to make the table. Fixed: main makes it first. */
#include <pthread.h>
#include <search.h>

static void *looker(void *unused)
{
  ENTRY entry = {.key = "key"};
  hsearch(entry, FIND);
  return unused;
}

int main(void)
{
  pthread_t thread;
#ifdef FIXED
  hcreate(10);
#endif
  pthread_create(&thread, NULL, looker, NULL);
#ifndef FIXED
  hcreate(10);
#endif
  pthread_join(thread, NULL);
  hdestroy();
  return 0;
}
