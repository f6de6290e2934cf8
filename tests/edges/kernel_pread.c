/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel writes a shared variable on behalf of a thread; main may read it before or after.
 *
 * verdict: find
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int descriptor;
static unsigned word;

static void *loader(void *unused)
{
  ssize_t n = pread(descriptor, &word, sizeof word, 0);
  (void)n;
  return unused;
}

int main(void)
{
  pthread_t thread;
  descriptor = open("/etc/passwd", O_RDONLY);
  pthread_create(&thread, NULL, loader, NULL);
  assert(__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0);
  pthread_join(thread, NULL);
  return 0;
}
