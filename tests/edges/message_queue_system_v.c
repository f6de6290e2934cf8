/* SPDX-License-Identifier: Apache-2.0
 *
 * A System V message queue between two threads.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/msg.h>

static int queue;

static void *sender(void *unused)
{
  (void)unused;
  struct {
    long type;
    char text[1];
  } message = {1, {'x'}};
  assert(msgsnd(queue, &message, 1, 0) == 0);
  return NULL;
}

int main(void)
{
  struct {
    long type;
    char text[1];
  } message;
  pthread_t thread;
  queue = msgget(IPC_PRIVATE, 0600);
  pthread_create(&thread, NULL, sender, NULL);
  assert(msgrcv(queue, &message, 1, 0, 0) == 1 && message.text[0] == 'x');
  pthread_join(thread, NULL);
  msgctl(queue, IPC_RMID, NULL);
  return 0;
}
