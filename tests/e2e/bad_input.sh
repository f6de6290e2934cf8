#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Wrong uses and programs that behave badly, as a table. What heddle cannot do is told in exactly one line with status 2
# (the command or its input is wrong) or 3 (heddle cannot do it); what it can do it does. Never a hang, never a file lost,
# never a process left behind.
. "$(dirname "$0")/lib.sh"

limit=200 # seconds a case may take on a loaded machine

# told NAME STATUS REGEX ARGUMENTS...: all that heddle says is one line on standard error that matches, and that status.
told() {
  local name=$1 wanted=$2 regex=$3 status
  shift 3
  timeout -k 5 "$limit" "$heddle" "$@" <"${input:-/dev/null}" >stdout.txt 2>"$work/.output"
  status=$?
  if [ "$status" -ne "$wanted" ]; then
    not_ok "$name" "status $status, not $wanted"
  elif [ "$(wc -l <"$work/.output")" -ne 1 ] || [ -s stdout.txt ]; then
    not_ok "$name" "not exactly one line"
  elif ! grep -Eq "^heddle: .*$regex" "$work/.output"; then
    not_ok "$name" "does not match $regex"
  else
    ok "$name"
  fi
}

# does NAME STATUS REGEX ARGUMENTS...: that status, and a line of the output, on whatever stream, matches.
does() {
  local name=$1 wanted=$2 regex=$3
  shift 3
  run timeout -k 5 "$limit" "$heddle" "$@" <"${input:-/dev/null}"
  if [ "$status" -ne "$wanted" ]; then
    not_ok "$name" "status $status, not $wanted"
  elif ! grep -Eaq -- "$regex" "$work/.output"; then
    not_ok "$name" "no line matches $regex"
  else
    ok "$name"
  fi
}

# holds NAME COMMAND...: the case holds if the command succeeds.
holds() {
  local name=$1
  shift
  if "$@" >/dev/null 2>&1; then ok "$name"; else not_ok "$name"; fi
}

# bytes FILE OFFSET OCTAL...: overwrites bytes.
bytes() {
  local file=$1 offset=$2
  shift 2
  printf "$(printf '\\%s' "$@")" | dd of="$file" bs=1 seek="$offset" conv=notrunc 2>/dev/null
}

# ---- files that are no program ----

cat >main.c <<'C'
int main(void) { return 0; }
C
gcc -g -o program main.c
told "a missing program" 2 'no such program' check ./nothing
told "a folder" 2 'is a folder' check .
cp program plain && chmod -x plain
told "a program that is not executable" 2 'chmod \+x' check ./plain
: >empty && chmod +x empty
told "an empty file" 2 'is empty' check ./empty
echo hello >text.txt && chmod +x text.txt
told "a text file" 2 'is not a program .* nor a C' check ./text.txt
cp main.c main.txt
told "a source with a wrong ending" 2 'is not a program .* nor a C' check main.txt
printf '#!/bin/sh\nexit 0\n' >script && chmod +x script
told "a script" 2 'is a script.*inside the script' check ./script
gcc -static -o static main.c
told "a static program" 2 'without -static' check ./static
cp program arm && bytes arm 18 267 0
told "a program for another machine" 2 'another machine \(64-bit ARM\)' check ./arm
cp program narrow && bytes narrow 4 1
told "a 32-bit program" 2 'another machine' check ./narrow
for size in 3 20 63 64 100 500; do
  head -c $size program >"cut" && chmod +x "cut"
  timeout $limit "$heddle" check ./cut </dev/null >.output 2>&1
  echo "$? $(wc -l <.output)"
done | sort -u >cuts.txt
holds "a program cut short anywhere" test "$(cat cuts.txt)" = "2 1"
echo 'int f(void) { return 1; }' >lib.c
gcc -shared -fPIC -o liblib.so lib.c
told "a shared library" 2 'is a shared library' check ./liblib.so
gcc -c main.c -o object.o
told "an object file" 2 'is an object file' check ./object.o
gcc -o foreign main.c -Wl,--dynamic-linker=/no/such/ld.so
told "an interpreter that is not there" 2 'needs the dynamic linker /no/such/ld.so' check ./foreign
mkfifo fifo
told "a pipe" 2 'is not a regular file' check ./fifo
if [ "$(id -u)" -eq 0 ]; then
  cp program owned && chown 65534 owned && chmod 4755 owned
  told "a setuid program" 2 'rights of another user' check ./owned
