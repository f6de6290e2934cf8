/* SPDX-License-Identifier: Apache-2.0
 *
 * The client of a program that waits for the outside (--client): a command of the user's, which runs uncontrolled, once
 * for each execution that asks for it in the control block (worlds/threads/system/client.c).
 */
#ifndef HEDDLE_SESSION_CLIENT_PROCESS_H
#define HEDDLE_SESSION_CLIENT_PROCESS_H

#include "core/control.h"
#include "session/target.h"
#include <sys/types.h>

struct client {
  pid_t pid; /* 0: none runs */
};

/* Starts it, sees it end or ends it, as the control block says. To be called again and again. */
void client_look(struct client *client, const struct target *target, struct control *control);

/* Ends it, with all it has started in its session. */
void client_end(struct client *client);

/* What became of the client for which a search had to end, for messages; empty for nothing. */
void client_describe(const struct control *control, char *out, size_t n);

#endif
