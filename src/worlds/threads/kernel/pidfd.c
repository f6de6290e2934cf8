/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptors of processes (pidfd): ready when the process has ended, whether somebody has waited for it or not. The
 * process is of this execution, and no other gets its number while it lasts.
 */
#include "worlds/threads/kernel/pidfd.h"
#include "core/system.h"
#include "worlds/threads/kernel/channel_calls.h"
#include "worlds/threads/kernel/epoll.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/own_numbers.h"
#include "worlds/threads/system/process_calls.h"
#include "worlds/threads/system/signals.h"
#include <errno.h>
#include <fcntl.h>

static unsigned process_of(const struct description *d)
{
  return channel_at(d->channel)->process;
}

static unsigned events(const struct description *d, unsigned thread)
{
  (void)thread;
  return rt.process[process_of(d)].ended ? POLLIN | POLLRDNORM : 0;
}

static long no_bytes(struct description *d, struct transfer_call *t)
{
  (void)d, (void)t;
  return -EINVAL;
}

static void close_process(struct description *d)
{
  channel_changed(d->channel);
  channel_release(d->channel);
}

static void touch(const struct description *d, unsigned events, struct channel_touch *out)
{
  (void)events;
  touch_channel(out, d->channel, true);
}

const struct channel_rules process_rules = {.name = "descriptor of a process",
                                            .events = events,
                                            .read = no_bytes,
                                            .write = no_bytes,
                                            .close = close_process,
                                            .touch = touch};

long pidfd_new(unsigned process, uint32_t flags, uintptr_t pc)
{
  uint16_t channel = channel_new(CHANNEL_PROCESS, pc);
  channel_at(channel)->process = (uint8_t)process;
  if (rt.process[process].ended)
    channel_at(channel)->clock = rt.process[process].clock;
  return number_give(description_new(CHANNEL_PROCESS, channel, O_RDWR | (flags & O_NONBLOCK)), true);
}

unsigned pidfd_process(long fd)
{
  const struct description *d = description_of(fd);
  return d && d->kind == CHANNEL_PROCESS ? process_of(d) : PROCESSES;
}

bool pidfd_does_not_block(long fd)
{
  return description_of(fd)->flags & O_NONBLOCK;
}

void pidfds_process_ended(unsigned process)
{
  for (uint16_t i = 2; i < channels_end(); i++) {
    struct channel *c = channel_at(i);
    if (c->kind != CHANNEL_PROCESS || c->process != process)
      continue;
    release_to(&c->clock);
    channel_changed(i);
    epoll_wake(i, POLLIN);
  }
}

/* ---- calls ---- */

long pidfd_open_call(const struct call *c)
{
  int id = (int)c->arg[0];
  if (c->arg[1] & ~O_NONBLOCK || id <= 0)
    return -EINVAL;
  unsigned process = process_of_id(id);
  if (process < PROCESSES)
    return pidfd_new(process, (uint32_t)c->arg[1], c->pc);
  return is_virtual(id) ? thread_of_number(id) == NO_THREAD ? -ESRCH : -EINVAL : UNKNOWN;
}

/* As kill() or sigqueue() to that process. */
long pidfd_signal_channel(const struct call *c)
{
  unsigned process = pidfd_process((int)c->arg[0]);
  long result;
  if (process == PROCESSES)
    return -EBADF;
  if (c->arg[3])
    return -EINVAL;
  if (!rt.process[process].exists)
    return -ESRCH;
  struct call as = {.number = c->arg[2] ? SYS_rt_sigqueueinfo : SYS_kill,
                    .arg = {process_id(process), c->arg[1], c->arg[2]},
                    .pc = c->pc};
  process_call(&as, &result);
  return result;
}

/* A descriptor of another process becomes one of this. */
long pidfd_take_channel(const struct call *c)
{
  long fd = (int)c->arg[0];
  step_to_change(&fd, 1, SYSTEM_DESCRIPTORS, SYSTEM_LIMITS, c->pc);
  unsigned process = pidfd_process(fd);
  if (process == PROCESSES)
    return -EBADF;
  if (c->arg[2])
    return -EINVAL;
  if (rt.process[process].ended)
    return -ESRCH;
  numbers_of(process);
  struct description *d = description_of((int)c->arg[1]);
  bool open = !descriptor_is_free((int)c->arg[1]);
  numbers_of_own();
  if (!open)
    return -EBADF;
  if (!is_modelled(d))
    fail(c->pc, "the program takes a file, a device or what it was started with from another process (pidfd_getfd()); "
                "heddle cannot control that");
  d->references++;
  long taken = number_give(d, true);
  pending_refresh();
  return taken;
}
