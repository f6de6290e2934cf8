/* SPDX-License-Identifier: Apache-2.0
 *
 * Other things than threads that loops create: processes, sockets, files, memory, elements of collections.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct request {
  TAILQ_ENTRY(request) next;
  int fd;
};
static TAILQ_HEAD(, request) queue = TAILQ_HEAD_INITIALIZER(queue);
static int waiting;
extern void handle(int fd);

void forks(int listener)
{
  for (;;) { /* ! unbounded-processes */
    int fd = accept(listener, NULL, NULL);
    if (fork() == 0)
      _exit(fd);
    close(fd);
  }
}

extern int clone(int (*function)(void *), void *stack, int flags, void *argument);
extern int serve(void *argument);
extern char r_stack[];

/* Nothing says that it shares memory: a process. */
void clones(int listener)
{
  while (accept(listener, NULL, NULL) >= 0) /* ! unbounded-processes ! unbounded-sockets */
    clone(serve, r_stack, 0, NULL);
}

void forks_one_at_a_time(int listener)
{
  for (;;) { /* right unbounded-processes */
    int fd = accept(listener, NULL, NULL);
    if (fork() == 0)
      _exit(fd);
    close(fd);
    wait(NULL);
  }
}

void accepts(int listener)
{
  for (;;) /* ! unbounded-sockets */
    handle(accept(listener, NULL, NULL));
}

void accepts_and_closes(int listener)
{
  for (;;) { /* right unbounded-sockets */
    int fd = accept(listener, NULL, NULL);
    handle(fd);
    close(fd);
  }
}

void opens(void)
{
  for (;;) /* ! unbounded-files */
    handle(open("/dev/null", O_RDONLY));
}

void opens_and_closes(void)
{
  for (;;) { /* right unbounded-files */
    int fd = open("/dev/null", O_RDONLY);
    handle(fd);
    close(fd);
  }
}

void allocates(int fd, void **last)
{
  for (;;) /* ! unbounded-memory */
    if (read(fd, last, 1) > 0)
      *last = malloc(16);
}

void allocates_and_frees(int fd)
{
  for (;;) { /* right unbounded-memory */
    void *buffer = malloc(16);
    if (read(fd, buffer, 16) > 0)
      handle(fd);
    free(buffer);
  }
}

void queues(int listener, struct request *(*make)(int fd))
{
  for (;;) { /* ! unbounded-queue, ! unbounded-sockets */
    struct request *r = make(accept4(listener, NULL, NULL, 0));
    TAILQ_INSERT_TAIL(&queue, r, next);
  }
}

void queues_up_to_a_limit(int fd, struct request *(*make)(int fd))
{
  for (;;) { /* right unbounded-queue */
    char byte;
    if (read(fd, &byte, 1) < 1)
      return;
    if (waiting >= 64)
      continue;
    waiting++;
    TAILQ_INSERT_TAIL(&queue, make(fd), next);
  }
}

void takes_one(void)
{
  struct request *r = TAILQ_FIRST(&queue);
  TAILQ_REMOVE(&queue, r, next);
  waiting--;
}

/* Nothing comes from outside. */
void fills(struct request *r)
{
  for (;;) /* right unbounded-queue */
    TAILQ_INSERT_TAIL(&queue, r, next);
}
