/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection is closed and opened again in one critical section, and whoever uses it takes the same lock. That the child
 * comes after conn_close does happen; that it finds the connection closed does not.
 *
 * Protocol, as mined (--calls 'conn_*'): open, send, close, and open again. Prediction: conn_send after conn_close, since
 * locks order nothing there. Verdict: none, the order is infeasible. There is no twin; with -DUNLOCKED main forgets the lock, and
 * the assertion in conn_send fails.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct conn {
  bool open;
  atomic_int sent;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct conn shared;

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
  conn_send(&shared);
  pthread_mutex_unlock(&lock);
  return arg;
}

/* Connections that nobody else knows of teach the protocol. 'o' is open, 's' is send, 'c' is close. */
static void use(const char *what)
{
  struct conn c = {0};
  for (; *what; what++) {
    if (*what == 'o')
      conn_open(&c);
    else if (*what == 's')
      conn_send(&c);
    else
      conn_close(&c);
  }
}

int main(void)
{
  pthread_t thread;
  use("osc");
  use("ossc");
  use("oscosc");
  use("ocossc");
  use("oc");
  conn_open(&shared);
  pthread_create(&thread, NULL, child, NULL);
#ifndef UNLOCKED
  pthread_mutex_lock(&lock);
#endif
  conn_close(&shared);
  conn_open(&shared);
#ifndef UNLOCKED
  pthread_mutex_unlock(&lock);
#endif
  conn_send(&shared); /* it may come before the child's or after it */
  pthread_join(thread, NULL);
  conn_close(&shared);
  return 0;
}
