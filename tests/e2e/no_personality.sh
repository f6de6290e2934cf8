#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle where users run it: address randomisation cannot be switched off (a filter of system calls that forbids
# personality(), as the default profiles of containers do), by an ordinary user, with 1,024 descriptors, in a locale with a
# decimal comma. Everything that one process tells another must hold there, or bugs cannot be confirmed and classes get
# lost.
. "$(dirname "$0")/lib.sh"

cat >launcher.c <<'C'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
  struct sock_filter deny[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 1),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {sizeof deny / sizeof *deny, deny};
  if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    return 125;
  execvp(argv[1], argv + 1);
  return 126;
}
C
# Shared: static data, the heap, main's stack at a large alignment, a thread's stack, thread-local and mapped memory.
cat >everywhere.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
static atomic_int in_data;
static _Thread_local atomic_int in_tls;
static atomic_int *place[5];
static void *write_all(void *value)
{
  for (int i = 0; i < 5; i++) atomic_store(place[i], (int)(long)value);
  return NULL;
}
static void *start(void *unused)
{
  pthread_t t[2];
  atomic_int on_stack = 0;
  place[4] = &on_stack;
  for (long i = 0; i < 2; i++) pthread_create(&t[i], NULL, write_all, (void *)i);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  return unused;
}
int main(void)
{
  _Alignas(128) atomic_int on_main = 0;
  pthread_t t;
  place[0] = &in_data;
  place[1] = &on_main;
  place[2] = &in_tls;
  place[3] = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_create(&t, NULL, start, NULL);
  pthread_join(t, NULL);
  return 0;
}
C
cat >bank.c <<'C'
#include <assert.h>
#include <pthread.h>
static int balance = 100;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *pay(void *amount)
{
  pthread_mutex_lock(&lock);
  int old = balance;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  balance = old + (int)(long)amount;
  pthread_mutex_unlock(&lock);
  return NULL;
}
int main(void)
{
  pthread_t a, b;
  pthread_create(&a, NULL, pay, (void *)10L);
  pthread_create(&b, NULL, pay, (void *)10L);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(balance == 120);
  return 0;
}
C
cat >abba.c <<'C'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void take(pthread_mutex_t *first, pthread_mutex_t *second)
{
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}
static void *there(void *p) { take(&a, &b); return p; }
static void *back(void *p) { take(&b, &a); return p; }
int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, there, NULL);
  pthread_join(t, NULL);
  pthread_create(&t, NULL, back, NULL);
  pthread_join(t, NULL);
  pthread_t u;
  pthread_create(&t, NULL, there, NULL);
  pthread_create(&u, NULL, back, NULL);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  return 0;
}
C
cat >core.c <<'C'
#include <stdio.h>
#include <sys/resource.h>
int main(void)
{
  struct rlimit core, files;
  getrlimit(RLIMIT_CORE, &core);
  getrlimit(RLIMIT_NOFILE, &files);
  printf("%lu %lu\n", (unsigned long)core.rlim_max, (unsigned long)files.rlim_cur);
  return 0;
}
C
cp "$root/tests/edges/own_hard_limit.c" .
check "the launcher builds" cc -O1 launcher.c -o launcher
for program in everywhere bank abba core own_hard_limit; do
  check "$program builds" "$heddle" cc -O1 -g $program.c -o $program -pthread
done

locale=C.UTF-8
if command -v localedef >/dev/null && localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" >/dev/null 2>&1; then
  locale=de_DE.UTF-8
fi
user=()
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
  user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  chmod 755 "$work"
  mkdir -p "$work/out"
  chmod 777 "$work/out"
  # Who cannot get at heddle itself is no test of it.
  "${user[@]}" test -x "$heddle" && "${user[@]}" test -r "${heddle%/*}/libheddle.so" || user=()
else
  mkdir -p "$work/out"
fi
cd "$work/out" || exit 1

# there COMMAND...: as a user would there. Only the soft limit is lowered: heddle may raise it.
there() {
  (ulimit -Sn 1024 && exec env LOCPATH="$work" LC_ALL="$locale" HOME="$work/out" "${user[@]}" "$work/launcher" "$@")
}
# number FILE KEY: a number of the JSON document.
number() { sed -n "s/^  \"$2\": \([0-9.a-z]*\),\{0,1\}$/\1/p" "$1"; }

expect_output "two processes have their stacks at different places" '^different$' there bash -c '
  [ "$(grep -F "[stack]" /proc/self/maps)" != "$(grep -F "[stack]" /proc/self/maps)" ] && echo different ||
  [ "$(cat /proc/sys/kernel/randomize_va_space)" = 0 ] && echo different'

# counts NAME WANTED OPTIONS...: so many executions, complete.
counts() {
  local name=$1 wanted=$2
  shift 2
  run there "$heddle" explore -q --races ignore --json result.json "$@"
  local is
  is="$status $(number result.json executions) $(number result.json blocked_executions) $(number result.json complete)"
  if [ "$is" = "0 $wanted 0 true" ]; then ok "$name"; else not_ok "$name" "$is, not 0 $wanted 0 true"; fi
}
# Two threads that write to five variables each, in this order: each is written last by one or the other.
counts "explore -j 1: the known number" 32 -j 1 "$work/everywhere"
counts "explore -j 2: as many" 32 -j 2 "$work/everywhere"
counts "explore in forked processes: as many" 32 -j 2 --reset fork "$work/everywhere"
counts "explore in fresh processes: as many" 32 -j 2 --reset exec "$work/everywhere"
run there "$heddle" explore -q --races ignore -j 1 --max-executions 9 --checkpoint part "$work/everywhere"
run there "$heddle" explore -q --races ignore -j 1 --max-executions 20 --resume part "$work/everywhere"
counts "explore resumed twice: as many" 32 -j 2 --resume part "$work/everywhere"

expect_status "check finds the lost payment" 1 there "$heddle" check --time 20s --out found "$work/bank"
if grep -q 'heddle replay' "$work/.output"; then ok "and it is confirmed"; else not_ok "and it is confirmed"; fi
schedule=$(find found -name '*.hd' | head -n 1)
again=0
for _ in $(seq 100); do
  there "$heddle" replay -q "$schedule" >"$work/.output" 2>&1
  [ $? -eq 1 ] && again=$((again + 1))
done
if [ "$again" -eq 100 ]; then ok "replayed 100 times of 100"; else not_ok "replayed 100 times of 100" "$again"; fi
expect_status "explore finds it too" 1 there "$heddle" explore -q --out explored "$work/bank"
expect_status "and in fresh processes" 1 there "$heddle" explore -q --reset exec --out explored "$work/bank"
expect_output "predict finds the deadlock of two locks" 'deadlock' there "$heddle" predict --out predicted "$work/abba"

# Limits are the user's: what heddle changes for itself the program does not see, and what the program lowers for good, since
# an ordinary user cannot raise it again, is back in the next execution.
natively=$(there "$work/core")
expect_output "the program has the limits it has without heddle" "^    $natively\$" \
  there "$heddle" run --runs 1 --output all "$work/core"
counts "a hard limit is lowered" 2 "$work/own_hard_limit"
