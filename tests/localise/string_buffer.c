/* SPDX-License-Identifier: Apache-2.0
 *
 * append(other) asks the other buffer for its length, then for so many characters; the other buffer locks itself each time. In
 * between it is cut short, and the length is out of date.
 *
 * verdict: assertion
 * blame: R W R buffer[1].length
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct buffer {
  pthread_mutex_t lock;
  int length;
  char text[16];
};

static struct buffer buffer[2] = {{PTHREAD_MUTEX_INITIALIZER, 2, "ab"}, {PTHREAD_MUTEX_INITIALIZER, 3, "cde"}};

static int length(struct buffer *b)
{
  pthread_mutex_lock(&b->lock);
  int n = b->length; /* <1> */
  pthread_mutex_unlock(&b->lock);
  return n;
}

static void get_chars(struct buffer *b, int n, char *out)
{
  pthread_mutex_lock(&b->lock);
#ifdef FIXED
  n = n < b->length ? n : b->length;
#endif
  assert(n <= b->length); /* <3> */
  memcpy(out, b->text, (size_t)n);
  pthread_mutex_unlock(&b->lock);
}

static void append(struct buffer *b, struct buffer *other)
{
  pthread_mutex_lock(&b->lock);
  int n = length(other);
  get_chars(other, n, b->text + b->length);
  b->length += n;
  pthread_mutex_unlock(&b->lock);
}

static void erase(struct buffer *b)
{
  pthread_mutex_lock(&b->lock);
  b->length = 0; /* <2> */
  pthread_mutex_unlock(&b->lock);
}

static void *appender(void *arg)
{
  append(&buffer[0], &buffer[1]);
  return arg;
}

static void *eraser(void *arg)
{
  erase(&buffer[1]);
  return arg;
}

int main(void)
{
  pthread_t thread[2];

  pthread_create(&thread[0], NULL, appender, NULL);
  pthread_create(&thread[1], NULL, eraser, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
