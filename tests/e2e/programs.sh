#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Programs as the system has them, which start others: under control they print what they print without it, whatever
# the schedule, and nothing is held against them.
. "$(dirname "$0")/lib.sh"

seq 300 -1 1 >numbers
printf 'all: one two\none:\n\t@echo one >$@.made\ntwo: one\n\t@cat one.made; rm one.made\n' >Makefile

# same NAME COMMAND...: twenty random schedules, each with the output that there is natively.
same() {
  local name=$1
  shift
  if ! command -v "$1" >/dev/null; then
    ok "$name # SKIP no $1"
    return
  fi
  "$@" >native 2>&1 </dev/null
  for _ in $(seq 20); do cat native; done >wanted
  run "$heddle" run --strategy random --runs 20 -j1 --leaks ignore --output all "$(command -v "$1")" -- "${@:2}"
  sed -n 's/^    //p' .output >printed
  if [ "$status" -eq 0 ] && cmp -s wanted printed; then ok "$name"; else not_ok "$name" "status $status"; fi
}

same "a pipeline" sh -c 'seq 10 | sort -r | head -3'
same "a loop into a pipe" sh -c 'for i in 1 2 3; do echo $i; done | cat'
same "files" sh -c 'seq 3 | tee one two | cat; cat one two; rm one two'
same "errors to nowhere" sh -c 'dd if=numbers bs=100 count=2 2>/dev/null | cksum'
same "a job in the background" sh -c '(exit 4) & wait $!; echo $?'
same "command substitution" sh -c 'x=$(seq 3 | tr "\n" ,); echo "$x"'
same "a FIFO" sh -c 'mkfifo between; echo words >between & cat between; wait; rm between'
same "locks of files" sh -c 'echo 0 >n; for i in 1 2; do flock n sh -c "read x <n; echo \$((x+1)) >n" & done; wait; cat n; rm n'
same "process substitution" bash -c 'cat <(echo a) <(echo b)'
same "make" make -s -j2
same "a compressor with threads" sh -c 'xz -T2 --block-size=1KiB -c numbers | xz -dc | cksum'

# What it has written itself the kernel does not have.
same "a script that the program wrote" sh -c 'printf "#!/bin/sh -e\necho \$0 \$1 \$-\n" >made; chmod +x made; ./made a b; rm made'
same "a program that the program wrote" sh -c 'cp /bin/echo here; ./here one; mv here there; ./there two; rm there; ./there 2>/dev/null || echo gone'
same "a script for an interpreter that the program wrote" sh -c \
  'cp /bin/cat reader; printf "#!./reader\n" >text; chmod +x text; ./text; rm reader text'

# A program of heddle's in a shell: the bug is found, can be followed again, and is told with its memory.
cat >lost.c <<'END'
#include <pthread.h>

static volatile int sum;

static void *add(void *unused)
{
  sum++;
  return unused;
}

int main(int argc, char **argv)
{
  pthread_t thread[2];
  (void)argv;
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, add, NULL);
  if (argc > 1)
    pthread_cancel(thread[0]); /* that it could makes calls of this program cancellation points, not those of the shell */
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return sum != 2;
}
END
"$heddle" cc -g lost.c -o lost
for seed in 1 2; do
  expect_output "a lost update in a program of the shell, seed $seed" "update is lost" \
    "$heddle" run --strategy random --seed $seed --runs 20 -j1 --races ignore -- sh -c ./lost
done
