/* SPDX-License-Identifier: Apache-2.0
 *
 * A stack with room for two, one plate on it, and two waiters who each bring another. full() and push() both take
 * the lock, so each is right by itself; together they are not. Both ask, both hear "not full", both push, and the
 * second plate lands outside the rack. In the twin push() asks for itself.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>

enum { ROOM = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rack[ROOM] = {1};
static int plates = 1;

#ifdef FIXED
static void push_if_room(int plate)
{
  pthread_mutex_lock(&lock);
  if (plates < ROOM)
    rack[plates++] = plate;
  pthread_mutex_unlock(&lock);
}
#else
static int full(void)
{
  pthread_mutex_lock(&lock);
  int answer = plates == ROOM;
  pthread_mutex_unlock(&lock);
  return answer;
}

static void push_if_room(int plate)
{
  if (full())
    return;
  pthread_mutex_lock(&lock);
  assert(plates < ROOM);
  rack[plates++] = plate;
  pthread_mutex_unlock(&lock);
}
#endif

static void *waiter(void *arg)
{
  push_if_room(*(int *)arg);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  int plate[2] = {2, 3};

  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, waiter, &plate[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(plates == ROOM && rack[1] != 0);
  return 0;
}