fi
name=$(printf 'no\377such\033[31m')
told "escapes and no UTF-8 in a name" 2 'no\\xffsuch\\x1b\[31m' check "./$name"
cp program "$name"
does "a program of such a name" 0 'no bug found' check --json name.json "./$name"
holds "its JSON document" python3 -c 'import json; json.load(open("name.json"))'
strip -o stripped program
does "a stripped program" 0 'no bug found' check ./stripped
gcc -o needs main.c -L. -Wl,--no-as-needed -llib && rm liblib.so
does "a missing library" 2 'liblib.so' check ./needs
holds "the first line names the program" grep -q '^heddle: ./needs cannot be loaded' .output

# ---- source files ----

told "a missing source" 2 'no such source file' check nothing.c
echo 'int main(void) { return x; }' >broken.c
does "a source with an error" 2 'broken.c:1:.*error' check broken.c
holds "nothing is left of it" test ! -e heddle-out
cat >flags.cpp <<'C'
#include <cmath>
#if __cplusplus < 202002L || !defined GIVEN
#error "without the flags"
#endif
int main(int argc, char **) { return std::isnan(std::lgamma(argc)); }
C
run env CXXFLAGS="-std=c++20 -Wall" CPPFLAGS='-D "GIVEN=a b"' LDFLAGS=-Wl,-z,now LDLIBS=-lm "$heddle" check flags.cpp </dev/null
holds "CXXFLAGS, CPPFLAGS, LDFLAGS and LDLIBS" test "$status" -eq 0
run env CFLAGS=-DX=0 "$heddle" check -q broken.c </dev/null
holds "CFLAGS" test "$status" -eq 2
sed 's/return x/return X/' broken.c >given.c
run env CFLAGS=-DX=0 "$heddle" check -q given.c </dev/null
holds "CFLAGS, the other way" test "$status" -eq 0

# ---- options ----

told "no program" 2 'needs a program' check
told "no time" 2 '--time takes a time' check --time abc ./program
told "negative runs" 2 '--runs takes a number' run --runs -1 ./program
told "no seed" 2 '--seed takes a number' run --seed x ./program
told "an unknown strategy" 2 'no strategy "magic"' run --strategy magic ./program
told "an unknown option" 2 'no option --tmie; did you mean --time' check --tmie 3 ./program
told "an option after the program" 2 'options come before' check ./program --seed 3
told "no jobs" 2 '--jobs takes a number from 1' check -j 0 ./program
told "too many jobs" 2 '--jobs takes at most' check -j 100000 ./program
does "more jobs than processors" 0 'no bug found' check -j 200 ./program

# ---- places to write to ----

echo precious >precious.txt
told "--json onto a file that is no JSON" 2 'not overwritten' check --json precious.txt ./program
told "--json into a missing folder" 2 'cannot be written' check --json no/such/x.json ./program
told "--out is a file" 2 'is a file, not a folder' check --out precious.txt ./program
holds "the file is as it was" test "$(cat precious.txt)" = precious

cat >bank.c <<'C'
#include <assert.h>
#include <pthread.h>
static int balance = 100;
static void *withdraw(void *amount)
{
  int now = balance;
  balance = now - *(int *)amount;
  return 0;
}
int main(void)
{
  pthread_t a, b;
  int x = 10, y = 20;
  pthread_create(&a, 0, withdraw, &x);
  pthread_create(&b, 0, withdraw, &y);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(balance == 70);
}
C
"$heddle" cc -g bank.c -o bank
mkdir tiny
if mount -t tmpfs -o size=4k tmpfs tiny 2>/dev/null; then
  dd if=/dev/zero of=tiny/fill bs=4k count=2 2>/dev/null
  does "--out on a full disk" 1 'heddle: .*(No space left|not written|no file can be made)' check --out tiny/out ./bank
  does "--json on a full disk" 1 'heddle: .*No space left' check --json tiny/x.json ./bank
  does "a source, --out on a full disk" 2 'heddle: .*' check --out tiny/out bank.c
  umount tiny
fi
if [ "$(id -u)" -ne 0 ]; then
  mkdir locked && chmod 555 locked
  told "--out in a folder that cannot be written" 2 'cannot be made' check --out locked/out bank.c
