/* SPDX-License-Identifier: Apache-2.0
 *
 * See news.h.
 */
#include "session/news.h"
#include <signal.h>
#include <time.h>

static sigset_t before; /* those that were blocked */
static struct sigaction action_before;

static void on_news(int number)
{
  (void)number;
}

void news_open(void)
{
  const struct sigaction action = {.sa_handler = on_news};
  sigset_t urgent;
  sigemptyset(&urgent);
  sigaddset(&urgent, SIGURG);
  sigprocmask(SIG_BLOCK, &urgent, &before);
  sigaction(SIGURG, &action, &action_before);
}

void news_close(void)
{
  sigaction(SIGURG, &action_before, NULL);
  sigprocmask(SIG_SETMASK, &before, NULL);
}

int news_poll(struct pollfd *fds, nfds_t count, int milliseconds)
{
  const struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  sigset_t open = before;
  sigdelset(&open, SIGURG);
  return ppoll(fds, count, &limit, &open);
}
