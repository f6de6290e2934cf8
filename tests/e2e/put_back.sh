#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What an execution leaves behind is not there in the next, also where only few executions write to a page, or a thread to
# its thread-local memory; and the program ends as it does without heddle: destructors of modules in the same order,
# once in every execution, whether it is the program alone that has some, a library of it or one that it loads.
. "$(dirname "$0")/lib.sh"

cat >pages.c <<'C'
#include <assert.h>
#include <pthread.h>
#define PAGES 24
static struct {
  _Alignas(4096) int value[1024];
} page[PAGES];
static _Thread_local int local[3000] = {1};
static int first, turns;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg)
{
  int me = (int)(long)arg;
  assert(local[0] == 1 && local[2999] == 0 && local[1500] == 0);
  pthread_mutex_lock(&lock);
  if (!turns++)
    first = me;
  if (me != 3 && first == 3) { /* a few of all executions write here: all three came late, in this order */
    page[turns].value[7] = me;
    local[turns * 1000 - 1]++;
  }
  page[8 * turns - 1].value[me] += me;
  pthread_mutex_unlock(&lock);
  return arg;
}
int main(void)
{
  pthread_t t[3];
  for (int i = 0; i < PAGES; i++)
    for (int j = 0; j < 16; j++)
      assert(!page[i].value[j]);
  for (long i = 0; i < 3; i++)
    pthread_create(&t[i], 0, worker, (void *)(i + 1));
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], 0);
  return 0;
}
C
cat >ends.c <<'C'
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static char said[64];
static int length;
void say(char c)
{
  said[length++] = c;
}
static void when_all_is_over(void)
{
  say('1');
  write(1, said, (size_t)length);
  write(1, "\n", 1);
}
__attribute__((destructor(101))) static void last(void)
{
  when_all_is_over();
}
__attribute__((destructor(202))) static void before(void)
{
  say('2');
}
__attribute__((destructor)) static void earliest(void)
{
  say('3');
}
static void at_exit(void)
{
  say('a');
}
static int shared;
static void *worker(void *arg)
{
  __atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST);
  return arg;
}
#ifdef LIBRARY
void used(void);
#endif
int main(int argc, char **argv)
{
  pthread_t t;
  assert(!length);
  atexit(at_exit);
  pthread_create(&t, 0, worker, 0);
  __atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST);
  if (argc > 1) {
    void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    assert(plugin);
  }
#ifdef LIBRARY
  used();
#endif
  pthread_join(t, 0);
  return 0;
}
C
cat >library.c <<'C'
#include <unistd.h>
static int gone;
void used(void) {}
__attribute__((destructor)) static void leave(void)
{
  write(1, gone++ ? "again..\n" : "library\n", 8);
}
C

"$heddle" cc -g -O1 pages.c -o pages || not_ok "pages.c is compiled"
for reset in snapshot fork; do
  runs=6000
  [ $reset = fork ] && runs=200
  run "$heddle" run -j 1 --reset $reset --runs $runs ./pages
  if [ "$status" -eq 0 ] && [[ $output == *"no bug"* ]]; then ok "memory is put back, $reset"; else not_ok "memory is put back, $reset" "status $status"; fi
done
run "$heddle" run -j 1 --reset snapshot --runs 6000 --strategy pct ./pages
if [ "$status" -eq 0 ]; then ok "memory is put back, pct"; else not_ok "memory is put back, pct" "status $status"; fi

# ends NAME PROGRAM [ARGUMENT]: it says the same in every execution as it does natively.
ends() {
  local name=$1 native said reset all times
  shift
  native=$("./$1" "${@:2}")
  [ -n "$native" ] || not_ok "$name" "it says nothing"
  for reset in snapshot fork exec; do
    said=$("$heddle" run -j 1 --reset $reset --runs 100 --output all "./$1" -- "${@:2}" 2>&1 | sed -n 's/^    //p')
    times=$(($(wc -l <<<"$said") / $(wc -l <<<"$native")))
    all=$(for _ in $(seq "$times"); do echo "$native"; done)
    if [ "$times" -gt 1 ] && [ "$said" = "$all" ]; then ok "$name, $reset"; else not_ok "$name, $reset" "$(uniq -c <<<"$said" | head -n 4) instead of $native"; fi
  done
}
"$heddle" cc -g -shared -fPIC library.c -o library.so || not_ok "library.c is compiled"
"$heddle" cc -g ends.c -o alone || not_ok "ends.c is compiled"
"$heddle" cc -g -rdynamic -DLIBRARY ends.c ./library.so -o both || not_ok "ends.c is compiled with a library"
ends "destructors of the program" alone
ends "destructors of the program and a library" both
ends "destructors of the program and a library that it loads" alone ./library.so
