/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of a product of two matrices, by four threads that read both and share nothing else: many shared reads, no locks.
 * Arguments: rows to compute, over and over.
 */
#include <pthread.h>
#include <stdlib.h>

#define SIZE 96
#define THREADS 4

static double a[SIZE][SIZE], b[SIZE][SIZE], product[SIZE][SIZE];
static long rows;

static void multiply_row(long row)
{
  for (long column = 0; column < SIZE; column++) {
    double sum = 0;
    for (long k = 0; k < SIZE; k++)
      sum += a[row][k] * b[k][column];
    product[row][column] = sum;
  }
}

static void *multiply(void *first)
{
  long own = (long)first; /* rows own, own + THREADS, …: no two threads write the same one */
  for (long i = 0; i < rows / THREADS; i++)
    multiply_row((i * THREADS + own) % (SIZE / THREADS * THREADS));
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t thread[THREADS];
  rows = argc > 1 ? atol(argv[1]) : THREADS;
  for (long i = 0; i < SIZE; i++)
    for (long j = 0; j < SIZE; j++) {
      a[i][j] = (double)(i + j);
      b[i][j] = (double)(i - j);
    }
  for (long i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, multiply, (void *)i);
  for (long i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  double sum = 0;
  for (long i = 0; i < SIZE; i++)
    sum += product[i][i];
  return sum == -1; /* somebody must look at the product, or there is nothing to compute */
}
