/* SPDX-License-Identifier: Apache-2.0
 *
 * One end of a line; see the header. The library of NATS calls back on threads of its own: what comes there goes
 * through a pipe to the one thread that has the line. Only signs of life are answered at once.
 */
#include "cluster/line.h"
#include "cluster/squeeze.h"
#include "session/console.h"
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define BEAT_US 1000000    /* between two questions for a sign of life */
#define BEAT_MS 500        /* for the sign */
#define NOBODY 3.0         /* seconds without anybody to ask, */
#define SILENCE 20.0       /* without an answer, */
#define UNHEARD 10.0       /* or that a message takes from one end to the other: the line is broken */
#define OFFER_EVERY 10.0   /* seconds, until somebody has the seat */
#define LOOK_EVERY 1.0     /* whether the server is there */
#define PULL_MS 2000       /* for the next message: a server that was away does not know who waits for one */
#define FREE_US 100000     /* between two looks whether somebody has the seat: before, there is nothing to pull */
#define WORKING_EVERY 5.0  /* the server is told that a job is worked on, or it would give it again */
#define PROGRESS_FIRST 0.1 /* seconds until the first word of how far a job is: whether to divide depends on it; */
#define PROGRESS_EVERY 1.0 /* then twice as long each time, up to that */
#define LARGE (900 << 10)  /* goes in pieces */
#define HELLOS 8           /* tries to take a seat */

enum { BEAT = MESSAGE_KIND_COUNT, YES, NO, REFUSED };

/* Before the bytes of what it is about. */
struct envelope {
  uint64_t id;     /* who does the jobs */
  uint64_t number; /* of the job */
  uint32_t kind;   /* enum message_kind, or of the above */
  uint32_t pieces; /* the bytes are struct pieces */
  uint64_t asked;
  uint64_t stops;
  uint64_t heard;
};

