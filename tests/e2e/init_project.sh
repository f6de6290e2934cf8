#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle init in projects of CMake, Meson, autotools and make: it finds their tests and the bug in one of them, adds lines that work,
# once, leaves everything else as it was, and refuses what it did not make.
. "$(dirname "$0")/lib.sh"
PATH=$(dirname "$heddle"):$PATH

# sources FOLDER: a counter with a race, and tests of it: the first is right.
sources() {
  mkdir -p "$1/tests"
  cat >"$1/counter.c" <<'END'
#include "counter.h"
void counter_add(struct counter *c)
{
  int old = c->value;
  c->value = old + 1;
}
END
  printf 'struct counter { int value; };\nvoid counter_add(struct counter *c);\n' >"$1/counter.h"
  cat >"$1/tests/test_one.c" <<'END'
#include "../counter.h"
#include <assert.h>
int main(void)
{
  struct counter c = {0};
  counter_add(&c);
  assert(c.value == 1);
}
END
  cat >"$1/tests/test_two.c" <<'END'
#include "../counter.h"
#include <assert.h>
#include <pthread.h>
#include <string.h>
static struct counter c;
static void *add(void *unused)
{
  counter_add(&c);
  return unused;
}
int main(int argc, char **argv)
{
  pthread_t thread;
  assert(argc < 2 || !strcmp(argv[1], "twice"));
  pthread_create(&thread, 0, add, 0);
  counter_add(&c);
  pthread_join(thread, 0);
  assert(c.value == 2);
}
END
}

# project NAME FILE: init finds the bug, shows what it adds, and does it once.
project() {
  local name=$1 file=$2 before
  before=$(cd "$name" && find . -type f ! -name "$file" -exec sha256sum {} + | sort)
  cp "$name/$file" "$name.before"
  expect_status "$name: --dry-run finds the bug" 1 sh -c "cd $name && '$heddle' init --dry-run --time 5s"
  if cmp -s "$name/$file" "$name.before"; then ok "$name: --dry-run changes nothing"; else not_ok "$name: --dry-run changes nothing"; fi
  expect_output "$name: it is told how to see it again" 'assertion failed: c.value == 2' sh -c "'$heddle' init --time 5s $name"
  if grep -q '^+# heddle init' .output && grep -q 'from now on: ' .output; then ok "$name: the difference is shown"; else not_ok "$name: the difference is shown"; fi
  if cmp -s -n "$(stat -c %s "$name.before")" "$name/$file" "$name.before"; then ok "$name: lines are added only"; else not_ok "$name: lines are added only"; fi
  if [ "$before" = "$(cd "$name" && find . -type f ! -name "$file" ! -path './build-heddle/*' ! -path './heddle-out/*' -exec sha256sum {} + | sort)" ]; then
    ok "$name: all other files are as they were"
  else
    not_ok "$name: all other files are as they were"
  fi
  cp "$name/$file" "$name.after"
  expect_output "$name: a second time nothing is added" "has heddle's lines already" sh -c "'$heddle' init --time 5s $name"
  if cmp -s "$name/$file" "$name.after"; then ok "$name: and nothing was"; else not_ok "$name: and nothing was"; fi
}

sources cmake
cat >cmake/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(counter C)
find_package(Threads REQUIRED)
enable_testing()
add_library(counter counter.c)
foreach(name one two)
  add_executable(test_${name} tests/test_${name}.c)
  target_link_libraries(test_${name} counter Threads::Threads)
endforeach()
add_test(NAME one COMMAND test_one)
add_test(NAME two COMMAND test_two twice)
END
project cmake CMakeLists.txt
expect_output "cmake: the lines work" '50% tests passed, 1 tests failed out of 2' ctest --test-dir cmake/build-heddle -L heddle
if grep -q -- '-- twice' cmake/CMakeLists.txt; then ok "cmake: arguments of tests are kept"; else not_ok "cmake: arguments of tests are kept"; fi
check "cmake: a build without heddle does not know of it" sh -c 'cmake -S cmake -B plain -DCMAKE_C_COMPILER=gcc && ! ctest --test-dir plain -N | grep "Test.*heddle[.]"'

sources meson
cat >meson/meson.build <<'END'
project('counter', 'c')
counter = static_library('counter', 'counter.c')
foreach name : ['one', 'two']
  test(name, executable('test_' + name, 'tests' / 'test_' + name + '.c', link_with: counter, dependencies: dependency('threads')))
endforeach
END
project meson meson.build
expect_output "meson: the lines work" 'Fail: +1' meson test -C meson/build-heddle --suite heddle

sources make
cat >make/Makefile <<'END'
TESTS = tests/test_one tests/test_two
all: $(TESTS)
tests/%: tests/%.c counter.c
	$(CC) -g -pthread $^ -o $@
check: all
	for test in $(TESTS); do $$test; done
clean:
	rm -f $(TESTS)
END
project make Makefile
expect_output "make: the lines work" 'assertion failed: c.value == 2' make -C make check-heddle

if command -v automake >/dev/null; then
  sources auto
  printf 'AC_INIT([counter], [1])\nAM_INIT_AUTOMAKE([foreign subdir-objects])\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n' >auto/configure.ac
  cat >auto/Makefile.am <<'END'
AM_CFLAGS = -pthread
AM_LDFLAGS = -pthread
check_PROGRAMS = tests/test_one tests/test_two
TESTS = $(check_PROGRAMS)
tests_test_one_SOURCES = tests/test_one.c counter.c
tests_test_two_SOURCES = tests/test_two.c counter.c
END
  project auto Makefile.am
fi

mkdir none other
expect_status "a folder without a project" 2 "$heddle" init none
sources other && cp make/Makefile other/ && mkdir other/build-heddle && touch other/build-heddle/mine
expect_status "a folder that is not ours" 2 "$heddle" init other
if [ -e other/build-heddle/mine ]; then ok "it is left alone"; else not_ok "it is left alone"; fi
expect_status "no such folder" 2 "$heddle" init nowhere
sources broken && printf 'all:\n\tfalse\n' >broken/Makefile
expect_status "a project that cannot be built" 3 "$heddle" init broken
