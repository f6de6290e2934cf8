/* SPDX-License-Identifier: Apache-2.0
 *
 * sendfile, splice and copy_file_range move bytes without a buffer of the program. No failure in 250 native runs with
 * pauses.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *text)
{
  int count = 0;
  while (count < 10) {
    long more = read(ends[0], (char *)text + count, 10 - count);
    assert(more > 0);
    count += more;
  }
  return NULL;
}

int main(void)
{
  pthread_t thread;
  char text[11] = "";
  loff_t from = 0;
  off_t start = 0;
  assert(pipe(ends) == 0);
  int fd = open("source", O_CREAT | O_TRUNC | O_RDWR, 0600),
      copy = open("copy", O_CREAT | O_TRUNC | O_RDWR, 0600);
  assert(write(fd, "01234", 5) == 5);
  pthread_create(&thread, NULL, reader, text);
  assert(splice(fd, &from, ends[1], NULL, 5, 0) == 5);
  assert(sendfile(ends[1], fd, &start, 5) == 5);
  from = 0;
  assert(copy_file_range(fd, &from, copy, NULL, 5, 0) == 5);
  pthread_join(thread, NULL);
  assert(strcmp(text, "0123401234") == 0);
  close(fd);
  close(copy);
  unlink("source");
  unlink("copy");
  return 0;
}
