#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Machines that forbid something: containers, limits, folders and locales. heddle does without where it can, and otherwise
# names what is missing and what helps; `heddle doctor` says so before anything is run.
. "$(dirname "$0")/lib.sh"

cc -O1 -Wall -Wextra -Werror "$root/tests/launch/deny.c" -o deny || exit 1
cp "$root/examples/bank.c" .
"$heddle" cc -g bank.c -o bank || exit 1

# finds NAME COMMAND...: the bug of examples/bank.c
finds() {
  local name=$1
  shift
  run "$@"
  if [[ $status -eq 1 && $output == *"assertion failed: total == 200"* ]]; then ok "$name"; else not_ok "$name" "status $status"; fi
}

# explains NAME REGEX COMMAND...: status 3, and the line that names the facility and the remedy
explains() {
  local name=$1 regex=$2
  shift 2
  run "$@"
  if [ "$status" -eq 3 ] && grep -Eq -- "$regex" .output; then ok "$name"; else not_ok "$name" "status $status"; fi
}

expect_status "nothing vital is missing here" 0 "$heddle" doctor
expect_status "doctor takes no program" 2 "$heddle" doctor ./bank

# ---- denied system calls ----

for call in memfd_create memfd_create=ENOSYS pidfd_open pidfd_open=ENOSYS getcwd ptrace; do
  finds "without $call" ./deny "$call" -- "$heddle" check --time 10s ./bank
done
finds "without memfd_create and pidfd_open, by fresh processes" ./deny memfd_create,pidfd_open -- "$heddle" check --reset exec ./bank
explains "threads" 'missing here: threads \(clone3: .*seccomp=unconfined' ./deny clone3 -- "$heddle" check ./bank
explains "filters" 'missing here: call filters \(seccomp: .*seccomp=unconfined' ./deny seccomp,dispatch -- "$heddle" check ./bank
finds "without dispatch, by a filter" ./deny dispatch -- "$heddle" check ./bank
explains "the doctor finds it, too" '^missing +threads +clone3' ./deny clone3 -- "$heddle" doctor
expect_status "what is not vital is no failure" 0 ./deny personality,pidfd_open,ptrace,getcwd -- "$heddle" doctor
for name in 'fixed addresses +personality' 'process ends +pidfd_open' 'tracing +ptrace' 'current folder +getcwd'; do
  expect_output "but told: ${name##* +}" "^missing +$name: Operation not permitted" \
    ./deny personality,pidfd_open,ptrace,getcwd -- "$heddle" doctor
done
expect_output "with the option of the container" 'try: .*--cap-add SYS_PTRACE' ./deny ptrace -- "$heddle" doctor
run ./deny ptrace -- "$heddle" replay --gdb heddle-out/bank-1.hd
if [[ $status -eq 3 && $output == *"gdb cannot trace programs here"* && $output != *Traceback* ]]; then
  ok "gdb without ptrace"
else
  not_ok "gdb without ptrace" "status $status"
fi

# ---- limits ----

finds "a stack of 128 KiB" bash -c 'ulimit -s 128; exec "$@"' - "$heddle" check --time 10s ./bank
explains "limited data" 'missing here: address space .*ulimit -d' bash -c 'ulimit -d 100000; exec "$@"' - "$heddle" check ./bank
explains "limited address space" 'missing here: address space .*ulimit -v' \
  bash -c 'ulimit -v 10000000; exec "$@"' - "$heddle" check ./bank

cat >files.c <<'END'
#include <stdio.h>
#include <sys/resource.h>
int main(void)
{
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  printf("%d open files\n", (int)files.rlim_cur);
  return 0;
}
END
"$heddle" cc files.c -o files
if [ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 8192 ]; then
  expect_status "1000 workers with a soft limit of 1024 open files" 0 \
    bash -c 'ulimit -Sn 1024; exec "$@"' - "$heddle" check -j 1000 --max-executions 1000 ./files
fi
expect_output "the program keeps the limit it was given" '^ *700 open files' \
  bash -c 'ulimit -Sn 700; exec "$@"' - "$heddle" check --max-executions 1 --output all ./files

# ---- folders ----

if unshare -rm true 2>/dev/null; then
  # shellcheck disable=SC2016 # for the inner shell
  explains "no /proc" 'needs /proc, .*mount -t proc' \
    unshare -rm bash -c 'mount -t tmpfs none /proc && exec "$@"' - "$heddle" check ./bank
  # shellcheck disable=SC2016
  explains "no /proc, the doctor" '^missing +/proc' \
    unshare -rm bash -c 'mount -t tmpfs none /proc && exec "$@"' - "$heddle" doctor
fi
# shellcheck disable=SC2016
expect_output "a current folder that is gone" 'heddle-out cannot be made' \
  bash -c 'mkdir gone && cd gone && rmdir ../gone && exec "$@"' - "$heddle" check "$work/bank"
mkdir a:b
cp "${heddle%/*}"/{heddle,libheddle.so,gcc.specs} a:b/ 2>/dev/null
if [ -f a:b/libheddle.so ]; then
  explains "no program can be linked with a library below a colon" 'because of the colon' a:b/heddle cc bank.c -o bank2
  finds "but a source can be checked" a:b/heddle check --time 10s bank.c
fi
printf '#!/bin/sh\nexit 0\n' >musl-gcc
chmod +x musl-gcc
expect_output "musl cannot load the library" 'links programs with musl' env HEDDLE_CC="$work/musl-gcc" "$heddle" cc bank.c

# ---- a decimal comma ----

mkdir -p fake/tests/unit locales
printf '#!/bin/sh\necho "ok - one"\n' >fake/tests/unit/test_one
chmod +x fake/tests/unit/test_one
if localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 2>/dev/null; then
  expect_output "the tests count in a locale with a decimal comma" '^1 passed, 0 failed' \
    env LOCPATH="$work/locales" LC_ALL=de_DE.UTF-8 "$root/tests/run" "$work/fake" unit/
fi
