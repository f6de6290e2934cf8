#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# --init: a command puts back before each execution what the program changes in files, so that all begin alike.

. "$(dirname "$0")/lib.sh"

# Adds a line to a file that must have one line before; -DBUG: in two threads that may both see it empty.
cat >ledger.c <<'EOF'
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *enter(void *unused)
{
  struct stat st;
  int fd = open("book", O_WRONLY | O_APPEND);
  assert(fd >= 0);
#ifndef BUG
  pthread_mutex_lock(&lock);
#endif
  fstat(fd, &st);
  if (st.st_size == 1)
    assert(write(fd, "2", 1) == 1);
#ifndef BUG
  pthread_mutex_unlock(&lock);
#endif
  close(fd);
  return unused;
}

int main(void)
{
  pthread_t thread;
  struct stat st;
  assert(stat("book", &st) == 0 && st.st_size == 1); /* not as an execution before left it */
  pthread_create(&thread, NULL, enter, NULL);
  enter(NULL);
  pthread_join(thread, NULL);
  stat("book", &st);
  assert(st.st_size == 2);
  return 0;
}
EOF
"$heddle" cc -g ledger.c -o ledger && "$heddle" cc -g -DBUG ledger.c -o ledger-bug

does() {
  local name=$1 wanted=$2 regex=$3
  shift 3
  run "$heddle" "$@" </dev/null
  if [ "$status" -ne "$wanted" ]; then
    not_ok "$name" "status $status, not $wanted"
  elif ! grep -Eaq -- "$regex" "$work/.output"; then
    not_ok "$name" "no line matches $regex"
  else
    ok "$name"
  fi
}

put='printf 1 > book'
printf 1 >book
does "without it, the second execution finds what the first one left" 1 'st_size == 1' run --runs 3 --no-page --files real ./ledger
does "each execution finds the same file" 0 'no bug found' run --runs 20 --init "$put" --no-page ./ledger
does "the search is complete" 0 '\(complete\)' explore --time 20s --init "$put" --no-page ./ledger
does "a bug is found and replayed" 1 'assertion failed: st.st_size == 2' check --time 10s --init "$put" ./ledger-bug
does "and shows again" 1 'the bug shows again' replay --init "$put" heddle-out/ledger-bug-1.hd
does "a command that fails" 3 'the command of --init failed \(status 4\)' run --runs 3 --init 'exit 4' ./ledger
does "two processes at a time" 2 '--init goes with one process at a time' run -j2 --runs 3 --init "$put" ./ledger
does "not in place" 2 '--init goes with' run --reset snapshot --runs 3 --init "$put" ./ledger
