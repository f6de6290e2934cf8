/* SPDX-License-Identifier: Apache-2.0
 *
 * When to end, see the header. The handlers do what is safe in a signal handler, and no more.
 */
#include "session/deadline.h"
#include "session/console.h"
#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TO_FINISH 0.5           /* seconds: a replay and its story take a tenth of that */
#define FORCED_AFTER_SIGNAL 0.9 /* somebody waits for it */
#define FORCED_AFTER_TIME 3.0   /* nobody does; a bug that a busy machine is about to tell is worth waiting for */

static volatile sig_atomic_t interrupts, bug_told;
static volatile double interrupted_at; /* valid when interrupts */
static double deadline = INFINITY;
static timer_t force;
static bool open;

static void force_after(double seconds)
{
  double whole = floor(seconds);
  struct itimerspec when = {.it_value = {(time_t)whole, (long)((seconds - whole) * 1e9) + 1}};
  timer_settime(force, 0, &when, NULL);
}

static void on_signal(int number)
{
  (void)number;
  if (interrupts++)
    return;
  interrupted_at = now_seconds();
  force_after(FORCED_AFTER_SIGNAL);
}

/* The workers end with us (child.c). */
static void on_force(int number)
{
  static const char interrupted[] = "heddle: interrupted\n",
                    late[] = "heddle: the time was up, but there was more to do; give it more --time\n";
  (void)number;
  const char *line = interrupts ? interrupted : late;
  ssize_t written = write(2, line, strlen(line));
  (void)written;
  _exit(bug_told ? STATUS_BUG : STATUS_FAILED);
}

bool signals_open(void)
{
  static const int watched[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  struct sigaction now, ours = {.sa_handler = on_force};
  if (open)
    return true;
  if (sigaction(SIGALRM, &ours, NULL) != 0 || timer_create(CLOCK_MONOTONIC, &event, &force) != 0)
    return false;
  open = true;
  ours = (struct sigaction){.sa_handler = on_signal, .sa_flags = SA_RESTART};
  for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++)
    if (sigaction(watched[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
      sigaction(watched[i], &ours, NULL);
  if (isfinite(deadline))
    deadline_set(deadline - now_seconds());
  return true;
}

unsigned interrupt_count(void)
{
  return (unsigned)interrupts;
}

void deadline_set(double seconds)
{
  deadline = seconds > 0 ? now_seconds() + seconds : INFINITY;
  if (open && isfinite(deadline) && !interrupts)
    force_after(seconds + FORCED_AFTER_TIME);
}

double deadline_left(void)
{
  double end = interrupts && interrupted_at < deadline ? interrupted_at : deadline;
  return end - now_seconds();
}

bool time_is_up(void)
{
  return deadline_left() <= 0;
}

double seconds_to_finish(void)
{
  return deadline_left() + TO_FINISH;
}

void deadline_bug_told(void)
{
  bug_told = 1;
}
