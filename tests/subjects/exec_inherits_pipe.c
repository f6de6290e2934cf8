/* SPDX-License-Identifier: Apache-2.0
 *
 * While one thread has a pipe, another starts a program, which has the pipe's write end, too, from then on: its reader
 * never comes to the end. The twin makes the pipe such that it ends with exec (O_CLOEXEC).
 *
 * verdict: deadlock
 * threads: 3
 * runs: 100
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int input[2];

static void *starts(void *child)
{
  pid_t id = fork();
  if (id == 0) {
    dup2(input[0], STDIN_FILENO);
    execl("/bin/cat", "cat", NULL);
    _exit(127);
  }
  *(pid_t *)child = id;
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pid_t child;
  int own[2];
  char byte;
  assert(pipe2(input, O_CLOEXEC) == 0);
  pthread_create(&thread, NULL, starts, &child);
#ifdef FIXED
  assert(pipe2(own, O_CLOEXEC) == 0);
#else
  assert(pipe(own) == 0);
#endif
  close(own[1]);
  assert(read(own[0], &byte, 1) == 0); /* all that was written has come */
  close(input[1]);                     /* now the program may end */
  pthread_join(thread, NULL);
  assert(waitpid(child, NULL, 0) == child);
  return 0;
}
