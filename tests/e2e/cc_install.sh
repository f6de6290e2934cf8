#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# An installed heddle: works from any place, and is found by pkg-config and by CMake's find_package, with and without
# `heddle cc`.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

prefix="$work/a prefix"
check "install" meson install -C "$(dirname "$heddle")" --no-rebuild --destdir "$prefix"
for file in bin/heddle bin/heddle-cc bin/heddle-c++ lib/heddle/libheddle.so lib/heddle/gcc.specs lib/heddle/as lib/heddle/ld lib/heddle/ld.lld lib/pkgconfig/heddle.pc \
  lib/cmake/heddle/heddleConfig.cmake include/heddle.h share/man/man1/heddle.1 share/man/man1/heddle-cc.1; do
  check "$file is installed" test -s "$prefix/$file"
done
if grep -rlF -e "$prefix" -e "$root" "$prefix"/lib/{pkgconfig,cmake,heddle/gcc.specs} >.output; then
  not_ok "no file names the place it was installed to"
else
  ok "no file names the place it was installed to"
fi
heddle=$prefix/bin/heddle

cat >main.c <<'EOF'
#include <heddle.h>
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int value;
static void *work(void *unused)
{
  value = value + 1;
  return unused;
}
int main(int argc, char **argv)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  if (argc > 1 && argv[1][0] == 'j') /* join first: nothing to find */
    pthread_join(thread, NULL);
  work(NULL);
  if (!(argc > 1 && argv[1][0] == 'j'))
    pthread_join(thread, NULL);
  assert(value == 2);
  printf("%d\n", value + 40);
  return 0;
}
EOF
prints_42() { [ "$("$@")" = 42 ]; }
check "heddle cc, called through PATH from elsewhere" eval \
  '(mkdir -p else/where && cd else/where && PATH="$prefix/bin:$PATH" heddle cc ../../main.c -o prog && prints_42 ./prog j)'
ln -s "$heddle" link-to-heddle
check "heddle cc, called through a symbolic link" eval './link-to-heddle cc main.c -o prog && prints_42 ./prog j'

check "heddle-cc, as one word" eval '"$prefix/bin/heddle-cc" main.c -o prog && prints_42 ./prog j'
printf '#include <iostream>\nint main() { std::cout << 42 << std::endl; }\n' >main.cpp
check "heddle-c++, as one word" eval '"$prefix/bin/heddle-c++" main.cpp -o prog && prints_42 ./prog'

plain_prefix=$work/plain
cp -r "$prefix" "$plain_prefix" # flags in a make variable cannot have blanks
pkg() { PKG_CONFIG_PATH=$plain_prefix/lib/pkgconfig pkg-config "$@" heddle; }
check "pkg-config knows its version" eval '[ "$(pkg --modversion)" ]'
# shellcheck disable=SC2046 # flags are words
by_pkg_config() { # COMPILER
  "$1" $(pkg --cflags) $(pkg --variable="instrument_$1") main.c -o prog $(pkg --libs) &&
    prints_42 ./prog j && [ "$(first_needed prog)" = libheddle.so ] && ! readelf -d prog | grep -q libtsan &&
    nm prog | grep -q 'U __tsan_write4'
}
check "gcc with pkg-config's flags" by_pkg_config gcc
check "clang with pkg-config's flags" by_pkg_config clang

mkdir project
cp main.c project
cat >project/part.cpp <<'EOF'
extern "C" int part;
int part;
extern "C" void part_add(int n) { part += n; }
EOF
cat >project/CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.16)
project(user C CXX)
enable_testing()
find_package(heddle REQUIRED)
add_executable(prog main.c part.cpp)
target_link_libraries(prog m) # the signature without a keyword
heddle_add_test(NAME joined TARGET prog ARGS j TIME 2s)
heddle_add_test(NAME lost_update TARGET prog TIME 10s)
set_tests_properties(lost_update PROPERTIES WILL_FAIL TRUE)
EOF
by_find_package() { # COMPILER CXX
  rm -rf out && CC=$1 CXX=$2 cmake -S project -B out -DCMAKE_PREFIX_PATH="$prefix" &&
    cmake --build out -- VERBOSE=1 && prints_42 out/prog j && ! readelf -d out/prog | grep -q libtsan &&
    instrumented out/CMakeFiles/prog.dir/main.c.o && instrumented out/CMakeFiles/prog.dir/part.cpp.o
}
for c in "gcc g++" "clang clang++"; do
  # shellcheck disable=SC2086 # two words
  check "find_package, ${c% *}" by_find_package $c
  check "heddle_add_test: a program without a bug, ${c% *}" ctest --test-dir out --output-on-failure -R joined
  check "heddle_add_test: a program with a bug fails, ${c% *}" ctest --test-dir out --output-on-failure -R lost_update
  check "heddle_add_test: the bug is kept, ${c% *}" eval 'ls out/heddle-out/lost_update/*.hd'
done
ln -s "$prefix" no_blanks # CC is split at blanks
check "find_package and heddle cc together" by_find_package "$work/no_blanks/bin/heddle cc" "$work/no_blanks/bin/heddle c++"
check "find_package and heddle-cc together" by_find_package "$work/no_blanks/bin/heddle-cc" "$work/no_blanks/bin/heddle-c++"
export HEDDLE_CC=clang HEDDLE_CXX=clang++
check "find_package and heddle cc with clang together" by_find_package "$work/no_blanks/bin/heddle cc" "$work/no_blanks/bin/heddle c++"
unset HEDDLE_CC HEDDLE_CXX
sed 's/find_package(heddle/find_package(heddle 99/' project/CMakeLists.txt >project/new && mv project/new project/CMakeLists.txt
expect_output "find_package refuses a version that is too old" 'considered but not accepted' \
  cmake -S project -B refused -DCMAKE_PREFIX_PATH="$prefix"
