#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A program that heddle cc built and nothing controls: vfork() returns when the child has ended, as it does without heddle.
. "$(dirname "$0")/lib.sh"

cat >lent.c <<'END'
#define _GNU_SOURCE
#include <assert.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
  volatile int *word = mmap(NULL, sizeof *word, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t pid = vfork();
  if (pid == 0) {
    usleep(20000);
    *word = 1;
    _exit(0);
  }
  assert(pid > 0 && *word == 1);
  return waitpid(pid, NULL, 0) != pid;
}
END
"$heddle" cc -g lent.c -o lent || exit 1
failed=0
for _ in 1 2 3 4 5 6 7 8 9 10; do
  ./lent 2>>"$work/.output" || failed=$((failed + 1))
done
if [ $failed -eq 0 ]; then ok "vfork() waits for the child, natively"; else not_ok "vfork() waits for the child, natively" "$failed of 10"; fi
