/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues of messages, what POSIX and System V queues have in common; see the source. Who may use them, by what names,
 * is for those who offer them (posix_queues.c, sysv_messages.c).
 */
#ifndef HEDDLE_RUNTIME_MESSAGE_QUEUE_H
#define HEDDLE_RUNTIME_MESSAGE_QUEUE_H

#include "core/object_model.h"
#include "worlds/threads/runtime.h"
#include <limits.h>

#define QUEUES 128
#define QUEUE_NAME (NAME_MAX + 2) /* with its slash */

struct queue {
  bool used;
  bool removed;              /* whoever waits is to be told */
  int id;                    /* of System V's, -1 for others; known even when it is removed */
  bool sorted;               /* by type, the largest first; else as they came */
  uint32_t first;            /* message, + 1 */
  uint32_t count;            /* of messages for anybody */
  uint32_t most;             /* of those */
  uint64_t bytes;            /* in them */
  uint64_t room;             /* for those */
  uint64_t state;            /* changes.h */
  bool announced;            /* somebody wants to know when it is not empty any more */
  struct threadset standing; /* and who waits for a message is known */
  struct threadset waited;   /* when it was removed */
  struct vclock taken;       /* what those knew who took messages, and so made room */
  char name[QUEUE_NAME];
};

/* How a thread wants to send or receive. */
struct queue_wait {
  bool try;
  bool restarts;    /* a handler with SA_RESTART does not end it */
  int64_t deadline; /* < 0: none */
  int gone;         /* an errno: it was there, but not for who calls now; 0: it is */
  uintptr_t pc;
};

/* A new one with room for so much; NULL: there are too many. */
struct queue *queue_new(const char *name, uint32_t most, uint64_t room);
void queue_remove(struct queue *q); /* at a step of its own; threads that wait for it get an error */
void queue_resize(struct queue *q, uint32_t most, uint64_t room);
struct queue *queue_by_id(int id); /* NULL: there never was one */
/* Nobody can reach it any more. */
void queue_free(struct queue *q);
/* A step that looks at it or changes it. far: it may concern any thread. */
void queue_step(enum op_kind kind, const void *queue, bool far, uintptr_t pc);

/* 0 or an errno: EAGAIN, EINTR, ETIMEDOUT, EIDRM, EINVAL if it was removed before the call. arrived: it is for nobody
 * in particular, and there was none before. */
int queue_send(struct queue *q, int64_t type, const void *data, size_t size, const struct queue_wait *how,
               bool *arrived);
/* The message, whose bytes are to be copied out before the next step; 0 with an errno in *error: those, and E2BIG if it
 * is larger than `most`. except: any but of that type. */
uint32_t queue_receive(struct queue *q, int64_t type, bool except, size_t most, const struct queue_wait *how,
                       int *error);
/* The first one that would be received; 0: none. */
uint32_t queue_find(const struct queue *q, int64_t type, bool except, unsigned thread);
int64_t message_type(uint32_t message);
size_t message_size(uint32_t message);
/* At most so many bytes of it. */
void message_copy(uint32_t message, void *to, size_t most);
void message_free(uint32_t message);

/* Somebody wants to know, or not any more, when a message arrives that nobody waits for. At a step that concerns all.
 */
void queue_announce(struct queue *q, bool wanted);
bool queue_ready(unsigned thread, const struct operation *op);
/* NULL: no queue is there. */
const struct queue *queue_at(uintptr_t addr);

void queues_reset(void);
extern const struct object_model queue_model;

#endif
