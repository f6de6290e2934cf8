/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory that a child makes, of POSIX and of System V, is there for its parent after the child has ended.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME "/heddle_edge_segment"
#define KEY 0x68656464

static int make(void)
{
  int fd = shm_open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600), id = shmget(KEY, 4096, IPC_CREAT | IPC_EXCL | 0600);
  char *at = shmat(id, NULL, 0);
  assert(fd >= 0 && id >= 0 && at != (char *)-1);
  *at = 'v';
  return write(fd, "p", 1) != 1;
}

int main(void)
{
  pid_t child = fork();
  if (!child)
    _exit(make());
  int status;
  char text;
  assert(waitpid(child, &status, 0) == child && status == 0);
  int fd = shm_open(NAME, O_RDWR, 0), id = shmget(KEY, 4096, 0);
  assert(fd >= 0 && read(fd, &text, 1) == 1 && text == 'p');
  const char *at = shmat(id, NULL, 0);
  assert(at != (char *)-1 && *at == 'v');
  shm_unlink(NAME);
  shmctl(id, IPC_RMID, NULL);
  return 0;
}
