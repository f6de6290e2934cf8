/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that fill structures of the program: FIONREAD, statx, getdents by readdir, getsockopt, getrusage, uname,
 * times, getrandom.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <unistd.h>

static void *worker(void *unused)
{
  return unused;
}

int main(void)
{
  static char zero[8192], random[8192];
  struct utsname name = {0};
  struct rusage usage;
  struct statx status = {0};
  struct tms spent;
  pthread_t thread;
  int ends[2], waiting = 0, type = 0, entries = 0;
  socklen_t size = sizeof type;
  pthread_create(&thread, NULL, worker, NULL);
  assert(pipe(ends) == 0 && write(ends[1], "abc", 3) == 3);
  assert(ioctl(ends[0], FIONREAD, &waiting) == 0 && waiting == 3);
  assert(statx(AT_FDCWD, "/", 0, STATX_TYPE, &status) == 0 && S_ISDIR(status.stx_mode));
  DIR *root = opendir("/");
  while (readdir(root))
    entries++;
  closedir(root);
  assert(entries > 2);
  int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  assert(getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_DGRAM);
  assert(getrusage(RUSAGE_SELF, &usage) == 0);
  assert(uname(&name) == 0 && strcmp(name.sysname, "Linux") == 0);
  assert(times(&spent) != (clock_t)-1);
  assert(getrandom(random, sizeof random, 0) == (long)sizeof random);
  assert(memcmp(random, zero, sizeof random) != 0);
  close(fd);
  pthread_join(thread, NULL);
  return 0;
}
