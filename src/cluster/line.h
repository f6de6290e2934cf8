/* SPDX-License-Identifier: Apache-2.0
 *
 * A wire between two processes of heddle that leads over a NATS server: at one end the session that gives jobs, at the
 * other the agent that does them. Both speak as over a socket (session/message.h) and do not know of the way between.
 *
 * A line has a token of its own, so what is left of one that broke is never taken for another's. Jobs and answers go
 * through work queues, by number: each is acknowledged when the next station has it, given again by the server if
 * not, and known by its number if it comes twice. What may be lost goes without being kept: how far a job is, and the
 * wish for its answer, which is repeated.
 *
 * Each end asks the other for a sign of life, which says how far it has heard. Nobody there to ask for a while, silence
 * for a long while, or a message that was kept and does not arrive (a server that was killed may come back without the
 * last of what it kept), and the line is broken; but not while the server is away: it may come back. A seat is offered
 * again and again until somebody has it, since an offer may be taken by who dies before the seat is.
 */
#ifndef HEDDLE_CLUSTER_LINE_H
#define HEDDLE_CLUSTER_LINE_H

#include "cluster/hub.h"
#include "session/message.h"
#include <stdatomic.h>

#define TOKEN_SIZE 24
#define REFUSAL_SIZE 512

/* What all ends that give jobs of a search have heard: memory that they share. */
struct heard {
  _Atomic double server_at;  /* when the server last answered one of them */
  atomic_uint refusal_state; /* enum refusal_state */
  char refusal[REFUSAL_SIZE];
};
enum refusal_state { REFUSAL_NONE, REFUSAL_COMES, REFUSAL_THERE };

/* Offers the seat of that token. False: given up. */
typedef bool seat_offer(struct hub *hub, const char *token, void *self);

struct nats_line {
  struct hub hub;
  struct wire wire; /* to the session or the agent */
  bool gives;       /* the jobs come from this end */
  char token[TOKEN_SIZE];
  uint64_t id;       /* of who does the jobs, at its own end */
  int news[2];       /* a pipe of pointers to messages; NULL: the line broke */
  uint64_t ended;    /* the number of the last job that was answered */
  natsMsg *job;      /* that is not acknowledged */
  seat_offer *offer; /* of the end that gives jobs, with its self */
  void *offer_self;
  struct heard *news_for; /* of who gives jobs; NULL: nobody asks */
  double offered;         /* when last */
  double worked;          /* when the server was last told that somebody is at it */
  double told_at;         /* when the other end was last told how far it is, or was given the job, */
  double tells_after;     /* and after how many seconds it is told again */
  bool ready;             /* the session knows that the seat is taken */
  bool told;              /* the agent knows that it is to end */
  bool over;
  natsSubscription *queue;
  /* For the threads that listen, too: */
  atomic_uint_fast64_t number; /* of the job, from 1 */
  atomic_uint_fast64_t sent;   /* the last number of which something was kept for the other end, */
  atomic_uint_fast64_t heard;  /* and of which something came from there */
  atomic_uint_fast64_t asked;  /* for the answer of this job */
  atomic_uint stops;           /* the kind of message that tells the other end to end; 0: none */
  atomic_uint_fast64_t taken;  /* who has the seat */
  atomic_bool broken;
};

void token_make(char token[TOKEN_SIZE]);

/* Whether whoever offered it is still there, and nobody has it. */
bool seat_is_free(const struct hub *hub, const char *token);

/* Whoever offered it is told why it is not taken here. */
void seat_refuse(const struct hub *hub, const char *token, const char *why);

/* The end that gives jobs, where a seat waits to be taken and is offered; or, without an offer, the end that takes it.
 * False: the seat is not to be had. The threads that it starts end with the process, of which it is the only purpose.
 */
bool line_open(struct nats_line *line, const struct hub *hub, const char *token, int wire, seat_offer *offer,
               void *self, struct heard *heard);
/* Until one of the ends has ended, or the line is broken; who gives jobs is told so. */
void line_run(struct nats_line *line);
void line_close(struct nats_line *line);

#endif
