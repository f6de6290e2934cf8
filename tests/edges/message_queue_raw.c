/* SPDX-License-Identifier: Apache-2.0
 *
 * POSIX and System V queues, and a semaphore set, by system calls of the program's own, past the functions of libc. The
 * queue of the system calls is that of the functions.
 *
 * verdict: complete
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <unistd.h>

static long queue;
static int set;

struct letter {
  long type;
  char text;
};

static void *sender(void *unused)
{
  struct sembuf give = {0, 1, 0};

  assert(syscall(SYS_mq_timedsend, queue, "a", 1UL, 3UL, NULL) == 0);
  assert(syscall(SYS_semop, set, &give, 1UL) == 0);
  return unused;
}

int main(void)
{
  struct mq_attr room = {.mq_maxmsg = 1, .mq_msgsize = 1}, now;
  struct sembuf take = {0, -1, 0};
  struct letter letter = {7, 'b'};
  unsigned priority;
  pthread_t thread;
  char text;

  queue = syscall(SYS_mq_open, "raw", (long)(O_CREAT | O_RDWR), 0600L, &room);
  set = (int)syscall(SYS_semget, (long)IPC_PRIVATE, 1L, 0600L);
  assert(queue >= 0 && set >= 0);
  pthread_create(&thread, NULL, sender, NULL);
  assert(syscall(SYS_mq_timedreceive, queue, &text, 1UL, &priority, NULL) == 1 && text == 'a' && priority == 3);
  assert(syscall(SYS_semop, set, &take, 1UL) == 0);
  pthread_join(thread, NULL);
  assert(syscall(SYS_mq_getsetattr, queue, NULL, &now) == 0 && now.mq_curmsgs == 0 && now.mq_maxmsg == 1);
  assert(mq_unlink("/raw") == 0 && syscall(SYS_mq_unlink, "raw") == -1 && errno == ENOENT);

  long letters = syscall(SYS_msgget, (long)IPC_PRIVATE, 0600L);
  assert(syscall(SYS_msgsnd, letters, &letter, 1UL, 0L) == 0);
  assert(syscall(SYS_msgrcv, letters, &letter, 1UL, 7L, 0L) == 1 && letter.text == 'b');
  assert(syscall(SYS_msgctl, letters, (long)IPC_RMID, NULL) == 0);
  return 0;
}
