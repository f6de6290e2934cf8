#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Inline assembly (tests/assembly): what it does to memory is seen. Its locks are proven, their broken twins found, and the
# programs compute what they compute without heddle. What is not understood is said, with its place.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

complete='no bug in any interleaving \(complete\)'
compile() { "$heddle" cc -Wall -Wextra -Werror "$@"; }
same_shapes() { # OPTIONS...
  "$HEDDLE_CC" "$@" "$root/tests/assembly/shapes.c" -o plain && ./plain >wanted &&
    "$heddle" cc "$@" "$root/tests/assembly/shapes.c" -o shapes && ./shapes >got && diff wanted got
}

cat >unseen.c <<'EOF_C'
#include <pthread.h>
#include <stdio.h>
static char text[] = "text";
static long length(const char *s)
{
  long left = -1;
  __asm__ volatile("repne scasb" : "+D"(s), "+c"(left) : "a"(0) : "memory", "cc"); /* line 7 */
  return -left - 2;
}
static void *count(void *unused) { return length(text) == 4 ? unused : text; }
int main(int argc, char **argv)
{
  pthread_t thread;
  (void)argv;
  pthread_create(&thread, NULL, argc > 1 ? count : count, NULL);
  pthread_join(thread, NULL);
  return 0;
}
EOF_C
sed 's/argc > 1 ? count : count, NULL/argc > 1 ? count : none, NULL/; s/^int main/static void *none(void *unused) { return unused; }\n&/' \
  unseen.c >not_reached.c
cat >uses.c <<'EOF_C'
#include <pthread.h>
int n;
void increment(void);
static void *work(void *unused) { increment(); return unused; }
int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  increment();
  pthread_join(thread, NULL);
  return 0;
}
EOF_C
printf '.globl increment\n.type increment, @function\nincrement:\n\tincl n(%%rip)\n\tret\n.section .note.GNU-stack,"",@progbits\n' >increment.S
printf '__asm__(".globl increment\\n.type increment, @function\\nincrement:\\n\\tincl n(%%rip)\\n\\tret\\n");\n' >increment.c
printf 'void f(void) { __asm__ volatile("movl $1, %%eax\\n\\tnonsense (%%rax)"); }\n' >broken.c

for c in gcc clang; do
  export HEDDLE_CC=$c
  levels="-O0 -O2"
  [ $c = gcc ] || levels=-O1
  for level in $levels; do
    for lock in XCHG CMPXCHG TICKET LABELS BITS; do
      compile "$level" -DLOCK=$lock "$root/tests/assembly/locks.c" -o lock
      expect_output "$c $level: $lock is proven" "$complete: [2-6] executions" "$heddle" explore lock
    done
    for update in 1 2 3; do
      compile "$level" -DUPDATE=$update "$root/tests/assembly/updates.c" -o update
      expect_output "$c $level: update $update is lost" 'counter == 2' "$heddle" explore --quiet update
    done
    for update in 4 5 6; do
      compile "$level" -DUPDATE=$update "$root/tests/assembly/updates.c" -o update
      expect_output "$c $level: update $update is not" "$complete" "$heddle" explore update
    done
  done
  compile -O2 -DLOCK=QUEUE "$root/tests/assembly/locks.c" -o lock
  expect_output "$c: a queue of nodes on the stacks is proven" "$complete" "$heddle" explore lock
  compile -O1 -DLOCK=XCHG -DBROKEN "$root/tests/assembly/locks.c" -o lock
  expect_output "$c: without the lock" 'counter == 2' "$heddle" check lock
  for options in -O0 "-O2 -fPIC -fno-plt" "-O3 -no-pie -pipe" "-Os -fomit-frame-pointer -g0"; do
    # shellcheck disable=SC2086 # words
    check "$c $options: many shapes compute the same" same_shapes $options
    expect_status "$c $options: under heddle" 0 "$heddle" run --runs 2 shapes
  done
  compile unseen.c -o unseen
  expect_output "$c: what is unseen is no proof" 'not complete: .*assembly' "$heddle" explore --json unseen.json unseen
  check "$c: nor in JSON" grep -q '"assembly"' unseen.json
  expect_output "$c: its place" 'unseen.c:7: repne scasb' "$heddle" explore unseen
  compile -O1 not_reached.c -o not_reached
  expect_output "$c: what is not reached does not count" "$complete" "$heddle" explore not_reached
  "$heddle" cc uses.c increment.S -o uses
  expect_output "$c: a function in assembly" 'increment.S:4: incl' "$heddle" explore uses
  expect_output "$c: is no proof" 'not complete: .*assembly' "$heddle" explore uses
  "$heddle" cc uses.c increment.c -o uses
  expect_output "$c: outside of functions" 'increment.c.*: incl' "$heddle" explore uses
  "$heddle" cc -S -DUPDATE=2 "$root/tests/assembly/updates.c" -o update.s
  check "$c: -S is the compiler's own text" eval '! grep -q __heddle update.s'
  "$heddle" cc update.s -o update
  expect_output "$c: and can be assembled later" 'counter == 2' "$heddle" explore --quiet update
  expect_output "$c: an error of the assembler is told" 'nonsense' "$heddle" cc -c broken.c
done
unset HEDDLE_CC

# As many executions as the same lock of the language.
for rounds in 1 2; do
  for lock in XCHG C11; do
    compile -O2 -DROUNDS=$rounds -DLOCK=$lock "$root/tests/assembly/locks.c" -o lock
    "$heddle" explore lock | grep -Eo 'complete\): [0-9]+' >$lock.count
  done
  check "$rounds rounds: as many classes as by the language" diff XCHG.count C11.count
done
