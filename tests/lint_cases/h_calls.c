/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions for one thread in threads, and what must not be called in a handler.
 */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t asked;

static int hour(time_t now)
{
  return localtime(&now)->tm_hour; /* ! one-thread-function */
}

static int locked_hour(time_t now)
{
  pthread_mutex_lock(&mutex);
  int result = localtime(&now)->tm_hour; /* right one-thread-function */
  pthread_mutex_unlock(&mutex);
  return result;
}

static int own_hour(time_t now)
{
  struct tm parts;
  return localtime_r(&now, &parts)->tm_hour; /* right one-thread-function */
}

static void *work(void *argument)
{
  puts(ttyname(0)); /* ! one-thread-function */
  return hour(0) + locked_hour(0) + own_hour(0) ? argument : NULL;
}

/* Nobody else asks for it. */
static void *alone(void *argument)
{
  puts(getlogin()); /* right one-thread-function */
  return argument;
}

void starts_one(time_t *now)
{
  pthread_t thread;
  pthread_create(&thread, NULL, alone, now);
  puts(ttyname(1)); /* right one-thread-function */
}

int only_in_main(time_t now)
{
  return gmtime(&now)->tm_hour; /* right one-thread-function */
}

static void prints(int signal)
{
  printf("%d\n", signal); /* ! unsafe-in-handler */
}

static void report(void)
{
  free(malloc(16)); /* ! unsafe-in-handler */
}

static void calls(int signal)
{
  asked = signal;
  report();
}

static void formats(int signal)
{
  char text[16];
  snprintf(text, sizeof text, "%d", signal); /* right unsafe-in-handler */
}

static void notes(int signal)
{
  asked = signal;
  if (write(2, "!", 1) < 0)
    _exit(1); /* right unsafe-in-handler */
}

static void never_comes(int signal)
{
  printf("%d\n", signal); /* right unsafe-in-handler */
}

/* A member that is called like the function. */
static void not_one(int number)
{
  printf("%d\n", number); /* right unsafe-in-handler */
}

struct queue_calls {
  void (*signal)(int number);
};
struct queue_calls queue_calls = {.signal = not_one};

static void says_goodbye(void)
{
  puts("goodbye"); /* right unsafe-in-handler: the nearest one is told */
}

static void ends(int signal)
{
  says_goodbye();
  exit(signal); /* ! unsafe-in-handler */
}

void start(void)
{
  pthread_t thread;
  struct sigaction action = {.sa_handler = calls};
  struct sigaction other = {0};
  other.sa_handler = notes;
  pthread_create(&thread, NULL, work, NULL);
  signal(SIGINT, prints);
  signal(SIGUSR1, formats);
  signal(SIGKILL, never_comes);
  signal(SIGQUIT, ends);
  signal(SIGALRM, ends);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &other, NULL);
}
