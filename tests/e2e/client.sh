#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# --client: a server gets a real client, which runs uncontrolled; what follows its coming is tried, and nothing is called
# complete.

. "$(dirname "$0")/lib.sh"

# An echo server. -DUNIX: at a Unix socket, else on loopback; -DEPOLL: waits in epoll, with a timeout; -DBUG: its workers
# lose an update; -DABBA: they take two locks in either order; -DENDS: after two clients.
cat >server.c <<'EOF'
#include <arpa/inet.h>
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int served;

static void count(int worker)
{
#if defined BUG
  pthread_mutex_lock(&lock);
  int before = served;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  assert(served == before);
  served = before + 1;
  pthread_mutex_unlock(&lock);
#elif defined ABBA
  pthread_mutex_lock(worker ? &lock : &other);
  pthread_mutex_lock(worker ? &other : &lock);
  served++;
  pthread_mutex_unlock(&other);
  pthread_mutex_unlock(&lock);
#else
  pthread_mutex_lock(&lock);
  served++;
  pthread_mutex_unlock(&lock);
#endif
  (void)worker, (void)other;
}

static int connection[8];

static void *serve(void *number)
{
  int worker = (int)(long)number, fd = connection[worker];
  char c;
  while (read(fd, &c, 1) == 1) {
    count(worker);
    if (write(fd, &c, 1) != 1)
      break;
  }
  close(fd);
  return NULL;
}

static int listening(void)
{
#ifdef UNIX
  struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "server.socket"};
  unlink(a.sun_path);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
#else
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
#endif
  assert(bind(fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 8) == 0);
  return fd;
}

static void wait_for_client(int fd)
{
#ifdef EPOLL
  struct epoll_event e = {.events = EPOLLIN};
  static int set;
  if (!set) {
    set = epoll_create1(0);
    epoll_ctl(set, EPOLL_CTL_ADD, fd, &e);
  }
  while (epoll_wait(set, &e, 1, 1000) < 1)
    ;
#else
  (void)fd;
#endif
}

int main(void)
{
  int fd = listening();
  pthread_t worker[8];
  for (long i = 0; i < 8; i++) {
#ifdef ENDS
    if (i == 2) {
      pthread_join(worker[0], NULL);
      pthread_join(worker[1], NULL);
      return 0;
    }
#endif
    wait_for_client(fd);
    connection[i] = accept(fd, NULL, NULL);
    assert(connection[i] >= 0);
    pthread_create(&worker[i], NULL, serve, (void *)i);
  }
  return 0;
}
EOF

# client N: N connections at a time; each sends a byte and waits for it.
cat >client.c <<'EOF'
#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  int fd[8], n = argc > 1 ? atoi(argv[1]) : 1;
  char c = 'x';
#ifdef UNIX
  struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "server.socket"};
#else
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
#endif
  for (int i = 0; i < n; i++) {
    fd[i] = socket(a.
#ifdef UNIX
                   sun_family,
#else
                   sin_family,
#endif
                   SOCK_STREAM, 0);
    if (connect(fd[i], (struct sockaddr *)&a, sizeof a) || write(fd[i], &c, 1) != 1)
      return 1;
  }
  for (int i = 0; i < n; i++)
    if (read(fd[i], &c, 1) != 1)
      return 1;
  return 0;
}
EOF

port=$((20000 + $$ % 20000))
build() { "$heddle" cc -g -O1 -pthread -DPORT=$port "$@" server.c; }
build -o tcp
build -o epoll -DEPOLL
build -o ends -DENDS -DUNIX
build -o unix -DUNIX
build -o bug -DBUG -DUNIX
build -o tcpbug -DBUG
build -o abba -DABBA
build -o slowabba -DABBA -DUNIX
cc -O1 -DPORT=$port client.c -o client
cc -O1 -DUNIX client.c -o unix-client

# expect NAME STATUS REGEX COMMAND...
expect() {
  local name=$1 wanted=$2 regex=$3
  shift 3
  run timeout 300 "$@"
  if [ "$status" -ne "$wanted" ]; then
    not_ok "$name" "status $status, not $wanted"
  elif ! grep -Eq -- "$regex" "$work/.output"; then
    not_ok "$name" "no line matches $regex"
  else
    ok "$name"
  fi
}

