/* SPDX-License-Identifier: Apache-2.0
 *
 * Telling the program that something has come about, as a struct sigevent asks for it.
 */
#ifndef HEDDLE_RUNTIME_NOTIFICATION_H
#define HEDDLE_RUNTIME_NOTIFICATION_H

#include "worlds/threads/thread/attributes.h"
#include <signal.h>
#include <stdbool.h>

struct notice {
  int how;          /* SIGEV_* */
  unsigned process; /* that wants it */
  int signal;
  union sigval value;
  void (*function)(union sigval);
  struct attributes attributes; /* of the thread that calls it */
};

/* As the program wants it; false: there is no such way, or no such signal. NULL is SIGEV_NONE. */
bool notification_wanted(const struct sigevent *event, struct notice *out);
/* It comes: a signal to that process without a step, with that si_code; or a thread, whose creation is a step. Of
 * another process, that is for its clock to take (timers.c). */
void notification_send(const struct notice *n, int code);

/* Whether the process is owed a thread that another process could not create for it. */
bool notification_is_owed(unsigned process);
/* It is created, if there is one. */
bool notification_pay(void);
void notifications_reset(void);

#endif
