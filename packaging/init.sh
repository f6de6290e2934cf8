#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# `heddle init`: a project of CMake, Meson, autotools or make is built for heddle in a folder of its own, its tests are found,
# a few lines make them tests of the project with heddle, and they are checked for the first time.
#
# Given by the command: HEDDLE (its path), INIT_TIME (of each check), INIT_DRY (1: nothing of the project is changed). What was
# there is only added to, after the difference was shown, once; the folder is ours or it is refused.
set -u
bin=${HEDDLE%/*}
folder=build-heddle
mark='# heddle init'
log=$folder/heddle-init.log

say() { printf '%s\n' "$*"; }
refuse() { printf 'heddle: %s\n' "$*" >&2 && exit 2; }
fail() { # what, log
  printf 'heddle: %s; the end of %s:\n' "$1" "$2" >&2
  tail -n 15 "$2" >&2
  exit 3
}

# ---- what kind of project ----

if [ -f CMakeLists.txt ]; then
  kind=CMake file=CMakeLists.txt
elif [ -f meson.build ]; then
  kind=Meson file=meson.build
elif [ -f Makefile.am ]; then
  kind=autotools file=Makefile.am
elif [ -f GNUmakefile ]; then
  kind=make file=GNUmakefile
elif [ -f Makefile ]; then
  kind=make file=Makefile
elif [ -f makefile ]; then
  kind=make file=makefile
else
  refuse "there is no CMakeLists.txt, meson.build, Makefile.am or Makefile here; source files need none: heddle check FILE.c"
fi

# ---- the build ----

if [ -e $folder ] && [ ! -f $folder/.heddle-init ]; then
  refuse "$folder is there, and heddle init did not make it; move it away"
fi
say "$kind project: building it for heddle in $folder"
rm -rf ./$folder
mkdir $folder && : >$folder/.heddle-init && printf '*\n' >$folder/.gitignore || exit 3

# The sources, for builds that leave their results beside them.
copy_sources() { tar --exclude=./$folder --exclude=./heddle-out --exclude=./.git -cf - . | tar -xf - -C $folder; }

build() {
  case $kind in
  CMake)
    cmake -S . -B $folder -DCMAKE_C_COMPILER="$bin/heddle-cc" -DCMAKE_CXX_COMPILER="$bin/heddle-c++" -DCMAKE_BUILD_TYPE=Debug &&
      cmake --build $folder
    ;;
  Meson) CC="$bin/heddle-cc" CXX="$bin/heddle-c++" meson setup $folder && ninja -C $folder ;;
  autotools)
    copy_sources && cd $folder || return
    { [ ! -f Makefile ] || make distclean; } && { [ -f configure ] || autoreconf -fi; } &&
      ./configure CC="$bin/heddle-cc" CXX="$bin/heddle-c++" && make && make check TESTS=
    ;;
  make)
    copy_sources && cd $folder || return
    ! make -n clean >/dev/null 2>&1 || make clean
    make CC="$bin/heddle-cc" CXX="$bin/heddle-c++" || return
    for target in check test tests; do # may be what builds the tests; that they run meanwhile does no harm
      ! make -n $target >/dev/null 2>&1 || timeout 60 make CC="$bin/heddle-cc" CXX="$bin/heddle-c++" $target || :
    done
    ;;
  esac
}
(build) >$log 2>&1 || fail "the project could not be built with heddle-cc" $log

# ---- its tests: a line each, the program relative to the folder, then its arguments ----

is_ours() { [ -f "$1" ] && [ -x "$1" ] && readelf -d "$1" 2>/dev/null | grep -q 'NEEDED.*libheddle\.so'; }

programs() {
  find $folder -type f -perm -u+x ! -path '*/CMakeFiles/*' ! -path '*/meson-private/*' | LC_ALL=C sort | while read -r program; do
    is_ours "$program" && printf '%s\n' "${program#"$folder"/}"
  done
}

registered() {
  case $kind in
  CMake) (cd $folder && ctest -N -V) | sed -n 's/^[0-9]*: Test command: //p' | tr -d '"' ;;
  Meson) meson introspect --tests $folder | python3 -c 'import json, sys
for test in json.load(sys.stdin):
    print(*test["cmd"])' ;;
  esac | while read -r program arguments; do
    case $program in "$PWD/$folder"/*) ;; *) continue ;; esac
    is_ours "$program" && printf '%s %s\n' "${program#"$PWD/$folder"/}" "$arguments"
  done
}

tests=$(registered 2>>$log)
[ -n "$tests" ] || tests=$(programs | grep -iE 'test|check|spec')
[ -n "$tests" ] || tests=$(programs)
[ -n "$tests" ] || refuse "the build has no programs; see $log"
tests=$(printf '%s\n' "$tests" | sed 's/ *$//' | awk '!seen[$0]++')

# The command for a program: test if it was made with a framework whose tests heddle knows.
verb() { if "$HEDDLE" test --list "$1" >/dev/null 2>&1 </dev/null; then say test; else say check; fi; }

# each FUNCTION: calls it for each test with a name, the command, the program and its arguments.
each() {
  printf '%s\n' "$tests" | while read -r program arguments; do
    "$1" "$(say "$program $arguments" | sed 's/[^A-Za-z0-9_.+-]/_/g; s/_*$//')" "$(verb "$folder/$program")" "$program" "$arguments" </dev/null
  done
}

# ---- the lines ----

cmake_lines() {
  say "  add_test(NAME heddle.$1 COMMAND heddle $2 --time 10s \"\${CMAKE_BINARY_DIR}/$3\"${4:+ -- $4})"
  say "  set_property(TEST heddle.$1 PROPERTY LABELS heddle)"
}
meson_lines() {
  say "  test('heddle $1', find_program('heddle'), suite: 'heddle', timeout: 120,"
  say "    args: ['$2', '--time', '10s', meson.project_build_root() / '$3'$([ -z "$4" ] || printf ', %s' "'--'")$(for word in $4; do printf ", '%s'" "$word"; done)])"
}
make_program() { printf '\t-$(MAKE) -C %s CC=heddle-cc CXX=heddle-c++ %s\n' $folder "$3"; }
make_lines() { printf '\theddle %s --time 10s %s/%s%s\n' "$2" $folder "$3" "${4:+ -- $4}"; }

lines() {
  case $kind in
  CMake)
    say "$mark: in a build with heddle-cc or heddle-c++, ctest -L heddle runs the tests under many schedules"
    say "if(\"\${CMAKE_C_COMPILER}\${CMAKE_CXX_COMPILER}\" MATCHES \"heddle-\")"
    say '  enable_testing()'
    each cmake_lines
    say 'endif()'
    ;;
  Meson)
    language=c
    grep -q "^ *project *([^)]*'c'" meson.build || language=cpp
    say "$mark: in a build with heddle-cc or heddle-c++, meson test --suite heddle runs the tests under many schedules"
    say "if meson.get_compiler('$language').cmd_array()[0].contains('heddle-')"
    each meson_lines
    say 'endif'
    ;;
  *)
    say "$mark: make check-heddle builds a copy with heddle-cc and runs its tests under many schedules"
    say 'check-heddle:'
    printf '\trm -rf %s && mkdir %s && : >%s/.heddle-init\n' $folder $folder $folder
    printf '\ttar --exclude=./%s --exclude=./heddle-out --exclude=./.git -cf - . | tar -xf - -C %s\n' $folder $folder
    if [ $kind = autotools ]; then
      printf '\tcd %s && { [ ! -f Makefile ] || $(MAKE) distclean; } && ./configure CC=heddle-cc CXX=heddle-c++\n' $folder
      printf '\tcd %s && $(MAKE) && $(MAKE) check TESTS=\n' $folder
    else
      printf '\t-$(MAKE) -C %s clean\n\t$(MAKE) -C %s CC=heddle-cc CXX=heddle-c++\n' $folder $folder
      each make_program
    fi
    each make_lines
    say '.PHONY: check-heddle'
    ;;
  esac
}

add_lines() {
  if grep -q "^$mark" $file; then
    say "$file has heddle's lines already"
    return
  fi
  { cat $file && say && lines; } >$folder/changed
  diff -u --label $file --label $file $file $folder/changed
  if [ -n "$INIT_DRY" ]; then
    say "$file is as it was (--dry-run)"
    return
  fi
  cp $file $folder/original && cat $folder/changed >$file || exit 3
  case $kind in # the build must be able to read it
  CMake) cmake $folder ;;
  Meson) meson setup --reconfigure $folder ;;
  *) make -n -f $file check-heddle ;;
  esac >$log 2>&1 </dev/null && return
  [ $kind = autotools ] && return # only automake can say
  cat $folder/original >$file
  fail "$file did not take these lines, and is as it was" $log
}
PATH="$bin:$PATH"
export PATH
add_lines

# ---- the first check ----

status=0
while read -r program arguments; do
  command=$(verb "$folder/$program")
  say "heddle $command --time $INIT_TIME $folder/$program${arguments:+ -- $arguments}"
  # shellcheck disable=SC2086 # arguments are words
  "$HEDDLE" "$command" --time "$INIT_TIME" "$folder/$program" ${arguments:+--} $arguments </dev/null
  one=$?
  [ $one -eq 1 ] && status=1 && break
  [ $one -eq 0 ] || [ $status -ne 0 ] || status=$one
done <<END
$tests
END
case $kind in
CMake) say "from now on: cmake --build $folder && ctest --test-dir $folder -L heddle --output-on-failure" ;;
Meson) say "from now on: meson test -C $folder --suite heddle --print-errorlogs" ;;
*) say "from now on: make check-heddle" ;;
esac
exit $status