void token_make(char token[TOKEN_SIZE])
{
  uint64_t number = 0;
  while (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
    ;
  snprintf(token, TOKEN_SIZE, "%016llx", (unsigned long long)number);
}

static void subject_of(const struct nats_line *l, const char *what, char subject[64])
{
  snprintf(subject, 64, "heddle.%s.%s", what, l->token);
}

/* Where the other end listens. */
static void other_end(const struct nats_line *l, char subject[64])
{
  subject_of(l, l->gives ? "tell" : "word", subject);
}

static struct envelope envelope_of(struct nats_line *l, uint32_t kind)
{
  return (struct envelope){.id = l->gives ? l->taken : l->id,
                           .number = l->number,
                           .kind = kind,
                           .asked = l->asked,
                           .stops = l->stops,
                           .heard = l->heard};
}

/* ---- signs of life ---- */

static void break_line(struct nats_line *l)
{
  natsMsg *none = NULL;
  l->broken = true;
  if (write(l->news[1], &none, sizeof none) < 0)
    return; /* who reads it is gone, or looks at l->broken soon */
}

static void bring_news(struct nats_line *l, natsMsg *message)
{
  if (write(l->news[1], &message, sizeof message) != (ssize_t)sizeof message)
    l->hub.nats->natsMsg_Destroy(message);
}

static bool read_envelope(const struct nats_line *l, const natsMsg *message, struct envelope *e)
{
  if ((size_t)l->hub.nats->natsMsg_GetDataLength(message) < sizeof *e)
    return false;
  memcpy(e, l->hub.nats->natsMsg_GetData(message), sizeof *e);
  return true;
}

/* The first one who asks has the seat. */
static bool has_seat(struct nats_line *l, uint64_t id)
{
  uint_fast64_t nobody = 0;
  return !l->gives || atomic_compare_exchange_strong(&l->taken, &nobody, id) || nobody == id;
}

static void on_talk(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure)
{
  (void)subscription;
  struct nats_line *l = closure;
  struct envelope e;
  const char *reply = l->hub.nats->natsMsg_GetReply(message);
  if (!read_envelope(l, message, &e)) {
    l->hub.nats->natsMsg_Destroy(message);
    return;
  }
  if (reply) {
    struct envelope sign = envelope_of(l, has_seat(l, e.id) ? YES : NO);
    l->hub.nats->natsConnection_Publish(connection, reply, &sign, sizeof sign);
  }
  bring_news(l, message);
}

static natsStatus ask_for_life(struct nats_line *l, struct envelope *sign)
{
  char subject[64];
  natsMsg *reply = NULL;
  struct envelope e = envelope_of(l, BEAT);
  other_end(l, subject);
  natsStatus s = l->hub.nats->natsConnection_Request(&reply, l->hub.connection, subject, &e, sizeof e, BEAT_MS);
  *sign = (struct envelope){.kind = NO};
  if (!s)
    read_envelope(l, reply, sign);
  if (reply)
    l->hub.nats->natsMsg_Destroy(reply);
  return s;
}

static void *beat(void *closure)
{
  struct nats_line *l = closure;
  double answered = now_seconds(), somebody = answered, level = answered;
  for (; !l->broken; usleep(BEAT_US)) {
    struct envelope sign;
    uint64_t sent = l->sent;
    natsStatus s = ask_for_life(l, &sign);
    double now = now_seconds();
    bool away = l->hub.nats->natsConnection_Status(l->hub.connection) != NATS_CONN_STATUS_CONNECTED;
    if (s == NATS_OK || away)
      answered = now;
    if (s != NATS_NO_RESPONDERS || away)
      somebody = now;
    if (s != NATS_OK || away || sign.heard >= sent)
      level = now;
    bool refused = s == NATS_OK && sign.kind != YES;
    if (refused || now - answered > SILENCE || now - somebody > NOBODY || now - level > UNHEARD)
      break_line(l);
  }
  return NULL;
}

/* This thread goes on whatever the others wait for. */
static void look_for_server(const struct nats_line *l)
{
  double now = now_seconds();
  if (l->news_for && now - l->news_for->server_at > LOOK_EVERY && hub_answers(&l->hub))
    l->news_for->server_at = now;
}

static void *pull(void *closure)
{
  struct nats_line *l = closure;
  while (!l->broken) {
    look_for_server(l);
    if (l->gives && !l->taken) {
      usleep(FREE_US);
      continue;
    }
    natsMsg *message = hub_next(&l->hub, l->queue, PULL_MS);
    if (message)
      bring_news(l, message);
  }
  return NULL;
}

static bool start_thread(void *(*run)(void *), struct nats_line *l)
{
  pthread_t thread;
  return pthread_create(&thread, NULL, run, l) == 0 && pthread_detach(thread) == 0;
}

/* ---- what is sent ---- */

/* The message of the wire, for the other end; malloc'ed. NULL: no memory left, or given up. */
static void *wrap(struct nats_line *l, enum message_kind kind, size_t *bytes)
{
  size_t size;
  const void *message = wire_bytes(&l->wire, &size);
  struct envelope e = envelope_of(l, kind);
  char *wrapped = squeeze(message, size, sizeof e, bytes);
  if (wrapped && *bytes > LARGE) {
    struct pieces pieces;
    pieces_name(&pieces, wrapped + sizeof e, *bytes - sizeof e);
    if (kind == MESSAGE_PROGRESS || !pieces_put(&l->hub, &pieces, wrapped + sizeof e)) {
      free(wrapped);
      return NULL;
    }
    memcpy(wrapped + sizeof e, &pieces, sizeof pieces);
    *bytes = sizeof e + sizeof pieces;
    e.pieces = 1;
  }
  if (wrapped)
    memcpy(wrapped, &e, sizeof e);
  return wrapped;
}

static void send_kept(struct nats_line *l, enum message_kind kind)
{
  char subject[64], id[64];
  size_t size;
  void *bytes = wrap(l, kind, &size);
  subject_of(l, l->gives ? "job" : "answer", subject);
  snprintf(id, sizeof id, "%s-%llu-%d", l->token, (unsigned long long)l->number, kind);
  if (!bytes || !hub_put(&l->hub, subject, id, bytes, size))
    break_line(l);
  l->sent = l->number;
  free(bytes);
}

/* An agent says it more often than it is worth to thousands. */
static void send_progress(struct nats_line *l)
{
  char subject[64];
  size_t size;
  double now = now_seconds();
  if (now - l->told_at < l->tells_after)
    return;
  l->told_at = now;
  l->tells_after = 2 * l->tells_after < PROGRESS_EVERY ? 2 * l->tells_after : PROGRESS_EVERY;
  void *bytes = wrap(l, MESSAGE_PROGRESS, &size);
  other_end(l, subject);
  if (bytes)
    l->hub.nats->natsConnection_Publish(l->hub.connection, subject, bytes, (int)size);
  free(bytes);
}

/* What it wants, at once; the signs of life repeat it. */
static void tell(struct nats_line *l)
{
  char subject[64];
  struct envelope e = envelope_of(l, BEAT);
  other_end(l, subject);
  l->hub.nats->natsConnection_Publish(l->hub.connection, subject, &e, sizeof e);
  l->hub.nats->natsConnection_Flush(l->hub.connection);
}

static void send_end(struct nats_line *l, bool gone)
{
  const struct message_ending ending = {.gone = gone};
  struct message m = {.kind = MESSAGE_END};
  m.part[PART_ENDING] = &ending;
  m.bytes[PART_ENDING] = sizeof ending;
  wire_send(&l->wire, &m);
  l->over = true;
}

static void acknowledge(struct nats_line *l)
{
  if (!l->job)
    return;
  l->hub.nats->natsMsg_Ack(l->job, NULL);
  l->hub.nats->natsMsg_Destroy(l->job);
  l->job = NULL;
}

/* ---- what the session says, and what the agent says ---- */

static void from_session(struct nats_line *l, enum message_kind kind)
{
  switch (kind) {
  case MESSAGE_JOB:
    l->number++;
    send_kept(l, kind);
    break;
  case MESSAGE_ASK:
    l->asked = l->number;
    tell(l);
    break;
  default: /* stop, or over */
    l->stops = kind;
    tell(l);
    if (!l->ready || kind == MESSAGE_OVER || l->ended == l->number) /* nobody is at work */
      send_end(l, false);
  }
}

static void from_agent(struct nats_line *l, enum message_kind kind)
{
  if (kind == MESSAGE_PROGRESS) {
    send_progress(l);
    return;
  }
  if (l->stops != MESSAGE_OVER && l->ended < l->number) /* else nobody waits for it */
    send_kept(l, kind);
  acknowledge(l);
  l->ended = l->number;
  l->over = kind == MESSAGE_END;
}

/* ---- what the other end says ---- */

/* malloc'ed; NULL: it is damaged. */
static void *unwrap(struct nats_line *l, const struct envelope *e, const natsMsg *message, size_t *bytes)
{
  const char *from = l->hub.nats->natsMsg_GetData(message) + sizeof *e;
  size_t size = (size_t)l->hub.nats->natsMsg_GetDataLength(message) - sizeof *e;
  struct pieces pieces;
  if (!e->pieces)
    return stretch(from, size, bytes);
  if (size != sizeof pieces)
    return NULL;
  memcpy(&pieces, from, sizeof pieces);
  if (pieces.hash[PIECE_HASH - 1])
    return NULL;
  char *squeezed = pieces_get(&l->hub, &pieces);
  void *all = squeezed ? stretch(squeezed, pieces.bytes, bytes) : NULL;
  if (all)
    pieces_drop(&l->hub, &pieces);
  free(squeezed);
  return all;
}

static void pass_on(struct nats_line *l, const struct envelope *e, const natsMsg *message)
{
  size_t size;
  void *bytes = unwrap(l, e, message, &size);
  if (!bytes || !wire_pass(&l->wire, bytes, size))
    break_line(l);
  free(bytes);
}

/* If another one is still to be told, this one comes again. */
static void note_refusal(struct nats_line *l, const natsMsg *message)
{
  unsigned none = REFUSAL_NONE;
  struct heard *h = l->news_for;
  if (!h || !atomic_compare_exchange_strong(&h->refusal_state, &none, REFUSAL_COMES))
    return;
  const size_t before = sizeof(struct envelope);
  snprintf(h->refusal, sizeof h->refusal, "%.*s", l->hub.nats->natsMsg_GetDataLength(message) - (int)before,
           l->hub.nats->natsMsg_GetData(message) + before);
  h->refusal_state = REFUSAL_THERE;
}

/* To the end that gives jobs. */
static void from_worker(struct nats_line *l, const struct envelope *e, natsMsg *message)
{
  bool kept = e->kind == MESSAGE_ANSWER || e->kind == MESSAGE_END;
  if (kept && e->id == l->taken && e->number > l->heard)
    l->heard = e->number;
  bool of_job = e->id == l->taken && e->number == l->number && l->ended < l->number;
  bool ends = e->kind == MESSAGE_END && e->id == l->taken && e->number == l->number;
  if (e->kind == BEAT && !l->ready && e->id && e->id == l->taken) {
    const struct message ready = {.kind = MESSAGE_READY};
    l->ready = true;
    if (!wire_send(&l->wire, &ready) || !start_thread(beat, l))
      break_line(l);
  }
  if (e->kind == REFUSED)
    note_refusal(l, message);
  if ((e->kind == MESSAGE_PROGRESS || e->kind == MESSAGE_ANSWER) && of_job)
    pass_on(l, e, message);
  if (kept)
    l->hub.nats->natsMsg_Ack(message, NULL);
  if (e->kind == MESSAGE_ANSWER && of_job)
    l->ended = l->number;
  if (ends) {
    pass_on(l, e, message);
    l->over = true;
  }
  l->hub.nats->natsMsg_Destroy(message);
}

static void take_job(struct nats_line *l, const struct envelope *e, natsMsg *message)
{
  if (e->number != l->number + 1 || l->ended < l->number) { /* it came before */
    if (e->number <= l->ended)
      l->hub.nats->natsMsg_Ack(message, NULL);
    l->hub.nats->natsMsg_Destroy(message);
    return;
  }
  l->number = l->heard = e->number;
  l->job = message;
  l->worked = l->told_at = now_seconds();
  l->tells_after = PROGRESS_FIRST;
  pass_on(l, e, message);
}

/* To the end that does jobs. */
static void from_giver(struct nats_line *l, const struct envelope *e, natsMsg *message)
{
  if (e->kind == MESSAGE_JOB) {
    take_job(l, e, message);
    return;
  }
  struct message m = {.kind = MESSAGE_ASK};
  if (e->kind == BEAT && e->asked == l->number && l->ended < l->number)
    wire_send(&l->wire, &m);
  m.kind = e->stops == MESSAGE_OVER ? MESSAGE_OVER : MESSAGE_STOP;
  if (e->kind == BEAT && e->stops && !l->told) {
    l->told = true;
    l->stops = m.kind;
    wire_send(&l->wire, &m);
    l->over |= !l->number; /* it waits for its first job */
  }
  l->hub.nats->natsMsg_Destroy(message);
}

static void hear_news(struct nats_line *l)
{
  natsMsg *message = NULL;
  struct envelope e;
  if (read(l->news[0], &message, sizeof message) != (ssize_t)sizeof message || !message)
    return;
  if (!read_envelope(l, message, &e))
    l->hub.nats->natsMsg_Destroy(message);
  else if (l->gives)
    from_worker(l, &e, message);
  else
    from_giver(l, &e, message);
}

static void say_that_it_works(struct nats_line *l)
{
  double now = now_seconds();
  if (!l->job || now - l->worked < WORKING_EVERY)
    return;
  l->worked = now;
  l->hub.nats->natsMsg_InProgress(l->job, NULL);
}

/* ---- its life ---- */

static void offer_when_due(struct nats_line *l)
{
  double now = now_seconds();
  if (!l->gives || l->taken || l->over || now - l->offered < OFFER_EVERY)
    return;
  l->offered = now;
  if (!l->offer(&l->hub, l->token, l->offer_self))
    break_line(l);
}

void line_run(struct nats_line *l)
{
  while (!l->over && !l->broken && !l->wire.broken) {
    struct pollfd readable[] = {{.fd = l->wire.fd, .events = POLLIN}, {.fd = l->news[0], .events = POLLIN}};
    struct message m;
    offer_when_due(l);
    poll(readable, 2, (int)(WORKING_EVERY * 1000));
    while (!l->over && wire_next(&l->wire, &m))
      if (l->gives)
        from_session(l, m.kind);
      else
        from_agent(l, m.kind);
    if (readable[1].revents && !l->over)
      hear_news(l);
    say_that_it_works(l);
  }
  if (l->gives && !l->over)
    send_end(l, true);
}

static bool take_seat(struct nats_line *l)
{
  struct envelope sign;
  natsStatus s = NATS_TIMEOUT;
  for (int i = 0; i < HELLOS && s != NATS_OK && s != NATS_NO_RESPONDERS; i++)
    s = ask_for_life(l, &sign);
  return s == NATS_OK && sign.kind == YES;
}

/* Asked by nobody: the seat stays free. */
bool seat_is_free(const struct hub *hub, const char *token)
{
  struct nats_line nobody = {.hub = *hub};
  snprintf(nobody.token, sizeof nobody.token, "%s", token);
  return take_seat(&nobody);
}

void seat_refuse(const struct hub *hub, const char *token, const char *why)
{
  struct nats_line nobody = {.hub = *hub};
  struct envelope e = envelope_of(&nobody, REFUSED);
  char subject[64], message[sizeof e + REFUSAL_SIZE];
  snprintf(nobody.token, sizeof nobody.token, "%s", token);
  other_end(&nobody, subject);
  memcpy(message, &e, sizeof e);
  int length = snprintf(message + sizeof e, REFUSAL_SIZE, "%s", why);
  length = length < REFUSAL_SIZE ? length : REFUSAL_SIZE - 1;
  hub->nats->natsConnection_Publish(hub->connection, subject, message, (int)sizeof e + length);
}

bool line_open(struct nats_line *l, const struct hub *hub, const char *token, int wire, seat_offer *offer, void *self,
               struct heard *heard)
{
  char queue[64], talk[64], name[TOKEN_SIZE + 8];
  natsSubscription *listens = NULL;
  const bool gives = offer;
  *l = (struct nats_line){.hub = *hub,
                          .wire = {.fd = wire, .patience = -1},
                          .gives = gives,
                          .offer = offer,
                          .offer_self = self,
                          .news_for = heard,
                          .offered = -OFFER_EVERY};
  l->hub.given_up = &l->broken;
  snprintf(l->token, sizeof l->token, "%s", token);
  while (!l->id && getrandom(&l->id, sizeof l->id, 0) < 0)
    ;
  subject_of(l, gives ? "answer" : "job", queue);
  subject_of(l, gives ? "word" : "tell", talk);
  snprintf(name, sizeof name, "%s_%s", gives ? "given" : "done", token);
  if (pipe(l->news) != 0 ||
      hub->nats->natsConnection_Subscribe(&listens, hub->connection, talk, on_talk, l) != NATS_OK ||
      hub->nats->natsConnection_Flush(hub->connection) != NATS_OK || (!gives && !take_seat(l)))
    return false;
  l->queue = hub_consume(&l->hub, gives ? ANSWERS_STREAM : JOBS_STREAM, queue, name);
  return l->queue && start_thread(pull, l) && (gives || start_thread(beat, l));
}

/* The server forgets who listened, and an offer that nobody took. */
void line_close(struct nats_line *l)
{
  char name[TOKEN_SIZE + 8], seat[64];
  jsErrCode code;
  snprintf(name, sizeof name, "%s_%s", l->gives ? "given" : "done", l->token);
  l->hub.nats->js_DeleteConsumer(l->hub.js, l->gives ? ANSWERS_STREAM : JOBS_STREAM, name, NULL, &code);
  subject_of(l, "seat", seat);
  if (l->gives && !l->taken)
    hub_drop(&l->hub, SEATS_STREAM, seat);
}
