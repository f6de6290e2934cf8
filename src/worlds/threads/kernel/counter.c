/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptors that count: eventfd, and timerfd, whose count the clock makes (timers.c).
 */
#include "core/without_libc.h"
#include "worlds/threads/kernel/channel_calls.h"
#include "worlds/threads/kernel/epoll.h"
#include "worlds/threads/kernel/kernel.h"
#include "worlds/threads/memory/transfer.h"
#include "worlds/threads/system/timers.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

#define COUNT_MOST (UINT64_MAX - 1)

static unsigned event_events(const struct description *d, unsigned thread)
{
  (void)thread;
  uint64_t count = channel_at(d->channel)->event.count;
  return (count ? POLLIN | POLLRDNORM : 0) | (count < COUNT_MOST ? POLLOUT | POLLWRNORM : 0);
}

static long read_event(struct description *d, struct transfer_call *t)
{
  struct channel *c = channel_at(d->channel);
  uint64_t value = c->event.semaphore ? 1 : c->event.count;
  if (t->size < sizeof value)
    return -EINVAL;
  if (!c->event.count)
    return -EAGAIN;
  channel_drained(d->channel);
  c->event.count -= value;
  transfer_in(t, &value, sizeof value);
  channel_changed(d->channel);
  epoll_wake(d->channel, POLLOUT);
  return sizeof value;
}

static uint64_t value_to_add(const struct transfer_call *t)
{
  uint64_t value = t->first;
  if (!t->kept)
    transfer_out(t, 0, &value, sizeof value);
  return value;
}

static long write_event(struct description *d, struct transfer_call *t)
{
  struct channel *c = channel_at(d->channel);
  if (t->size < sizeof(uint64_t))
    return -EINVAL;
  uint64_t value = value_to_add(t);
  if (value == UINT64_MAX)
    return -EINVAL;
  if (value > COUNT_MOST - c->event.count)
    return -EAGAIN;
  channel_filled(d->channel, value, COUNT_MOST);
  c->event.count += value;
  t->done = sizeof value;
  channel_changed(d->channel);
  epoll_wake(d->channel, POLLIN);
  return sizeof value;
}

static bool takes(const struct description *d, const struct transfer_call *t)
{
  uint64_t value = value_to_add(t);
  return value == UINT64_MAX || value <= COUNT_MOST - channel_at(d->channel)->event.count;
}

static void close_counter(struct description *d)
{
  channel_changed(d->channel);
  channel_release(d->channel);
}

static void touch(const struct description *d, unsigned events, struct channel_touch *out)
{
  (void)events;
  touch_channel(out, d->channel, true);
}

const struct channel_rules event_rules = {.name = "event counter",
                                          .events = event_events,
                                          .read = read_event,
                                          .write = write_event,
                                          .close = close_counter,
                                          .touch = touch,
                                          .takes = takes};

long eventfd_call(const struct call *c)
{
  long flags = c->number == SYS_eventfd2 ? (int)c->arg[1] : 0;
  if (flags & ~(EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE))
    return -EINVAL;
  uint16_t channel = channel_new(CHANNEL_EVENT, c->pc);
  channel_at(channel)->event.count = (unsigned)c->arg[0];
  channel_at(channel)->event.semaphore = flags & EFD_SEMAPHORE;
  return number_give(description_new(CHANNEL_EVENT, channel, O_RDWR | (uint32_t)(flags & O_NONBLOCK)),
                     flags & EFD_CLOEXEC);
}

/* ---- timers ---- */

static unsigned timer_events(const struct description *d, unsigned thread)
{
  (void)thread;
  return channel_at(d->channel)->expiries ? POLLIN | POLLRDNORM : 0;
}

static long read_timer(struct description *d, struct transfer_call *t)
{
  struct channel *c = channel_at(d->channel);
  if (t->size < sizeof c->expiries)
    return -EINVAL;
  if (!c->expiries)
    return -EAGAIN;
  acquire_from(&c->clock);
  transfer_in(t, &c->expiries, sizeof c->expiries);
  c->expiries = 0;
  channel_changed(d->channel);
  return sizeof c->expiries;
}

static long write_nothing(struct description *d, struct transfer_call *t)
{
  (void)d, (void)t;
  return -EINVAL;
}

static void close_timer(struct description *d)
{
  timers_channel_closed(d->channel);
  close_counter(d);
}

const struct channel_rules timer_rules = {.name = "timer",
                                          .events = timer_events,
                                          .read = read_timer,
                                          .write = write_nothing,
                                          .close = close_timer,
                                          .touch = touch};

long timer_descriptor_new(bool nonblocking, bool close_on_exec, uint16_t *channel, uintptr_t pc)
{
  *channel = channel_new(CHANNEL_TIMER, pc);
  return number_give(description_new(CHANNEL_TIMER, *channel, O_RDWR | (nonblocking ? O_NONBLOCK : 0u)), close_on_exec);
}

void timer_descriptor_expired(uint16_t channel, uint64_t times)
{
  struct channel *c = channel_at(channel);
  c->expiries = times ? c->expiries + times : 0;
  release_to(&c->clock);
  channel_changed(channel);
  if (times)
    epoll_wake(channel, POLLIN);
}

uint16_t timer_channel(long fd)
{
  const struct description *d = description_of(fd);
  return d && d->kind == CHANNEL_TIMER ? d->channel : 0;
}
