/* SPDX-License-Identifier: Apache-2.0
 *
 * Bug: a file is looked for with access() and then opened, as if it were still there; another thread removes it in
 * between. The twin opens it and looks at the error.
 * Interleaving: main access(); remover unlink(); main open() fails.
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *remover(void *unused)
{
  (void)unused;
  unlink("settings");
  return NULL;
}

int main(void)
{
  pthread_t thread;
  close(open("settings", O_CREAT | O_WRONLY, 0600));
  pthread_create(&thread, NULL, remover, NULL);
#ifdef FIXED
  int fd = open("settings", O_RDONLY);
  assert(fd >= 0 || errno == ENOENT);
#else
  int fd = -1;
  if (access("settings", R_OK) == 0) {
    fd = open("settings", O_RDONLY);
    assert(fd >= 0);
  }
#endif
  if (fd >= 0)
    close(fd);
  pthread_join(thread, NULL);
  return 0;
}
