/* SPDX-License-Identifier: Apache-2.0
 *
 * The pointer is read under the lock, what it points to after the unlock, when another thread has replaced it.
 * tell: bug +memory is freed while another thread uses it: T1 takes the pointer from `note` at
 * tell: fix +T1 reads the pointer with `board` locked and unlocks before its last use: it must keep the lock until then, or
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t board = PTHREAD_MUTEX_INITIALIZER;
static int *note, seen;

static void *look(void *arg)
{
  pthread_mutex_lock(&board);
#ifdef FIXED
  int copy = *note, *read = &copy;
#else
  int *read = note;
#endif
  pthread_mutex_unlock(&board);
  seen = *read;
  return arg;
}

static void *replace(void *arg)
{
  int *new = malloc(sizeof *new);
  *new = 2;
  pthread_mutex_lock(&board);
  free(note);
  note = new;
  pthread_mutex_unlock(&board);
  return arg;
}

int main(void)
{
  pthread_t reader, writer;
  note = malloc(sizeof *note);
  *note = 1;
  pthread_create(&reader, NULL, look, NULL);
  pthread_create(&writer, NULL, replace, NULL);
  pthread_join(reader, NULL);
  pthread_join(writer, NULL);
  free(note);
}
