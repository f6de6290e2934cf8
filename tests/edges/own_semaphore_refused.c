/* SPDX-License-Identifier: Apache-2.0
 *
 * A named semaphore that its owner may only read cannot be opened, but by root.
 *
 * verdict: complete
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stddef.h>
#include <unistd.h>

int main(void)
{
  sem_t *made = sem_open("/edge-read-only", O_CREAT, 0400, 1);
  assert(made != SEM_FAILED && sem_wait(made) == 0 && sem_post(made) == 0);
  sem_t *again = sem_open("/edge-read-only", O_CREAT, 0600, 1);
  assert(geteuid() == 0 ? again != SEM_FAILED : again == SEM_FAILED && errno == EACCES);
  assert(sem_unlink("/edge-read-only") == 0);
  return 0;
}
