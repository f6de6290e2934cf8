/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of events; see pin_names.h.
 */
#include "report/pin/pin_names.h"
#include "core/operation.h"
#include "report/story/story_words.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct {
  enum op_kind op;
  const char *before, *behind;
} verbs[] = {
    {OP_READ, "reads", "has_read"},
    {OP_ATOMIC_LOAD, "reads", "has_read"},
    {OP_WRITE, "writes", "has_written"},
    {OP_ATOMIC_STORE, "writes", "has_written"},
    {OP_ATOMIC_RMW, "updates", "has_updated"},
    {OP_FREE, "frees", "has_freed"},
    {OP_MUTEX_LOCK, "locks", "has_locked"},
    {OP_MUTEX_TRYLOCK, "tries", "has_tried"},
    {OP_MUTEX_TIMEDLOCK, "locks", "has_locked"},
    {OP_MUTEX_UNLOCK, "unlocks", "has_unlocked"},
    {OP_MUTEX_DESTROY, "destroys", "has_destroyed"},
    {OP_SPIN_DESTROY, "destroys", "has_destroyed"},
    {OP_SPIN_LOCK, "locks", "has_locked"},
    {OP_SPIN_UNLOCK, "unlocks", "has_unlocked"},
    {OP_RWLOCK_RDLOCK, "read_locks", "has_read_locked"},
    {OP_RWLOCK_WRLOCK, "write_locks", "has_write_locked"},
    {OP_RWLOCK_UNLOCK, "unlocks", "has_unlocked"},
    {OP_COND_WAIT, "waits_for", "waits_for"},
    {OP_COND_WAKE, "wakes_from", "has_woken_from"},
    {OP_COND_SIGNAL, "signals", "has_signalled"},
    {OP_COND_BROADCAST, "broadcasts", "has_broadcast"},
    {OP_SEM_WAIT, "takes", "has_taken"},
    {OP_SEM_TRYWAIT, "tries", "has_tried"},
    {OP_SEM_POST, "posts", "has_posted"},
    {OP_BARRIER_ARRIVE, "comes_to", "comes_to"},
    {OP_CREATE, "creates", "has_created"},
};

void pin_name_from(const char *text, char *out, size_t size)
{
  size_t n = 0;
  for (; *text && n + 1 < size; text++) {
    const bool fits = isalnum((unsigned char)*text);
    if (fits)
      out[n++] = *text;
    else if (n && out[n - 1] != '_')
      out[n++] = '_';
  }
  while (n && out[n - 1] == '_')
    n--;
  out[n] = 0;
}

static const char *verb(const struct trace_event *event, bool behind)
{
  for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
    if (verbs[i].op == event->op)
      return behind ? verbs[i].behind : verbs[i].before;
  return NULL;
}

/* The last words that fit: the member says more than the way to it. */
static const char *short_object(const char *name, size_t most)
{
  const size_t length = strlen(name);
  if (length <= most)
    return name;
  const char *begin = strchr(name + length - most, '_');
  return begin ? begin + 1 : name + length - most;
}

/* As much as fits, with _ between words; room is left for the time. */
static void add_word(char out[ORDERING_NAME], const char *word, size_t most)
{
  size_t n = strlen(out);
  if (!*word || n + 2 > ORDERING_NAME)
    return;
  if (n)
    out[n++] = '_';
  for (size_t i = 0; word[i] && i < most && n + 1 < ORDERING_NAME; i++)
    out[n++] = word[i];
  out[n] = 0;
}

void pin_event_name(const struct story *story, const struct trace_event *event, const char *function, bool behind,
                    uint32_t nth, char out[ORDERING_NAME])
{
  char object[OBJECT_SIZE], name[OBJECT_SIZE], where[64], op[24], time[16];
  const char *does = verb(event, behind);
  describe_object(story, event, object);
  object[strcspn(object, " ")] = '\0'; /* the condition variable, not its mutex */
  const bool unnamed = !strcmp(object, "heap") || !strncmp(object, "0x", 2);
  pin_name_from(unnamed ? "memory" : object, name, sizeof name);
  pin_name_from(function ? function : "program", where, sizeof where);
  pin_name_from(op_table[event->op].name, op, sizeof op);
  out[0] = 0;
  add_word(out, where, 16);
  add_word(out, does ? does : behind ? "behind" : "before", 15);
  add_word(out, does ? short_object(name, 11) : op, 11);
  snprintf(time, sizeof time, "%u%s", nth, ordinal_end(nth));
  if (nth > 1)
    add_word(out, time, sizeof time);
}
