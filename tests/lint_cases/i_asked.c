/* SPDX-License-Identifier: Apache-2.0
 *
 * A limit that a function tells of what it is given, and one that it tells of what grows; threads that are joined
 * further down, under what was asked before they were created or under something else.
 */
#include "creation.h"

#define ASKED_MOST 8

struct asked {
  int workers, queued, threaded, quiet;
  pthread_t thread[ASKED_MOST];
};

extern int asked_read(void);

static int workers_of(const struct asked *a)
{
  return a->workers;
}

static int queued_of(const struct asked *a)
{
  return a->queued;
}

void start_workers(struct asked *a)
{
  for (int i = 0; i < workers_of(a); i++) /* = bounded 9 */
    create();
}

void start_own_workers(void)
{
  static struct asked own;
  for (int i = 0; i < workers_of(&own); i++) /* = bounded 9 */
    create();
}

void start_queued(struct asked *a)
{
  for (int i = 0; i < queued_of(a); i++) { /* = possible */
    a->queued++;
    create();
  }
}

void start_workers_of_any(struct asked *a)
{
  for (int i = 0; i < workers_of(a); i++) { /* = possible */
    create();
    a = (struct asked *)a->thread;
  }
}

static void record(struct asked *a)
{
  if (a->threaded)
    for (int i = 0; i < ASKED_MOST; i++) /* = bounded 5 */
      pthread_create(&a->thread[i], NULL, work, NULL);
  asked_read();
  if (a->threaded)
    for (int i = 0; i < ASKED_MOST; i++)
      pthread_join(a->thread[i], NULL);
}

void record_all(struct asked *a)
{
  while (asked_read()) /* = live 10, each ends in the iteration */
    record(a);
}

static void record_quietly(struct asked *a)
{
  if (a->threaded)
    pthread_create(&a->thread[0], NULL, work, NULL);
  if (a->quiet)
    pthread_join(a->thread[0], NULL);
}

void record_all_quietly(struct asked *a)
{
  while (asked_read()) /* = possible */
    record_quietly(a);
}
