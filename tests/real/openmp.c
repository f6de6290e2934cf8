/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP by gcc's libgomp: a reduction, a critical section, tasks, a barrier; libgomp spins, then waits on futexes.
 */
#include <omp.h>
#include <stdio.h>

static int fib(int n)
{
  int a, b;
  if (n < 2)
    return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(void)
{
  int sum = 0, count = 0, found = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
  for (int i = 1; i <= 10; i++)
    sum += i;
#pragma omp parallel num_threads(3)
  {
#pragma omp critical
    count++;
#pragma omp barrier
#pragma omp single
    found = fib(4);
  }
  printf("sum %d count %d fib %d\n", sum, count, found);
  return sum == 55 && count == 3 && found == 3 ? 0 : 1;
}
