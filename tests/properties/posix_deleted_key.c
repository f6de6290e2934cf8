/* SPDX-License-Identifier: Apache-2.0
 *
 * DeletedKey: main deletes a key that the thread may still use. Fixed: it waits for the thread first. */
#include <pthread.h>

static pthread_key_t key;

static void *user(void *unused)
{
  pthread_setspecific(key, &key);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_key_create(&key, NULL);
  pthread_create(&thread, NULL, user, NULL);
#ifdef FIXED
  pthread_join(thread, NULL);
  pthread_key_delete(key);
#else
  pthread_key_delete(key);
  pthread_join(thread, NULL);
#endif
  return 0;
}