fi
does "--out below a file" 2 'precious.txt/x' check --out precious.txt/x ./bank
"$heddle" check ./bank </dev/null >/dev/full 2>.output
holds "standard output on a full disk" grep -q '^heddle: standard output cannot be written' .output

# ---- schedule files ----

rm -rf heddle-out
"$heddle" check -j 1 --races ignore ./bank </dev/null >/dev/null 2>&1
cp heddle-out/bank-1.hd good.hd
does "a good schedule" 1 'the bug shows again' replay good.hd
told "a missing schedule" 2 'nothing.hd' replay nothing.hd
: >empty.hd
told "an empty schedule" 2 'empty.hd' replay empty.hd
told "a folder as a schedule" 2 '' replay .
told "a program as a schedule" 2 'program' replay ./program
head -c 4096 /dev/urandom >noise.hd
told "noise as a schedule" 2 'noise.hd' replay noise.hd
lines=$(wc -l <good.hd)
for ((n = 1; n < lines; n++)); do
  head -n "$n" good.hd >cut.hd
  timeout $limit "$heddle" replay cut.hd </dev/null >.output 2>&1
  echo "$? $(grep -c '^heddle: .*cut.hd' .output) $(wc -l <.output)"
done | sort -u >cuts.txt
holds "a schedule cut after any line" test "$(cat cuts.txt)" = "2 1 1"
awk '/^main [0-9]/ { $2 += 500 } { print }' good.hd >edited.hd
run timeout $limit "$heddle" replay edited.hd </dev/null
holds "edited counts: followed, or told where not" test "$status" -le 3 -a "$status" -ne 2 -a "$(grep -c '^heddle: ' .output)" -le 1
sed 's/schedule [0-9]*/schedule 999/' good.hd >version.hd
told "a schedule of another version" 2 'version.hd.*999' replay version.hd
sed 's|^program.*|program   ./program|' good.hd >swapped.hd
told "a schedule of another program" 2 'swapped.hd was not recorded by you.*/program ' replay swapped.hd
cp bank kept && "$heddle" cc -g -O2 bank.c -o bank
run timeout -k 5 $limit "$heddle" replay good.hd </dev/null
holds "a schedule of another build: followed or left, and that is said" test "$status" -ne 2 -a "$(grep -c 'bank was rebuilt since good.hd' .output)" -eq 1
mv kept bank
if [ "$(id -u)" -ne 0 ]; then
  cp good.hd secret.hd && chmod 0 secret.hd
  told "a schedule that cannot be read" 2 'secret.hd.*denied' replay secret.hd
fi
holds "the schedule is as it was" cmp good.hd heddle-out/bank-1.hd

# ---- programs that behave badly ----

