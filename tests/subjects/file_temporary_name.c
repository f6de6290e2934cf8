/* SPDX-License-Identifier: Apache-2.0
 *
 * Bug: two threads look for a name that is not in use for a temporary file, and both take the same. mkstemp() makes the
 * file with the name.
 * Interleaving: T1 access() finds the name free; T2 too; both write to one file.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int temporary(char name[16])
{
#ifdef FIXED
  snprintf(name, 16, "part.XXXXXX");
  return mkstemp(name);
#else
  for (int i = 0;; i++) {
    snprintf(name, 16, "part.%d", i);
    if (access(name, F_OK) != 0)
      return open(name, O_CREAT | O_RDWR, 0600);
  }
#endif
}

static void *worker(void *text)
{
  char name[16], found[4] = "";
  int fd = temporary(name);
  assert(write(fd, text, 3) == 3);
  assert(pread(fd, found, 3, 0) == 3);
  assert(found[0] == *(char *)text);
  close(fd);
  unlink(name);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  pthread_create(&thread[0], NULL, worker, "one");
  pthread_create(&thread[1], NULL, worker, "two");
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
