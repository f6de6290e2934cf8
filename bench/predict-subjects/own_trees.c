/* SPDX-License-Identifier: Apache-2.0
 *
 * Four threads, each with a search tree of its own: nodes from the heap, recursive calls, an array that it sorts first.
 * They share nothing but the number that says how much to do. Arguments: trees to make.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define THREADS 4
#define KEYS 256

struct node {
  struct node *left, *right;
  uint32_t key;
};

static long trees;

static int compare(uint32_t a, uint32_t b)
{
  return a < b ? -1 : a > b;
}

static void sort(uint32_t *key, long count)
{
  if (count < 2)
    return;
  uint32_t pivot = key[count / 2];
  long low = 0, high = count - 1;
  while (low <= high) {
    while (compare(key[low], pivot) < 0)
      low++;
    while (compare(key[high], pivot) > 0)
      high--;
    if (low > high)
      break;
    uint32_t swapped = key[low];
    key[low++] = key[high];
    key[high--] = swapped;
  }
  sort(key, high + 1);
  sort(key + low, count - low);
}

static struct node *insert(struct node *node, uint32_t key)
{
  if (!node) {
    node = malloc(sizeof *node);
    *node = (struct node){.key = key};
  } else if (compare(key, node->key) < 0) {
    node->left = insert(node->left, key);
  } else {
    node->right = insert(node->right, key);
  }
  return node;
}

static void clear(struct node *node)
{
  if (!node)
    return;
  clear(node->left);
  clear(node->right);
  free(node);
}

static void *work(void *number)
{
  uint32_t state = (uint32_t)(uintptr_t)number * 7919 + 1, *key = malloc(KEYS * sizeof *key);
  for (long done = 0; done < trees / THREADS; done++) {
    struct node *tree = NULL;
    for (long i = 0; i < KEYS; i++)
      key[i] = state = state * 1664525 + 1013904223;
    for (long i = 0; i < KEYS; i++)
      tree = insert(tree, key[i]);
    sort(key, KEYS);
    clear(tree);
  }
  free(key);
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t thread[THREADS];
  trees = argc > 1 ? atol(argv[1]) : THREADS;
  for (uintptr_t i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
