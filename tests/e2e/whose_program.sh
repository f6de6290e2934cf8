#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A schedule file decides nothing: what it names runs only if this user recorded it in this place, or names the program.
# Every way in which somebody could send a command along is tried, in every subcommand that takes such files.
. "$(dirname "$0")/lib.sh"

holds() { if "${@:2}" >/dev/null 2>&1; then ok "$1"; else not_ok "$1"; fi; }

# A program that leaves a mark wherever it runs, and fails under some schedule.
cat >bank.c <<'C'
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int balance;
static void *pay(void *a) { int b = balance; balance = b + 50; return a; }
int main(int argc, char **argv)
{
  pthread_t t[2];
  char c = 0;
  if (argc > 1 && read(0, &c, 1) < 0) return 2;
  if (argc > 1) close(open(argv[1], O_WRONLY | O_CREAT, 0666));
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, pay, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  assert(balance == 100);
  return 0;
}
C
"$heddle" cc -g bank.c -o bank || exit 1

# ---- one's own: no option is needed ----

expect_status "check" 1 "$heddle" check --files real --races ignore ./bank
expect_status "and replay" 1 "$heddle" replay heddle-out/bank-1.hd
expect_status "show --run" 0 "$heddle" show --run heddle-out/bank-1.hd
expect_status "localise" 0 "$heddle" localise heddle-out/bank-1.hd
expect_status "shrink" 0 "$heddle" shrink -o small.hd heddle-out/bank-1.hd
expect_status "replay of what shrink wrote" 1 "$heddle" replay small.hd
expect_status "from another folder" 1 sh -c "cd / && '$heddle' replay '$work/heddle-out/bank-1.hd'"
cp heddle-out/bank-1.hd elsewhere.hd
expect_status "a copy of the file" 1 "$heddle" replay elsewhere.hd
sed 's/^# thread.*/# a comment/' elsewhere.hd >commented.hd
expect_status "a file whose schedule was edited" 1 "$heddle" replay commented.hd
"$heddle" check -q --files real --races ignore --out "$work/far/out" ./bank >/dev/null
expect_status "another output folder" 1 "$heddle" replay far/out/bank-1.hd
"$heddle" check -q --files real --races ignore bank.c >/dev/null
expect_status "a program that heddle compiled" 1 "$heddle" replay heddle-out/bank-2.hd
echo x | "$heddle" check -q --files real --races ignore ./bank -- mark >/dev/null
rm -f mark
expect_status "with arguments and input" 1 "$heddle" replay heddle-out/bank-1.hd
holds "it ran" test -e mark
rm mark
run sh -c "cd / && '$heddle' replay '$work/heddle-out/bank-1.hd'"
holds "from another folder it runs in its own" test "$status" -eq 1 -a -e mark -a ! -e /mark
printf 'bank: ./bank\n' >all.suite
"$heddle" suite -q --races ignore --time 10s --out of-suite all.suite >/dev/null
expect_status "of a suite" 1 "$heddle" replay of-suite/bank-1.hd
cp bank bank.was
"$heddle" cc -g -DREBUILT=1 -O1 bank.c -o bank
expect_output "a rebuilt program is said to be rebuilt" '^heddle: ./bank was rebuilt since heddle-out/bank-1.hd' "$heddle" replay heddle-out/bank-1.hd
holds "and is run" test "$status" -ne 2
cp bank.was bank

# ---- somebody else's ----

# refused NAME FILE ARGUMENTS...: by every subcommand, in one line that has the command; and nothing ran.
refused() {
  local name=$1 command=$2 shown=$3
  shift 3
  rm -f pwned
  for sub in "replay" "replay --gdb" "show --run" "show" "localise" "shrink -o never.hd" "schedule" "minimise"; do
    # shellcheck disable=SC2086
    run timeout -k 5 300 "$heddle" $sub "$@" </dev/null
    if [ -e pwned ] || [ -e never.hd ]; then
      not_ok "$name: $sub" "it ran"
      rm -f pwned never.hd
    elif [ "$sub" = show ]; then
      if [ "$status" -eq 0 ]; then ok "$name: $sub"; else not_ok "$name: $sub" "status $status"; fi
    elif [ "$status" -ne 2 ] || [ "$(wc -l <.output)" -ne 1 ]; then
      not_ok "$name: $sub" "status $status, or not one line"
    elif ! grep -qF -- "$command" .output || ! grep -qF -- "$shown" .output; then
      not_ok "$name: $sub" "the command is not shown"
    else
      ok "$name: $sub"
    fi
  done
}

shell=$(readlink -f /bin/sh)
build=$(readelf -n "$shell" | sed -n 's/.*Build ID: //p')
cat >evil.hd <<HD
heddle schedule 1
program   /bin/sh
arg       -c
arg       "touch pwned; exit 1"
build     $build
bug       exit 0123456789abcdef "exit status 1"
threads   main
main      1           exit
end       1
HD
refused "a shell" "-c 'touch pwned; exit 1'" "--program " evil.hd
cp "$shell" sh-copy
sed 's|/bin/sh|./sh-copy|' evil.hd >evil2.hd
refused "a copy of a shell, with its fingerprint" "$work/sh-copy -c 'touch pwned; exit 1'" "" evil2.hd
printf 'program   /bin/sh\n' >/dev/null
sed 's|"touch pwned; exit 1"|"touch pwned; printf '"'"'\\x1b[31m'"'"'; exit 1"|' evil.hd >evil3.hd
refused "with escapes" '\x1b[31m' "" evil3.hd
holds "which do not reach the terminal" test -z "$(grep -a $'\033' .output)"
long=$(printf '%*s' 60000 '' | tr ' ' x)
sed "s|touch pwned; exit 1|: $long; touch pwned|" evil.hd >evil4.hd
refused "the end of a long argument is shown" "; touch pwned'" "" evil4.hd

