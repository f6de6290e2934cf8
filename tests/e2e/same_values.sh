#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a program is told of the outside is the same in every execution, whatever its schedule, however it is put back to
# its start, with one worker or two, when a schedule is replayed, and when heddle is started anew: numbers of processes
# and threads, dates and times, ports, random values, names and numbers of files, of queues and of timers, addresses.
. "$(dirname "$0")/lib.sh"

cat >told.c <<'C'
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void identity(void)
{
  printf("ids %d %d %d %d %d\n", getpid(), getppid(), gettid(), getpgrp(), getsid(0));
  fflush(stdout);
  pid_t child = fork();
  if (!child) {
    pid_t grandchild = fork();
    if (!grandchild)
      _exit(3);
    int status;
    assert(wait(&status) == grandchild);
    _exit(getppid() == getpid() - 1 ? 4 : 5);
  }
  int status;
  pid_t reaped = waitpid(-1, &status, 0);
  printf("child %d %d %x\n", child, reaped, status);
}

static void times_(void)
{
  struct timespec real, monotonic, cpu;
  struct timeval day;
  struct tms t;
  clock_gettime(CLOCK_REALTIME, &real);
  clock_gettime(CLOCK_MONOTONIC, &monotonic);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  gettimeofday(&day, NULL);
  printf("times %ld %ld.%09ld %ld.%09ld %ld.%09ld %ld.%06ld %ld %ld\n", (long)time(NULL), (long)real.tv_sec, real.tv_nsec,
         (long)monotonic.tv_sec, monotonic.tv_nsec, (long)cpu.tv_sec, cpu.tv_nsec, (long)day.tv_sec, (long)day.tv_usec,
         (long)times(&t), (long)clock());
}

static void chance(void)
{
  unsigned long a, b;
  unsigned char device[4], given[4];
  assert(getrandom(&a, sizeof a, 0) == sizeof a && getentropy(&b, sizeof b) == 0);
  int fd = open("/dev/urandom", O_RDONLY);
  assert(read(fd, device, sizeof device) == sizeof device);
  close(fd);
  memcpy(given, (void *)getauxval(AT_RANDOM), sizeof given);
  printf("random %lx %lx %02x%02x %02x%02x %d %u\n", a, b, device[0], device[3], given[0], given[3], rand(), arc4random());
}

static void ports(void)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, peer;
  socklen_t size = sizeof address;
  int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
  assert(bind(server, (struct sockaddr *)&address, size) == 0 && listen(server, 1) == 0);
  getsockname(server, (struct sockaddr *)&address, &size);
  assert(connect(client, (struct sockaddr *)&address, size) == 0);
  getsockname(client, (struct sockaddr *)&peer, &size);
  printf("ports %d %d, descriptors %d %d\n", ntohs(address.sin_port), ntohs(peer.sin_port), server, client);
}

static void names(void)
{
  char name[] = "made-XXXXXX";
  struct stat s;
  int fd = mkstemp(name);
  assert(fd >= 0 && fstat(fd, &s) == 0);
  printf("file %s %lu %ld %d\n", name, (unsigned long)s.st_ino, (long)s.st_mtim.tv_sec, fd);
  assert(mkdir("folder", 0700) == 0 && stat("folder", &s) == 0);
  printf("folder %lu\n", (unsigned long)s.st_ino);
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_NONE};
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  printf("system %d %d %d %ld\n", shmget(IPC_PRIVATE, 4096, 0600), msgget(IPC_PRIVATE, 0600), semget(IPC_PRIVATE, 1, 0600),
         (long)timer);
}

