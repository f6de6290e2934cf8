/* SPDX-License-Identifier: Apache-2.0
 *
 * ClosedDirectory: main closes a directory while another thread reads it. Fixed: it waits for the thread first. */
#include <dirent.h>
#include <pthread.h>

static DIR *directory;

static void *reader(void *unused)
{
  readdir(directory);
  return unused;
}

int main(void)
{
  pthread_t thread;
  directory = opendir("/");
  pthread_create(&thread, NULL, reader, NULL);
#ifdef FIXED
  pthread_join(thread, NULL);
  closedir(directory);
#else
  closedir(directory);
  pthread_join(thread, NULL);
#endif
  return 0;
}
