/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 5, what is a constant: const, enum, a macro, a local that is not assigned; not one whose address is taken,
 * nor a member that others may change.
 */
#include "creation.h"
#define MOST 8

enum { P5_MOST = 4 };
struct p5_pool {
  int most;
  const int fixed;
};
static const int p5_limit = 3;
extern void p5_look(int *);

void by_enum(void)
{
  for (int i = 0; i < P5_MOST; i++) /* = bounded 5 */
    create();
}

void by_macro(void)
{
  for (int i = 0; i < MOST; i++) /* = bounded 5 */
    create();
}

void by_const(void)
{
  for (int i = 0; i < p5_limit; i++) /* = bounded 5 */
    create();
}

void by_const_member(const struct p5_pool *pool)
{
  for (int i = 0; i < pool->fixed; i++) /* = bounded 5 */
    create();
}

void by_address(int most)
{
  for (int i = 0; i < most; i++) { /* = possible, the address of 'most' is taken */
    create();
    p5_look(&most);
  }
}

static void *raises(void *argument)
{
  struct p5_pool *pool = argument;
  pool->most++;
  return NULL;
}

void by_member(struct p5_pool *pool)
{
  pthread_t thread;
  for (int i = 0; i < pool->most; i++) /* = possible, 'most' is changed in raises() */
    pthread_create(&thread, NULL, raises, pool);
}
