/* SPDX-License-Identifier: Apache-2.0
 *
 * A program run again and again in one process, free, as cheaply as that can be had: linked with a program of
 * tests/cooperari whose main is called program_main, it runs it N times and puts the program's static data back in
 * between. Prints the microseconds of one run. Usage: repeat N ARGUMENTS...
 *
 * Only for programs without heap that return from main. All of its own it keeps on the stack, out of what is put back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int program_main(int argc, char **argv);

extern char __data_start, _end; /* by the linker: static data, initialised and zeroed */

static double now(void)
{
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec * 1e6 + (double)at.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
  long runs = argc > 1 ? atol(argv[1]) : 0;
  size_t size = (size_t)(&_end - &__data_start);
  char *before = malloc(size);
  if (runs < 1 || !before)
    return 2;
  memcpy(before, &__data_start, size);
  double start = now();
  for (long i = 0; i < runs; i++) {
    if (program_main(argc - 1, argv + 1) != 0)
      return 1;
    memcpy(&__data_start, before, size);
  }
  printf("%.3f\n", (now() - start) / (double)runs);
  free(before);
  return 0;
}
