/* SPDX-License-Identifier: Apache-2.0
 *
 * main() leaves by pthread_exit(), inside of which libraries do things once; a thread then waits for a value that nobody
 * writes. The schedule may change threads where something is done once and was done already.
 *
 * verdict: found
 * kind: hang
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int value;

static void *wait_for_one(void *unused)
{
  while (value != 1)
    continue;
  return unused;
}

static void *write_two(void *unused)
{
  value = 2;
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_one, NULL);
  pthread_create(&thread, NULL, write_two, NULL);
  pthread_exit(NULL);
}
