/* SPDX-License-Identifier: Apache-2.0
 *
 * Returns with a lock held, and of pointers into what it protects.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct entry {
  struct entry *next;
  char name[16];
  int references, value;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries, table[8];
static int total;
static bool threads;

int forgets(int more)
{
  pthread_mutex_lock(&mutex);
  if (more < 0)
    return -1; /* ! lock-kept */
  total += more;
  pthread_mutex_unlock(&mutex);
  return 0;
}

int cleans_up(int more)
{
  int result = -1;
  pthread_mutex_lock(&mutex);
  if (more < 0)
    goto out;
  total += more;
  result = 0;
out:
  pthread_mutex_unlock(&mutex);
  return result; /* right lock-kept */
}

int cleans_up_behind(int more)
{
  int result = -1;
  pthread_mutex_lock(&mutex);
  if (more < 0)
    goto out;
  total += more;
  pthread_mutex_unlock(&mutex);
  result = 0;
out:
  return result; /* ! lock-kept */
}

/* The same question twice has one answer. */
int only_with_threads(int more)
{
  if (threads)
    pthread_mutex_lock(&mutex);
  total += more;
  if (threads)
    pthread_mutex_unlock(&mutex);
  return total; /* right lock-kept */
}

int remembers(int more)
{
  bool locked = false;
  if (more) {
    pthread_mutex_lock(&mutex);
    locked = true;
  }
  if (more > 10)
    goto out;
  total += more;
out:
  if (locked)
    pthread_mutex_unlock(&mutex);
  return total; /* right lock-kept */
}

int tries(int more)
{
  int result = pthread_mutex_trylock(&mutex);
  if (result != 0)
    return result; /* right lock-kept */
  total += more;
  pthread_mutex_unlock(&mutex);
  return 0;
}

int may_fail(int more)
{
  if (pthread_mutex_lock(&mutex) != 0)
    return -1; /* right lock-kept */
  total += more;
  pthread_mutex_unlock(&mutex);
  return 0;
}

static void done(void)
{
  pthread_mutex_unlock(&mutex);
}

int by_a_function(int more)
{
  pthread_mutex_lock(&mutex);
  if (more < 0) {
    done();
    return -1; /* right lock-kept */
  }
  total += more;
  pthread_mutex_unlock(&mutex);
  return 0;
}

