/* SPDX-License-Identifier: Apache-2.0
 *
 * The child asks, under a lock, whether the connection is open, and leaves it alone if it is not.
 *
 * Protocol, as mined (--calls 'conn_*'): open, send, close. Prediction: conn_send before conn_open, since values of memory
 * are not looked at. Verdict: none, the order is infeasible. There is no twin.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

struct conn {
  bool open;
  int sent;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct conn shared, quiet;
static bool ready;

void conn_open(struct conn *c)
{
  c->open = true;
}

void conn_send(struct conn *c)
{
  assert(c->open);
  c->sent++;
}

void conn_close(struct conn *c)
{
  c->open = false;
}

static void *child(void *arg)
{
  pthread_mutex_lock(&lock);
  bool go = ready;
  pthread_mutex_unlock(&lock);
  if (go)
    conn_send(&shared);
  return arg;
}

int main(void)
{
  pthread_t thread;
  conn_open(&quiet);
  conn_send(&quiet);
  conn_close(&quiet);
  pthread_create(&thread, NULL, child, NULL);
  conn_open(&shared);
  pthread_mutex_lock(&lock);
  ready = true;
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  conn_close(&shared);
  return 0;
}
