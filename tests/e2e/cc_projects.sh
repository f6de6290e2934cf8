#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Whole projects built with CC="heddle cc": make with a static library, CMake, Meson, and the probes of a configure
# script. Each is built as its own documentation says, without a change for heddle.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

mkdir project "path with blanks"
cat >project/main.c <<'EOF'
#include "counter.h"
#include <pthread.h>
#include <stdio.h>
static void *work(void *unused)
{
  counter_add(21);
  return unused;
}
int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  counter_add(21);
  pthread_join(thread, NULL);
  printf("%d\n", counter_value());
  return 0;
}
EOF
cat >project/counter.c <<'EOF'
#include "counter.h"
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;
void counter_add(int n)
{
  pthread_mutex_lock(&lock);
  value += n;
  pthread_mutex_unlock(&lock);
}
int counter_value(void)
{
  return value;
}
EOF
cat >project/counter.h <<'EOF'
#ifdef __cplusplus
extern "C" {
#endif
void counter_add(int n);
int counter_value(void);
#ifdef __cplusplus
}
#endif
EOF
cat >project/main.cpp <<'EOF'
#include "counter.h"
#include <iostream>
#include <thread>
int main()
{
  std::thread thread([] { counter_add(21); });
  counter_add(21);
  thread.join();
  std::cout << counter_value() << std::endl;
}
EOF
cat >project/Makefile <<'EOF'
CFLAGS = -O2 -Wall -Werror
prog: main.o libcounter.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ main.o -L. -lcounter -lpthread
libcounter.a: counter.o
	$(AR) rcs $@ $<
EOF
cat >project/CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.16)
project(counter C CXX)
include(CheckCSourceCompiles)
include(CheckFunctionExists)
include(CheckCSourceRuns)
find_package(Threads REQUIRED)
check_function_exists(pthread_create HAVE_CREATE)
check_function_exists(no_such_function HAVE_NO_SUCH)
check_c_source_runs("int main(void) { return 0; }" RUNS)
if(NOT HAVE_CREATE OR HAVE_NO_SUCH OR NOT RUNS)
  message(FATAL_ERROR "the probes are wrong")
endif()
add_library(counter STATIC counter.c)
add_library(counter_shared SHARED counter.c)
add_executable(prog main.c)
target_link_libraries(prog PRIVATE counter Threads::Threads)
add_executable(prog_cpp main.cpp)
target_link_libraries(prog_cpp PRIVATE counter_shared Threads::Threads)
EOF
cat >project/meson.build <<'EOF'
project('counter', 'c', 'cpp')
cc = meson.get_compiler('c')
assert(cc.has_function('pthread_create') and not cc.has_function('no_such_function'))
assert(cc.sizeof('int') == 4)
assert(cc.has_header('heddle.h'))
assert(cc.has_argument('-Wall') and not cc.has_argument('-fno-such-flag'))
counter = static_library('counter', 'counter.c')
shared = shared_library('counter_shared', 'counter.c')
executable('prog', 'main.c', link_with: counter, dependencies: dependency('threads'))
executable('prog_cpp', 'main.cpp', link_with: shared, dependencies: dependency('threads'))
EOF
cat >project/configure <<'EOF'
#!/bin/sh
# The probes of a configure script made by autoconf.
set -e
say() { echo "checking $1... $2"; }
echo 'int main(void) { return 0; }' >conftest.c
$CC conftest.c && ./a.out && say "the default output name" a.out
$CC -o conftest conftest.c && ./conftest && say "whether it runs" yes
$CC -c conftest.c && [ -f conftest.o ] && say "suffix of object files" o
$CC -E conftest.c >/dev/null && say "the preprocessor" yes
$CC --version >/dev/null && $CC -v >/dev/null 2>&1 && say "its version" yes
printf '#ifndef __GNUC__\n choke me\n#endif\nint main(void) { return 0; }\n' >conftest.c
$CC -c conftest.c && say "for GNU C" yes
printf 'char pthread_create(); int main(void) { return pthread_create(); }\n' >conftest.c
$CC -w -o conftest conftest.c -lpthread && say "for pthread_create in -lpthread" yes
printf 'char no_such(); int main(void) { return no_such(); }\n' >conftest.c
if $CC -w -o conftest conftest.c 2>/dev/null; then exit 1; fi
say "for no_such" no
if $CC -Werror -fno-such-flag -c conftest.c 2>/dev/null; then exit 1; fi
say "whether it knows -fno-such-flag" no
$CC -print-prog-name=ld >/dev/null && say "for the linker" yes
$CC -Wl,--version -o conftest conftest.c 2>/dev/null | grep -q ld && say "whether the linker is GNU's" yes
EOF
chmod +x project/configure

in_copy() { # FOLDER COMMAND...: in a fresh copy of the project
  rm -rf "$1"
  cp -r project "$1"
  (cd "$1" && shift && "$@")
}
works() { # PROGRAM: instrumented in main and in the library, under libheddle.so, right without heddle
  [ "$("$1")" = 42 ] && [ "$(first_needed "$1")" = libheddle.so ] && nm "$1" | grep -q 'U __tsan_write4'
}
by_make() { make CC="$heddle cc" && works ./prog; }
by_cmake() {
  CC="$heddle cc" CXX="$heddle c++" cmake -S . -B out -DCMAKE_BUILD_TYPE=RelWithDebInfo "$@" &&
    cmake --build out && works out/prog && [ "$(out/prog_cpp)" = 42 ] && instrumented out/libcounter_shared.so
}
by_cmake_again() { by_cmake "$@" && touch CMakeLists.txt && cmake --build out && works out/prog; }
by_meson() {
  CC="$heddle cc" CXX="$heddle c++" meson setup out && ninja -C out && works out/prog && [ "$(out/prog_cpp)" = 42 ]
}
by_configure() { CC="$heddle cc" ./configure; }

for c in gcc clang; do
  export HEDDLE_CC=$c HEDDLE_CXX=${c/gcc/g}
  [ $c = clang ] && HEDDLE_CXX=clang++ || HEDDLE_CXX=g++
  check "$c: make with a static library" in_copy a by_make
  check "$c: CMake, Makefiles" in_copy b by_cmake
  check "$c: Meson" in_copy c by_meson
  check "$c: configure" in_copy d by_configure
done
unset HEDDLE_CC HEDDLE_CXX
check "CMake, Ninja, configured again by itself" in_copy e by_cmake_again -G Ninja
check "make in a folder with blanks" in_copy "path with blanks/f" by_make
check "CMake in a folder with blanks" in_copy "path with blanks/g" by_cmake
