/* SPDX-License-Identifier: Apache-2.0
 *
 * The process finds its threads below /proc: those that run, by the numbers they have, with the names they were given;
 * and not those that have ended.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_barrier_t all_there, looked;
static pid_t number[2];

static void expect_line(const char *path, const char *wanted)
{
  char line[256];
  FILE *file = fopen(path, "r");
  assert(file);
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    if (!strcmp(line, wanted)) {
      fclose(file);
      return;
    }
  }
  assert(!"the line is there");
}

static unsigned count_threads(pid_t of)
{
  unsigned n = 0, found = 0;
  DIR *folder = opendir("/proc/self/task");
  assert(folder);
  for (int again = 0; again < 2; again++, rewinddir(folder))
    for (struct dirent *entry; (entry = readdir(folder));) {
      n += entry->d_name[0] != '.';
      found += atoi(entry->d_name) == of;
    }
  closedir(folder);
  assert(found == 2 && n % 2 == 0);
  return n / 2;
}

static void *worker(void *index)
{
  char path[64], line[64], link[64] = "", wanted[64];
  number[(long)index] = gettid();
  pthread_setname_np(pthread_self(), "weaver");
  pthread_barrier_wait(&all_there);
  snprintf(path, sizeof path, "/proc/self/task/%d/comm", gettid());
  expect_line(path, "weaver");
  snprintf(line, sizeof line, "Pid:\t%d", gettid());
  expect_line("/proc/thread-self/status", line);
  snprintf(wanted, sizeof wanted, "%d/task/%d", getpid(), gettid());
  assert(readlink("/proc/thread-self", link, sizeof link - 1) > 0 && !strcmp(link, wanted));
  assert(count_threads(gettid()) == 3);
  pthread_barrier_wait(&looked);
  return NULL;
}

int main(void)
{
  char line[64], path[64];
  int pid, parent, group;
  pthread_t thread[2];
  pthread_barrier_init(&all_there, NULL, 3);
  pthread_barrier_init(&looked, NULL, 3);
  for (long i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, (void *)i);
  pthread_barrier_wait(&all_there);
  expect_line("/proc/self/status", "Threads:\t3");
  pthread_barrier_wait(&looked);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(count_threads(getpid()) == 1);
  snprintf(path, sizeof path, "/proc/self/task/%d/comm", number[1]);
  assert(!fopen(path, "r"));
  snprintf(line, sizeof line, "PPid:\t%d", getppid());
  expect_line("/proc/self/status", line);
  FILE *file = fopen("/proc/self/stat", "r");
  assert(file && fscanf(file, "%d %*s %*c %d %d", &pid, &parent, &group) == 3);
  assert(pid == getpid() && parent == getppid() && group == getpgrp());
  fclose(file);
  return 0;
}
