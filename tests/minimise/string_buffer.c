/* SPDX-License-Identifier: Apache-2.0
 *
 * StringBuffer: append(other) asks the other buffer for its length, then for that many characters; it was cut in between.
 */
#include "harness.h"

#define ROOM 64u

struct buffer {
  pthread_mutex_t lock;
  unsigned length;
  char text[ROOM];
};

static struct buffer buffer[2];

static void make(void)
{
  for (unsigned i = 0; i < 2; i++)
    pthread_mutex_init(&buffer[i].lock, NULL);
}

static unsigned length_of(struct buffer *b)
{
  pthread_mutex_lock(&b->lock);
  unsigned length = b->length;
  pthread_mutex_unlock(&b->lock);
  return length;
}

#ifndef FIXED
static void get_chars(struct buffer *b, unsigned count, char *out)
{
  pthread_mutex_lock(&b->lock);
  assert(count <= b->length);
  memcpy(out, b->text, count);
  pthread_mutex_unlock(&b->lock);
}
#endif

static void put_chars(struct buffer *b, const char *text, unsigned count)
{
  pthread_mutex_lock(&b->lock);
  if (b->length + count <= ROOM) {
    memcpy(b->text + b->length, text, count);
    b->length += count;
  }
  pthread_mutex_unlock(&b->lock);
}

static void append(unsigned which, unsigned letter)
{
  char text = (char)('a' + letter);
  put_chars(&buffer[which], &text, 1);
}

static void append_other(unsigned to, unsigned b)
{
  (void)b;
  char text[ROOM];
  struct buffer *other = &buffer[1 - to];
#ifdef FIXED
  pthread_mutex_lock(&other->lock);
  unsigned count = other->length;
  memcpy(text, other->text, count);
  pthread_mutex_unlock(&other->lock);
#else
  unsigned count = length_of(other);
  get_chars(other, count, text);
#endif
  put_chars(&buffer[to], text, count);
}

static void cut(unsigned which, unsigned length)
{
  pthread_mutex_lock(&buffer[which].lock);
  if (buffer[which].length > length)
    buffer[which].length = length;
  pthread_mutex_unlock(&buffer[which].lock);
}

static void check(void)
{
  assert(length_of(&buffer[0]) <= ROOM);
  assert(length_of(&buffer[1]) <= ROOM);
}

HD_STRESS(make, check, 100, 100, HD_OPERATION(append, 2, 26), HD_OPERATION(append_other, 2),
          HD_OPERATION(cut, 2, 4))
