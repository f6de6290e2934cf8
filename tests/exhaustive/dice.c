/* SPDX-License-Identifier: Apache-2.0
 *
 * dice N K: N threads throw a die with K sides (hd_choose) and keep to themselves: K^N classes.
 */
#include "together.h"
#include <heddle.h>

static void *player(void *arg)
{
  return result((int)hd_choose((unsigned)first(arg)));
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2), k = number(argc, argv, 2, 3);

  for (int i = 0; i < n; i++)
    start(player, k, 0);
  finish();
  printf("\n");
  return 0;
}
