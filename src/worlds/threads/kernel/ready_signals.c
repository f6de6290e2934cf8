/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals that tell that a descriptor is ready: those of descriptions with O_ASYNC (by F_SETFL or FIOASYNC) whose owner
 * was named (F_SETOWN). They are sent where whoever polls has something new to look at. Which steps send one is not
 * known before, so all on channels count as if they did, once somebody has asked for it.
 */
#include "worlds/threads/kernel/ready_signals.h"
#include "core/without_libc.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/system/signals.h"
#include <errno.h>
#include <fcntl.h>

#define WANTED_MOST 64

static struct {
  uint16_t description[WANTED_MOST];
  unsigned count;
} state SYSTEM;

void ready_signals_reset(void)
{
  state.count = 0;
}

bool ready_signals_wanted(void)
{
  return state.count > 0;
}

void ready_signals_want(struct description *d, long fd, bool wants)
{
  uint16_t id = description_id(d);
  unsigned i = 0;
  d->flags = wants ? d->flags | O_ASYNC : d->flags & ~(uint32_t)O_ASYNC;
  if (!wants)
    return;
  d->ready_fd = (int)fd;
  while (i < state.count && state.description[i] != id)
    i++;
  if (i == WANTED_MOST)
    fail(place_in_program(0), "the program wants signals from more than %d descriptors that are ready (O_ASYNC)",
         WANTED_MOST);
  state.description[i] = id;
  state.count = i < state.count ? state.count : i + 1;
  pending_refresh();
}

static bool is_about(const struct description *d, uint16_t channel)
{
  struct channel_touch t = {0};
  rules_of(d)->touch(d, POLLIN | POLLOUT, &t);
  for (unsigned i = 0; i < t.count && i < CHANNELS_TOUCHED; i++)
    if (t.channel[i] == channel)
      return true;
  return false;
}

static bool is_owner(unsigned process, int owner)
{
  const struct process *p = &rt.process[process];
  return p->exists && !p->ended && (owner > 0 ? process_id(process) == owner : p->group == -owner);
}

/* Only with F_SETSIG does more than the number come with it. */
static void tell_owner(const struct description *d, unsigned events)
{
  siginfo_t info = {.si_signo = SIGIO, .si_code = SI_KERNEL};
  if (d->ready_signal) {
    info.si_signo = d->ready_signal;
    info.si_code = events & POLLIN ? POLL_IN : POLL_OUT;
    info.si_band = events & POLLIN ? POLLIN | POLLRDNORM : POLLOUT | POLLWRNORM;
    info.si_fd = d->ready_fd;
  }
  for (unsigned p = 0; p < rt.engine->processes; p++)
    if (is_owner(p, d->owner))
      post_signal(TO_PROCESS(p), info.si_signo, &info);
}

void ready_signals_send(uint16_t channel, unsigned events)
{
  for (unsigned i = 0; i < state.count; i++) {
    const struct description *d = description_at(state.description[i]);
    if (d->references && is_modelled(d) && d->flags & O_ASYNC && d->owner && is_about(d, channel))
      tell_owner(d, events);
  }
}

long ready_signals_fcntl(struct description *d, long command, long value)
{
  switch (command) {
  case F_SETOWN:
    if ((int)value > 0 && process_of_id((int)value) == PROCESSES)
      return -ESRCH;
    d->owner = (int)value;
    return 0;
  case F_GETOWN:
    return d->owner;
  case F_SETSIG:
    if (value < 0 || value >= SIGNALS)
      return -EINVAL;
    d->ready_signal = (uint8_t)value;
    return 0;
  case F_GETSIG:
    return d->ready_signal;
  default:
    return UNKNOWN;
  }
}
