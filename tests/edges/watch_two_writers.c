/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads write to two files, which have nothing to do with each other; but somebody watches the folder (inotify),
 * and takes for granted that the first is told of first.
 *
 * verdict: found
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

static int file[2];

static void *writer(void *number)
{
  assert(write(file[(long)number], "x", 1) == 1);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  char buffer[512];
  int watch = inotify_init();
  file[0] = open("first", O_CREAT | O_WRONLY, 0600);
  file[1] = open("second", O_CREAT | O_WRONLY, 0600);
  assert(inotify_add_watch(watch, ".", IN_MODIFY) == 1);
  for (long i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, writer, (void *)i);
  const struct inotify_event *event = (const struct inotify_event *)buffer;
  assert(read(watch, buffer, sizeof buffer) > 0 && event->mask == IN_MODIFY);
  assert(!strcmp(event->name, "first"));
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  unlink("first");
  return unlink("second");
}
