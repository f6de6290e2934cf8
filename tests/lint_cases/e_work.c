/* SPDX-License-Identifier: Apache-2.0
 *
 * The work of a thread asks whether there are too many, behind a pointer: any of the functions that may be meant raises
 * a doubt.
 */
#include "creation.h"
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct e_service {
  int listener;
  void *(*serve)(void *);
};
struct e_visit {
  struct e_service *service;
  int fd;
};

static void *serves_visit(void *argument)
{
  struct e_visit *visit = argument;
  return visit->service->serve(visit);
}

void run_service(struct e_service *service)
{
  pthread_t thread;
  for (;;) { /* = possible, 'e_visits' goes up and down and is compared */
    struct e_visit *visit = calloc(1, sizeof *visit);
    visit->service = service;
    visit->fd = accept(service->listener, NULL, NULL);
    pthread_create(&thread, NULL, serves_visit, visit);
  }
}

static int e_visits, e_most_visits;

static int my_atomic_add(int *number, int by)
{
  return __atomic_fetch_add(number, by, __ATOMIC_SEQ_CST);
}

static void *serves_few(void *argument)
{
  if (my_atomic_add(&e_visits, +1) < e_most_visits)
    sleep(1);
  my_atomic_add(&e_visits, -1);
  return argument;
}

static struct e_service e_services[] = {{.serve = work}, {.serve = serves_few}};

void run_services(void)
{
  run_service(&e_services[0]);
  run_service(&e_services[1]);
}

/* ---- the same, and nobody asks ---- */

struct e_desk {
  int listener;
  void *(*answer)(void *);
};

static void *answers(void *argument)
{
  struct e_desk *desk = argument;
  return desk->answer(desk);
}

void run_desk(struct e_desk *desk)
{
  pthread_t thread;
  while (accept(desk->listener, NULL, NULL) >= 0) /* = unbounded */
    pthread_create(&thread, NULL, answers, desk);
}

static struct e_desk e_desk = {.answer = work};

void run_desks(void)
{
  run_desk(&e_desk);
}

/* ---- the work is given to a function that creates ---- */

static int start_work(void *(*function)(void *), void *argument)
{
  pthread_t thread;
  return pthread_create(&thread, NULL, function, argument);
}

void with_given_work(int listener)
{
  for (;;) { /* = possible, 'e_visits' goes up and down and is compared */
    int fd = accept(listener, NULL, NULL);
    start_work(serves_few, &fd);
  }
}

void with_other_work(int listener)
{
  for (;;) { /* = unbounded */
    int fd = accept(listener, NULL, NULL);
    start_work(answers, &fd);
  }
}

/* ---- a function between ---- */

static void serve_if_few(void *argument)
{
  if (e_visits >= e_most_visits)
    return;
  e_visits++;
  work(argument);
  e_visits--;
}

static void *serves(void *argument)
{
  serve_if_few(argument);
  return NULL;
}

void with_function_between(int listener)
{
  pthread_t thread;
  for (;;) { /* = possible, 'e_visits' goes up and down and is compared */
    int fd = accept(listener, NULL, NULL);
    pthread_create(&thread, NULL, serves, &fd);
  }
}
