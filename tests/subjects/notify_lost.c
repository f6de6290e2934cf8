/* SPDX-License-Identifier: Apache-2.0
 *
 * A reader wants to be told of messages: it empties the queue and then registers with mq_notify(). A message that comes
 * in between finds nobody registered, and the queue is not empty any more, so none that follows is told of either. Fixed:
 * it registers first and then empties the queue.
 *
 * verdict: deadlock
 * threads: 2
 */
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static mqd_t queue;
static sem_t told;

static void on_message(union sigval unused)
{
  (void)unused;
  sem_post(&told);
}

static void register_for_one(void)
{
  struct sigevent event = {.sigev_notify = SIGEV_THREAD};

  event.sigev_notify_function = on_message;
  mq_notify(queue, &event);
}

static int take_all(void)
{
  int taken = 0;
  char text;

  while (mq_receive(queue, &text, 1, NULL) == 1)
    taken++;
  return taken;
}

static void *sender(void *arg)
{
  mqd_t to = mq_open("/news", O_WRONLY);

  mq_send(to, "a", 1, 0);
  mq_close(to);
  return arg;
}

int main(void)
{
  struct mq_attr room = {.mq_maxmsg = 4, .mq_msgsize = 1};
  pthread_t thread;
  int taken = 0;

  sem_init(&told, 0, 0);
  queue = mq_open("/news", O_CREAT | O_RDONLY | O_NONBLOCK, 0600, &room);
  pthread_create(&thread, NULL, sender, NULL);
#ifdef FIXED
  register_for_one();
  taken = take_all();
#else
  taken = take_all();
  register_for_one();
#endif
  while (taken < 1) {
    sem_wait(&told);
    register_for_one();
    taken += take_all();
  }
  pthread_join(thread, NULL);
  mq_close(queue);
  mq_unlink("/news");
  return 0;
}