static void addresses(void)
{
  static int data;
  int local;
  printf("addresses %p %p %p %p %p\n", (void *)&data, (void *)&local, malloc(100), malloc(1 << 20),
         mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

static void *work(void *unused)
{
  pthread_mutex_lock(&lock);
  counter++;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *say(void *out)
{
  sprintf(out, "thread %d %p", gettid(), (void *)&out);
  return work(NULL);
}

int main(int count, char **word)
{
  (void)word;
  pthread_t thread[2];
  char said[2][64];
  identity();
  times_();
  chance();
  ports();
  names();
  addresses();
  pthread_create(&thread[0], NULL, say, said[0]);
  pthread_create(&thread[1], NULL, say, said[1]);
  pthread_mutex_lock(&lock);
  int seen = counter; /* which depends on the schedule */
  pthread_mutex_unlock(&lock);
  pthread_join(thread[0], NULL);
  pthread_join(thread[1], NULL);
  printf("%s, %s\n", said[0], said[1]);
  sleep(3);
  times_();
  chance();
  printf("end\n");
  fflush(stdout);
  assert(count == 1 || seen != 1);
  return 0;
}
C
check "the program compiles" "$heddle" cc -g -O1 -pthread told.c -o told

# Each execution as one line, each line once.
executions() { grep -vE 'heddle|execution|hash|no bug|output:|^$' | sed 's/^ *//' | awk '{ all = all (all == "" ? "" : "; ") $0 } /^end$/ { print all; all = "" }'; }

for reset in snapshot fork exec; do
  for seed in 1 2; do
    "$heddle" run -j$seed --runs 12 --seed $seed --reset $reset --files overlay --output all ./told 2>/dev/null | executions >"$reset.$seed"
  done
done
"$heddle" explore -j2 --max-executions 12 --output all ./told 2>/dev/null | executions >explore
(
  cd / && "$heddle" run -j1 --runs 3 --output all "$work/told" 2>/dev/null
) | executions >elsewhere

expect_status "it has a schedule with a bug" 1 "$heddle" check --time 20s --out found ./told -- bug
"$heddle" replay --times 3 found/told-1.hd >replayed 2>&1

least=$(cat snapshot.1 snapshot.2 fork.1 fork.2 exec.1 exec.2 | wc -l)
if [ "$least" -ge 50 ]; then ok "there were $least executions to compare"; else not_ok "there were $least executions to compare"; fi

cat snapshot.* fork.* exec.* explore | sort -u >all
if [ "$(wc -l <all)" -eq 1 ]; then
  ok "all executions were told the same, in every mode"
else
  cp all .output
  not_ok "all executions were told the same, in every mode" "$(wc -l <all) different ones"
fi

# In another folder only the names of files are others.
if [ -s elsewhere ] && cmp -s <(sort -u elsewhere | sed 's/file [^;]*; folder [^;]*;//; s/addresses [^;]*;//; s/thread .*; times/times/') <(sed 's/file [^;]*; folder [^;]*;//; s/addresses [^;]*;//; s/thread .*; times/times/' all); then
  ok "the same from another folder"
else
  cat elsewhere >.output
  not_ok "the same from another folder"
fi

# Where real things remain, with a client from outside, the kernel's numbers and clock are others in every execution; the
# program is told the same: fork() gives the same number, and waitpid() of it finds the child; time goes on from the same
# moment, by as much as the program sleeps.
cat >server.c <<'C'
#include <assert.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int server = socket(AF_INET, SOCK_STREAM, 0), yes = 1, status;
  setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  assert(bind(server, (struct sockaddr *)&address, sizeof address) == 0 && listen(server, 4) == 0);
  long began = (long)time(NULL);
  int client = accept(server, NULL, NULL);
  char byte;
  assert(read(client, &byte, 1) == 1);
  pid_t child = fork();
  if (!child)
    _exit(3);
  pid_t reaped = waitpid(child, &status, 0);
  sleep(10);
  printf("told %d %d %d %ld %ld\n", child, reaped, WEXITSTATUS(status), began, (long)time(NULL) - began);
  fflush(stdout);
  return 0;
}
C
port=$((20000 + $$ % 20000))
check "the server compiles" "$heddle" cc -g -O1 -pthread -DPORT=$port server.c -o server
for _ in 1 2; do
  "$heddle" run -j1 --runs 3 --output all --client "bash -c 'exec 3<>/dev/tcp/127.0.0.1/$port && printf x >&3 && sleep 0.05'" ./server 2>&1 |
    grep -o 'told.*' || echo nothing
done | sort >served
if [ "$(sort -u served | wc -l)" -eq 1 ] && grep -q '^told 4242425 4242425 3 2000000000 10$' served; then
  ok "with a client, too"
else
  cp served .output
  not_ok "with a client, too"
fi

if grep -q '^3 of 3 replays show the bug' replayed; then ok "what was found shows again with them"; else not_ok "what was found shows again with them"; fi
