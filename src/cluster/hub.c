/* SPDX-License-Identifier: Apache-2.0
 *
 * The NATS server; see the header.
 */
#include "cluster/hub.h"
#include "cluster/credentials.h"
#include "file/sha256.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONNECT_MS 5000
#define RECONNECT_MS 100
#define CLOSE_MS 10000    /* for the threads of the library to end */
#define ANSWER_MS 1000    /* for it to say anything */
#define KEPT_MS 2000      /* for the server to say that it has a message */
#define AGAIN_US 50000    /* before it is tried again */
#define PIECE (512 << 10) /* servers take 1 MiB in a message, if nobody told them otherwise */
#define DAY INT64_C(86400000000000)
#define ACK_WAIT INT64_C(30000000000)

/* ---- the connection ---- */

bool hub_address_is_good(const char *url, char *error, size_t error_size)
{
  size_t scheme = !strncmp(url, "nats://", 7) || !strncmp(url, "tls://", 6) ? strcspn(url, "/") + 2 : 0;
  if (!scheme || !url[scheme]) {
    snprintf(error, error_size, "\"%.200s\" is no address of a NATS server: nats://HOST:PORT or tls://HOST:PORT", url);
    return false;
  }
  if (strchr(url, '@')) {
    snprintf(error, error_size,
             "an address with a user or a password in it is seen by everybody who lists processes; name a file "
             "in NATS_CREDS, or a NATS context in NATS_CONTEXT");
    return false;
  }
  return true;
}

/* What goes wrong later shows where it matters; the library would print it. */
static void on_error(natsConnection *connection, natsSubscription *subscription, natsStatus status, void *closure)
{
  (void)connection, (void)subscription, (void)status, (void)closure;
}

static natsStatus set_options(const struct nats_library *n, natsOptions *options, const char *url)
{
  natsStatus s = n->natsOptions_SetURL(options, url);
  s = s ? s : n->natsOptions_SetName(options, "heddle");
  s = s ? s : n->natsOptions_SetTimeout(options, CONNECT_MS);
  s = s ? s : n->natsOptions_SetMaxReconnect(options, -1);
  s = s ? s : n->natsOptions_SetReconnectWait(options, RECONNECT_MS);
  s = s ? s : n->natsOptions_SetReconnectJitter(options, RECONNECT_MS, RECONNECT_MS);
  return s ? s : n->natsOptions_SetErrorHandler(options, on_error, NULL);
}

static natsStatus make_stream(struct hub *hub, const char *name, const char *subject, jsRetentionPolicy retention,
                              int64_t each)
{
  jsStreamConfig config;
  jsErrCode code = 0;
  hub->nats->jsStreamConfig_Init(&config);
  config.Name = name;
  config.Subjects = &subject;
  config.SubjectsLen = 1;
  config.Retention = retention;
  config.MaxAge = DAY;
  config.MaxMsgsPerSubject = each;
  natsStatus s = hub->nats->js_AddStream(NULL, hub->js, &config, NULL, &code);
  if (s && code == JSStreamNameExistErr) /* another heddle made it, with other limits */
    s = hub->nats->js_UpdateStream(NULL, hub->js, &config, NULL, &code);
  return s;
}

static natsStatus make_streams(struct hub *hub)
{
  natsStatus s = make_stream(hub, SEATS_STREAM, SEATS_SUBJECT, js_WorkQueuePolicy, 1);
  s = s ? s : make_stream(hub, JOBS_STREAM, "heddle.job.*", js_WorkQueuePolicy, -1);
  s = s ? s : make_stream(hub, ANSWERS_STREAM, "heddle.answer.*", js_WorkQueuePolicy, -1);
  return s ? s : make_stream(hub, PIECES_STREAM, "heddle.piece.*.*", js_LimitsPolicy, 1);
}

/* False: one line in error. */
static bool connect_to(struct hub *hub, const char *url, char *error, size_t error_size)
{
  natsOptions *options = NULL;
  natsStatus s = hub->nats->natsOptions_Create(&options);
  s = s ? s : set_options(hub->nats, options, url);
  bool good = !s && credentials_set(hub->nats, options, url, error, error_size);
  if (good) {
    s = hub->nats->natsConnection_Connect(&hub->connection, options);
    s = s ? s : hub->nats->natsConnection_JetStream(&hub->js, hub->connection, NULL);
  }
  if (s)
    snprintf(error, error_size, "no NATS server answers at %.200s: %s", url, hub->nats->natsStatus_GetText(s));
  hub->nats->natsOptions_Destroy(options);
  return good && !s;
}

bool hub_open(struct hub *hub, const char *url, char *error, size_t error_size)
{
  *hub = (struct hub){.nats = nats_library_open(error, error_size)};
  if (!hub->nats || !hub_address_is_good(url, error, error_size))
    return false;
  bool good = connect_to(hub, url, error, error_size);
  natsStatus s = good ? make_streams(hub) : NATS_OK;
  if (s)
    snprintf(error, error_size, "the NATS server at %.200s keeps no streams (is it started with -js?): %s", url,
             hub->nats->natsStatus_GetText(s));
  if (!good || s)
    hub_close(hub);
  return good && !s;
}

void hub_close(struct hub *hub)
{
  hub->nats->jsCtx_Destroy(hub->js);
  hub->nats->natsConnection_Destroy(hub->connection);
  hub->nats->nats_CloseAndWait(CLOSE_MS);
  *hub = (struct hub){.nats = hub->nats};
}

bool hub_answers(const struct hub *hub)
{
  return hub->nats->natsConnection_FlushTimeout(hub->connection, ANSWER_MS) == NATS_OK;
}

/* ---- messages that are kept ---- */

static bool is_given_up(const struct hub *hub)
{
  return hub->given_up && *hub->given_up;
}

