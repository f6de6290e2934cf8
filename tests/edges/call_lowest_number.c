/* SPDX-License-Identifier: Apache-2.0
 *
 * Whatever is opened gets the lowest number that is free.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
  int first = open("/tmp/heddle-lowest", O_RDWR | O_CREAT, 0600), second = shm_open("/lowest", O_RDWR | O_CREAT, 0600);
  int third = open("/dev/null", O_RDONLY);
  assert(second == first + 1 && third == first + 2);
  close(second);
  assert(shm_open("/lowest", O_RDWR, 0600) == second);
  shm_unlink("/lowest");
  return 0;
}
