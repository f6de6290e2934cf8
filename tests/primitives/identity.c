/* SPDX-License-Identifier: Apache-2.0
 *
 * Who a program thinks it is and what it finds random: the same in every execution and in every process.
 */
#include "case.h"
#include <fcntl.h>
#include <grp.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/syscall.h>

static long tid_of_thread;

static void *tell_tid(void *arg)
{
  EXPECT(gettid() != getpid());
  EXPECT(gettid() == syscall(SYS_gettid));
  tid_of_thread = gettid();
  return arg;
}

CASE(getpid, same_everywhere, proceeds)
{
  EXPECT(getpid() > 0);
  EXPECT(getpid() == syscall(SYS_getpid));
  SAME("pid", "%d", getpid());
  SAW("proceeds");
}

CASE(getppid, same_everywhere, proceeds)
{
  EXPECT(getppid() > 0 && getppid() != getpid());
  EXPECT(getppid() == syscall(SYS_getppid));
  SAME("ppid", "%d", getppid());
  SAW("proceeds");
}

CASE(gettid, same_everywhere, proceeds)
{
  EXPECT(gettid() == getpid());
  finish(start(tell_tid, NULL));
  SAME("tid", "%ld", tid_of_thread);
  SAW("proceeds");
}

CASE(sched_getcpu, same_everywhere, proceeds)
{
  SAME("cpu", "%d", sched_getcpu());
  SAW("proceeds");
}

CASE(getrandom, same_everywhere, proceeds)
{
  uint64_t a = 0, b = 0;
  EXPECT(getrandom(&a, sizeof a, 0) == sizeof a);
  EXPECT(getrandom(&b, sizeof b, GRND_NONBLOCK) == sizeof b);
  EXPECT(a != b);
  SAME("getrandom", "%lx", (unsigned long)a);
  EXPECT(syscall(SYS_getrandom, &a, sizeof a, 0) == sizeof a);
  SAME("syscall", "%lx", (unsigned long)a);
  SAW("proceeds");
}

CASE(getentropy, same_everywhere, proceeds, EIO)
{
  uint64_t a = 0;
  char much[300];
  RETURNS(0, getentropy, &a, sizeof a);
  SAME("getentropy", "%lx", (unsigned long)a);
  FAILS(EIO, getentropy, much, sizeof much);
}

CASE(arc4random, same_everywhere, proceeds)
{
  uint64_t a = 0;
  SAME("arc4random", "%x", arc4random());
  arc4random_buf(&a, sizeof a);
  SAME("arc4random_buf", "%lx", (unsigned long)a);
  SEE("arc4random_buf", "proceeds");
  SAW("proceeds");
}

CASE(arc4random_uniform, below_the_limit, proceeds)
{
  for (int i = 0; i < 100; i++)
    EXPECT(arc4random_uniform(7) < 7);
  EXPECT(arc4random_uniform(1) == 0);
  EXPECT(arc4random_uniform(0) == 0);
  SAME("arc4random_uniform", "%u", arc4random_uniform(1000));
  SAW("proceeds");
}

CASE(rand, same_everywhere, proceeds)
{
  SAME("rand", "%d", rand());
  SAME("random", "%ld", random());
  srand((unsigned)time(NULL));
  SAME("seeded", "%d", rand());
  SAW("proceeds");
}

CASE(getrandom, dev_urandom)
{
  uint64_t a = 0;
  int fd = open("/dev/urandom", O_RDONLY);
  EXPECT(fd >= 0);
  EXPECT(read(fd, &a, sizeof a) == sizeof a);
  EXPECT(close(fd) == 0);
  EXPECT(a);
  SAME("urandom", "%lx", (unsigned long)a);
}

static int global;

CASE(malloc, same_addresses)
{
  int local;
  char *a = malloc(100), *b = malloc(100);
  SAME("heap", "%p", (void *)a);
  SAME("heap2", "%p", (void *)b);
  SAME("stack", "%p", (void *)&local);
  SAME("data", "%p", (void *)&global);
  free(a);
  free(b);
}

static void *allocate(void *unused)
{
  (void)unused;
  return malloc(10);
}

CASE(malloc, same_addresses_in_threads)
{
  pthread_t a = start(allocate, NULL), b = start(allocate, NULL);
  void *p = finish(a), *q = finish(b);
  SAME("of_a", "%p", p);
  SAME("of_b", "%p", q);
  free(p);
  free(q);
}

/* To whom one is already, anybody may change. */
#define SAME_ONE(name, ...)                                                                                  \
  CASE(name, to_the_same, proceeds)                                                                          \
  {                                                                                                          \
    RETURNS(0, name, __VA_ARGS__);                                                                           \
    EXPECT(getuid() == geteuid() && getgid() == getegid());                                                  \
  }

SAME_ONE(setuid, getuid())
SAME_ONE(setgid, getgid())
SAME_ONE(seteuid, geteuid())
SAME_ONE(setegid, getegid())
SAME_ONE(setreuid, getuid(), geteuid())
SAME_ONE(setregid, getgid(), getegid())
SAME_ONE(setresuid, getuid(), geteuid(), geteuid())
SAME_ONE(setresgid, getgid(), getegid(), getegid())

/* Groups are for those to set who may do everything. */
CASE(setgroups, as_they_are, proceeds)
{
  gid_t list[64];
  int n = getgroups(64, list);
  EXPECT(n >= 0);
  EXPECT(setgroups((size_t)n, list) == 0 || errno == EPERM);
  SAW("proceeds");
}

CASE(initgroups, of_ones_own, proceeds)
{
  EXPECT(initgroups("root", getgid()) == 0 || errno == EPERM);
  SAW("proceeds");
}
