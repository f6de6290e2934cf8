#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Objects without hooks in a program that has some: however they come in, they are named in the verdict, and no search of the
# program is complete. What needs no hooks does not count, and the linker speaks as it would without heddle.
. "$(dirname "$0")/lib.sh"

cat >counter.c <<'END'
static int counter;
void add(void) { counter++; }
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
#include <dlfcn.h>
#include <pthread.h>
static void (*add)(void);
static void *worker(void *arg) { if (add) add(); return arg; }
int main(int argc, char **argv)
{
  void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
  if (!plugin)
    return 0;
  add = (void (*)(void))dlsym(plugin, "add");
  pthread_t a;
  pthread_create(&a, 0, worker, 0);
  worker(0);
  pthread_join(a, 0);
  dlclose(plugin);
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
cat >written.S <<'END'
  .globl add, total
add: incl count(%rip)
  ret
total: movl count(%rip), %eax
  ret
  .local count
  .comm count,4,4
  .section .note.GNU-stack,"",@progbits
END

# is_complete NAME PROGRAM
is_complete() {
  local name=$1
  shift
  run "$heddle" explore --json result.json "$@"
  if [[ $status -eq 0 && $output == *"no bug in any interleaving (complete)"* ]] && ! grep -q unseen_modules result.json; then
    ok "$name"
  else
    not_ok "$name" "status $status"
  fi
}

# is_unseen NAME PART PROGRAM [-- ARGUMENTS]: not complete, and the part is named
is_unseen() {
  local name=$1 part=$2
  shift 2
  run "$heddle" explore --json result.json "$@"
  if [[ $output == *"not complete"*"($part)"* && $output != *"(complete)"* ]] && grep -q '"complete": false' result.json &&
    python3 -c 'import json, sys; sys.exit(json.load(open("result.json"))["unseen_modules"] != [sys.argv[1]])' "$part"; then
    ok "$name"
  else
    not_ok "$name"
  fi
}

# mixed NAME PART ARGUMENTS...: the program with these is no proof, because of the part
mixed() {
  local name=$1 part=$2
  shift 2
  rm -f mixed
  "$heddle" cc -g linked.c "$@" -o mixed && is_unseen "$name" "$part" ./mixed
}

# ---- what counts ----

gcc -g -c counter.c -o counter.o
ar rcs libcounter.a counter.o
mkdir thin && gcc -g -c counter.c -o thin/counter.o && (cd thin && ar rcsT libthin.a counter.o)
gcc -flto -c counter.c -o late.o
gcc -c written.S -o written.o
gcc -g -c counter.c -o a_name_longer_than_fifteen.o
ar rcs liblong.a a_name_longer_than_fifteen.o

mixed "an object is named" counter.o counter.o
mixed "a member of an archive is named" "libcounter.a(counter.o)" libcounter.a
mixed "a member of a library that is searched for is named" "libcounter.a(counter.o)" -L. -lcounter
mixed "a member with a long name is named" "liblong.a(a_name_longer_than_fifteen.o)" liblong.a
mixed "a member of a thin archive is named" counter.o thin/libthin.a
mixed "an object that somebody else assembled is named" written.o written.o
mixed "unused code is thrown away, notes are not" counter.o -Wl,--gc-sections -ffunction-sections counter.o
mixed "a program without symbols tells" counter.o -s -no-pie counter.o
echo "counter.o -lm" >words
mixed "an object in a file of arguments is named" counter.o @words
for linker in bfd gold lld mold; do
  command -v ld.$linker >/dev/null || continue
  mixed "ld.$linker tells of objects" counter.o -fuse-ld=$linker counter.o
  mixed "ld.$linker tells of members" "libcounter.a(counter.o)" -fuse-ld=$linker libcounter.a
done
if command -v clang >/dev/null; then
  HEDDLE_CC=clang mixed "clang's link tells of objects" counter.o counter.o
  HEDDLE_CC=clang mixed "clang's link tells of members" "libcounter.a(counter.o)" libcounter.a
fi
"$heddle" cc -g -c linked.c -o hooked.o
"$heddle" cc -r hooked.o counter.o -o both.o && "$heddle" cc both.o -o mixed
is_unseen "an object in an object is named" counter.o ./mixed
expect_output "check names an object" 'memory accesses .*not seen.*counter\.o|counter\.o.*not seen' "$heddle" check --time 5s ./mixed
"$heddle" cc hooked.o late.o -o mixed && is_unseen "an object that the linker compiles is named" late.o ./mixed
gcc -S counter.c -o compiled.s && "$heddle" cc -c compiled.s -o compiled.o
mixed "what a compiler made without hooks is named" compiled.o compiled.o

mkdir part
"$heddle" cc -g -fPIC -c quiet.c -o part/quiet.o -Dmain=quiet
gcc -g -fPIC -c counter.c -o part/counter.o
"$heddle" cc -shared part/quiet.o part/counter.o -o part/libcounter.so
"$heddle" cc -g linked.c -Lpart -lcounter -Wl,-rpath,"$work/part" -o linked
is_unseen "an object in a library with hooks is named" counter.o ./linked
"$heddle" cc -g plugin.c -ldl -o plugin
is_unseen "an object in a plugin is named" counter.o ./plugin -- "$work/part/libcounter.so"

# ---- what does not count ----

echo 'int sum(int a, int b) { return a + b; } int twice(int a) { return sum(a, a); }' >sum.c
gcc -O0 -c sum.c -o sum.o
gcc -c -x c - -o data.o <<<'int table[4] = {1, 2, 3};'
ar rcs libboth.a counter.o sum.o data.o
"$heddle" cc -g quiet.c sum.o data.o libboth.a -o unmixed
is_complete "objects that access no memory of others and members that are not linked do not count" ./unmixed
"$heddle" cc -g linked.c written.S -o mixed
run "$heddle" explore ./mixed
if [[ $output == *"written.S:2: incl"* && $output != *"(written"* && $output != *"(complete)"* ]]; then
  ok "assembly that heddle cc assembled is told of once"
else
  not_ok "assembly that heddle cc assembled is told of once"
fi
echo 'int three(int a) { return 3 * a; }' >three.c
"$heddle" cc -S three.c -o three.s && "$heddle" cc -g quiet.c three.s -o unmixed
is_complete "what heddle cc compiled to assembly does not count" ./unmixed
"$heddle" c++ -x c++ -g quiet.c -static-libgcc -static-libstdc++ -o unmixed
is_complete "static libraries of the compiler do not count" ./unmixed

# ---- what the linker says ----

expect_output "a trace that was asked for is told" 'counter\.o' "$heddle" cc -g linked.c counter.o -Wl,-t -o mixed
expect_output "a map that was asked for is told" 'Linker script and memory map' "$heddle" cc -g linked.c counter.o -Wl,-M -o mixed
run "$heddle" cc -g linked.c -o missing
if [ "$(grep -c "reference to .total." <<<"$output")" = 1 ]; then ok "what is missing is told once"; else not_ok "what is missing is told once"; fi
run "$heddle" cc -g linked.c counter.o -o mixed
if [ -z "$output" ]; then ok "otherwise it is silent"; else not_ok "otherwise it is silent"; fi
expect_output "a question about the linker is answered" 'GNU ld|LLD|gold|mold' "$heddle" cc -Wl,--version
