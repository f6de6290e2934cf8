/* SPDX-License-Identifier: Apache-2.0
 *
 * What came with each signal that is pending: a list for each thread and one for the whole process, oldest first, as
 * the kernel has them. Which signals are pending, and for whom, is signals.c's to know.
 */
#include "worlds/threads/system/signal_queue.h"
#include "core/without_libc.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/signals.h"
#include <sys/resource.h>
#include <sys/syscall.h>

#define QUEUED (1u << 17)
#define KEPT 48 /* bytes of siginfo_t: what the kernel keeps of it */

static struct {
  struct {
    uint32_t next; /* + 1 */
    unsigned char info[KEPT];
  } entry[QUEUED];
  uint32_t used, free; /* entries ever used; + 1, the first that is free again */
  uint32_t waiting;
  struct {
    uint32_t first, last; /* + 1 */
  } list[MAX_THREADS + PROCESSES];
} queue SYSTEM;

_Static_assert(sizeof(siginfo_t) >= KEPT, "siginfo_t");

void signal_queue_reset(void)
{
  if (queue.used)
    fill_bytes(queue.list, 0, sizeof queue.list);
  queue.used = queue.free = queue.waiting = 0;
}

static unsigned list_of(int receiver)
{
  return (unsigned)(receiver + PROCESSES); /* processes come first */
}

static int signal_of(uint32_t entry)
{
  int signal;
  copy_bytes(&signal, queue.entry[entry].info, sizeof signal); /* the first member */
  return signal;
}

/* The limit is of the user's processes together, of which there is this one. */
static bool has_room(void)
{
  struct rlimit limit;
  return sys(SYS_prlimit64, 0L, RLIMIT_SIGPENDING, NULL, &limit) || queue.waiting < limit.rlim_cur;
}

static uint32_t new_entry(void)
{
  uint32_t at = queue.free;
  if (at)
    queue.free = queue.entry[at - 1].next;
  else if (queue.used < QUEUED)
    at = ++queue.used;
  else
    fail(0, "more than %u signals are pending at once; heddle cannot keep them", QUEUED);
  return at;
}

bool signal_queue_put(int receiver, const siginfo_t *info, bool past_limit)
{
  if (!past_limit && !has_room())
    return false;
  uint32_t at = new_entry();
  unsigned l = list_of(receiver);
  copy_bytes(queue.entry[at - 1].info, info, KEPT);
  queue.entry[at - 1].next = 0;
  if (queue.list[l].last)
    queue.entry[queue.list[l].last - 1].next = at;
  else
    queue.list[l].first = at;
  queue.list[l].last = at;
  queue.waiting++;
  return true;
}

bool signal_queue_take(int receiver, int signal, siginfo_t *info)
{
  unsigned l = list_of(receiver);
  uint32_t before = 0, at = queue.list[l].first;
  while (at && signal_of(at - 1) != signal) {
    before = at;
    at = queue.entry[at - 1].next;
  }
  if (!at)
    return false;
  *info = (siginfo_t){0};
  copy_bytes(info, queue.entry[at - 1].info, KEPT);
  uint32_t next = queue.entry[at - 1].next;
  *(before ? &queue.entry[before - 1].next : &queue.list[l].first) = next;
  if (!next)
    queue.list[l].last = before;
  queue.entry[at - 1].next = queue.free;
  queue.free = at;
  queue.waiting--;
  return true;
}

bool signal_queue_has(int receiver, int signal)
{
  for (uint32_t at = queue.list[list_of(receiver)].first; at; at = queue.entry[at - 1].next)
    if (signal_of(at - 1) == signal)
      return true;
  return false;
}