/* Whoever calls it releases it. */
struct entry *find_and_keep(const char *name)
{
  pthread_mutex_lock(&mutex);
  for (struct entry *e = entries; e; e = e->next)
    if (!strcmp(e->name, name))
      return e; /* right lock-kept */
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int value_of(const char *name)
{
  struct entry *e = find_and_keep(name);
  if (!e)
    return 0;
  int value = e->value;
  pthread_mutex_unlock(&mutex);
  return value;
}

int in_a_switch(int kind)
{
  pthread_mutex_lock(&mutex);
  switch (kind) {
  case 0:
    break;
  case 1:
    return -1; /* ! lock-kept */
  default:
    abort();
  }
  pthread_mutex_unlock(&mutex);
  return 0;
}

struct entry *points_into_table(int which)
{
  pthread_mutex_lock(&mutex);
  struct entry *e = &table[which];
  pthread_mutex_unlock(&mutex);
  return e; /* ! locked-pointer */
}

struct entry *counted(int which)
{
  pthread_mutex_lock(&mutex);
  struct entry *e = &table[which];
  e->references++;
  pthread_mutex_unlock(&mutex);
  return e; /* right locked-pointer */
}

struct entry *taken_out(void)
{
  pthread_mutex_lock(&mutex);
  struct entry *e = entries;
  if (e)
    entries = e->next;
  pthread_mutex_unlock(&mutex);
  return e; /* right locked-pointer */
}

extern void choose(pthread_mutex_t **which);

/* Whoever has locked through a pointer knows that it is one. */
int through_a_pointer(int more)
{
  pthread_mutex_t *which = NULL;
  if (more < 0)
    goto out;
  choose(&which);
  pthread_mutex_lock(which);
  total += more;
out:
  if (which != NULL)
    pthread_mutex_unlock(which);
  return total; /* right lock-kept */
}

/* More questions than there is room for: what goes with the lock is kept. */
int many_questions(int a, int b, int c, int d, int e, int f)
{
  int count = 0;
  bool locked = false;
  if (threads) {
    pthread_mutex_lock(&mutex);
    locked = true;
  }
  if (a)
    count++;
  if (b)
    count += 2;
  if (c)
    count += 3;
  if (d)
    count += 4;
  if (e)
    count += 5;
  if (f)
    count += 6;
  if (locked)
    pthread_mutex_unlock(&mutex);
  return count; /* right lock-kept */
}

/* An element of something else is set: the question is still answered. */
int sets_an_element(int *values, int count)
{
  int copy[8];
  if (threads == 1)
    pthread_mutex_lock(&mutex);
  for (int i = 0; i < count; i++)
    copy[i] = values[i];
  total += copy[0];
  if (threads == 1)
    pthread_mutex_unlock(&mutex);
  return count; /* right lock-kept */
}

/* The whole question twice, though neither part of it is known. */
int asks_for_both(int flags)
{
  if (flags & 1 || flags & 2)
    pthread_mutex_lock(&mutex);
  total++;
  if (flags & 1 || flags & 2)
    pthread_mutex_unlock(&mutex);
  return flags; /* right lock-kept */
}

/* Another question may go with the first one: that cannot be seen here. */
int asks_for_less(int flags)
{
  if (flags & 1 || flags & 2)
    pthread_mutex_lock(&mutex);
  total++;
  if (flags & 1)
    pthread_mutex_unlock(&mutex);
  return flags; /* right lock-kept */
}

/* Whoever has the entry releases it: the function that does may be in another program. */
struct entry *entry_with_lock(int which)
{
  pthread_mutex_lock(&mutex);
  if (table[which].value)
    return &table[which]; /* right lock-kept */
  pthread_mutex_unlock(&mutex);
  return NULL;
}

struct entry *entry_or_error(int which, struct entry *(*copy)(struct entry *))
{
  struct entry *made;
  pthread_mutex_lock(&mutex);
  if (!table[which].value)
    return NULL; /* ! lock-kept */
  made = copy(&table[which]);
  pthread_mutex_unlock(&mutex);
  return made;
}

/* One of the workers keeps it until the end; what a static variable begins with says nothing of a later call. */
void *works_until_told(void *argument)
{
  static int keeper = 0;
  pthread_mutex_lock(&mutex);
  total++;
  pthread_mutex_unlock(&mutex);
  if (keeper == 0) {
    pthread_mutex_lock(&mutex);
    keeper = *(int *)argument;
  }
  while (total > 0)
    if (threads)
      goto out;
out:
  if (keeper == *(int *)argument)
    pthread_mutex_unlock(&mutex);
  return NULL; /* right lock-kept */
}

/* It is entered with the lock, and gives it up for a while. */
int gives_it_up(int more)
{
  pthread_mutex_unlock(&mutex);
  more = in_a_switch(more);
  pthread_mutex_lock(&mutex);
  if (more < 0)
    return -1; /* right lock-kept */
  pthread_mutex_unlock(&mutex);
  return more;
}

struct room {
  struct client *visitor;
};

/* The same lock by two names. */
int by_two_names(struct room *rooms, int which)
{
  pthread_mutex_lock(&rooms[which].visitor->reading);
  struct client *c = rooms[which].visitor;
  if (c->bytes < 0) {
    pthread_mutex_unlock(&c->reading);
    return -1; /* right lock-kept */
  }
  pthread_mutex_unlock(&rooms[which].visitor->reading);
  return 0;
}

struct client {
  struct client *next;
  pthread_mutex_t sending;
  pthread_mutex_t reading;
  int bytes;
};

/* The locks of all, and not of the last one alone. */
void swaps_for_all(struct client *clients)
{
  for (struct client *c = clients; c; c = c->next)
    pthread_mutex_lock(&c->sending);
  total++;
  for (struct client *c = clients; c; c = c->next)
    pthread_mutex_unlock(&c->sending);
} /* right lock-kept */

int sends_to_all(struct client *clients)
{
  for (struct client *c = clients; c; c = c->next) {
    pthread_mutex_lock(&c->sending);
    if (!c->bytes)
      return -1; /* ! lock-kept */
    pthread_mutex_unlock(&c->sending);
  }
  return 0;
}

/* The first call takes it, the last one releases it. */
int walks_by_calls(int index)
{
  if (index == 0)
    pthread_mutex_lock(&mutex);
  if (index >= total) {
    pthread_mutex_unlock(&mutex);
    return 0;
  }
  return index + 1; /* right lock-kept */
}

/* Whoever reads has the client until it says that it is done. */
int reading_begun(struct client *c)
{
  pthread_mutex_lock(&c->reading);
  if (c->bytes)
    return 0; /* right lock-kept */
  pthread_mutex_unlock(&c->reading);
  return -1;
}

void reading_done(struct client *c)
{
  c->bytes = 0;
  pthread_mutex_unlock(&c->reading);
}

/* A macro that leaves: nobody comes behind it. */
int leaves_by_a_macro(int more)
{
  int result = 0, locked = 0;
  if (threads) {
    pthread_mutex_lock(&mutex);
    locked = 1;
  }
  if (more < 0)
    do {
      result = -1;
      goto out;
    } while (0);
  total += more;
out:
  if (locked)
    pthread_mutex_unlock(&mutex);
  return result; /* right lock-kept */
}

int forgets_by_a_macro(int more)
{
  int result = 0;
  pthread_mutex_lock(&mutex);
  if (more < 0)
    do {
      result = -1;
      goto out;
    } while (0);
  pthread_mutex_unlock(&mutex);
out:
  return result; /* ! lock-kept */
}

int forgets_some(struct client *clients)
{
  struct client *c = clients;
  while (c) {
    pthread_mutex_lock(&c->sending);
    if (c->bytes > 0) {
      c->bytes--;
      pthread_mutex_unlock(&c->sending);
    } else if (c->bytes < 0) {
      pthread_mutex_unlock(&c->sending);
    }
    c = c->next; /* ! lock-kept */
  }
  return 0;
}

static void unlocks(void *lock)
{
  pthread_mutex_unlock(lock);
}

static void waits_for_workers(pthread_cond_t *idle)
{
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlocks, &mutex);
  while (total)
    pthread_cond_wait(idle, &mutex);
  pthread_cleanup_pop(1);
}

