/* SPDX-License-Identifier: Apache-2.0
 *
 * litmus NUMBER: the small shapes that memory models are made of, here under sequential consistency. 0: store
 * buffering, 1: load buffering, 2: message passing, 3: two writes each, in opposite order, 4: two reads of one
 * location, 5: independent reads of independent writes, 6: write to read causality.
 */
#include "together.h"

static atomic_int x, y;

static void *play(void *arg)
{
  int a = 0, b = 0;

  switch (first(arg) * 8 + second(arg)) {
  case 000: /* store buffering */
    atomic_store(&x, 1);
    a = atomic_load(&y);
    break;
  case 001:
    atomic_store(&y, 1);
    a = atomic_load(&x);
    break;
  case 010: /* load buffering */
    a = atomic_load(&x);
    atomic_store(&y, 1);
    break;
  case 011:
    a = atomic_load(&y);
    atomic_store(&x, 1);
    break;
  case 020: /* message passing */
    atomic_store(&x, 1);
    atomic_store(&y, 1);
    break;
  case 021:
    a = atomic_load(&y);
    b = atomic_load(&x);
    break;
  case 030: /* 2+2W */
    atomic_store(&x, 1);
    atomic_store(&y, 2);
    break;
  case 031:
    atomic_store(&y, 1);
    atomic_store(&x, 2);
    break;
  case 040: /* coherence */
    atomic_store(&x, 1);
    break;
  case 041:
    atomic_store(&x, 2);
    break;
  case 042:
    a = atomic_load(&x);
    b = atomic_load(&x);
    break;
  case 050: /* IRIW */
    atomic_store(&x, 1);
    break;
  case 051:
    atomic_store(&y, 1);
    break;
  case 052:
    a = atomic_load(&x);
    b = atomic_load(&y);
    break;
  case 053:
    a = atomic_load(&y);
    b = atomic_load(&x);
    break;
  case 060: /* WRC */
    atomic_store(&x, 1);
    break;
  case 061:
    a = atomic_load(&x);
    atomic_store(&y, 1);
    break;
  case 062:
    a = atomic_load(&y);
    b = atomic_load(&x);
    break;
  }
  return result(a * 10 + b);
}

int main(int argc, char **argv)
{
  static const int threads[] = {2, 2, 2, 2, 3, 4, 3};
  int shape = number(argc, argv, 1, 0);

  for (int i = 0; i < threads[shape]; i++)
    start(play, shape, i);
  finish();
  printf("x=%d y=%d\n", x, y);
  return 0;
}
