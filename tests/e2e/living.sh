#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Living with heddle for months: bugs keep their names and files over runs and rebuilds, the newest is the one that is meant,
# heddle bugs tells which still show, a baseline makes only new ones fail; suppressions leave bugs out and nothing else;
# heddle.conf and HEDDLE_OPTIONS give options, and a command in a file is never run unasked.
. "$(dirname "$0")/lib.sh"

holds() { if "${@:2}" >/dev/null 2>&1; then ok "$1"; else not_ok "$1"; fi; }
told() { if grep -Eq -- "$2" "$work/.output"; then ok "$1"; else not_ok "$1" "no line matches $2"; fi; }
not_told() { if grep -Eq -- "$2" "$work/.output"; then not_ok "$1" "a line matches $2"; else ok "$1"; fi; }

cat >pay.c <<'C'
#include <assert.h>
#include <pthread.h>
static int balance, other;
static void *pay(void *a) { int b = balance; balance = b + 50; return a; }
static void *look(void *a) { other++; return a; }
int main(void)
{
  pthread_t t[4];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, pay, 0);
  for (int i = 2; i < 4; i++) pthread_create(&t[i], 0, look, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  assert(balance == 100);
  return 0;
}
C
search() { "$heddle" check --max-executions 300 -j 1 "$@" </dev/null; }

# ---- names that last ----

run search pay.c
first=$(grep -c '^bug' heddle-out/bugs.txt)
ls heddle-out >before
run search pay.c
told "a bug that is found again is known" '^  known    since 20.*, by 1 search before this one$'
ls heddle-out >after
holds "and keeps its files" cmp before after
sed -i '1i /* a line above\n   and another */' pay.c
run search pay.c
ls heddle-out >after
holds "over a rebuild, too" cmp before after
holds "none is listed twice" test "$(grep -c '^bug' heddle-out/bugs.txt)" -eq "$first"
newest=$(sed -n 's/^bug\t\([^\t]*\)\t.*/\1/p' heddle-out/bugs.txt | head -n 1)
expect_status "replay without a file" 1 "$heddle" replay
told "takes the newest" "^heddle: replay heddle-out/$newest.hd, the newest of heddle-out$"
expect_output "and so does show" "^heddle: show heddle-out/$newest.hd, the newest" "$heddle" show
expect_status "where nothing is known there is none" 2 "$heddle" replay --out nowhere
cp heddle-out/bugs.txt saved.txt
echo 'bug ../../etc/passwd' >>heddle-out/bugs.txt
expect_status "a list that is no list" 2 "$heddle" bugs --list
cp saved.txt heddle-out/bugs.txt
echo mine >heddle-out/pay-1.hd
run search pay.c
holds "a file of the user's is not written over" grep -qx mine heddle-out/pay-1.hd
for i in $(seq 200); do
  printf 'bug\told-%d\tfails\t%d\t%d\t1\t0123456789abcdef\t0123456789abcdef\t-\trace\t../x\tx.c:1\told\n' "$i" $((1000 - i)) $((1000 - i))
done >>heddle-out/bugs.txt
cp "$(grep -l '^heddle schedule' heddle-out/pay-*.hd | head -n 1)" heddle-out/old-200.hd
echo mine >heddle-out/old-200.html
run search pay.c
told "the folder does not grow without end" '^heddle: heddle-out keeps the 200 bugs that were seen last: the files of [0-9]+ older ones? were removed$'
holds "what was not seen for the longest goes" test ! -e heddle-out/old-200.hd -a "$(grep -c '^bug' heddle-out/bugs.txt)" -eq 200
holds "but nothing of the user's" grep -qx mine heddle-out/old-200.html
rm -r heddle-out

# ---- heddle bugs ----

run search pay.c
expect_status "bugs that still show" 1 "$heddle" bugs
told "each with its place and time" '^✗ pay-[0-9]+ +assertion failed: balance == 100  pay.c:14$'
told "and the sum" ' still fail, 0 pass$'
expect_status "a baseline" 0 "$heddle" bugs --write-baseline known.txt
expect_status "with it they are no reason to fail" 0 "$heddle" bugs --baseline known.txt
sed -i '1i /* a third line */' pay.c
expect_status "nor for a search, after an edit" 0 search --baseline known.txt pay.c
told "they are told shortly" '^  known    it is in known.txt$'
told "and what else there is not" '^no other bug found in 300 executions'
sed 's/other++/balance += 7/' pay.c >new.c && mv new.c pay.c
expect_status "a new one is a reason" 1 search --baseline known.txt pay.c
run search --baseline known.txt --json out.json pay.c
holds "documents tell them apart" python3 -c "import json; b=json.load(open('out.json'))['bugs']; assert {x.get('known', False) for x in b} == {True, False}"
cat >pay.c <<'C'
int main(void) { return 0; }
C
"$heddle" check pay.c </dev/null >/dev/null
expect_status "bugs whose program was mended" 0 "$heddle" bugs --baseline known.txt
holds "the page is of the last search, though it passed" grep -q '"bugs": *\[\]' heddle-out/index.html
holds "and knows of what was found before" grep -q '"name": *"pay-1"' heddle-out/index.html
holds "a baseline is no other file" sh -c "echo x >mine.txt; ! '$heddle' bugs --write-baseline mine.txt && grep -qx x mine.txt"
rm -r heddle-out

