/* SPDX-License-Identifier: Apache-2.0
 *
 * signalfd: ready while a signal of its set is pending for the thread that looks. Sends no signals (signals.c). Whoever
 * reads takes the signal from everybody else, whatever descriptor they would have it from.
 */
#include "core/system.h"
#include "worlds/threads/kernel/channel_calls.h"
#include "worlds/threads/kernel/kernel.h"
#include "worlds/threads/system/signals.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/signalfd.h>

static unsigned events(const struct description *d, unsigned thread)
{
  uint64_t pending = signals_pending(thread);
  return pending & channel_at(d->channel)->signals ? POLLIN | POLLRDNORM : 0;
}

static struct signalfd_siginfo described(int signal, const siginfo_t *info)
{
  struct signalfd_siginfo out = {.ssi_signo = (uint32_t)signal, .ssi_code = info->si_code};
  out.ssi_int = info->si_value.sival_int;
  out.ssi_ptr = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
  if (info->si_code == SI_TIMER) {
    out.ssi_tid = (uint32_t)info->si_timerid;
    out.ssi_overrun = (uint32_t)info->si_overrun;
  } else {
    out.ssi_pid = (uint32_t)info->si_pid;
    out.ssi_uid = info->si_uid;
  }
  return out;
}

static long read_signals(struct description *d, struct transfer_call *t)
{
  struct signalfd_siginfo out;
  uint64_t set = channel_at(d->channel)->signals;
  siginfo_t info;
  long n = 0;
  if (t->size < sizeof out)
    return -EINVAL;
  for (int signal; (size_t)(n + 1) * sizeof out <= t->size && (signal = take_signal(set, &info)); n++) {
    out = described(signal, &info);
    transfer_in(t, &out, sizeof out);
  }
  if (n)
    channel_changed(d->channel);
  return n ? n * (long)sizeof out : -EAGAIN;
}

static long write_nothing(struct description *d, struct transfer_call *t)
{
  (void)d, (void)t;
  return -EINVAL;
}

static void close_signals(struct description *d)
{
  channel_changed(d->channel);
  channel_release(d->channel);
}

/* All that have to do with signals depend on each other (core/operation.h). */
static void touch(const struct description *d, unsigned events, struct channel_touch *out)
{
  (void)events;
  touch_channel(out, d->channel, true);
  out->count = CHANNELS_TOUCHED + 1;
}

const struct channel_rules signal_rules = {.name = "signal descriptor",
                                           .events = events,
                                           .read = read_signals,
                                           .write = write_nothing,
                                           .close = close_signals,
                                           .touch = touch};

long signalfd_call(const struct call *c)
{
  long fd = (int)c->arg[0], flags = c->number == SYS_signalfd4 ? c->arg[3] : 0;
  struct description *d = description_of(fd);
  if (flags & ~(SFD_CLOEXEC | SFD_NONBLOCK))
    return -EINVAL;
  if (fd != -1 && !d)
    return -EBADF;
  if (fd != -1 && d->kind != CHANNEL_SIGNALS)
    return -EINVAL;
  if (fd == -1) {
    uint16_t channel = channel_new(CHANNEL_SIGNALS, c->pc);
    d = description_new(CHANNEL_SIGNALS, channel, O_RDWR | (uint32_t)(flags & O_NONBLOCK));
    fd = number_give(d, flags & SFD_CLOEXEC);
  }
  if (fd < 0)
    return fd;
  channel_at(d->channel)->signals = *(const uint64_t *)c->arg[1];
  channel_changed(d->channel);
  pending_refresh();
  return fd;
}
