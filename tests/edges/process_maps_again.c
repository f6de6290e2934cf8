/* SPDX-License-Identifier: Apache-2.0
 *
 * A child maps the file again in which its mutex and condition variable are, at another address, and unmaps the one it
 * has from its parent: they are the same objects.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
  pthread_mutex_t mutex;
  pthread_cond_t done;
  int is_done;
};

static struct shared *map(int fd)
{
  void *at = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  assert(at != MAP_FAILED);
  return at;
}

static void init(struct shared *s)
{
  pthread_mutexattr_t of_mutex;
  pthread_condattr_t of_condition;
  pthread_mutexattr_init(&of_mutex);
  pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&s->mutex, &of_mutex);
  pthread_condattr_init(&of_condition);
  pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&s->done, &of_condition);
}

int main(void)
{
  int fd = fileno(tmpfile());
  assert(ftruncate(fd, sizeof(struct shared)) == 0);
  struct shared *s = map(fd);
  init(s);
  pthread_mutex_lock(&s->mutex);
  pid_t child = fork();
  if (!child) {
    struct shared *again = map(fd);
    assert(again != s && munmap(s, sizeof *s) == 0);
    pthread_mutex_lock(&again->mutex);
    again->is_done = 1;
    pthread_cond_signal(&again->done);
    pthread_mutex_unlock(&again->mutex);
    _exit(0);
  }
  while (!s->is_done)
    pthread_cond_wait(&s->done, &s->mutex);
  pthread_mutex_unlock(&s->mutex);
  assert(waitpid(child, NULL, 0) == child);
  return 0;
}
