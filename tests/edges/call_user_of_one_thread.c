/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel changes the user of one thread only; heddle cannot, and says so.
 *
 * verdict: quiet
 * expect-text: a thread changes its user, group or capabilities alone (setresuid() by syscall())
 */
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *change(void *unused)
{
  syscall(SYS_setresuid, getuid(), getuid(), getuid());
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, change, NULL);
  pthread_join(thread, NULL);
  return 0;
}
