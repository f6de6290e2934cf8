/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequences of numbers, each kept once: the same words give the same number. What analyses remember of a run (sets of
 * locks, contexts, clocks) are such sequences, few of them different, so memory grows with what differs and not with
 * the length of the run. Nothing is ever taken out.
 */
#ifndef HEDDLE_PREDICT_INTERN_H
#define HEDDLE_PREDICT_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern_entry {
  size_t start; /* in words */
  uint32_t length;
  uint32_t hash;
};

/* All zero is an empty table. */
struct intern {
  struct intern_entry *entry; /* entry[0] is not used */
  uint32_t *words;
  uint32_t *slot; /* hash table of numbers of entries, 0 is free */
  uint32_t count, entry_room, slot_count;
  size_t word_count, word_room;
  bool failed; /* no memory; answers are 0 from then on */
};

/* The number of that sequence, from 1; new ones get the next number. 0 when there is no memory. */
uint32_t intern_number(struct intern *t, const uint32_t *words, uint32_t length);

/* The words of a number that intern_number() gave; they move when the table grows. */
const uint32_t *intern_words(const struct intern *t, uint32_t number, uint32_t *length);

/* Bytes of memory in use. */
size_t intern_bytes(const struct intern *t);

void intern_free(struct intern *t);

#endif
