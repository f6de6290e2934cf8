#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `heddle cc` and `heddle c++` as a drop-in for gcc and clang: every shape of command a build may use.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

cat >main.c <<'EOF'
#include <stdio.h>
int twice(int);
int count;
int main(void)
{
  count++;
  printf("%d\n", twice(count) + 40);
  return 0;
}
EOF
cat >twice.c <<'EOF'
int last;
int twice(int x)
{
  last = x;
  return 2 * last;
}
EOF
cat >whole.c <<'EOF'
#include <stdio.h>
int count;
int main(void)
{
  count++;
  printf("%d\n", count + 41);
  return 0;
}
EOF
cat >whole.cpp <<'EOF'
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <thread>
static int count;
static std::mutex lock;
int main()
{
  std::thread other([] { std::lock_guard<std::mutex> guard(lock); count += 41; });
  {
    std::lock_guard<std::mutex> guard(lock);
    count++;
  }
  other.join();
  try {
    throw std::runtime_error("thrown");
  } catch (const std::exception &) {
    std::cout << count << std::endl;
  }
}
EOF
printf 'int read_only(const int *p) { return *p; }\n' >leaf.c
printf '.globl one\n.type one,@function\none: mov $1,%%eax\n ret\n.section .note.GNU-stack,"",@progbits\n' >one.S
printf '#include <stdio.h>\nint one(void);\nint main(void) { printf("%%d\\n", one() + 41); return 0; }\n' >calls_one.c
printf 'int broken(\n' >broken.c
printf '#ifdef __HEDDLE__\nint under_heddle;\n#endif\n#include <heddle.h>\n' >macro.c

# prints PROGRAM: started alone, it prints 42 and succeeds.
prints_42() { [ "$("$1")" = 42 ]; }
builds() { rm -f prog && "$@" && prints_42 ./prog; }
makes() { # FILE COMMAND...
  local file=$1
  shift
  rm -f "$file" && "$@" && [ -e "$file" ]
}
hooked() { makes "$@" && instrumented "$1"; }
no_libtsan() { ! readelf -d "$1" | grep -q libtsan; }
same_output() { # ARGUMENTS...: plain compiler and heddle cc say the same
  "$HEDDLE_CC" "$@" >plain.txt 2>&1
  local plain=$?
  "$heddle" cc "$@" >ours.txt 2>&1
  [ $? -eq $plain ] && diff plain.txt ours.txt
}

