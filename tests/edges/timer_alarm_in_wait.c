/* SPDX-License-Identifier: Apache-2.0
 *
 * An alarm is a second away when the thread begins to wait, so it comes while the thread waits and ends that: it need
 * not come again. And two timers of one moment have both expired when the sleep is over that they end.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t first, second;

static void note(int number)
{
  if (number == SIGALRM)
    first++;
  else
    second++;
}

int main(void)
{
  struct sigaction action = {.sa_handler = note};
  sem_t nobody_posts;
  sigaction(SIGALRM, &action, NULL);
  sigaction(SIGUSR1, &action, NULL);
  sem_init(&nobody_posts, 0, 0);
  alarm(1);
  assert(sem_wait(&nobody_posts) == -1 && errno == EINTR && first == 1);

  struct itimerspec in_two_seconds = {.it_value = {2, 0}};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  timer_t timer[2];
  clock_gettime(CLOCK_MONOTONIC, &in_two_seconds.it_value);
  in_two_seconds.it_value.tv_sec += 2;
  for (int i = 0; i < 2; i++) {
    event.sigev_signo = i ? SIGUSR1 : SIGALRM;
    timer_create(CLOCK_MONOTONIC, &event, &timer[i]);
    timer_settime(timer[i], TIMER_ABSTIME, &in_two_seconds, NULL);
  }
  sleep(3);
  assert(first == 2 && second == 1);
  return 0;
}
