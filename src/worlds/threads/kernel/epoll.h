/* SPDX-License-Identifier: Apache-2.0
 *
 * Interest in several descriptors; see epoll.c.
 */
#ifndef HEDDLE_RUNTIME_EPOLL_H
#define HEDDLE_RUNTIME_EPOLL_H

#include "worlds/threads/kernel/kernel.h"

/* Something came to the channel, or went: whoever looks at it for these events has something to look at. */
void epoll_wake(uint16_t channel, unsigned events);
/* The two are connected now: who has interest in one has it in the other. */
void epoll_follow(uint16_t a, uint16_t b);
/* The number is about to be closed. */
void epoll_number_closed(long fd);
/* What is ready, taken from the set as the kernel does; how many. */
struct epoll_event;
long epoll_take(struct description *d, struct epoll_event *out, long most, unsigned thread);
/* Whether the set has something that is the kernel's; and each member, until one says true. */
bool epoll_has_real(const struct description *d);
bool epoll_any(const struct description *d, bool (*test)(int fd));
void epoll_reset(void);
/* A member that is ready, but of which the set says nothing more: in words, or nothing. */
void epoll_say_untold(const struct description *d, char *out, size_t size);

#endif
