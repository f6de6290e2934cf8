/* SPDX-License-Identifier: Apache-2.0
 *
 * A child with two threads is stopped: when its parent is told, neither of them goes on. A handler for SIGCHLD hears of
 * it too, and SIGKILL ends the child although it is stopped.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t stops;

static void note(int signal, siginfo_t *info, void *context)
{
  (void)signal, (void)context;
  stops += info->si_code == CLD_STOPPED && info->si_status == SIGTSTP;
}

static void *count(void *shared)
{
  for (;;) {
    atomic_fetch_add((atomic_int *)shared, 1);
    usleep(1);
  }
  return NULL;
}

int main(void)
{
  int status;
  pthread_t thread;
  atomic_int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(!sigaction(SIGCHLD, &(struct sigaction){.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_RESTART}, NULL));
  pid_t child = fork();
  if (child == 0) {
    pthread_create(&thread, NULL, count, &shared[0]);
    count(&shared[1]);
  }
  kill(child, SIGTSTP);
  assert(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTSTP);
  assert(stops == 1);
  int first = shared[0], second = shared[1];
  usleep(1);
  assert(first == shared[0] && second == shared[1]);
  kill(child, SIGKILL);
  assert(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  return 0;
}