# One's own file, changed.
own=heddle-out/bank-1.hd
sed "s/^arg .*/arg       pwned/" $own >changed.hd
refused "another argument" "$work/bank pwned" "" changed.hd
sed "s|^program .*|program   ./sh-copy|" $own >changed.hd
refused "another program" "$work/sh-copy mark" "" changed.hd
sed "s|^arg .*|&\narg       more|" $own >changed.hd
refused "one more argument" "mark more" "" changed.hd
sed '/^signature/d' $own >changed.hd
refused "no signature" "$work/bank mark" "" changed.hd
sed 's/^signature .*/signature 0000000000000000000000000000000000000000000000000000000000000000/' $own >changed.hd
refused "another signature" "$work/bank mark" "" changed.hd
echo other >other.input
sed 's|^input .*|input     other.input|' $own >changed.hd
refused "another input" "<other.input" "" changed.hd

# One's own file, which comes back in a folder of somebody else's.
mkdir theirs
cp -r heddle-out theirs/
cat >theirs/bank.c <<'C'
#include <fcntl.h>
#include <unistd.h>
int main(void) { close(open("pwned", O_WRONLY | O_CREAT, 0666)); return 1; }
C
"$heddle" cc theirs/bank.c -o theirs/bank
cd theirs || exit 1
ln -s "$work/.output" .output
refused "in a folder that was sent back" "$work/theirs/bank" "" heddle-out/bank-1.hd
holds "it runs where it was recorded, and not here" test ! -e pwned
cd .. || exit 1

# A whole heddle-out with a key of theirs, and a key that others can read.
mkdir -p sent/.local/state/heddle sent/heddle-out
head -c 32 /dev/urandom >sent/.local/state/heddle/key
chmod 600 sent/.local/state/heddle/key
(cd sent && cp ../bank ../bank.c . && XDG_STATE_HOME='' HOME=$PWD "$heddle" check -q --files real --races ignore ./bank -- pwned >/dev/null </dev/null)
cd sent || exit 1
ln -s "$work/.output" .output
refused "a folder that brings its key along" "$work/sent/bank pwned" "" heddle-out/bank-1.hd
cd .. || exit 1
XDG_STATE_HOME=$work/open "$heddle" check -q --files real --races ignore --out open-out ./bank >/dev/null
holds "the key is private" test "$(stat -c %a open/heddle/key) $(stat -c %a open/heddle)" = "600 700"
XDG_STATE_HOME=$work/open expect_status "with that key" 1 "$heddle" replay open-out/bank-1.hd
chmod 644 open/heddle/key
XDG_STATE_HOME=$work/open expect_status "a key that others can read is none" 2 "$heddle" replay open-out/bank-1.hd
chmod 600 open/heddle/key
chmod 777 open/heddle
XDG_STATE_HOME=$work/open expect_status "a key that others can replace is none" 2 "$heddle" replay open-out/bank-1.hd
chmod 700 open/heddle
mv open/heddle/key open/key && ln -s ../key open/heddle/key
XDG_STATE_HOME=$work/open expect_status "a key behind a link is none" 2 "$heddle" replay open-out/bank-1.hd

# ---- named by the user ----

sed '/^signature/d' heddle-out/bank-1.hd >artefact.hd
mkdir moved && cp artefact.hd moved/
expect_status "--program runs it" 1 "$heddle" replay --program ./bank moved/artefact.hd
expect_status "show --run --program" 0 "$heddle" show --run --program ./bank moved/artefact.hd
expect_status "localise --program" 0 "$heddle" localise --program ./bank moved/artefact.hd
expect_status "shrink --program" 0 "$heddle" shrink --program ./bank -o named.hd moved/artefact.hd
expect_status "what shrink wrote is one's own" 1 "$heddle" replay named.hd
rm -f mark
sed '/^signature/d' $own >moved/artefact3.hd
cp heddle-out/bank-1.input moved/
expect_output "with arguments: they are told" "^heddle: runs ./bank mark <.*bank-1.input" "$heddle" replay --program ./bank moved/artefact3.hd
holds "it ran here" test -e mark -a "$status" -eq 1
sed 's|^program .*|program   ./gone/other|' artefact.hd >gone.hd
expect_output "a program that is not there" 'gone.hd: its program ./gone/other is not there.*--program' "$heddle" replay gone.hd
expect_output "--program that is not there" './none: no such program' "$heddle" replay --program ./none artefact.hd
expect_output "--program without a schedule" 'is for the program of a schedule file' "$heddle" minimise --program ./bank ./bank

# ---- show ----

"$heddle" show evil.hd >shown.txt
holds "show tells what would run" grep -q "program  /bin/sh -c 'touch pwned; exit 1'" shown.txt
holds "and the bug" grep -q 'exit status 1' shown.txt
for option in -i --trace "--html x.html" "--trace-file x.log"; do
  # shellcheck disable=SC2086
  expect_output "show $option needs --run" 'runs nothing unless it is told to: add --run' "$heddle" show $option heddle-out/bank-1.hd
done
