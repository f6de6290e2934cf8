/* SPDX-License-Identifier: Apache-2.0
 *
 * The client of a program that waits for the outside; see client.c.
 */
#ifndef HEDDLE_RUNTIME_CLIENT_H
#define HEDDLE_RUNTIME_CLIENT_H

#include "worlds/threads/runtime.h"

enum client_answer {
  CLIENT_CAME,    /* somebody can go on */
  CLIENT_SERVED,  /* it came, was served and has ended */
  CLIENT_STOPPED, /* the search is to end */
  CLIENT_IN_VAIN  /* there is none, or it did not do what the program waits for */
};

/* No thread can go on: has the client started, if it was not yet in this execution, and waits for what it does. */
enum client_answer client_wait(void);

/* Before a thread waits: gives a client that runs the time to do its part. */
void client_settle(const struct operation *op);

/* Before an execution: the client of the one before is gone. */
void client_reset(void);

#endif
