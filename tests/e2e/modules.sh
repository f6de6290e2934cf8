#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Which modules have memory hooks: told from the program however it was linked, and named in the verdict where a library or a
# plugin has none. The counter of the library is lost in some native runs; without hooks in it heddle cannot see that, and
# must not call the search complete.
. "$(dirname "$0")/lib.sh"

cat >counter.c <<'END'
static int counter;
void add(void)
{
  int seen = counter;
  for (volatile int i = 0; i < 200000; i++)
    ;
  counter = seen + 1;
}
int total(void) { return counter; }
END
cat >linked.c <<'END'
#include <assert.h>
#include <pthread.h>
void add(void);
int total(void);
static void *worker(void *arg) { add(); return arg; }
int main(void)
{
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(total() == 2);
  return 0;
}
END
cat >plugin.c <<'END'
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
static void (*add)(void);
static void *worker(void *arg) { if (add) add(); return arg; }
int main(int argc, char **argv)
{
  (void)argc;
  void *plugin = dlopen(argv[1], RTLD_NOW);
  if (!plugin)
    return 0;
  add = (void (*)(void))dlsym(plugin, "add");
  int (*total)(void) = (int (*)(void))dlsym(plugin, "total");
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  int sum = total ? total() : 2;
  dlclose(plugin);
  assert(sum == 2);
  return 0;
}
END
cat >quiet.c <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *worker(void *arg) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); return arg; }
int main(void)
{
  pthread_t a;
  pthread_create(&a, 0, worker, 0);
  worker(0);
  pthread_join(a, 0);
  return 0;
}
END

# is_complete NAME PROGRAM [-- ARGUMENTS]: in words and in JSON, as an instrumented program
is_complete() {
  local name=$1
  shift
  run "$heddle" explore --json result.json "$@"
  if [[ $status -eq 0 && $output == *"no bug in any interleaving (complete)"* ]] && grep -q '"complete": true' result.json &&
    ! grep -q unseen_modules result.json; then ok "$name"; else not_ok "$name" "status $status"; fi
}

# is_unseen NAME MODULE PROGRAM [-- ARGUMENTS]: not complete, and the module is named
is_unseen() {
  local name=$1 module=$2
  shift 2
  run "$heddle" explore --json result.json "$@"
  if [[ $output == *"not complete"*"($module)"* && $output != *"(complete)"* ]] && grep -q '"complete": false' result.json &&
    python3 -c 'import json, sys; sys.exit(json.load(open("result.json"))["unseen_modules"] != [sys.argv[1]])' "$module"; then
    ok "$name"
  else
    not_ok "$name"
  fi
}

# ---- however it was linked ----

for options in -no-pie -Wl,--hash-style=sysv "-no-pie -Wl,--hash-style=sysv" "-no-pie -Wl,--hash-style=gnu" "-fno-plt" "-pie -Wl,-z,lazy"; do
  # shellcheck disable=SC2086 # several options
  "$heddle" cc -g $options quiet.c -o quiet && is_complete "hooks are found with $options" ./quiet
done

# ---- libraries ----

mkdir plain hooked
gcc -g -fPIC -shared counter.c -o plain/libcounter.so
"$heddle" cc -g -fPIC -shared -Wl,--hash-style=sysv counter.c -o hooked/libcounter.so
"$heddle" cc -g linked.c -Lplain -lcounter -lm -Wl,-rpath,"$work/plain" -o linked_plain
"$heddle" cc -g linked.c -Lhooked -lcounter -lm -Wl,-rpath,"$work/hooked" -o linked_hooked
is_unseen "a linked library without hooks is named" libcounter.so ./linked_plain
expect_output "check names it too" 'memory accesses .*not seen.*libcounter\.so|libcounter\.so.*not seen' \
  "$heddle" check --time 5s ./linked_plain
expect_status "the same library with hooks shows its bug" 1 "$heddle" explore ./linked_hooked

echo 'int unused;' | gcc -fPIC -shared -x c - -o plain/libunused.so
"$heddle" cc -g quiet.c -Wl,--no-as-needed -Lplain -lunused -Wl,-rpath,"$work/plain" -o quiet_unused
is_complete "a library that nobody calls does not count" ./quiet_unused
gcc -g linked.c -c -o linked.o
gcc -g linked.o -Lhooked -lcounter -Wl,-rpath,"$work/hooked" -o linked_bare
run "$heddle" explore --json result.json ./linked_bare
if [[ $output != *"(complete)"* ]]; then ok "a program without hooks is no proof because its library has some"; else
  not_ok "a program without hooks is no proof because its library has some"; fi

# ---- plugins ----

"$heddle" cc -g plugin.c -ldl -o plugin
is_unseen "a plugin without hooks is named, although it is gone at the end" libcounter.so ./plugin -- "$work/plain/libcounter.so"
run "$heddle" explore --json result.json ./plugin -- "$work/hooked/libcounter.so"
if [[ $output != *"were not built with heddle cc"* ]]; then ok "a plugin with hooks does not count"; else not_ok "a plugin with hooks does not count"; fi
is_complete "a plugin that is part of the C library does not count" ./plugin -- libanl.so.1

# ---- looking up functions past heddle ----

cat >starter.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
int start(pthread_t *thread, void *(*function)(void *))
{
  int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  *(void **)&next = dlsym(RTLD_NEXT, "pthread_create"); /* as allocators do */
  return next(thread, NULL, function, NULL);
}
C
cat >started.c <<'C'
#include <assert.h>
#include <pthread.h>
int start(pthread_t *thread, void *(*function)(void *));
static int n;
static void *set(void *unused)
{
  n = 1;
  return unused;
}
int main(void)
{
  pthread_t thread;
  assert(start(&thread, set) == 0);
  pthread_join(thread, NULL);
  assert(n == 1);
  return 0;
}
C
"$heddle" cc -g -fPIC -shared starter.c -o hooked/libstarter.so
"$heddle" cc -g started.c -Lhooked -lstarter -Wl,-rpath,"$work/hooked" -o started
is_complete "a library that asks for the next pthread_create gets heddle's" ./started

# The bug is real: some native run shows it.
for ((runs = 1; runs <= 2000; runs++)); do
  { timeout 60 ./linked_plain || break; } >/dev/null 2>&1
done
if [ $runs -le 2000 ]; then ok "the library's bug shows natively, in run $runs"; else not_ok "the library's bug shows natively"; fi
