/* SPDX-License-Identifier: Apache-2.0
 *
 * What reads-from feedback goes on from: abstract schedules that showed something new, how often each is to be varied,
 * and how it is. An entry is varied the more often the more it brought and the rarer the executions are that it leads
 * to (a power schedule); entries take turns.
 */
#ifndef HEDDLE_STRATEGY_RFF_CORPUS_H
#define HEDDLE_STRATEGY_RFF_CORPUS_H

#include "core/abstract_schedule.h"
#include "strategy/reads_from.h"

#define RFF_ENTRIES 512
#define RFF_SIGNATURES 65536

struct rff_entry {
  struct abstract_schedule schedule;
  uint64_t signature; /* of the execution that brought it here */
  uint32_t worth;
  uint32_t rounds; /* it had its turn so often */
};

struct rff_corpus {
  uint32_t count, at; /* at: whose turn it is */
  uint32_t left;      /* variations of it in this turn */
  struct rff_entry entry[RFF_ENTRIES];
  struct {
    uint64_t signature;
    uint32_t count;
  } met[RFF_SIGNATURES]; /* how often executions had it; what falls into one slot is mixed up */
};

/* The next to try: a variation of an entry, in *out. */
void rff_vary(struct rff_corpus *corpus, const struct reads_from *r, uint64_t *stream, struct abstract_schedule *out);

/* An execution had this signature. */
void rff_count(struct rff_corpus *corpus, uint64_t signature);

/* One more entry; of a full corpus the one that is worth least goes. */
void rff_keep(struct rff_corpus *corpus, const struct abstract_schedule *schedule, uint64_t signature, uint32_t worth);

#endif