bool hub_put(struct hub *hub, const char *subject, const char *id, const void *bytes, size_t size)
{
  jsPubOptions options;
  hub->nats->jsPubOptions_Init(&options);
  options.MaxWait = KEPT_MS;
  options.MsgId = id;
  while (!is_given_up(hub)) {
    jsErrCode code;
    if (hub->nats->js_Publish(NULL, hub->js, subject, bytes, (int)size, &options, &code) == NATS_OK)
      return true;
    usleep(AGAIN_US);
  }
  return false;
}

void hub_drop(struct hub *hub, const char *stream, const char *subject)
{
  jsOptions options;
  jsErrCode code;
  hub->nats->jsOptions_Init(&options);
  options.Stream.Purge.Subject = subject;
  hub->nats->js_PurgeStream(hub->js, stream, &options, &code);
}

natsSubscription *hub_consume(struct hub *hub, const char *stream, const char *subject, const char *name)
{
  natsSubscription *consumer = NULL;
  jsSubOptions options;
  hub->nats->jsSubOptions_Init(&options);
  options.Stream = stream;
  options.Config.AckPolicy = js_AckExplicit;
  options.Config.AckWait = ACK_WAIT;
  while (!is_given_up(hub)) {
    jsErrCode code;
    if (hub->nats->js_PullSubscribe(&consumer, hub->js, subject, name, NULL, &options, &code) == NATS_OK)
      return consumer;
    usleep(AGAIN_US);
  }
  return NULL;
}

natsMsg *hub_next(struct hub *hub, natsSubscription *consumer, int64_t milliseconds)
{
  natsMsgList list = {0};
  jsErrCode code;
  natsStatus s = hub->nats->natsSubscription_Fetch(&list, consumer, 1, milliseconds, &code);
  natsMsg *message = !s && list.Count ? list.Msgs[0] : NULL;
  if (message)
    list.Msgs[0] = NULL; /* it is the caller's now */
  hub->nats->natsMsgList_Destroy(&list);
  if (s && s != NATS_TIMEOUT && !is_given_up(hub))
    usleep(AGAIN_US); /* the server is away */
  return message;
}

/* ---- what is in pieces ---- */

void pieces_name(struct pieces *pieces, const void *bytes, size_t size)
{
  struct sha256 hash;
  unsigned char sum[SHA256_BYTES];
  sha256_begin(&hash);
  sha256_add(&hash, bytes, size);
  sha256_end(&hash, sum);
  for (size_t i = 0; i < sizeof sum; i++)
    snprintf(pieces->hash + 2 * i, 3, "%02x", sum[i]);
  pieces->bytes = size;
}

static uint64_t count_of(const struct pieces *pieces)
{
  return pieces->bytes ? (pieces->bytes + PIECE - 1) / PIECE : 1;
}

static void name_piece(char subject[128], const struct pieces *pieces, uint64_t n)
{
  snprintf(subject, 128, "heddle.piece.%s.%llu", pieces->hash, (unsigned long long)n);
}

/* NULL: it is not there. */
static natsMsg *find_piece(struct hub *hub, const struct pieces *pieces, uint64_t n)
{
  char subject[128];
  natsMsg *message = NULL;
  name_piece(subject, pieces, n);
  while (!is_given_up(hub)) {
    jsErrCode code = 0;
    natsStatus s = hub->nats->js_GetLastMsg(&message, hub->js, PIECES_STREAM, subject, NULL, &code);
    if (s == NATS_OK)
      return message;
    if (s == NATS_NOT_FOUND || code == JSNoMessageFoundErr)
      return NULL;
    usleep(AGAIN_US);
  }
  return NULL;
}

char *pieces_get(struct hub *hub, const struct pieces *pieces)
{
  char *bytes = malloc(pieces->bytes + 1);
  bool whole = bytes;
  for (uint64_t n = 0; whole && n < count_of(pieces); n++) {
    natsMsg *piece = find_piece(hub, pieces, n);
    uint64_t left = pieces->bytes - n * PIECE, size = left < PIECE ? left : PIECE;
    whole = piece && (uint64_t)hub->nats->natsMsg_GetDataLength(piece) == size;
    if (whole && size)
      memcpy(bytes + n * PIECE, hub->nats->natsMsg_GetData(piece), size);
    if (piece)
      hub->nats->natsMsg_Destroy(piece);
  }
  struct pieces came = {.bytes = 0};
  if (whole)
    pieces_name(&came, bytes, pieces->bytes);
  if (!whole || strcmp(came.hash, pieces->hash) != 0) {
    free(bytes);
    return NULL;
  }
  bytes[pieces->bytes] = 0;
  return bytes;
}

bool pieces_are_there(struct hub *hub, const struct pieces *pieces)
{
  natsMsg *last = find_piece(hub, pieces, count_of(pieces) - 1); /* put last of all: the others are there, too */
  if (last)
    hub->nats->natsMsg_Destroy(last);
  return last;
}

bool pieces_put(struct hub *hub, const struct pieces *pieces, const void *bytes)
{
  if (pieces_are_there(hub, pieces))
    return true;
  for (uint64_t n = 0; n < count_of(pieces); n++) {
    char subject[128];
    uint64_t left = pieces->bytes - n * PIECE;
    name_piece(subject, pieces, n);
    if (!hub_put(hub, subject, NULL, (const char *)bytes + n * PIECE, left < PIECE ? left : PIECE))
      return false;
  }
  return true;
}

void pieces_drop(struct hub *hub, const struct pieces *pieces)
{
  char subject[128];
  snprintf(subject, sizeof subject, "heddle.piece.%s.*", pieces->hash);
  hub_drop(hub, PIECES_STREAM, subject);
}