# ---- suppressions ----

cat >quiet.c <<'C'
#include <pthread.h>
static int hits, misses;
static void bump(void) { hits++; }
static void *f(void *a) { bump(); misses++; return a; }
int main(void)
{
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  return 0;
}
C
"$heddle" cc -g quiet.c -o quiet || exit 1
hide() { printf '%b' "$1" >heddle.supp; run search ./quiet; }
run search ./quiet
told "two races" 'data race on hits' && told "of two variables" 'data race on misses'
hide 'race variable=hits\n'
not_told "by variable" 'data race on hits'
told "the other stays" 'data race on misses'
told "what is suppressed is counted" '^[12] bugs? suppressed by heddle.supp$'
hide 'race function=bump\nrace function=f file=quiet.c\n'
holds "by function and file" test "$status" -eq 0
told "no other bug" '^no other bug'
hide 'race:quiet.c\n'
holds "by a line of ThreadSanitizer" test "$status" -eq 0
hide 'race:^bump$\nrace_top:isses\n'
holds "and its patterns" test "$status" -eq 0
hide '{\n  a name\n  Helgrind:Race\n  fun:bu*\n  fun:f\n}\n{\n  b\n  drd:ConflictingAccess\n  ...\n  fun:f\n}\n{\n  c\n  Memcheck:Cond\n  fun:main\n}\n'
holds "by blocks of Valgrind" test "$status" -eq 0
hide 'race variable=hits\ndeadlock function=nobody\nrace variable=misses\n'
told "what is of no use is told" '^heddle: heddle.supp: 1 of 3 suppressions fitted nothing in this search: line 2$'
hide 'race variable=hits\nrase variable=misses\n'
holds "a wrong line is an error" test "$status" -eq 2
told "that says where" '^heddle: heddle.supp:2: "rase" is no kind of bugs'
rm heddle.supp
printf 'race variable=*\n' >other.supp
"$heddle" explore -j 1 --json all.json ./quiet >/dev/null 2>&1
expect_output "the search is the same" 'no other bug in any interleaving \(complete\)' "$heddle" explore -j 1 --suppressions other.supp --json some.json ./quiet
holds "execution for execution" python3 -c "
import json
a, b = json.load(open('all.json')), json.load(open('some.json'))
assert a['executions'] == b['executions'] and b['complete'] and b['suppressed'] == 2 and not b['bugs']"

# ---- in the source ----

cat >marked.c <<'C'
#include "heddle.h"
#include <pthread.h>
HD_BENIGN static int hits;
static struct { int a, b; } pair;
static int seen;
#ifdef LEAVE_OUT
HD_UNSEEN
#endif
static void note(void) { seen++; }
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *a)
{
  hits++;
  pair.b++;
#ifdef RACE
  pair.a++;
#endif
  pthread_mutex_lock(&lock);
  note();
  pthread_mutex_unlock(&lock);
  return a;
}
int main(void)
{
  pthread_t t[2];
  HD_BENIGN_RACE(pair.b);
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  return 0;
}
C
for how in "" -DLEAVE_OUT -DRACE; do "$heddle" cc -g -I"$root/include" $how marked.c -o "marked$how" || exit 1; done
expect_output "races that are meant to be" '^no bug in any interleaving \(complete\)' "$heddle" explore ./marked
expect_output "no others" 'data race on pair.a' search ./marked-DRACE
expect_output "a function that is left out is a loss" 'not complete: functions of it were left out \(HD_UNSEEN\)' "$heddle" explore ./marked-DLEAVE_OUT

# ---- options that are not on the command line ----

mkdir -p project/below && cd project/below || exit 1
printf '# of this project\nmax-executions = 77\njobs=1\nsuppressions = some.supp\nkeep-going = yes\npolicy = coverage\n' >../heddle.conf
printf 'race variable=*\n' >../some.supp
expect_output "options of a file in a folder above" '^no other bug found in 77 executions' "$heddle" check ../../quiet
expect_output "a variable counts more" 'found in 78 executions' env HEDDLE_OPTIONS="--max-executions '78'" "$heddle" check ../../quiet
expect_output "the command line most" 'found in 79 executions' env HEDDLE_OPTIONS=--max-executions=78 "$heddle" check --max-executions 79 ../../quiet
HEDDLE_OPTIONS=--seed=5 run "$heddle" check -v ../../quiet
told "where values come from" '^  max-executions = 77  \(heddle.conf:2\)$'
told "of the variable" '^  seed = 5  \(HEDDLE_OPTIONS\)$'
told "of the command line" '^  verbose = yes  \(command line\)$'
told "paths are seen from the file" 'suppressions = ../some.supp'
cd "$work" || exit 1

# ---- what is drawn meanwhile ----

