/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads read one directory stream; each gets only some of the entries. Natively, with pauses, it failed in 444
 * of 1000 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static DIR *folder;

static void *reader(void *unused)
{
  (void)unused;
  readdir(folder);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  int entries = 0;
  mkdir("entries.d", 0700);
  folder = opendir("entries.d");
  pthread_create(&thread, NULL, reader, NULL);
  while (readdir(folder))
    entries++;
  pthread_join(thread, NULL);
  closedir(folder);
  rmdir("entries.d");
  assert(entries == 2); /* . and .. */
  return 0;
}
