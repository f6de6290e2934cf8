/* SPDX-License-Identifier: Apache-2.0
 *
 * The parent wants to be told by a thread of a message, and of a timer, that a child sends and that expires while only
 * the child's time passes. The threads run in the parent, and see what it did before.
 *
 * verdict: quiet
 * expect-text: no bug found
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static sem_t told;
static pid_t parent;
static int calls;

static void tell(union sigval value)
{
  assert(getpid() == parent && value.sival_int == 7);
  __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
  sem_post(&told);
}

int main(void)
{
  struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = 8};
  struct sigevent event = {
      .sigev_notify = SIGEV_THREAD, .sigev_notify_function = tell, .sigev_value.sival_int = 7};
  timer_t timer;
  parent = getpid();
  sem_init(&told, 0, 0);
  mqd_t queue = mq_open("/heddle-notified", O_CREAT | O_RDWR, 0600, &attr);
  if (queue < 0)
    return 0;
  mq_unlink("/heddle-notified");
  assert(mq_notify(queue, &event) == 0);
  assert(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
  assert(timer_settime(timer, 0, &(struct itimerspec){.it_value = {1, 0}}, NULL) == 0);
  if (fork() == 0) {
    sleep(2);
    _exit(mq_send(queue, "x", 1, 0) != 0);
  }
  int status;
  assert(wait(&status) > 0 && status == 0);
  sem_wait(&told);
  sem_wait(&told);
  assert(__atomic_load_n(&calls, __ATOMIC_SEQ_CST) == 2);
  return 0;
}
