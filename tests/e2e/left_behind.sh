#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Nothing of a tested program is left: not in the file system, not as a process, not as shared memory, a queue, a
# semaphore or a port, neither after commands that come to their end nor when heddle is killed in the middle of executions
# with several processes.
. "$(dirname "$0")/lib.sh"

cat >parties.c <<'C'
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void *look(void *number)
{
  return __atomic_add_fetch((int *)number, 1, __ATOMIC_SEQ_CST) ? NULL : number;
}

static void serve(int port)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "door"};
  int server = socket(AF_INET, SOCK_STREAM, 0), local = socket(AF_UNIX, SOCK_STREAM, 0);
  assert(bind(server, (struct sockaddr *)&address, sizeof address) == 0 && listen(server, 2) == 0);
  assert(bind(local, (struct sockaddr *)&name, sizeof name) == 0 && listen(local, 2) == 0);
  if (!fork()) {
    int client = socket(AF_INET, SOCK_STREAM, 0);
    assert(connect(client, (struct sockaddr *)&address, sizeof address) == 0 && write(client, "x", 1) == 1);
    _exit(0);
  }
  char byte;
  int connection = accept(server, NULL, NULL);
  assert(read(connection, &byte, 1) == 1);
}

static void share(void)
{
  int memory = shm_open("/heddle-left-behind", O_CREAT | O_EXCL | O_RDWR, 0600);
  assert(memory >= 0 && ftruncate(memory, 4096) == 0);
  int *counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  int segment = shmget(4711, 4096, IPC_CREAT | IPC_EXCL | 0600), set = semget(4711, 1, IPC_CREAT | IPC_EXCL | 0600);
  int messages = msgget(4711, IPC_CREAT | IPC_EXCL | 0600);
  assert(segment >= 0 && set >= 0 && messages >= 0 && shmat(segment, NULL, 0) != (void *)-1);
  sem_t *door = sem_open("/heddle-left-behind", O_CREAT | O_EXCL, 0600, 0);
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
  mqd_t queue = mq_open("/heddle-left-behind", O_CREAT | O_EXCL | O_RDWR, 0600, &attributes);
  assert(door != SEM_FAILED && queue != (mqd_t)-1);
  if (!fork()) {
    char text[8];
    sem_wait(door);
    assert(mq_receive(queue, text, sizeof text, NULL) == 1);
    __atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST);
    _exit(0);
  }
  assert(mq_send(queue, "x", 1, 0) == 0 && sem_post(door) == 0);
  __atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST);
}

int main(void)
{
  int number = 0, kept = open("kept", O_WRONLY | O_APPEND);
  pthread_t thread;
  assert(kept >= 0 && write(kept, "y", 1) == 1);
  assert(mkfifo("way", 0600) == 0 && mkdir("made", 0700) == 0 && symlink("kept", "link") == 0 && unlink("gone") == 0);
  share();
  serve(PORT);
  pthread_create(&thread, NULL, look, &number);
  look(&number);
  pthread_join(thread, NULL);
  if (!fork()) {
    execl("/bin/sleep", "sleep", "0.001", NULL);
    _exit(1);
  }
  while (wait(NULL) > 0)
    ;
  return 0;
}
C
port=$((30000 + $$ % 20000))
check "the program compiles" "$heddle" cc -g -O1 -pthread "-DPORT=$port" parties.c -o parties

mkdir folder
(
  cd folder || exit 1
  echo abc >kept
  echo gone >gone
)

# All that there is to see of what a program could leave.
picture() {
  (cd folder && find . -path ./heddle-out -prune -o -printf '%p %y %m %U %G %s %T@ %n %l\n' -type f -exec sha256sum {} + | sort)
  find /dev/shm /dev/mqueue -name '*heddle*' 2>/dev/null | sort
  awk 'FNR > 1 && $1 == 4711' /proc/sysvipc/shm /proc/sysvipc/sem /proc/sysvipc/msg 2>/dev/null
  awk -v port="$(printf ':%04X' "$port")" 'index($2, port) || index($3, port)' /proc/net/tcp /proc/net/unix 2>/dev/null
}

# Whoever was started by a command of ours, however it is called by now. Those that have ended have no environment.
tested=(env "LEFT_BEHIND=$$" "$heddle")
processes() { grep -lsz "^LEFT_BEHIND=$$\$" /proc/[0-9]*/environ; }

picture >before
same() {
  picture >after
  if cmp -s before after; then
    ok "$1"
  else
    diff before after >.output
    not_ok "$1" "something is another"
  fi
}

nobody() {
  local tries
  for tries in $(seq 200); do
    [ -n "$(processes)" ] || break
    sleep 0.3
  done
  processes >.output
  if [ -s .output ]; then not_ok "$1" "processes after $tries looks"; else ok "$1"; fi
}

cd folder || exit 1
expect_status "the program ends well" 0 "${tested[@]}" run -j2 --runs 20 ../parties
for reset in fork exec; do
  expect_status "the program ends well: $reset" 0 "${tested[@]}" run -j2 --runs 5 --reset $reset ../parties
done
cd ..
same "nothing is left after runs"
nobody "no process is left after runs"

for reset in snapshot fork exec; do
  for after in 0.4 0.9; do
    cd folder || exit 1
    "${tested[@]}" run -j2 --runs 1000000 --reset $reset ../parties >/dev/null 2>&1 &
    victim=$!
    cd ..
    for _ in $(seq 200); do [ -n "$(processes)" ] && break || sleep 0.1; done
    sleep $after
    if [ -n "$(processes)" ]; then ok "$reset: it runs when it is killed"; else not_ok "$reset: it runs when it is killed"; fi
    kill -9 $victim
    wait $victim 2>/dev/null
    nobody "$reset, killed after $after s: no process is left"
    same "$reset, killed after $after s: nothing else is left"
  done
done

# A command with several programs.
cd folder || exit 1
"${tested[@]}" run -j1 --runs 1000000 -- sh -c "while :; do echo y; done | head -n 3 | cat >out; sleep 0.1" >/dev/null 2>&1 &
victim=$!
cd ..
sleep 1
kill -9 $victim
wait $victim 2>/dev/null
nobody "a pipeline, killed: no process is left"
same "a pipeline, killed: nothing else is left"