# ---- without one, nothing is tried ----

expect 'without a client, a server waits for the outside' 3 'waits for input from outside the program \(accept' \
  "$heddle" check --time 2s unix

# ---- clients that are served ----

uncontrolled='^no bug found.*not complete:.*its client ran uncontrolled'
expect 'check: on loopback' 0 "$uncontrolled" "$heddle" check --time 3s --client './client 2' tcp
for reset in snapshot fork exec; do
  expect "run: on loopback, reset by $reset" 0 "$uncontrolled" \
    "$heddle" run --runs 3 --reset $reset --client './client 2' tcp
done
expect 'run: a Unix socket' 0 "$uncontrolled" "$heddle" run --runs 3 --client './unix-client 2' unix
expect 'run: epoll with a timeout' 0 "$uncontrolled" "$heddle" run --runs 3 --client './client 1' epoll
expect 'run: a server that ends' 0 "$uncontrolled" "$heddle" run --runs 3 --client './unix-client 2' ends
run "$heddle" run --runs 2 --json run.json --client './unix-client 1' unix
if grep -q '"client"' run.json && grep -Eq '"complete": *false' run.json; then
  ok 'JSON: not complete, and why'
else
  not_ok 'JSON: not complete, and why'
fi
run timeout 300 "$heddle" explore --time 5s --client './unix-client 1' unix
if grep -q 'complete:' "$work/.output" && ! grep -q 'not complete' "$work/.output"; then
  not_ok 'explore: never complete'
else
  ok 'explore: never complete'
fi

# ---- bugs that only a client brings about ----

expect 'a bug between two workers' 1 'assertion failed: served == before' \
  "$heddle" check --time 20s --client './unix-client 2' bug
replay=$(sed -n 's/^  replay   heddle //p' .output)
case $replay in
  "replay --client './unix-client 2' "*) ok 'its replay is told with the client' ;;
  *) not_ok 'its replay is told with the client' "$replay" ;;
esac
file=${replay##* }
expect 'it shows again with the client' 1 'the bug shows again' \
  "$heddle" replay --client './unix-client 2' "$file"
expect 'without the client its replay proves nothing' 3 'waits for input from outside the program' \
  "$heddle" replay "$file"
expect 'the same on loopback' 1 'assertion failed: served == before' \
  "$heddle" check --time 20s --client './client 2' tcpbug
expect 'a deadlock of two workers, while main waits for more clients' 1 'deadlock' \
  "$heddle" check --time 20s --client './client 2' abba
# The first clients come one after the other: there is nothing to decide, which says nothing about the later ones.
expect 'clients that come together only later' 1 'deadlock' \
  "$heddle" check --time 20s --client \
  'echo >>times; if [ "$(wc -l <times)" -le 6 ]; then ./unix-client 1; sleep 0.1; ./unix-client 1; else ./unix-client 2; fi' slowabba

# ---- clients that do not do their part ----

expect 'a command that does not exist' 3 'its client was not started: the shell does not find the command' \
  "$heddle" check --time 10s --client ./no-such-client unix
expect 'a client that never comes' 3 'its client ended with status 0 and never came' \
  "$heddle" check --time 10s --client true unix
expect 'a client that only waits' 3 'its client runs, but did nothing about it for 1 s \(see --grace\)' \
  "$heddle" check --time 10s --grace 1s --client 'echo $$ >pid; sleep 1000 & wait' unix
if kill -0 -- "-$(cat pid)" 2>/dev/null; then not_ok 'it is ended, with all it started'; else ok 'it is ended, with all it started'; fi
expect 'the time is up while it waits' 3 'no execution came to its end' \
  "$heddle" check --time 1s --client 'sleep 1000' unix
expect 'a program that waits for nobody' 0 'the client was not started' \
  "$heddle" run --runs 1 --client ./unix-client /bin/true
expect 'several processes at a time are refused' 2 'one process at a time' \
  "$heddle" check -j 2 --client ./unix-client unix
