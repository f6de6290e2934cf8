/* SPDX-License-Identifier: Apache-2.0
 *
 * forks N [1]: N philosophers eat once, with the semaphores of one System V set for forks: they take theirs one by one,
 * which may deadlock, or with 1 both in one call, which cannot. All that is done to one set is in one order.
 */
#include "together.h"
#include <sys/ipc.h>
#include <sys/sem.h>

static int set;

static void operate(int left, int right, short by)
{
  struct sembuf both[2] = {{(unsigned short)left, by, 0}, {(unsigned short)right, by, 0}};
  assert(semop(set, both, left == right ? 1 : 2) == 0);
}

static void *philosopher(void *arg)
{
  int n = second(arg) >> 1, left = first(arg), right = (left + 1) % n;
  if (second(arg) & 1) {
    operate(left, right, -1);
  } else {
    operate(left, left, -1);
    operate(right, right, -1);
  }
  operate(left, right, 1);
  return NULL;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2), at_once = number(argc, argv, 2, 0);

  set = semget(IPC_PRIVATE, n, 0600);
  for (int i = 0; i < n; i++)
    assert(semctl(set, i, SETVAL, 1) == 0);
  for (int i = 0; i < n; i++)
    start(philosopher, i, n << 1 | at_once);
  finish();
  printf("\n");
  return 0;
}