cat >long.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a[4];
static void *f(void *p)
{
  for (int i = 0; i < 5; i++) {
    atomic_fetch_add(&a[(i + (int)(long)p) % 4], 1);
    if (atomic_load(&a[0]) == 3) atomic_store(&a[1], i);
  }
  return p;
}
int main(void)
{
  pthread_t t[3];
  for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, f, (void *)i);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return 0;
}
C
"$heddle" cc -g long.c -o long || exit 1
cat >watch.py <<'PY'
# Runs a command on a terminal of ROWS and COLUMNS; prints the widest line that was drawn, then the most lines, then all of it.
import fcntl, os, pty, re, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", int(sys.argv[1]), int(sys.argv[2]), 0, 0))
    os.environ["TERM"] = "xterm"
    os.execv(sys.argv[3], sys.argv[3:])
said = b""
while True:
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    said += data
os.waitpid(pid, 0)
frames = [re.sub(r"^\r|\033\[\d+A", "", f) for f in said.decode().split("\033[J")][:-1]
print("widest", max((len(line.rstrip("\r")) for f in frames for line in f.split("\r\n")), default=0))
print("lines", max((len(f.rstrip("\r").split("\r\n")) for f in frames), default=0))
print(said.decode().replace("\033", "ESC"))
PY
run python3 watch.py 24 120 "$heddle" check -j 1 --time 5s --coverage ./long
told "a screen" '^lines 6$'
told "executions and their rate" 'executions  [0-9,]+   [0-9,]+/s   4 threads, [0-9]+ steps at most'
told "what is done, and how much there is of it" 'now +all interleavings by dpor   [0-9.]+ % of about [0-9,]+  [█░]+'
told "who found what" 'found by +rr 0, random 0, pct 0, pos 0, abreast 0, extremes 0, reversals 0, rff 0, surw 0, novel 0, dpor 0'
told "what is covered" 'coverage +points [0-9]+, conflicts [0-9]+, in both orders [0-9]+; nothing new for [0-9,]+ executions'
told "at the end, what was done" '^searched [0-9,]+ executions in [0-9.]+ s \([0-9,]+/s[^)]*\) by rr, random, pct, pos, abreast, extremes, reversals, rff, surw, novel( and dpor|, dpor and causal), put back by snapshot; at most 4 threads'
told "and why it is not complete" 'not complete: the time was up'
run python3 watch.py 24 40 "$heddle" check -j 1 --time 500ms ./long
told "lines are cut to the width" '^widest (3[0-9]|[12][0-9])$'
told "and show that they are" 'executions  [0-9,]+ .*…'
run python3 watch.py 5 100 "$heddle" check -j 1 --time 500ms ./long
told "one line where there is no room" '^lines 1$'
run python3 watch.py 24 100 "$heddle" check --plain -j 1 --time 500ms ./long
not_told "nothing is drawn for logs" 'ESC'

# refused NAME REGEX LINE: in heddle.conf.
refused() {
  printf '%s\n' "$3" >heddle.conf
  run "$heddle" check ./quiet
  if [ "$status" -eq 2 ] && grep -Eq -- "$2" .output; then ok "$1"; else not_ok "$1" "status $status"; fi
}
refused "an unknown option" 'heddle.conf:1: there is no option "jbos"; did you mean jobs\?$' 'jbos = 3'
refused "a wrong value" '--time takes a time such as' 'time = soon'
refused "no flag" 'keep-going is yes or no$' 'keep-going = 3'
refused "a program" 'program stands on the command line only$' 'program = ./quiet'
refused "files elsewhere" 'must be below the folder of this file$' 'json = ../mine.json'
refused "a command that nobody agreed to" "nobody agreed to.* say --build 'touch ran'" 'build = touch ran'
holds "was not run" test ! -e ran
refused "nor a client" 'nobody agreed to' 'client = touch ran'
holds "either" test ! -e ran

cat >ask.py <<'PY'
# Runs heddle on a terminal of its own and answers its question; prints what it said.
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
said, answered = b"", False
while True:
    try:
        data = os.read(fd, 4096)
    except OSError:
        break
    if not data:
        break
    said += data
    if b"[y/N]" in said and not answered:
        os.write(fd, sys.argv[1].encode() + b"\n")
        answered = True
print(said.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
echo 'build = touch ran' >heddle.conf
expect_status "a person says no" 2 python3 ask.py n "$heddle" check --races ignore --max-executions 5 ./quiet
told "and was shown the command" '^ +touch ran'
holds "it is not run" test ! -e ran
expect_status "a person says yes" 0 python3 ask.py y "$heddle" check --races ignore --max-executions 5 ./quiet
holds "it is run" test -e ran
rm ran
expect_status "and is not asked again" 0 "$heddle" check --races ignore --max-executions 5 ./quiet
holds "nor is it forgotten" test -e ran
rm ran
refused "another command is another question" 'nobody agreed to' 'build = touch ran '\''more'\'
mkdir elsewhere && cp heddle.conf quiet elsewhere && echo 'build = touch ran' >elsewhere/heddle.conf
expect_status "and so is another folder" 2 sh -c "cd elsewhere && '$heddle' check ./quiet"
expect_status "the command line asks nobody" 0 "$heddle" check --build 'touch here' --races ignore --max-executions 5 ./quiet
holds "and runs" test -e here
