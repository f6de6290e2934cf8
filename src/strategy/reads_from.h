/* SPDX-License-Identifier: Apache-2.0
 *
 * Which write each read of an execution sees, as far as steps show it: who wrote each location last, and which pairs of
 * a read and the write it saw were ever seen. Operations on locks and other objects count as reads and writes of those.
 * Only the first eight bytes of longer accesses are looked at: this guides a search, and proves nothing.
 */
#ifndef HEDDLE_STRATEGY_READS_FROM_H
#define HEDDLE_STRATEGY_READS_FROM_H

#include "core/abstract_schedule.h"
#include "core/strategy.h"

#define READS_FROM_LOCATIONS 4096 /* of one execution; powers of two */
#define READS_FROM_COUNTERS 8192
#define READS_FROM_PAIRS (1u << 18)
#define READS_FROM_NTH 8 /* a thread that comes to a place more often is not told apart from then on */

/* The events of the program that were seen, to be combined. */
#define EVENTS_MOST 4096
struct known_event {
  struct abstract_event event;
  uint64_t location; /* by name */
  bool reads, writes;
  bool listed;   /* among those that read, where others write */
  uint32_t next; /* of the same location and breadth, 0: none; numbers are from 1 on */
};

/* Of one thread at one time, or of any thread that comes to the place at any time. */
enum breadth { EVENTS_NARROW, EVENTS_BROAD, EVENT_BREADTHS };

struct last_write {
  uint64_t location, stamp;
  struct abstract_event by; /* no place: nobody yet */
};

struct reads_from {
  uint64_t stamp; /* of the execution */
  unsigned known; /* threads whose path is */
  uint64_t path[MAX_THREADS];
  struct last_write written[READS_FROM_LOCATIONS];
  struct {
    uint64_t key, stamp;
    uint32_t count;
  } counter[READS_FROM_COUNTERS];

  /* The last step, which is settled at the next one: a compare-and-swap that failed writes nothing. */
  struct last_write *last;
  struct abstract_event before; /* what was written there before */
  unsigned last_task;
  uint64_t last_operation;

  /* Over all executions: */
  uint64_t pair[READS_FROM_PAIRS]; /* a set by open addressing; 0 is free */
  uint32_t pairs;
  uint32_t events;
  uint32_t event_at[2 * EVENTS_MOST];    /* by hash */
  uint32_t location_at[2 * EVENTS_MOST]; /* the first event of each location and breadth, by hash */
  struct known_event event[EVENTS_MOST + 1];
  uint32_t reads[EVENT_BREADTHS];
  uint16_t read[EVENT_BREADTHS][EVENTS_MOST]; /* those that read where others write, by number */

  /* This execution: */
  uint32_t new_pairs, new_places; /* pairs that were never seen, and those of places that were not */
  uint64_t signature;             /* the same for executions that show the same pairs of places */
  uint64_t first_pair[PAIRS_MOST];
};

/* Where the operation acts, 0 for nowhere that counts. */
uint64_t reads_from_location(const struct operation *op);
bool reads_from_reads(const struct operation *op);
bool reads_from_writes(const struct operation *op);

void reads_from_begin(struct reads_from *r);
/* At each choice, before anything else: what became of the step before. */
void reads_from_settle(struct reads_from *r, const struct choice *c);
/* How often the thread came to that place, this time included. */
uint32_t reads_from_nth(const struct reads_from *r, unsigned t, uintptr_t pc);
/* Who wrote the location last. */
const struct abstract_event *reads_from_writer(struct reads_from *r, uint64_t location);
/* The thread takes its step. */
void reads_from_step(struct reads_from *r, const struct choice *c, unsigned t);

/* A number for the pair; whether it was seen, and that it was. */
uint64_t reads_from_pair(const struct abstract_event *read, const struct abstract_event *write);
bool reads_from_knows(const struct reads_from *r, uint64_t pair);
bool reads_from_note(struct reads_from *r, uint64_t pair);
/* The event is one of those to be combined, and so is its place, whoever comes there. */
void reads_from_meet(struct reads_from *r, const struct abstract_event *event, uint64_t location, bool reads,
                     bool writes);
/* The first known event of the location, by number; 0: none. */
uint32_t reads_from_first(const struct reads_from *r, uint64_t location, enum breadth breadth);

#endif
