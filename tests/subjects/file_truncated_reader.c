/* SPDX-License-Identifier: Apache-2.0
 *
 * Bug: fopen(.., "w") empties the file before the new text is written; a reader may find nothing. The twin writes to
 * another file and renames that.
 * Interleaving: writer fopen(); reader reads nothing; writer writes.
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#ifdef FIXED
#define WRITTEN "state.new"
#else
#define WRITTEN "state"
#endif

static void save(const char *name, const char *text)
{
  FILE *f = fopen(name, "w");
  fputs(text, f);
  fclose(f);
}

static void *writer(void *unused)
{
  (void)unused;
  save(WRITTEN, "second\n");
#ifdef FIXED
  rename(WRITTEN, "state");
#endif
  return NULL;
}

int main(void)
{
  pthread_t thread;
  char line[16];
  save("state", "first\n");
  pthread_create(&thread, NULL, writer, NULL);
  FILE *f = fopen("state", "r");
  assert(fgets(line, sizeof line, f));
  fclose(f);
  pthread_join(thread, NULL);
  unlink("state");
  return 0;
}
