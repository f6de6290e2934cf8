/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of an address lies in memory that the next call overwrites. Natively, with pauses, it failed in 90 of 300
 * runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <netinet/ether.h>
#include <pthread.h>
#include <stddef.h>

static const struct ether_addr addresses[2] = {{{1}}, {{2}}};

static void *prints(void *n)
{
  const char *text = ether_ntoa(&addresses[(long)n]);
  assert(text[0] == '1' + (long)n);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, prints, NULL);
  prints((void *)1);
  pthread_join(thread, NULL);
  return 0;
}
