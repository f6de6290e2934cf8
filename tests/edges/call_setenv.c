/* SPDX-License-Identifier: Apache-2.0
 *
 * The environment is changed while another thread reads it. Natively, with pauses, it failed in 216 of 1000 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *changer(void *unused)
{
  (void)unused;
  setenv("EDGE_MODE", "b", 1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  setenv("EDGE_MODE", "a", 1);
  pthread_create(&thread, NULL, changer, NULL);
  assert(getenv("EDGE_MODE")[0] == 'a');
  pthread_join(thread, NULL);
  return 0;
}
