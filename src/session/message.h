/* SPDX-License-Identifier: Apache-2.0
 *
 * Jobs and answers as bytes on a wire: a message is a head and parts, each a run of bytes that mean the same at both
 * ends (core/job.h). What the parts are for is the business of who sends and who gets them (socket_executor.c,
 * agent.c); here they are only carried. What comes in is believed in nothing.
 */
#ifndef HEDDLE_SESSION_MESSAGE_H
#define HEDDLE_SESSION_MESSAGE_H

#include "core/job.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGE_VERSION 2

enum message_kind {
  MESSAGE_JOB,      /* to do */
  MESSAGE_ASK,      /* answer after this execution */
  MESSAGE_STOP,     /* end after this execution */
  MESSAGE_OVER,     /* there are no more jobs */
  MESSAGE_READY,    /* there is somebody to do jobs, who was to be found first (supervisor.h: relay) */
  MESSAGE_PROGRESS, /* how far it is */
  MESSAGE_ANSWER,   /* the job is done, or as much of it as there was time for */
  MESSAGE_END,      /* of who did the jobs; nothing follows */
  MESSAGE_KIND_COUNT
};

enum message_part {
  PART_CONFIG,   /* struct control_config */
  PART_BLOCK,    /* struct control: counts and bugs */
  PART_MAPS,     /* text */
  PART_POOL,     /* schedules of the bugs */
  PART_OUTPUT,   /* what the program printed last */
  PART_TRACE,    /* struct trace_event */
  PART_COVERAGE, /* struct coverage */
  PART_ENDING,   /* struct message_ending */
  PART_SAID,     /* what the program or the dynamic linker said at its start */
  PART_JOB,      /* and those that follow: of the job */
  PART_ANSWER = PART_JOB + JOB_PART_COUNT,
  PART_COUNT = PART_ANSWER + ANSWER_PART_COUNT
};

/* Why there are no more answers. All zero: because none were wanted. */
struct message_ending {
  uint32_t died;       /* the tested process did, before it answered */
  int32_t wait_status; /* and this is how */
  int32_t status;      /* the session failed with this */
  uint32_t diverged;
  uint32_t gone; /* who did the jobs is not to be found any more; nobody knows why */
  uint32_t unused;
  uint64_t pc;
  char error[768];
};

struct message {
  enum message_kind kind;
  const void *part[PART_COUNT]; /* NULL: none */
  uint64_t bytes[PART_COUNT];
};

struct wire {
  int fd;       /* -1: none */
  int patience; /* milliseconds that the other end may leave unread what it is sent; -1: as long as it likes */
  bool broken;  /* the other end is gone, or says what makes no sense */
  char *buffer; /* what has come and is no whole message yet, behind the one that was read last */
  size_t used, room, read;
};

void wire_close(struct wire *wire);

/* False: the wire is broken. Waits for the other end to read. */
bool wire_send(struct wire *wire, const struct message *message);

/* Takes what has come, without waiting. The next whole message, valid until the next call; false: there is none. */
bool wire_next(struct wire *wire, struct message *message);

/* That message as it came, and the same sent on, for who only passes it on. */
const void *wire_bytes(const struct wire *wire, size_t *bytes);
bool wire_pass(struct wire *wire, const void *bytes, size_t size);

#endif