cat >odd.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#define CASE(name) if (!strcmp(what, #name))
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2], word, deep;
static char page[8192];
static void *meet(void *a) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); return a; }
static void *wait_for_pipe(void *a) { char c; return read(ends[0], &c, 1) == 1 ? a : a; }
static int recurse(int n) { volatile char b[4096]; b[n & 4095] = 1; return recurse(n + 1) + b[0]; }
static void *overflow(void *a) { deep = recurse(0); return a; }
static int raw_thread(void *a) { (void)a; for (;;) pause(); }
static void threads(int n, void *(*body)(void *))
{
  static pthread_t t[4096];
  for (int i = 0; i < n; i++)
    if (pthread_create(&t[i], 0, body, 0)) exit(8);
  for (int i = 0; i < n; i++) pthread_join(t[i], 0);
}
static void child(pid_t pid)
{
  int status;
  if (pid == 0) _exit(0);
  if (waitpid(pid, &status, 0) != pid || status) exit(7);
}
int main(int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "";
  sigset_t none;
  sigemptyset(&none);
  CASE(close2) close(2);
  CASE(close_all) for (int i = 0; i < 1024; i++) close(i);
  CASE(close_range) syscall(SYS_close_range, 0, ~0u, 0);
  CASE(forks) child(fork());
  CASE(vforks) { pid_t p = vfork(); if (!p) { execl("/bin/true", "true", (char *)0); _exit(9); } child(p); }
  CASE(vfork_fails) { int s; pid_t p = vfork(); if (!p) { execl("/no/such", "x", (char *)0); _exit(9); } waitpid(p, &s, 0); if (WEXITSTATUS(s) != 9) return 5; }
  CASE(system) if (system("true")) return 6;
  CASE(exec) execl("/bin/true", "true", (char *)0);
  CASE(exec_self) execl("/proc/self/exe", argv[0], "exec_self", (char *)0);
  CASE(raw_clone) { char *s = malloc(65536); clone(raw_thread, s + 65536, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, 0); }
  CASE(leave_daemon) if (!fork()) { setsid(); if (!fork()) { prctl(PR_SET_NAME, "hd-left-behind"); for (int i = 3; i < 200; i++) close(i); sleep(60); } _exit(0); }
  CASE(eat_malloc) for (;;) { char *p = malloc(1 << 20); memset(p, 1, 1 << 20); }
  CASE(eat_mmap) for (;;) { char *p = mmap(0, 1 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); memset(p, 1, 1 << 20); }
  CASE(overflow) threads(1, overflow);
  CASE(overflow_main) overflow(0);
  CASE(loop) for (volatile int i = 0;; i = 0) ;
  CASE(loop_private) { int *p = calloc(10, sizeof *p); for (;;) for (int i = 0; i < 10; i++) p[i]++; }
  CASE(pipe) { if (pipe(ends)) return 5; threads(1, wait_for_pipe); }
  CASE(socket) { int s = socket(AF_INET, SOCK_STREAM, 0); listen(s, 1); accept(s, 0, 0); }
  CASE(pause) pause();
  CASE(sigsuspend) sigsuspend(&none);
  CASE(select) select(0, 0, 0, 0, 0);
  CASE(select_sleeps) { struct timeval t = {3600, 0}; if (select(0, 0, 0, 0, &t)) return 5; }
  CASE(futex) { long r; register long r10 __asm__("r10") = 0; __asm__ volatile("syscall" : "=a"(r) : "a"(SYS_futex), "D"(&word), "S"(128), "d"(0), "r"(r10) : "rcx", "r11", "memory"); }
  CASE(io_uring) { char p[256] = ""; if (syscall(SYS_io_uring_setup, 4, p) >= 0) return 5; }
  CASE(sigkill) kill(getpid(), SIGKILL);
  CASE(sigstop) raise(SIGSTOP);
  CASE(sigterm) raise(SIGTERM);
  CASE(seccomp) { prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT); }
  CASE(altstack) { stack_t s = {.ss_sp = page, .ss_size = sizeof page}; if (sigaltstack(&s, 0)) return 5; }
  CASE(rlimit) { struct rlimit r = {1 << 20, 1 << 20}; setrlimit(RLIMIT_AS, &r); setrlimit(RLIMIT_FSIZE, &r); r.rlim_cur = 4; setrlimit(RLIMIT_NOFILE, &r); }
  CASE(file) { FILE *f = fopen("made.txt", "a"); if (!f) return 5; fputs("line\n", f); fclose(f); }
  CASE(chdir) if (chdir("/") || access("etc", F_OK)) return 5;
  CASE(delete_self) unlink(argv[0]);
  CASE(unmap_code) munmap((void *)((uintptr_t)main & ~4095ul), 4096);
  CASE(unmap_stack) munmap((void *)((uintptr_t)&argc & ~4095ul), 4096);
  CASE(unmap_all) munmap((void *)4096, (1ul << 47) - 8192);
  CASE(protect) { mprotect((void *)(((uintptr_t)page + 4095) & ~4095ul), 4096, PROT_NONE); page[4096] = 1; }
  CASE(much_output) { memset(page, 'x', 1000); page[999] = '\n'; for (int i = 0; i < 100000; i++) fwrite(page, 1, 1000, stdout); fflush(stdout); return 5; }
  CASE(escapes) { if (write(1, "a\0b\033[31mred\007\r\377\376\n", 16) != 16) return 6; return 5; }
  CASE(thread_name) { pthread_setname_np(pthread_self(), "\377\033[31m\n"); pthread_mutex_lock(&lock); pthread_mutex_lock(&lock); }
  CASE(input) { int c, n = 0; while ((c = getchar()) != EOF) n += c; if (n != 3 * 'a' + '\n') return 5; }
  CASE(arguments) if (argc != 4 || strlen(argv[2]) != 100000 || strlen(argv[3]) != 100000) return 5;
  CASE(many_threads) threads(300, meet);
  CASE(far_too_many) threads(4000, meet);
  threads(2, meet);
  return 0;
}
C
gcc -g -w -o odd odd.c
"$heddle" cc -g -w -o odd-hooks odd.c
quick=(--max-executions 20 --grace 1s)
odd() { does "$1" "$2" "$3" check "${quick[@]}" ./odd -- "${@:4}"; }
stuck() { told "$1" 3 "$2" check "${quick[@]}" ./odd -- "$3"; }

