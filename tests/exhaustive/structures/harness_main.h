/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a program of this folder, see harness.h.
 */
static void *thread_of(void *arg)
{
  return (void *)(intptr_t)work((int)(intptr_t)arg);
}

int main(void)
{
  pthread_t thread[THREADS];

  for (int i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, thread_of, (void *)(intptr_t)i);
  for (int i = 0; i < THREADS; i++) {
    void *value;
    pthread_join(thread[i], &value);
    printf("%d ", (int)(intptr_t)value);
  }
  check();
  printf("\n");
  return 0;
}
