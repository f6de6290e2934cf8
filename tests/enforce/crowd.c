/* SPDX-License-Identifier: Apache-2.0
 *
 * Many threads, few objects, several specifications at once (crowd.mop): every lock and every wait of the enforcing
 * library, as fast as it goes. No object is used by two threads, no more than two are in use, items are used between
 * their creation and free(), which gives their addresses to others; handlers call back into functions that have events,
 * and one waits until another thread has had events of the same object, which takes for ever if a lock is held
 * meanwhile. Arguments: rounds of each thread. Fails (status 1) when something meets that must not.
 */
#include <heddle_property.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function with this in it is called, although it does nothing. */
#define STAYS(value) __asm__ volatile("" : : "r"(value) : "memory")

enum { THREADS = 6, OBJECTS = 3, STEPS = 20 };

struct object {
  atomic_int users;
  long uses, writes; /* only by who uses it, or writes */
};

struct item {
  int value;
};

static struct object objects[OBJECTS], stepped;
static atomic_int used, wrong, handled;
static sem_t others_stepped;
static int rounds = 200;

void use(struct object *o)
{
  wrong += atomic_fetch_add(&o->users, 1) != 0;
  wrong += atomic_fetch_add(&used, 1) >= 2;
  o->uses++;
  sched_yield();
  used--;
  o->users--;
}

struct item *item_new(int value)
{
  struct item *item = malloc(sizeof *item);
  item->value = value;
  return item;
}

int item_get(struct item *item)
{
  return item->value;
}

void item_close(struct item *item)
{
  item->value = -1;
  STAYS(item);
}

void step(struct object *o)
{
  STAYS(o);
}

void read_log(struct object *o)
{
  long before = o->writes;
  sched_yield();
  wrong += o->writes != before;
}

void write_log(struct object *o)
{
  o->writes++;
}

void on_use(const struct hd_property_event *event)
{
  struct object *o = (struct object *)event->value[0];
  struct item *item = item_new(1); /* no events: the thread is in a handler */
  item_close(item);
  item_get(item);
  free(item);
  step(o);
  handled++;
}

void on_step(const struct hd_property_event *event)
{
  if (!strcmp(event->thread, "main"))
    sem_wait(&others_stepped);
}

static void *worker(void *arg)
{
  unsigned mine = (unsigned)(size_t)arg;
  for (int i = 0; i < rounds; i++) {
    mine = mine * 1103515245 + 12345;
    use(&objects[mine >> 16 & 0xff ? (mine >> 16) % OBJECTS : 0]);
    struct item *item = item_new(i);
    wrong += item_get(item) != i;
    if (mine >> 24 & 1)
      item_close(item); /* the next one at its address is another item */
    free(item);
    if (i % 8 == 0)
      write_log(&objects[0]);
    else
      read_log(&objects[0]);
  }
  return NULL;
}

static void *stepper(void *unused)
{
  for (int i = 0; i < STEPS; i++)
    step(&stepped);
  sem_post(&others_stepped);
  return unused;
}

int main(int argc, char **argv)
{
  pthread_t thread[THREADS], other;
  rounds = argc > 1 ? atoi(argv[1]) : rounds;
  sem_init(&others_stepped, 0, 0);
  for (size_t i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, worker, (void *)(i + 1));
  pthread_create(&other, NULL, stepper, NULL);
  step(&stepped);
  pthread_join(other, NULL);
  long uses = 0;
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  for (int i = 0; i < OBJECTS; i++)
    uses += objects[i].uses;
  printf("%ld uses, %ld writes, %d wrong, handlers %s\n", uses, objects[0].writes, wrong,
         handled ? "called" : "not called");
  return wrong || uses != (long)THREADS * rounds || objects[0].writes != (long)THREADS * ((rounds + 7) / 8);
}
