/* SPDX-License-Identifier: Apache-2.0
 *
 * Bug: two threads make a folder and one in it, as mkdir -p does, but take "it is there already" for an error.
 * Interleaving: T1 stat() finds nothing; T2 mkdir(); T1 mkdir() fails.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void make(const char *name)
{
#ifdef FIXED
  assert(mkdir(name, 0700) == 0 || errno == EEXIST);
#else
  struct stat s;
  if (stat(name, &s) != 0)
    assert(mkdir(name, 0700) == 0);
#endif
}

static void *worker(void *unused)
{
  (void)unused;
  make("cache");
  make("cache/objects");
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  rmdir("cache/objects");
  rmdir("cache");
  return 0;
}
