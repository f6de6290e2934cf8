/* SPDX-License-Identifier: Apache-2.0
 *
 * Permissions are changed by one thread while the other looks at them. Natively, with pauses, it failed in 204 of 1000
 * runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void *tighten(void *unused)
{
  (void)unused;
  chmod("shared.txt", 0400);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  struct stat now;
  unlink("shared.txt");
  close(open("shared.txt", O_CREAT | O_WRONLY, 0600));
  pthread_create(&thread, NULL, tighten, NULL);
  stat("shared.txt", &now);
  pthread_join(thread, NULL);
  unlink("shared.txt");
  assert((now.st_mode & 0777) == 0600);
  return 0;
}
