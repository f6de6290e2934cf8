/* SPDX-License-Identifier: Apache-2.0
 *
 * The last thing a program does is to read a file: what it waited for is gone when the search looks back.
 *
 * verdict: complete
 */
#include <assert.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static long sum_up(const char *text, long size)
{
  char copy[4096];
  long sum = 0;
  memset(copy, 0x13, sizeof copy);
  memcpy(copy, text, (size_t)size);
  for (long i = 0; i < size; i++)
    sum += copy[i];
  return sum;
}

int main(void)
{
  char text[64];
  int file = open("/etc/passwd", O_RDONLY);
  long n = read(file, text, sizeof text);
  assert(n > 0 && sum_up(text, n) != 0);
  return 0;
}
