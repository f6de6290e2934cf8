/* SPDX-License-Identifier: Apache-2.0
 *
 * The NATS server, as heddle uses it: a connection, what is kept there, and how bytes get there and back.
 *
 *   HEDDLE_SEATS    work queue: seats that a search offers to workers (offer.h), each for one
 *   HEDDLE_JOBS     work queue: the jobs of a seat, each acknowledged when its answer is kept
 *   HEDDLE_ANSWERS  work queue: the answers of a seat
 *   HEDDLE_PIECES   programs, their inputs, checkpoints and what else is large, in pieces, by the hash of the whole;
 * for a day, unless they are put again: several searches may need the same heddle          (a key-value bucket) for
 * each search that is not at its end, which checkpoint it goes on from
 *
 * Whatever is put there is put until the server says that it has it; a message has an id by which the server drops
 * repeats. Knows nothing of sessions.
 */
#ifndef HEDDLE_CLUSTER_HUB_H
#define HEDDLE_CLUSTER_HUB_H

#include "cluster/nats_library.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEATS_STREAM "HEDDLE_SEATS"
#define JOBS_STREAM "HEDDLE_JOBS"
#define ANSWERS_STREAM "HEDDLE_ANSWERS"
#define PIECES_STREAM "HEDDLE_PIECES"
#define SEATS_SUBJECT "heddle.seat.*" /* one for each token (line.h) */
#define WHO_SUBJECT "heddle.who"      /* workers say who they are */

struct hub {
  const struct nats_library *nats;
  natsConnection *connection;
  jsCtx *js;
  const atomic_bool *given_up; /* nothing is tried again any more; NULL: for ever */
};

#define PIECE_HASH 65
/* What is in pieces: named by its content. */
struct pieces {
  char hash[PIECE_HASH]; /* hexadecimal */
  uint64_t bytes;
};

/* Whether the address is one, without a secret in it; else one line in error. */
bool hub_address_is_good(const char *url, char *error, size_t error_size);

/* Connects, and makes the streams that are not there. False: one line in error. */
bool hub_open(struct hub *hub, const char *url, char *error, size_t error_size);
/* The library has no threads left then: a process may be forked, and open it again. */
void hub_close(struct hub *hub);

/* Whether the server answers within a moment. */
bool hub_answers(const struct hub *hub);

/* Until it is kept there, or given up. */
bool hub_put(struct hub *hub, const char *subject, const char *id, const void *bytes, size_t size);

/* What was put there under that subject is forgotten, if the server hears it. */
void hub_drop(struct hub *hub, const char *stream, const char *subject);

/* A durable consumer of that name; NULL: given up. */
natsSubscription *hub_consume(struct hub *hub, const char *stream, const char *subject, const char *name);
/* The next message, within so many milliseconds; NULL: none came. */
natsMsg *hub_next(struct hub *hub, natsSubscription *consumer, int64_t milliseconds);

void pieces_name(struct pieces *pieces, const void *bytes, size_t size);
bool pieces_are_there(struct hub *hub, const struct pieces *pieces);
/* Named already. */
bool pieces_put(struct hub *hub, const struct pieces *pieces, const void *bytes);
/* malloc'ed, with a zero behind it; NULL: it is not there, or damaged. */
char *pieces_get(struct hub *hub, const struct pieces *pieces);
void pieces_drop(struct hub *hub, const struct pieces *pieces);

#endif
