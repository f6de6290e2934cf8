/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread is detached while another one joins it: if the detaching comes first, there is nobody to join. No value tells.
 *
 * verdict: find
 * kind: property
 */
#include <pthread.h>

static pthread_t worker;

static void *work(void *unused)
{
  return unused;
}

static void *detach(void *unused)
{
  pthread_detach(worker);
  return unused;
}

int main(void)
{
  pthread_t detacher;
  pthread_create(&worker, NULL, work, NULL);
  pthread_create(&detacher, NULL, detach, NULL);
  pthread_join(worker, NULL);
  pthread_join(detacher, NULL);
  return 0;
}