one_compiler() {
  local c=$1 cc=("$heddle" cc)
  export HEDDLE_CC=$1 HEDDLE_CXX=$2
  check "$c: compile and link at once" builds "${cc[@]}" whole.c -o prog
  check "$c: without the sanitizer's runtime" no_libtsan prog
  check "$c: two sources, -o in front" builds "${cc[@]}" -o prog main.c twice.c
  check "$c: no warnings of its own" builds "${cc[@]}" -std=c17 -O2 -Wall -Wextra -Werror -pedantic whole.c -o prog
  check "$c: libheddle.so comes before an explicit -lc" builds "${cc[@]}" whole.c -lc -o prog
  if [ "$(first_needed prog)" = libheddle.so ]; then ok "$c: first needed"; else not_ok "$c: first needed"; fi

  check "$c: -c" hooked main.o "${cc[@]}" -c main.c
  check "$c: -c -o" hooked x.o "${cc[@]}" -c twice.c -ox.o
  check "$c: -O2 -c" hooked y.o "${cc[@]}" -Werror -O2 -c -o y.o twice.c
  check "$c: the load and the store of x++ have a hook each" eval \
    'hooked main.o "$heddle" cc -O2 -c main.c && nm main.o | grep -q __tsan_read4 && nm main.o | grep -q __tsan_write4'
  check "$c: objects have line numbers" eval 'readelf -S main.o | grep -q debug_line'
  check "$c: -g0 is the user's choice" eval \
    '"$heddle" cc -g0 -c main.c -o g0.o && ! readelf -S g0.o | grep -q debug_line'
  check "$c: link of objects" builds "${cc[@]}" -Werror main.o x.o -o prog
  check "$c: link of an object and a source" builds "${cc[@]}" -Werror main.o twice.c -o prog
  check "$c: -S" eval 'makes main.s "$heddle" cc -S main.c && grep -q __tsan_write4 main.s'
  check "$c: -E" eval '"$heddle" cc -E macro.c | grep -q under_heddle'
  check "$c: heddle.h is found" makes macro.o "${cc[@]}" -c macro.c
  check "$c: -M" eval '"$heddle" cc -M leaf.c | grep -q leaf.o:'
  check "$c: -fsyntax-only" "${cc[@]}" -fsyntax-only leaf.c
  check "$c: assembler source in the same command" builds "${cc[@]}" calls_one.c one.S -o prog
  check "$c: assembler source alone" makes one.o "${cc[@]}" -Werror -c one.S
  check "$c: -x c and standard input" eval '"$heddle" cc -x c -o prog - <whole.c && prints_42 ./prog'
  check "$c: -E and standard input, of no known language" eval 'echo | "$heddle" cc -E -dM - | grep -q __GNUC__'
  check "$c: a linker input without an ending" eval 'cp x.o x_object && builds "$heddle" cc main.o x_object -o prog'
  check "$c: -x c of an odd name, then none" eval \
    'cp main.c main.odd && builds "$heddle" cc -x c main.odd -x none x.o -o prog'
  check "$c: a precompiled header" eval 'echo "int f(void);" >pre.h && "$heddle" cc pre.h && ls pre.h.*ch'

  echo '-c "twice.c" -o with\ blank.o -DNAME=\"a\"' >args.rsp
  check "$c: response file" hooked "with blank.o" "${cc[@]}" @args.rsp
  echo 'main.o "with blank.o"' >objects.rsp
  check "$c: response file for a link" builds "${cc[@]}" -o prog @objects.rsp
  mkdir -p "a folder/in side"
  cp whole.c "a folder/the source.c"
  check "$c: blanks in names" eval \
    '"$heddle" cc "a folder/the source.c" -o "a folder/in side/the prog" && prints_42 "a folder/in side/the prog"'

  check "$c: -fsanitize=thread of the user's own" eval \
    'builds "$heddle" cc -fsanitize=thread whole.c -o prog && no_libtsan prog'
  check "$c: -fsanitize=undefined stays" eval \
    '"$heddle" cc -fsanitize=thread,undefined -c whole.c -o u.o && nm u.o | grep -q __ubsan && instrumented u.o'
  check "$c: -flto" builds "${cc[@]}" -flto -O2 main.c twice.c -o prog
  check "$c: -flto objects are instrumented" hooked l.o "${cc[@]}" -flto -O2 -c twice.c -o l.o
  check "$c: -r" eval 'makes both.o "$heddle" cc -r -nostdlib main.o x.o -o both.o && builds "$heddle" cc both.o -o prog'
  check "$c: -shared" hooked libtwice.so "${cc[@]}" -shared -fPIC -Wl,-z,defs twice.c -o libtwice.so
  check "$c: program with a shared library" builds "${cc[@]}" main.c -L. -ltwice -Wl,-rpath,"$work" -o prog
  check "$c: -Wl,--as-needed keeps libheddle.so" eval \
    'builds "$heddle" cc -Wl,--as-needed whole.c -o prog && [ "$(first_needed prog)" = libheddle.so ]'

  expect_status "$c: a compile error keeps the compiler's status" 1 "${cc[@]}" -c broken.c
  check "$c: --version" same_output --version
  check "$c: -dumpmachine" same_output -dumpmachine
  check "$c: -print-search-dirs" same_output -print-search-dirs
  check "$c: -print-file-name" same_output -print-file-name=libc.so
  check "$c: -v" same_output -v
  check "$c: no arguments" same_output
  check "$c: predefined macros are the compiler's" eval \
    'echo | "$heddle" cc -dM -E -x c - | grep -q "define __GNUC__"'

  mkdir -p deps_plain deps_ours
  check "$c: -MMD leaves the same files as the plain compiler" eval \
    '(cd deps_plain && $HEDDLE_CC -MMD ../main.c ../twice.c -o prog && ls) >plain.txt &&
     (cd deps_ours && "$heddle" cc -MMD ../main.c ../twice.c -o prog && ls) >ours.txt && diff plain.txt ours.txt'

  check "$c: C++ with threads and exceptions" builds "$heddle" c++ -std=c++17 -Wall -Wextra -Werror whole.cpp -o prog
  check "$c: C++ objects" hooked cpp.o "$heddle" c++ -O2 -c whole.cpp -o cpp.o
  check "$c: C++ link" builds "$heddle" c++ cpp.o -o prog
}

one_compiler gcc g++
one_compiler clang clang++
unset HEDDLE_CC HEDDLE_CXX

expect_status "-static is refused" 2 "$heddle" cc -static whole.c -o prog
expect_output "-static says why" \
  '^heddle cc: -static cannot work: heddle takes over the scheduler through the dynamic linker; link dynamically$' \
  "$heddle" cc -static whole.c -o prog
check "-static without a link does no harm" makes s.o "$heddle" cc -static -c whole.c -o s.o
expect_status "-fsanitize=address is refused" 2 "$heddle" cc -fsanitize=address -c whole.c
expect_output "-fsanitize=address says why" '^heddle c\+\+: -fsanitize=address is not possible beside heddle, nor needed: heddle.s own heap finds use after free' \
  "$heddle" c++ -fsanitize=undefined,address -c whole.cpp
HEDDLE_CC="gcc -m64" check "HEDDLE_CC with arguments" builds "$heddle" cc whole.c -o prog
HEDDLE_CC=/no/such/compiler expect_status "a compiler that is not there" 3 "$heddle" cc whole.c
HEDDLE_CC="$heddle cc" expect_status "HEDDLE_CC must not be heddle" 2 "$heddle" cc whole.c
HEDDLE_CC=cc check "a compiler whose name tells nothing" builds "$heddle" cc whole.c -o prog

# Nothing is left behind, also not by a compilation that fails.
mkdir temporary
TMPDIR=$work/temporary "$heddle" cc main.c twice.c -o prog
TMPDIR=$work/temporary "$heddle" cc main.c broken.c -o prog 2>.output
if [ -z "$(ls -A temporary)" ]; then ok "no temporary files are left"; else not_ok "no temporary files are left"; fi
