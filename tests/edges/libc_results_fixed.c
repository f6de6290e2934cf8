/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of all kinds go to variables of the thread's own, and texts are read no further than a number goes.
 *
 * verdict: complete
 * flags: -Wl,--no-as-needed -lm
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char text[8] = "12,";

static void *work(void *unused)
{
  char *end, date[32], address[32];
  int exponent, number = 0;
  double whole;
  time_t now = 86400;
  struct tm parts;
  struct in_addr in;
  sigset_t old;
  sem_t sem;
  assert(strtol(text, &end, 10) == 12 && end == text + 2 && strtod(text, NULL) == 12 && atoi(text) == 12);
  assert(frexp(8, &exponent) == 0.5 && exponent == 4 && modf(1.5, &whole) == 0.5 && whole == 1);
  assert(gmtime_r(&now, &parts) && strftime(date, sizeof date, "%Y-%m-%d", &parts) == 10 && !strcmp(date, "1970-01-02"));
  assert(timegm(&parts) == 86400 && lgamma(3) > 0.69);
  assert(inet_pton(AF_INET, "1.2.3.4", &in) == 1 && !strcmp(inet_ntop(AF_INET, &in, address, 32), "1.2.3.4"));
  assert(pthread_sigmask(SIG_BLOCK, NULL, &old) == 0 && !sigismember(&old, SIGUSR1));
  assert(sem_init(&sem, 0, 3) == 0 && sem_getvalue(&sem, &number) == 0 && number == 3);
  assert(time(&now) == now);
  return unused;
}

int main(void)
{
  pthread_t thread;
  void *result = &thread;
  pthread_create(&thread, NULL, work, NULL);
  text[4] = 'x';
  double again = lgamma(3);
  pthread_join(thread, &result);
  assert(!result && again > 0.69);
  return 0;
}
