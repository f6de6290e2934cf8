/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool of prepared statements. Making a statement, plain or prepared, locks the connection and then the pool, to look
 * for one that can be used again. Closing one locks the pool, to put the statement back, and through its back-pointer the
 * connection. Two circles on the same two locks: closing against each way of making.
 *
 * In the twin closing locks the connection first.
 *
 * verdict: deadlock
 * threads: 3
 * predicted: 2
 * real: 2
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct connection {
  pthread_mutex_t lock;
  int statements;
};

struct pool {
  pthread_mutex_t lock;
  int free_statements;
  struct connection *connection;
};

static void create_statement(struct connection *c, struct pool *p)
{
  pthread_mutex_lock(&c->lock);
  pthread_mutex_lock(&p->lock);
  p->free_statements -= p->free_statements > 0;
  pthread_mutex_unlock(&p->lock);
  c->statements++;
  pthread_mutex_unlock(&c->lock);
}

static void prepare_statement(struct connection *c, struct pool *p)
{
  pthread_mutex_lock(&c->lock);
  pthread_mutex_lock(&p->lock);
  p->free_statements -= p->free_statements > 1;
  pthread_mutex_unlock(&p->lock);
  c->statements++;
  pthread_mutex_unlock(&c->lock);
}

static void close_statement(struct pool *p)
{
#ifdef FIXED
  pthread_mutex_lock(&p->connection->lock);
  pthread_mutex_lock(&p->lock);
#else
  pthread_mutex_lock(&p->lock);
  pthread_mutex_lock(&p->connection->lock);
#endif
  p->free_statements++;
  p->connection->statements--;
  pthread_mutex_unlock(&p->connection->lock);
  pthread_mutex_unlock(&p->lock);
}

static void *user(void *arg)
{
  struct pool *p = arg;
  create_statement(p->connection, p);
  prepare_statement(p->connection, p);
  return NULL;
}

static void *cleaner(void *arg)
{
  usleep(5000);
  close_statement(arg);
  return NULL;
}

int main(void)
{
  struct connection *c = calloc(1, sizeof *c);
  struct pool *p = calloc(1, sizeof *p);
  pthread_t a, b;

  if (!c || !p)
    return 1;
  pthread_mutex_init(&c->lock, NULL);
  pthread_mutex_init(&p->lock, NULL);
  p->connection = c;
  pthread_create(&a, NULL, user, p);
  pthread_create(&b, NULL, cleaner, p);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  int left = c->statements;
  pthread_mutex_destroy(&c->lock);
  pthread_mutex_destroy(&p->lock);
  free(c);
  free(p);
  return left != 1;
}
