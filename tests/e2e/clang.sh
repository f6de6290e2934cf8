#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# clang as heddle-clang and heddle-clang++; UBSan beside heddle, by both compilers, takes nothing from races or proofs;
# sanitizers whose work heddle does are refused with that reason.
. "$(dirname "$0")/lib.sh"
bin=$(dirname "$heddle")

cat >race.c <<'END'
#include <limits.h>
#include <pthread.h>
static int count, large = INT_MAX;
static void *add(void *one) { count += *(int *)one; return NULL; }
int main(int argc, char **argv)
{
  (void)argv;
  int one = 1;
  pthread_t thread;
  pthread_create(&thread, NULL, add, &one);
  count++;
  pthread_join(thread, NULL);
  if (argc > 1)
    large += argc;
  return 0;
}
END
cat >locked.c <<'END'
#include <pthread.h>
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *one)
{
  pthread_mutex_lock(&lock);
  count += *(int *)one;
  pthread_mutex_unlock(&lock);
  return NULL;
}
int main(void)
{
  int one = 1;
  pthread_t thread;
  pthread_create(&thread, NULL, add, &one);
  add(&one);
  pthread_join(thread, NULL);
  return count != 2;
}
END
cat >shape.cpp <<'END'
#include <thread>
struct shape { virtual ~shape() = default; virtual int sides() { return 0; } };
struct square : shape { int sides() override { return 4; } };
static int sum;
int main()
{
  shape *s = new square;
  std::thread thread([s] { sum += s->sides(); });
  sum += s->sides();
  thread.join();
  delete s;
}
END

expect_output "heddle-clang is clang" 'clang' "$bin/heddle-clang" --version
expect_output "heddle-clang++ is clang++" 'clang' "$bin/heddle-clang++" --version
expect_output "heddle-clang keeps another clang" 'called: clang-of-mine' env HEDDLE_CC="echo called: clang-of-mine" "$bin/heddle-clang" --version
expect_output "heddle-clang takes no gcc" 'clang' env HEDDLE_CC=gcc "$bin/heddle-clang" --version

for compiler in heddle-cc heddle-clang; do
  check "$compiler, UBSan: compiles" "$bin/$compiler" -g -fsanitize=undefined race.c -o race
  # Not pending at the same time: only clocks tell it.
  expect_output "$compiler, UBSan: a race by clocks" 'holding no lock' "$heddle" explore --races fail ./race
  expect_output "$compiler, UBSan: its message is shown" 'signed integer overflow' "$heddle" check --time 5s --max-executions 20 ./race -- x
  if grep -q 'heddle does not see' .output; then not_ok "$compiler, UBSan: no loss"; else ok "$compiler, UBSan: no loss"; fi
  "$bin/$compiler" -g -fsanitize=undefined locked.c -o locked
  expect_output "$compiler, UBSan: a proof" '\(complete\)' "$heddle" explore ./locked
  expect_status "$compiler, UBSan: runs without heddle" 0 ./race x
done
for compiler in heddle-c++ heddle-clang++; do
  check "$compiler, UBSan: compiles" "$bin/$compiler" -g -fsanitize=undefined shape.cpp -o shape
  expect_output "$compiler, UBSan: a race by clocks" 'data race on sum.*' "$heddle" check --time 5s ./shape
done

for name in address leak hwaddress; do
  expect_status "-fsanitize=$name is refused" 2 "$bin/heddle-clang" -fsanitize=$name locked.c -o never
  expect_output "-fsanitize=$name: who does it" "^heddle cc: -fsanitize=$name is not possible beside heddle, nor needed: heddle's own heap" \
    "$bin/heddle-clang" -fsanitize=$name locked.c -o never
done
expect_output "-fsanitize=memory is refused" '^heddle cc: -fsanitize=memory cannot work' "$bin/heddle-clang" -fsanitize=memory locked.c