odd "closes standard error" 0 'no bug found' close2
odd "closes all descriptors" 0 'reset by fork: the program closes a descriptor' close_all 9</dev/null
(
  for fd in /proc/self/fd/*; do
    fd=${fd##*/}
    if [ "$fd" -gt 2 ]; then eval "exec $fd>&-"; fi
  done
  odd "closes all descriptors, started with the standard ones alone" 0 'no bug found in 20 executions' close_all
)
odd "closes all with close_range" 0 'no bug' close_range
odd "forks" 0 'no bug' forks
odd "forks, and is checked" 0 'no bug found in 20 executions' forks
odd "vforks" 0 'no bug found' vforks
odd "vforks in vain" 0 'no bug' vfork_fails
odd "calls system()" 0 'no bug found' system
odd "goes on as another program" 0 'only one thread was ever seen' exec
stuck "goes on as itself, again and again" 'did not come to the end of one execution' exec_self
stuck "a raw thread" 'raw clone\(\)' raw_clone
odd "leaves a daemon" 0 'no bug found' leave_daemon
holds "the daemon is gone" test -z "$(cat /proc/[0-9]*/comm 2>/dev/null | grep hd-left-behind)"
told "eats memory with malloc" 3 '--memory' check "${quick[@]}" --grace 20s --memory 64M ./odd -- eat_malloc
told "eats memory with mmap" 3 '--memory' check "${quick[@]}" --grace 20s --memory 64M ./odd -- eat_mmap
odd "stack overflow in a thread" 1 'stack overflow' overflow
odd "stack overflow in main" 1 'stack overflow' overflow_main
stuck "an endless loop" 'stuck at odd.c:[0-9]+ .*loop without scheduling points' loop
told "an endless loop of private accesses, with hooks" 3 'stuck at odd.c:[0-9]+' check "${quick[@]}" ./odd-hooks -- loop_private
odd "a pipe nobody writes to" 1 'deadlock' pipe
stuck "a socket nobody connects to" 'waits for input from outside the program \(accept' socket
odd "pause for ever" 1 'deadlock: .*signal.*odd.c:' pause
odd "sigsuspend for ever" 1 'deadlock: .*signal.*odd.c:' sigsuspend
stuck "select for ever" 'waits for input from outside the program' select
odd "select that sleeps an hour" 0 'no bug found' select_sleeps
odd "a raw futex nobody wakes" 1 'deadlock: .*futex' futex
odd "io_uring" 0 'asked for io_uring \(io_uring_setup\).*ENOSYS' io_uring
odd "io_uring, that it can do without" 0 'no bug found' io_uring
odd "SIGKILL to itself" 1 'killed by SIGKILL +odd.c:' sigkill
odd "SIGSTOP to itself" 1 'stopped by SIGSTOP +odd.c:' sigstop
odd "SIGTERM to itself" 1 'killed by SIGTERM +odd.c:' sigterm
odd "its own seccomp" 0 'no bug found' seccomp
odd "its own signal stack" 0 'no bug found' altstack
odd "its own limits, within which there is no room for a thread" 1 'ended with exit status 8' rlimit
odd "writes a file" 0 'no bug found' file
holds "it is not there" test ! -e made.txt
does "writes a file, really" 0 'reset by fork: the program writes files \(opens made.txt\).*odd.c:' check "${quick[@]}" --files real ./odd -- file
odd "changes folder" 0 'no bug found' chdir
does "changes folder, really" 0 'reset by fork: the program calls chdir' check "${quick[@]}" --files real ./odd -- chdir
cp odd gone
does "deletes itself" 0 'no bug found' check "${quick[@]}" ./gone -- delete_self
does "deletes itself, really: told" 2 'gone cannot be started: No such file' check "${quick[@]}" --files real ./gone -- delete_self
odd "unmaps its code" 1 'SIGSEGV' unmap_code
odd "unmaps its stack" 1 'SIGSEGV' unmap_stack
run timeout -k 5 $limit "$heddle" check "${quick[@]}" ./odd -- unmap_all </dev/null
holds "unmaps everything" test "$status" -eq 1 -o "$status" -eq 3
odd "protects its data" 1 'SIGSEGV' protect
does "100 MB of output" 1 'exit status 5' check "${quick[@]}" --grace 20s ./odd -- much_output
holds "most of it is left out" test "$(wc -c <.output)" -lt 100000
odd "escapes in the output" 1 '^ +a.b\\x1b\[31mred\\x07\\x0d\\xff\\xfe$' escapes
odd "escapes in a thread's name" 1 'deadlock' thread_name
holds "no escape comes through" test -z "$(grep -a $'\033' .output)"
echo aaa >three.txt
input=three.txt does "the same input for every execution" 0 'no bug found' check "${quick[@]}" ./odd -- input
input=three.txt does "in fork mode too" 0 'no bug found' check "${quick[@]}" --reset fork ./odd -- input
input=three.txt does "in exec mode too" 0 'no bug found' check "${quick[@]}" --reset exec ./odd -- input
long=$(head -c 100000 /dev/zero | tr '\0' x)
odd "very long arguments" 0 'no bug found' arguments "$long" "$long"
run timeout -k 5 $limit "$heddle" check "${quick[@]}" ./odd -- many_threads </dev/null
holds "300 threads: done or told" test "$status" -eq 0 -o \( "$status" -eq 3 -a "$(grep -c '^heddle: ' .output)" -eq 1 \)
stuck "4000 threads" 'more than [0-9]+ threads' far_too_many

