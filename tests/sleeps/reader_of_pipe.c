/* SPDX-License-Identifier: Apache-2.0
 *
 * A reader of an empty pipe waits for what comes, and gets it whole. BUG: it does not wait, and gets nothing.
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static int ends[2];
static char text[16];

static ssize_t receive(char *into, size_t size)
{
#ifdef BUG
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
#endif
  return read(ends[0], into, size);
}

static void *reader(void *arg)
{
  ssize_t n = receive(text, sizeof text - 1);
  return n > 0 ? text : arg;
}

int main(void)
{
  pthread_t t;
  void *got;
  assert(pipe(ends) == 0);
  pthread_create(&t, NULL, reader, NULL);
  usleep(50000);
  assert(write(ends[1], "hello", 5) == 5);
  pthread_join(t, &got);
  assert(got && !strcmp(text, "hello"));
  return 0;
}
