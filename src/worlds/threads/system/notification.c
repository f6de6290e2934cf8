/* SPDX-License-Identifier: Apache-2.0
 *
 * See the header. libc has threads of its own for this, and handlers; here whoever brings it about sends the signal, or
 * creates the thread.
 */
#include "worlds/threads/system/notification.h"
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

void notify_by_thread(void (*function)(union sigval), union sigval value, const struct attributes *attributes)
{
  unsigned thread = thread_start_detached(call_function, attributes);
  wanted[thread].function = function;
  wanted[thread].value = value;
}

void notification_send(const struct notice *n, int code)
{
  if (n->how == SIGEV_THREAD && n->process != hd_own.process)
    fail(place_in_program(0),
         "a message of another process is told by a thread (SIGEV_THREAD of mq_notify()); heddle does not "
         "control that yet");
  if (n->how == SIGEV_THREAD) {
    notify_by_thread(n->function, n->value, &n->attributes);
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
