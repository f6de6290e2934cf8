/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads put messages into a System V queue; main counts on their order. Natively, with pauses, it failed in 371
 * of 1000 runs.
 *
 * verdict: found
 */
#include <assert.h>
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/msg.h>

static int queue;

static void *sender(void *letter)
{
  struct {
    long type;
    char text[1];
  } message = {1, {*(char *)letter}};
  msgsnd(queue, &message, 1, 0);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  struct {
    long type;
    char text[1];
  } message;
  queue = msgget(IPC_PRIVATE, 0600);
  pthread_create(&thread[0], NULL, sender, "a");
  pthread_create(&thread[1], NULL, sender, "b");
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  msgrcv(queue, &message, 1, 0, 0);
  msgctl(queue, IPC_RMID, NULL);
  assert(message.text[0] == 'a');
  return 0;
}
