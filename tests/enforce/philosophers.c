/* SPDX-License-Identifier: Apache-2.0
 *
 * Five philosophers without locks. A fork that two of them have is a failure (status 1). With philosophers_forks.mop
 * alone each fork is one philosopher's at a time, and they can all starve; with philosophers.mop at most four compete.
 * Arguments: meals of each, and microseconds between the forks.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SEATS = 5 };

struct fork {
  atomic_int users;
};

static struct fork forks[SEATS];
static atomic_int shared, meals;
static int rounds = 20, pause_us = 50;

void pick_up(struct fork *f)
{
  shared += ++f->users > 1;
}

void put_down(struct fork *f)
{
  f->users--;
}

static atomic_int seated;

void take_seat(void)
{
  seated++;
}

void leave_seat(void)
{
  seated--;
}

static void *philosopher(void *arg)
{
  int seat = (int)(long)arg;
  for (int i = 0; i < rounds; i++) {
    take_seat();
    pick_up(&forks[seat]);
    if (pause_us)
      usleep((useconds_t)pause_us);
    pick_up(&forks[(seat + 1) % SEATS]);
    meals++;
    put_down(&forks[(seat + 1) % SEATS]);
    put_down(&forks[seat]);
    leave_seat();
  }
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t thread[SEATS];
  if (argc > 1)
    rounds = atoi(argv[1]);
  if (argc > 2)
    pause_us = atoi(argv[2]);
  for (long i = 0; i < SEATS; i++)
    pthread_create(&thread[i], NULL, philosopher, (void *)i);
  for (int i = 0; i < SEATS; i++)
    pthread_join(thread[i], NULL);
  printf("%d meals, %d times a fork was shared\n", meals, shared);
  return shared != 0;
}