int gives_work_to_others(pthread_cond_t *idle)
{
  pthread_mutex_lock(&mutex);
  total++;
  pthread_mutex_unlock(&mutex);
  if (threads)
    waits_for_workers(idle);
  return 0; /* right lock-kept */
}

static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;

int reads_the_table(const char *name)
{
  pthread_rwlock_rdlock(&table_lock);
  for (int i = 0; i < 8; i++)
    if (!strcmp(table[i].name, name))
      return i; /* ! lock-kept */
  pthread_rwlock_unlock(&table_lock);
  return -1; /* right lock-kept */
}

static void take_turn(void)
{
  pthread_mutex_lock(&mutex);
}

static void leave_turn(void)
{
  pthread_mutex_unlock(&mutex);
}

int forgets_by_functions(int more)
{
  take_turn();
  if (more < 0)
    return -1; /* ! lock-kept */
  total += more;
  leave_turn();
  return 0; /* right lock-kept */
}

/* It calls itself, and takes the lock once but releases it twice. */
int calls_itself(int more)
{
  if (more > 10)
    more = calls_itself(more - 10);
  pthread_mutex_lock(&mutex);
  if (more == 1) {
    pthread_mutex_unlock(&mutex);
    return 1; /* right lock-kept */
  }
  if (more == 2)
    return 2; /* ! lock-kept */
  pthread_mutex_unlock(&mutex);
  return more;
}

static int entered(void)
{
  pthread_mutex_lock(&mutex);
  return 1;
}

static int left(void)
{
  pthread_mutex_unlock(&mutex);
  return 0;
}

int in_a_loop_of_one_turn(int more)
{
  for (int once = entered(); once; once = left())
    total += more;
  return 0; /* right lock-kept */
}

int out_of_a_loop_of_one_turn(int more)
{
  for (int once = entered(); once; once = left())
    if (more < 0)
      return -1; /* ! lock-kept */
  return 0;
}
