/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads go through the options at once.
 *
 * verdict: find
 */
#include <assert.h>
#include <getopt.h>
#include <pthread.h>

static char *words[] = {"program", "-a", "-b", NULL};
static const struct option none[1];

static void *work(void *unused)
{
  getopt_long(3, words, "ab", none, NULL);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  int option = getopt_long(3, words, "ab", none, NULL);
  pthread_join(thread, NULL);
  assert(option == 'a');
  return 0;
}
