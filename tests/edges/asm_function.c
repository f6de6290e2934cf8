/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole function in assembly, at file scope, loses an update. Not seen in 1000 native runs: the window is a few
 * instructions of two processors.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>

int count;
void increment(int *word);

__asm__(".text\n"
        ".globl increment\n"
        ".type increment,@function\n"
        "increment:\n"
        "  movl (%rdi),%eax\n"
        "  addl $1,%eax\n"
        "  movl %eax,(%rdi)\n"
        "  ret\n"
        ".size increment,.-increment\n");

static void *worker(void *unused)
{
  (void)unused;
  increment(&count);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(count == 2);
  return 0;
}
