/* SPDX-License-Identifier: Apache-2.0
 *
 * file_system N: N threads take an inode each and find it a free block, both under locks. From the paper on dynamic
 * partial order reduction (Flanagan, Godefroid, 2005). Up to 13 threads nobody meets anybody; 14, 16, 18 and 19 threads
 * have 2, 8, 32 and 64 classes.
 */
#include "together.h"

#define BLOCKS 26
#define INODES 32

static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];
static int inode[INODES];
static char busy[BLOCKS];

static void *user(void *arg)
{
  int i = first(arg) % INODES;

  pthread_mutex_lock(&inode_lock[i]);
  if (inode[i] == 0) {
    int b = i * 2 % BLOCKS;
    for (;;) {
      pthread_mutex_lock(&block_lock[b]);
      if (!busy[b]) {
        busy[b] = 1;
        inode[i] = b + 1;
        pthread_mutex_unlock(&block_lock[b]);
        break;
      }
      pthread_mutex_unlock(&block_lock[b]);
      b = (b + 1) % BLOCKS;
    }
  }
  pthread_mutex_unlock(&inode_lock[i]);
  return NULL;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 14);

  for (int i = 0; i < INODES; i++)
    pthread_mutex_init(&inode_lock[i], NULL);
  for (int i = 0; i < BLOCKS; i++)
    pthread_mutex_init(&block_lock[i], NULL);
  for (int i = 0; i < n; i++)
    start(user, i, 0);
  finish();
  for (int i = 0; i < n; i++)
    printf("%d ", inode[i]);
  printf("\n");
  return 0;
}
