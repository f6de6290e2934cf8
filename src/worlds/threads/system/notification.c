/* SPDX-License-Identifier: Apache-2.0
 *
 * See the header. libc has threads of its own for this, and handlers; here whoever brings it about sends the signal, or
 * creates the thread.
 */
#include "worlds/threads/system/notification.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/call.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/thread/thread.h"
#include <sys/syscall.h>

bool notification_wanted(const struct sigevent *event, struct notice *out)
{
  *out = (struct notice){.how = SIGEV_NONE, .process = hd_own.process};
  if (!event)
    return true;
  out->how = event->sigev_notify;
  out->signal = event->sigev_signo;
  out->value = event->sigev_value;
  if (out->how == SIGEV_THREAD) {
    out->function = event->sigev_notify_function;
    thread_will_need(event->sigev_notify_attributes, &out->attributes);
  }
  if (out->how == SIGEV_SIGNAL)
    return out->signal >= 0 && out->signal < SIGNALS;
  return out->how == SIGEV_NONE || out->how == SIGEV_THREAD;
}

/* What a thread was started for; who asked for it may be gone by then. */
static struct {
  void (*function)(union sigval);
  union sigval value;
} wanted[MAX_THREADS];

static void *call_function(void *unused)
{
  wanted[self_index()].function(wanted[self_index()].value);
  return unused;
}

static void start_thread(const struct notice *n)
{
  unsigned thread = thread_start_detached(call_function, &n->attributes);
  wanted[thread].function = n->function;
  wanted[thread].value = n->value;
}

/* ---- threads of other processes ---- */

#define OWED 32

static struct {
  unsigned count;
  struct {
    struct notice notice;
    struct vclock clock; /* what was known when it came about */
  } one[OWED];
} owed SYSTEM;

void notifications_reset(void)
{
  owed.count = 0;
}

static void owe(const struct notice *n)
{
  if (owed.count == OWED)
    fail(place_in_program(0), "more than %d threads of other processes are to be started at once (SIGEV_THREAD)", OWED);
  owed.one[owed.count].notice = *n;
  vclock_clear(&owed.one[owed.count].clock);
  release_to(&owed.one[owed.count++].clock);
  engine_touch(rt.engine);
}

bool notification_is_owed(unsigned process)
{
  for (unsigned i = 0; i < owed.count; i++)
    if (owed.one[i].notice.process == process)
      return true;
  return false;
}

bool notification_pay(void)
{
  unsigned i = 0;
  while (i < owed.count && owed.one[i].notice.process != hd_own.process)
    i++;
  if (i == owed.count)
    return false;
  struct notice n = owed.one[i].notice;
  acquire_from(&owed.one[i].clock);
  for (owed.count--; i < owed.count; i++)
    owed.one[i] = owed.one[i + 1];
  start_thread(&n);
  return true;
}

/* ---- telling ---- */

void notification_send(const struct notice *n, int code)
{
  if (n->how == SIGEV_THREAD && n->process != hd_own.process) {
    owe(n);
    return;
  }
  if (n->how == SIGEV_THREAD) {
    start_thread(n);
    return;
  }
  if (n->how != SIGEV_SIGNAL || !n->signal)
    return;
  siginfo_t info = {.si_signo = n->signal, .si_code = code};
  info.si_pid = process_id(hd_own.process);
  info.si_uid = (uid_t)sys(SYS_getuid);
  info.si_value = n->value;
  post_signal(TO_PROCESS(n->process), n->signal, &info);
}
