/* SPDX-License-Identifier: Apache-2.0
 *
 * News from tested processes that share memory with us: one that has left an answer there says so by a signal (SIGURG,
 * which means nothing to who does not expect it), and who waits for descriptors hears it. The signal comes at no other
 * time, so none is missed and nothing else is interrupted.
 */
#ifndef HEDDLE_SESSION_NEWS_H
#define HEDDLE_SESSION_NEWS_H

#include <poll.h>

/* From now on, until it is closed. Sessions are not nested. */
void news_open(void);
void news_close(void);

/* poll() that ends with EINTR when there are news. */
int news_poll(struct pollfd *fds, nfds_t count, int milliseconds);

#endif
