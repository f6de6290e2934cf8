/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads take two flock locks in opposite orders. Natively, with pauses, 5 of 32 runs hung.
 *
 * verdict: noproof
 * kind: deadlock
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

static void *worker(void *names)
{
  char **name = names;
  int first = open(name[0], O_RDWR), second = open(name[1], O_RDWR);
  flock(first, LOCK_EX);
  flock(second, LOCK_EX);
  close(second);
  close(first);
  return NULL;
}

int main(void)
{
  static char *forward[] = {"lock.a", "lock.b"}, *backward[] = {"lock.b", "lock.a"};
  pthread_t thread[2];
  close(open("lock.a", O_CREAT | O_RDWR, 0600));
  close(open("lock.b", O_CREAT | O_RDWR, 0600));
  pthread_create(&thread[0], NULL, worker, forward);
  pthread_create(&thread[1], NULL, worker, backward);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  unlink("lock.a");
  unlink("lock.b");
  return 0;
}
