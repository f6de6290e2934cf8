/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread changes the defaults of new threads while main creates one: whether that one has a guard of the new size
 * depends on who comes first.
 *
 * verdict: found
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static void *changer(void *unused)
{
  pthread_attr_t kind;
  pthread_attr_init(&kind);
  pthread_attr_setguardsize(&kind, 1 << 16);
  pthread_setattr_default_np(&kind);
  return unused;
}

static void *looker(void *unused)
{
  pthread_attr_t kind;
  size_t guard;
  pthread_getattr_np(pthread_self(), &kind);
  pthread_attr_getguardsize(&kind, &guard);
  pthread_attr_destroy(&kind);
  assert(guard < 1 << 16);
  return unused;
}

int main(void)
{
  pthread_t first, second;
  pthread_create(&first, NULL, changer, NULL);
  pthread_create(&second, NULL, looker, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}
