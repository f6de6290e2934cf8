#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Bad input: each wrong file is told in one line with status 2 (or 3 where the input is right and heddle cannot do it),
# at once, and no file is lost.
. "$(dirname "$0")/lib.sh"

# bad NAME STATUS REGEX ARGUMENTS...: heddle says one line that matches, and ends with that status within seconds.
bad() {
  local name=$1 wanted=$2 regex=$3
  shift 3
  run timeout 200 "$heddle" "$@" </dev/null
  if [ "$status" -ne "$wanted" ]; then
    not_ok "$name" "status $status, not $wanted"
  elif [ "$(grep -c '^heddle: ' "$work/.output")" -ne 1 ]; then
    not_ok "$name" "not one line from heddle"
  elif ! grep -Eq "^heddle: .*$regex" "$work/.output"; then
    not_ok "$name" "does not match $regex"
  else
    ok "$name"
  fi
}

cat >main.c <<'C'
int main(void) { return 0; }
C
gcc -g -o program main.c

bad "missing program" 2 'no such program' check ./nothing
bad "missing source" 2 'no such source file' check nothing.c
bad "a folder" 2 'is a folder' check .
: >empty
bad "an empty file" 2 'is empty' check ./empty
printf '#!/bin/sh\necho hi\n' >script
chmod +x script
bad "a script" 2 'is a script' check ./script
echo hello >text
bad "a text file" 2 'is not a program' check ./text
gcc -c -o object.o main.c
bad "an object file" 2 'is an object file' check ./object.o
echo 'int f(void) { return 1; }' >lib.c
gcc -shared -fPIC -o liblib.so lib.c
bad "a shared library" 2 'is a shared library' check ./liblib.so
gcc -static -o static main.c
bad "a static program" 2 'statically linked.*-static' check ./static
gcc -static-pie -o static-pie main.c
bad "a static PIE program" 2 'statically linked' check ./static-pie
cp program other && printf '\xb7\x00' | dd of=other bs=1 seek=18 conv=notrunc 2>/dev/null
bad "a program for another machine" 2 'another machine \(64-bit ARM\)' check ./other
cp program narrow && printf '\x01' | dd of=narrow bs=1 seek=4 conv=notrunc 2>/dev/null
bad "a 32-bit program" 2 'another machine' check ./narrow
head -c 40 program >short && chmod +x short
bad "a program cut in its header" 2 'damaged' check ./short
cp program headers && printf '\xff\xff\xff\x7f' | dd of=headers bs=1 seek=32 conv=notrunc 2>/dev/null
bad "a program with headers out of the file" 2 'damaged' check ./headers
cp program plain && chmod -x plain
bad "a program that is not executable" 2 'not executable' check ./plain
mkfifo pipe
bad "a pipe" 2 'not a regular file' check ./pipe
ln -s nowhere link
bad "a link to nowhere" 2 'no such program' check ./link
if [ "$(id -u)" -eq 0 ]; then
  cp program owned && chown 65534 owned && chmod 4755 owned
  bad "a setuid program" 2 'rights of another user' check ./owned
fi
gcc -fsanitize=address -o sanitized main.c 2>/dev/null &&
  bad "a program with a sanitizer" 2 'built with a sanitizer' check ./sanitized
echo 'int main(void) { return x; }' >broken.c
run "$heddle" check broken.c </dev/null
if [ "$status" -eq 2 ] && grep -q "broken.c:1" .output; then ok "a source with an error"; else not_ok "a source with an error"; fi
[ ! -e heddle-out ] && ok "nothing is left of it" || not_ok "nothing is left of it"
gcc -o needs main.c -L. -Wl,--no-as-needed -llib && rm liblib.so
run timeout 200 "$heddle" check ./needs </dev/null
if [ "$status" -eq 2 ] && grep -q 'liblib.so' .output; then ok "a missing library is named"; else not_ok "a missing library is named"; fi

cat >crash.c <<'C'
__attribute__((constructor)) static void before(void) { *(volatile int *)8 = 1; }
int main(void) { return 0; }
C
gcc -o crash crash.c
bad "a crash in a constructor" 3 'SIGSEGV.*before main' check ./crash
cat >leave.c <<'C'
#include <unistd.h>
__attribute__((constructor)) static void before(void) { _exit(4); }
int main(void) { return 0; }
C
gcc -o leave leave.c
bad "a constructor that exits" 3 'status 4 before main' check ./leave

# Output: what is there is not written over.
echo precious >precious.txt
bad "--json on a file that is no JSON" 2 'not overwritten' check --json precious.txt ./program
[ "$(cat precious.txt)" = precious ] && ok "the file is as it was" || not_ok "the file is as it was"
bad "--json into a missing folder" 2 'cannot be written' check --json no/such/x.json ./program
bad "--json is a folder" 2 'is a folder' check --json . ./program
bad "--out is a file" 2 'is a file, not a folder' check --out precious.txt ./program

# Schedule files.
build=$(readelf -n program | sed -n 's/.*Build ID: //p')
schedule() { printf 'heddle schedule 1\nprogram   %s\nbuild     %s\nthreads   main\n\nmain 3 exit\nend 1\n' "$1" "$2"; }
bad "a missing schedule" 2 'nothing.hd' replay nothing.hd
: >empty.hd
bad "an empty schedule" 2 'empty.hd' replay empty.hd
bad "a program as a schedule" 2 'program' replay ./program
bad "a folder as a schedule" 2 '' replay .
schedule ./program "$build" | sed 's/schedule 1/schedule 999/' >new.hd
bad "a schedule of another version" 2 'new.hd.*999' replay new.hd
schedule ./program "$build" | head -n 5 >cut.hd
bad "a schedule cut short" 2 'cut.hd' replay cut.hd
schedule ./program "$build" | sed 's/main 3 exit/main 3x exit/' >edited.hd
bad "a schedule with a wrong number" 2 'edited.hd:6.*3x' replay edited.hd
schedule ./program "$build" | sed 's/main 3 exit/T7 3 exit/' >unknown.hd
bad "a schedule with an unknown thread" 2 'unknown.hd' replay unknown.hd
schedule ./gone "$build" >gone.hd
bad "a schedule whose program is gone" 2 'gone.hd: its program ./gone is not there' replay gone.hd
schedule ./program 0123456789abcdef >stale.hd
expect_output "a schedule of another build" './program was rebuilt since stale.hd' "$heddle" replay --program ./program stale.hd
expect_output "show of another build" './program was rebuilt since stale.hd' "$heddle" show --run --program ./program stale.hd
schedule ./script "$build" >script.hd
bad "a schedule whose program is a script" 2 'script.hd was not recorded by you' replay script.hd
bad "a script as the program of a schedule" 2 'is a script' replay --program ./script script.hd
{ schedule ./program "$build" | sed 's/^threads.*/input     no-such-input\n&/'; } >noinput.hd
bad "a schedule whose input is gone" 2 'no-such-input' replay --program ./program noinput.hd
