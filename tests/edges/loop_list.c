/* SPDX-License-Identifier: Apache-2.0
 *
 * A list of twenty thousand nodes is built under a lock and taken down again.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
  struct node *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;

static void *builder(void *unused)
{
  (void)unused;
  for (int i = 0; i < 20000; i++) {
    struct node *node = malloc(sizeof *node);
    pthread_mutex_lock(&mutex);
    node->next = head;
    head = node;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void)
{
  pthread_t thread;
  int length = 0;
  pthread_create(&thread, NULL, builder, NULL);
  pthread_join(thread, NULL);
  while (head) {
    struct node *node = head;
    head = node->next;
    free(node);
    length++;
  }
  assert(length == 20000);
  return 0;
}
