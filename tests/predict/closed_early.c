/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection is closed while a child still wants to use it. main opens a connection, starts a child that writes on it,
 * does some long work of its own and closes it without waiting for the child. The long work makes the failing order very
 * unlikely: main must come to conn_close before the child comes to conn_output.
 *
 * Protocol, as the other connections of the program teach it (--calls 'conn_*,conn_connect:init'): connect, then output and input in any
 * order, then close. Prediction: conn_output after conn_close, from a run in which the child went first. Verdict: the
 * assertion in conn_output fails. Fixed: main joins the child before it closes.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

struct conn {
  pthread_mutex_t lock;
  bool connected, closed;
  int sent, received;
};

void conn_connect(struct conn *c)
{
  pthread_mutex_lock(&c->lock);
  c->connected = true;
  pthread_mutex_unlock(&c->lock);
}

void conn_output(struct conn *c)
{
  pthread_mutex_lock(&c->lock);
  assert(c->connected && !c->closed);
  c->sent++;
  pthread_mutex_unlock(&c->lock);
}

void conn_input(struct conn *c)
{
  pthread_mutex_lock(&c->lock);
  assert(c->connected && !c->closed);
  c->received++;
  pthread_mutex_unlock(&c->lock);
}

void conn_close(struct conn *c)
{
  pthread_mutex_lock(&c->lock);
  c->closed = true;
  pthread_mutex_unlock(&c->lock);
}

static struct conn shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *child(void *arg)
{
  conn_output(arg);
  return NULL;
}

/* Uses of connections that nobody else knows of. 'o' is output, 'i' is input. */
static void exchange(const char *what)
{
  struct conn c = {.lock = PTHREAD_MUTEX_INITIALIZER};
  conn_connect(&c);
  for (; *what; what++) {
    if (*what == 'o')
      conn_output(&c);
    else
      conn_input(&c);
  }
  conn_close(&c);
}

int main(void)
{
  pthread_t thread;
  exchange("oi");
  exchange("io");
  exchange("ooi");
  exchange("iio");
  exchange("oioi");
  conn_connect(&shared);
  pthread_create(&thread, NULL, child, &shared);
  usleep(100000); /* long work */
  conn_input(&shared);
#ifdef FIXED
  pthread_join(thread, NULL);
  conn_close(&shared);
#else
  conn_close(&shared);
  pthread_join(thread, NULL);
#endif
  return 0;
}