# before BODY: a program with that constructor.
before() {
  cat >before.c <<C
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static void *f(void *a) { return a; }
__attribute__((constructor)) static void before(void) { pthread_t t; (void)t; (void)f; $1 }
int main(void) { return 0; }
C
  gcc -g -o before before.c
}
before '*(volatile int *)8 = 1;'
told "a crash in a constructor" 3 'SIGSEGV.*before main' check ./before
before 'exit(4);'
told "an exit in a constructor" 3 'status 4 before main' check ./before
before 'pthread_create(&t, 0, f, 0);'
told "a thread in a constructor" 3 'starts a thread before main.*before.c:6' check ./before
before 'for (volatile int i = 0;; i = 0) ;'
told "a constructor without end" 3 'did not get to main' check --time 1s --grace 1s ./before
before 'kill(getpid(), SIGKILL);'
told "killed in a constructor, always" 3 'SIGKILL.*before main' check ./before

# What somebody else kills is started again: a search, and the fresh process that shows a bug once more.
before 'if (!unlink("to_kill")) kill(getpid(), SIGKILL);'
sed -i 's/return 0; }/abort(); }/' before.c && gcc -g -o before before.c
: >to_kill
run "$heddle" check --out killed ./before </dev/null
holds "killed at its first start: the bug is found" test "$status" -eq 1 -a ! -e to_kill
: >to_kill
run "$heddle" replay killed/*.hd </dev/null
holds "killed at the start of a replay: it shows the bug" test "$status" -eq 1 -a ! -e to_kill

# ---- heddle itself ----

run env HEDDLE_CONTROL=77,78 "$heddle" check --max-executions 5 ./odd-hooks </dev/null
holds "HEDDLE_CONTROL set by hand: heddle does not mind" test "$status" -eq 0
run env HEDDLE_CONTROL=77,78 ./odd-hooks
holds "the program alone tells" test "$status" -eq 3 -a "$(grep -c 'HEDDLE_CONTROL is set' .output)" -eq 1
run env HEDDLE_CONTROL=rubbish ./odd-hooks
holds "with rubbish in it too" test "$status" -eq 3 -a "$(grep -c 'HEDDLE_CONTROL is set' .output)" -eq 1
mkdir alone && cp "$heddle" alone/heddle
ours=$heddle
heddle=$work/alone/heddle
told "libheddle.so is not there" 3 'libheddle.so is not next to heddle' check ./program
echo rubbish >alone/libheddle.so
told "libheddle.so is rubbish" 3 'libheddle.so is not a library' check ./program
gcc -shared -fPIC -o alone/libheddle.so lib.c
told "libheddle.so is another library" 3 'before main' check ./program
cp "$(dirname "$ours")/libheddle.so" alone/ 2>/dev/null && does "both moved together" 0 'no bug found' check ./program
heddle=$ours

for closed in '0<&-' '1>&-' '2>&-' '0<&- 1>&- 2>&-'; do
  eval "timeout $limit \"\$heddle\" check -j 1 --out closed-out ./bank $closed" 2>/dev/null >/dev/null
  [ $? -eq 1 ] && ok "heddle with $closed" || not_ok "heddle with $closed"
done

# children PID: its children.
children() { cat "/proc/$1/task/$1/children" 2>/dev/null; }
# worked PID...: the hundredths of a second that each of them has had of a processor, or more.
worked() {
  for pid; do sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null || echo; done |
    awk 'NR == 1 || $12 + $13 < least { least = $12 + $13 } END { print least + 0 }'
}
# begin ARGUMENTS...: starts a long search in the background, as $search, and waits until both its workers are at it.
begin() {
  "$heddle" "$@" </dev/null >.output 2>&1 &
  search=$!
  for _ in $(seq 400); do
    # shellcheck disable=SC2046 # a list of numbers
    [ "$(children $search | wc -w)" -ge 2 ] && [ "$(worked $(children $search))" -ge 5 ] && break
    sleep 0.05
  done
}
cat >fine.c <<'C'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *f(void *a) { pthread_mutex_lock(&lock); n++; pthread_mutex_unlock(&lock); return a; }
int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, 0); for (int i = 0; i < 3; i++) pthread_join(t[i], 0); return n - 3; }
C
"$heddle" cc -g fine.c -o fine
for signal in TERM HUP; do
  begin check --strategy random -j 2 --time 60s ./fine
  kill -$signal $search
  wait $search
  status=$?
  holds "interrupted by SIG$signal: status 3 and how far it came" test "$status" -eq 3 -a "$(grep -c 'interrupted after [0-9,]* executions; nothing' .output)" -eq 1
done
setsid python3 - "$heddle" >.output 2>&1 <<'P' # a shell starts background jobs with SIGINT ignored
import signal, subprocess, sys, time
p = subprocess.Popen([sys.argv[1], "run", "--time", "60s", "--races", "ignore", "./bank"], stdin=subprocess.DEVNULL,
                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
def worked():  # hundredths of a second of all its workers
    try:
        workers = open(f"/proc/{p.pid}/task/{p.pid}/children").read().split()
        return sum(int(n) for w in workers for n in open(f"/proc/{w}/stat").read().rsplit(")", 1)[1].split()[11:13])
    except OSError:
        return 0
until = time.monotonic() + 30
while worked() < 50 and time.monotonic() < until:
    time.sleep(0.05)
p.send_signal(signal.SIGINT)
sys.exit(p.wait(30))
P
status=$?
holds "Ctrl-C: status 1 when a bug was found" test "$status" -eq 1
holds "it is told" grep -q 'assertion failed: balance == 70' .output
holds "and that it was interrupted" grep -q 'interrupted after' .output

begin check --strategy random -j 2 --time 2s ./fine
victim=$(children $search | awk '{ print $1 }')
kill -9 "$victim"
wait $search
status=$?
holds "a worker killed: the search goes on" test "$status" -eq 0 -a "$(grep -c 'no bug found in' .output)" -eq 1
begin check --strategy random -j 2 --time 60s ./fine
workers=$(children $search)
kill -9 $search
wait $search 2>/dev/null
for _ in $(seq 200); do
  left=0
  for pid in $workers; do grep -q '^State:[[:space:]][^ZX]' "/proc/$pid/status" 2>/dev/null && left=$((left + 1)); done
  [ $left -eq 0 ] && break
  sleep 0.05
done
[ -n "$workers" ] && [ $left -eq 0 ] && ok "heddle killed: its workers end too" || not_ok "heddle killed: its workers end too" "$left left of $workers"

# ---- what is printed ----

does "one thread: said in one line" 0 'only one thread was ever seen' check ./program
holds "one line only" test "$(wc -l <.output)" -eq 1
does "--quiet: only the bug" 1 'assertion failed' check --quiet --races ignore ./bank
holds "no more than that" test "$(wc -l <.output)" -eq 1
