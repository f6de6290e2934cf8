/* SPDX-License-Identifier: Apache-2.0
 *
 * What a seat of a search is offered with: the program and all that it is given at each start, and what it must find on
 * the machine to run as it does where the search began. As text it is JSON; files are named by their content, and on
 * the server (hub.h).
 */
#ifndef HEDDLE_CLUSTER_OFFER_H
#define HEDDLE_CLUSTER_OFFER_H

#include "cluster/hub.h"
#include "session/target.h"

/* Puts all of it on the server. It runs in that folder where there is one of that name. malloc'ed; NULL: an error was
 * printed. */
char *offer_make(struct hub *hub, const struct target *target, const char *folder, double grace);

/* Whether all of it is still on the server. */
bool offer_is_there(struct hub *hub, const char *offer);

/* The program of an offer, as it is here. */
struct offered {
  struct target target;
  char **args, **environment;
  double grace;
  void *text; /* that all this is in */
};

/* Fetches what is not in the folder yet, and looks whether it would run here as it does there. The environment is the
 * offer's from then on. False: one line in error. */
bool offer_take(struct hub *hub, const char *offer, const char *folder, struct offered *offered, char *error,
                size_t error_size);

#endif
