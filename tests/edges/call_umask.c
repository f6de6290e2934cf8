/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread narrows the umask for a secret file and puts it back; a public file made meanwhile is secret too.
 * Natively, with pauses, it failed in 131 of 1000 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void *secret(void *unused)
{
  (void)unused;
  mode_t old = umask(077);
  close(open("secret", O_CREAT | O_WRONLY, 0666));
  umask(old);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  struct stat made;
  umask(022);
  pthread_create(&thread, NULL, secret, NULL);
  int fd = open("public", O_CREAT | O_WRONLY, 0666);
  fstat(fd, &made);
  close(fd);
  pthread_join(thread, NULL);
  unlink("secret");
  unlink("public");
  assert((made.st_mode & 0777) == 0644);
  return 0;
}
