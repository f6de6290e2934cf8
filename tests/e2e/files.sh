#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# --files: what a program does to files is kept apart, for one execution. Nothing of the folder is another after any
# command, nothing is left when heddle is killed, two executions never see each other's files; --files real changes the
# files themselves. What is found either way says so, and is replayed.
. "$(dirname "$0")/lib.sh"

cat >busy.c <<'C'
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
static void *append(void *unused)
{
  FILE *f = fopen("kept.log", "a");
  fprintf(f, "line\n");
  fclose(f);
  return unused;
}
int main(int count, char **word)
{
  pthread_t t;
  char name[] = "/tmp/heddle-busy-XXXXXX";
  struct stat s;
  (void)word;
  int fd = mkstemp(name);
  assert(fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0);
  assert(mkdir("made", 0700) == 0);          /* never there before */
  assert(stat("kept.log", &s) == 0 && s.st_size == 4);
  assert(rename("old", "made/new") == 0 && access("old", F_OK) == -1);
  assert(chmod("kept.log", 0600) == 0 && symlink("kept.log", "link") == 0 && unlink("gone") == 0);
  FILE *temporary = tmpfile();
  assert(temporary && fputs("text", temporary) >= 0);
  fclose(temporary);
  pthread_create(&t, NULL, append, NULL);
  append(NULL);
  pthread_join(t, NULL);
  assert(stat("link", &s) == 0 && s.st_size == 14);
  if (count > 1)
    pause();
  return 0;
}
C
cat >race.c <<'C'
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static void *make(void *unused)
{
  int fd = open("claim", O_CREAT | O_EXCL | O_WRONLY, 0600);
  assert(fd >= 0);
  close(fd);
  unlink("claim");
  return unused;
}
int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, make, NULL);
  make(NULL);
  pthread_join(t, NULL);
}
C
for name in busy race; do
  check "$name.c compiles" "$heddle" cc -g -O1 -pthread "$name.c" -o "$name"
done
check "the program of an edge compiles" "$heddle" cc -g -O1 -pthread "$root/tests/edges/input_earlier_file.c" -o earlier

mkdir folder
(
  cd folder || exit 1
  echo abc >kept.log
  echo old >old
  echo gone >gone
)

# picture: all that is to be seen of the folder, and what the program leaves elsewhere
picture() {
  (cd folder && find . -path ./heddle-out -prune -o -printf '%p %y %m %U %G %s %T@ %n %l\n' -type f -exec sha256sum {} + | sort)
  find /tmp -maxdepth 1 -name 'heddle-busy-*' 2>/dev/null | sort
}
picture >before

# untouched NAME STATUS COMMAND...: in the folder, which stays as it is
untouched() {
  local name=$1 wanted=$2
  shift 2
  cd folder || exit 1
  run "$@"
  cd ..
  picture >after
  if [ "$status" -ne "$wanted" ]; then
    not_ok "$name" "status $status, not $wanted"
  elif ! cmp -s before after; then
    diff before after >.output
    not_ok "$name" "the folder is another"
  else
    ok "$name"
  fi
}

untouched "check changes nothing" 0 "$heddle" check --time 3s --max-executions 300 ../busy
for reset in snapshot fork exec; do
  untouched "run changes nothing: $reset" 0 "$heddle" run -j2 --runs 20 --reset $reset ../busy
done
untouched "explore changes nothing" 0 "$heddle" explore --time 20s ../busy
if grep -q 'complete' <<<"$output" && ! grep -q 'changes files' <<<"$output"; then
  ok "that it changes files is no loss"
else
  not_ok "that it changes files is no loss"
fi
untouched "record changes nothing" 0 "$heddle" record -o ../busy.trace ../busy
run "$heddle" run -j1 --runs 50 race
if grep -q 'reset by snapshot' <<<"$output"; then ok "executions are put back in place"; else not_ok "executions are put back in place"; fi

# Killed in the middle of executions that have files.
cd folder || exit 1
"$heddle" run -j2 --runs 1000000 ../busy >/dev/null 2>&1 &
victim=$!
sleep 1
kill -9 $victim
wait $victim 2>/dev/null
cd ..
for _ in $(seq 100); do # who is left of it ends by itself
  sleep 0.3
  picture >after
  if cmp -s before after; then break; fi
done
if cmp -s before after; then ok "nothing is left after kill -9"; else not_ok "nothing is left after kill -9"; fi

# ---- what is found ----

expect_status "a race in files is found" 1 "$heddle" check --time 20s --out found ./race
check "it is replayed" test -f found/race-1.hd
if grep -q '^files ' found/race-1.hd; then not_ok "a schedule says nothing of the overlay"; else ok "a schedule says nothing of the overlay"; fi
expect_status "replay shows it again" 1 "$heddle" replay found/race-1.hd
if grep -q 'openat(claim)' <<<"$output"; then ok "a story names the file"; else not_ok "a story names the file"; fi
if [ ! -e claim ]; then ok "the file is not there"; else not_ok "the file is not there"; fi

# ---- the files themselves ----

"$heddle" run -j1 --runs 5 ./earlier >/dev/null
expect_status "every run of a program is its first" 0 "$heddle" run -j1 --runs 5 ./earlier
"$heddle" run -j1 --runs 5 --files real ./earlier >/dev/null 2>&1
expect_status "with --files real a run finds what the last one left" 1 "$heddle" run -j1 --runs 5 --files real --out real ./earlier
if [ -e first.run ]; then ok "the file is there"; else not_ok "the file is there"; fi
if grep -q '^files *real' real/*.hd; then ok "its schedule says so"; else not_ok "its schedule says so"; fi
expect_status "replay follows it with the files themselves" 1 "$heddle" replay real/earlier-1.hd
rm -f first.run
run "$heddle" explore -j1 --files real ./earlier
if grep -q 'complete' <<<"$output" && ! grep -q '(complete)' <<<"$output"; then
  ok "with --files real nothing is proved"
else
  not_ok "with --files real nothing is proved"
fi
rm -f first.run

cat >both.c <<'C'
#include <assert.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
  pid_t child = fork();
  int fd = open(child ? "one" : "other", O_CREAT | O_WRONLY, 0600);
  assert(fd >= 0 && write(fd, "x", 1) == 1);
  if (!child)
    _exit(0);
  assert(wait(NULL) == child);
  return 0;
}
C
check "two processes that write compile" "$heddle" cc -g -O1 both.c -o both
expect_status "two processes write, with --files real" 0 timeout 200 "$heddle" run -j2 --runs 4 --files real ./both

# ---- one search is not the other ----

expect_status "a checkpoint is written" 0 "$heddle" explore -j1 --checkpoint search ./earlier
rm -f first.run
run "$heddle" explore -j1 --resume search --files real ./earlier
if [ "$status" -ne 0 ] && [ "$status" -ne 1 ] && [ ! -e first.run ]; then
  ok "it does not go on with other files"
else
  not_ok "it does not go on with other files" "status $status"
fi
