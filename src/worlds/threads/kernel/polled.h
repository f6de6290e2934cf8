/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of descriptors that threads wait for, and what each is ready for; see channel_steps.c and system/polling.c.
 */
#ifndef HEDDLE_RUNTIME_POLLED_H
#define HEDDLE_RUNTIME_POLLED_H

#include "core/object_model.h"
#include "core/world.h"
#include "worlds/threads/kernel/kernel.h"

/* One that is waited for. */
struct polled {
  int fd;
  short events;
};
/* What is ready is taken from it (epoll), and others may not have it then. */
#define POLL_TAKES 0x10000u

extern const struct object_model channel_model;

/* What a descriptor of ours is ready for; POLLNVAL if it is none. */
unsigned descriptor_events(long fd, unsigned thread);
/* Whether what the thread is about to do on channels could be done at once. */
bool channel_is_ready(unsigned thread);
/* The turn to look at the set; waits for one of them to be ready if the kind can block. 0, or -EINTR. */
long step_on_set(enum op_kind kind, const struct pollfd *set, size_t count, uintptr_t pc);

/* In words. */
void pending_describe(unsigned thread, struct channel_view *out);
/* It opens a FIFO, and waits for somebody outside the program to open the other end. */
bool pending_opens_to_outside(unsigned thread);
/* Each descriptor that the thread is about to use, until one says true. */
bool pending_any(unsigned thread, bool (*test)(int fd));

/* What of that there is now, for poll. */
static inline unsigned polled_events(const struct polled *m, unsigned thread)
{
  if (m->fd < 0)
    return 0;
  return descriptor_events(m->fd, thread) & ((unsigned short)m->events | POLLERR | POLLHUP | POLLNVAL);
}

#endif
