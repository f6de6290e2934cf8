/* SPDX-License-Identifier: Apache-2.0
 *
 * See the header. Squeezed: the size as it was; then again and again, of words of eight bytes, how many are zero, how
 * many follow that are not, and those. The last word is filled up with zeros.
 */
#include "cluster/squeeze.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define STRETCHED_MOST (UINT64_C(1) << 36)

struct run {
  uint32_t zeros, words;
};

static uint64_t word_at(const char *bytes, size_t size, size_t word)
{
  uint64_t value = 0;
  size_t left = size - 8 * word;
  memcpy(&value, bytes + 8 * word, left < 8 ? left : 8);
  return value;
}

/* A single zero among others stays: a run of its own would be as long. */
static struct run next_run(const char *bytes, size_t size, size_t words, size_t at)
{
  struct run run = {0, 0};
  while (at < words && run.zeros < UINT32_MAX && !word_at(bytes, size, at))
    run.zeros++, at++;
  while (at < words && run.words < UINT32_MAX &&
         (word_at(bytes, size, at) || (at + 1 < words && word_at(bytes, size, at + 1))))
    run.words++, at++;
  return run;
}

void *squeeze(const void *bytes, size_t size, size_t head, size_t *squeezed)
{
  const uint64_t original = size;
  size_t words = (size + 7) / 8;
  char *out = malloc(head + sizeof original + 8 * words + sizeof(struct run) * (words / 2 + 2));
  if (!out)
    return NULL;
  char *to = out + head;
  memcpy(to, &original, sizeof original);
  to += sizeof original;
  for (size_t at = 0; at < words;) {
    struct run run = next_run(bytes, size, words, at);
    memcpy(to, &run, sizeof run);
    to += sizeof run;
    at += run.zeros;
    for (uint32_t i = 0; i < run.words; i++, at++, to += 8) {
      uint64_t word = word_at(bytes, size, at);
      memcpy(to, &word, sizeof word);
    }
  }
  *squeezed = (size_t)(to - out);
  return out;
}

static int fill(char *out, size_t words, const char *from, size_t left)
{
  size_t at = 0;
  while (at < words) {
    struct run run;
    if (left < sizeof run)
      return 0;
    memcpy(&run, from, sizeof run);
    from += sizeof run;
    left -= sizeof run;
    if (run.zeros > words - at || run.words > words - at - run.zeros || left / 8 < run.words ||
        !(run.zeros || run.words))
      return 0;
    memcpy(out + 8 * (at + run.zeros), from, 8 * (size_t)run.words);
    at += (size_t)run.zeros + run.words;
    from += 8 * (size_t)run.words;
    left -= 8 * (size_t)run.words;
  }
  return left == 0;
}

void *stretch(const void *squeezed, size_t size, size_t *bytes)
{
  uint64_t original;
  if (size < sizeof original)
    return NULL;
  memcpy(&original, squeezed, sizeof original);
  if (original > STRETCHED_MOST)
    return NULL;
  size_t words = (original + 7) / 8;
  char *out = calloc(words + 1, 8);
  if (!out)
    return NULL;
  if (!fill(out, words, (const char *)squeezed + sizeof original, size - sizeof original)) {
    free(out);
    return NULL;
  }
  *bytes = original;
  return out;
}
