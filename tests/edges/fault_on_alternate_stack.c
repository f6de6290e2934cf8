/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads read what may not be read, and a handler on an alternate stack of each lets them, others running
 * meanwhile; then one of them uses up its stack, which its handler survives.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>

#define PAGE 4096

static char room[2][65536];
static char *page[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int handled;
static sigjmp_buf back;

static void allow(int number, siginfo_t *info, void *context)
{
  (void)number, (void)context;
  char local;
  uintptr_t at = (uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1);
  int mine = &local >= room[1] && &local < room[1] + sizeof room[1];
  assert(mine || (&local >= room[0] && &local < room[0] + sizeof room[0]));
  if (at != (uintptr_t)page[mine])
    siglongjmp(back, 1);
  pthread_mutex_lock(&lock);
  handled++;
  pthread_mutex_unlock(&lock);
  mprotect((void *)at, PAGE, PROT_READ);
}

static void look(int mine)
{
  stack_t stack = {.ss_sp = room[mine], .ss_size = sizeof room[mine]};
  assert(sigaltstack(&stack, NULL) == 0);
  assert(*(volatile char *)page[mine] == 0);
}

static int use_up(volatile char *before)
{
  volatile char more[1024];
  more[0] = before ? before[0] : 1;
  return use_up(more) + more[0];
}

static void *other(void *unused)
{
  look(1);
  if (!sigsetjmp(back, 1))
    use_up(NULL);
  return unused;
}

int main(void)
{
  struct sigaction action = {.sa_sigaction = allow, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  pthread_t thread;
  for (int i = 0; i < 2; i++)
    page[i] = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  sigaction(SIGSEGV, &action, NULL);
  pthread_create(&thread, NULL, other, NULL);
  look(0);
  pthread_join(thread, NULL);
  assert(handled == 2);
  return 0;
}
